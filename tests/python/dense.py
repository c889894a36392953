"""eigh, eigvalsh, svd, svdvals give what NumPy gives: four dtypes, orders of axes, stacks, triangles, shapes
that do not divide anything; and say what is wrong with arguments.

Eigenvalues and singular values: max |w - w_numpy| <= 20 n eps max|w|. Vectors: |A V - V W| <= 20 n eps |A| and
|V'V - I| <= 20 n eps, Frobenius.

SPDX-License-Identifier: BSD-3-Clause"""
import itertools
import warnings

from common import DTYPES, check, ended, hermitian, raises, random  # first: skips without NumPy

import numpy as np

import orrery
from orrery import _dense

rng = np.random.default_rng(19)


def close(x, y, n, what):
    eps = np.finfo(x.dtype).eps
    scale = np.abs(y).max(initial=0)
    check(x.shape == y.shape and x.dtype == y.dtype, f"{what}: {x.shape} {x.dtype}, not {y.shape} {y.dtype}")
    check(x.shape == y.shape and (np.abs(x - y) <= 20 * n * eps * scale + 1e-300).all(), f"{what}: values differ")


def norm(a):
    return np.sqrt((np.abs(a) ** 2).sum(axis=(-1, -2)))


def orthonormal(v, n, what):
    eye = np.eye(v.shape[-1])
    check((norm(v.conj().swapaxes(-1, -2) @ v - eye) <= 20 * n * np.finfo(v.dtype).eps).all(), f"{what}: not orthonormal")


def eigen(a, w, v, what):
    n = a.shape[-1]
    check(v.dtype == a.dtype and v.shape == a.shape[:-1] + w.shape[-1:], f"{what}: vectors {v.shape} {v.dtype}")
    off = norm(a @ v - v * w[..., None, :])
    check((off <= 20 * n * np.finfo(a.dtype).eps * norm(a)).all(), f"{what}: residual {off.max(initial=0)}")
    orthonormal(v, n, what)


def fortran(a):
    return np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)


def strided(a):
    wide = np.zeros(a.shape[:-1] + (2 * a.shape[-1] + 1,), a.dtype)
    wide[..., 1::2] = a
    return wide[..., 1::2]


def swapped(a):
    return a.astype(a.dtype.newbyteorder(">" if np.little_endian else "<"))


def misaligned(a):
    memory = np.zeros(a.nbytes + 1, np.uint8)
    b = memory[1:].view(a.dtype).reshape(a.shape)
    b[...] = a
    return b


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


# ---- Eigenvalues ---------------------------------------------------------------------------------

for dtype, n in itertools.product(DTYPES, (1, 2, 3, 5, 17, 33, 67)):
    for shape in ((), (2, 3)) if n > 1 else ((), (1,), (7,)):
        a = hermitian(rng, dtype, *shape, n, n)
        for order, lower in itertools.product((np.ascontiguousarray, fortran), (True, False)):
            what = f"eigh {dtype} {a.shape} {order.__name__} lower={lower}"
            junk = random(rng, dtype, *a.shape)
            half = order(np.tril(a) + np.triu(junk, 1) if lower else np.triu(a) + np.tril(junk, -1))
            before = half.copy()
            w, v = orrery.eigh(half, lower=lower, check=True)
            check((half == before).all(), f"{what}: input changed")
            close(w, np.linalg.eigvalsh(a), n, what)
            eigen(a, w, v, what)
            close(orrery.eigvalsh(half, lower=lower), w, n, f"{what}: values alone")

