"""Dense matrices, alone or in stacks: heevj and gesvj take a stack in one call, heev, hegv and gesvd one
large matrix.

SPDX-License-Identifier: BSD-3-Clause
"""
from typing import NamedTuple

import numpy as np

from . import _library as c
from ._runtime import (LETTERS, CheckError, DefiniteError, Progress, address, array, call, choice, flag, integer, judge, lib, real_of,
                       run)

MOST_BATCHED = 1024  # the largest order of heevj
# From which order on gesvd, matrix by matrix, is faster than gesvj; measured on two cores with AVX-512.
LARGE_SVD, LARGE_SVDVALS = 300, 48
FEW, LARGE_SVDVALS_OF_FEW = 16, 24  # of fewer than so many: they do not fill the lanes of gesvj's kernel
LIMIT = 20           # of check figures, in units of n eps


class EighResult(NamedTuple):
    """Eigenvalues ``w``, shape (..., k), and eigenvectors, shape (..., n, k), as `eigh` returns them."""
    eigenvalues: np.ndarray
    eigenvectors: np.ndarray


class SVDResult(NamedTuple):
    """``U``, ``S`` and ``Vh`` of ``a = U @ diag(S) @ Vh``, as `svd` returns them."""
    U: np.ndarray
    S: np.ndarray
    Vh: np.ndarray


# ---- Column-major matrices out of whatever came --------------------------------------------------


def _columns(a):
    """`a` seen as C-contiguous memory of column-major matrices as far as that goes, and whether these are
    the transposed ones."""
    t = a.swapaxes(-1, -2)
    return (t, False) if t.flags.c_contiguous else (a, True)


def _usable(seen, dtype):
    return seen.flags.c_contiguous and seen.flags.aligned and seen.dtype == dtype and seen.dtype.isnative


def _copy(seen, dtype, overwrite, conjugate):
    """`seen` in memory that the library may destroy: of the caller if he allows it."""
    own = overwrite and _usable(seen, dtype) and seen.flags.writeable
    to = seen if own else np.empty(seen.shape, dtype)
    if conjugate and dtype.kind == "c":
        np.conjugate(seen, out=to)
    elif not own:
        np.copyto(to, seen, casting="unsafe")
    return to


def _square(a, name):
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"{name}: matrices of shape {a.shape[-2:]} are not square")
    return a.shape[-1]


def subset(given, n):
    """(first, last + 1) of SciPy's subset_by_index."""
    if given is None:
        return 0, n
    try:
        first, last = given
    except (TypeError, ValueError):
        raise TypeError(f"subset_by_index: {given!r} is not a pair of integers") from None
    first = integer(first, "subset_by_index", 0, n - 1)
    return first, integer(last, "subset_by_index", first, n - 1) + 1


def interval(given, by_index, dtype):
    """(low, high) of SciPy's subset_by_value, in the precision of `dtype`; None if nothing was given."""
    if given is None:
        return None
    if by_index is not None:
        raise ValueError("subset_by_value: goes without subset_by_index")
    try:
        low, high = (float(real_of(dtype).type(x)) for x in given)
    except (TypeError, ValueError):
        raise TypeError(f"subset_by_value: {given!r} is not a pair of numbers") from None
    if not low < high:
        raise ValueError(f"subset_by_value: the interval ({low}, {high}] is empty")
    return low, high


def checked(figures, name, function):
    """Raises CheckError if one of {what: values} is above the limit, or no number."""
    for what, values in figures.items():
        bad = np.flatnonzero(~(np.atleast_1d(values) <= LIMIT))
        if bad.size:
            raise CheckError(f"orrery.{function}: {what} of matrix {bad[0]} of {name} is {np.atleast_1d(values)[bad[0]]:.3g} "
                             f"n eps, above {LIMIT}")


def departure(q):
    """|Q'Q - I| / (n eps), Frobenius."""
    n = max(q.shape)
    return np.linalg.norm(q.conj().T @ q - np.eye(q.shape[1])) / (n * np.finfo(q.dtype).eps)


def relative(difference, norm, n):
    """|difference| / (n eps norm), Frobenius."""
    return np.linalg.norm(difference) / (n * np.finfo(difference.dtype).eps * max(norm, np.finfo(norm).tiny))


# ---- Eigenvalues -----------------------------------------------------------------------------------


