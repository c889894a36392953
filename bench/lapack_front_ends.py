"""lapack_front_ends.py SHIM [--repeat R] [--scale X] [NAME...]: Octave, R and NumPy with liborrery_lapack preloaded and
without, processes in turn.

    OPENBLAS_CORETYPE=SKYLAKEX python3 bench/lapack_front_ends.py build/release/liborrery_lapack.so

Each process makes a call of a quarter of the order first, which starts what is started once if it is taken over, then the
one that counts.
Medians of its seconds, and of the ratios of neighbouring processes with the least and the most of them; what was taken
over by the library's own log. Both have the threads that the environment gives, by default all. --scale 0.1 is a trial
with a tenth of the orders. `orrery doctor` says whether this machine needs OPENBLAS_CORETYPE, and which.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys

OCTAVE = "a = randn({n}); b = randn({q}); {warm}; tic; {call}; printf('%.9f\\n', toc);"
# R's cov() of such a matrix takes longer than all the rest
R = "set.seed(1); a <- crossprod(scale(matrix(rnorm({m} * {n}), {m}), scale = FALSE)) / ({m} - 1); b <- a[1:{q}, 1:{q}]; {warm}; cat(system.time({call})[['elapsed']])"
NUMPY = ("import time, numpy as np; r = np.random.default_rng(1); a = r.standard_normal(({n}, {n})); a += a.T; b = a[:{q}, :{q}].copy(); {warm}; "
         "t = time.perf_counter(); {call}; print(time.perf_counter() - t)")
CASES = {  # program, its options, text, order, a call of `x`
    "octave svd": ("octave-cli", ["--no-gui", "--norc", "--quiet", "--eval"], OCTAVE, 1000, "[u, s, v] = svd(x)"),
    "octave eig": ("octave-cli", ["--no-gui", "--norc", "--quiet", "--eval"], OCTAVE, 1000, "e = eig(x + x')"),
    "r eigen": ("Rscript", ["--vanilla", "-e"], R, 2000, "e <- eigen(x)"),
    "r eigen values": ("Rscript", ["--vanilla", "-e"], R, 2000, "e <- eigen(x, only.values = TRUE)"),
    "numpy eigvalsh": ("/usr/bin/python3", ["-c"], NUMPY, 4000, "np.linalg.eigvalsh(x)"),
    "numpy eigh": ("/usr/bin/python3", ["-c"], NUMPY, 2000, "np.linalg.eigh(x)"),
    "numpy svd": ("/usr/bin/python3", ["-c"], NUMPY, 1000, "np.linalg.svd(x)"),
    "numpy 2000 of eigh": ("/usr/bin/python3", ["-c"], NUMPY, 64, "np.linalg.eigh(np.broadcast_to(x, (2000,) + x.shape))"),
    "numpy 2000 of complex eigh": ("/usr/bin/python3", ["-c"], NUMPY, 64, "np.linalg.eigh(np.broadcast_to(x + 0j, (2000,) + x.shape))"),
    "numpy 500 of svd": ("/usr/bin/python3", ["-c"], NUMPY, 128, "np.linalg.svd(np.broadcast_to(x, (500,) + x.shape))"),
    "scipy 500 of a pencil": ("/usr/bin/python3", ["-c"], "import scipy.linalg; " + NUMPY, 100,
                              "[scipy.linalg.eigh(x, 1000 * np.eye(len(x))) for i in range(500)]"),
}


def run(case, scale, shim):
    """Seconds of the call, and what the library said of it."""
    program, options, text, order, call = CASES[case]
    n = max(16, round(order * scale))
    text = text.format(n=n, m=n + n // 5, q=n // 4, call=re.sub(r"\bx\b", "a", call), warm=re.sub(r"\bx\b", "b", call))
    env = {**os.environ, "ORRERY_LAPACK_LOG": "1"}
    if shim:
        env["LD_PRELOAD"] = shim
    done = subprocess.run([program, *options, text], capture_output=True, text=True, env=env)
    said = [line for line in done.stderr.splitlines() if line.startswith("orrery: ") and (": taken over" in line or ": passed on" in line)]
    if done.returncode:
        sys.exit(f"{case}: {program} ends with {done.returncode}\n{done.stderr[-2000:]}")
    return float(done.stdout.split()[-1]), said[-1][len("orrery: "):] if said else "no call of LAPACK's names"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("shim")
    p.add_argument("names", nargs="*", help=", ".join(CASES))
    p.add_argument("--repeat", type=int, default=7)
    p.add_argument("--scale", type=float, default=1)
    a = p.parse_intermixed_args()
    shim = os.path.realpath(a.shim)
    for name in set(a.names) - set(CASES):
        p.error(f"{name}: none of {', '.join(CASES)}")
    print("| call | order | without | with | ratio | |\n| --- | --- | --- | --- | --- | --- |")
    for case in a.names or CASES:
        if not shutil.which(CASES[case][0]):
            print(f"| {case} | | | | | no {CASES[case][0]} here |")
            continue
        pairs = []
        for k in range(a.repeat):
            turn = [False, True] if k % 2 == 0 else [True, False]
            seconds = {}
            for preloaded in turn:
                seconds[preloaded], said = run(case, a.scale, shim if preloaded else None)
                if preloaded:
                    outcome = said
            pairs.append((seconds[False], seconds[True]))
        ratio = sorted(x / y for x, y in pairs)
        print(f"| {case} | {round(CASES[case][3] * a.scale)} | {statistics.median(x for x, _ in pairs):.3g} s | "
              f"{statistics.median(y for _, y in pairs):.3g} s | {statistics.median(ratio):.2f} ({ratio[0]:.2f} to {ratio[-1]:.2f}) | "
              f"{outcome} |", flush=True)


main()
