#!/usr/bin/env bash
# The list of policies, and names that are not in it.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"

expect 0 "$orrery" sched --own; cp out own
[[ $(cut -d' ' -f1 own | tr '\n' ' ') == "affine lookahead pipeline chaos " ]] || fail "own: $(cat own)"
expect 0 "$orrery" sched; diff <(head -n $(wc -l <own) out) own || fail "own policies come first"
has out '^lws  *StarPU'
[[ $(awk '{ print match($0, / (Orrery|StarPU) /) }' out | sort -u | wc -l) == 1 ]] || fail "columns: $(cat out)"
has out '^heteroprio .*not usable'
widest=$(wc -L <own); ((widest <= 100)) || fail "$widest columns"
expect 0 "$orrery" sched --json; cp out list; expect 0 "$tool" json list name from about refused
has list '"name":"affine","from":"orrery"'

# every policy that is listed as usable is accepted
for policy in $(grep -v 'not usable' <("$orrery" sched) | cut -d' ' -f1); do
    expect 0 timeout 300 "$orrery" hb2st --n 40 --band 3 --repeat 1 --sched "$policy" --json r.jsonl -q
done
[[ $(wc -l <r.jsonl) == $(grep -c '"refused":null' list) ]] || fail "$(wc -l <r.jsonl) runs"
has r.jsonl '"sched":"affine"'
STARPU_SCHED=affine expect 0 "$orrery" hb2st --n 40 --band 3 --repeat 1 --json - -q; has out '"sched":"affine"'

expect 2 "$orrery" hb2st --n 40 --sched lokahead; said "did you mean 'lookahead'"; said "orrery sched"
expect 2 "$orrery" hb2st --n 40 --sched heteroprio; said "not usable here: stops the process"
grep -q 'no scheduling policy has this name' err && fail "heteroprio exists"
STARPU_SCHED=nonsense expect 2 "$orrery" hb2st --n 40; said "orrery sched"; said "STARPU_SCHED='nonsense'"
STARPU_NCPU=two expect 2 "$orrery" hb2st --n 40; said "STARPU_NCPU='two' of the environment is not an integer"
STARPU_PREFETCH=x expect 2 "$orrery" hb2st --n 40; said "STARPU_PREFETCH='x'"
for wrong in PREFETCH=-1 TASK_PROGRESS=x LIMIT_CUDA_0_MEM=x NCPU=2147483648 NTHREADS_PER_CORE=0 NWORKER_PER_CUDA=0 \
    MAIN_THREAD_CPUID=99999 MAIN_THREAD_COREID=99999 NTHREADS_PER_CORE=99 SCHED_ALPHA=x IDLE_POWER=1e WORKERS_CPUID=x \
    WORKERS_COREID= WORKERS_CUDAID=,0 WORKERS_OPENCLID=x WORKERS_CPUID=0,-1 WORKERS_CUDAID=-1 WORKERS_CUDAID=0,1-2,2 WORKERS_CUDAID=2-1 \
    WORKERS_CUDAID=0-99999999999 HOSTNAME=a/b; do
    expect 2 env STARPU_$wrong "$orrery" hb2st --n 40; said "STARPU_${wrong/=/=.}. of the environment"
done
for right in WORKERS_CPUID=0-,x WORKERS_COREID=' 0 0-1' MAIN_THREAD_CPUID=0 MAIN_THREAD_COREID=0 NTHREADS_PER_CORE=1 \
    WORKERS_CUDAID=' 3 , 0-1 ' WINDOW_TIME_SIZE=1e3 LIMIT_CUDA_0_MEM=99 "HOSTNAME=$(printf %0300d 1)"; do
    expect 0 env "STARPU_$right" "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
done
# the first number that is of nothing here, and what a list is refused for; nproc obeys OMP_NUM_THREADS
here=$(env -u OMP_NUM_THREADS nproc) all=$(env -u OMP_NUM_THREADS nproc --all)
for right in MAIN_THREAD_CPUID=$((here - 1)) "WORKERS_CUDAID=0, "; do
    expect 0 env "STARPU_$right" "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
done
while IFS='|' read -r wrong why; do
    expect 2 env "STARPU_$wrong" "$orrery" hb2st --n 40; said "STARPU_${wrong/=/=.}. of the environment $why"
done <<ALL
MAIN_THREAD_CPUID=$here|is of no processor here
WORKERS_CUDAID=-1|has a negative number
WORKERS_CUDAID=1-0|is not a list of devices
WORKERS_CUDAID=0-99999999999|is not a list of devices
WORKERS_CUDAID=0-99999|names too many devices
WORKERS_CUDAID=1,0-1|names a device twice
ALL
STARPU_CUDA_THREAD_PER_WORKER=1 STARPU_CUDA_THREAD_PER_DEV=1 expect 2 "$orrery" hb2st --n 40
said 'does not go with STARPU_CUDA_THREAD_PER_WORKER=1'
STARPU_CUDA_THREAD_PER_WORKER=0 STARPU_CUDA_THREAD_PER_DEV=1 expect 0 "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
# a process that is bound to one processor has no second one, unless StarPU is told to look at all
if command -v taskset >/dev/null && ((here > 1)); then
    one=$(taskset -pc $$); one=${one##*[:,-]} one=${one// }
    STARPU_MAIN_THREAD_CPUID=1 expect 2 taskset -c "$one" "$orrery" hb2st --n 40; said 'is of no processor here'
    STARPU_WORKERS_GETBIND=0 STARPU_MAIN_THREAD_CPUID=1 expect 0 taskset -c "$one" "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
fi
if command -v lscpu >/dev/null && [[ $here == $all ]]; then # all cores that there are
    cores=$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l) threads=$((here / cores))
    STARPU_MAIN_THREAD_COREID=$cores expect 2 "$orrery" hb2st --n 40; said 'is of no core here'
    STARPU_MAIN_THREAD_COREID=$((cores - 1)) expect 0 "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
    STARPU_NTHREADS_PER_CORE=$((threads + 1)) expect 2 "$orrery" hb2st --n 40; said 'is more than a core has'
    STARPU_NTHREADS_PER_CORE=$threads expect 0 "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
fi
STARPU_PROFILING= STARPU_PREFETCH=0 expect 0 "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
STARPU_SCHED=lookahed expect 2 "$orrery" hb2st --n 40; said "did you mean 'lookahead'"
expect 2 "$orrery" sched lws; said 'takes no FILE'
finish
