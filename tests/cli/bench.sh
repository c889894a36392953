#!/usr/bin/env bash
# The benchmark and its records: combinations, JSON Lines, CSV, purity of stdout.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
keys="algo type n m band batch sched workers cpu cuda seconds median min max runs gflops status sweeps
check residual orthogonality values ref bound area critical_path lp plan provenance
version git starpu blas machine command seed"
small="--repeat 1 --cpus 2"

expect 0 "$orrery" heevj --n 2:6:2,9 --batch 1,3 --type s,d,c,z $small --check --json r.jsonl --csv r.csv --ref lapack
has out '^algo'; expect 0 "$tool" json r.jsonl $keys name threads ratio
[[ $(wc -l <r.jsonl) == 32 ]] || fail "$(wc -l <r.jsonl) runs, not 4 x 2 x 4"
[[ $(grep -c '"type":"z","n":9,"m":null,"band":null,"batch":3,' r.jsonl) == 1 ]] || fail "one combination"
[[ $(grep -c '"status":"ok"' r.jsonl) == 32 ]] || fail "status"
[[ $(wc -l <r.csv) == 33 ]] || fail "CSV has $(wc -l <r.csv) lines"
[[ $(head -1 r.csv) == algo,type,n,m,band,batch,* ]] || fail "CSV header"
has r.jsonl '"name":"lapack zheevd","threads":2'

# stdout is pure; the table goes to stderr; files are appended to; one CSV header
expect 0 "$orrery" heevj --n 3 --batch 2 $small --json - --csv r.csv -v
cp out pure; expect 0 "$tool" json pure $keys; [[ $(wc -l <pure) == 1 ]] || fail "--json -: $(cat pure)"
[[ $(grep -c '^algo,' r.csv) == 1 && $(wc -l <r.csv) == 34 ]] || fail "CSV is not appended to"
expect 0 "$orrery" heevj --n 3 --batch 2 $small --csv - -q
[[ $(wc -l <out) == 2 ]] || fail "--csv -"; empty err
expect 0 "$orrery" heevj --n 3 --batch 2 $small -q; empty out; empty err

# a line that another program left unfinished does not swallow a record
printf '{"half":' >half.jsonl
expect 0 "$orrery" heevj --n 3 --batch 2 $small --json half.jsonl
tail -1 half.jsonl >whole; expect 0 "$tool" json whole algo

# the command line in the record can be typed again
expect 0 "$orrery" heevj --n 3 --batch 1e0 $small --json "quote'\" back\\slash.jsonl"
expect 0 "$tool" json "quote'\" back\\slash.jsonl" $keys

# numbers, lists, the seed, mixed sizes, all kinds
expect 0 "$orrery" heevj --n=1e1 --batch=1k $small --json n.jsonl --method jacobi
has n.jsonl '"n":10,.*"batch":1000,'
expect 0 "$orrery" heevj --n 3,8,20 --mixed --batch 10 --type z $small --check --json m.jsonl
has m.jsonl '"n":20,"m":null,"band":null,"batch":10,"n_min":3'
expect 0 "$orrery" heevj --n 5 --batch 3 $small --sched eager,lws --method jacobi,lapack --chunk 1,2 --json s.jsonl
[[ $(wc -l <s.jsonl) == 8 ]] || fail "2 x 2 x 2 runs"
has s.jsonl '"sched":"eager"'
for kind in random posdef identity zero diagonal graded clustered laplace wilkinson; do
    expect 0 "$orrery" heevj --n 13 --batch 3 --kind $kind --type s,z $small --check -q
done
expect 3 "$orrery" heevj --n 13 --batch 12 --kind nan --check $small --json nan.jsonl
said 'matrix 3 of the batch contains NaN'; has nan.jsonl '"not_finite":2'; expect 0 "$tool" json nan.jsonl
expect 4 "$orrery" heevj --n 20 --batch 3 --method jacobi --max-sweeps 1 $small --json nc.jsonl
has nc.jsonl '"status":"not converged"'
expect 0 "$orrery" heevj --n 9 --jobz N --check $small --json j.jsonl; has j.jsonl '"residual":null'
expect 0 "$orrery" heevj --n 9 $small --in-process -q
expect 0 "$orrery" heevj --n 9 $small --trace t.json -q; [[ -s t.json ]] || fail "no trace"
expect 6 "$orrery" heevj --n 9 --cpus 0 --cudas 0
"$orrery" heevj --n 3 --json - >/dev/full 2>err; [[ $? == 3 ]] || fail "a full disk is not told"

# what one of the combinations cannot be is told before the first one runs
none() { # WHAT IS SAID, COMMAND...
    expect 2 "$orrery" "${@:2}" --repeat 1 --csv none.csv; said "$1"
    [[ -e none.csv ]] && grep -q '^[a-z0-9]*,[sdcz]' none.csv && fail "something ran: ${*:2}"; rm -f none.csv
}
for algo in hb2st hbev; do
    none '--band 5: the matrix has order 5' $algo --n 33,5 --band 5
    expect 0 "$orrery" $algo --n 0,1,5,33,40 $small --csv fits.csv; cut -d, -f1-6 fits.csv >sizes; rm fits.csv
    [[ $(wc -l <sizes) == 6 ]] || fail "$algo: $(<sizes)"
done
none '--columns 8: band 3 with --sweeps 50 needs at least 101' hb2st --n 5,33 --band 3 --columns 8 --sweeps 50
none 'one stage: --tw 0, or at least 7' gb2bd --n 33,9 --band 3,8 --tw 2 --jobz V
none '--range 1:20: the matrix has order 5' hbev --n 40,5 --band 2 --range 1:20
none '--range 1:20: the matrix has order 5' heev --n 40,5 --range 1:20
none '--range 1:20: the matrices have order 5' hegv --n 40,5 --range 1:20
none 'is too large' gesvj --n 5,100000
none "did you mean 'lookahead'" heevj --n 4 --sched lws,lokahead
finish
