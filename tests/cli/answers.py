#!/usr/bin/env python3
"""answers.py ORRERY: what a command prints of a file's results is what NumPy computes, and NumPy
reads it; text, archives and the formats of outputs. Exits 77 without NumPy.

SPDX-License-Identifier: BSD-3-Clause"""
import json
import os
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

orrery = os.path.abspath(sys.argv[1])
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("FAIL:", what)


def run(*args, stdin=None, code=0):
    r = subprocess.run([orrery, *args, "--cpus", "2"], input=stdin, capture_output=True)
    check(r.returncode == code, "%s: exit code %d, not %d\n%s" % (" ".join(args), r.returncode, code, r.stderr.decode()))
    return r.stdout.decode()


def printed(*args, stdin=None, dtype=float):
    """The numbers of an answer, as numpy.loadtxt reads them."""
    return np.loadtxt(run(*args, stdin=stdin).splitlines(), dtype=dtype)


def close(x, y, n, what, eps=None):
    """To the last digits: n eps of the largest."""
    x, y = np.asarray(x), np.asarray(y)
    eps = eps or np.finfo(y.dtype).eps
    bound = 4 * n * eps * max(abs(y).max(), 0) if y.size else 0
    check(x.shape == y.shape and (x.size == 0 or abs(x - y).max() <= bound),
          "%s: differs by %g, more than %g" % (what, abs(x - y).max() if x.shape == y.shape else -1, bound))


rng = np.random.default_rng(7)


def hermitian(*shape, dtype="f8"):
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return ((a + np.swapaxes(a, -1, -2).conj()) / 2).astype(dtype)


