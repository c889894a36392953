"""eig_banded, eigvals_banded, eigsh, svds, pagerank give what NumPy gives of the dense matrix; matrices of
scipy.sparse are taken where there is SciPy.

SPDX-License-Identifier: BSD-3-Clause"""
import itertools

from common import DTYPES, check, ended, hermitian, raises, random  # first: skips without NumPy

import numpy as np

import orrery

try:
    import scipy.linalg
    import scipy.sparse
except ImportError:
    scipy = None
    print("no SciPy: its sparse matrices are not tested, nor its eig_banded compared")

rng = np.random.default_rng(20)


def near(x, y, tolerance, what):
    check(x.shape == y.shape and x.dtype == y.dtype, f"{what}: {x.shape} {x.dtype}, not {y.shape} {y.dtype}")
    check(x.shape == y.shape and np.abs(x - y).max(initial=0) <= tolerance * np.abs(y).max(initial=0) + 1e-300,
          f"{what}: {x} {y}")


# ---- Bands ---------------------------------------------------------------------------------------

def band_of(a, b, lower):
    """Storage with what does not belong to the matrix filled by numbers."""
    n = len(a)
    ab = np.full((b + 1, n), 7, a.dtype)
    for i, j in itertools.product(range(n), range(n)):
        if 0 <= i - j <= b and lower:
            ab[i - j, j] = a[i, j]
        if 0 <= j - i <= b and not lower:
            ab[b + i - j, j] = a[i, j]
    return ab


