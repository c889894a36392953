#!/usr/bin/env bash
# A device alone reduces a band in one launch of the chase (of a stage): what the plan says is what
# runs. The command runs once before it is timed, so launches are counted over two runs.
#   launches.sh ORRERY DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
orrery=$1 stand_ins=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512 VGPU_EXACT=1 LD_PRELOAD=libcudart.so
bad=0

# counts TASKS COMMAND...
counts() {
    local tasks=$1 launches planned
    shift
    rm -f record
    VGPU_RECORD=record timeout 300 "$orrery" "$@" --place gpu --cpus 1 --check --repeat 1 -q >out 2>&1 ||
        { echo "FAIL: orrery $*"; tail -n 5 out; bad=1; return; }
    launches=$(awk -F '\t' -v k="$1_chase_kernel" '$1 == "launch" && index($6, k) { n += $7 } END { print n + 0 }' record)
    planned=$("$orrery" "$@" --place gpu --cpus 1 --explain 2>/dev/null | awk -v k="$1_chase" '$1 == k { print $2 }')
    [ "$launches" = $((2 * tasks)) ] && [ "$planned" = "$tasks" ] ||
        { echo "FAIL: orrery $*: $launches launches in two runs, planned '$planned', not $tasks"; bad=1; }
    echo "$*: $launches launches in two runs, planned $planned"
}

counts 1 hb2st --n 97 --band 5
counts 1 gb2bd --n 97 --band 5
counts 2 gb2bd --n 97 --band 9 --tw 4
exit $bad
