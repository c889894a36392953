"""NumPy and SciPy with liborrery_lapack preloaded: every function that is taken over gives what LAPACK gives.

Each call is made twice, with ORRERY_LAPACK_MIN=1 and with one that passes everything on. Then what a program does
besides: threads, a forked child, processes that never call LAPACK.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import subprocess
import sys
import tempfile
import threading

try:
    import numpy as np
    import scipy.linalg as sl
except ImportError as e:
    print(f"skipped: {e} (apt-get install python3-numpy python3-scipy)")
    sys.exit(77)

failures = []
log = tempfile.TemporaryFile()
real_stderr = os.dup(2)
os.dup2(log.fileno(), 2)
sys.stderr = sys.stdout
os.environ["ORRERY_LAPACK_LOG"] = "1"


def logged():
    log.seek(0)
    text = log.read().decode()
    log.truncate(0)
    log.seek(0)
    os.lseek(2, 0, os.SEEK_SET)
    return text


def expect(name, ok, found=""):
    if not ok:
        failures.append(name)
        print(f"{name}: {found}")


def both(name, routine, call, *arrays):
    """The results of a call, taken over and passed on; the inputs stay as they were."""
    results = []
    for order in ("1", "1000000"):
        os.environ["ORRERY_LAPACK_MIN"] = order
        copies = [x.copy() for x in arrays]
        logged()
        results.append(call(*arrays))
        text = logged()
        word = "taken over" if order == "1" else "passed on"
        expect(f"{name}, {word}", any(f"{routine}_ " in line and word in line for line in text.splitlines()), text)
        expect(f"{name}, input", all(np.array_equal(x, y) for x, y in zip(arrays, copies)))
    return results


def close(name, x, y, a):
    tolerance = 50 * max(a.shape) * np.finfo(x.dtype).eps * np.abs(y).max()
    expect(name, x.dtype == y.dtype and x.shape == y.shape and np.abs(x - y).max() <= tolerance, np.abs(x - y).max())


def same_vectors(name, v, v0):
    """Columns equal up to a factor of modulus 1."""
    loss = np.abs(1 - np.abs(np.sum(v.conj() * v0, axis=0))).max()
    expect(name, v.shape == v0.shape and loss <= (1e-3 if v.real.dtype == np.float32 else 1e-8), loss)


def matrix(m, n, dtype, order):
    r = np.random.default_rng(m * n)
    a = r.standard_normal((m, n)) + (1j * r.standard_normal((m, n)) if np.dtype(dtype).kind == "c" else 0)
    return np.asarray(a.astype(dtype), order=order)


letters = {np.float32: "s", np.float64: "d", np.complex64: "c", np.complex128: "z"}
for dtype, t in letters.items():
    sy = t + ("sy" if t in "sd" else "he")
    wide = "d" if t in "sd" else "z"  # NumPy computes in double precision
    for order in "CF":
        a = matrix(87, 87, dtype, order)
        a = np.asarray(a + a.conj().T, order=order)
        for uplo in "LU":
            name = f"{t} {order} {uplo}"
            w, w0 = both(f"eigvalsh {name}", wide + sy[1:] + "evd", lambda x: np.linalg.eigvalsh(x, uplo), a)
            close(f"eigvalsh {name}", w, w0, a)
            (w, v), (w0, v0) = both(f"eigh {name}", wide + sy[1:] + "evd", lambda x: np.linalg.eigh(x, uplo), a)
            close(f"eigh {name}", w, w0, a)
            same_vectors(f"eigh {name}", v, v0)
        for driver in ("ev", "evd", "evr", "evx"):
            name = f"scipy {driver} {t} {order}"
            (w, v), (w0, v0) = both(name, sy + driver, lambda x: sl.eigh(x, driver=driver), a)
            close(name, w, w0, a)
            same_vectors(name, v, v0)
        for driver in ("evr", "evx"):
            name = f"scipy subset {driver} {t} {order}"
            (w, v), (w0, v0) = both(name, sy + driver,
                                    lambda x: sl.eigh(x, driver=driver, subset_by_index=[5, 20]), a)
            close(name, w, w0, a)
            same_vectors(name, v, v0)
        for m, n in ((60, 60), (90, 40), (40, 90)):
            a = matrix(m, n, dtype, order)
            s, s0 = both(f"svd values {t} {m} {n}", wide + "gesdd", lambda x: np.linalg.svd(x, compute_uv=False), a)
            close(f"svd values {t} {m} {n}", s, s0, a)
            for driver in ("gesdd", "gesvd"):
                name = f"svd {driver} {t} {m} {n}"
                (u, s, vh), (u0, s0, vh0) = both(
                    name, t + driver, lambda x: sl.svd(x, full_matrices=False, lapack_driver=driver), a)
                close(name, s, s0, a)
                same_vectors(name + " left", u, u0)
                same_vectors(name + " right", vh.conj().T, vh0.conj().T)

# Few columns and few rows, by the built-in orders.
with open("/proc/cpuinfo") as f:
    fast = "avx2" in f.read()
for m, n, large in ((40000, 4, True), (4, 40000, True), (8200, 8, False), (2100, 63, True), (420, 42, False), (600, 61, False)):
    a = matrix(m, n, np.complex128 if n == 63 else np.float64, "C")
    os.environ.pop("ORRERY_LAPACK_MIN", None)
    logged()
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    word = "taken over" if large and fast else "passed on"
    expect(f"few columns {m} {n}", word in (text := logged()), text)
    os.environ["ORRERY_LAPACK_MIN"] = "1000000"
    close(f"few columns {m} {n}", s, np.linalg.svd(a, compute_uv=False), a)
    same_vectors(f"few columns {m} {n}, u s v", u * s @ vh / np.linalg.norm(a, axis=0), a / np.linalg.norm(a, axis=0))

for dtype, t in letters.items():
    sy = t + ("sy" if t in "sd" else "he")
    a, b = matrix(70, 70, dtype, "C"), matrix(70, 71, dtype, "F")[:, :70]
    a, b = a + a.conj().T, np.asfortranarray(8 * np.eye(70, dtype=dtype) + b @ b.conj().T / 16)
    for driver in ("gv", "gvd", "gvx"):
        for itype in (1, 2, 3):
            name = f"generalised {t} {driver} {itype}"
            (w, v), (w0, v0) = both(name, sy + driver, lambda x, y: sl.eigh(x, y, driver=driver, type=itype), a, b)
            close(name, w, w0, a)
            norm = np.linalg.norm(v0, axis=0)
            expect(name, np.abs(np.linalg.norm(v, axis=0) / norm - 1).max() < 1e-3)
            same_vectors(name, v / norm, v0 / norm)
    name = f"generalised subset {t}"
    w, w0 = both(name, sy + "gvx", lambda x, y: sl.eigh(x, y, eigvals_only=True, subset_by_index=[3, 9]), a, b)
    close(name, w, w0, a)
os.environ["ORRERY_LAPACK_MIN"] = "1"
b[11, 11] = -1
try:
    sl.eigh(a, b)
    expect("B is not positive definite", False)
except np.linalg.LinAlgError as error:
    expect("B is not positive definite", "minor of order 12" in str(error), error)

# LAPACK's generalised drivers call the others by their names.
a = matrix(70, 70, np.float64, "C")
a, b = a + a.T, np.eye(70) + a @ a.T
for driver in ("ev", "evd", "evx"):
    os.environ["ORRERY_LAPACK_MIN"] = f"1000000,sy{driver}=1"
    logged()
    sl.eigh(a, b, driver="gv" + driver[2:])
    expect(f"within gv{driver[2:]}", f"dsy{driver}_ V L n=70: taken over" in (text := logged()), text)

# NaN, which SciPy and NumPy may pass on: no difference.
os.environ["ORRERY_LAPACK_MIN"] = "1"
a = matrix(30, 30, np.float64, "C")
a[3, 3] = np.nan
logged()
try:
    np.linalg.eigvalsh(a)
except np.linalg.LinAlgError:
    pass
expect("NaN", "passed on: the matrix has NaN" in (text := logged()), text)

# Threads.
a = matrix(100, 100, np.float64, "C")
a = a + a.T
os.environ["ORRERY_LAPACK_MIN"] = "1000000"
w0 = np.linalg.eigvalsh(a)
os.environ["ORRERY_LAPACK_MIN"] = "1"
wrong = []


def work():
    for _ in range(20):
        if np.abs(np.linalg.eigvalsh(a) - w0).max() > 1e-11:
            wrong.append(1)


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
expect("threads", not wrong, len(wrong))
expect("threads, taken over", logged().count("taken over") == 80)

# A forked child, while StarPU runs in its parent.
pid = os.fork()
if pid == 0:
    os._exit(0 if np.abs(np.linalg.eigvalsh(a) - w0).max() < 1e-11 else 1)
expect("fork", os.waitpid(pid, 0)[1] == 0)
expect("fork, passed on", "passed on: forked" in (text := logged()), text)

# multiprocessing: forked from a process in which StarPU runs, forked from one that has not called yet, spawned.
program = """import multiprocessing, numpy, sys
a = numpy.cos(numpy.arange(10000.0)).reshape(100, 100)
def right(results):
    return all(abs(w - results[0]).max() < 1e-11 and abs(w.sum() - numpy.trace(a)) < 1e-9 for w in results)
method, first = sys.argv[1:]
results = [numpy.linalg.eigvalsh(a + a.T) / 2] if first == 'called' else []
with multiprocessing.get_context(method).Pool(2) as pool:
    results += [w / 2 for w in pool.map(numpy.linalg.eigvalsh, 6 * [a + a.T], chunksize=1)]
assert right(results)
assert abs(numpy.linalg.eigvalsh(a + a.T) / 2 - results[0]).max() < 1e-11
"""
for method, first, lines in (("fork", "called", "passed on: forked"), ("fork", "fresh", "taken over"),
                             ("spawn", "called", "taken over")):
    done = subprocess.run([sys.executable, "-c", program, method, first], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "ORRERY_LAPACK_LOG": "1"})
    expect(f"multiprocessing, {method}, {first}", done.returncode == 0 and done.stderr.count(lines) >= 6, done.stderr)

# A process that computes nothing by LAPACK.
maps = subprocess.run([sys.executable, "-c", "import numpy.linalg; print(open('/proc/self/maps').read())"],
                      capture_output=True, text=True, env={**os.environ, "ORRERY_LAPACK_LOG": "0"}).stdout
expect("no StarPU", "liborrery_lapack" in maps and "starpu" not in maps)

os.dup2(real_stderr, 2)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
