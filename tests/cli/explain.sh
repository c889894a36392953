#!/usr/bin/env bash
# --explain: the counts of a plan are those of the run, codelet by codelet, and sizes that no machine
# has are planned too, without their memory.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
band=$3

# tasks per codelet of a plan in $1.jsonl and of the trace in $1.csv
planned() { grep -o '"codelet":"[a-z0-9_]*","tasks":[0-9]*' "$1" | sed 's/"codelet":"//; s/","tasks":/ /' | sort; }
ran() { # the column "codelet" of a trace
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "codelet") c = i; next } { n[$c]++ }
             END { for (k in n) print k, n[k] }' "$1" | sort
}
same() { # WORDS...: the plan of a command and its run
    rm -f plan.jsonl trace.csv
    expect 0 "$orrery" "$@" --explain --json plan.jsonl
    expect 0 "$orrery" "$@" -q --trace trace.csv
    planned plan.jsonl >plan; ran trace.csv >run
    [[ -s run ]] || fail "no tasks: $*"
    ! grep -q '"from":"unknown"' plan.jsonl || fail "a codelet without a rate: $*"
    diff plan run >differ || { fail "$*"; cat differ; }
}
for n in 2 129 517; do
    "$band" make a$n.npy d $n $n
    same heev a$n.npy --values w.npy
    same heev a$n.npy --values w.npy --vectors z.npy
    same gesvd a$n.npy --values w.npy
    same gesvd a$n.npy --values w.npy --left u.npy --right v.npy
    for method in two-stage lapack; do
        same heev a$n.npy --values w.npy --vectors z.npy --method $method
        same gesvd a$n.npy --values w.npy --left u.npy --right v.npy --method $method
    done
done
"$band" make tall.npy d 9000 9 # few columns
same gesvd tall.npy --values s.npy --left u.npy
expect 0 "$orrery" gesvd --m 10000000 --n 1 --max-memory 600Mi --explain
! grep -q '^refused' out || fail "10^7 numbers are refused"
"$band" make c.npy c 257 257
same heev c.npy --values w.npy --vectors z.npy --band 16 --tile 64
same heev a517.npy --values w.npy --vectors z.npy --range 3:80 --band 24 --tile 72
same gesvd c.npy --values s.npy --left u.npy --cpus 1 --method two-stage
for b in 1 37; do
    "$band" make b$b.npy d $((b + 1)) 900
    same hb2st b$b.npy --diag d.npy --offdiag e.npy
    same hb2st b$b.npy --diag d.npy --q q.npy
    same gb2bd b$b.npy --diag d.npy --offdiag e.npy
    same gb2bd b$b.npy --diag d.npy --left u.npy --right v.npy
done
same hb2st b37.npy --diag d.npy --columns 128 --sweeps 3
same gb2bd b37.npy --kl 3 --diag d.npy --left u.npy
"$tool" make s.npy d 120 50 random
same heevj s.npy --values w.npy --method lapack --chunk 7
same heevj s.npy --values w.npy --vectors v.npy --method jacobi --chunk 11
# gesvj: small matrices are the run's; of graphs a step, however many steps a run makes
expect 0 "$tool" make r.npy d 40 30 random; same gesvj r.npy --values w.npy --left u.npy
steps() { # WORDS...
    rm -f plan.jsonl trace.csv
    expect 0 "$orrery" gesvj "$@" --values w.npy --explain --json plan.jsonl
    expect 0 "$orrery" gesvj "$@" --values w.npy -q --trace trace.csv
    planned plan.jsonl >plan; ran trace.csv >run
    join plan run | awk '$1 == "gesvj_measure" { p = $2; r = $3 } { a[$1] = $2; b[$1] = $3 }
        END { for (k in a) if (k ~ /start|finish|check/ ? a[k] != b[k] : a[k] * r != b[k] * p) { print k, a[k], b[k]; bad = 1 }
              exit bad || p == 0 }' >differ || { fail "gesvj $*"; cat plan run differ; }
    [[ $(wc -l <plan) == $(wc -l <run) ]] || fail "other codelets: gesvj $*"
}
"$tool" make r150.npy d 3 150 random
steps r150.npy; steps r150.npy --precondition qr --left u.npy; steps r150.npy --block 16 --cpus 1
steps a517.npy --left u.npy --right v.npy
(ulimit -v 6000000; expect 0 "$orrery" gesvj --n 512 --count 100000 --explain --max-memory 100Gi
    has out '^gesvj_angle'; has out '^refused '; exit $failures) || fail 'a plan of a batch larger than the memory'
