#!/usr/bin/env bash
# powm and pagerank from files: results where they belong; bad files told by name and line.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
header='%%MatrixMarket matrix coordinate'
mtx() { printf '%s\n' "$header $2" "${@:3}" >"$1"; }

# a path of three nodes: +-sqrt(2)
mtx path.mtx 'pattern symmetric' '3 3 2' '2 1' '3 2'
expect 0 "$orrery" powm path.mtx --method ritz; has out 'plus-minus pair'; has out '1.41421356237'
expect 4 "$orrery" powm path.mtx --method power --max-products 200; said 'two eigenvalues have the largest modulus'
expect 0 "$orrery" powm path.mtx --k 2 --values l.npy --vectors x.npy; [[ -s l.npy && -s x.npy ]] || fail "no results"
expect 0 "$orrery" powm path.mtx --json -; has out '"algo":"powm"'; has out '"eigenvalues":\[\['
mtx skew.mtx 'real skew-symmetric' '2 2 1' '2 1 3'
expect 0 "$orrery" powm skew.mtx --values l.npy --vectors x.npy; has out 'complex pair'; has l.npy 'c16'
mtx chain.mtx 'pattern general' '3 3 2' '1 2' '2 3'
expect 0 "$orrery" powm chain.mtx; has out nilpotent
mtx twice.mtx 'real general' '2 2 3' '1 1 1' '1 1 2' '2 2 1'
expect 0 "$orrery" powm twice.mtx; said '1 duplicate entry was summed'; has out '^1 *3 '
printf '4 1 2\n1 3 0\n2 0 1\n' >dense.txt # three edges between nodes 0 to 4, one of weight 0
expect 0 "$orrery" powm dense.txt; has out '^# 5 x 5, 2 entries; nilpotent'
mtx one.mtx 'real general' '1 1 1' '1 1 -2.5'; expect 0 "$orrery" powm one.mtx; has out '-2.5'
mtx empty.mtx 'real general' '0 0 0'; expect 0 "$orrery" powm empty.mtx
mtx zero.mtx 'real general' '3 3 0'; expect 0 "$orrery" powm zero.mtx; has out 'zero'
expect 0 "$orrery" pagerank zero.mtx; has out '3.333333333'
printf '%%%%MatrixMarket matrix coordinate complex Hermitian\r\n%% a comment\r\n\r\n2 2 2\r\n1 1 2 0\r\n2 1 0 1\r\n' >h.mtx
expect 0 "$orrery" powm h.mtx; has out '2.41421356237'

# Krylov spaces that close: every copy of a multiple eigenvalue, and an end
mtx unit.mtx 'real general' '3 3 3' '1 1 1' '2 2 1' '3 3 .5'
expect 0 timeout 60 "$orrery" powm unit.mtx --k 2 --max-products 100; has out 'multiple'; has out '^# 2 of 2 '
mtx apart.mtx 'real general' '6 6 6' '1 1 1' '2 2 .1' '3 3 .2' '4 4 .3' '5 5 .4' '6 6 1'
expect 0 timeout 60 "$orrery" powm apart.mtx --k 2; has out '^2 *\(1\|0.99999999\)'
expect 4 "$orrery" powm --generate laplace3d:9 --tol 1e-14 --max-products 7 --json -; has out '"products":7,'

expect 0 "$orrery" powm --generate laplace3d:9 --k 4; [[ $(grep -c '^[234] *11.42' out) == 3 ]] || fail "copies of the second value"
expect 0 "$orrery" powm --generate laplace3d:9 --k 4 --which SA --json -; has out '"which":"SA"'; has out '"largest":11\.7'
has out '"eigenvalues":\[\[0.29366'; expect 0 "$orrery" powm apart.mtx --which SA; has out '^1 *\(0.1\|0.099999\)'; has out '|Av - lambda v| / 1 of'
expect 2 "$orrery" powm apart.mtx --which SA --method power; said 'largest modulus'
expect 2 "$orrery" powm apart.mtx --which LA --singular; said 'only the largest'
expect 2 "$orrery" powm apart.mtx --which SM; said 'which'

# one criterion for every pair
mtx defective.mtx 'real general' '4 4 3' '1 1 1' '2 3 1' '3 4 1'
expect 4 "$orrery" powm defective.mtx --k 4; said 'pair 2'; has out 'of 4 with a residual .* of at most 1e-10'
mtx singular.mtx 'real general' '2 2 1' '1 1 1'; expect 4 "$orrery" powm singular.mtx --k 2; said 'or 0$'

