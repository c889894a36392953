"""Forks, threads, ends of processes: an exception at once in a forked child, never a hang; calls of several
threads at the same time; Ctrl-C; exit with a call under way; BLAS threads between calls; start, stop, info; what import says
where there is no library.

SPDX-License-Identifier: BSD-3-Clause"""
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

from common import check, ended, hermitian, raises  # first: skips without NumPy

import numpy as np

import orrery
from orrery import _library, _runtime

rng = np.random.default_rng(21)
a = hermitian(rng, np.dtype("c16"), 50, 7, 7)


def in_child(function, seconds=20):
    """What `function` returns in a forked child; None if that does not end."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, repr(function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    end = time.monotonic() + seconds
    while time.monotonic() < end and os.waitpid(pid, os.WNOHANG) == (0, 0):
        time.sleep(0.01)
    if time.monotonic() >= end:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return None
    with os.fdopen(read) as f:
        return f.read()


def outcome(function, *args):
    try:
        function(*args)
        return "result"
    except orrery.Error as e:
        return f"{type(e).__name__}: {e}"


def program(text, code=0, seconds=60, **environment):
    """Runs a Python program; returns what it printed."""
    env = {**os.environ, "ORRERY_LIBRARY": _library.path, "PYTHONPATH": os.path.dirname(_library.HERE), **environment}
    done = subprocess.run([sys.executable, "-B", "-c", text], env=env, capture_output=True, text=True, timeout=seconds)
    check(done.returncode == code, f"exit {done.returncode}, not {code}: {text}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


# ---- Before StarPU runs a child may start its own ---------------------------------------------------

check(_runtime._State.context is None, "import has started StarPU")
check(in_child(lambda: outcome(orrery.eigh, a)) == "'result'", "a child forked before the first call")

# ---- Threads ------------------------------------------------------------------------------------------

results, failures = {}, []


def work(k):
    try:
        for _ in range(20):
            results[k] = (orrery.eigh(a), orrery.svd(a[0]), orrery.eigvalsh(a[:3]), orrery.pagerank(np.abs(a[0])))
    except Exception as e:
        failures.append(e)


threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(not failures and len(results) == 3, f"threads: {failures}")
for k in results:
    check((results[k][0][0] == results[0][0][0]).all() and (results[k][1][1] == results[0][1][1]).all(), "threads differ")

# The interpreter runs on while the library computes.
big = hermitian(rng, np.dtype("f8"), 4000, 30, 30)
ticks, done = [], threading.Event()


def tick():
    while not done.is_set():
        ticks.append(time.monotonic())
        time.sleep(0.001)


t = threading.Thread(target=tick)
t.start()
begun = time.monotonic()
orrery.eigh(big, method="jacobi")
over = time.monotonic()
done.set()
t.join()
check(sum(begun < x < over for x in ticks) >= 3, f"the GIL was held: {len(ticks)} ticks in {over - begun:.3f} s")

# ---- Forks -----------------------------------------------------------------------------------------------

for function in (orrery.eigh, orrery.svd, orrery.eig_banded, orrery.eigsh, orrery.pagerank):
    said = in_child(lambda: outcome(function, np.eye(7)))
    check(said and "ForkError" in said and "spawn" in said, f"forked child, {function.__name__}: {said}")
for function in (orrery.info, orrery.start, orrery.stop):
    said = in_child(lambda: outcome(function))
    check(said and "ForkError" in said, f"forked child, {function.__name__}: {said}")
with multiprocessing.get_context("fork").Pool(1) as pool:
    try:
        pool.apply_async(orrery.eigh, (a,)).get(timeout=20)
        check(False, "a pool of forked processes has a result")
    except orrery.ForkError:
        pass
check((orrery.eigh(a)[0] == results[0][0][0]).all(), "the parent after forks")

# While another thread starts StarPU and holds the lock.
orrery.stop()
check(in_child(lambda: outcome(orrery.eigh, a)) == "'result'", "a child forked after stop()")
for delay in (0, 0.001, 0.01, 0.05):
    t = threading.Thread(target=orrery.info)
    t.start()
    time.sleep(delay)
    said = in_child(lambda: outcome(orrery.eigh, a))
    check(said is not None, f"a child forked while StarPU starts ({delay} s) hangs")
    t.join()
    orrery.stop()

# ---- Start, stop, BLAS --------------------------------------------------------------------------------------

orrery.stop()
orrery.start(cpus=1)
check(orrery.info()["cpu"] == 1 and orrery.info()["library"] == _library.path, f"one worker: {orrery.info()}")
raises(RuntimeError, "runs already", orrery.start)
orrery.stop()
raises(orrery.Error, "StarPU was not started: no scheduling policy has this name ('latest')", orrery.start, sched="latest")
raises(TypeError, "cpus", orrery.start, cpus="2")
raises(TypeError, "sched", orrery.start, sched=3)
orrery.eigh(a)  # with the default again
errors = []


def stop_within(done, total):
    try:
        orrery.stop()
    except RuntimeError as e:
        errors.append(str(e))


orrery.eigh(a, progress=stop_within)
check(errors and "under way" in errors[0], f"stop() within a call: {errors}")

threads_of_blas = _runtime._blas("get")
if threads_of_blas:
    _runtime._blas("set")(2)
    within = []
    orrery.eigh(a, progress=lambda done, total: within.append(threads_of_blas()))
    check(set(within) == {1} and threads_of_blas() == 2, f"BLAS threads: {within} within, {threads_of_blas()} after")
    raises(ValueError, "a: ", orrery.eigh, np.full((2, 2), np.nan))
    check(threads_of_blas() == 2, f"BLAS threads after an error: {threads_of_blas()}")

# ---- Ctrl-C ---------------------------------------------------------------------------------------------------
# After the first task: the call ends with tasks left, nothing of it stays behind, and calls of other threads go on.

diagonals = rng.standard_normal((9, 700))
others, halt, cancelled = [], threading.Event(), threading.Event()


class Watched:
    def __getattr__(self, name):
        return getattr(_library.lib, name)

    def orr_cancel(self, context):
        _library.lib.orr_cancel(context)
        cancelled.set()


_runtime.lib = Watched()


def meanwhile():
    while not halt.is_set():
        others.append(outcome(orrery.eigvalsh, a))


def interrupted(function, *args, send=lambda: os.kill(os.getpid(), signal.SIGINT), **options):
    cancelled.clear()

    def interrupt(done, total):
        send()
        check(cancelled.wait(60), f"{function.__name__}: Ctrl-C cancels nothing")

    try:
        function(*args, progress=interrupt, **options)
        check(False, f"{function.__name__}: no KeyboardInterrupt")
    except KeyboardInterrupt:
        pass
    check(_runtime._State.active <= 1, f"{function.__name__}: a call is left after KeyboardInterrupt")


t = threading.Thread(target=meanwhile)
t.start()
for function, args in ((orrery.eigh, (np.ones((400, 400)),)), (orrery.svd, (np.ones((500, 400)),)),
                       (orrery.eigvals_banded, (diagonals,)), (orrery.eigsh, (np.diag(np.arange(1.0, 601)),)),
                       (orrery.pagerank, (np.ones((300, 300)),)), (orrery.eigh, (big,)), (orrery.svdvals, (big,))):
    interrupted(function, *args)
# The kernel may give the signal to any thread, and only its own ends the wait of the main thread.
interrupted(orrery.eigh, big, send=lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
halt.set()
t.join()
check(others and set(others) == {"result"}, f"calls of another thread: {set(others)}")
check(_runtime._State.active == 0 and (orrery.eigh(a)[0] == results[0][0][0]).all(), "a call after KeyboardInterrupt")


class Acquired:
    """A lock after whose first acquire() a Ctrl-C comes."""

    def __init__(self, lock):
        self.lock, self.release, self.late = lock, lock.release, True

    def acquire(self, **options):
        got = self.lock.acquire(**options)
        if got and self.late:
            self.late = False
            raise KeyboardInterrupt
        return got


def interrupted_late():
    call = _runtime._Interruptible(lambda context: 7, None, ())
    call.ended = Acquired(call.ended)
    try:
        call.run()
        check(False, "Ctrl-C right after the end of a call: no KeyboardInterrupt")
    except KeyboardInterrupt:
        check(call.value == 7, "Ctrl-C right after the end of a call")


interrupted_late()

# The library says that it was cancelled.
seen = []
call_of_library = _runtime._Interruptible.work


def watched(self):
    call_of_library(self)
    seen.append(self.value)


_runtime._Interruptible.work = watched
interrupted(orrery.eigh, big, method="jacobi")
check(seen == [_library.E_CANCELLED], f"status of an interrupted call: {seen}")
_runtime._Interruptible.work = call_of_library

# What else a handler raises; one that raises nothing does not disturb a call.


class Alarm(Exception):
    pass


def alarm(*_):
    raise Alarm


signal.signal(signal.SIGUSR1, alarm)
signal.signal(signal.SIGUSR2, lambda *_: None)
try:
    orrery.eigh(big, progress=lambda done, total: os.kill(os.getpid(), signal.SIGUSR1))
    check(False, "the exception of a handler is lost")
except Alarm:
    pass
w = orrery.eigvalsh(a, progress=lambda done, total: os.kill(os.getpid(), signal.SIGUSR2))
check(np.allclose(w, results[0][0][0]), "a handler that raises nothing")
out, err = program("import os, signal, numpy, orrery\n"
                   "def kill(done, total): os.kill(os.getpid(), signal.SIGINT)\n"
                   "try: orrery.eigh(numpy.ones((900, 900)), progress=kill)\n"
                   "except KeyboardInterrupt: print('interrupted')\n"
                   "print(orrery.eigvalsh(numpy.eye(2)))\n")
check(out == "interrupted\n[1. 1.]\n", f"a program after Ctrl-C: {out}{err}")

# ---- Programs ------------------------------------------------------------------------------------------------

program("import orrery, numpy; orrery.eigh(numpy.eye(3))")
program("import orrery, numpy, os\norrery.eigh(numpy.eye(3))\nif os.fork():\n    os.wait()\n")  # both end by their atexit
out, err = program("import orrery, numpy, threading\nbegun = threading.Event()\n"
                   "def forever():\n    while True: orrery.eigh(numpy.ones((2000, 20, 20)), progress=lambda d, t: begun.set())\n"
                   "threading.Thread(target=forever, daemon=True).start()\nbegun.wait()\nprint('leaves')")
check(out == "leaves\n", f"a daemon thread in a call: {out}{err}")
out, err = program("import orrery", 1, ORRERY_LIBRARY="/nowhere/liborrery.so")
check("ImportError: liborrery was not found" in err and "/nowhere/liborrery.so" in err, f"no library: {err}")
out, err = program("import orrery", 1, ORRERY_LIBRARY="libm.so.6")
check("ImportError: liborrery was not found" in err and "orr_version" in err, f"another library: {err}")
program("import orrery\nassert orrery.eigsh.__doc__\nimport sys\nassert 'scipy' not in sys.modules", STARPU_SILENT="")
ended()
