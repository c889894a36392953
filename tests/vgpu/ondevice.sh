#!/usr/bin/env bash
# Batches in a device's memory: the same bits as from main memory, and of the matrices only what the
# program itself copies crosses a link. What CPUs must do copies them.
#   ondevice.sh ONDEVICE DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=$1 stand_ins=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512 VGPU_EXACT=1 STARPU_HOME=$dir
bad=0

run() { # DEVICES WHERE N BATCH METHOD CPUS
    local devices=$1
    shift
    rm -f record
    VGPU_DEVICES=$devices LD_PRELOAD="$stand_ins/libcudart.so" VGPU_RECORD=record timeout 300 "$program" "$@" 2>err && return
    echo "FAIL: exit $?: $*" >&2
    tail -n 5 err >&2
    bad=1
}
# bytes of links: `$1` of host-to-device or the other way or between devices
carried() { awk -F '\t' -v way="$1" '$1 == "link" && $2 != $3 { w = $2 == "host" ? "up" : $3 == "host" ? "down" : "across"; if (w == way) b += $4 } END { print b + 0 }' record; }

run 2 main 5 2 auto -1 >/dev/null # StarPU measures the links, once
while read -r n batch method cpus way; do
    run 2 main "$n" "$batch" "$method" "$([ "$way" = stays ] && echo -1 || echo "$cpus")" >want
    run 2 device "$n" "$batch" "$method" "$cpus" >got
    arrays=$((batch * n * (n + 1) * 8)) small=$((batch * 100 + 4096))
    up=$(carried up) down=$(carried down) across=$(carried across)
    echo "$n x $batch $method: $arrays bytes of arrays, $up there, $down home, $across between devices"
    if [ "$way" = stays ]; then
        cmp -s want got || { echo "FAIL: other bits"; diff want got; bad=1; }
        [ $((up)) -le $((arrays + small)) ] && [ $((down)) -le $((arrays + small)) ] && [ "$across" = 0 ] ||
            { echo "FAIL: more than the program copied"; bad=1; }
    else
        [ $((down)) -ge $((2 * arrays - batch * n * 8)) ] || { echo "FAIL: CPUs had no copy"; bad=1; }
    fi
done <<CASES
9 40 auto -1 stays
9 40 auto 1 stays
70 3 auto 1 stays
150 3 lanes 1 stays
37 3 block 1 stays
9 40 lapack 1 goes
CASES
exit $bad