# numbers at the ends of the range
for e in -310 -200 200 307; do
    mtx far.mtx 'real general' '2 2 4' "1 1 1e$e" "1 2 2e$e" "2 1 3e$e" "2 2 4e$e"
    for m in power ritz krylov; do expect 0 "$orrery" powm far.mtx --method $m; has out '^1 *5\.37228132'; done
    expect 0 "$orrery" powm far.mtx --type s; has out '^1 *5\.37228'
    expect 0 "$orrery" powm far.mtx --singular; has out '^1 *5\.46498570'
done
mtx far.mtx 'real symmetric' '3 3 6' '1 1 1e-200' '2 1 2e-200' '3 1 4e-200' '2 2 -3e-200' '3 2 1e-200' '3 3 2e-200'
expect 0 "$orrery" powm far.mtx --k 3; has out '^1 *6\.'; has out '^2 *-[34]\.'
mtx full.mtx 'real general' '2 2 4' '1 1 1.7e308' '1 2 1.7e308' '2 1 1.7e308' '2 2 1.7e308'
expect 4 "$orrery" powm full.mtx --json -; said 'more than a double'; has out '"eigenvalues":\[\[null,0\]\]'
printf '0 1 1e-310\n1 0 5e307\n1 2 1e308\n2 1 1e-200\n' >weights.txt
expect 0 "$orrery" pagerank weights.txt --top 3; mv out far
printf '0 1 1\n1 0 1\n1 2 2\n2 1 1\n' >weights.txt
expect 0 "$orrery" pagerank weights.txt --top 3; [[ $(cut -c1-32 far | head -4) == "$(cut -c1-32 out | head -4)" ]] || fail "sizes of weights change scores"

# formats, generators, Kronecker products
for f in crs bsr ell gpu-ell sell merge tiles; do
    expect 0 "$orrery" powm --generate laplace3d:6 --format $f; has out '11.40'
done
expect 0 "$orrery" powm --generate laplace3d:6 --format crs,sell,tiles --compare --repeat 1 --steps 2 --json crs.jsonl; has out '^sell'
[[ $(grep -o '"bytes":[0-9]*' crs.jsonl | sort -u | wc -l) == 3 ]] || fail "formats take different numbers of bytes"
[[ $(grep -o '"bytes_crs":[0-9]*' crs.jsonl | sort | uniq -c) == *' 3 '* ]] || fail "fractions of formats are not with the same bytes"
expect 5 "$orrery" powm --generate laplace3d:20 --compare --max-memory 1k; said 'needs'; empty out
expect 0 "$orrery" powm path.mtx --kron path.mtx --method krylov; has out '2'
expect 0 "$orrery" pagerank --generate rmat:6:4 --top 3; has out 'sum 1'
expect 0 "$orrery" pagerank --generate rmat:8:6 --order none --top 5; mv out none
expect 0 "$orrery" pagerank --generate rmat:8:6 --order degree --top 5 -v; said 'nodes by degree'; said '"order":"degree"'
[[ $(cut -c1-28 none | head -5) == "$(cut -c1-28 out | head -5)" ]] || fail "the order of storage changes the ranks"
expect 0 "$orrery" pagerank --generate sbm:60:3:6:1 --type s --tol 1e-5

expect 0 "$orrery" pagerank --generate rmat:8:6 --alpha 0.99 --top 1 -v; mv out auto
expect 0 "$orrery" pagerank --generate rmat:8:6 --alpha 0.99 --top 1 --extrapolate no
[[ $(head -1 auto | cut -c1-24) == "$(head -1 out | cut -c1-24)" ]] || fail "extrapolation changes the scores"

# pagerank of an edge list, nodes from 0; weights; best node last
printf '# from to\n0 2\n1 2\n2 0\n' >e.txt
expect 0 "$orrery" pagerank e.txt --top 1 --vectors x.npy; has out '^1 *2 '; has out '1 without links out\|0 without links out'
printf '0 1 2.5\n1 0 1\n1 2 9\n2 1 1\n' >w.txt; expect 0 "$orrery" pagerank w.txt --top 1; has out '^1 *1 '
cp e.txt E.TXT; expect 0 "$orrery" pagerank E.TXT --top 1; has out '^1 *2 '
gzip -k e.txt && mv e.txt.gz z.txt.gz
expect 0 "$orrery" pagerank z.txt.gz --top 1 --vectors z.npy; cmp -s x.npy z.npy || fail "gzip changes scores"
expect 4 "$orrery" pagerank e.txt --tol 1e-300 --max-steps 3; said 'after 3 steps'

