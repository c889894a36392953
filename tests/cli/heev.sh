#!/usr/bin/env bash
# heev from files: checked against LAPACK by the command, and against heevj's values; bad files told
# by name and position. SPDX-License-Identifier: BSD-3-Clause
band=$3
source "${BASH_SOURCE%/*}/common.sh"
[[ -x $band ]] || { echo "usage: ${0##*/} ORRERY CLI_TOOL BAND_TOOL"; exit 2; }
heev() { expect "$1" "$orrery" heev "${@:2}" --cpus 2; }

# a batch of one matrix is an array of three dimensions: heev takes two
one() { # TYPE N KIND -> a.npy (n, n)
    "$tool" make stack.npy "$1" 1 "$2" "$3"
    python3 - <<PY
import numpy as np
np.save("a.npy", np.load("stack.npy")[0])
PY
}
if modules numpy; then
    for type in s d c z; do
        for uplo in L U; do
            kind=lower; [[ $uplo == U ]] && kind=upper
            one $type 61 $kind
            heev 0 a.npy --values w.npy --vectors z.npy --uplo $uplo --check --method lapack --json r.jsonl
            has r.jsonl '"method":"lapack","from":"asked"'; has r.jsonl '"seconds":{"lapack":'; mv z.npy lapack.npy
            heev 0 a.npy --values w.npy --vectors z.npy --uplo $uplo --check --band 8 --json r.jsonl
            expect 0 "$orrery" heevj stack.npy --values v.npy --uplo $uplo
            python3 -c "
import numpy as np, sys
w, v = np.load('w.npy'), np.load('v.npy')[0]
eps = np.finfo(w.dtype).eps
a, z, z1 = np.load('a.npy'), np.load('z.npy'), np.load('lapack.npy')
a = np.tril(a) if '$uplo' == 'L' else np.triu(a)
a = a + a.conj().T - np.diag(np.diag(a).real)
scale = 20 * 61 * eps * abs(v).max()
sys.exit(not (w.dtype == v.dtype and z.dtype == a.dtype and abs(w - v).max() <= scale and
              np.linalg.norm(a @ z - z * w) <= scale * 8 and
              np.linalg.norm(a @ z1 - z1 * w) <= scale * 8))" ||
                fail "$type $uplo: values differ from heevj's, or vectors are none"
        done
    done
    for key in algo type n seconds plan he2hb hb2st solver band tile; do has r.jsonl "\"$key\""; done
    one z 140 random
    for method in two-stage lapack auto; do
        heev 0 a.npy --values w.npy --check --method $method
        heev 0 a.npy --values w1.npy --vectors z.npy --range 21:30 --check --method $method
        heev 0 a.npy --values w2.npy --range 21:30 --check --method $method
        python3 -c "
import numpy as np, sys
w, w1, w2, z = (np.load(f + '.npy') for f in ('w', 'w1', 'w2', 'z'))
sys.exit(not (w1.shape == w2.shape == (10,) and z.shape == (140, 10) and
              abs(w[20:30] - w1).max() <= 1e-12 * abs(w).max() and (w[20:30] == w2).all()))" ||
            fail "--range, $method: other values, or shapes"
    done
    for method in two-stage lapack auto; do # intervals: ends that are values, one that holds none, all
        heev 0 a.npy --values w.npy --check --method $method # other methods may round otherwise
        python3 -c "
import numpy as np
w = np.load('w.npy'); mid = (w[1:] + w[:-1]) / 2
print(f'{float(mid[20])!r}..{float(mid[30])!r}')" >range
        heev 0 a.npy --values w1.npy --vectors z.npy --range "$(<range)" --check --method $method --json r.jsonl
        has r.jsonl '"found":10,"first":22'; has out 'eigenvalues in (.*: 10, ascending'
        heev 0 a.npy --values w2.npy --range "$(<range)" --check --method $method
        heev 0 a.npy --values w3.npy --range -inf..inf --check --method $method
        heev 0 a.npy --values w4.npy --vectors z4.npy --range 1e9..inf --check --method $method --json r.jsonl
        has r.jsonl '"eigenvalues":\[\],"found":0,"first":141'; has out 'eigenvalues in (1e+09, inf] of a.npy: 0, ascending'
        python3 -c "