expect 2 "$orrery" gesvj --stream --explain </dev/null; has err 'a stream brings is not known'

# nothing is computed, read or written
rm -f w.npy; expect 0 "$orrery" heev a129.npy --values w.npy --explain; has out '^heev_direct'; has out 'method'
rm -f w.npy; expect 0 "$orrery" heev a129.npy --values w.npy --explain --method two-stage
[[ ! -e w.npy ]] || fail 'a plan writes results'
has out '^he2hb_update'; has out '^memory .* at most'; has out '^time '
head -c 200 a517.npy >cut.npy
expect 0 "$orrery" heev cut.npy --values w.npy --explain
expect 3 "$orrery" heev missing.npy --values w.npy --explain
printf '1 2\n3 4\n5 6j\n' >tall.txt; expect 0 "$orrery" gesvd tall.txt --explain; has out '^gesvd, type z, m 3, n 2,'
printf '  # band 1\n1 1 1 1 1\n2 2 2 2 0\n' >band.txt; expect 0 "$orrery" hb2st band.txt --explain; has out 'n 5, band 1,'
expect 0 "$orrery" heev --n 40 --explain --sched lws,eager; [[ $(grep -c '^heev, ' out) == 2 ]] || fail 'two policies'

# sizes that are refused: the plan, why, and what would do
expect 0 "$orrery" heev --n 100000 --jobz V --explain --json big.jsonl; empty out
has big.jsonl '"refused":"n is more than 65535'
fits=$(grep -o '"fits":[0-9]*' big.jsonl | cut -d: -f2)
((fits > 1000 && fits <= 65535)) || fail "fits: $fits"
expect 0 "$orrery" heev --n 5000 --explain --max-memory 100Mi
has out '^refused .*--max-memory allows 100 MiB; n = [0-9]* would do'
fits=$(sed -n 's/.*n = \([0-9]*\) would do/\1/p' out)
expect 0 "$orrery" heev --n "$fits" --explain --max-memory 100Mi; ! grep -q '^refused' out || fail "n = $fits is refused"
for command in gesvd 'gesvd --jobz V' 'hb2st --band 64' 'hb2st --band 64 --jobz V' 'gb2bd --band 64' 'heevj --batch 100000'; do
    size=100000; [[ $command != heevj* ]] || size=1000
    (ulimit -v 6000000; expect 0 "$orrery" $command --n $size --explain --max-memory 100Gi; has out '^all '; exit $failures) ||
        fail "$command: a plan larger than the memory"
done

# orders that no machine holds: told at once, however many tasks there would be, and in positive numbers
for n in 2000000 130000000; do
    for command in heev 'heev --jobz V' hegv gesvd 'gesvd --jobz V' 'hbev --jobz V' 'hb2st --jobz V' 'gb2bd --jobz V' gesvj; do
        expect 0 timeout 60 "$orrery" $command --n $n --explain --max-memory 4G; has out '^refused '
        ! grep -qE '[ :]-[0-9]|nan|inf ' out || fail "$command, n = $n: $(<out)"
    done
done
expect 0 "$orrery" heev --n 2000000 --explain --max-memory 4G
has out '^note .*tasks are not counted'; has out '^refused .*needs .*--max-memory allows 3.725 GiB; n = [0-9]* would do'
expect 0 "$orrery" heev --n 100000 --explain; grep -v '^plan' out | grep '[0-9]e[-+][0-9]' && fail 'exponents'
expect 0 "$orrery" heev a2.npy --explain; grep -v '^plan' out | grep '[0-9]e[-+][0-9]' && fail 'exponents'

