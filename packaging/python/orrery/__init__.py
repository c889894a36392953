"""Orrery: eigenvalues, singular values and principal eigenvectors, as StarPU task graphs.

    w, v = orrery.eigh(stack)        # a stack of matrices, shape (..., n, n), is one call

Arguments, shapes and dtypes are those of numpy.linalg, scipy.linalg and scipy.sparse.linalg. The first call starts
StarPU, on all processors; the end of the process stops it. docs/python.md is the page.

SPDX-License-Identifier: BSD-3-Clause
"""
from ._banded import eig_banded, eigvals_banded
from ._dense import EighResult, SVDResult, eigh, eigvalsh, svd, svdvals
from ._library import VERSION as __version__
from ._runtime import CheckError, ConvergenceError, DefiniteError, Error, ForkError, info, start, stop
from ._sparse import PageRankResult, eigsh, pagerank, svds

__all__ = ["eigh", "eigvalsh", "svd", "svdvals", "eig_banded", "eigvals_banded", "eigsh", "svds", "pagerank",
           "EighResult", "SVDResult", "PageRankResult", "Error", "ForkError", "ConvergenceError", "DefiniteError",
           "CheckError", "start", "stop", "info", "__version__"]
