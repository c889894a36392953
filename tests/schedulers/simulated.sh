#!/usr/bin/env bash
# simulated.sh POLICIES_SIM: every policy on simulated nodes (simulated.c). All runs end, runs
# repeat to the digit, and with 8 GPUs the policies made for them beat dmdas.
# SPDX-License-Identifier: BSD-3-Clause
sim=$1
[[ -x $sim ]] || { echo "$sim: cmake --build --preset simgrid --target policies_sim"; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/orrery-sim.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

. "$(dirname "$0")/../simulated_node.sh"
makespan() { # POLICY GPUS
    STARPU_PERF_MODEL_DIR=$dir/$2 STARPU_HOSTNAME=node STARPU_NCPU=4 STARPU_NCUDA=$2 STARPU_SILENT=1 \
        timeout 300 "$sim" "$1" --log=root.thres:critical 2>"$dir/error"
}

own="affine lookahead pipeline chaos"
declare -A us
for gpus in 0 1 8; do
    describe 4 $gpus "$dir/$gpus"
    for policy in $own dmdas; do
        us[$policy]=$(makespan $policy $gpus) ||
            { fail "$policy, $gpus GPUs: exit code $?"; tail -5 "$dir/error"; }
        echo "$gpus GPUs, $policy: ${us[$policy]} us"
    done
    for policy in $own; do
        again=$(makespan $policy $gpus)
        [[ $again == "${us[$policy]}" ]] || fail "$policy, $gpus GPUs, again: $again us"
    done
done
for policy in affine lookahead pipeline; do
    ((us[$policy] < us[dmdas])) || fail "$policy is slower than dmdas with 8 GPUs"
done
[[ $failures == 0 ]] && echo passed
exit $((failures > 0))
