#!/usr/bin/env bash
# simulated_program.sh ORRERY PROGRAM SIM: a program under SimGrid (simulated_program.c) is recorded, and its
# graph takes the same time in `orrery simulate`, |ours - the program's| <= 1e-6 of it, where many tasks
# become ready at one instant and the order of equal events decides, on GPUs of different speed, and with a
# codelet that is not asynchronous there.
# SPDX-License-Identifier: BSD-3-Clause
orrery=$1 program=$2
export ORRERY_SIM=$3
for file in "$program" "$ORRERY_SIM"; do
    [[ -x $file ]] || { echo "$file: cmake --build --preset simgrid"; exit 77; }
done
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../simulated_node.sh"
dir=$(mktemp -d "${TMPDIR:-/tmp}/orrery-program.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# A file of StarPU's: what each kind of worker takes for the tasks of one footprint.
model() { # FOOTPRINT US_CPU US_CUDA0 US_CUDA1 ...
    local footprint=$1 d=-1 us
    shift
    printf '# version\n45\n# combinations\n%d\n' $#
    for us; do
        printf '# devices\n1\n# type, number, cores\n%d\n%d\n1\n' $((d >= 0)) $((d >= 0 ? d : 0))
        printf '# implementations\n1\n# entries\n1\n# regression\n0 0 0 0 nan nan 0 0 0\n'
        printf '# a b c\nnan nan nan\n# multiple regression\n0\n# entry\n'
        printf '%s\t1\t0\t%s\t0\t0\t0\t10\n' "$footprint" "$us"
        d=$((d + 1))
    done
}
run() { # POLICY CPUS GPUS COMMAND...
    local policy=$1 cpus=$2 gpus=$3 cost
    shift 3
    for cost in TASK_SUBMIT TASK_PUSH FETCHING_INPUT SCHED CUDA_MALLOC; do
        export STARPU_SIMGRID_${cost}_COST=0
    done
    STARPU_PERF_MODEL_DIR=$dir/node STARPU_HOSTNAME=node STARPU_SILENT=1 STARPU_SCHED=$policy \
        STARPU_NCPU=$cpus STARPU_NCUDA=$gpus timeout 120 "$@" 2>error
}

describe 8 2 node
while read -r symbol footprint; do
    case $symbol in
    factor) model "$footprint" 18849.69 7700 8400 ;;
    solve) model "$footprint" 27511.83 2000 2070 ;;
    update) model "$footprint" 45218.07 740 760 ;;
    esac >"node/codelets/45/$symbol.node"
done < <(run eager 1 0 "$program")
[[ -s node/codelets/45/update.node ]] || fail "no footprints: $(cat error)"
all="eager dmda dmdas"
for case in "8 8 0 $all" "8 0 2 $all" "8 8 2 $all" "20 8 0 dmda" "20 8 2 dmda"; do
    read -r tiles cpus gpus policies <<<"$case"
    for policy in $policies; do
        rm -f run.graph
        theirs=$(run $policy $cpus $gpus "$program" $tiles) || fail "$policy, $case: $(cat error)"
        run $policy $cpus $gpus "$orrery" record -o run.graph -- "$program" $tiles >/dev/null ||
            fail "$policy, $case, recorded: $(cat error)"
        [[ $(grep -c '^task factor .* sync=cuda ' run.graph) == "$tiles" &&
            $(grep -c ' sync=' run.graph) == "$tiles" ]] || fail "$policy, $case: not only factor is synchronous"
        "$orrery" simulate --machine node/bus/node.config --cpus $cpus --gpus $gpus --sched $policy \
            run.graph --json - -q >ours || fail "$policy, $case: exit code $?"
        awk -v theirs="$theirs" -v what="$tiles tiles, $cpus CPUs, $gpus GPUs, $policy" '
            match($0, /"tasks_end":[0-9.e-]+/) { ours = 1e6 * substr($0, RSTART + 12, RLENGTH - 12) }
            END { off = (ours - theirs) / theirs
                  printf "%s: %s us, simulated from its graph %.3f us: off by %.8f\n", what, theirs, ours, off
                  exit !(theirs > 0 && off <= 1e-6 && off >= -1e-6) }' ours || fail "$policy, $case"
    done
done
[[ $failures == 0 ]] && echo passed
exit $((failures > 0))
