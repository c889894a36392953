#!/usr/bin/env python3
"""One step of power iteration and one Krylov solve, against SciPy, run in turn.

usage: powm_scipy.py ORRERY [CASE...]      default: laplace3d:100
CASE: laplace3d:N, or FILE.mtx[.gz], or FILE.mtx+FILE.mtx for their Kronecker product.

Each round times Orrery's step (fused with norms and residual) and SciPy's CSR product alone, on
the same matrix; the medians of the rounds are compared, so that whatever else the machine does
hits both. `pattern` is the matrix with all entries 1. The solves are for one eigenpair of largest
modulus, eigsh or eigs with their defaults (20 vectors), to the same tolerance; residuals are of the
answers. SciPy and NumPy are needed here only.
SPDX-License-Identifier: BSD-3-Clause
"""
import json, os, statistics, subprocess, sys, time

import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as spla

ROUNDS = 3
TOL = 1e-6


def orrery(*arguments):
    r = subprocess.run([sys.argv[1], *arguments, "-q", "--json", "-"], capture_output=True, text=True)
    found = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]
    return found[0] if found else sys.exit(r.stderr)


def laplace3d(n):
    one = sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
    eye = sp.identity(n)
    return (sp.kron(sp.kron(one, eye), eye) + sp.kron(sp.kron(eye, one), eye) + sp.kron(sp.kron(eye, eye), one)).tocsr()


def load(case):
    """The matrix, and what tells Orrery to make it."""
    if case.startswith("laplace3d:"):
        return laplace3d(int(case.split(":")[1])), ["--generate", case]
    files = case.split("+")
    A = sp.csr_matrix(scipy.io.mmread(files[0]))
    if len(files) == 1:
        return A, files
    return sp.kron(A, sp.csr_matrix(scipy.io.mmread(files[1]))).tocsr(), [files[0], "--kron", files[1]]


def product_seconds(A, repeat=5):
    x = np.ones(A.shape[1])
    times = []
    for _ in range(repeat):
        t = time.perf_counter()
        A @ x
        times.append(time.perf_counter() - t)
    return statistics.median(times)


def steps(A, source):
    kinds = {"values": ["--full"], "auto": [], "pattern": ["--unweighted"]}
    mine = {k: [] for k in kinds}
    theirs, fractions = [], {k: [] for k in kinds}
    for _ in range(ROUNDS):
        for kind, extra in kinds.items():
            r = orrery("powm", *source, "--compare", "--format", "auto", "--repeat", "3", *extra)
            mine[kind].append(r["seconds"]["median"])
            fractions[kind].append(r["fraction"])
        theirs.append(product_seconds(A))
    t = statistics.median(theirs)
    print(f"  scipy          {1e3 * t:9.3f} ms per product")
    for kind, values in mine.items():
        m = statistics.median(values)
        print(f"  orrery {kind:7} {1e3 * m:9.3f} ms per step, {t / m:.2f} times as fast, "
              f"{statistics.median(fractions[kind]):.2f} of the triad")


def solves(A, source):
    d = A - A.conj().T
    name, solver = ("eigsh", spla.eigsh) if d.nnz == 0 or abs(d).max() == 0 else ("eigs", spla.eigs)
    r = orrery("powm", *source, "--tol", str(TOL))
    t = time.perf_counter()
    w, v = solver(A, k=1, which="LM", tol=TOL)
    t = time.perf_counter() - t
    residual = np.linalg.norm(A @ v[:, 0] - w[0] * v[:, 0]) / abs(w[0])
    mine = complex(*r["eigenvalues"][0])
    print(f"  {name:14} {t:9.3f} s, {w[0]:.10g}, residual {residual:.1e}")
    print(f"  orrery krylov  {r['seconds']['median']:9.3f} s, {mine:.10g}, residual {r['relative_residuals'][0]:.1e}, "
          f"{r['products']} products, {t / r['seconds']['median']:.2f} times as fast")


for case in sys.argv[2:] or ["laplace3d:100"]:
    A, source = load(case)
    A.sort_indices()
    print(f"{case}: {A.shape[0]} rows, {A.nnz} entries, load {os.getloadavg()[0]:.1f}")
    steps(A, source)
    solves(A, source)
    sys.stdout.flush()
