"""python_numpy.py [FAMILY ...] [--seconds S] [--graph FILE ...]: the Python package against NumPy and SciPy, in turn, run for run.

    PYTHONPATH=build/release/python python3 bench/python_numpy.py
    PYTHONPATH=build/release/python python3 bench/python_numpy.py single stacks --seconds 1

Families: single, stacks, pencils, bands, sparse; all if neither they nor graphs (Matrix Market files) are named.
PageRank's peer is a loop of SciPy's products. A pair of calls runs for S seconds (0.5), three
times at least. The peer has one thread of its OpenBLAS and all (if it is Debian's), and the better of the two counts.
Medians of times, and of the ratios of runs next to each other with the tenth and the ninetieth of a hundred; below the
table what is slower. `orrery doctor` says whether this machine needs OPENBLAS_CORETYPE, and which.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import ctypes
import pathlib
import time

import numpy as np
import scipy.io
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

import orrery

rng = np.random.default_rng(0)
slower = []


class Threads:
    """Of the BLAS that NumPy has; orrery's calls set one thread themselves."""
    def __init__(self):
        self.blas = ctypes.CDLL("libopenblas.so.0")
        self.all = self.blas.openblas_get_num_threads()

    def set(self, count):
        self.blas.openblas_set_num_threads(count)


threads = Threads()


def clock(function):
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


def peer_clock(function, count):
    threads.set(count)
    try:
        return clock(function)
    finally:
        threads.set(threads.all)


def pair(what, ours, theirs, seconds):
    once = clock(ours) + 2 * clock(theirs)  # the first calls
    once = min(once, clock(ours) + 2 * clock(theirs))
    repeat = int(max(3, min(400, seconds / once)))
    times = np.array([(clock(ours), peer_clock(theirs, 1), peer_clock(theirs, threads.all)) for _ in range(repeat)])
    better = 1 + np.argmin(np.median(times[:, 1:], axis=0))
    ratio = times[:, better] / times[:, 0]
    low, high = np.quantile(ratio, (0.1, 0.9))
    print(f"| {what} | {1e3 * np.median(times[:, 0]):.3g} ms | {1e3 * np.median(times[:, better]):.3g} ms "
          f"({(1, threads.all)[better - 1]}) | {np.median(ratio):.2f} ({low:.2f} to {high:.2f}) |", flush=True)
    if high < 1:
        slower.append(what)


def matrices(dtype, *shape):
    a = rng.standard_normal(shape)
    return a + 1j * rng.standard_normal(shape) if dtype == "z" else a


def hermitian(dtype, *shape):
    a = matrices(dtype, *shape)
    return a + a.conj().swapaxes(-1, -2)


def dense(name, dtype, shape, seconds):
    a, b = hermitian(dtype, *shape), matrices(dtype, *shape)
    of = f"{dtype}, {name}"
    pair(f"`eigh`, {of}", lambda: orrery.eigh(a), lambda: np.linalg.eigh(a), seconds)
    pair(f"`eigvalsh`, {of}", lambda: orrery.eigvalsh(a), lambda: np.linalg.eigvalsh(a), seconds)
    pair(f"`svd`, {of}", lambda: orrery.svd(b, full_matrices=False), lambda: np.linalg.svd(b, full_matrices=False), seconds)
    pair(f"`svdvals`, {of}", lambda: orrery.svdvals(b), lambda: np.linalg.svd(b, compute_uv=False), seconds)


def single(seconds):
    for dtype in "dz":
        for n in (2, 8, 16, 32, 64, 128, 200, 300, 500, 1000):
            dense(f"one of order {n}", dtype, (n, n), seconds)


def stacks(seconds):
    for count, n in ((10000, 2), (10000, 4), (1000, 8), (10, 8), (1000, 16), (10, 16), (100, 32), (10, 32), (100, 64), (4, 64),
                     (20, 100), (10, 128), (8, 200), (4, 300)):
        dense(f"{count} of order {n}", "d", (count, n, n), seconds)
    dense("10000 of order 16", "z", (10000, 16, 16), seconds)