: >nothing.txt; expect 0 "$orrery" pagerank nothing.txt; has out '^# 0 nodes, 0 links, .* sum 0$'

# nodes with names, by the lines of docs/algorithms/pagerank.md
printf 'ann bob\ncy bob\nbob ann\n' | gzip >named.txt.gz
zcat named.txt.gz | awk '/^#/ {next}
    !($1 in id) {id[$1] = n++; print $1 >"names.txt"}
    !($2 in id) {id[$2] = n++; print $2 >"names.txt"}
    {print id[$1], id[$2]}' >links.txt
expect 0 "$orrery" pagerank links.txt --top 20
awk 'NR == FNR {name[n++] = $1; next} !/^#/ {print $1, name[$2], $3}' names.txt out >ranked
[[ $(cut -d' ' -f1,2 ranked | xargs) == '1 bob 2 ann 3 cy' ]] || fail "names of nodes: $(<ranked)"

# bad files: exit 3, with the line where there is one
bad() { expect 3 "$orrery" "$1" "$2" "${@:4}"; said "$3"; }
printf 'ann bob\n' >named.txt; bad pagerank named.txt 'named.txt:1: two node numbers .* names of nodes are not read'
printf '0,1\n' >named.csv; bad pagerank named.csv 'named.csv:1: .*names of edge lists end in .txt, .tsv, .edges, .el or .wel'
cp named.csv named.mtx; bad pagerank named.mtx 'named.mtx:1: the file does not begin with %%MatrixMarket$'
mtx rect.mtx 'real general' '2 3 2' '1 1 1' '2 3 2'
bad powm rect.mtx '--singular'; bad pagerank rect.mtx rectangular
bad powm rect.mtx 'rect.mtx: 2 x 3 is rectangular' --compare; empty out
mtx zero.mtx 'real general' '2 2 1' '1 1 0'; bad powm zero.mtx 'zero.mtx: the matrix is zero' --compare; empty out
expect 0 "$orrery" powm zero.mtx; has out '^# 2 x 2, 0 entries; zero; 1 product;'
mtx none.mtx 'real general' '0 0 0'; bad pagerank none.mtx 'none.mtx: the graph has no nodes' --bench; empty out
mtx one.mtx 'real general' '1 1 2' '1 1 1' '1 1 1'; expect 0 "$orrery" powm one.mtx; said '1 duplicate entry was summed'
expect 0 "$orrery" pagerank one.mtx; has out 'of 1 node$'; has out '^# 1 node, 1 link,'
expect 0 "$orrery" powm rect.mtx --singular; has out '^1 *\(2\|1\.99999999\|2\.00000000\)'
mtx dense.mtx 'real general' '2 3 6' '1 1 1' '2 1 2' '1 2 3' '2 2 4' '1 3 5' '2 3 6'
expect 0 "$orrery" powm dense.mtx --singular; has out 'these are singular values, not that'
expect 0 "$orrery" powm zero.mtx --singular; has out 'every vector is a singular vector of 0'
# no entry is negative, so the spectral radius is not, either
mtx radius.mtx 'real general' '4 4 5' '1 1 1' '1 2 1' '2 2 2' '1 3 1' '2 4 1'
for seed in 1 2 3 4 5; do expect 0 "$orrery" powm radius.mtx --seed $seed; grep '^1.*\[-' out && fail 'below zero'; done
mtx nan.mtx 'real general' '2 2 2' '1 1 1' '2 2 nan'; bad powm nan.mtx 'nan.mtx:4:'
mtx inf.mtx 'real general' '2 2 1' '1 1 1e999'; bad powm inf.mtx 'inf.mtx:3:'
mtx zero_index.mtx 'pattern general' '2 2 1' '0 1'; bad pagerank zero_index.mtx 'zero_index.mtx:3:'
mtx large.mtx 'pattern general' '2 2 1' '1 3'; bad powm large.mtx 'large.mtx:3:'
mtx short.mtx 'pattern general' '2 2 3' '1 1'; bad powm short.mtx short.mtx
mtx long.mtx 'pattern general' '2 2 1' '1 1' '2 2'; bad powm long.mtx 'long.mtx:4:'
mtx diagonal.mtx 'real skew-symmetric' '2 2 1' '1 1 3'; bad powm diagonal.mtx 'diagonal.mtx:3:'
mtx huge.mtx 'pattern general' '3000000000 3000000000 1' '1 1'; bad powm huge.mtx '2^31'
mtx count.mtx 'pattern general' '2 2 9223372036854775807' '1 1'; bad powm count.mtx count.mtx
mtx negative.mtx 'real general' '2 2 1' '1 2 -1'; bad pagerank negative.mtx negative
printf '0 1\n2\n' >cut.txt; bad pagerank cut.txt 'cut.txt:2:'
printf '0 -1\n' >minus.txt; bad pagerank minus.txt 'minus.txt:1:'
printf '0 99999999999\n' >far.txt; bad pagerank far.txt 'far.txt:1:'
bad powm missing.mtx missing.mtx
for method in power ritz; do expect 2 "$orrery" powm rect.mtx --singular --method $method; said 'find no singular values'; done
"$tool" shape d.npy d 3 3
for command in powm pagerank; do
    bad $command d.npy '^orrery: d.npy: a dense array; sparse matrices are read here: scipy.sparse.save_npz'; empty out
    bad $command missing.npy 'missing.npy: cannot open'
    bad $command path.mtx 'd.npy: a dense array' --kron d.npy
