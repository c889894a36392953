#!/usr/bin/env bash
# The list of policies, and names that are not in it.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"

expect 0 "$orrery" sched --own; cp out own
[[ $(cut -d' ' -f1 own | tr '\n' ' ') == "affine lookahead pipeline chaos " ]] || fail "own: $(cat own)"
expect 0 "$orrery" sched; diff <(head -n $(wc -l <own) out) own || fail "own policies come first"
has out '^lws  *StarPU'
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
STARPU_SCHED=nonsense expect 2 "$orrery" hb2st --n 40; said "orrery sched"; said "STARPU_SCHED='nonsense'"
STARPU_NCPU=two expect 2 "$orrery" hb2st --n 40; said "STARPU_NCPU='two' of the environment is not an integer"
STARPU_PREFETCH=x expect 2 "$orrery" hb2st --n 40; said "STARPU_PREFETCH='x'"
STARPU_PROFILING= STARPU_PREFETCH=0 expect 0 "$orrery" hb2st --n 40 --band 3 --repeat 1 -q
STARPU_SCHED=lookahed expect 2 "$orrery" hb2st --n 40; said "did you mean 'lookahead'"
expect 2 "$orrery" sched lws; said 'takes no FILE'
finish
