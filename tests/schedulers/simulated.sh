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

# 4 CPUs and some GPUs; 25 GB/s to each GPU, 50 between two.
speed() { if (($1 == $2)); then echo 0; elif (($1 * $2)); then echo 50000; else echo 25000; fi; }
name() { (($1)) && echo "CUDA$(($1 - 1))" || echo RAM; }
pairs() { # GPUS: i and j, all different ones
    local i j
    for ((i = 0; i <= $1; i++)); do
        for ((j = 0; j <= $1; j++)); do ((i == j)) || echo "$i $j"; done
    done
}
platform() { # GPUS
    local i j set
    echo '<?xml version="1.0"?>'
    echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    echo '<platform version="4"><config id="General">'
    for set in TCP-gamma=-1 latency-factor=1 bandwidth-factor=1 crosstraffic=0 weight-S=0; do
        echo "<prop id=\"network/${set%=*}\" value=\"${set#*=}\"/>"
    done
    echo '</config><AS id="AS0" routing="Full">'
    for i in MAIN RAM CPU0 CPU1 CPU2 CPU3; do echo "<host id=\"$i\" speed=\"1f\"/>"; done
    for ((i = 1; i <= $1; i++)); do
        echo "<host id=\"$(name $i)\" speed=\"1f\"><prop id=\"memsize\" value=\"80000000000\"/>"
        echo '<prop id="memcpy_peer" value="1"/></host>'
    done
    pairs "$1" | while read -r i j; do
        echo "<link id=\"$i-$j\" bandwidth=\"$(speed $i $j)MBps\" latency=\"10us\"/>"
    done
    pairs "$1" | while read -r i j; do
        echo "<route src=\"$(name $i)\" dst=\"$(name $j)\" symmetrical=\"NO\">"
        echo "<link_ctn id=\"$i-$j\"/></route>"
    done
    echo '</AS></platform>'
}
describe() { # GPUS DIRECTORY
    local i j
    mkdir -p "$2/bus" "$2/codelets/45" "$2/debug"
    for ((i = 0; i <= $1; i++)); do
        for ((j = 0; j <= $1; j++)); do
            printf '%d\t' "$(speed $i $j)" >&3
            printf '%d\t' $((i == j ? 0 : 10)) >&4
        done
        echo >&3 && echo >&4
    done 3>"$2/bus/node.bandwidth" 4>"$2/bus/node.latency"
    platform "$1" >"$2/bus/node.platform.v4.xml"
}
makespan() { # POLICY GPUS
    STARPU_PERF_MODEL_DIR=$dir/$2 STARPU_HOSTNAME=node STARPU_NCPU=4 STARPU_NCUDA=$2 STARPU_SILENT=1 \
        timeout 300 "$sim" "$1" --log=root.thres:critical 2>"$dir/error"
}

own="affine lookahead pipeline chaos"
declare -A us
for gpus in 0 1 8; do
    describe $gpus "$dir/$gpus"
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
