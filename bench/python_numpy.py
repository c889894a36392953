"""python_numpy.py [REPEAT]: the Python package against numpy.linalg, in turn, run for run.

    OPENBLAS_CORETYPE=SKYLAKEX PYTHONPATH=build/release/python python3 bench/python_numpy.py

NumPy has one thread of its OpenBLAS and all (if it is Debian's), and the better of the two counts. Medians of times,
and of the ratios of runs next to each other with the least and the most of them. `orrery doctor` says whether this
machine needs OPENBLAS_CORETYPE, and which.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import sys
import time

import numpy as np

import orrery

blas = ctypes.CDLL("libopenblas.so.0")
all_threads = blas.openblas_get_num_threads()

repeat = int((sys.argv[1:] or [9])[0])
rng = np.random.default_rng(0)


def clock(function):
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


def numpy_clock(function, threads):
    blas.openblas_set_num_threads(threads)
    try:
        return clock(function)
    finally:
        blas.openblas_set_num_threads(all_threads)


def pair(what, ours, theirs):
    clock(ours)
    times = np.array([(clock(ours), numpy_clock(theirs, 1), numpy_clock(theirs, all_threads)) for _ in range(repeat)])
    better = 1 + np.argmin(np.median(times[:, 1:], axis=0))
    ratio = times[:, better] / times[:, 0]
    print(f"| {what} | {1e3 * np.median(times[:, 0]):.3g} ms | {1e3 * np.median(times[:, better]):.3g} ms "
          f"({(1, all_threads)[better - 1]}) | {np.median(ratio):.2f} ({ratio.min():.2f} to {ratio.max():.2f}) |", flush=True)


def stack(dtype, *shape):
    a = rng.standard_normal(shape)
    return a + 1j * rng.standard_normal(shape) if dtype == "z" else a


print(f"OpenBLAS: {orrery.info()['blas']}; NumPy {np.__version__}; {orrery.info()['cpu']} workers, {repeat} runs. In brackets: NumPy's threads.\n")
print("| | ours | NumPy | ratio |\n| --- | --- | --- | --- |")
for dtype, shape in (("z", (10000, 16, 16)), ("d", (10000, 8, 8)), ("z", (2000, 64, 64)), ("d", (1000, 1000)), ("d", (16, 16))):
    a = stack(dtype, *shape)
    a = a + a.conj().swapaxes(-1, -2)
    pair(f"`eigh`, {dtype}, {shape}", lambda: orrery.eigh(a), lambda: np.linalg.eigh(a))
    pair(f"`eigvalsh`, {dtype}, {shape}", lambda: orrery.eigvalsh(a), lambda: np.linalg.eigvalsh(a))
for dtype, shape in (("d", (2000, 16, 16)), ("d", (500, 64, 64)), ("d", (1000, 1000))):
    a = stack(dtype, *shape)
    pair(f"`svd`, {dtype}, {shape}", lambda: orrery.svd(a), lambda: np.linalg.svd(a))
    pair(f"`svdvals`, {dtype}, {shape}", lambda: orrery.svdvals(a), lambda: np.linalg.svd(a, compute_uv=False))
