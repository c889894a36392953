#!/usr/bin/env bash
# A device with room for a part of the data only: buffers leave it and come back, and the results are
# the same bits as with room for all. That buffers left is seen on the links.
#   eviction.sh short|long ANSWERS DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
how=$1 answers=$2 stand_ins=$3 bad=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_DEVICES=1 VGPU_ORDER=random STARPU_HOME=$dir

# run MEMORY POLICY CASE: MiB that StarPU may use; each buffer counts as more than four
run() {
    rm -f record
    env VGPU_EXACT=1 LD_PRELOAD="$stand_ins/libcudart.so" VGPU_MEMORY=4096 STARPU_LIMIT_CUDA_MEM="$1" \
        VGPU_RECORD=record timeout 1500 "$answers" "$2" d "$3" 2>err || { echo "FAIL: exit $?: $3 in $1 MiB" >&2; tail -n 5 err >&2; exit 1; }
}
moved() { awk -F '\t' '$1 == "link" { sum += $4 } END { printf "%d", sum }' record; }

run 4096 eager hb2st >want # StarPU measures the links, once
while read -r when policy case memory; do
    [ "$when" = "$how" ] || continue
    run 4096 "$policy" "$case" >want; much=$(moved)
    run "$memory" "$policy" "$case" >got; little=$(moved)
    cmp -s want got || { echo "FAIL: $case in $memory MiB: other bits"; diff want got; bad=1; }
    echo "$case: $much bytes moved, $little in $memory MiB"
    ((little > much)) || { echo "FAIL: $case: nothing left the device"; bad=1; }
done <<CASES
short eager gesvd:60 300
short eager heevj_block:40 280
short eager heev_tiles 562
short eager hb2st_blocks:150 180
short eager gb2bd_vectors:100 330
short devices powm_blocks:4 400
long eager heev_steps 330
long eager gesvj_shapes:48 274
CASES
exit $bad
