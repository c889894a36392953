"""fuzz.py [SECONDS [SEED]]: random arguments of all functions. Each call gives results or raises TypeError,
ValueError, MemoryError or orrery.Error (or what NumPy's warnings become) with the argument's name, and the
interpreter lives; where NumPy has an answer to the same argument, results have its shape.

Every function of the package is called, with every argument that it has; those of `start` one by one.

A crash ends this process, so the calls are made in a child, which writes each one down first.

SPDX-License-Identifier: BSD-3-Clause"""
import inspect
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings

from common import check, ended  # first: skips without NumPy

import numpy as np

ENOUGH = 50
seconds, seed = float((sys.argv[1:] or [4])[0]), int((sys.argv[2:] or [0])[0])
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

STRANGE = [None, 0, -1, 1, 2, 3, 2**31, 2**64, -2**63, 0.5, float("nan"), float("inf"), 1j, "", "L", "lower", b"x", [], {}, (),
           (0, 1), (1, 0), [0, 0], (0, 1, 2), "ab", object(), True, False, np.bool_(True), np.int8(3), np.array(3), range(2)]
OPTIONS = {
    "eigh": "b type overwrite_b lower eigvals_only subset_by_index subset_by_value overwrite_a check_finite method accuracy check progress",
    "eigvalsh": "b type overwrite_b lower subset_by_index subset_by_value overwrite_a check_finite method accuracy progress",
    "svd": "full_matrices compute_uv overwrite_a check_finite accuracy check progress",
    "svdvals": "overwrite_a check_finite accuracy progress",
    "eig_banded": "lower eigvals_only select select_range overwrite_a_band check_finite check progress",
    "eigvals_banded": "lower select select_range overwrite_a_band check_finite progress",
    "eigsh": "k which ncv tol maxiter return_eigenvectors seed progress",
    "svds": "k which ncv tol maxiter return_singular_vectors seed progress",
    "pagerank": "alpha personalization max_iter tol dangling full_output progress",
}
FITTING = {"type": [1, 2, 3], "subset_by_index": [(0, 0), (1, 2), None], "subset_by_value": [(-1, 1), (0, float("inf")), None], "method": ["jacobi", "lapack", "lanes", "block", None], "k": [1, 2, 3],
           "accuracy": ["relative", None], "select": ["a", "v", "i"], "select_range": [(0, 1), (-1.0, 1.0)], "which": ["LM"],
           "tol": [1e-3, 0], "alpha": [0.5, 0.85], "dangling": ["p", "u", "n"], "progress": [None, lambda done, total: None],
           "maxiter": [1, 5, 1000], "max_iter": [1, 50], "seed": [0, 7], "ncv": [10, None],
           "personalization": [None, [1, 2, 3], np.ones(4)]}
DTYPES = ["f4", "f8", "c8", "c16", ">f4", ">f8", ">c8", ">c16", "i1", "i4", "i8", "u2", "?", "f2", "g", "G", "O", "S3", "U2",
          "M8[s]", "m8[s]", "V8", [("x", "f8")]]
SIZES = [0, 1, 1, 2, 3, 3, 4, 5, 8, 13, 31]


def values(r, shape):
    a = np.array([r.gauss(0, 1) for _ in range(int(np.prod(shape)))]).reshape(shape)
    if r.random() < 0.2 and a.size:
        a.flat[r.randrange(a.size)] = r.choice([np.nan, np.inf, -np.inf, 1e308, 5e-324, 1e38])
    if r.random() < 0.1:
        a = np.zeros(shape)
    return a