def eigh(a, b=None, *, type=1, lower=True, eigvals_only=False, subset_by_index=None, subset_by_value=None,
         overwrite_a=False, overwrite_b=False, check_finite=True, method=None, accuracy=None, check=False, progress=None):
    """Eigenvalues and eigenvectors of a Hermitian matrix, or of each matrix of a stack; with `b` of the generalised problem.

    ``a @ v[:, i] = w[i] * v[:, i]``. A stack whose order is at most 1024 is one call of the library (`heevj`), all
    workers at once; with `b` one matrix is solved after the other (`hegv`).

    Parameters
    ----------
    a : (..., n, n) array_like
        float32, float64, complex64, complex128; integers and bool are converted to float64. One triangle is read.
    b : (..., n, n) array_like, optional
        Hermitian and positive definite, of the same order, likewise one triangle. Stacks are broadcast against each
        other, and dtypes promoted, as NumPy does.
    type : {1, 2, 3}
        With `b`: 1 solves ``a @ v[:, i] = w[i] * b @ v[:, i]``, 2 ``a @ b @ v[:, i] = w[i] * v[:, i]``,
        3 ``b @ a @ v[:, i] = w[i] * v[:, i]``.
    lower : bool
        Whether that is the lower triangle, of `b` too.
    eigvals_only : bool
        Only ``w`` is computed and returned.
    subset_by_index : (int, int), optional
        First and last eigenvalue wanted, from 0, ascending, both included.
    subset_by_value : (float, float), optional
        Only eigenvalues in the half-open interval (low, high], in the units of `a`; -inf and inf are ends. Of one matrix,
        not of a stack. There may be none. With it `check_finite` is always true.
    overwrite_a : bool
        The memory of `a` may be destroyed, and hold the result; spares a copy if `a` is contiguous and of one of
        the four dtypes.
    overwrite_b : bool
        Likewise that of `b`, if it is laid out as `a` is.
    check_finite : bool
        True: NaN or infinity in a triangle is an error. False: the results of that matrix are NaN, and those of the
        others of a stack are not touched by it.
    method : {None, 'jacobi', 'lanes', 'lapack', 'block'}
        Of `heevj`, n at most 1024, without `b`. None: the fastest known.
    accuracy : {None, 'relative'}
        'relative': small eigenvalues as exact as the matrix determines them, by Jacobi, n at most 1024, without `b`.
    check : bool
        Residual and orthogonality of every matrix are computed; `CheckError` if one is above 20 n eps.
    progress : callable or tqdm bar, optional
        Called as ``progress(done, total)``, in units of work, by threads of the library.

    Returns
    -------
    w : (..., k) ndarray
        Eigenvalues, ascending, in the units of `a` (of type 1 those of `a` over those of `b`, else their product);
        float32 or float64. k = n, or as many as the subset has.
    v : (..., n, k) ndarray
        Orthonormal eigenvectors, columns; dtype of `a`. With `b` normalized, with ``x = v.conj().T``: ``x @ b @ v`` is the
        unit matrix, of type 3 ``x @ inv(b) @ v``. With ``eigvals_only=True`` not returned.

    Raises
    ------
    TypeError, ValueError
        An argument, which the message names.
    DefiniteError
        `b` is not positive definite; says which leading minor. Also a ``numpy.linalg.LinAlgError``.
    ConvergenceError
        The iteration gave up; also a ``numpy.linalg.LinAlgError``.
    CheckError
        See `check`.

    Notes
    -----
    R. Huang, S. Liu, Y. Zhao, Batched eigenvalue decomposition algorithms for Hermitian matrices on GPU, Computer
    Science 50(4), 2023 (stacks); docs/algorithms/heev.md has the sources of the two stages, docs/algorithms/hegv.md those of
    the generalised problem.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> stack = np.array([[[2, 1], [1, 2]], [[0, 3], [3, 8]]])
    >>> w, v = orrery.eigh(stack)
    >>> print(np.round(w, 12))
    [[ 1.  3.]
     [-1.  9.]]
    >>> bool(np.allclose(stack @ v, v * w[:, None, :]))
    True
    >>> w, v = orrery.eigh(np.diag([1, 2, 3]), subset_by_value=(1, 2))
    >>> print(w, v.shape)
    [2.] (3, 1)
    >>> w, v = orrery.eigh([[2, 1], [1, 2]], [[2, 0], [0, 1]])
    >>> bool(np.allclose(w**2 - 3 * w + 1.5, 0))
    True
    """
    function = "eigh"
    a, dtype = array(a, "a")
    n = _square(a, "a")
    if b is not None:
        a, b, dtype = _pencil(a, b, dtype)
    problem = integer(type, "type", 1, 3)
    lower, overwrite = flag(lower, "lower"), (flag(overwrite_a, "overwrite_a"), flag(overwrite_b, "overwrite_b"))
    vectors = not flag(eigvals_only, "eigvals_only")
    options = _Options(flag(check_finite, "check_finite"), flag(check, "check"), Progress(progress), function)
    first, last = subset(subset_by_index, n)
    within = interval(subset_by_value, subset_by_index, dtype)
    named = choice(method, "method", c.METHODS), choice(accuracy, "accuracy", c.ACCURACIES)
    if options.check and not vectors:
        raise ValueError("check: needs the eigenvectors (eigvals_only=False)")
    batched = any(named) or (n <= MOST_BATCHED and a.ndim > 2 and b is None)
    if any(named) and b is not None:
        raise ValueError(f"{'method' if named[0] else 'accuracy'}: is for problems without b")
    if any(named) and n > MOST_BATCHED:
        raise ValueError(f"{'method' if named[0] else 'accuracy'}: is for matrices of order up to {MOST_BATCHED}")
    if within and (a.ndim > 2 or any(named)):
        raise ValueError("subset_by_value: is for one matrix, without method and accuracy")
    if named[1] and named[0] not in (0, c.METHODS["jacobi"]):
        raise ValueError("method: only 'jacobi' has relative accuracy")

    seen, transposed = _columns(a)
    stack = seen.reshape(-1, n, n) if seen.size else np.empty((0, n, n), dtype)
    # a' is the conjugate of a, and so would be its eigenvectors
    stack = _copy(stack, dtype, overwrite[0], conjugate=transposed and vectors)
    if b is not None:
        b = (b if transposed else b.swapaxes(-1, -2)).reshape(stack.shape)
        b = _copy(b, dtype, overwrite[1], conjugate=transposed and vectors)
    uplo = b"L" if lower != transposed else b"U"
    if not stack.size:
        w, v = np.empty((0, last - first), real_of(dtype)), np.empty((0, last - first, n), dtype)
    elif batched:
        w, v = _heevj(stack, uplo, vectors, named, options)
        w, v = w[:, first:last], v[:, first:last]
    else:
        w, v = _heev(stack, b, problem, uplo, vectors, first, last, within, transposed, options)
    options.progress.end()
    w = w.reshape(a.shape[:-2] + w.shape[-1:])
    if not vectors:
        return w
    return EighResult(w, v.reshape(w.shape + (n,)).swapaxes(-1, -2))


