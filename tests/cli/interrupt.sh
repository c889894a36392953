#!/usr/bin/env bash
# Kills and crashes: records stay whole lines, nothing runs on, the exit code tells.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
# Ten thousand and more records, a few milliseconds each: no machine ends it before it is killed.
long=(heevj --n 4:40:1 --batch 50:500:1 --repeat 3 --cpus 1 --cudas 0 -q)

start() { # FILE: its records; -> pid
    rm -f "$1"
    "$orrery" "${long[@]}" --json "$1" 2>err & pid=$!
}
running() { # FILE: waits for its first record -> child, which computes
    for _ in {1..2400}; do [[ -s $1 ]] && break; sleep 0.05; done
    child=$(children)
    [[ $child =~ ^[0-9]+\ *$ ]] || { fail "children: '$child', not one"; kill $pid; finish; }
    child=${child% }
}
ended() { # CODE WHAT
    wait $pid 2>/dev/null; local code=$?
    [[ $code == "$1" ]] || fail "exit code $code after $2, not $1"
}

start p.jsonl
[[ -e /proc/$pid/task/$pid/children ]] || { echo "no /proc/PID/task/TID/children here"; kill $pid; exit 77; }

# kill -9 at any moment, start-up included
kill -9 $pid; wait $pid 2>/dev/null
for delay in 0.01 0.03 0.1 0.3 0.5 0.7 0.9; do
    start k.jsonl; sleep $delay
    family=$(children)
    kill -9 $pid; ended 137 SIGKILL
    gone $family
    [[ -s k.jsonl ]] && expect 0 "$tool" json k.jsonl algo provenance
done
[[ -s k.jsonl ]] || echo "note: no run was complete before a kill"

# kill -TERM: as the shell expects, and the child goes too
start t.jsonl; running t.jsonl
kill -TERM $pid; ended 143 SIGTERM
gone $child

# the child dies as StarPU does on a CUDA error (LLVM, below some OpenCL drivers, catches the first
# SIGABRT and returns, which abort() survives and a signal from outside does not: hence two)
start a.jsonl; running a.jsonl
kill -ABRT $child; sleep 0.2; kill -ABRT $child 2>/dev/null; ended 6 "the child's SIGABRT"
said 'ended by signal 6.*stands above'; grep -q CUDA err && fail "no CUDA device was in use: $(<err)"
start a.jsonl; running a.jsonl
kill -KILL $child; ended 6 "the child's SIGKILL"
said 'memory'

# a reader that closes the pipe ends the run quietly
"$orrery" "${long[@]}" --json - 2>err | head -1 >first
expect 0 "$tool" json first algo
# programs that work for simulate and replay end with the command, and nothing is left of them
printf '#!/bin/sh\necho $$ >"%s/working"\nexec sleep 60\n' "$dir" >work.sh; chmod +x work.sh
export ORRERY_SIM=$dir/work.sh ORRERY_REAL=$dir/work.sh
expect 0 "$orrery" graph make chain -q -o chain.graph
for command in 'simulate --machine ci-2core' 'replay --on real'; do
    for signal in INT:130 TERM:143 HUP:129 QUIT:131 KILL:137; do
        rm -rf working temporary; mkdir temporary
        # a shell has its background ignore SIGINT and SIGQUIT
        TMPDIR=$dir/temporary env --default-signal=INT,QUIT "$orrery" $command chain.graph >out 2>err & pid=$!
        for _ in {1..600}; do [[ -s working ]] && break; sleep 0.1; done
        kill -${signal%:*} $pid; ended ${signal#*:} "$command: SIG${signal%:*}"
        gone $(<working)
        [[ $signal == KILL:* || -z $(ls temporary) ]] || fail "$command: SIG${signal%:*} leaves $(ls temporary)"
    done
done
# without memory for one of their variables they do not start
rm -f working
faulty FAULT_SETENV=STARPU_HOSTNAME 5 "$orrery" simulate --machine ci-2core chain.graph; [[ ! -e working ]] || fail "it ran without STARPU_HOSTNAME"
unset ORRERY_SIM ORRERY_REAL
# whom a start waits for: told where progress is shown
hold() { # SECONDS: the lock of starts; held: by which process
    rm -f held
    python3 -c 'import fcntl, os, sys, time
lock = open("/tmp/orrery-start-%d.lock" % os.geteuid(), "a")
fcntl.lockf(lock, fcntl.LOCK_EX)
open("held", "w").write("%d\n" % os.getpid())
time.sleep(float(sys.argv[1]))' "$1" &
    for _ in {1..600}; do [[ -s held ]] && break; sleep 0.1; done
}
one=(hb2st --n 40 --band 3 --repeat 1)
hold 4; expect 0 "$orrery" "${one[@]}" -v; said "^orrery: waiting for process $(<held), which has locked /tmp/orrery-start-$EUID.lock$"
wait
hold 3; expect 0 "$orrery" "${one[@]}" -q; empty err; wait
finish
