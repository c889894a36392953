"""python_numpy.py [FAMILY ...] [--seconds S]: the Python package against NumPy and SciPy, in turn, run for run.

    PYTHONPATH=build/release/python python3 bench/python_numpy.py
    PYTHONPATH=build/release/python python3 bench/python_numpy.py single stacks --seconds 1

Families: single, stacks, pencils, bands, sparse; all if none is named. A pair of calls runs for S seconds (0.5), three
times at least. The peer has one thread of its OpenBLAS and all (if it is Debian's), and the better of the two counts.
Medians of times, and of the ratios of runs next to each other with the tenth and the ninetieth of a hundred; below the
table what is slower. `orrery doctor` says whether this machine needs OPENBLAS_CORETYPE, and which.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import ctypes
import time

import numpy as np
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


def sparse(seconds):
    for n in (100, 1000, 10000, 100000):
        at = rng.integers(0, n, (2, 5 * n))
        g = scipy.sparse.csr_matrix((rng.standard_normal(5 * n), at), shape=(n, n))
        s = (g + g.T).tocsr()
        of = f"n = {n}, 5 entries a row, k = 3"
        pair(f"`eigsh`, {of}", lambda: orrery.eigsh(s, k=3), lambda: scipy.sparse.linalg.eigsh(s, k=3), seconds)
        pair(f"`svds`, {of}", lambda: orrery.svds(g, k=3), lambda: scipy.sparse.linalg.svds(g, k=3), seconds)


def main():
    families = {f.__name__: f for f in (single, stacks, pencils, bands, sparse)}
    parser = argparse.ArgumentParser()
    parser.add_argument("family", nargs="*", metavar="FAMILY")
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    if not set(options.family) <= set(families):
        parser.error(f"families are {', '.join(families)}")
    print(f"OpenBLAS: {orrery.info()['blas']}; NumPy {np.__version__}, SciPy {scipy.__version__}; {orrery.info()['cpu']} workers. "
          "In brackets: the peer's threads.\n")
    print("| | ours | NumPy, SciPy | ratio |\n| --- | --- | --- | --- |")
    for name, family in families.items():
        if not options.family or name in options.family:
            family(options.seconds)
    print("\nSlower: " + ("; ".join(slower) or "nothing") + ".")


main()
