#!/usr/bin/env bash
# hegv from files: checked by the command and against NumPy; bad files told by name and position.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
hegv() { expect "$1" "$orrery" hegv "${@:2}" --cpus 2; }

if modules numpy; then
    cat >make.py <<'PY'
import sys
import numpy as np
t, n = np.dtype(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(n)
def hermitian():
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if t.kind == "c" else 0)
    return a + a.conj().T
a, b = hermitian(), hermitian()
b = b @ b / n + np.eye(n)
np.save("a.npy", a.astype(t))
np.save("b.npy", (b + b.conj().T).astype(t))
PY
    cat >check.py <<'PY'
import sys
import numpy as np
which, first, last = (int(x) for x in sys.argv[1:])
a, b, w, x = (np.load(f + ".npy") for f in ("a", "b", "w", "x"))
n, k = len(a), last - first
l = np.linalg.cholesky(b.astype("c16"))
r = np.linalg.inv(l)
c = r @ a @ r.conj().T if which == 1 else l.conj().T @ a @ l
ref = np.linalg.eigvalsh(c)[first:last]
left = (a @ x, a @ b @ x, b @ a @ x)[which - 1]
gram = x.conj().T @ (np.linalg.solve(b, x) if which == 3 else b @ x)
limit = 1e3 * n * np.finfo(w.dtype).eps
ok = (w.shape == (k,) and x.shape == (n, k) and x.dtype == a.dtype and abs(w - ref).max(initial=0) <= limit * abs(c).max() and
      np.linalg.norm(left - (b @ x if which == 1 else x) * w) <= limit * np.linalg.norm(a) * np.linalg.norm(b) and
      np.linalg.norm(gram - np.eye(k)) <= limit)
sys.exit(not ok)
PY
    for type in f4 f8 c8 c16; do
        for which in 1 2 3; do
            python3 make.py $type 61
            hegv 0 a.npy b.npy --problem $which --values w.npy --vectors x.npy --check --band 8 --tile 24 --json r.jsonl
            python3 check.py $which 0 61 || fail "$type, problem $which: values or vectors"
            hegv 0 a.npy b.npy --problem $which --values w.npy --vectors x.npy --uplo U --check --range 5:14
            python3 check.py $which 4 14 || fail "$type, problem $which: of a range"
        done
    done
    for key in '"algo":"hegv"' '"problem":3' '"reduction":' '"heev":' '"tiles":3' '"residual":' '"eigenvalues":\['; do
        grep -q -- "$key" r.jsonl || fail "no $key"
    done
    python3 make.py f8 40
    hegv 0 a.npy b.npy --range -1..0.5 --check --json r.jsonl; has out 'eigenvalues in (-1, 0.5] of a.npy: '; has r.jsonl '"found":'
    hegv 0 a.npy b.npy --range 1e9..inf --vectors x.npy --check; has out ': 0, ascending'
    hegv 2 a.npy b.npy --range 1:41; said 'the matrices have order 40'
    hegv 0 a.npy b.npy --explain
    python3 -c "
import numpy as np
b = np.eye(40); b[6, 6] = -1; np.save('minus.npy', b)
b = np.eye(40); b[6, 2] = np.nan; np.save('nan.npy', b); np.save('small.npy', np.eye(5)); np.save('empty.npy', np.eye(0))
b = np.eye(40); b[6, 2] = 1; np.save('skew.npy', b); np.save('stack.npy', np.zeros((2, 40, 40)))"
    printf 'as it was' >w.npy; cp w.npy before
    hegv 3 a.npy minus.npy --values w.npy
    said 'minus.npy: B is not positive definite: its leading minor of order 7 (LAPACK: info = 47 = n + 7)'
    cmp -s w.npy before || fail "the results of a failure were written"
    hegv 3 a.npy nan.npy; said 'nan.npy: entry (6, 2), counted from 0, is NaN or infinite'
    hegv 3 nan.npy a.npy; said 'nan.npy: entry (6, 2), counted from 0, is NaN or infinite'
    hegv 3 a.npy small.npy; said 'a.npy has order 40, small.npy order 5'
    hegv 3 stack.npy a.npy; said 'stack.npy'
    hegv 3 a.npy skew.npy; said 'skew.npy: not symmetric'
    hegv 0 empty.npy empty.npy --values w.npy
fi
hegv 3 missing.npy missing.npy; said missing.npy
# the check of matrices whose squares are beyond the range has figures, and right ones
for scale in -300 -200 200 300; do
    printf "2e$scale 1e$scale 0\n1e$scale 3e$scale -1e$scale\n0 -1e$scale 4e$scale\n" >a.txt
    other=$((scale < 0 ? 180 : -180))
    printf "5e$other 1e$other 0\n1e$other 6e$other 2e$other\n0 2e$other 7e$other\n" >opposite.txt
    printf '5 1 0\n1 6 2\n0 2 7\n' >b.txt
    for which in 1 2 3; do
        for b in b.txt opposite.txt; do
            [[ $which == 1 && $b == opposite.txt ]] && continue # values beyond the range
            hegv 0 a.txt $b --problem $which --vectors x.npy --check
            grep -q 'residual [0-9.]*\(e-0[1-6]\)\?,' out || fail "1e$scale, problem $which: $(grep check out)"
        done
    done
done
hegv 0 --n 30,70 --type s,z --jobz V --ref lapack --repeat 2 --check --json -
has out '"name":"lapack ssygvd"'; has out '"name":"lapack zhegvd"'
hegv 0 --n 33 --range 1:3 --jobz V --ref lapack --repeat 1 --check --problem 2 --json -; grep -q sygvd out && fail 'sygvd has no range'
hegv 2; said 'two files are needed'; hegv 2 a.npy; said 'two files are needed'; hegv 2 a.npy a.npy a.npy; said 'two files'
hegv 2 --n 9 --problem 4; hegv 2 --n 9 --values w.npy; hegv 2 a.npy b.npy --n 3; hegv 2 --n 9 --range 2..1; said 'is empty'
expect 6 "$orrery" hegv --n 40 --cpus 1 --place gpu --repeat 1; said 'no worker'
hegv 5 --n 20000 --max-memory 1M
finish