# sparse: what a cycle, or ten steps, submit; vectors and values are not written
part() { # PATTERN WORDS...: runs that make just that many
    rm -f plan.jsonl trace.csv
    expect 0 "$orrery" "${@:2}" --values w.npy --explain --json plan.jsonl; [[ ! -e w.npy ]] || fail "a plan writes: $*"
    "$orrery" "${@:2}" -q --trace trace.csv >out 2>err
    planned plan.jsonl | grep -E "$1" >plan; ran trace.csv | grep -E "$1" >run
    cmp -s plan run && [[ -s plan ]] || { fail "${*:2}"; cat plan run; }
}
part 'powm_product|krylov_(dot|rayleigh|restart)' powm --generate laplace3d:9 --blocks 3 --max-products 10 --basis 10
part 'powm_(random|spmv|combine)' powm --generate laplace3d:9 --blocks 3 --method power --max-products 10
part 'powm_(random|steps)' powm --generate laplace3d:9 --blocks 1 --method ritz --max-products 10
rm -f plan.jsonl trace.csv; expect 0 "$orrery" pagerank --generate rmat:8:8 --blocks 3 --vectors w.npy --explain --json plan.jsonl; [[ ! -e w.npy ]] || fail 'a plan writes scores'
expect 4 "$orrery" pagerank --generate rmat:8:8 --blocks 3 --max-steps 10 -q --trace trace.csv
planned plan.jsonl >plan; ran trace.csv >run; cmp -s plan run || { fail pagerank; cat plan run; }
expect 0 "$orrery" pagerank --generate rmat:8:8 --alpha 0.95 --explain; has out '^pagerank_mix '; has out '^note .*ten steps'; has out '^time '
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n' >wide.mtx
expect 3 "$orrery" powm wide.mtx --explain; expect 0 "$orrery" powm wide.mtx --singular --explain; has out '^powm, type d, m 2, n 3'
expect 2 "$orrery" powm --generate laplace3d:5 --compare --explain; expect 2 "$orrery" pagerank --generate rmat:5:5 --bench --explain

# every codelet has a time, from a model or estimated, and with one worker the whole is no less than their sum
whole() { # WORDS...
    rm -f plan.jsonl; expect 0 "$orrery" "$@" --cpus 1 --explain --json plan.jsonl
    ! grep -q '"from":"unknown"' plan.jsonl || fail "$*: $(grep -o '"[a-z0-9_]*","tasks":[^}]*unknown' plan.jsonl)"
    grep -o '"\(seconds\|predicted\)":[0-9.e+-]*' plan.jsonl | tr ':' ' ' |
        awk '/predicted/ { all = $2; next } $2 <= 0 { bad = 1 } { sum += $2 } END { exit bad || !sum || all < 0.999 * sum }' ||
        fail "$*: not all is in the total: $(cat plan.jsonl)"
}
for which in 1 2 3; do whole hegv --n 900 --problem $which --jobz V; whole hegv --n 150 --problem $which --type c; done
whole hegv --n 3000 --range=-1..1 --method two-stage
for jobz in N V; do
    for method in two-stage lapack; do
        for n in 30 900; do
            whole heev --n $n --jobz $jobz --method $method; whole gesvd --n $n --jobz $jobz --method $method
            whole heev --n $n --jobz $jobz --method $method --range=-1..1
        done
    done
    whole hbev --n 900 --band 20 --jobz $jobz; whole hb2st --n 900 --band 20 --jobz $jobz
    whole gb2bd --n 900 --band 20 --jobz $jobz --type z
done
for method in jacobi lanes lapack block; do whole heevj --n 64 --batch 10 --method $method; done
whole gesvj --n 20 --count 8; whole gesvj --n 300 --count 2
for method in power ritz krylov; do whole powm --generate laplace3d:9 --method $method; done
whole pagerank --generate rmat:8:8

finish