def matrix(r):
    """An array of whatever shape, dtype and memory."""
    n = r.choice(SIZES)
    shape = tuple(r.choice(SIZES[:7]) for _ in range(r.choice([0, 0, 0, 1, 2]))) + (n, n if r.random() < 0.7 else r.choice(SIZES))
    if r.random() < 0.1:
        shape = shape[r.randrange(len(shape)):]
    dtype = r.choice(DTYPES[:12] if r.random() < 0.8 else DTYPES)
    a = values(r, shape)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a = a.astype(dtype) if r.random() < 0.9 else np.zeros(shape, dtype)
    except (TypeError, ValueError):
        return np.zeros(shape, dtype)
    if r.random() < 0.3:
        a = np.asfortranarray(a)
    if r.random() < 0.2 and a.ndim:
        a = a[..., ::-1] if r.random() < 0.5 else np.repeat(a, 2, axis=-1)[..., ::2]
    if r.random() < 0.1 and a.ndim > 1:
        a = np.broadcast_to(a[..., :1, :], a.shape)
    if r.random() < 0.1 and not a.dtype.hasobject:
        if a.size:
            memory = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
            memory[...] = a
            a = memory
    if r.random() < 0.1:
        a.flags.writeable = False
    if r.random() < 0.05:
        return a.tolist()
    if r.random() < 0.03:
        return np.ma.masked_array(a)
    if r.random() < 0.03 and a.ndim == 2:
        return a.view(np.matrix)
    return a


class Pretender:
    """Says that it is an array, or sparse, and is not."""
    shape, dtype, ndim = (3, 3), np.dtype("f8"), 2

    def __init__(self, r):
        self.fails = r.random() < 0.5

    def __array__(self, *_, **__):
        if self.fails:
            raise OSError("a disk that is not there")
        return np.eye(3)


def scipy_matrix(r):
    a = values(r, (r.choice(SIZES), r.choice(SIZES)))
    a = sparse.csr_matrix(np.where(np.isfinite(a), a, 0) if r.random() < 0.8 else a)
    if r.random() < 0.5:
        with np.errstate(all="ignore"):
            a = a.astype(r.choice(["f4", "c8", "c16", "i4", "?"]))
    if r.random() < 0.2 and a.nnz:
        a.indices[r.randrange(a.nnz)] = r.choice([-1, 10**6, 2**31 - 1, 0])
    elif r.random() < 0.2:
        a.indptr[r.randrange(len(a.indptr))] = r.choice([-1, 10**6, 2**31 - 1, 0])
    elif r.random() < 0.1:
        a.data = a.data[:1]
    return a


def partner(r, a):
    """A second matrix for `a`, mostly one that is positive definite."""
    shape = getattr(a, "shape", ())
    if r.random() < 0.2 or len(shape) < 2 or shape[-1] != shape[-2]:
        return r.choice(STRANGE) if r.random() < 0.3 else matrix(r)
    b = np.eye(shape[-1]) * r.choice([1, 3, 1e-30, 1e30]) + 0.1 / max(shape[-1], 1)
    if r.random() < 0.5:
        b = np.broadcast_to(b, shape)
    if r.random() < 0.2 and b.size:
        b = b.copy()
        b.flat[r.randrange(b.size)] = r.choice([np.nan, np.inf, -5, 0])
    return b.astype(r.choice(DTYPES[:8]), order=r.choice("CF"))


def call(r):
    name = r.choice(list(OPTIONS))
    kind = r.random()
    a = r.choice(STRANGE) if kind < 0.05 else Pretender(r) if kind < 0.08 else matrix(r)
    if sparse and name in ("eigsh", "svds", "pagerank") and r.random() < 0.5:
        a = scipy_matrix(r)
    if isinstance(a, np.ndarray) and a.ndim > 1 and r.random() < 0.5 and a.shape[-1] == a.shape[-2] and a.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            a = a + a.conj().swapaxes(-1, -2)
    options = {}
    for option in OPTIONS[name].split():
        if r.random() < 0.25:
            fitting = FITTING.get(option, [True, False])
            if option == "b":
                with np.errstate(all="ignore"):
                    options[option] = partner(r, a)
                continue
            options[option] = r.choice(fitting if r.random() < 0.8 else STRANGE)
    return name, a, options


def describe(a):
    return f"{type(a).__name__} {getattr(a, 'shape', '')} {getattr(a, 'dtype', '')}" if hasattr(a, "shape") else repr(a)[:60]


def told(name, a, options):
    """The call, as the log and a failure show it."""
    return f"{name}({describe(a)}, { {k: describe(v) if k == 'b' else v for k, v in options.items()} })"