for dtype in DTYPES:
    n = 410  # two stages
    a = hermitian(rng, dtype, n, n)
    reference = np.linalg.eigvalsh(a)
    for order, lower in ((np.ascontiguousarray, True), (fortran, False)):
        what = f"eigh {dtype} {n} {order.__name__}"
        half = order(np.tril(a) if lower else np.triu(a))
        w, v = orrery.eigh(half, lower=lower, check=True)
        close(w, reference, n, what)
        eigen(a, w, v, what)
    w, v = orrery.eigh(a, subset_by_index=(3, 9))
    close(w, reference[3:10], n, f"{what} subset")
    eigen(a, w, v, f"{what} subset")
    check(v.shape == (n, 7), f"{what} subset: {v.shape}")
    close(orrery.eigvalsh(a, subset_by_index=[n - 1, n - 1]), reference[-1:], n, f"{what} largest")
    for n in (1, 3, 33, 131, 260):  # intervals
        a = hermitian(rng, dtype, n, n)
        reference = np.linalg.eigvalsh(a)
        ends = np.concatenate(([-np.inf], (reference[1:] + reference[:-1]) / 2, [np.inf]))
        for first, last in {(0, n), (n // 3, n // 2), (n - 1, n), (0, (n + 9) // 10)}:
            what = f"eigh {dtype} {n} values {first} to {last}"
            if ends[first] < ends[last]:
                w, v = orrery.eigh(a, subset_by_value=(ends[first], ends[last]), check=True)
                close(w, reference[first:last], n, what)
                eigen(a, w, v, what)
                close(orrery.eigvalsh(a, subset_by_value=[ends[first], ends[last]]), w, n, what)
        w, v = orrery.eigh(a, subset_by_value=(1e6, np.inf))
        check(w.shape == (0,) and v.shape == (n, 0) and v.dtype == dtype, f"none: {w.shape} {v.shape}")
a = np.diag([1.0, 2.0, 3.0, 2.0])
check((orrery.eigvalsh(a, subset_by_value=(1, 2)) == [2, 2]).all(), "ends that are values")
for wrong, error, words in (((2, 1), ValueError, "is empty"), ((1, 1), ValueError, "is empty"), ((np.nan, 1), ValueError, "empty"),
                            (3, TypeError, "is not a pair"), ("ab", TypeError, "is not a pair"), ((1, 2, 3), TypeError, "is not a pair")):
    raises(error, words, orrery.eigh, a, subset_by_value=wrong)
raises(ValueError, "subset_by_value: ", orrery.eigh, a, subset_by_value=(0, 1), subset_by_index=(0, 1))
raises(ValueError, "subset_by_value: ", orrery.eigh, [a, a], subset_by_value=(0, 1))
raises(ValueError, "subset_by_value: ", orrery.eigh, a, subset_by_value=(0, 1), method="jacobi")
raises(ValueError, "a: entry (1, 1)", orrery.eigh, np.diag([1, np.nan]), subset_by_value=(0, 1), check_finite=False)
stack = hermitian(rng, np.dtype("f4"), 2, 1030, 1030)  # beyond what one call takes
close(orrery.eigvalsh(stack, subset_by_index=(0, 2)), np.linalg.eigvalsh(stack)[:, :3], 1030, "a stack of large ones")

a = hermitian(rng, np.dtype("c16"), 4, 9, 9)
w, v = orrery.eigh(a, subset_by_index=(2, 4))
close(w, np.linalg.eigvalsh(a)[:, 2:5], 9, "subset of a stack")
eigen(a, w, v, "subset of a stack")
for dress in (strided, swapped, misaligned, read_only):
    for dtype in DTYPES:
        a = hermitian(rng, dtype, 3, 6, 6)
        for overwrite in (False, True):
            w, v = orrery.eigh(dress(a), overwrite_a=overwrite)
            close(w, np.linalg.eigvalsh(a), 6, dress.__name__)
            eigen(a, w, v, dress.__name__)
for order in (np.ascontiguousarray, fortran):
    a = order(hermitian(rng, np.dtype("c16"), 3, 6, 6))
    mine = order(a.copy())
    w, v = orrery.eigh(mine, overwrite_a=True)
    eigen(a, w, v, "overwrite_a")
    check(np.shares_memory(mine, v), "overwrite_a: the memory was not used")
for method in ("jacobi", "lanes", "lapack", "block"):
    a = hermitian(rng, np.dtype("f8"), 40, 12, 12)
    w, v = orrery.eigh(a, method=method, check=True)
    eigen(a, w, v, method)
for integers in ([[2, 1], [1, 2]], np.array([[2, 1], [1, 2]], np.uint8), np.array([[True, True], [True, True]])):
    reference = np.linalg.eigvalsh(np.array(integers))
    close(orrery.eigvalsh(integers), reference, 2, "integers")
for shape in ((0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 4, 4)):
    for dtype in DTYPES:
        w, v = orrery.eigh(np.empty(shape, dtype))
        close(w, np.linalg.eigh(np.empty(shape, dtype))[0], 1, f"empty {shape}")
        check(v.shape == shape and v.dtype == dtype, f"empty {shape}: {v.shape} {v.dtype}")

scales = 10.0 ** np.array([0, -10, -20, -30])  # D B D: small eigenvalues are determined
b = np.eye(4) + 0.1 * np.ones((4, 4))
w = orrery.eigvalsh(scales[:, None] * b * scales, accuracy="relative")
pivots = [np.linalg.det(b[:k, :k]) / np.linalg.det(b[:k - 1, :k - 1]) for k in range(1, 5)]
wanted = (np.array(pivots) * scales ** 2)[::-1]  # to first order in the ratio of scales
check((np.abs(w / wanted - 1) < 1e-12).all(), f"relative accuracy: {w / wanted - 1}")

# ---- Singular values -----------------------------------------------------------------------------

def singular(a, u, s, vh, full, what):
    m, n = a.shape[-2:]
    k = min(m, n)
    eps = np.finfo(a.dtype).eps
    shapes = (m, m if full else k), (k,), (n if full else k, n)
    check((u.shape, s.shape, vh.shape) == tuple(a.shape[:-2] + x for x in shapes), f"{what}: {u.shape} {s.shape} {vh.shape}")
    check(u.dtype == vh.dtype == a.dtype, f"{what}: dtypes")
    off = norm(a - u[..., :k] * s[..., None, :] @ vh[..., :k, :])
    check((off <= 20 * max(m, n) * eps * norm(a)).all(), f"{what}: residual {off.max(initial=0)}")
    orthonormal(u, max(m, n), f"{what}: u")
    orthonormal(vh.conj().swapaxes(-1, -2), max(m, n), f"{what}: v")


for dtype, (m, n) in itertools.product(DTYPES, ((1, 1), (1, 5), (5, 1), (3, 3), (17, 5), (5, 17), (33, 35), (104, 101))):
    for shape in ((), (3,), (2, 2)) if m < 100 else ((), (2,)):
        a = random(rng, dtype, *shape, m, n)
        reference = np.linalg.svd(a, compute_uv=False)
        for order, full in itertools.product((np.ascontiguousarray, fortran), (True, False)):
            what = f"svd {dtype} {a.shape} {order.__name__} full={full}"
            mine = order(a)
            before = mine.copy()
            u, s, vh = orrery.svd(mine, full_matrices=full, check=True)
            check((mine == before).all(), f"{what}: input changed")
            close(s, reference, max(m, n), what)
            singular(a, u, s, vh, full, what)
        close(orrery.svdvals(a), reference, max(m, n), f"svdvals {what}")
for dress in (strided, swapped, misaligned, read_only):
    for dtype in DTYPES:
        for m in (4, 110):
            a = random(rng, dtype, m, 107)
            for overwrite in (False, True):
                singular(a, *orrery.svd(dress(a), full_matrices=False, overwrite_a=overwrite), False, dress.__name__)
for shape in ((0, 3), (3, 0), (0, 0), (0, 2, 3), (2, 0, 3)):
    for full in (True, False):
        ours, theirs = (f(np.empty(shape), full_matrices=full) for f in (orrery.svd, np.linalg.svd))
        for x, y in zip(ours, theirs):
            check(x.shape == y.shape and x.dtype == y.dtype and (x == y).all(), f"empty svd {shape}: {x.shape}, {y.shape}")
    check(orrery.svdvals(np.empty(shape)).shape == np.linalg.svd(np.empty(shape), compute_uv=False).shape, "empty svdvals")
zero = np.zeros((4, 2))
singular(zero, *orrery.svd(zero), True, "svd of 0")
a = rng.standard_normal((40, 6)) * 10.0 ** -np.arange(0, 60, 10)
s = orrery.svdvals(a, accuracy="relative")
check(np.abs(s[-1] / np.linalg.norm(a[:, -1]) - 1) < 1, f"relative accuracy: {s}")
check(np.allclose(np.sort(s), np.sort(orrery.svdvals(a[:, ::-1], accuracy="relative")), rtol=1e-13, atol=0),
      "relative accuracy: columns in another order")

# ---- NaN, errors, options ---------------------------------------------------------------------------

nan = hermitian(rng, np.dtype("f8"), 5, 4, 4)
good = orrery.eigvalsh(nan)
nan[2, 3, 1] = np.nan
raises(ValueError, "a: matrix 2 has NaN", orrery.eigh, nan)
raises(ValueError, "a: matrix 2 has NaN", orrery.svd, nan)
w, v = orrery.eigh(nan, check_finite=False, check=True)
check(np.isnan(w[2]).all() and np.isnan(v[2]).all() and np.isfinite(np.delete(v, 2, 0)).all(), "NaN stays with its matrix")
check((np.delete(w, 2, 0) == np.delete(orrery.eigh(np.nan_to_num(nan))[0], 2, 0)).all(), "NaN changes others")
check((orrery.eigvalsh(nan, lower=False) == good).all(), "NaN in the other triangle is not read")
check(np.isnan(orrery.svdvals(nan, check_finite=False)[2]).all(), "svdvals of NaN")
for order in (np.ascontiguousarray, fortran):
    big = order(np.eye(500))
    big[7, 3] = np.inf
    raises(ValueError, "a: entry (7, 3)", orrery.eigh, big)
    raises(ValueError, "a: entry (7, 3)", orrery.svd, big)
    big = order(np.eye(500, 450))
    big[7, 3] = np.inf
    raises(ValueError, "a: entry (7, 3)", orrery.svd, big)
    check(np.isnan(orrery.svd(big, check_finite=False)[0][:, :450]).all(), "large NaN")
check(np.isnan(orrery.eigh(big[:450], check_finite=False)[1]).all(), "large NaN")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    w = orrery.eigvalsh(np.full((3, 2, 2), 3e38, np.float32))
    check(np.isinf(w[:, 1]).all() and len(caught) == 1 and "orrery.eigh" in str(caught[0].message), f"beyond the range: {w}")

for bad, kind, words in ((np.eye(3, dtype=object), TypeError, "a: dtype object"), ("ab", TypeError, "a: dtype"),
                         (np.eye(3, dtype="f2"), TypeError, "a: dtype float16"), (None, TypeError, "a: dtype object"),
                         (np.eye(3, dtype=np.longdouble), TypeError, "a: dtype"), (3.0, ValueError, "a: has 0 dim"),
                         ([[1, 2], [3]], (TypeError, ValueError), "a: "), (np.ones(3), ValueError, "a: has 1 dim")):
    for function in (orrery.eigh, orrery.eigvalsh, orrery.svd, orrery.svdvals):
        raises(kind, words, function, bad)
class Sparse:
    """As far as SciPy's sparse matrices are looked at: SciPy may not be there."""
    def toarray(self):
        return np.eye(2)


for function in (orrery.eigh, orrery.eigvalsh, orrery.svd, orrery.svdvals):
    raises(TypeError, "a: a sparse matrix; a.toarray() makes an array of it", function, Sparse())
raises(TypeError, "b: a sparse matrix; b.toarray() makes", orrery.eigh, np.eye(2), Sparse())
raises(ValueError, "a: entry (1, 0)", orrery.eigh, [[1, 0], [np.nan, 1]])
raises(ValueError, "a: matrices of shape (2, 3)", orrery.eigh, np.ones((2, 3)))
eye = np.eye(3)
for option, value, kind in (("lower", "L", TypeError), ("eigvals_only", None, TypeError), ("check", 1.5, TypeError),
                            ("overwrite_a", [], TypeError), ("check_finite", {}, TypeError), ("progress", 3, TypeError),
                            ("method", "qr", ValueError), ("accuracy", "high", ValueError), ("method", [], ValueError),
                            ("subset_by_index", 3, TypeError), ("subset_by_index", (0, 3), ValueError),
                            ("subset_by_index", (2, 1), ValueError), ("subset_by_index", (-1, 1), ValueError),
                            ("subset_by_index", (0.0, 1.0), TypeError), ("subset_by_index", (0, 1, 2), TypeError)):
    raises(kind, option, orrery.eigh, eye, **{option: value})
raises(ValueError, "check", orrery.eigh, eye, eigvals_only=True, check=True)
raises(ValueError, "check", orrery.svd, eye, compute_uv=False, check=True)
raises(ValueError, "accuracy", orrery.eigh, np.eye(1025), accuracy="relative")
raises(ValueError, "method", orrery.eigh, eye, accuracy="relative", method="lapack")

# A wrong result is seen: swapped vectors, a value too large.
w, v = np.linalg.eigh(hermitian(rng, np.dtype("f8"), 9, 9))
raises(orrery.CheckError, "residual of matrix 1", _dense.checked, {"residual": np.array([0, 30.0])}, "a", "eigh")
raises(orrery.CheckError, "residual", _dense.checked, {"residual": np.nan}, "a", "eigh")
check(_dense.departure(v) < 20 < _dense.departure(v + 1e-9), "departure from orthogonality")

seen = []
orrery.eigh(hermitian(rng, np.dtype("f8"), 3000, 5, 5), progress=lambda done, total: seen.append((done, total)))
check(seen and seen[-1] == (3000, 3000) and seen == sorted(seen), f"progress: {seen[:3]} ... {seen[-3:]}")
for function, a in ((orrery.eigh, hermitian(rng, np.dtype("f8"), 410, 410)), (orrery.svd, eye), (orrery.svdvals, np.eye(130))):
    seen = []
    function(a, progress=lambda done, total: seen.append((done, total)))
    check(seen and seen[-1][0] == seen[-1][1], f"progress of {function.__name__}: {seen[-3:]}")
seen = []
orrery.svdvals(random(rng, np.dtype("f8"), 3, 130, 140), progress=lambda done, total: seen.append((done, total)))
total = seen[-1][1]
check(seen == sorted(seen) and seen[-1] == (total, total) and any(total / 3 < done < total for done, _ in seen) and
      {t for _, t in seen} == {total}, f"progress over a stack, one by one: {seen}")


class Bar:
    """As much of tqdm as is used."""
    n, total = 0, None

    def update(self, by):
        self.n += by


bar = Bar()
orrery.eigh(hermitian(rng, np.dtype("f8"), 300, 5, 5), progress=bar)
check((bar.n, bar.total) == (300, 300), f"bar: {bar.n} of {bar.total}")


def stop(done, total):
    raise KeyError("from progress")


raises(KeyError, "from progress", orrery.eigh, hermitian(rng, np.dtype("f8"), 300, 5, 5), progress=stop)
ended()
