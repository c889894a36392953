"""Band and tridiagonal routines of liborrery_lapack, preloaded, called by their names: taken over, and as LAPACK alone
has them.

Equal: info, the eigenvalues of T and of the band, the singular values of B. T stands in the band afterwards, as
LAPACK leaves it there; A Q = Q T.  "caught": vectors are exchanged on purpose, and values of T moved (planted.c), and
found.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import sys
import tempfile

try:
    import numpy as np
    import scipy.linalg as sl
except ImportError as e:
    print(f"skipped: {e} (apt-get install python3-numpy python3-scipy)")
    sys.exit(77)

lapack = ctypes.CDLL(None)  # the preloaded library first
planted = sys.argv[1:] == ["caught"]
failures = []
counts = {"taken over": 0, "passed on": 0, "check:": 0}
log = tempfile.TemporaryFile()
os.dup2(log.fileno(), 2)
sys.stderr = sys.stdout
os.environ["ORRERY_LAPACK_LOG"] = "1"


def expect(name, ok, found=""):
    if not ok:
        failures.append(name)
        print(f"{name}: {found}")


def call(order, name, *args):
    """info of a Fortran routine. How it was called is counted."""
    info = ctypes.c_int32(-99)
    given = [ctypes.c_char_p(a.encode()) if isinstance(a, str)
             else ctypes.byref(ctypes.c_int32(a)) if isinstance(a, int)
             else a.ctypes.data_as(ctypes.c_void_p) for a in args]
    os.environ["ORRERY_LAPACK_MIN"] = order
    log.truncate(0)
    os.lseek(2, 0, os.SEEK_SET)
    try:
        lapack[name](*given, ctypes.byref(info), *[ctypes.c_size_t(1)] * 3)
    except SystemError:  # NumPy's xerbla, which LAPACK calls, raises an exception
        pass
    os.lseek(2, 0, os.SEEK_SET)
    text = log.read().decode()
    for word in counts:
        counts[word] += any(f" {name} " in line and word in line for line in text.splitlines())
    return info.value, text


def random(dtype, *shape):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def hermitian(dtype, n, kd, uplo, pad):
    """The matrix, and its band as LAPACK stores it with ldab = kd + 1 + pad."""
    a = np.tril(np.triu(random(dtype, n, n), -kd), 0)
    a = a + np.tril(a, -1).conj().T
    a[np.arange(n), np.arange(n)] = a.diagonal().real
    ab = np.full((kd + 1 + pad, n), 7, dtype, "F")  # also where nothing is to be read
    for j in range(n):
        for i in range(max(0, j - kd), min(n, j + kd + 1)):
            if uplo == "L" and i >= j:
                ab[i - j, j] = a[i, j]
            elif uplo == "U" and i <= j:
                ab[kd + i - j, j] = a[i, j]
    return a, ab


def close(name, x, y, n, eps, size=0):
    """Values of a matrix of this size, at least that of the largest one."""
    error = np.abs(x - y).max() / max(np.abs(y).max(), size)
    expect(name, error <= 20 * n * eps, error)


def tridiagonal(d, e):
    return np.diag(d.astype(np.float64)) + np.diag(e.astype(np.float64), 1) + np.diag(e.astype(np.float64), -1)


def check_trd(name, dtype, n, kd, uplo, vect):
    real, eps = np.dtype(dtype).type(0).real.dtype, np.finfo(dtype).eps
    a, ab0 = hermitian(dtype, n, kd, uplo, 2)
    ab, q = ab0.copy("F"), np.zeros((n + 1, n), dtype, "F")
    d, e = np.zeros(n, real), np.zeros(n - 1, real)
    info, text = call("1", name, vect, uplo, n, kd, ab, kd + 3, d, e, q, n + 1, np.zeros(n, dtype))
    what = f"{name} {vect} {uplo} {n} {kd}"
    expect(what, info == 0 and ("taken over" in text) != (planted and vect == "V"), text)
    close(what, np.linalg.eigvalsh(tridiagonal(d, e)), np.linalg.eigvalsh(a.astype(np.complex128)), n, eps)
    rows = (kd, kd - 1) if uplo == "U" else (0, 1)
    expect(f"{what}: diagonal", np.array_equal(ab[rows[0]], d))
    expect(f"{what}: beside it", np.array_equal(ab[rows[1]][1:] if uplo == "U" else ab[rows[1]][:-1], e))
    expect(f"{what}: rows below the band", np.array_equal(ab[kd + 1:], ab0[kd + 1:]))
    if vect == "V":
        residual = np.abs(a @ q[:n] - q[:n] @ tridiagonal(d, e)).max()
        expect(f"{what}: residual", residual <= 20 * n * eps * np.abs(a).max(), residual)
        expect(f"{what}: orthogonal", np.abs(q[:n].conj().T @ q[:n] - np.eye(n)).max() <= 20 * n * eps)


def workspace(name, n, dtype, real, more=0):
    """What follows z and ldz, or in ?bevx the selection, up to info."""
    size = 5 * n + 20 + more
    reals, integers = np.zeros(size, real), np.zeros(size, np.int32)
    complex_type = np.dtype(dtype).kind == "c"
    if name.endswith("evd_"):
        return ([np.zeros(size, dtype), size, reals, size, integers, size] if complex_type
                else [np.zeros(size, dtype), size, integers, size])
    return [np.zeros(size, dtype)] + ([reals] if complex_type else [])


def check_vectors(name, dtype, n, kd, uplo):
    real, eps = np.dtype(dtype).type(0).real.dtype, np.finfo(dtype).eps
    a, ab0 = hermitian(dtype, n, kd, uplo, 1)
    for order in ("1", "1000000"):
        ab, w, z = ab0.copy("F"), np.zeros(n, real), np.full((n + 2, n), 7, dtype, "F")
        rest = workspace(name, n, dtype, real, 2 * n * n)
        info, text = call(order, name, "V", uplo, n, kd, ab, kd + 2, w, z, n + 2, *rest)
        what = f"{name} V {uplo} {n} {kd} {order}"
        expect(what, info == 0 and ("taken over" if order == "1" and not planted else "passed on") in text, text)
        close(what, w, np.linalg.eigvalsh(a.astype(np.complex128)), n, eps)
        v = z[:n]
        expect(f"{what}: padding", (z[n:] == 7).all())
        expect(f"{what}: residual", np.linalg.norm(a @ v - v * w) <= 20 * n * eps * np.linalg.norm(a))
        expect(f"{what}: orthogonal", np.linalg.norm(v.conj().T @ v - np.eye(n)) <= 20 * n * eps)


def check_values(name, dtype, n, kd, uplo):
    real, eps = np.dtype(dtype).type(0).real.dtype, np.finfo(dtype).eps
    a, ab0 = hermitian(dtype, n, kd, uplo, 1)
    got = []
    for order in ("1", "1000000"):
        ab, w, z = ab0.copy("F"), np.zeros(n, real), np.zeros((1, 1), dtype)
        rest = workspace(name, n, dtype, real)
        selection = []
        if "bevx" in name:
            m, ifail = np.array([-5], np.int32), np.zeros(n, np.int32)
            bounds = [np.array([-1.5], real), np.array([2], real)]
            for letter, il, iu in (("A", 1, n), ("I", 2, n - 1), ("V", 1, n)):
                ab[:] = ab0
                info, text = call(order, name, "N", letter, uplo, n, kd, ab, kd + 2, z, 1, *bounds, il, iu,
                                  np.zeros(1, real), m, w, z, 1, *[np.zeros(7 * n + 9, x.dtype) for x in rest],
                                  np.zeros(5 * n, np.int32), ifail)
                selection.append((info, int(m[0]), w[:m[0]].copy()))
        else:
            info, text = call(order, name, "N", uplo, n, kd, ab, kd + 2, w, z, 1, *rest)
            selection.append((info, n, w.copy()))
        expect(f"{name} {uplo} {n} {kd} {order}", ("taken over" if order == "1" else "passed on") in text, text)
        got.append(selection)
        rows = (kd, kd - 1) if uplo == "U" else (0, 1)
        t = tridiagonal(ab[rows[0]].real, (ab[rows[1]][1:] if uplo == "U" else ab[rows[1]][:-1]).real)
        if order == "1":
            close(f"{name}: T in ab", np.linalg.eigvalsh(t), np.linalg.eigvalsh(a.astype(np.complex128)), n, eps)
    for x, y in zip(*got):
        expect(f"{name} {uplo} {n} {kd}: info, m", x[:2] == y[:2], (x[:2], y[:2]))
        if x[:2] == y[:2] and len(y[2]):
            close(f"{name} {uplo} {n} {kd}", x[2], y[2], n, eps, np.abs(a).max())


def check_brd(name, dtype, m, n, kl, ku):
    real, eps = np.dtype(dtype).type(0).real.dtype, np.finfo(dtype).eps
    a = np.tril(np.triu(random(dtype, m, n), -kl), ku)
    ab = np.zeros((kl + ku + 2, n), dtype, "F")
    for j in range(n):
        for i in range(max(0, j - ku), min(m, j + kl + 1)):
            ab[ku + i - j, j] = a[i, j]
    k = min(m, n)
    d, e, one = np.zeros(k, real), np.zeros(k, real), np.zeros((1, 1), dtype)
    info, text = call("1", name, "N", m, n, 0, kl, ku, ab, kl + ku + 2, d, e, one, 1, one, 1, one, 1,
                      np.zeros(2 * max(m, n), dtype), *([np.zeros(max(m, n), real)] if a.dtype.kind == "c" else []))
    what = f"{name} {m} {n} {kl} {ku}"
    expect(what, info == 0 and "taken over" in text, text)
    b = np.diag(d.astype(np.float64)) + np.diag(e[:k - 1].astype(np.float64), 1)
    close(what, np.linalg.svd(b, compute_uv=False), np.linalg.svd(a, compute_uv=False), m + n, eps)


def check_refusals(t, dtype, real, prefix):
    """Wrong arguments one by one: LAPACK's info."""
    n, kd = 30, 5
    good = ["V", "L", n, kd, "ab", kd + 1, np.zeros(n, real), np.zeros(n, real), np.zeros((n, n), dtype), n, np.zeros(n, dtype)]
    for place, value in ((0, "X"), (1, "X"), (2, -1), (3, -1), (5, kd), (9, n - 1)):
        infos = []
        for order in ("1", "1000000"):
            args = list(good)
            args[4] = hermitian(dtype, n, kd, "L", 0)[1]
            args[place] = value
            infos.append(call(order, f"{prefix}trd_", *args)[0])
        expect(f"{prefix}trd_ argument {place + 1}", infos[0] == infos[1] < 0, infos)
    good = ["N", "L", n, kd, "ab", kd + 1, np.zeros(n, real), np.zeros((1, 1), dtype), 1]
    for place, value in ((0, "X"), (0, "V"), (1, "X"), (2, -1), (3, -1), (5, kd), (8, 0), (10, 1)):
        infos = []
        for order in ("1", "1000000"):
            args = list(good) + workspace(f"{prefix}evd_", n, dtype, real)
            args[4] = hermitian(dtype, n, kd, "L", 0)[1]
            args[place] = value
            infos.append(call(order, f"{prefix}evd_", *args)[0])
        expect(f"{prefix}evd_ argument {place + 1}", infos[0] == infos[1] < 0, infos)


