#!/usr/bin/env bash
# simulated_cholesky.sh ORRERY PROGRAM [TILES...]: `orrery simulate` of a graph against the recorded program's own
# simulation: StarPU's cholesky_implicit, built for SimGrid, on the machines of starpu-examples. TILES: 4 6 8 10 12.
# orrery-sim is that of $ORRERY_SIM. Prints a line per case, ms until the last task ends, then how far off they are.
#
# PROGRAM is made in the directory `examples` of the sources of StarPU 1.3.10 (apt-get source starpu), with the SimGrid
# flavour of scripts/starpu:
#     P=$(scripts/starpu --print-prefix simgrid); export PKG_CONFIG_PATH=$P/lib/pkgconfig
#     gcc -O1 -w -I. -I.. -I../include -DSTARPU_OPENBLAS -DSTARPU_HAVE_CBLAS_H $(pkg-config --cflags starpu-1.3) \
#         cholesky/cholesky_{implicit,models,kernels}.c sched_ctx_utils/sched_ctx_utils.c common/blas.c -o cholesky-sim \
#         $(pkg-config --libs starpu-1.3) -lopenblas -lm -lpthread -lsimgrid -Wl,-rpath,$P/lib
# SPDX-License-Identifier: BSD-3-Clause
orrery=$1 program=$2
shift 2
order=960 # of a tile: the models know it
models=/usr/share/starpu/perfmodels/sampling
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

run() { # MACHINE CPUS GPUS POLICY COMMAND...
    local cost variables=()
    for cost in TASK_SUBMIT TASK_PUSH FETCHING_INPUT SCHED CUDA_MALLOC; do variables+=("STARPU_SIMGRID_${cost}_COST=0"); done
    env "${variables[@]}" STARPU_PERF_MODEL_DIR=$models STARPU_SILENT=1 STARPU_NOPENCL=0 \
        STARPU_HOSTNAME="$1" STARPU_NCPU="$2" STARPU_NCUDA="$3" STARPU_SCHED="$4" "${@:5}" 2>/dev/null
}
for tiles in ${@:-4 6 8 10 12}; do
    cholesky=("$program" -size $((order * tiles)) -nblocks "$tiles")
    for policy in dmda dmdas; do
        graph=$dir/$tiles-$policy.graph # its priorities depend on the policy
        run sirocco 4 1 $policy "$orrery" record -o "$graph" -- "${cholesky[@]}" >/dev/null
        while read -r machine cpus gpus; do
            theirs=$(run "$machine" "$cpus" "$gpus" $policy "${cholesky[@]}" | awk 'END { print $2 }')
            ours=$("$orrery" simulate --machine "$machine" --cpus "$cpus" --gpus "$gpus" --sched $policy "$graph" -q --json - |
                sed -E 's/.*"tasks_end":([0-9.e-]+).*/\1/')
            echo "$tiles $machine $cpus $gpus $policy $theirs $ours"
        done <<'CASES'
sirocco 20 0
sirocco 0 1
sirocco 4 1
sirocco 0 4
sirocco 20 4
mirage 12 0
mirage 0 1
mirage 4 1
mirage 0 3
mirage 9 3
CASES
    done
done | awk '{ off = 100 * (1000 * $7 / $6 - 1); off = off < 0 ? -off : off
              printf "%s x %s tiles, %s, %s CPUs, %s GPUs, %s: program %.4f ms, simulated %.4f ms, off by %.4f %%\n", $1, $1, $2, $3, $4, $5, $6, 1000 * $7, off
              cases++; worst = off > worst ? off : worst; small += off < 0.001; most += off <= 1 }
       END { printf "%d cases: %d off by less than 0.001 %%, %d by at most 1 %%; worst %.4f %%\n", cases, small, most, worst }'