def eigvalsh(a, b=None, *, type=1, lower=True, subset_by_index=None, subset_by_value=None, overwrite_a=False,
             overwrite_b=False, check_finite=True, method=None, accuracy=None, progress=None):
    """Eigenvalues of a Hermitian matrix, or of each matrix of a stack: `eigh` with ``eigvals_only=True``.

    Parameters
    ----------
    a, b : (..., n, n) array_like
        As `eigh`, and so are all others.

    Returns
    -------
    w : (..., k) ndarray
        Eigenvalues, ascending, in the units of `a`.

    Raises
    ------
    TypeError, ValueError, ConvergenceError, DefiniteError
        As `eigh`.

    Notes
    -----
    Source: see `eigh`.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> print(np.round(orrery.eigvalsh([[0, 2], [2, 0]]), 12))
    [-2.  2.]
    """
    return eigh(a, b, type=type, lower=lower, eigvals_only=True, subset_by_index=subset_by_index,
                subset_by_value=subset_by_value, overwrite_a=overwrite_a, overwrite_b=overwrite_b,
                check_finite=check_finite, method=method, accuracy=accuracy, progress=progress)


def _pencil(a, b, dtype):
    """Both as stacks of one shape, and their dtype."""
    b, of_b = array(b, "b")
    if _square(b, "b") != a.shape[-1]:
        raise ValueError(f"b: matrices of shape {b.shape[-2:]}, those of a are {a.shape[-2:]}")
    try:
        shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(f"b: a stack of shape {b.shape[:-2]} does not go with one of {a.shape[:-2]}") from None
    a, b = (x if x.shape[:-2] == shape else np.broadcast_to(x, shape + x.shape[-2:]) for x in (a, b))
    return a, b, np.result_type(dtype, of_b)