def check_sterf(t, dtype):
    """sterf, stev and stevd: values; then what is passed on, and refused."""
    def arguments(stem, job, d, e, z):
        n, work = len(d), [np.zeros(len(d) ** 2 + 20 * len(d) + 20, dtype)]
        if stem == "sterf":
            return [n, d, e]
        if stem == "stevd":
            work += [1 if job == "N" else len(work[0]), np.zeros(9 * n + 9, np.int32), 1 if job == "N" else 9 * n + 9]
        return [job, n, d, e, z, z.shape[0], *work]

    for n in (2, 3, 17, 64, 65, 131, 400):
        d, e = (rng.standard_normal(n) / 10).astype(dtype), (1 + rng.standard_normal(n - 1) / 10).astype(dtype)
        for stem in ("sterf", "stev", "stevd"):
            name, results = f"{t}{stem}_", []
            for order in ("1", "1000000"):
                w = d.copy()
                info, text = call(order, name, *arguments(stem, "N", w, e.copy(), np.zeros((1, 1), dtype)))
                results.append(w)
                expect(f"{name} {n}: info", info == 0, info)
                if not planted:
                    expect(f"{name} {n}", ("taken over" if order == "1" else "n is less than 1000000") in text, text)
            close(f"{name} {n}", *results, n, np.finfo(dtype).eps)
    n, e = 40, np.ones(39, dtype)
    blocks, nan = np.where(np.arange(39) % 5 == 4, 0, 1).astype(dtype), np.where(np.arange(39) == 7, np.nan, 1).astype(dtype)
    for stem in ("sterf", "stev", "stevd"):
        name = f"{t}{stem}_"
        w = np.arange(40).astype(dtype)
        info, text = call("1", name, *arguments(stem, "N", w, blocks.copy(), np.zeros((1, 1), dtype)))
        expect(f"{name}: blocks", info == 0 and "falls into blocks" in text, text)
        w[:] = 0
        info, text = call("1", name, *arguments(stem, "N", w, nan.copy(), np.zeros((1, 1), dtype)))
        expect(f"{name}: NaN", "NaN or infinite" in text, text)
        wrong = ((0, -1),) if stem == "sterf" else ((0, "X"), (1, -1), (5, 0)) + (((7, 0), (9, 0)) if stem == "stevd" else ())
        for place, value in wrong:
            infos = []
            for order in ("1", "1000000"):
                args = arguments(stem, "N", np.zeros(n, dtype), e.copy(), np.zeros((1, 1), dtype))
                args[place] = value
                infos.append(call(order, name, *args)[0])
            expect(f"{name}: argument {place + 1}", infos[0] == infos[1] == -1 - place, infos)
        if stem != "sterf":
            w, z = np.zeros(n, dtype), np.zeros((n, n), dtype, "F")
            info, text = call("1", name, *arguments(stem, "V", w, e.copy(), z))
            expect(f"{name}: vectors", info == 0 and "passed on: vectors of a tri" in text, text)
            expect(f"{name}: vectors fit", np.abs(tridiagonal(np.zeros(n), e) @ z - z * w).max() < 1e-4)
    args = arguments("stevd", "N", np.zeros(n, dtype), e, np.zeros((1, 1), dtype))
    args[7] = args[9] = -1
    info, text = call("1", f"{t}stevd_", *args)
    expect("workspace", info == 0 and text == "" and args[6][0] == 1 and args[8][0] == 1, (info, text))


