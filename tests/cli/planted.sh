#!/usr/bin/env bash
# A BLAS, or a library, that computes something wrong: --check finds it, exits 1 and tells only the figures that were computed.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
cp "$PLANTED" planted.so; cp "$PLANTED_RESULTS" results.so # LD_PRELOAD knows no spaces
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0

for line in 'heev --n 200 --method lapack' 'heev --n 200 --method two-stage' 'hegv --n 200' 'gesvd --n 200 --method lapack' \
            'gesvd --n 200 --method two-stage' 'hbev --n 200 --band 8' 'gesvj --n 100 --count 2 --at-once' \
            'heevj --n 100 --batch 2 --method lapack'; do
    expect 0 "$orrery" $line --jobz V --check --repeat 1 --cpus 2 -q; empty err
    expect 0 "$orrery" $line --jobz V --repeat 1 --cpus 2 -q
    LD_PRELOAD=$dir/planted.so expect 1 "$orrery" $line --jobz V --check --repeat 1 --cpus 2 -q
    said '^orrery: check failed.*residual.*orthogonality'
    ! grep -q nan err || fail "$line: $(<err)"
done
for line in 'heev --n 200 --method two-stage' 'gesvd --n 200 --method two-stage'; do
    LD_PRELOAD=$dir/planted.so expect 1 "$orrery" $line --check --repeat 1 --cpus 2 -q
    said '^orrery: check failed: values [0-9]'; ! grep -q 'residual' err || fail "$line: $(<err)"
done

# One wrong number of what the library returns. heevj and gesvj check their vectors themselves, and --check of the command
# compares their values.
reports() { # PLANT FIGURE WORDS...
    expect 0 "$orrery" "${@:3}" --check --cpus 2 -q; empty err
    LD_PRELOAD=$dir/results.so PLANT=$1 expect 1 "$orrery" "${@:3}" --check --cpus 2 -q
    said "^orrery: .*check failed.*$2"
}
for line in 'heev --n 60' 'hegv --n 60' 'hbev --n 60 --band 8' 'hb2st --n 60 --band 8' 'gb2bd --n 60 --band 8' 'gesvd --n 60' \
            'heevj --n 60 --batch 3' 'gesvj --n 60 --count 3 --at-once'; do
    reports value values $line --repeat 1
    [[ $line == *vj* ]] || reports vector 'residual.*orthogonality' $line --jobz V --repeat 1
done
finish
