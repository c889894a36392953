"""Hermitian band matrices: hbev.

SPDX-License-Identifier: BSD-3-Clause
"""
import numpy as np

from . import _library as c
from ._dense import checked, departure, relative
from ._runtime import LETTERS, Progress, address, array, call, flag, integer, judge, lib, real, real_of, run


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
        All eigenvalues; those in ``(min, max]``; or by index from 0, first and last included.
    select_range : (float, float) or (int, int), optional
        The interval, or the indices.
    overwrite_a_band : bool
        Accepted as SciPy has it; `a_band` is never changed.
    check_finite : bool
        True: NaN or infinity is an error. False: the results are NaN, unless `select` is 'v'.
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
    docs/algorithms/hb2st.md has the sources of the reduction, docs/algorithms/heev.md those of the solver.

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
    first, last, within = _selected(select, select_range, n, real_of(dtype))
    if rows > max(n, 1):  # diagonals beyond the corner
        band = band[:max(n, 1)] if lower else band[rows - max(n, 1):]
    band = np.require(band, dtype, "FA")
    room = n if within else last - first
    w = np.empty(room, real_of(dtype))
    v = np.empty((n, room), dtype, order="F") if vectors else None
    if room > 0:
        w, v = _solve(band, lower, w, v, (first, last, within), check_finite, progress, function)
    progress.end()
    if not vectors:
        return w
    if check and not np.isnan(w).all():
        product, norm = _multiply(band, lower, v)
        checked({"residual": relative(product - v * w, norm, n), "orthogonality": departure(v)}, "a_band", function)
    return w, v


def _selected(select, select_range, n, of):
    """First and last (not included), by index, or an interval besides."""
    names = {"a": "a", "all": "a", 0: "a", "v": "v", "value": "v", 1: "v", "i": "i", "index": "i", 2: "i"}
    try:
        kind = names[select.lower() if isinstance(select, str) else select]
    except (KeyError, TypeError):
        raise ValueError(f"select: {select!r} is none of 'a', 'v', 'i'") from None
    if kind == "a":
        return 0, n, None
    try:
        low, high = select_range
    except (TypeError, ValueError):
        raise ValueError(f"select_range: {select_range!r} is not a pair") from None
    if kind == "i":
        low = integer(low, "select_range", 0, n - 1)
        return low, integer(high, "select_range", low, n - 1) + 1, None
    low = real(low, "select_range", -np.inf, np.inf)
    high = real(high, "select_range", low, np.inf)
    return (0, n, (low, high)) if of.type(low) < of.type(high) else (0, 0, None)


def _solve(band, lower, w, v, selected, check_finite, progress, function):
    """w and v, filled."""
    rows, n = band.shape
    first, last, within = selected
    found = np.array([first + 1, last], np.int64)
    report = c.orr_report()
    opts = c.orr_hbev_opts(progress=progress.callback, found=address(found))
    if within:
        opts.vl, opts.vu = within
    elif last - first < n:
        opts.il, opts.iu = first + 1, last
    with call() as context:
        status = run(lib.orr_hbev, context, LETTERS[band.dtype], b"L" if lower else b"U", n, rows - 1, address(band), rows,
                     address(w), None if v is None else address(v), n, opts, report, steps=n**3)
    if status == c.E_NONFINITE:
        if check_finite or within:
            column, row = divmod(report.index, rows)
            raise ValueError(f"a_band: entry ({row}, {column}) is NaN or infinite")
        w[:] = np.nan
        if v is not None:
            v[:] = np.nan
        return w, v
    judge(status, report, "a_band", function)
    of = found[1] - found[0] + 1
    return (w[:of].copy(), None if v is None else v[:, :of].copy(order="F")) if within else (w, v)


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
