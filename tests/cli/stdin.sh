#!/usr/bin/env bash
# Several arrays on standard input: each "-" of the command line reads the next one, and nothing that is left behind the
# last of them is passed over, whatever the command.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
modules numpy || exit 77
python3 -c "
import numpy as np
a = np.random.default_rng(1).standard_normal((12, 12)); a += a.T
np.save('a.npy', a); np.save('b.npy', a @ a + np.eye(12)); np.save('ab.npy', np.stack([a, a])); np.save('band.npy', a[:3])
np.savetxt('a.txt', a); np.savetxt('wide.txt', np.ones((1, 13))); np.save('x.npy', np.ones(9))"

# input CODE FILES COMMAND...: the files one after the other, through a pipe that is closed late
input() {
    local code=$1 got; read -ra files <<<"$2"; shift 2
    { cat "${files[@]}"; sleep 0.1; } | "$orrery" "$@" >out 2>err; got=$?
    [[ $got == "$code" ]] || { fail "exit code $got, not $code: ${files[*]} | orrery $*"; sed 's/^/    /' err; }
}

printf x >one
for case in "heev a" "gesvd a" "gesvj a" "heevj a" "heevj ab" "gesvj ab" "hbev band" "hb2st band" "gb2bd band"; do
    read -r command file <<<"$case"
    input 0 $file.npy $command -
    for behind in "$file.npy" "a.txt" one; do
        input 3 "$file.npy $behind" $command -
        said '^orrery: standard input: more data follow the array; each FILE .-. reads one$'; empty out
    done
    cat $file.npy $file.npy >both.npy
    "$orrery" $command - <both.npy >out 2>err && fail "$command, from a file"; said 'more data follow the array'
    expect 3 "$orrery" $command both.npy; said 'follow the array'
    input 3 "$file.npy one" $command - --in-process; said 'more data follow the array'
done
input 3 "a.npy a.npy" heev - --values w.npy; [[ ! -e w.npy ]] || fail "results of an input that is wrong"

# two arrays for two names, in their order
expect 0 "$orrery" hegv a.npy b.npy --values want.npy
for case in "a.npy b.npy:- -" "a.npy:- b.npy" "b.npy:a.npy -"; do
    # shellcheck disable=SC2086
    input 0 "${case%:*}" hegv ${case#*:} --values w.npy; cmp -s w.npy want.npy || fail "hegv ${case#*:}"; rm -f w.npy
done
input 3 "a.npy b.npy one" hegv - -; said 'more data follow the array'
input 3 "a.npy b.npy" hegv - b.npy; said 'more data follow the array'
input 3 a.npy hegv - -; said 'standard input: empty'
for command in heevj gesvj; do
    expect 0 "$orrery" $command a.npy ab.npy --values 'w-{i}.npy'
    input 0 "a.npy ab.npy" $command - - --values 'v-{i}.npy'
    for k in 0 1; do cmp -s w-$k.npy v-$k.npy || fail "$command - -: $k"; done
    input 3 "a.npy ab.npy one" $command - -; said 'more data follow the array'
done

# text ends where the input does
input 0 a.txt heev -
input 3 "a.txt wide.txt" heev -; said 'standard input:13: 13 numbers, where the lines before have 12'
input 3 "a.txt a.npy" heev -; said 'standard input:13: column 1: .*is not a number'
input 3 "a.txt b.npy" hegv - -; said '^orrery: standard input: text is one array, to its end; give several as .npy$'
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 1\n' >m.mtx
input 0 m.mtx powm -; input 3 "m.mtx m.mtx" powm -; said 'more than the 2 entries the header announces'

# it has one name, whatever is wrong with what came
printf '1 2\n' >row.txt; printf 'nan 2\n2 3\n' >nan.txt; python3 -c "import numpy as np; np.save('one.npy', np.ones(3))"
for command in heev heevj gesvd gesvj hbev hb2st gb2bd; do input 3 one.npy $command -; said '^orrery: standard input: '; done
for command in heev heevj; do input 3 row.txt $command -; said '^orrery: standard input: '; done
for command in heev heevj gesvd gesvj hbev hb2st; do input 3 nan.txt $command -; said '^orrery: standard input: '; done
for command in powm pagerank; do input 3 one.npy $command -; said '^orrery: standard input:1: '; done

# a stream takes them all
input 0 "a.npy ab.npy a.npy" gesvj --stream -q; [[ $(grep -ac NUMPY out) -ge 3 ]] || fail "a stream of three arrays"
finish