rng = np.random.default_rng(5)
for t, dtype in (("s", np.float32), ("d", np.float64), ("c", np.complex64), ("z", np.complex128)):
    real = np.dtype(dtype).type(0).real.dtype
    prefix = t + ("sb" if t in "sd" else "hb")
    for n, kd in ((3, 2), (17, 5), (64, 63), (65, 16), (131, 9)):
        for uplo in "LU":
            check_trd(f"{prefix}trd_", dtype, n, kd, uplo, "N")
            check_trd(f"{prefix}trd_", dtype, n, kd, uplo, "V")
            for driver in ("ev", "evd", "evx"):
                check_values(f"{prefix}{driver}_", dtype, n, kd, uplo)
                if driver != "evx":
                    check_vectors(f"{prefix}{driver}_", dtype, n, kd, uplo)
    for m, n, kl, ku in ((40, 40, 0, 4), (50, 30, 3, 2), (30, 51, 4, 7), (64, 64, 5, 0)):
        check_brd(f"{t}gbbrd_", dtype, m, n, kl, ku)
    check_refusals(t, dtype, real, prefix)
    if t in "sd":
        check_sterf(t, dtype)
    if not planted:
        a, ab = hermitian(dtype, 80, 7, "L", 0)
        os.environ["ORRERY_LAPACK_MIN"] = "1"
        close(f"eigvals_banded {t}", sl.eigvals_banded(ab, lower=True), np.linalg.eigvalsh(a), 80, np.finfo(dtype).eps)
