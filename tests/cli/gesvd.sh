#!/usr/bin/env bash
# gesvd from files: checked against LAPACK by the command, and against NumPy where it is installed;
# bad files told by name and position. SPDX-License-Identifier: BSD-3-Clause
band=$3
source "${BASH_SOURCE%/*}/common.sh"
[[ -x $band ]] || { echo "usage: ${0##*/} ORRERY CLI_TOOL BAND_TOOL"; exit 2; }
gesvd() { expect "$1" "$orrery" gesvd "${@:2}" --cpus 2; }

if modules numpy; then
    for case in "f4 61 47" "f8 40 71" "c8 33 33" "c16 90 21"; do
        read -r type m n <<<"$case"
        python3 -c "
import numpy as np
r = np.random.default_rng(1)
a = r.standard_normal(($m, $n)) + (1j * r.standard_normal(($m, $n)) if '$type'[0] == 'c' else 0)
np.save('a.npy', a.astype('$type'))"
        gesvd 0 a.npy --values s.npy --left u.npy --right v.npy --check --band 8 --json r.jsonl
        gesvd 0 a.npy --values only.npy --check --method two-stage
        gesvd 0 a.npy --values s1.npy --left u1.npy --right v1.npy --check --method lapack --json l.jsonl
        has l.jsonl '"method":"lapack","from":"asked"'; has l.jsonl '"seconds":{"lapack":'
        python3 -c "
import numpy as np, sys
a, s, u, v, only, s1, u1, v1 = (np.load(f + '.npy') for f in 'a s u v only s1 u1 v1'.split())
k, eps = min(a.shape), np.finfo(s.dtype).eps * max(a.shape)
ref = np.linalg.svd(a.astype('c16'), compute_uv=False)
one = lambda q: np.linalg.norm(q.conj().T @ q - np.eye(k))
sys.exit(not (s.dtype == only.dtype == abs(a).dtype and u.dtype == v.dtype == a.dtype and
              s.shape == (k,) and u.shape == (a.shape[0], k) and v.shape == (a.shape[1], k) and
              max(abs(x - ref).max() for x in (s, only, s1)) <= 20 * eps * ref[0] and
              u1.shape == u.shape and v1.shape == v.shape and
              max(np.linalg.norm(x * s @ y.conj().T - a) for x, y in ((u, v), (u1, v1))) <=
              20 * eps * np.linalg.norm(a) and max(map(one, (u, v, u1, v1))) <= 20 * eps))" ||
            fail "$case: not NumPy's values, or not singular vectors"
    done
    for key in algo type n m seconds plan ge2gb gb2bd solver back band tile residual; do
        has r.jsonl "\"$key\""
    done
    python3 -c "
import numpy as np
np.save('empty.npy', np.zeros((0, 4))); np.save('one.npy', np.full((1, 1), -3.0))
np.save('three.npy', np.zeros((2, 3, 3)))
a = np.ones((9, 6)); a[5, 2] = np.nan; np.save('nan.npy', a)
a = np.ones((3, 8)); a[2, 5] = -np.inf; np.save('inf.npy', a); np.save('half.npy', a.astype('f2'))"
    for method in two-stage lapack; do
        gesvd 0 empty.npy --values s.npy --left u.npy --right v.npy --check --method $method
        gesvd 0 one.npy --values s.npy --left u.npy --right v.npy --check --method $method
        gesvd 0 one.npy --values s.npy --right v.npy --check --method $method
    done
    rm -f s.npy
    gesvd 3 nan.npy --values s.npy; said 'nan.npy: entry (5, 2), counted from 0, is NaN or infinite'
    [[ -e s.npy ]] && fail "values of a matrix with NaN"
    gesvd 3 inf.npy --check; said 'inf.npy: entry (2, 5)'
    gesvd 3 half.npy; said 'half precision'
    gesvd 3 three.npy; said 'three.npy: the array has 3 dimensions; expected (m, n)'
fi

# Matrix Market; standard input and output
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 3 4' '1 1 2' '2 1 1' '2 2 2' \
    '4 3 5' >a.mtx
gesvd 0 a.mtx --values s.npy --check
"$orrery" gesvd a.mtx --values - >s1.npy 2>err || fail "pipe"
expect 0 "$band" same s.npy s1.npy
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 3 1' '5 1 2' >bad.mtx
gesvd 3 bad.mtx; said 'bad.mtx'
gesvd 3 missing.npy; said missing.npy

# the benchmark, and what makes no sense
gesvd 0 --n 40,70 --type d,c --band 8 --ref lapack --repeat 2 --check --json -
has out '"name":"lapack dgesdd"'; has out '"name":"lapack cgesvd"'
gesvd 0 --n 30 --m 90 --type z --jobz V --kind geometric --ref lapack --repeat 1 --check --json - --method two-stage
has out '"name":"lapack zgesdd"'; has out '"route":"adjoint qr"'
gesvd 2; expect 6 "$orrery" gesvd --n 40 --cpus 1 --place gpu --repeat 1; said 'no worker'
gesvd 2 a.mtx --left u.npy --jobz N; gesvd 2 a.mtx --n 3; gesvd 2 --n 3 --values s.npy
gesvd 2 a.mtx --tile 32; gesvd 2 a.mtx --band 16 --tile 24; said 'multiple of --band'
gesvd 2 a.mtx --method lapack --band 16; said 'has no --band'; gesvd 2 a.mtx --method lapack --qr yes; said 'itself'
gesvd 0 --n 30 --repeat 1 --check --json -; has out '"method":"lapack","from":"[a-z ]*: lapack below'
gesvd 2 a.mtx a.mtx; gesvd 2 a.mtx --band 1; gesvd 2 a.mtx --band 600; said 'at most 512'
gesvd 5 --n 20000 --max-memory 1M
# panels of very many tiles on small stacks
stack=$(ulimit -S -s) && ulimit -S -s 1024
gesvd 0 --m 130000000 --n 2 --type s --qr no --explain
gesvd 0 --m 1500000 --n 2 --type s --qr no --band 2 --tile 192 --explain
gesvd 2 --m 400000 --n 2 --qr no --band 2 --tile 16; said 'longer side / 8192'
gesvd 0 --m 400000 --n 2 --type s --band 2 --tile 16 --check --repeat 1
ulimit -S -s "$stack"
for vectors in N V; do # every codelet has an estimate, or a model
    gesvd 0 --n 700 --jobz $vectors --method two-stage --explain
    has out '^time'; ! grep unknown out || fail "a plan does not know how long codelets take"
done
finish
