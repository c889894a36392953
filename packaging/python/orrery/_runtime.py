"""What all calls have in common: one StarPU, started by the first call; forks; Ctrl-C; statuses that become
exceptions; progress.

SPDX-License-Identifier: BSD-3-Clause
"""
import atexit
import contextlib
import ctypes
import os
import sys
import _thread
import threading
import warnings

import numpy as np

from . import _library as c

lib = c.lib


class Error(RuntimeError):
    """The library could not do it; the base of the exceptions below."""


class ForkError(Error):
    """This process was forked from one in which StarPU ran, and has none of its threads."""


class ConvergenceError(Error, np.linalg.LinAlgError):
    """The iteration gave up."""


class DefiniteError(Error, np.linalg.LinAlgError):
    """A matrix that has to be positive definite is not."""


class CheckError(Error):
    """``check=True``, and a residual or a departure from orthogonality is too large."""


class _State:
    lock = threading.Lock()
    context = None  # a c_void_p
    main = None     # likewise, of the main thread: Ctrl-C cancels what is called there, and nothing else
    pid = None      # of the process that started StarPU, or is starting it
    active = 0      # calls under way
    blas_threads = None


def _in_child():
    _State.lock = threading.Lock()  # another thread of the parent may hold it


os.register_at_fork(after_in_child=_in_child)


def _blas(what):
    """OpenBLAS's function, of the BLAS that liborrery is linked with; None: another BLAS."""
    return getattr(lib, f"openblas_{what}_num_threads", None)


def _refuse_fork():
    if _State.pid not in (None, os.getpid()):
        raise ForkError("orrery: this process was forked after StarPU had started, and StarPU does not survive that; "
                        "start workers by multiprocessing's 'spawn' or 'forkserver', or call orrery.stop() before")


def _start_locked(**options):
    message = ctypes.create_string_buffer(512)
    opts = c.orr_context_opts(message=ctypes.addressof(message), **options)
    context = ctypes.c_void_p()
    threads = _blas("get")() if _blas("get") else None
    _State.pid = os.getpid()
    status = lib.orr_open(opts, context)
    if status != c.OK:
        _State.pid = None
        sched = os.fsdecode(options.get("sched") or os.environ.get("STARPU_SCHED", ""))
        wrong = f" ('{sched}')" if status == c.E_SCHED else ""
        raise Error(f"orrery: StarPU was not started: {message.value.decode() or strerror(status)}{wrong}")
    main = ctypes.c_void_p()
    status = lib.orr_open(None, main)  # it shares StarPU with the first one
    if status != c.OK:
        lib.orr_close(context)
        _State.pid = None
        raise Error(f"orrery: {strerror(status)}")
    _State.context, _State.main = context, main
    if threads:  # between calls NumPy, if it has the same BLAS, keeps its threads
        _blas("set")(threads)


def start(*, cpus=0, cudas=0, sched=None, model_dir=None):
    """Starts StarPU, which the first call does otherwise, with options.

    Parameters
    ----------
    cpus, cudas : int
        CPU workers and CUDA devices. 0: all, -1: none.
    sched : str, optional
        Scheduling policy, as ``orrery sched`` lists them.
    model_dir : str, optional
        Directory of performance models.

    Raises
    ------
    RuntimeError
        StarPU runs already (`stop` ends it).
    Error
        No such policy, no worker, or `model_dir` cannot be used.
    """
    _refuse_fork()
    with _State.lock:
        if _State.context:
            raise RuntimeError("orrery: StarPU runs already; orrery.stop() ends it")
        _start_locked(cpus=integer(cpus, "cpus", -1, 2**31 - 1), cudas=integer(cudas, "cudas", -1, 2**31 - 1),
                      sched=_path(sched, "sched"), model_dir=_path(model_dir, "model_dir"))


def stop():
    """Stops StarPU; the next call starts it anew. Nothing happens if it does not run.

    Raises
    ------
    RuntimeError
        Another thread is in a call.
    """
    _refuse_fork()
    with _State.lock:
        if _State.active:
            raise RuntimeError("orrery: a call is under way in another thread")
        if _State.context:
            lib.orr_close(_State.main)
            lib.orr_close(_State.context)
        _State.context = _State.main = _State.pid = None


