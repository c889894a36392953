"""Hermitian band matrices: hb2st makes them tridiagonal; sterf finds the values of those, LAPACK (the one that
liborrery is linked with) their vectors.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes

import numpy as np

from . import _library as c
from ._dense import checked, departure, relative
from ._runtime import (LETTERS, ConvergenceError, Progress, address, array, call, flag, integer, judge, lib, real,
                       real_of, run)


def eigvals_banded(a_band, lower=False, *, select="a", select_range=None, overwrite_a_band=False, check_finite=True,
                   progress=None):
    """Eigenvalues of a Hermitian band matrix: `eig_banded` with ``eigvals_only=True``.

    Parameters
    ----------
    a_band : (b + 1, n) array_like
        As `eig_banded`, and so are all others.

    Returns
    -------
    w : (k,) ndarray
        Eigenvalues, ascending, in the units of `a_band`; float32 or float64.

    Raises
    ------
    TypeError, ValueError, ConvergenceError
        As `eig_banded`.

    Notes
    -----
    Source: see `eig_banded`.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> print(np.round(orrery.eigvals_banded([[2, 2, 2], [-1, -1, 0]], lower=True), 6))
    [0.585786 2.       3.414214]
    """
    return eig_banded(a_band, lower, eigvals_only=True, select=select, select_range=select_range,
                      overwrite_a_band=overwrite_a_band, check_finite=check_finite, progress=progress)


def eig_banded(a_band, lower=False, *, eigvals_only=False, select="a", select_range=None, overwrite_a_band=False,
               check_finite=True, check=False, progress=None):
    """Eigenvalues and eigenvectors of a Hermitian band matrix.

    Parameters
    ----------
    a_band : (b + 1, n) array_like
        The diagonals, as SciPy and LAPACK store them: ``a_band[i - j, j] = a[i, j]`` if `lower`, else
        ``a_band[b + i - j, j] = a[i, j]``. float32, float64, complex64, complex128; integers and bool are converted.
    lower : bool
        Whether `a_band` holds the lower triangle.
    eigvals_only : bool
        Only ``w`` is computed and returned.
    select : {'a', 'v', 'i'}
        All eigenvalues; those in ``(min, max]``; or by index from 0, first and last included. All are computed.
    select_range : (float, float) or (int, int), optional
        The interval, or the indices.
    overwrite_a_band : bool
        Accepted as SciPy has it; `a_band` is never changed.
    check_finite : bool
        True: NaN or infinity is an error. False: the results are NaN.
    check : bool
        Residual and orthogonality are computed; `CheckError` if one is above 20 n eps.
    progress : callable or tqdm bar, optional
        Called as ``progress(done, total)``, in units of work of the reduction, by threads of the library.

    Returns
    -------
    w : (k,) ndarray
        Eigenvalues, ascending, in the units of `a_band`; float32 or float64.
    v : (n, k) ndarray
        Orthonormal eigenvectors, columns. Not returned with ``eigvals_only=True``.

    Raises
    ------
    TypeError, ValueError
        An argument, which the message names.
    ConvergenceError
        The solver gave up; also a ``numpy.linalg.LinAlgError``.
    CheckError
        See `check`.

    Notes
    -----
    docs/algorithms/hb2st.md has the sources of the reduction; then bisection (docs/algorithms/heev.md), or LAPACK's
    stevd.

    Examples
    --------
    >>> import numpy as np, orrery
    >>> w, v = orrery.eig_banded([[0, 1, 1], [2, 2, 2]])
    >>> print(np.round(w, 6), v.shape)
    [0.585786 2.       3.414214] (3, 3)
    """
    function = "eig_banded"
    band, dtype = array(a_band, "a_band", most_dimensions=2)
    lower, vectors = flag(lower, "lower"), not flag(eigvals_only, "eigvals_only")
    check_finite, check = flag(check_finite, "check_finite"), flag(check, "check")
    flag(overwrite_a_band, "overwrite_a_band")
    progress = Progress(progress)
    if check and not vectors:
        raise ValueError("check: needs the eigenvectors (eigvals_only=False)")
    rows, n = band.shape
    if rows == 0:
        raise ValueError("a_band: has no diagonal")
    pick = _picker(select, select_range, n)
    if rows > max(n, 1):  # diagonals beyond the corner
        band = band[:max(n, 1)] if lower else band[rows - max(n, 1):]
    band = np.require(band, dtype, "FA")
    w, v = np.empty(n, real_of(dtype)), None
    if n == 0:
        v = np.empty((0, 0), dtype)
    else:
        status, report, v = _solve(band, lower, w, vectors, progress, function)
        if status == c.E_NONFINITE:
            if check_finite:
                column, row = divmod(report.index, band.shape[0])
                raise ValueError(f"a_band: entry ({row}, {column}) is NaN or infinite")
            w[:], v = np.nan, np.full((n, n), np.nan, dtype)
    progress.end()
    chosen = pick(w)
    if not vectors:
        return w[chosen]
    if check and not np.isnan(w).all():
        product, norm = _multiply(band, lower, v)
        checked({"residual": relative(product - v * w, norm, n), "orthogonality": departure(v)}, "a_band", function)
    return w[chosen], v[:, chosen]


def _picker(select, select_range, n):
    """A function from eigenvalues to the slice of those wanted."""
    names = {"a": "a", "all": "a", 0: "a", "v": "v", "value": "v", 1: "v", "i": "i", "index": "i", 2: "i"}
    try:
        kind = names[select.lower() if isinstance(select, str) else select]
    except (KeyError, TypeError):
        raise ValueError(f"select: {select!r} is none of 'a', 'v', 'i'") from None
    if kind == "a":
        return lambda w: slice(0, n)
    try:
        low, high = select_range
    except (TypeError, ValueError):
        raise ValueError(f"select_range: {select_range!r} is not a pair") from None
    if kind == "i":
        low = integer(low, "select_range", 0, n - 1)
        high = integer(high, "select_range", low, n - 1)
        return lambda w: slice(low, high + 1)
    low = real(low, "select_range", -np.inf, np.inf)
    high = real(high, "select_range", low, np.inf)
    return lambda w: slice(*np.searchsorted(w, [low, high], side="right"))


def _solve(band, lower, w, vectors, progress, function):
    """Fills w; the status and report of the reduction, and the eigenvectors or None."""
    rows, n = band.shape
    off = np.empty(max(n - 1, 1), w.dtype)
    report = c.orr_report()
    factor, v = ctypes.c_void_p(), None
    opts = c.orr_hb2st_opts(vect=b"V" if vectors else b"N", factor=ctypes.addressof(factor), progress=progress.callback)
    with call() as context:
        status = run(lib.orr_hb2st, context, LETTERS[band.dtype], b"L" if lower else b"U", n, rows - 1, address(band), rows,
                               address(w), address(off), opts, report)
        try:
            if status == c.E_NONFINITE:
                return status, report, None
            judge(status, report, "a_band", function)
            if vectors:
                z = _tridiagonal(w, off, function)
                v = z.astype(band.dtype, order="F", copy=False)
                applied = c.orr_report()
                judge(run(lib.orr_hb2st_apply, context, factor, b"N", n, address(v), n, applied), applied, "a_band", function)
            elif status == c.RANGE:  # of the tridiagonal matrix
                w[:] = np.nan
            else:
                found = c.orr_report()
                judge(run(lib.orr_sterf, context, LETTERS[w.dtype], n, address(w), address(off), address(w), None, found),
                      found, "a_band", function)
        finally:
            lib.orr_hb2st_drop(factor)
    return status, report, v


def _tridiagonal(d, e, function):
    """d becomes the eigenvalues, ascending; returns the eigenvectors."""
    n, letter, info = len(d), "s" if d.itemsize == 4 else "d", ctypes.c_int()
    if n > 46000:
        raise ValueError("a_band: with eigenvectors n is at most 46000")
    z = np.empty((n, n), d.dtype, order="F")
    room = 1 + 4 * n + n * n, 3 + 5 * n
    work, iwork = np.empty(room[0], d.dtype), np.empty(room[1], np.intc)
    size, lwork, liwork = (ctypes.byref(ctypes.c_int(x)) for x in (n, *room))
    _lapack(f"{letter}stevd_")(b"V", size, *map(ctypes.c_void_p, map(address, (d, e, z))), size,
                               ctypes.c_void_p(address(work)), lwork, ctypes.c_void_p(address(iwork)), liwork,
                               ctypes.byref(info), ctypes.c_size_t(1))
    if info.value:
        raise ConvergenceError(f"orrery.{function}: LAPACK's {letter}stevd gave up ({info.value})")
    return z


def _lapack(name):
    """Of the LAPACK that liborrery is linked with: the loader finds it among its dependencies."""
    routine = getattr(lib, name)
    routine.restype = None
    return routine


def _multiply(band, lower, v):
    """A v, and |A|."""
    b, n = band.shape[0] - 1, band.shape[1]
    y = np.zeros_like(v)
    squares = 0.0
    for k in range(b + 1):
        diagonal = band[k, :n - k] if lower else band[b - k, k:].conj()  # a[j + k, j]
        if k == 0:
            y += diagonal.real[:, None] * v
            squares += np.sum(diagonal.real.astype("f8") ** 2)
            continue
        y[k:] += diagonal[:, None] * v[:n - k]
        y[:n - k] += diagonal.conj()[:, None] * v[k:]
        squares += 2 * np.sum(np.abs(diagonal).astype("f8") ** 2)
    return y, np.sqrt(squares)
