"""Sparse matrices: principal eigenpairs and singular triplets (powm), PageRank.

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import ctypes
import math
from typing import NamedTuple

import numpy as np

from . import _library as c
from ._dense import EighResult, SVDResult, svd
from ._runtime import LETTERS, Error, Progress, address, array, call, flag, integer, judge, lib, real, real_of, run

MOST_PAIRS = 390


# ---- Matrices ----------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """Compressed rows as the library takes them."""
    shape: tuple
    ptr: np.ndarray
    index: np.ndarray
    val: np.ndarray
    dtype: np.dtype  # to compute in


def _rows(given, name):
    if hasattr(given, "tocsr"):
        csr = given.tocsr()
        data, dtype = array(csr.data, name, 1, 1)
        ptr, index, shape = csr.indptr, csr.indices, csr.shape
    else:
        dense, dtype = array(given, name, 2, 2)
        row, index = np.nonzero(dense)
        data, shape = dense[row, index], dense.shape
        ptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=shape[0]))))
    if len(shape) != 2:
        raise ValueError(f"{name}: has {len(shape)} dimensions, 2 expected")
    ptr, index = np.require(ptr, np.int64, "CA"), np.require(index, np.int64, "CA")
    val = np.require(data, np.complex128 if dtype.kind == "c" else np.float64, "CA")
    if len(ptr) != shape[0] + 1 or not 0 <= ptr[-1] <= min(len(index), len(val)):
        raise ValueError(f"{name}: its indptr, indices and data do not fit each other")
    return _Rows(shape, ptr, index, val, dtype)


@contextlib.contextmanager
def _sparse(context, rows, name, function, **options):
    made, message = ctypes.c_void_p(), (ctypes.c_char * 256)()
    opts = c.orr_sparse_opts(type=bytes("sdcz"[LETTERS[rows.dtype]], "ascii"), **options)
    status = lib.orr_sparse_from_csr(context, *rows.shape, address(rows.ptr), address(rows.index), address(rows.val),
                                     rows.dtype.kind == "c", opts, made, message)
    report = c.orr_report(message=message.value)
    judge(status, report, name, function)
    try:
        yield made
    finally:
        lib.orr_sparse_free(made)


def _hermitian(matrix):
    info = c.orr_sparse_info()
    lib.orr_sparse_query(matrix, info)
    return info.hermitian


# ---- Eigenpairs ------------------------------------------------------------------------------------


class _Krylov(NamedTuple):
    """The arguments that eigsh and svds share."""
    k: int
    which: int
    basis: int
    tol: float
    max_products: int
    seed: int
    progress: Progress

    @classmethod
    def of(cls, shape, k, which, names, ncv, tol, maxiter, seed, progress):
        if which not in names:
            raise ValueError(f"which: {which!r} is not {' or '.join(map(repr, names))}")
        k = integer(k, "k", 1, min(MOST_PAIRS, *shape))
        return cls(k, names.index(which), 0 if ncv is None else integer(ncv, "ncv", k + 1, 2**31 - 1), real(tol, "tol", 0, 1),
                   0 if maxiter is None else integer(maxiter, "maxiter", 1, 2**62), integer(seed, "seed", 0, 2**64 - 1),
                   Progress(progress))

    def _rounding_is_left(self, pairs, tol, largest, rows, transposed):
        """Whether each pair is within `tol`, or its residual is rounding of A, or of A'A for singular values: of 0
        there are no exact digits."""
        limit = max(rows.shape) * np.finfo(rows.dtype).eps

        def rounding(p):
            if not transposed:
                return p.residual / largest
            return p.residual / largest * (p.re / largest if p.re > 0 else 1 / largest)
        return largest > 0 and all(p.relative <= tol or rounding(p) <= limit for p in pairs[:self.k])

    def _steps(self, rows):
        """Of `run`, at most: a product reads the entries and the basis, and does two operations with each."""
        basis = self.basis or max(20, 2 * self.k + 8)
        return (self.max_products or 20000) * (len(rows.index) + basis * rows.shape[1]) // 8

    def run(self, context, matrix, rows, transposed, name, function):
        """Eigenvalues or singular values, in the order of `which`, and their vectors as rows."""
        pairs = (c.orr_eigenpair * (self.k + 1))()
        vectors = np.zeros((self.k + 1, rows.shape[1]), rows.dtype)
        result, report = c.orr_powm_result(), c.orr_report()
        opts = c.orr_powm_opts(which=self.which, k=self.k, basis=self.basis, tol=self.tol, max_products=self.max_products, seed=self.seed,
                               transposed=transposed, progress=self.progress.callback)
        status = run(lib.orr_powm, context, matrix, opts, pairs, address(vectors), result, report, steps=self._steps(rows))
        self.progress.end()
        if status == c.NOCONV:
            report.message = result.note
            if result.found >= self.k and self._rounding_is_left(pairs, result.tol, result.largest, rows, transposed):
                status = c.OK
        judge(status, report, name, function)
        if result.found < self.k:
            raise Error(f"orrery.{function}: {result.found} of {self.k} pairs were found: {result.note.decode()}")
        return np.array([p.re for p in pairs[:self.k]], real_of(rows.dtype)), vectors[:self.k]


def eigsh(A, k=6, *, which="LM", ncv=None, tol=0.0, maxiter=None, return_eigenvectors=True, seed=0, progress=None):
    """k eigenvalues of a Hermitian sparse matrix, of largest modulus or at an end, and their eigenvectors.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix or array, or array_like
        float32, float64, complex64, complex128; integers and bool are converted to float64.
    k : int
        How many, at most 390 and n.
    which : {'LM', 'LA', 'SA'}
        Largest magnitude, algebraically largest, algebraically smallest.
    ncv : int, optional
        Vectors kept. None: max(20, 2 k + 8).
    tol : float
        ``|A v - w v| <= tol |w|`` for each pair, or is rounding, ``n eps max|w|``. Of 'LA' and 'SA' `tol` times the
        largest modulus that the iteration saw. 0: 1e-10, in single precision 1e-4.
    maxiter : int, optional
        Products with A, at most. None: 20000.
    return_eigenvectors : bool
        False: only ``w`` is returned.
    seed : int
        Of the start vector.
    progress : callable or tqdm bar, optional
        Called as ``progress(products, limit)`` by threads of the library.

    Returns
    -------
    w : (k,) ndarray
        Eigenvalues, ascending, in the units of `A`; float32 or float64.
    v : (n, k) ndarray
        Eigenvectors, columns. Only with ``return_eigenvectors=True``.

    Raises
    ------
    TypeError, ValueError
        An argument, which the message names; `A` is not Hermitian, to the last bit.
    ConvergenceError
        Not all pairs are within `tol` after `maxiter` products.

    Notes
    -----
    Thick-restart Lanczos; docs/algorithms/powm.md has the sources.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> w, v = orrery.eigsh(np.diag([1.0, -5.0, 3.0, 2.0]), k=2)
    >>> print(np.round(w, 9), v.shape)
    [-5.  3.] (4, 2)
    """
    function = "eigsh"
    rows = _rows(A, "A")
    if rows.shape[0] != rows.shape[1]:
        raise ValueError(f"A: a matrix of shape {rows.shape} is not square")
    krylov = _Krylov.of(rows.shape, k, which, ("LM", "LA", "SA"), ncv, tol, maxiter, seed, progress)
    vectors = flag(return_eigenvectors, "return_eigenvectors")
    with call() as context, _sparse(context, rows, "A", function) as matrix:
        if not _hermitian(matrix):
            raise ValueError("A: is not Hermitian")
        w, v = krylov.run(context, matrix, rows, None, "A", function)
    order = np.argsort(w, kind="stable")
    return EighResult(w[order], v[order].T) if vectors else w[order]


def svds(A, k=6, *, which="LM", ncv=None, tol=0.0, maxiter=None, return_singular_vectors=True, seed=0, progress=None):
    """The k largest singular values of a real sparse matrix, and their vectors.

    Parameters
    ----------
    A : (m, n) scipy.sparse matrix or array, or array_like
        float32, float64; integers and bool are converted to float64. Complex matrices are refused.
    k : int
        How many, at most 390 and min(m, n).
    which : {'LM'}
        The largest.
    ncv, maxiter, seed, progress
        As `eigsh`. A step makes two products.
    tol : float
        ``|A'A v - s^2 v| <= tol s^2`` for each, or is rounding of A'A. 0: 1e-10, in single precision 1e-4.
    return_singular_vectors : bool
        False: only ``s`` is returned.

    Returns
    -------
    u : (m, k) ndarray
        Left singular vectors, columns. Only with ``return_singular_vectors=True``.
    s : (k,) ndarray
        Singular values, ascending as SciPy has them, in the units of `A`.
    vh : (k, n) ndarray
        Right singular vectors, rows. Only with ``return_singular_vectors=True``.

    Raises
    ------
    TypeError, ValueError
        An argument, which the message names.
    ConvergenceError
        Not all are within `tol` after `maxiter` products.

    Notes
    -----
    The library finds right vectors V, by Lanczos on A'A (docs/algorithms/powm.md); A V = Q R and `svd` of R, which
    is k x k, give u, and s and vh anew.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> u, s, vh = orrery.svds([[0, 2, 0], [0, 0, 0], [5, 0, 0], [0, 0, 1]], k=2)
    >>> print(np.round(s, 9), u.shape, vh.shape)
    [2. 5.] (4, 2) (2, 3)
    """
    function = "svds"
    rows = _rows(A, "A")
    if rows.dtype.kind == "c":
        raise TypeError("A: singular values of complex sparse matrices are not there; svd takes dense ones")
    krylov = _Krylov.of(rows.shape, k, which, ("LM",), ncv, tol, maxiter, seed, progress)
    vectors = flag(return_singular_vectors, "return_singular_vectors")
    with call() as context, _sparse(context, rows, "A", function) as matrix, \
            _sparse(context, rows, "A", function, transpose=1) as transposed:
        _, v = krylov.run(context, matrix, rows, transposed, "A", function)
        product = np.empty((krylov.k, rows.shape[0]), rows.dtype)
        for x, y in zip(v, product):
            report = c.orr_report()
            judge(run(lib.orr_sparse_multiply, context, matrix, address(x), address(y), report,
                      steps=len(rows.index) + sum(rows.shape)), report, "A", function)
    if not np.isfinite(product).all():
        raise Error("orrery.svds: products with the matrix are beyond the range of its type")
    q, r = np.linalg.qr(product.T)
    u, s, rotation = svd(r, full_matrices=False)
    return SVDResult(q @ u[:, ::-1], s[::-1], rotation[::-1] @ v) if vectors else s[::-1]


# ---- PageRank ----------------------------------------------------------------------------------------


class PageRankResult(NamedTuple):
    """What `pagerank` knows of its scores, with ``full_output=True``."""
    scores: np.ndarray
    steps: int
    bound: float    # |scores - exact|, sum of moduli, is at most this
    dangling: int   # nodes without links out


def pagerank(graph, alpha=0.85, *, personalization=None, max_iter=10000, tol=0.0, dangling="p", full_output=False,
             progress=None):
    """PageRank of the nodes of a directed graph.

    Parameters
    ----------
    graph : (n, n) scipy.sparse matrix or array, or array_like
        Entry (i, j): the weight, not negative, of the links from i to j. float32 or float64; integers and bool are
        converted to float64.
    alpha : float
        Damping, 0 < alpha < 1.
    personalization : (n,) array_like, optional
        Weights of the nodes to which one jumps, not negative. None: all alike.
    max_iter : int
        Steps, at most.
    tol : float
        Ends when a step changes the scores by at most this, sum of moduli. 0: 1e-10, in single precision 1e-6.
    dangling : {'p', 'u', 'n'}
        Nodes without links lead where one jumps, to all nodes alike, or nowhere (scores then do not sum to 1).
    full_output : bool
        True: a `PageRankResult` with the steps and a bound of the error.
    progress : callable or tqdm bar, optional
        Called as ``progress(steps, limit)`` by threads of the library.

    Returns
    -------
    scores : (n,) ndarray
        They sum to 1. float32 if `graph` is, else float64.

    Raises
    ------
    TypeError, ValueError
        An argument, which the message names.
    ConvergenceError
        After `max_iter` steps.

    Notes
    -----
    docs/algorithms/pagerank.md has the sources.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> print(np.round(orrery.pagerank([[0, 1, 1], [0, 0, 1], [1, 0, 0]]), 6))
    [0.38779  0.214811 0.3974  ]
    """
    function = "pagerank"
    rows = _rows(graph, "graph")
    n = rows.shape[0]
    if rows.shape[1] != n:
        raise ValueError(f"graph: a matrix of shape {rows.shape} is not square")
    if rows.dtype.kind == "c":
        raise TypeError("graph: has complex weights")
    weights = None
    if personalization is not None:
        weights = np.require(array(personalization, "personalization", 1, 1)[0].real, np.float64, "CA")
        if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError(f"personalization: not {n} finite weights, none negative, not all 0")
    alpha, tol = real(alpha, "alpha", 0, 1), real(tol, "tol", 0, 2)
    if alpha in (0, 1):
        raise ValueError(f"alpha: {alpha:g} is not between 0 and 1")
    if dangling not in ("p", "u", "n"):
        raise ValueError(f"dangling: {dangling!r} is none of 'p', 'u', 'n'")
    full = flag(full_output, "full_output")
    progress = Progress(progress)
    opts = c.orr_pagerank_opts(alpha=alpha, tol=tol, max_steps=integer(max_iter, "max_iter", 1, 2**62),
                               dangling=dangling.encode(), personal=address(weights), progress=progress.callback)
    # Each step changes the scores by alpha times what the one before did, or less.
    most_steps = min(opts.max_steps, math.log(tol or 1e-10) / math.log(alpha))
    scores, result, report = np.empty(n, rows.dtype), c.orr_pagerank_result(), c.orr_report()
    if n:
        with call() as context, _sparse(context, rows, "graph", function, graph=1) as matrix:
            status = run(lib.orr_pagerank, context, matrix, opts, address(scores), result, report,
                         steps=(len(rows.index) + n) * most_steps)
        progress.end()
        judge(status, report, "graph", function)
    return PageRankResult(scores, result.steps, result.bound, result.dangling) if full else scores