class _Options(NamedTuple):
    check_finite: bool
    check: bool
    progress: Progress
    function: str


def _settle_batch(status, report, options):
    if status == c.NONFINITE and options.check_finite:
        raise ValueError(f"a: matrix {report.index} has NaN or infinite entries")
    judge(status, report, "a", options.function)


def _check_batch(info, options):
    if options.check:
        finite = info["status"] != c.NONFINITE
        checked({f: np.where(finite, info[f], 0) for f in ("residual", "orthogonality")}, "a", options.function)


def _batch(type_, a, m, n):
    return c.orr_batch(type=LETTERS[type_], batch=len(a), m=m, n=n, a=address(a))


def _heevj(stack, uplo, vectors, named, options):
    """Values, and vectors as rows (without `vectors` nothing of use), of column-major matrices."""
    count, n = stack.shape[:2]
    w = np.empty((count, n), real_of(stack.dtype))
    info = np.empty(count, c.orr_matrix_info) if options.check else None
    report = c.orr_report()
    opts = c.orr_heevj_opts(jobz=b"V" if vectors else b"N", uplo=uplo, method=named[0], accuracy=named[1],
                            check=options.check, progress=options.progress.callback)
    with call() as context:
        status = run(lib.orr_heevj, context, _batch(stack.dtype, stack, n, n), _batch(w.dtype, w, n, 1), opts,
                     address(info), report, steps=count * n**3)
    _settle_batch(status, report, options)
    _check_batch(info, options)
    return w, stack


def _heev(stack, b, problem, uplo, vectors, first, last, within, transposed, options):
    """heev, with b hegv."""
    count, n = stack.shape[:2]
    found = np.array([first + 1, last], np.int64)
    w = np.empty((count, last - first), real_of(stack.dtype))
    z = np.empty((count, last - first, n), stack.dtype) if vectors else None
    opts = c.orr_heev_opts(progress=options.progress.callback, found=address(found))
    if within:
        opts.vl, opts.vu = within
    elif last - first < n:
        opts.il, opts.iu = first + 1, last
    general = c.orr_hegv_opts(problem=problem, heev=opts)
    for k, a in options.progress.over(stack):
        kept = [_whole(x.T, uplo) for x in (a, *(() if b is None else (b[k],)))] if options.check else None
        report = c.orr_report()
        to = address(w[k]), address(z[k]) if vectors else None, n
        with call() as context:
            if b is None:
                status = run(lib.orr_heev, context, LETTERS[a.dtype], uplo, n, address(a), n, *to, opts, report, steps=n**3)
            else:
                status = run(lib.orr_hegv, context, LETTERS[a.dtype], uplo, n, address(a), n, address(b[k]), n, *to, general,
                             report, steps=n**3)
        if status == c.E_NONFINITE:
            _refuse_nonfinite(report, n, transposed, options._replace(check_finite=options.check_finite or bool(within)))
            w[k] = np.nan
            if vectors:
                z[k] = np.nan
            continue
        if status == c.E_DEFINITE:
            raise DefiniteError(f"b: {f'matrix {k} of the stack' if count > 1 else 'the matrix'} is not positive definite: " + (
                f"its leading minor of order {report.index} is not positive" if report.index else "it is close to a singular one"))
        judge(status, report, "a", options.function)
        of = found[1] - found[0] + 1
        if options.check and b is None:
            q = z[k, :of].T
            checked({"residual": relative(kept[0] @ q - q * w[k, :of], np.linalg.norm(kept[0]), n),
                     "orthogonality": departure(q)}, "a", options.function)
        elif options.check:
            checked(_of_pencil(problem, *kept, w[k, :of], z[k, :of].T), "a", options.function)
    if within:  # there was room for all
        w, z = w[:, :of].copy(), z[:, :of].copy() if vectors else None
    return w, z


def _of_pencil(problem, a, b, w, x):
    """The figures of the page hegv, in units of n eps."""
    eps, n = np.finfo(a.dtype).eps, len(a)
    norms = np.linalg.norm(a), np.linalg.norm(b)
    longest, largest = np.linalg.norm(x, axis=0).max(initial=0), np.abs(w).max(initial=0)
    if problem == 1:
        off, size = a @ x - b @ x * w, norms[0] + norms[1] * largest
    else:
        off, size = (a @ (b @ x) if problem == 2 else b @ (a @ x)) - x * w, norms[0] * norms[1]
    if problem == 3:
        basis, condition = np.linalg.solve(b, x), norms[1] * np.linalg.norm(np.linalg.inv(b))
    else:
        basis, condition = b @ x, max(1, norms[1] * longest ** 2)
    tiny = np.finfo(a.dtype).tiny
    return {"residual": np.linalg.norm(off) / max(n * eps * size * longest, tiny),
            "orthogonality": np.linalg.norm(x.conj().T @ basis - np.eye(len(w))) / (n * eps * condition)}