done
head -c 20 z.txt.gz >cut.txt.gz; bad pagerank cut.txt.gz 'end early'
printf 'no archive\n' >no.npz; bad powm no.npz 'no zip archive'

# archives of scipy.sparse: eigenvalues and singular values as there
if modules scipy.sparse; then
    python3 - <<'END' || fail "scipy"
import numpy as np, scipy.sparse as sp
path = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]]))
for form in "csr", "csc", "coo":
    sp.save_npz(form + ".npz", path.asformat(form), compressed=form != "csr")
sp.save_npz("bool.npz", path.astype(bool)); sp.save_npz("int.npz", path.astype("i2"))
sp.save_npz("single.npz", path.astype("f4")); sp.save_npz("complex.npz", (2j * path).tocsc())
sp.save_npz("wide.npz", sp.csr_matrix(np.array([[1, 0, 0], [0, 0, 2.0]])))
sp.save_npz("bsr.npz", path.tobsr()); path.data[1] = np.inf; sp.save_npz("inf.npz", path)
END
    for f in csr csc coo bool int single; do expect 0 "$orrery" powm $f.npz; has out '1.41421356237'; done
    expect 0 "$orrery" powm complex.npz --k 2; has out '2.82842712474'
    expect 0 "$orrery" powm wide.npz --singular; has out '^1 *\(2\|1\.99999999\|2\.00000000\)'
    bad powm wide.npz '--singular'; bad powm bsr.npz "'bsr' is not read"; bad powm inf.npz 'data.npy\[1\]'
    expect 0 "$orrery" pagerank csr.npz --top 1; has out '^1 *1 '
else
    echo "no scipy: archives are tested in tests/io only"
fi
expect 2 "$orrery" powm; expect 2 "$orrery" powm path.mtx --method power --k 2
expect 2 "$orrery" powm path.mtx --format crs,sell; expect 2 "$orrery" pagerank e.txt --alpha 1
expect 2 "$orrery" powm --generate torus:3
printf '0 1\n1 2\n2 3\n3 0\n' >ring4.txt
"$tool" shape p.npy d 4 && { head -c 136 p.npy; printf '\0\0\0\0\0\0\360\377'; tail -c +145 p.npy; } >inf.npy # weight 1: -infinity
expect 3 "$orrery" pagerank ring4.txt --personal inf.npy; said 'inf.npy: weight 1'
printf '0\n0\n0\n0\n' >none.txt
expect 3 "$orrery" pagerank ring4.txt --personal none.txt; said 'none.txt: all weights are zero'
printf '0 2147483647\n' >far.txt
expect 3 "$orrery" pagerank far.txt; said 'far.txt:1: a node number is negative or larger than 2^31 - 65'
printf '0 1 2.5\n1 0 1\n' >loop2.txt
expect 4 "$orrery" powm loop2.txt --tol 1e-17; said 'is rounding: sums of so many products in this precision'
finish
