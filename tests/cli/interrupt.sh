#!/usr/bin/env bash
# Kills and crashes: records stay whole lines, nothing runs on, the exit code tells.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
long=(heevj --n 4:40:1 --batch 50,60,70 --repeat 3 --cpus 1 -q)

gone() { # no process PID within five seconds
    for _ in {1..50}; do [[ -d /proc/$1 ]] || return 0; sleep 0.1; done
    return 1
}
start() { # -> pid, child
    "$orrery" "${long[@]}" "$@" 2>err & pid=$!
    child=
    for _ in {1..100}; do
        child=$(cat /proc/$pid/task/$pid/children 2>/dev/null); [[ $child ]] && break; sleep 0.05
    done
    [[ $child ]] || { echo "no /proc/PID/task/TID/children here"; kill $pid; exit 77; }
    child=${child%% *}
}

# kill -9 at any moment
for delay in 0.3 0.5 0.7 0.9 1.1 1.3; do
    start --json k.jsonl; sleep $delay
    kill -9 $pid; wait $pid 2>/dev/null
    gone $child || { fail "the child $child outlived its parent"; kill -9 $child; }
    [[ -e k.jsonl ]] && expect 0 "$tool" json k.jsonl algo provenance
done
[[ -s k.jsonl ]] || echo "note: no run was complete before a kill"

# kill -TERM: as the shell expects, and the child goes too
start --json t.jsonl; sleep 0.6
kill -TERM $pid; wait $pid 2>/dev/null; code=$?
[[ $code == 143 ]] || fail "exit code $code after SIGTERM, not 143"
gone $child || fail "the child $child ignored SIGTERM"

# the child dies as StarPU does on a CUDA error
start; kill -ABRT $child; wait $pid 2>/dev/null; code=$?
[[ $code == 6 ]] || fail "exit code $code after the child's SIGABRT, not 6"
said 'ended by signal 6'
start; kill -KILL $child; wait $pid 2>/dev/null; code=$?
[[ $code == 6 ]] || fail "exit code $code after the child's SIGKILL, not 6"
said 'memory'

# a reader that closes the pipe ends the run quietly
"$orrery" "${long[@]}" --json - 2>err | head -1 >first
expect 0 "$tool" json first algo
finish
