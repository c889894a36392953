#!/usr/bin/env bash
# orrery record: names of its outputs, and a limit of files, which its program meets as usual.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
(ulimit -f 1; expect 153 "$orrery" record -- sh -c 'head -c 2000 /dev/zero >much'; exit $failures) || fail "SIGXFSZ of the program"
# a link to nowhere is followed, what is there is kept, and names may be as long as files' names are
program=("$orrery" hb2st --n 300 --band 8 --repeat 1 --cpus 1 -q)
mkdir far; ln -s far/run.graph link.graph; long=$(printf '%0255d' 0)
expect 0 "$orrery" record -o link.graph -- "${program[@]}"; [[ -L link.graph && -s far/run.graph ]] || fail "a link to nowhere"
expect 0 "$orrery" record -o link.graph -- "${program[@]}"; [[ -L link.graph && -s far/run.graph ]] || fail "a link"
for name in "$long" "$dir/$long" "$long"; do
    expect 0 "$orrery" record -o "$name" -- "${program[@]}"; expect 0 "$orrery" graph info "$name"
    cp "$long" kept; expect 1 "$orrery" record -o "$name" -- false; cmp "$long" kept || fail "the graph before is not as it was"
done
rm -f "$long"; ls | grep -e orr-old -e part && fail "files are left"
expect 2 "$orrery" record -o - -- "${program[@]}"; said 'standard output'
# names of other formats, before the program runs
for name in x.html x.svg x.JSON x.jsonl x.csv x.paje x.dot x.npy x.npz x.mtx x.graph.gz "$dir/.svg"; do
    expect 2 "$orrery" record -o "$name" -- touch ran; said "should end in .graph"
    [[ ! -e ran && ! -e $name ]] || fail "$name: the program ran"
done
expect 0 "$orrery" record -o run.v1 -- "${program[@]}"
finish
