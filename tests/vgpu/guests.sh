#!/usr/bin/env bash
# Arrays of every operation in a device's memory: the bits of main memory, wherever tasks run, and what is
# used where it is does not travel. Each buffer counts as 4 MiB: with less memory some would have to leave; with
# 160 MiB no task has room, and CPUs do all of it, from where the arrays are.
#   guests.sh GUESTS DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=$1 stand_ins=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_EXACT=1 STARPU_HOME=$dir
bad=0
while read -r place devices memory; do
    export VGPU_DEVICES=$devices VGPU_MEMORY=$memory
    LD_PRELOAD="$stand_ins/libcudart.so" timeout 300 "$program" "$place" </dev/null 2>err && continue
    echo "FAIL: exit $?: $place, $devices devices of $memory MiB" >&2
    tail -n 20 err >&2
    bad=1
done <<RUNS
cpu 2 8192
gpu 1 8192
gpu 2 8192
gpu 4 8192
auto 2 160
RUNS
exit $bad