def one(number, orrery):
    """Makes the call of this number; 1 if it gave results, and what is wrong with it."""
    name, a, options = call(random.Random(f"{seed} {number}"))
    print(f"{number} {told(name, a, options)}", file=sys.stderr, flush=True)
    words = {"eigsh": "A", "svds": "A", "pagerank": "graph", "eig_banded": "a_band", "eigvals_banded": "a_band"}.get(name, "a")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = getattr(orrery, name)(a, **options)
    except (TypeError, ValueError, MemoryError, orrery.Error) as e:
        named = [words, f"orrery.{name}", *OPTIONS[name].split()]
        return 0, None if any(str(e).startswith(w + ":") for w in named) else f"names no argument: {type(e).__name__}: {e}"
    except Exception as e:
        return 0, f"{type(e).__name__}: {e}"
    for x in result if isinstance(result, tuple) else (result,):
        if isinstance(x, np.ndarray) and x.dtype.char not in "fdFD":
            return 1, f"a result of dtype {x.dtype}"
    if name in ("eigvalsh", "svdvals") and not set(options) & {"b", "subset_by_index", "subset_by_value"}:
        shape = np.asarray(a).shape
        wanted = shape[:-2] + ((shape[-1],) if name == "eigvalsh" else (min(shape[-2:]),))
        if result.shape != wanted:
            return 1, f"shape {result.shape}, not {wanted}"
    return 1, None


def forgotten(orrery):
    """Functions and arguments that the tables above lack, or have too many."""
    functions = {f for f in orrery.__all__ if inspect.isfunction(getattr(orrery, f))} - {"start", "stop", "info"}
    for name in functions | set(OPTIONS):
        has = set(list(inspect.signature(getattr(orrery, name)).parameters)[1:]) if name in functions else None
        known = set(OPTIONS[name].split()) if name in OPTIONS else None
        if has != known:
            print(f"FAIL: {name} has {has}, the table {known}")
            yield name


def starts(orrery):
    """Strange arguments of `start`, which names the argument or starts; a directory of models is made, so only no strings."""
    for argument in ("cpus", "cudas", "sched", "model_dir"):
        for value in STRANGE:
            if argument == "model_dir" and isinstance(value, (str, bytes)):
                continue
            print(f"start({argument}={value!r})", file=sys.stderr, flush=True)
            try:
                orrery.start(**{argument: value})
            except (TypeError, ValueError) as e:
                if not str(e).startswith(argument + ":"):
                    print(f"FAIL: start({argument}={value!r}) names no argument: {e}")
                    yield value
            except (MemoryError, orrery.Error):
                pass
            except Exception as e:
                print(f"FAIL: start({argument}={value!r}): {type(e).__name__}: {e}")
                yield value
            orrery.stop()


def child():
    import orrery
    wrong = len(list(forgotten(orrery))) + len(list(starts(orrery)))
    end, number, answered = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end or answered <= ENOUGH:  # a busy machine may do few calls in that time
        good, bad = one(number, orrery)
        answered += good
        number += 1
        if bad:
            wrong += 1
            name, a, options = call(random.Random(f"{seed} {number - 1}"))
            print(f"FAIL: call {number - 1}: {told(name, a, options)}: {bad}")
    print(f"{number} calls, {answered} answered, {wrong} wrong")
    sys.exit(wrong > 0)


if os.environ.get("ORRERY_FUZZ_CHILD"):
    child()
with tempfile.TemporaryFile("w+") as log, tempfile.TemporaryFile("w+") as out:
    env = {**os.environ, "ORRERY_FUZZ_CHILD": "1"}
    child = subprocess.Popen([sys.executable, *sys.argv], env=env, stdout=out, stderr=log)
    try:
        ended_with = child.wait(seconds + 300)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        ended_with = "never"
    log.seek(0)
    out.seek(0)
    calls, said = log.read().splitlines(), out.read()
print(said[-4000:])
check(ended_with == 0, f"exit {ended_with}; the last call: {calls[-5:]}")
answered = said.split(" calls, ")[-1].split(" answered")[0]
check(answered.isdigit() and int(answered) > ENOUGH, f"hardly a call was answered: {answered}")
ended()