import numpy as np, sys
w, w1, w2, w3, w4, z, z4 = (np.load(f + '.npy') for f in ('w', 'w1', 'w2', 'w3', 'w4', 'z', 'z4'))
sys.exit(not (w1.shape == w2.shape == (10,) and z.shape == (140, 10) and z4.shape == (140, 0) and w4.shape == (0,) and
              abs(w[21:31] - w1).max() <= 1e-12 * abs(w).max() and (w3 == w).all()))" ||
            fail "--range VL..VU, $method: other values, or shapes"
    done
    heev 0 a.npy --range -inf..inf --explain
    heev 2 a.npy --range 1:141; said 'range 1:141: the matrix has order 140'
    for n in 1 2 3 33 130; do one d $n random; heev 0 a.npy --values w.npy --check; heev 0 a.npy --values w.npy --check --method two-stage; done
    python3 -c "
import numpy as np
np.save('empty.npy', np.zeros((0, 0))); np.save('wide.npy', np.zeros((3, 4)))
a = np.eye(9); a[5, 2] = np.nan; np.save('nan.npy', a)
a = np.eye(9); a[2, 5] = np.inf; np.save('other.npy', a); np.save('half.npy', a.astype('f2'))"
    heev 0 empty.npy --values w.npy; heev 0 empty.npy --values w.npy --method two-stage
    heev 3 wide.npy; said 'wide.npy.*3 x 4, not square'
    heev 3 nan.npy; said 'nan.npy: entry (5, 2), counted from 0, is NaN or infinite'
    heev 0 other.npy --check
    heev 3 other.npy --uplo U; said 'entry (2, 5)'
    heev 3 half.npy; said 'half precision'
fi
"$tool" make stack.npy d 2 5 random
heev 3 stack.npy; said 'stack.npy: the array has 3 dimensions; expected (n, n)'

# Matrix Market; standard input and output
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 4' '1 1 2' '2 1 1' '2 2 2' \
    '3 3 5' >a.mtx
heev 0 a.mtx --values w.npy --check
"$orrery" heev a.mtx --values - >w1.npy 2>err || fail "pipe"
expect 0 "$band" same w.npy w1.npy
printf '%s\n' '%%MatrixMarket matrix coordinate real skew-symmetric' '3 3 1' '2 1 1' >skew.mtx
heev 3 skew.mtx; said 'skew-symmetric'
heev 3 missing.npy; said missing.npy

# the benchmark, and what makes no sense
heev 0 --n 40,70 --type d,c --band 8 --ref lapack --repeat 2 --check --json -
has out '"name":"lapack dsyevd"'; has out '"name":"lapack cheevd"'
heev 0 --n 50 --type z --jobz V --ref lapack --repeat 1 --check --json -
has out '"name":"lapack zheevr"'; has out '"method":"lapack","from":"[a-z ]*: lapack below'
heev 0 --n 50 --method two-stage --jobz V --repeat 1 --check --json -; has out '"method":"two-stage","from":"asked"'
heev 0 --n 150 --type s --jobz V --range 140:150 --ref lapack --repeat 1 --check --json -
has out '"name":"lapack ssyevr"'; grep -q syevd out && fail 'syevd has no range'
for range in 0:3 3:2 3 a:b 1: 1:2:3 '1:2 x' '1:2 3'; do heev 2 --n 9 --range "$range"; said 'range is IL:IU'; done
for range in 1..nan nan..1 ..1 1.. a..b 1..2x '1.. 2' 1...x 0x1..0x3 0..1e400; do heev 2 --n 9 --range "$range"; said 'VL..VU has two numbers'; done
for range in 2..1 1..1 inf..inf 0..-1e-300; do heev 2 --n 9 --range $range; said 'is empty'; done
heev 0 --n 50 --type s --range -1..1 --ref lapack --repeat 1 --check --json -; has out '"name":"lapack ssyevr"'; has out '"found":'
heev 2 --n 9 --range 5:10
expect 6 "$orrery" heev --n 40 --cpus 1 --place gpu --repeat 1; said 'no worker'
heev 2 --n 9 --place split
heev 2; heev 2 a.mtx --vectors z.npy --jobz N; heev 2 a.mtx --n 3; heev 2 --n 3 --values w.npy; heev 2 a.mtx --tile 32
heev 2 a.mtx --band 16 --tile 24; said 'multiple of --band'
heev 2 a.mtx --method lapack --band 16; said 'has no --band'; heev 2 a.mtx --method lapack --place gpu; heev 2 a.mtx --method jacobi
heev 2 a.mtx a.mtx; heev 2 a.mtx --band 1
heev 5 --n 20000 --max-memory 1M; heev 5 --n 2000 --method lapack --max-memory 60M; heev 0 --n 20 --method lapack --repeat 1 --max-memory 60M
finish
