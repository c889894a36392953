#!/usr/bin/env bash
# With a FILE a command prints its results: values on standard output and nothing else there; a table
# of times only where one measures; formats by suffix; matrices that are not Hermitian told.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
same() { cmp -s "$1" "$2" || { fail "$3: $1 and $2 differ"; diff "$1" "$2" | head -5; }; }
lacks() { ! grep -qe "$2" "$1" || { fail "$1 has '$2'"; head -5 "$1"; }; }

# an answer: exactly this, the same each time; commands for one matrix and for batches alike
printf '2 -1 0\n-1 2 -1\n0 -1 2 # laplace\n' >a.txt
printf -- '0 1\n1 0\n' >b.csv
expect 0 "$orrery" heev b.csv; empty err; mv out first
printf '# eigenvalues of b.csv: 2, ascending\n-1\n1\n' >want; same first want "heev"
expect 0 "$orrery" heevj b.csv; same out want "heevj"
expect 0 "$orrery" gesvd b.csv; printf '# singular values of b.csv: 2, descending\n1\n1\n' >want; same out want "gesvd"
expect 0 "$orrery" gesvj b.csv; same out want "gesvj"
expect 0 "$orrery" heevj a.txt b.csv
[[ $(grep -c '^#' out) == 2 && $(grep -vc '^#' out) == 5 ]] || fail "two files: $(<out)"
for k in 1 2; do expect 0 "$orrery" heev a.txt; cp out run$k; done; same run1 run2 "twice the same"
expect 0 "$orrery" heev a.txt --type s; has out '^3.41421[0-9]*$'
expect 0 "$orrery" heev a.txt --range 2:3; has out '^# eigenvalues 2 to 3 of a.txt: 2, ascending$'
expect 0 "$orrery" heev a.txt --check --values w.txt --vectors z.csv
has out '^# wrote eigenvalues (3,) float64 to w.txt$'; has out '^# wrote eigenvectors (3, 3) float64 to z.csv$'
has out '^# check: values [^ ]*, residual [^ ]*, orthogonality [^ ]* n eps |A| (limit 20)$'
grep -v '^#' out >values; same values w.txt "printed and written"
[[ $(head -1 z.csv | tr -cd , | wc -c) == 2 ]] || fail "z.csv: $(<z.csv)"
"$tool" shape empty.npy d 0 0; expect 0 "$orrery" heev empty.npy; has out ': 0, ascending'
"$tool" make n.npy d 4 3 nan; expect 3 "$orrery" heevj n.npy; has out '^ *nan *nan *nan$'
expect 3 "$orrery" heevj n.npy --json -; has out '\[null,null,null\]'; expect 0 "$tool" json out results eigenvalues

# standard output has one user; where data go there the answer does not
expect 0 "$orrery" heev a.txt --json -; [[ $(wc -l <out) == 1 ]] || fail "--json -: $(<out)"
expect 0 "$tool" json out results eigenvalues; empty err
expect 0 "$orrery" heev a.txt --csv -; [[ $(wc -l <out) == 2 ]] || fail "--csv -"
expect 0 "$orrery" heev a.txt --values -; expect 0 "$orrery" heev a.txt --values w.npy -q; empty out
"$orrery" heev a.txt --values - >w1.npy 2>err; same w.npy w1.npy "values on standard output"; empty err
expect 2 "$orrery" heev a.txt --values - --json -; said 'only one output'
expect 0 "$orrery" heev a.txt --json r.jsonl; same out run1 "with a record in a file"; expect 0 "$tool" json r.jsonl results

# times only where one measures
for how in --bench '--repeat 2' '--ref lapack'; do
    for command in heev heevj; do
        expect 0 "$orrery" $command a.txt $how; has out '^algo '; lacks out '^# '
    done
done
for command in heev heevj gesvd gesvj hb2st gb2bd; do
    expect 0 "$orrery" $command a.txt --cpus 1; lacks out '^algo'
    expect 0 "$orrery" $command a.txt --bench --cpus 1; has out '^algo '; lacks out '^# '
done
expect 0 "$orrery" heev a.txt --repeat 1; lacks out '^algo'

# bands: both diagonals, the last line has one number
expect 0 "$orrery" hb2st a.txt --diag d.txt --offdiag e.txt
has out '^# tridiagonal form of a.txt: order 3, diagonal and off-diagonal$'
grep -v '^#' out >t; [[ $(wc -w <t) == 5 && $(tail -1 t | wc -w) == 1 ]] || fail "T: $(<t)"
awk '{print $1}' t >d; same d d.txt "diagonal"; awk 'NF > 1 {print $2}' t >e; same e e.txt "off-diagonal"

