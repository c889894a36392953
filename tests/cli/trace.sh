#!/usr/bin/env bash
# --trace in every format, bounds in records, the table of -v, and the overlap of gesvj.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
python=$3 judge=${BASH_SOURCE%/*}/trace.py
band="hb2st --n 257 --band 16 --cpus 2 --seed 3 --repeat 1 -q"

# A FILE, so that the trace is of one run.
"$python" - <<'PY'
import array, random
shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (17, 257), }"
entries = array.array("d", (random.Random(1).random() for _ in range(17 * 257)))
with open("band.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00\x76\x00" + shape.ljust(117).encode() + b"\n" + entries.tobytes())
PY
for suffix in html paje csv svg json; do
    expect 0 "$orrery" hb2st band.npy --columns 48 --cpus 2 -q --trace t.$suffix --json r.jsonl
    [[ -s t.$suffix ]] || fail "no t.$suffix"
done
expect 0 "$python" "$judge" r.jsonl "$PWD/t.html" t.paje t.csv; cat out
has t.json '"wait":'; has t.svg '<svg'

# Pictures: a warm-up and two runs, of which the last is shown; a name with characters that mean something in XML and
# a line that is wider than the picture.
pictures=${BASH_SOURCE%/*}/picture.py long=$(printf 'x%.0s' {1..200})
while IFS='|' read -r work word; do
    expect 0 "$orrery" $work --cpus 2 --repeat 2 -q --json p.jsonl --trace "a <b> & \"c\" $long.svg"
    expect 0 "$python" "$pictures" *"$long.svg" p.jsonl "orrery ${work%% *}" "a <b> & \"c\"" "2 CPU workers; policy" "$word"; cat out
done <<'ALL'
hb2st --n 300 --band 16 --columns 64 --sweeps 2|row of the matrix; colour: group of sweeps
gb2bd --n 200 --band 20|row of the matrix; colour: group of sweeps
gesvj --n 90 --count 3 --block 16|matrix; colour: codelet
heev --n 150 --band 16|data, by first use
heevj --n 20 --batch 64|ready tasks
ALL
rm -f *"$long.svg"
# The same picture of the graph of a run.
for work in "hb2st --n 300 --band 16 --columns 64 --sweeps 2" "gesvj --n 90 --count 3 --block 16" "heev --n 150 --band 16"; do
    expect 0 "$orrery" $work --cpus 2 --repeat 2 -q --json g.jsonl --trace run.graph
    expect 0 "$orrery" graph draw run.graph -o run.svg
    expect 0 "$python" "$pictures" run.svg g.jsonl run.graph "2 CPU workers" "from the first submission" "data, by first use"; cat out
done

# bounds of every family; of a benchmark the last run counts
for work in "heevj --n 24 --batch 300" "gesvj --n 70 --count 3" "hb2st --n 200 --band 9" \
            "gb2bd --n 200 --band 9"; do
    expect 0 "$orrery" $work --cpus 2 --repeat 2 --json b.jsonl -q
done
[[ $(grep -c '"bound":{"area":[0-9.e-]*,"critical_path":[0-9.e-]*,"lp":[0-9.e-]*,"makespan":[0-9]' b.jsonl) == 4 ]] ||
    fail "bounds of four families: $(grep -o '"bound":[^}]*}' b.jsonl)"
has b.jsonl '"overlap_percent":[0-9]'
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 1\n' >a.mtx
expect 0 "$orrery" powm a.mtx --json p.jsonl -q; has p.jsonl '"bound":{"area":[0-9]'

# people read it with -v; without reason to, nothing is recorded
expect 0 "$orrery" $band -v
said 'times the bound: area'; said 'cpu .*busy .* idle'; said 'hb2st_chase .* ready to start'
expect 0 "$orrery" $band --csv c.csv
[[ $(tail -1 c.csv) == *,,,* ]] || fail "columns without values"
expect 3 "$orrery" $band --trace /no/such/dir/t.html; expect 2 "$orrery" $band --trace t.pdf
said 'neither in .html'
finish
