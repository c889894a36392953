#!/usr/bin/env python3
"""One step of power iteration and one Krylov solve, against SciPy, run in turn.

usage: powm_scipy.py ORRERY [NAME...]      NAME as for --generate (default laplace3d:100)

Each round times Orrery's step (fused with norms and residual) and SciPy's CSR product alone, on
the same matrix; the medians of the rounds are compared, so that whatever else the machine does
hits both. SciPy and NumPy are needed here only.
SPDX-License-Identifier: BSD-3-Clause
"""
import json, os, statistics, subprocess, sys, tempfile, time

import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as spla

ROUNDS = 3


def orrery(*arguments):
    r = subprocess.run([sys.argv[1], *arguments, "-q", "--json", "-"], capture_output=True, text=True)
    return [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]


def laplace3d(n):
    one = sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
    eye = sp.identity(n)
    return (sp.kron(sp.kron(one, eye), eye) + sp.kron(sp.kron(eye, one), eye) + sp.kron(sp.kron(eye, eye), one)).tocsr()


def product_seconds(A, repeat=5):
    x = np.ones(A.shape[1])
    best = []
    for _ in range(repeat):
        t = time.perf_counter()
        A @ x
        best.append(time.perf_counter() - t)
    return statistics.median(best)


for name in sys.argv[2:] or ["laplace3d:100"]:
    if not name.startswith("laplace3d:"):
        sys.exit("only laplace3d:N is made here")
    A = laplace3d(int(name.split(":")[1]))
    A.sort_indices()
    mine = {"full": [], "auto": []}
    theirs, fractions = [], []
    for _ in range(ROUNDS):
        for kind in mine:
            extra = ["--full", "--format", "sell"] if kind == "full" else ["--format", "auto"]
            r = orrery("powm", "--generate", name, "--compare", "--repeat", "3", *extra)[0]
            mine[kind].append(r["seconds"]["median"])
            if kind == "full":
                fractions.append(r["fraction"])
        theirs.append(product_seconds(A))
    t = statistics.median(theirs)
    print(f"{name}: {A.shape[0]} rows, {A.nnz} entries, load {os.getloadavg()[0]:.1f}")
    print(f"  scipy {1e3 * t:.3f} ms")
    for kind, values in mine.items():
        m = statistics.median(values)
        print(f"  orrery {kind:5} {1e3 * m:.3f} ms, {t / m:.2f} times as fast")
    print(f"  fraction of triad, full values: {statistics.median(fractions):.2f}")
    start = time.perf_counter()
    r = orrery("powm", "--generate", name, "--k", "1", "--tol", "1e-6")[0]
    t = time.perf_counter()
    w = spla.eigsh(A, k=1, which="LM", tol=1e-6, return_eigenvectors=False)
    t = time.perf_counter() - t
    print(f"  eigsh {t:.3f} s ({w[0]:.12g}), orrery {r['seconds']['median']:.3f} s "
          f"({r['eigenvalues'][0][0]:.12g}, {r['products']} products)")