# powm and pagerank alike
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 0.1\n' >s.mtx
expect 0 "$orrery" powm s.mtx --k 2 --values l.txt
has out '^# eigenvalues of s.mtx: 2$'; has out '^1 *-\?\(0.1\|0.0999\)'; has out '^# wrote eigenvalues (2,) float64 to l.txt$'
[[ $(grep -c '^-\?\(0.1\|0.0999\)[0-9]*$' l.txt) == 2 ]] || fail "l.txt: $(<l.txt)"
printf '0 1\n1 0\n' >ring.txt; expect 0 "$orrery" pagerank ring.txt --vectors p.csv
has out '^# rank, node and score of ring.txt: 2 of 2 nodes$'; has out '^1 *0 *0.5$'; [[ $(<p.csv) == $'0.5\n0.5' ]] || fail "p.csv"
printf '3\n1\n' >w.csv; expect 0 "$orrery" pagerank ring.txt --personal w.csv --alpha 0.5; has out '^1 *0 '

# the suffix of an output is its format, or none
for name in w.dat w.npz w.TXTX w.gz .x.y; do
    expect 2 "$orrery" heev a.txt --values $name; said "$name: the suffix of an output says its format: .npy, .txt or .csv"
done
mkdir dir.d; expect 0 "$orrery" heev a.txt --values dir.d/w; cmp -s dir.d/w w.npy || fail "without suffix: .npy"
expect 0 "$orrery" heev a.txt --values .hidden; cmp -s .hidden w.npy || fail "hidden"
expect 2 "$orrery" powm s.mtx --vectors v.mtx; expect 2 "$orrery" gb2bd a.txt --left u.mat

# what is wrong with text is told with line and column
bad() { printf "$1" >bad.txt; expect 3 "$orrery" heev bad.txt; said "$2"; empty out; }
bad '1 2\n3\n' '^orrery: bad.txt:2: 1 number, where the lines before have 2'
bad '1 2\n3 x\n' '^orrery: bad.txt:2: column 2: '
bad '1 2 3\n4 5 6\n' 'bad.txt: the matrices are 2 x 3, not square'
bad '1 nan\nnan 1\n' 'entry (1, 0), counted from 0, is NaN'
bad '' 'holds no numbers'
expect 5 "$orrery" heev a.txt --max-memory 8
expect 3 "$orrery" heev - ; said 'standard input: empty'

# not Hermitian beyond rounding: one line, also with -q, unless a triangle was chosen
printf '1 2\n2.5 1\n' >n.txt
told='^orrery: n.txt: not symmetric: entries (1, 0) and (0, 1), counted from 0, differ by 0.5, 0.2 of the largest entry; the lower'
for command in heev heevj; do
    expect 0 "$orrery" $command n.txt -q; said "$told"; [[ $(wc -l <err) == 1 ]] || fail "more than a line: $(<err)"
    for choice in '--uplo L' '--uplo U' --symmetrize; do expect 0 "$orrery" $command n.txt $choice; empty err; done
    has out '^3.25$'
    expect 0 "$orrery" $command n.txt --uplo L; has out '^3.5$'
    expect 0 "$orrery" $command n.txt --uplo U; has out '^3$'
done
printf '1 2\n2.0000000000000004 1\n' >n.txt; expect 0 "$orrery" heev n.txt; empty err # rounding
printf '1 nan\n2 1\n' >n.txt; expect 0 "$orrery" heev n.txt; said 'not symmetric: entries (1, 0) and (0, 1), .* differ by inf'
printf '1 inf\n2 1\n' >n.txt; expect 0 "$orrery" heev n.txt; said 'differ by inf'; expect 3 "$orrery" heev n.txt --symmetrize
printf '1e308 1e308\n1e308 -1e308\n' >n.txt; expect 0 "$orrery" heev n.txt --symmetrize; empty err; has out '^1.41421356237309[0-9]*e+308'
printf '1+1j 2j\n-2j 1\n' >n.txt; expect 0 "$orrery" heev n.txt; said 'not Hermitian: entry (0, 0), .* imaginary part 1, '
printf '1 2j\n2j 1\n' >n.txt; expect 0 "$orrery" heev n.txt; said 'not Hermitian: entries (1, 0) and (0, 1), .* differ by 4, 2 of'
"$tool" make lower.npy z 5 19 lower; expect 0 "$orrery" heevj lower.npy -q
said '^orrery: lower.npy: 5 of 5 matrices, first matrix 0, are not Hermitian: '; [[ $(wc -l <err) == 1 ]] || fail "$(<err)"
"$tool" make good.npy z 5 19 random; expect 0 "$orrery" heevj good.npy lower.npy good.npy -q; [[ $(wc -l <err) == 1 ]] || fail "$(<err)"
"$tool" shape zero.npy d 3 4 4; expect 0 "$orrery" heevj zero.npy; empty err
finish