@atexit.register
def _at_exit():
    if _State.pid == os.getpid() and not _State.active:  # a daemon thread may be in a call: then all just ends
        stop()


def info():
    """What runs the calls: a dict of workers, versions and files. Starts StarPU.

    Returns
    -------
    dict
        ``cpu``, ``cuda`` (workers), ``sched``, ``starpu``, ``blas``, ``model_dir``, ``library`` (path) and more.
    """
    found = c.orr_context_info()
    with call():
        lib.orr_context_query(_State.context, found)
    values = {name: getattr(found, name) for name, _ in found._fields_}
    return {**{k: v.decode() if isinstance(v, bytes) else v for k, v in values.items()}, "library": c.path}


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()


def _enter_locked():
    _State.active += 1
    if _State.active == 1 and _blas("get"):
        _State.blas_threads = _blas("get")()
        _blas("set")(1)


def _leave():
    with _State.lock:
        _State.active -= 1
        if _State.active == 0 and _blas("get"):
            _blas("set")(_State.blas_threads)


@contextlib.contextmanager
def call():
    """The context, for one call. BLAS has one thread while there are calls."""
    _refuse_fork()
    with _State.lock:
        if not _State.context:
            _start_locked()
        _enter_locked()
    try:
        yield _State.main if _in_main_thread() else _State.context
    finally:
        _leave()


# ---- Ctrl-C ------------------------------------------------------------------------------------


_MOMENT = 10_000_000  # steps of some operations each, as n**3 of a matrix: some milliseconds, too short for Ctrl-C


def run(function, context, *arguments, steps=None):
    """A function of the library that takes a while, with the context of `call`. Handlers of signals run in the main
    thread, and only between two steps of the interpreter; so there the library is called by another thread, and
    ended when a handler raises an exception. `steps`: how long it takes, if that may be a moment."""
    if not _in_main_thread() or steps is not None and steps <= _MOMENT:
        return function(context, *arguments)
    return _Interruptible(function, context, arguments).run()


class _Interruptible:
    def __init__(self, function, context, arguments):
        self.function, self.context, self.arguments = function, context, arguments
        self.owner = sys._getframe(2)  # whoever has the arrays, whatever is raised there  pylint: disable=protected-access
        self.first, self.ended = threading.Lock(), threading.Lock()
        self.ended.acquire()
        self.value = self.raised = None
        self.over = False

    def work(self):
        if not self.first.acquire(blocking=False):
            return
        with _State.lock:
            _enter_locked()
        try:
            self.value = self.function(self.context, *self.arguments)
        except BaseException as e:  # pylint: disable=broad-except
            self.raised = e
        finally:
            _leave()
            self.owner = None
            self.over = True
            self.ended.release()

    def run(self):
        try:
            try:
                _thread.start_new_thread(self.work, ())
            except RuntimeError:  # there can be no more threads
                self.work()
            # A signal may come just before the wait begins, or to another thread: neither ends a wait, so it ends by itself.
            while not self.ended.acquire(timeout=0.05):
                pass
        except BaseException:
            try:
                self.cancel()
            except BaseException:  # pylint: disable=broad-except
                self.cancel()
            raise
        if self.raised:
            raise self.raised
        return self.value

    def cancel(self):
        """Again and again: perhaps it has not begun. Not to be interrupted once more: it still uses the arrays. The lock says
        nothing: a signal may come right after it was acquired."""
        try:
            while not self.over:
                lib.orr_cancel(self.context)
                self.ended.acquire(timeout=0.05)
        except BaseException:  # pylint: disable=broad-except
            self.cancel()


# ---- Statuses --------------------------------------------------------------------------------


def strerror(status):
    return lib.orr_strerror(status).decode()


def judge(status, report, name, function):
    """Raises what a status means, `name` being the argument with the matrix; a result that is there is
    left to the caller (NONFINITE)."""
    said = (report.message.decode() if report else "") or strerror(status)
    if status in (c.E_ARG, c.E_NONFINITE):
        raise ValueError(f"{name}: {said}")
    if status == c.E_NOMEM:
        raise MemoryError(f"orrery.{function}: {said}")
    if status == c.NOCONV:
        raise ConvergenceError(f"orrery.{function}: {said}")
    if status < 0:
        raise Error(f"orrery.{function}: {said}")
    if status == c.RANGE:
        warnings.warn(f"orrery.{function}: {said}", RuntimeWarning, stacklevel=4)