for dtype, (n, b), lower in itertools.product(DTYPES, ((1, 0), (1, 3), (2, 1), (5, 0), (5, 2), (5, 9), (37, 6), (67, 33)),
                                              (True, False)):
    eps = np.finfo(dtype).eps
    a = hermitian(rng, dtype, n, n)
    a[np.abs(np.subtract.outer(range(n), range(n))) > b] = 0
    reference = np.linalg.eigvalsh(a)
    ab = band_of(a, b, lower)
    for order in (np.ascontiguousarray, np.asfortranarray, lambda x: x[:, ::-1].copy()[:, ::-1]):
        what = f"eig_banded {dtype} n={n} b={b} lower={lower}"
        mine = order(ab)
        w, v = orrery.eig_banded(mine, lower, check=True)
        near(w, reference, 20 * n * eps, what)
        check((mine == ab).all(), f"{what}: input changed")
        check(v.shape == (n, n) and v.dtype == dtype, f"{what}: vectors {v.shape} {v.dtype}")
        check(np.linalg.norm(a @ v - v * w) <= 20 * n * eps * np.linalg.norm(a), f"{what}: residual")
        check(np.linalg.norm(v.conj().T @ v - np.eye(n)) <= 20 * n * eps, f"{what}: not orthonormal")
        near(orrery.eigvals_banded(mine, lower), reference, 20 * n * eps, f"{what}: values alone")
    if scipy and b < n:  # SciPy takes no more diagonals than there are
        near(w, scipy.linalg.eigvals_banded(ab, lower), 20 * n * eps, f"{what}: SciPy")
    middle = (reference[n // 3] + reference[n // 3 - 1]) / 2 if n > 3 else reference[0] - 1
    v = orrery.eig_banded(ab, lower, select="v", select_range=(middle, reference[-1] + 1))
    near(v[0], reference[n // 3 if n > 3 else 0:], 20 * n * eps, f"{what}: interval")
    check(v[1].shape == (n, len(v[0])), f"{what}: interval: {v[1].shape}")
    near(orrery.eigvals_banded(ab, lower, select="i", select_range=(n // 2, n - 1)), reference[n // 2:], 20 * n * eps,
         f"{what}: by index")
    w, v = orrery.eig_banded(ab, lower, select="i", select_range=(0, n // 2), check=True)
    check(v.shape == (n, n // 2 + 1) and np.linalg.norm(a @ v - v * w) <= 20 * n * eps * np.linalg.norm(a),
          f"{what}: vectors by index")
    for ends in ((reference[-1] + 1, np.inf), (1, 1)):
        w, v = orrery.eig_banded(ab, lower, select="v", select_range=ends)
        check(w.shape == (0,) and v.shape == (n, 0), f"{what}: nothing in an interval")
for shape in ((1, 0), (3, 0)):
    check(orrery.eigvals_banded(np.empty(shape)).shape == (0,), "an empty band")
    check(orrery.eig_banded(np.empty(shape))[1].shape == (0, 0), "an empty band")
ab = np.ones((2, 5))
ab[1, 2] = np.nan
raises(ValueError, "a_band: entry (1, 2)", orrery.eigvals_banded, ab, lower=True)
check(np.isnan(orrery.eig_banded(ab, lower=True, check_finite=False)[1]).all(), "NaN in a band")
for bad, words in ((np.ones(3), "a_band: has 1"), (np.ones((2, 2, 2)), "a_band: has 3"), (np.empty((0, 3)), "a_band")):
    raises(ValueError, words, orrery.eig_banded, bad)
raises(TypeError, "a_band", orrery.eig_banded, np.ones((2, 2), object))
for options, kind, words in (({"select": "x"}, ValueError, "select"), ({"select": "v"}, ValueError, "select_range"),
                             ({"select": "i", "select_range": (0, 3)}, ValueError, "select_range"),
                             ({"select": "i", "select_range": (0.5, 1)}, TypeError, "select_range"),
                             ({"select": "v", "select_range": (1, 0)}, ValueError, "select_range"),
                             ({"select": "v", "select_range": ("a", 0)}, TypeError, "select_range"),
                             ({"lower": "x"}, TypeError, "lower"), ({"progress": 1}, TypeError, "progress")):
    raises(kind, words, orrery.eigvals_banded, np.ones((2, 3)), **options)

# ---- Krylov --------------------------------------------------------------------------------------

forms = [np.asarray] + ([getattr(scipy.sparse, f"{f}_matrix") for f in ("csr", "coo")] if scipy else [])
for dtype, form in itertools.product(DTYPES, forms):
    tolerance = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-9
    n = 60
    a = hermitian(rng, dtype, n, n) * (rng.random((n, n)) < 0.2)
    a = np.tril(a) + np.tril(a, -1).conj().T + np.diag(np.arange(n)).astype(dtype)
    reference = np.linalg.eigvalsh(a)
    reference = np.sort(reference[np.argsort(-np.abs(reference))[:3]])
    what = f"eigsh {dtype} {form.__name__}"
    w, v = orrery.eigsh(form(a), k=3)
    near(w, reference, tolerance, what)
    check(v.shape == (n, 3) and v.dtype == dtype, f"{what}: {v.shape} {v.dtype}")
    check(np.linalg.norm(a @ v - v * w) <= 10 * tolerance * np.linalg.norm(a), f"{what}: residual")
    twice = form(np.kron(np.eye(2, dtype=dtype), a))
    near(orrery.eigsh(twice, k=5)[0], np.sort(np.repeat(w[np.argsort(-np.abs(w))], 2)[:5]), tolerance, f"{what}: twice")
    near(orrery.eigsh(form(a), k=3, return_eigenvectors=False), w, tolerance, f"{what}: values alone")
    for which, end in (("LA", slice(-3, None)), ("SA", slice(3))):
        near(orrery.eigsh(form(a), k=3, which=which)[0], np.linalg.eigvalsh(a)[end], tolerance, f"{what} {which}")
    if dtype.kind == "c":
        raises(TypeError, "A: ", orrery.svds, form(a))
        continue
    for m in (40, 75):
        a = random(rng, dtype, m, 60) * (rng.random((m, 60)) < 0.3)
        what = f"svds {dtype} {form.__name__} {m}"
        u, s, vh = orrery.svds(form(a), k=4)
        near(s, np.linalg.svd(a, compute_uv=False)[3::-1], 10 * tolerance, what)
        check((u.shape, vh.shape) == ((m, 4), (4, 60)) and u.dtype == vh.dtype == dtype, f"{what}: {u.shape} {vh.shape}")
        check(np.linalg.norm(a @ vh.T - u * s) <= 10 * tolerance * s[-1], f"{what}: residual")
        check(np.linalg.norm(a.T @ u - vh.T * s) <= 100 * np.sqrt(tolerance) * s[-1], f"{what}: residual of a'")
        check(np.linalg.norm(u.T @ u - np.eye(4)) + np.linalg.norm(vh @ vh.T - np.eye(4)) < tolerance, f"{what}: angles")
        near(orrery.svds(form(a), k=4, return_singular_vectors=False), s, 10 * tolerance, f"{what}: values alone")
check(orrery.eigsh([[3.0]], k=1)[0].tolist() == [3.0], "eigsh of 1 x 1")
near(orrery.eigsh(np.diag([3, 1, -7, 0]), k=4, return_eigenvectors=False), np.array([-7.0, 0, 1, 3]), 1e-9, "eigsh of integers")
u, s, vh = orrery.svds(np.outer([1.0, 2, 2], [2.0, 0, 1, 0]), k=2)
near(s, np.array([0, 3 * np.sqrt(5)]), 1e-9, "svds of rank 1")
check(np.allclose(u.T @ u, np.eye(2)), "svds of rank 1: left vectors")

# All pairs of tiny matrices, matrices that fall apart, and rows and columns without entries.
links = (rng.random((150, 150)) < 0.05) * rng.standard_normal((150, 150))
links[60:, :60] = links[:60, 60:] = 0  # two parts
links[::7] = links[:, ::7] = 0
for what, a, k in [(f"order {n}", rng.standard_normal((n, n)), n) for n in (1, 2, 3, 24)] + [("isolated nodes", links, 4)]:
    for form in forms:
        symmetric = a + a.T
        w, v = orrery.eigsh(form(symmetric), k=k)
        reference = np.linalg.eigvalsh(symmetric)
        near(w, np.sort(reference[np.argsort(-np.abs(reference))[:k]]), 1e-9, f"eigsh, {what} {form.__name__}")
        check(np.linalg.norm(v.T @ v - np.eye(k)) < 1e-9, f"eigsh, {what}: angles")
        u, s, vh = orrery.svds(form(a), k=k)
        near(s, np.linalg.svd(a, compute_uv=False)[:k][::-1], 1e-7, f"svds, {what} {form.__name__}")
        check(np.linalg.norm(a @ vh.T - u * s) <= 1e-7 * s[-1], f"svds, {what}: residual")
for n in (1, 2, 3, 24):
    check((orrery.eigsh(np.zeros((n, n)), k=1, return_eigenvectors=False) == 0).all(), f"eigsh of {n} x {n} zeros")
raises(orrery.ConvergenceError, "eigsh", orrery.eigsh, np.diag(1 + 1e-9 * np.arange(300.0)), k=1, maxiter=3)
raises(np.linalg.LinAlgError, "eigsh", orrery.eigsh, np.diag(1 + 1e-9 * np.arange(300.0)), k=1, maxiter=3)
raises(ValueError, "A: is not Hermitian", orrery.eigsh, np.triu(np.ones((9, 9))))
raises(ValueError, "A: a matrix of shape", orrery.eigsh, np.ones((3, 4)))
raises(ValueError, "A: ", orrery.eigsh, np.full((4, 4), np.nan), k=1)
eye = np.eye(9)
for function in (orrery.eigsh, orrery.svds):
    for options, kind, words in (({"k": 0}, ValueError, "k: "), ({"k": 10}, ValueError, "k: "), ({"k": 1.5}, TypeError, "k: "),
                                 ({"which": "SM"}, ValueError, "which: "), ({"which": 3}, ValueError, "which: "),
                                 ({"ncv": 2}, ValueError, "ncv: "), ({"tol": -1}, ValueError, "tol: "),
                                 ({"tol": "x"}, TypeError, "tol: "), ({"tol": np.nan}, ValueError, "tol: "),
                                 ({"maxiter": 0}, ValueError, "maxiter: "), ({"seed": -1}, ValueError, "seed: ")):
        raises(kind, words, function, eye, **options)
    raises(TypeError, "A: dtype", function, np.ones((3, 3), object))
if scipy:
    broken = scipy.sparse.random(20, 20, 0.3, "csr", random_state=1)
    for what, value in (("indices", 10**6), ("indices", -1), ("indptr", 10**6), ("indptr", -5)):
        bad = broken.copy()
        getattr(bad, what)[3] = value
        raises(ValueError, "graph: ", orrery.pagerank, bad)
    bad = broken.copy()
    bad.data = bad.data[:5]
    raises(ValueError, "graph: ", orrery.pagerank, bad)

# ---- PageRank ------------------------------------------------------------------------------------

def reference_pagerank(a, alpha, jump, dangling):
    out = a.sum(axis=1)
    p = np.divide(a, out[:, None], out=np.zeros_like(a, "f8"), where=out[:, None] > 0)
    where = {"p": jump, "u": np.full(len(a), 1 / len(a)), "n": np.zeros(len(a))}[dangling]
    p[out == 0] = where
    x = np.linalg.solve(np.eye(len(a)) - alpha * p.T, (1 - alpha) * jump)
    return x


for dtype, form, dangling in itertools.product(DTYPES[:2], forms, "pun"):
    n = 50
    a = (rng.random((n, n)) * (rng.random((n, n)) < 0.1)).astype(dtype)
    a[7] = 0
    jump = rng.random(n)
    for personal in (None, jump):
        even = np.full(n, 1 / n) if personal is None else jump / jump.sum()
        wanted = reference_pagerank(a.astype("f8"), 0.9, even, dangling).astype(dtype)
        got = orrery.pagerank(form(a), 0.9, personalization=personal, dangling=dangling, full_output=True)
        near(got.scores, wanted, 1e-4 if dtype == np.dtype("f4") else 1e-8, f"pagerank {dtype} {form.__name__} {dangling}")
        check(got.dangling == (a.sum(axis=1) == 0).sum() and got.steps > 0 and got.bound > 0, f"pagerank: {got[1:]}")
check(orrery.pagerank(np.empty((0, 0))).shape == (0,) and orrery.pagerank([[5]]).tolist() == [1.0], "tiny graphs")
for options, kind, words in (({"alpha": 1}, ValueError, "alpha"), ({"alpha": "x"}, TypeError, "alpha"),
                             ({"personalization": [1, 2]}, ValueError, "personalization"),
                             ({"personalization": -np.ones(9)}, ValueError, "personalization"),
                             ({"personalization": "abc"}, TypeError, "personalization"),
                             ({"dangling": "x"}, ValueError, "dangling"), ({"max_iter": 0}, ValueError, "max_iter"),
                             ({"tol": -1}, ValueError, "tol"), ({"progress": "x"}, TypeError, "progress")):
    raises(kind, words, orrery.pagerank, eye, **options)
raises(ValueError, "graph: ", orrery.pagerank, -eye)
raises(TypeError, "graph: ", orrery.pagerank, 1j * eye)
raises(orrery.ConvergenceError, "pagerank", orrery.pagerank, rng.random((30, 30)), tol=1e-15, max_iter=2)
ended()
