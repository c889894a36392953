#!/usr/bin/env bash
# Arrays of every operation in a device's memory: the bits of main memory, wherever tasks run, and what is
# used where it is does not travel. Each buffer counts as 4 MiB: with less memory some would have to leave.
#   guests.sh GUESTS DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=$1 stand_ins=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=8192 VGPU_EXACT=1 STARPU_HOME=$dir
bad=0
for run in 'cpu 2' 'gpu 1' 'gpu 2' 'gpu 4'; do
    place=${run% *}
    export VGPU_DEVICES=${run#* }
    LD_PRELOAD="$stand_ins/libcudart.so" timeout 300 "$program" $place 2>err && continue
    echo "FAIL: exit $?: $place, $VGPU_DEVICES devices" >&2
    tail -n 20 err >&2
    bad=1
done
exit $bad