def _refuse_nonfinite(report, ld, transposed, options):
    if options.check_finite:
        at = divmod(report.index, ld)
        row, column = at if transposed else at[::-1]
        name = "b" if report.culprit == b"b" else "a"
        raise ValueError(f"{name}: entry ({row}, {column}) is NaN or infinite")


def _whole(a, uplo):
    """Both triangles of a Hermitian matrix of which one counts."""
    half = np.tril(a, -1) if uplo == b"L" else np.triu(a, 1)
    return half + half.conj().T + np.diag(a.diagonal().real).astype(a.dtype)


# ---- Singular values -------------------------------------------------------------------------------


def svd(a, full_matrices=True, compute_uv=True, *, overwrite_a=False, check_finite=True, accuracy=None, check=False,
        progress=None):
    """Singular value decomposition of a matrix, or of each matrix of a stack.

    ``a = U @ diag(S) @ Vh``. A stack of matrices is one call of the library (`gesvj`).

    Parameters
    ----------
    a : (..., m, n) array_like
        float32, float64, complex64, complex128; integers and bool are converted to float64.
    full_matrices : bool
        True: U is m x m and Vh n x n, the thin ones completed by a QR factorization; False: m x k and k x n,
        k = min(m, n), which is what the library computes.
    compute_uv : bool
        False: only S.
    overwrite_a : bool
        The memory of `a` may be destroyed.
    check_finite : bool
        True: NaN or infinity is an error. False: the results of that matrix are NaN.
    accuracy : {None, 'relative'}
        'relative': by one-sided Jacobi also where that is slower. If a = B D with D diagonal, the relative errors of S
        depend on the condition of B only.
    check : bool
        Residual and orthogonality of every matrix are computed; `CheckError` if one is above 20 max(m, n) eps.
    progress : callable or tqdm bar, optional
        Called as ``progress(done, total)``, in units of work, by threads of the library.

    Returns
    -------
    U : (..., m, m) or (..., m, k) ndarray
        Left singular vectors, columns; dtype of `a`. Only with ``compute_uv=True``.
    S : (..., k) ndarray
        Singular values, descending, in the units of `a`; float32 or float64.
    Vh : (..., n, n) or (..., k, n) ndarray
        Adjoint right singular vectors, rows. Only with ``compute_uv=True``.

    Raises
    ------
    TypeError, ValueError
        An argument, which the message names.
    ConvergenceError
        The iteration gave up; also a ``numpy.linalg.LinAlgError``.
    CheckError
        See `check`.

    Notes
    -----
    docs/algorithms/gesvj.md (Jacobi) and docs/algorithms/gesvd.md (two stages, one large matrix) have the sources.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> U, S, Vh = orrery.svd([[3, 0], [0, 4], [0, 0]])
    >>> print(U.shape, np.round(S, 12), Vh.shape)
    (3, 3) [4. 3.] (2, 2)
    """
    function = "svd"
    a, dtype = array(a, "a")
    m, n = a.shape[-2:]
    k = min(m, n)
    full, vectors = flag(full_matrices, "full_matrices"), flag(compute_uv, "compute_uv")
    overwrite = flag(overwrite_a, "overwrite_a")
    options = _Options(flag(check_finite, "check_finite"), flag(check, "check"), Progress(progress), function)
    exact = choice(accuracy, "accuracy", c.ACCURACIES)
    if options.check and not vectors:
        raise ValueError("check: needs the singular vectors (compute_uv=True)")
    seen, transposed = _columns(a)
    shape = a.shape[:-2]
    if not seen.size:
        u, s, v = np.empty((0, k, m), dtype), np.empty((0, k), real_of(dtype)), np.empty((0, k, n), dtype)
    else:
        stack = seen.reshape(-1, *seen.shape[-2:])
        border = LARGE_SVD if vectors else LARGE_SVDVALS_OF_FEW if len(stack) < FEW else LARGE_SVDVALS
        large = not exact and (a.ndim == 2 or k >= border)
        if large or not _usable(stack, dtype):
            stack = _copy(stack, dtype, large and overwrite, conjugate=False)
        if large:
            u, s, v = _gesvd(stack, vectors, transposed, options)
        else:
            u, s, v = _gesvj(stack, vectors, options)
        if transposed:  # a' = u s v^H: a = conj(v) s u'
            u, v = v, u
    options.progress.end()
    s = s.reshape(shape + (k,))
    if not vectors:
        return s
    if dtype.kind == "c" and u.size and v.size:  # the one that came as V
        into = u if transposed else v
        np.conjugate(into, out=into)
    u, vh = u.reshape(shape + (k, m)).swapaxes(-1, -2), v.reshape(shape + (k, n))
    if full:
        u, vh = _complete(u), _complete(vh.swapaxes(-1, -2)).swapaxes(-1, -2)
    return SVDResult(u, s, vh)