if not planted:  # right answers are not taken for wrong ones: zeros, and numbers on the grid of subnormal ones
    for n in (3, 60, 150):
        for unit in (0, 1e-310, 1):
            for dtype in (np.float32, np.float64, np.complex64, np.complex128):
                a = np.full((n, n), unit, dtype)
                d, e = np.full(n, unit, a.real.dtype), np.full(n - 1, unit, a.real.dtype)
                log.truncate(0)
                os.lseek(2, 0, os.SEEK_SET)
                for _ in range(3):
                    np.linalg.eigvalsh(a)
                    sl.eigh(a, eigvals_only=True, driver="evx")
                    sl.eigvalsh_tridiagonal(d, e, lapack_driver="sterf")
                os.lseek(2, 0, os.SEEK_SET)
                text = log.read().decode()
                expect(f"{n} times {unit} {dtype}: not caught", "check:" not in text, text)
if planted:
    expect("caught", counts["check:"] == 40 + 80 + 36, counts)
    os.environ["ORRERY_LAPACK_LOG"] = "0"  # a wrong result is told all the same, and nothing else
    counts = dict.fromkeys(counts, 0)
    check_trd("dsbtrd_", np.float64, 65, 16, "L", "V")
    expect("told", counts == {"taken over": 0, "passed on": 1, "check:": 1}, counts)
print(counts, f"{len(failures)} failures")
sys.exit(bool(failures))
