"""eigh(a, b) and eigvalsh(a, b) give what SciPy gives: four dtypes, three types, orders of axes, triangles, stacks, subsets;
and say what is wrong with arguments.

Values: max |w - w_scipy| <= 20 n eps K max|w|, K = |b| |b^-1|. Vectors: |a v - b v w| <= 20 n eps (|a| + |b| max|w|) |v|
(types 2 and 3: |a b v - v w|, |b a v - v w| over n eps |a| |b| |v|), |v'b v - 1| <= 20 n eps K, |v'b^-1 v - 1| of type 3.

SPDX-License-Identifier: BSD-3-Clause"""
import itertools
import sys

from common import DTYPES, check, ended, hermitian, raises, random  # first: skips without NumPy

import numpy as np

import orrery
from orrery import _dense

try:
    import scipy.linalg as sl
except ImportError:
    print("skipped: no SciPy to compare generalised problems with (Debian: python3-scipy)")
    sys.exit(77)

rng = np.random.default_rng(23)


def definite(dtype, *shape):
    b = random(rng, dtype, *shape)
    return b @ b.conj().swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1], dtype=dtype)


def norm(a):
    return np.linalg.norm(a)


def close(w, wanted, b, what):
    n = b.shape[-1]
    check(w.shape == wanted.shape and w.dtype == wanted.dtype, f"{what}: {w.shape} {w.dtype}, not {wanted.shape} {wanted.dtype}")
    size = 20 * n * np.finfo(w.dtype).eps * norm(b) * norm(np.linalg.inv(b)) * np.abs(wanted).max(initial=0)
    check(w.shape == wanted.shape and np.abs(w - wanted).max(initial=0) <= size, f"{what}: values differ")


def vectors(a, b, w, v, kind, what):
    n, eps = a.shape[-1], np.finfo(v.dtype).eps
    check(v.shape == (n, len(w)) and v.dtype == np.result_type(a, b), f"{what}: vectors {v.shape} {v.dtype}")
    off = {1: lambda: a @ v - b @ v * w, 2: lambda: a @ (b @ v) - v * w, 3: lambda: b @ (a @ v) - v * w}[kind]()
    size = (norm(a) + norm(b) * np.abs(w).max(initial=0) if kind == 1 else norm(a) * norm(b)) * norm(v)
    check(norm(off) <= 20 * n * eps * size, f"{what}: residual {norm(off) / (n * eps * size)}")
    basis = v.conj().T @ (np.linalg.solve(b, v) if kind == 3 else b @ v)
    check(norm(basis - np.eye(len(w))) <= 20 * n * eps * norm(b) * norm(np.linalg.inv(b)), f"{what}: not orthonormal")


# ---- Against SciPy ---------------------------------------------------------------------------------

fortran = np.asfortranarray
for dtype, n, kind in itertools.product(DTYPES, (1, 2, 33, 300), (1, 2, 3)):
    if n > 2 and kind != 1 + DTYPES.index(dtype) % 3:
        continue
    a, b = hermitian(rng, dtype, n, n), definite(dtype, n, n)
    wanted = sl.eigh(a, b, type=kind, eigvals_only=True)
    for of_a, of_b, lower in ((np.ascontiguousarray, np.ascontiguousarray, True), (np.ascontiguousarray, fortran, False),
                              (fortran, np.ascontiguousarray, True), (fortran, fortran, False)):
        what = f"{dtype} {n} type {kind} {of_a.__name__} {of_b.__name__} lower={lower}"
        junk = random(rng, dtype, n, n)
        half_a, half_b = (order(np.tril(x) + np.triu(junk, 1) if lower else np.triu(x) + np.tril(junk, -1))
                          for x, order in ((a, of_a), (b, of_b)))
        before = half_a.copy(), half_b.copy()
        w, v = orrery.eigh(half_a, half_b, type=kind, lower=lower, check=True)
        check((half_a == before[0]).all() and (half_b == before[1]).all(), f"{what}: input changed")
        close(w, wanted, b, what)
        vectors(a, b, w, v, kind, what)
        close(orrery.eigvalsh(half_a, half_b, type=kind, lower=lower), wanted, b, f"{what}: values alone")
    first, last = n // 3, n // 2
    w, v = orrery.eigh(a, b, type=kind, subset_by_index=(first, last), check=True)
    close(w, sl.eigh(a, b, type=kind, eigvals_only=True, subset_by_index=(first, last)), b, f"{what}: subset")
    vectors(a, b, w, v, kind, f"{what}: subset")
    ends = np.concatenate(([-np.inf], (wanted[1:] + wanted[:-1]) / 2, [np.inf]))
    if ends[first] < ends[last + 1]:
        w, v = orrery.eigh(a, b, type=kind, subset_by_value=(ends[first], ends[last + 1]))
        close(w, wanted[first:last + 1], b, f"{what}: interval")
        vectors(a, b, w, v, kind, f"{what}: interval")

# ---- Stacks, memory, dtypes ------------------------------------------------------------------------

for dtype, (of_a, of_b) in itertools.product(DTYPES, (((2, 3), (2, 3)), ((4,), ()), ((), (4,)), ((2, 1), (3,)))):
    a, b = hermitian(rng, dtype, *of_a, 7, 7), definite(dtype, *of_b, 7, 7)
    for kind in (1, 2, 3) if dtype.char == "D" else (1,):
        w, v = orrery.eigh(a, b, type=kind, check=True)
        shape = np.broadcast_shapes(of_a, of_b)
        check(w.shape == shape + (7,) and v.shape == shape + (7, 7), f"stacks {of_a} {of_b}: {w.shape} {v.shape}")
        all_a, all_b = (np.broadcast_to(x, shape + (7, 7)) for x in (a, b))
        for at in np.ndindex(shape):
            close(w[at], sl.eigh(all_a[at], all_b[at], type=kind, eigvals_only=True), all_b[at], f"stacks {of_a} {of_b}")
            vectors(all_a[at], all_b[at], w[at], v[at], kind, f"stacks {of_a} {of_b}")
