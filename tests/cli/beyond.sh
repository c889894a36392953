#!/usr/bin/env bash
# Nothing reads or writes beyond an array, LAPACK included, which is handed arrays: the command
# runs with a malloc whose blocks end where pages without rights begin.
#   beyond.sh ORRERY GUARDED_READS DIRECTORY-OF-LIBCLI_GUARDED
# SPDX-License-Identifier: BSD-3-Clause
set -u
orrery=$1 reads=$2 directory=$3
# by name: LD_PRELOAD ends a path at a blank, LD_LIBRARY_PATH does not
guard=(env "LD_LIBRARY_PATH=$directory${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD=libcli_guarded.so)
bad=0 runs=0

right() {
    runs=$((runs + 1))
    local rc=0
    "${guard[@]}" timeout 300 "$orrery" "$@" --quiet --repeat 1 >/dev/null || rc=$?
    [ $rc = 0 ] || { printf 'FAIL (exit %d): orrery %s\n' $rc "$*"; bad=$((bad + 1)); }
}

for what in behind freed; do
    rc=0
    ("${guard[@]}" "$reads" $what || exit $?) >/dev/null 2>&1 || rc=$?
    [ $rc -gt 128 ] || { echo "FAIL: a read $what a block was not found"; bad=$((bad + 1)); }
done
for type in s d c z; do
    right heevj --n 33,64,131 --batch 3 --type $type --method lapack --check
    right heevj --n 9,33,131 --batch 20 --type $type --check
    right heev --n 131 --type $type --method lapack --jobz V --check
    right heev --n 67 --type $type --method lapack
    right heev --n 203 --type $type --method two-stage --jobz V --check
    right heev --n 131 --type $type --method lapack --range 3:17 --jobz V
    right hegv --n 131 --type $type --jobz V --check
    right gesvd --n 131 --type $type --method lapack --jobz V --check
    right gesvd --m 203 --n 131 --type $type --method two-stage --jobz V --check
    right gesvj --m 133 --n 131 --count 2 --type $type --check
    right gesvj --n 9,33 --count 20 --type $type --check
    right hbev --n 131,203 --band 9 --type $type --jobz V --check
    right hb2st --n 203 --band 16 --type $type --jobz V --check
    right gb2bd --n 203 --band 16 --type $type --jobz V --check
done
printf '%d runs, %d wrong\n' $runs $bad
[ $bad = 0 ]
