#!/usr/bin/env bash
# Divide and conquer where the halves of a matrix fit a device and the whole does not: merges of both kinds
# in one tree, and a right result.
#   fit.sh ORRERY DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
orrery=$1 stand_ins=$2 bad=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_DEVICES=1 VGPU_MEMORY=178 STARPU_HOME=$dir
for algorithm in heev gesvd; do
    LD_PRELOAD="$stand_ins/libcudart.so" timeout 600 "$orrery" $algorithm --n 770 --jobz V --check --repeat 1 \
        --trace trace.csv >out 2>&1 || { echo "FAIL: exit $?: $algorithm"; tail -n 3 out; bad=1; }
    for worker in CPU CUDA; do
        grep -q "^${algorithm}_arrange,[^,]*,$worker" trace.csv || { echo "FAIL: $algorithm: no merge on a $worker"; bad=1; }
    done
done
exit $bad