def svdvals(a, *, overwrite_a=False, check_finite=True, accuracy=None, progress=None):
    """Singular values of a matrix, or of each matrix of a stack: `svd` with ``compute_uv=False``.

    Parameters
    ----------
    a : (..., m, n) array_like
        As `svd`, and so are all others.

    Returns
    -------
    S : (..., min(m, n)) ndarray
        Singular values, descending, in the units of `a`.

    Raises
    ------
    TypeError, ValueError, ConvergenceError
        As `svd`.

    Notes
    -----
    Source: see `svd`.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> print(np.round(orrery.svdvals([[3, 4]]), 12))
    [5.]
    """
    return svd(a, compute_uv=False, overwrite_a=overwrite_a, check_finite=check_finite, accuracy=accuracy,
               progress=progress)


def _complete(u):
    """Columns that make orthonormal ones a basis; all of them are new where there were none."""
    m, k = u.shape[-2:]
    if m == k:
        return u
    if k == 0 or u.size == 0:
        return np.broadcast_to(np.eye(m, dtype=u.dtype), u.shape[:-1] + (m,)).copy()
    q = np.linalg.qr(u, mode="complete")[0]
    return np.concatenate((u, q[..., k:]), axis=-1)


def _gesvj(stack, vectors, options):
    """Column-major matrices (their memory seen by rows) to u, s, v; rows of u and v are the vectors."""
    count, q, p = stack.shape
    k = min(p, q)
    s = np.empty((count, k), real_of(stack.dtype))
    u, v = (np.empty((count, k, x), stack.dtype) if vectors else None for x in (p, q))
    info = np.empty(count, c.orr_matrix_info) if options.check else None
    report = c.orr_report()
    opts = c.orr_gesvj_opts(check=options.check, progress=options.progress.callback)
    with call() as context:
        status = run(lib.orr_gesvj, context, _batch(stack.dtype, stack, p, q), _batch(s.dtype, s, k, 1),
                     _batch(u.dtype, u, p, k) if vectors else None,
                     _batch(v.dtype, v, q, k) if vectors else None, opts, address(info), report, steps=count * p * q * k)
    _settle_batch(status, report, options)
    _check_batch(info, options)
    return u, s, v


def _gesvd(stack, vectors, transposed, options):
    count, q, p = stack.shape
    k = min(p, q)
    s = np.empty((count, k), real_of(stack.dtype))
    u, v = (np.empty((count, k, x), stack.dtype) if vectors else (None,) * count for x in (p, q))
    opts = c.orr_gesvd_opts(progress=options.progress.callback)
    for i, a in options.progress.over(stack):
        kept = a.T.copy() if options.check else None
        report = c.orr_report()
        with call() as context:
            status = run(lib.orr_gesvd, context, LETTERS[a.dtype], p, q, address(a), p, address(s[i]), address(u[i]), p,
                         address(v[i]), q, opts, report, steps=p * q * k)
        if status == c.E_NONFINITE:
            _refuse_nonfinite(report, p, transposed, options)
            s[i] = np.nan
            if vectors:
                u[i], v[i] = np.nan, np.nan
            continue
        judge(status, report, "a", options.function)
        if options.check:
            checked({"residual": relative(kept - u[i].T * s[i] @ v[i].conj(), np.linalg.norm(kept), max(p, q)),
                     "orthogonality": max(departure(u[i].T), departure(v[i].T))}, "a", options.function)
    return u, s, v