# ---- Progress --------------------------------------------------------------------------------


def _as_function(progress):
    """A function (done, total) of one, or of a tqdm bar."""
    if hasattr(progress, "update") and hasattr(progress, "n"):
        def show(done, total):
            progress.total = total
            progress.update(done - progress.n)
        return show
    return progress


class Progress:
    """The callback of a C call, or of equal ones for the matrices of a stack, for the argument `progress`. Workers call
    it, one at a time here and with growing numbers; what it raises is raised when the call has ended."""

    def __init__(self, progress):
        if progress is not None and not callable(_as_function(progress)):
            raise TypeError("progress: not a function (done, total), nor a tqdm bar")
        self.function = _as_function(progress)
        self.lock = threading.Lock()
        self.last = -1
        self.part, self.parts = 0, 1
        self.raised = None
        self.callback = c.progress_fn() if progress is None else c.progress_fn(self.update)

    def over(self, stack):
        """The matrices of a stack, each with its number."""
        self.parts = len(stack)
        for self.part, matrix in enumerate(stack):
            yield self.part, matrix

    def update(self, done, total, _):
        with self.lock:
            done, total = self.part * total + done, self.parts * total
            if done <= self.last or self.raised:
                return
            self.last = done
            try:
                self.function(done, total)
            except BaseException as e:  # pylint: disable=broad-except
                self.raised = e

    def end(self):
        if self.raised:
            raise self.raised


# ---- Arguments -------------------------------------------------------------------------------

LETTERS = {np.dtype("f4"): 0, np.dtype("f8"): 1, np.dtype("c8"): 2, np.dtype("c16"): 3}


def _int(value, name):
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(f"{name}: {value!r} is not an integer") from None


def _path(value, name):
    try:
        return None if value is None else os.fsencode(value)
    except TypeError as e:
        raise TypeError(f"{name}: {e}") from None


def integer(value, name, least, most):
    value = _int(value, name)
    if not least <= value <= most:
        raise ValueError(f"{name}: {value} is not within {least}..{most}")
    return value


def real(value, name, least, most):
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {value!r} is not a number") from None
    if not least <= value <= most:
        raise ValueError(f"{name}: {value} is not within {least}..{most}")
    return value


def flag(value, name):
    if not isinstance(value, (bool, np.bool_, int)):
        raise TypeError(f"{name}: {value!r} is neither True nor False")
    return bool(value)


def choice(value, name, choices):
    if not isinstance(value, (str, type(None))) or value not in choices:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(map(repr, choices))}")
    return choices[value]


def array(a, name, least_dimensions=2, most_dimensions=64):
    """`a` as an array of numbers that LAPACK knows, or of integers, and the dtype to compute in."""
    if hasattr(a, "toarray"):  # of SciPy; np.asarray would make an object of it
        raise TypeError(f"{name}: a sparse matrix; {name}.toarray() makes an array of it, eigsh and svds take it as it is")
    try:
        a = np.asarray(a)
    except ValueError as e:
        raise ValueError(f"{name}: {e}") from e
    except Exception as e:
        raise TypeError(f"{name}: not an array: {e}") from e
    dtype = np.dtype("f8") if a.dtype.kind in "iub" else a.dtype.newbyteorder("=")
    if dtype not in LETTERS:
        raise TypeError(f"{name}: dtype {a.dtype} is none of float32, float64, complex64, complex128, integers, bool")
    if not least_dimensions <= a.ndim <= most_dimensions:
        raise ValueError(f"{name}: has {a.ndim} dimensions, {'at least' if a.ndim < least_dimensions else 'at most'} "
                         f"{least_dimensions if a.ndim < least_dimensions else most_dimensions} expected")
    return a, dtype


def real_of(dtype):
    return np.dtype("f4") if dtype.itemsize * (1 if dtype.kind == "f" else 0.5) == 4 else np.dtype("f8")


def address(a):
    """For the library, which expects of memory what C does."""
    assert a is None or (a.flags.aligned and a.flags.forc and a.dtype.isnative)
    return None if a is None else a.ctypes.data
