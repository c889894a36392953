#!/usr/bin/env bash
# Small files that ask for large memory: refused before it is taken, with a word.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
ldd "$orrery" | grep -q 'lib[at]san' || ulimit -v $((12 << 20)) # KiB: what is not refused fails soon

# an order that a header only claims
for n in 100000000 2000000000 2147483647; do
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n%s %s 1\n1 1 1\n' $n $n >large.mtx
    for command in hb2st gb2bd heev gesvd powm pagerank; do
        "$orrery" $command large.mtx --max-memory 1G >out 2>err </dev/null; code=$?
        case $code in
            5) said 'large.mtx.* needs .*--max-memory allows';;
            3) said 'large.mtx: .*\(at most\|more than 2^31\)';;
            *) fail "exit code $code: $command of order $n"; cat err;;
        esac
    done
done
expect 3 "$orrery" heevj large.mtx --max-memory 1G; said 'order 2147483647; at most'
printf '%%%%MatrixMarket matrix coordinate real general\n2000000000 7 1\n1 1 1\n' >tall.mtx
expect 0 "$orrery" gb2bd tall.mtx --max-memory 1G # rows of zeros take nothing

# matrices of order 0 have a record each
header() { # FILE SHAPE: an array without elements
    local text="{'descr': '<f8', 'fortran_order': False, 'shape': ($2), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$text" >$1
}
for count in 2147483648 1000000000000 500000000000000000; do
    header empty.npy "$count, 0, 0"
    for command in heevj gesvj heev; do
        expect 5 "$orrery" $command empty.npy --max-memory 1G; said 'empty.npy.* needs .*--max-memory allows'
        expect 5 "$orrery" $command empty.npy; said 'empty.npy.* needs'
    done
    expect 3 "$orrery" gesvd empty.npy --max-memory 1G; said empty.npy
done
header many.npy "500000000000000000, 0, 0"
expect 5 "$orrery" heevj many.npy many.npy many.npy many.npy many.npy --max-memory 4G; said 'many.npy needs'
header wide.npy "0, 3, 3"; expect 0 "$orrery" heevj wide.npy --values w.npy
header none.npy "7, 0, 0"; expect 0 "$orrery" gesvj none.npy --values w.npy
"$orrery" gesvj --stream --max-memory 1G <empty.npy >out 2>err; [[ $? == 5 ]] || fail "a stream of empty matrices"; said 'array 0 needs'

# a product of two small files
seq 0 39999 | sed 's/.*/& &/' >diagonal.txt
expect 5 "$orrery" powm diagonal.txt --kron diagonal.txt --max-memory 1G; said 'Kronecker product needs'
finish
