#!/usr/bin/env bash
# Arrays of a megabyte and more are page-locked for the time of an operation, whatever is copied of
# them: no copy of theirs keeps a device's thread, and nothing stays locked. Without pinning some do.
#   pinned.sh PINNED DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
pinned=$1 stand_ins=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=2048 STARPU_HOME=$dir
free_of=65536 # bytes: CUDA takes shorter ones at once
bad=0

run() { # CASE [NAME=VALUE...]
    local case=$1
    shift
    rm -f record
    env "$@" LD_PRELOAD="$stand_ins/libcudart.so $stand_ins/libvgpu_freed.so" VGPU_RECORD=record \
        timeout 300 "$pinned" "$case" 2>err && return
    echo "FAIL: exit $?: $case $*" >&2
    tail -n 5 err >&2
    bad=1
}
kept() { awk -F '\t' -v n=$free_of '$1 == "pageable" && $6 > n { k += $5 } END { print k + 0 }' record; }

for case in heevj heevj_block heevj_lanes gesvj gesvj_blocks heev hegv gesvd hb2st gb2bd powm pagerank windows; do
    run $case >got
    after=$(kept)
    # the second half of the windows can only be read
    [ $case = windows ] || [ "$after" = 0 ] || { echo "FAIL: $case: $after pageable copies"; cat record; bad=1; }
    grep -q '^launch' record || { echo "FAIL: $case: nothing ran on a device"; bad=1; }
    echo "$case: $after pageable copies of more than $free_of bytes"
    case $case in heevj | gesvd | powm | windows) ;; *) continue ;; esac
    run $case STARPU_DISABLE_PINNING=1 >want
    before=$(kept)
    cmp -s want got || { echo "FAIL: $case: other bits"; diff want got; bad=1; }
    [ "$before" -gt "$after" ] || { echo "FAIL: $case: no difference, $before and $after"; bad=1; }
    echo "$case: $before without pinning"
done
# One device has all of a matrix, which is unlocked before the end. What was not locked yet when an operation is
# cancelled is copied all the same.
for case in heev gesvd cancelled; do
    run $case VGPU_DEVICES=1 >got
    after=$(kept)
    [ $case = cancelled ] || [ "$after" = 0 ] || { echo "FAIL: $case on one device: $after pageable copies"; cat record; bad=1; }
    echo "$case on one device: $after pageable copies of more than $free_of bytes"
done
exit $bad
