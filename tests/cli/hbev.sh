#!/usr/bin/env bash
# hbev from files: checked by the command and against NumPy; bad files told by name and position.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
header='%%MatrixMarket matrix coordinate'
mtx() { printf '%s\n' "$header $2" "${@:3}" >"$1"; }
hbev() { expect "$1" "$orrery" hbev "${@:2}" --cpus 2; }

if modules numpy; then
    cat >make.py <<'PY'
import sys
import numpy as np
t, n, b = np.dtype(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(n + b)
ab = rng.standard_normal((b + 1, n)) + (1j * rng.standard_normal((b + 1, n)) if t.kind == "c" else 0)
np.save("ab.npy", ab.astype(t))
PY
    cat >check.py <<'PY'
import sys
import numpy as np
uplo, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ab, w, z = (np.load(f + ".npy") for f in ("ab", "w", "z"))
b, n = ab.shape[0] - 1, ab.shape[1]
a = np.zeros((n, n), ab.dtype)
for k in range(b + 1):
    i = np.arange(n - k)
    a[i + k, i] = ab[k, :n - k] if uplo == "L" else ab[b - k, k:].conj()
a = np.tril(a, -1) + np.tril(a, -1).conj().T + np.diag(a.diagonal().real)
ref = np.linalg.eigvalsh(a)[first:last]
limit = 20 * n * np.finfo(w.dtype).eps
sys.exit(not (w.shape == ref.shape and z.shape == (n, last - first) and z.dtype == ab.dtype and
              abs(w - ref).max(initial=0) <= limit * abs(ref).max(initial=1) and
              np.linalg.norm(a @ z - z * w) <= limit * np.linalg.norm(a) and
              np.linalg.norm(z.conj().T @ z - np.eye(last - first)) <= limit))
PY
    for type in f4 f8 c8 c16; do
        for uplo in L U; do
            for size in '2 1 two-stage' '61 7 lapack' '61 60 two-stage'; do
                read -r n b method <<<"$size"
                python3 make.py $type "$n" "$b"
                hbev 0 ab.npy --uplo $uplo -w w.npy -o z.npy --check --method $method --json r.jsonl
                python3 check.py $uplo 0 "$n" || fail "$type, $n, $b, $uplo, $method: values or vectors"
            done
            hbev 0 ab.npy --uplo $uplo -w w.npy -o z.npy --check --range 5:14 --method two-stage
            python3 check.py $uplo 4 14 || fail "$type $uplo: of a range"
        done
    done
    for key in '"algo":"hbev"' '"method":"two-stage"' '"hb2st":' '"lapack":' '"residual":' '"eigenvalues":\['; do
        grep -q -- "$key" r.jsonl || fail "no $key"
    done
    python3 make.py f8 240 5 # large enough for two stages
    hbev 0 ab.npy -w w.npy -o z.npy --check --json r.jsonl; python3 check.py L 0 240 || fail "n = 240"
    tail -n 1 r.jsonl | grep -q '"method":"two-stage","from":"measured","b":5' || fail "$(tail -n 1 r.jsonl)"
    hbev 0 ab.npy --range -1..0.5 --check --json r.jsonl; has out 'eigenvalues in (-1, 0.5] of ab.npy: '; has r.jsonl '"found":'
    hbev 0 ab.npy --range 1e9..inf -o z.npy --check; has out ': 0, ascending'
    hbev 2 ab.npy --range 1:241; said 'the matrix has order 240'
    hbev 0 ab.npy --explain; has out hb2st_narrow
    hbev 0 ab.npy -o z.npy --explain; has out hb2st_chase
    python3 -c "
import numpy as np
ab = np.load('ab.npy'); ab[2, 7] = np.nan; np.save('nan.npy', ab)"
    printf 'as it was' >w.npy; cp w.npy before
    hbev 3 nan.npy -w w.npy; said 'nan.npy: entry (9, 7), counted from 0, is NaN or infinite'
    cmp -s w.npy before || fail "the results of a failure were written"
fi
# a sparse matrix, and its vectors in the order of the file: of a chain 1 - 3 - 2
mtx chain.mtx 'real symmetric' '3 3 2' '3 1 1' '3 2 1'
hbev 0 chain.mtx -w w.txt -o z.txt --check
awk '{ if (NR == 3) third = $3 * $3 } END { exit !(third > 0.499 && third < 0.501) }' z.txt ||
    fail "node 3 of the chain has another weight: $(<z.txt)"
[[ $(sed -n '3s/\..*//p' w.txt) == 1 ]] || fail "values of the chain: $(<w.txt)"
mtx both.mtx 'real general' '2 2 2' '1 2 3' '2 1 1'
hbev 3 both.mtx; said '(2, 1) and (1, 2).*--symmetrize'
hbev 0 both.mtx --symmetrize -w w.txt; [[ $(tail -n 1 w.txt) == 2 ]] || fail "mean: $(<w.txt)"
# the check of matrices whose squares are beyond the range has figures, and right ones
for scale in -310 300; do
    printf "2e$scale 1e$scale 4e$scale\n1e$scale -1e$scale 0\n" >a.txt
    for method in two-stage lapack; do hbev 0 a.txt --check --jobz V --method $method; done
    hbev 0 a.txt --check
done
hbev 3 missing.npy; said missing.npy
printf '1 1\n1 1\n1 1\n' >wide.txt; hbev 3 wide.txt; said 'not below n'
hbev 2; said 'a FILE is needed'
hbev 2 a.txt --n 3; said 'belong to a benchmark'
hbev 2 a.txt -o z.npy --jobz N; said 'contradicts'
hbev 2 a.txt --method lapack --place gpu; said 'runs on a CPU'
hbev 2 a.txt --range 3; said range
hbev 2 a.txt --symmetrize; said 'one triangle'
hbev 2 --n 0,1,33 --band 0,4; said 'band 4: the matrix has order 0'
for sizes in '0,1,33 --band 0' '5,33 --band 0,4'; do hbev 0 --n $sizes --type d,c --jobz V --check --repeat 1 --ref lapack; done
finish
