#!/usr/bin/env bash
# SLURM_CPUS_PER_TASK is how many CPU workers there are at most; --cpus and STARPU_NCPU win over it.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
unset STARPU_NCPU STARPU_NCPUS SLURM_CPUS_PER_TASK
workers() { # NUMBER [VARIABLE=VALUE...] [OPTION]: so many CPU workers
    local want=$1 got; shift
    expect 0 env "$@" "$orrery" heevj --n 3 --batch 2 --json - "${options[@]}"
    got=$(grep -o '"workers":{"cpu":[0-9]*' out | grep -o '[0-9]*$')
    [[ $got == "$want" ]] || fail "$* ${options[*]}: $got workers, not $want"
}
options=()
expect 0 "$orrery" heevj --n 3 --batch 2 --json -
all=$(grep -o '"workers":{"cpu":[0-9]*' out | grep -o '[0-9]*$')
[[ $all -ge 2 ]] || { echo "one CPU worker here"; exit 77; }
workers 1 SLURM_CPUS_PER_TASK=1
for none in 0 -1 x 1x '' 1000 99999999999999999999; do workers "$all" SLURM_CPUS_PER_TASK="$none"; done
workers 2 SLURM_CPUS_PER_TASK=1 STARPU_NCPU=2
options=(--cpus 2); workers 2 SLURM_CPUS_PER_TASK=1
expect 0 env SLURM_CPUS_PER_TASK=1 "$orrery" heev --n 300 --check --repeat 1
finish