for first, second in itertools.product(DTYPES + [np.dtype("i4")], repeat=2):
    a, b = (hermitian(rng, np.dtype("f8"), 4, 4) * 9).astype(first), (np.eye(4) * 3).astype(second)
    w, v = orrery.eigh(a, b)
    wanted = np.result_type(*("f8" if x.kind == "i" else x for x in (first, second)))
    check(v.dtype == wanted and w.dtype == _dense.real_of(wanted), f"{first} and {second}: {w.dtype} {v.dtype}")
for order in (np.ascontiguousarray, fortran):
    a, b = order(hermitian(rng, np.dtype("c16"), 9, 9)), order(definite(np.dtype("c16"), 9, 9))
    kept = a.copy(), b.copy()
    w, v = orrery.eigh(a, b, overwrite_a=True, overwrite_b=True)
    vectors(*kept, w, v, 1, "overwrite")
    check((b != kept[1]).any(), "overwrite_b: the memory was not used")
a, b = hermitian(rng, np.dtype("c16"), 5, 5), definite(np.dtype("c16"), 5, 5)
b.flags.writeable = False
w, v = orrery.eigh(a.astype(">c16"), np.repeat(b, 2, axis=1)[:, ::2], overwrite_a=True, overwrite_b=True)
vectors(a, b, w, v, 1, "another byte order, strides")
vectors(a, b, *orrery.eigh(a, b, overwrite_b=True), 1, "read-only")
for shape in ((0, 0), (3, 0, 0), (0, 4, 4)):
    w, v = orrery.eigh(np.empty(shape), np.empty(shape))
    check(w.shape == shape[:-1] and v.shape == shape, f"empty {shape}: {w.shape} {v.shape}")
seen = []
orrery.eigh(hermitian(rng, np.dtype("f8"), 3, 90, 90), np.eye(90), progress=lambda done, total: seen.append((done, total)))
check(seen and seen == sorted(seen) and seen[-1][0] == seen[-1][1], f"progress: {seen[-3:]}")

# ---- What is wrong ---------------------------------------------------------------------------------

a, b = hermitian(rng, np.dtype("f8"), 300, 300), definite(np.dtype("f8"), 300, 300)
for minor in (1, 7, 300):
    bad = b.copy()
    bad[minor - 1, minor - 1] = -1
    raises(np.linalg.LinAlgError, f"b: the matrix is not positive definite: its leading minor of order {minor} ", orrery.eigh, a, bad)
    raises(orrery.DefiniteError, f"order {minor} ", orrery.eigvalsh, a, bad, type=3)
    try:
        sl.eigh(a, bad)
        check(False, "SciPy finds it positive definite")
    except np.linalg.LinAlgError as e:
        check(f"minor of order {minor} " in str(e), f"SciPy: {e}")
raises(np.linalg.LinAlgError, "b: matrix 1 of the stack", orrery.eigh, np.eye(2), [np.eye(2), np.diag([1, -1])])
nan = b.copy()
nan[7, 3] = np.nan
for order in (np.ascontiguousarray, fortran):
    raises(ValueError, "b: entry (7, 3)", orrery.eigh, order(a), order(nan))
    raises(ValueError, "b: entry (7, 3)", orrery.eigvalsh, order(a), nan)
    raises(ValueError, "a: entry (7, 3)", orrery.eigh, order(nan), b)
w, v = orrery.eigh([a, a], [nan, b], check_finite=False)
check(np.isnan(w[0]).all() and np.isnan(v[0]).all() and np.isfinite(w[1]).all() and np.isfinite(v[1]).all(), "NaN stays")
eye = np.eye(3)
for bad, kind, words in ((np.eye(2), ValueError, "b: matrices of shape (2, 2)"), (np.ones((3, 2)), ValueError, "b: matrices of shape (3, 2)"),
                         (3.0, ValueError, "b: has 0 dim"), ("ab", TypeError, "b: dtype"), (np.eye(3, dtype=object), TypeError, "b: dtype object"),
                         (np.ones((2, 3, 3)), ValueError, "b: a stack of shape (2,)"), ({}, TypeError, "b: ")):
    raises(kind, words, orrery.eigh, [eye, eye, eye], bad)
    raises(kind, words, orrery.eigvalsh, [eye, eye, eye], bad)
for option, value, kind in (("type", 0, ValueError), ("type", 4, ValueError), ("type", "1", TypeError), ("type", None, TypeError),
                            ("overwrite_b", [], TypeError), ("method", "jacobi", ValueError), ("accuracy", "relative", ValueError)):
    raises(kind, option + ":", orrery.eigh, eye, eye, **{option: value})
raises(ValueError, "subset_by_value: ", orrery.eigh, eye, [eye, eye], subset_by_value=(0, 1))

# A wrong result is seen: swapped vectors.
a, b = hermitian(rng, np.dtype("f8"), 9, 9), definite(np.dtype("f8"), 9, 9)
for kind in (1, 2, 3):
    w, v = sl.eigh(a, b, type=kind)
    good = _dense._of_pencil(kind, a, b, w, v)
    check(max(good.values()) <= 20, f"figures of type {kind}: {good}")
    swapped, longer = _dense._of_pencil(kind, a, b, w, v[:, ::-1]), _dense._of_pencil(kind, a, b, w, v * (1 + 1e-9))
    check(swapped["residual"] > 20 and longer["orthogonality"] > 20, f"wrong ones of type {kind}: {swapped} {longer}")
ended()