with tempfile.TemporaryDirectory() as d:
    os.chdir(d)

    # eigenvalues and singular values, one per line, to the last digits
    for dtype in ("f4", "f8", "c8", "c16"):
        for n in (1, 2, 33):
            a = hermitian(n, n, dtype=dtype)
            np.save("a.npy", a)
            w = np.linalg.eigvalsh(a)
            close(np.atleast_1d(printed("heev", "a.npy", "--all").astype(w.dtype)), w, n, "heev %s %d" % (dtype, n))
            close(np.atleast_1d(printed("heevj", "a.npy").astype(w.dtype)), w, n, "heevj %s %d" % (dtype, n))
    m = rng.normal(size=(17, 9))
    np.save("m.npy", m)
    s = np.linalg.svd(m, compute_uv=False)
    close(printed("gesvd", "m.npy"), s, 17, "gesvd")
    close(printed("gesvj", "m.npy"), s, 17, "gesvj")

    # what is printed is what is written, bit by bit, and in each format the same
    a = hermitian(61, 61)
    np.save("a.npy", a)
    out = run("heev", "a.npy", "--all", "--values", "w.npy", "--check")
    w = np.load("w.npy")
    check((np.loadtxt(out.splitlines()) == w).all(), "printed and written values differ")
    check("# wrote eigenvalues (61,) float64 to w.npy" in out and "# check: values" in out, "what was written, check")
    run("heev", "a.npy", "--values", "w.txt", "--vectors", "z.npy")
    run("heev", "a.npy", "--values", "w.csv", "--vectors", "z.csv")
    run("heev", "a.npy", "--values", "W.TXT", "--vectors", "z.txt")
    z = np.load("z.npy")
    check((np.loadtxt("w.txt") == np.loadtxt("w.csv")).all() and (np.loadtxt("w.txt") == np.loadtxt("W.TXT")).all(),
          "values as text")
    check((np.loadtxt("z.txt") == z).all() and (np.loadtxt("z.csv", delimiter=",") == z).all(), "vectors as text")
    close(a @ z, z * np.loadtxt("w.txt"), 61 * 61, "vectors")

    # long ones: the first and last ten, and "..." between, which no reader takes for a number
    lines = run("heev", "a.npy").splitlines()
    check(len(lines) == 22 and lines[11] == "..." and "--all" in lines[0], "61 values: %d lines" % len(lines))
    # the printed values alone: another solver than with vectors, so read them from the same call
    run("heev", "a.npy", "--values", "w.npy")
    w = np.load("w.npy")
    check([float(x) for x in lines[1:11] + lines[12:]] == list(w[:10]) + list(w[-10:]), "head and tail")
    try:
        np.loadtxt(lines)
        check(False, "loadtxt read a part for the whole")
    except ValueError:
        pass

    # a batch: one matrix per line; of long rows and many rows the ends
    for shape, full in (((7, 4, 4), True), ((2, 3, 5, 5), True), ((45, 8, 8), False)):
        b = hermitian(*shape)
        np.save("b.npy", b)
        w = np.linalg.eigvalsh(b)
        rows = w.reshape(-1, shape[-1])
        close(printed("heevj", "b.npy", "--all"), rows, shape[-1], "batch %s" % (shape,))
        s = np.sort(abs(rows), axis=1)[:, ::-1]
        if len(shape) == 3:
            close(printed("gesvj", "b.npy", "--all"), s, shape[-1] * 4, "gesvj, batch")
        lines = run("heevj", "b.npy").splitlines()
        if full:
            check(len(lines) == len(rows) + 1, "a short batch is whole")
            continue
        check(len(lines) == 22 and lines[11] == "..." and all(len(x.split()) == 7 and x.split()[3] == "..."
              for x in lines[1:11] + lines[12:]), "a long batch")
    run("heevj", "b.npy", "--values", "w.txt", "--vectors", "v.txt")
    run("heevj", "b.npy", "--values", "w.npy", "--vectors", "v.npy")
    check((np.loadtxt("w.txt") == np.load("w.npy")).all(), "values of a batch as text")
    check((np.loadtxt("v.txt").reshape(45, 8, 8) == np.load("v.npy")).all(), "vectors of a batch as text")

    # complex text as NumPy and Python write it, both ways
    c = hermitian(9, 9, dtype="c16")
    np.save("c.npy", c)
    np.savetxt("c.txt", c)
    with open("c.csv", "w") as f:
        f.writelines(",".join(repr(complex(x)) for x in row) + "\n" for row in c)
    with open("python.txt", "w") as f:
        f.writelines(" ".join(str(complex(x)).strip("()") for x in row) + "\n" for row in c)
    want = run("heev", "c.npy")
    for name in ("c.csv", "python.txt"):
        check(run("heev", name).splitlines()[1:] == want.splitlines()[1:], "%s: other values" % name)
    close(printed("heev", "c.txt"), np.linalg.eigvalsh(c), 9, "savetxt of complex")
    run("heev", "c.npy", "--vectors", "v.txt")
    run("heev", "c.npy", "--vectors", "v.npy")
    check((np.loadtxt("v.txt", dtype=complex) == np.load("v.npy")).all(), "complex vectors as text")

    # archives, text of real numbers, standard input
    a = hermitian(6, 6)
    np.save("a.npy", a)
    np.savetxt("a.txt", a, fmt="%.17g", header="names\nmore", comments="# ")
    np.savetxt("a.csv", a, delimiter=",", fmt="%.17g", newline="\r\n")
    np.savez("one.npz", a)
    np.savez_compressed("two.npz", x=a, y=a[:3, :3])
    want = run("heev", "a.npy").splitlines()[1:]
    for name in ("a.txt", "a.csv", "one.npz", "two.npz:x"):
        for command in ("heev",):
            check(run(command, name).splitlines()[1:] == want, "%s %s" % (command, name))
    for name in ("a.npy", "a.txt"):
        with open(name, "rb") as f:
            check(run("heev", "-", stdin=f.read()).splitlines()[1:] == want, "%s on standard input" % name)
    close(printed("heevj", "two.npz:y"), np.linalg.eigvalsh(a[:3, :3]), 3, "two.npz:y")
    # names of arrays and of directories may hold what else tells them apart
    os.makedirs("old.npz:dir", exist_ok=True)
    odd = {"x:y": a, "x.npz:y": a, "u/v": a, "w.npz": a}
    for archive in ("odd.npz", "old.npz:dir/odd.npz"):
        np.savez(archive, plain=a[:3, :3], **odd)
        for name, matrix in {"plain": a[:3, :3], **odd}.items():
            close(printed("heevj", f"{archive}:{name}"), np.linalg.eigvalsh(matrix), len(matrix), f"{archive}:{name}")
            run("heev", f"{archive}:{name}", "--explain")
            run("heev", f"{archive}:{name}", "--json", archive, code=2)
    with zipfile.ZipFile("one.npz", "a") as z:
        z.writestr("readme.txt", "no array")
    for words in ((), ("--explain",)):
        run("heev", "one.npz", *words)
    run("heevj", "odd.npz:u/v", "odd.npz:x:y", "--values", "odd-{}.txt")
    check(os.path.exists("odd-odd-u-v.txt") and os.path.exists("odd-odd-x:y.txt"), "outputs of odd names")
    run("heevj", "two.npz:x", "two.npz:y", "--values", "w-{}.txt")
    check(os.path.exists("w-two-x.txt") and os.path.exists("w-two-y.txt"), "names of outputs from arrays of archives")
    check('"n":3' in run("heev", "two.npz:y", "--explain", "--json", "-"), "--explain of an array of an archive")
    run("heev", "two.npz", code=3)
    run("heev", "two.npz:z", code=3)

    # a singular problem's factors as text
    run("gesvd", "m.npy", "--left", "u.csv", "--right", "v.txt", "--values", "s.csv")
    u, v, s = np.loadtxt("u.csv", delimiter=","), np.loadtxt("v.txt"), np.loadtxt("s.csv")
    close(u * s @ v.T, m, 17 * 9, "U diag(s) V'")

    # bands: the two columns of T
    band = rng.normal(size=(4, 23))
    np.save("band.npy", band)
    np.savetxt("band.txt", band, fmt="%.17g")
    full = sum(np.diag(band[k, :23 - k], -k) for k in range(4))
    full = full + np.tril(full, -1).T
    for name in ("band.npy", "band.txt"):
        rows = [x.split() for x in run("hb2st", name).splitlines() if not x.startswith("#")]
        t = np.diag([float(x[0]) for x in rows]) + np.diag([float(x[1]) for x in rows[:-1]], -1)
        check(len(rows[-1]) == 1, "the last line of T has the diagonal alone")
        close(np.linalg.eigvalsh(t), np.linalg.eigvalsh(full), 23, "hb2st " + name)
        w = printed("hb2st", name, "--values", "w.txt")
        close(w, np.linalg.eigvalsh(full), 23, "hb2st --values " + name)
        check((w == np.loadtxt("w.txt")).all(), "hb2st: written values")
        rows = [x.split() for x in run("gb2bd", name).splitlines() if not x.startswith("#")]
        b = np.diag([float(x[0]) for x in rows]) + np.diag([float(x[1]) for x in rows[:-1]], 1)
        upper = sum(np.diag(band[k, 3 - k:], 3 - k) for k in range(4))
        s = printed("gb2bd", name, "--values", "w.csv")
        close(s, np.linalg.svd(upper, compute_uv=False), 23, "gb2bd --values " + name)
        close(np.linalg.svd(b, compute_uv=False), np.linalg.svd(upper, compute_uv=False), 23, "gb2bd " + name)

    # records
    s = np.linalg.svd(m, compute_uv=False)
    for args, key, want in ((("heev", "a.npy"), "eigenvalues", np.linalg.eigvalsh(a)),
                            (("heevj", "a.npy"), "eigenvalues", np.linalg.eigvalsh(a)),
                            (("gesvd", "m.npy"), "singular_values", s), (("gesvj", "m.npy"), "singular_values", s)):
        record = json.loads(run(*args, "--json", "-"))
        close(np.array(record["results"][key]), want, 17, "record of %s" % args[0])
    record = json.loads(run("hb2st", "band.npy", "--json", "-"))
    check(len(record["results"]["diagonal"]) == 23 and len(record["results"]["off_diagonal"]) == 22, "record of T")
    np.save("b.npy", hermitian(200, 6, 6))
    check(json.loads(run("heevj", "b.npy", "--json", "-"))["results"]["eigenvalues"] is None, "1200 values in a record")
    w = json.loads(run("heevj", "b.npy", "a.npy", "--json", "-", "--all"))["results"]["eigenvalues"]
    check(np.shape(w) == (201, 6), "all values in a record")

    # not Hermitian: the triangle that is read, or the mean
    a[4, 1] += 0.25
    np.save("a.npy", a)
    lower = np.tril(a) + np.tril(a, -1).T
    for command in ("heev", "heevj"):
        close(printed(command, "a.npy"), np.linalg.eigvalsh(lower), 6, "lower")
        close(printed(command, "a.npy", "--uplo", "U"), np.linalg.eigvalsh(a, UPLO="U"), 6, "upper")
        close(printed(command, "a.npy", "--symmetrize"), np.linalg.eigvalsh((a + a.T) / 2), 6, "mean")
    c[2, 7] += 1j
    np.save("c.npy", c)
    close(printed("heev", "c.npy", "--symmetrize"), np.linalg.eigvalsh((c + c.conj().T) / 2), 9, "complex mean")
    os.chdir("/")

print("passed" if not failures else "%d failures" % failures)
sys.exit(failures > 0)