def tall(seconds):
    for m, n in ((1000, 3), (20000, 20), (100000, 64), (300000, 5), (1000000, 3)):
        a = matrices("d", m, n)
        pair(f"`svd`, {m} x {n}", lambda: orrery.svd(a, full_matrices=False), lambda: np.linalg.svd(a, full_matrices=False), seconds)
        pair(f"`svdvals`, {m} x {n}", lambda: orrery.svdvals(a), lambda: np.linalg.svd(a, compute_uv=False), seconds)


def pencils(seconds):
    for n in (10, 50, 100, 200, 300, 400, 600, 1000):
        a, x = hermitian("d", n, n), matrices("d", n, n)
        b = x @ x.T + n * np.eye(n)
        pair(f"`eigh(a, b)`, order {n}", lambda: orrery.eigh(a, b), lambda: scipy.linalg.eigh(a, b), seconds)


def bands(seconds):
    for n in (10, 50, 100, 161, 300, 1000, 2000):
        for width in (1, 2, 3, 8, 32):
            if width < n:
                band = matrices("d", width + 1, n)
                of = f"order {n}, {width} subdiagonals"
                pair(f"`eig_banded`, {of}", lambda: orrery.eig_banded(band, lower=True),
                     lambda: scipy.linalg.eig_banded(band, lower=True), seconds)
                pair(f"`eigvals_banded`, {of}", lambda: orrery.eigvals_banded(band, lower=True),
                     lambda: scipy.linalg.eigvals_banded(band, lower=True), seconds)


def pagerank(graph, alpha=0.85, tol=1e-10):
    n = graph.shape[0]
    weights = np.asarray(graph.sum(1)).ravel()
    dangling = weights == 0
    links = (scipy.sparse.diags(1 / np.where(dangling, 1, weights)) @ graph).T.tocsr()
    x, change = np.full(n, 1 / n), 1
    while change > tol:
        y = alpha * (links @ x + x[dangling].sum() / n) + (1 - alpha) / n
        x, change = y, np.abs(y - x).sum()
    return x


def of_matrix(a, of, seconds):
    s, links = (a + a.T).tocsr(), abs(a)
    pair(f"`eigsh`, {of}, k = 3", lambda: orrery.eigsh(s, k=3), lambda: scipy.sparse.linalg.eigsh(s, k=3), seconds)
    pair(f"`svds`, {of}, k = 3", lambda: orrery.svds(a, k=3), lambda: scipy.sparse.linalg.svds(a, k=3), seconds)
    pair(f"`pagerank`, {of}", lambda: orrery.pagerank(links), lambda: pagerank(links), seconds)


def sparse(seconds):
    for n in (100, 1000, 10000, 100000):
        at = rng.integers(0, n, (2, 5 * n))
        a = scipy.sparse.csr_matrix((rng.standard_normal(5 * n), at), shape=(n, n))
        of_matrix(a, f"n = {n}, 5 entries a row", seconds)


def graphs(files, seconds):
    for name in files:
        of_matrix(scipy.io.mmread(name).tocsr().astype(float), pathlib.Path(name).name, seconds)


def main():
    families = {f.__name__: f for f in (single, stacks, tall, pencils, bands, sparse)}
    parser = argparse.ArgumentParser()
    parser.add_argument("family", nargs="*", metavar="FAMILY")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--graph", nargs="+", default=[], metavar="FILE")
    options = parser.parse_args()
    if not set(options.family) <= set(families):
        parser.error(f"families are {', '.join(families)}")
    print(f"OpenBLAS: {orrery.info()['blas']}; NumPy {np.__version__}, SciPy {scipy.__version__}; {orrery.info()['cpu']} workers. "
          "In brackets: the peer's threads.\n")
    print("| | ours | NumPy, SciPy | ratio |\n| --- | --- | --- | --- |")
    for name, family in families.items():
        if name in options.family or not options.family and not options.graph:
            family(options.seconds)
    graphs(options.graph, options.seconds)
    print("\nSlower: " + ("; ".join(slower) or "nothing") + ".")


main()
