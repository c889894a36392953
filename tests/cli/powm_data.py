#!/usr/bin/env python3
"""Real matrices against reference values: powm_data.py ORRERY DIRECTORY

Every matrix of DIRECTORY that reference.json knows, by `orrery powm --method krylov`:

  eigenvalue   |lambda - reference| / |reference| <= 1e-10 (of the pair with im >= 0)
  residual     |A v - lambda v| / |lambda|         <= 1e-10, as the command says it

and PageRank: the ten best nodes in their order (equal scores may trade places) and
sum |x - x_ref| over them <= 1e-12. Plain power iteration is run as well: where it does not
converge it must say so (exit code 4). Exit 77 without the directory.
SPDX-License-Identifier: BSD-3-Clause
"""
import array, json, math, os, subprocess, sys, tempfile

orrery, folder = sys.argv[1:3]
if not os.path.exists(os.path.join(folder, "reference.json")):
    print("no reference data in", folder)
    sys.exit(77)
reference = json.load(open(os.path.join(folder, "reference.json")))
failures = 0


def fail(*what):
    global failures
    failures += 1
    print("FAILED", *what)


def run(*arguments):
    r = subprocess.run([orrery, *arguments, "-q", "--json", "-"], capture_output=True, text=True)
    lines = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]
    return r.returncode, lines[0] if lines else None, r.stderr


def scores(path):
    data = open(path, "rb").read()
    start = data.index(b"\n") + 1
    x = array.array("d")
    x.frombytes(data[start:])
    return x


for name, ref in reference.items():
    if name == "_about":
        continue
    path = os.path.join(folder, os.path.basename(ref["file"]))
    if not os.path.exists(path):
        print(name, "is not there")
        continue
    if ref["rows"] != ref["cols"]:
        code, _, said = run("powm", path)
        if code != 3 or "--singular" not in said:
            fail(name, "rectangular: exit", code, said)
        code, record, said = run("powm", path, "--singular")
        if code != 0:
            fail(name, "singular: exit", code, said)
        print(f"{name:16} rectangular, sigma {record['eigenvalues'][0][0]:.12g}")
        continue
    top = ref["eigen"]["top"][0]
    want = complex(*top["lambda"])
    code, record, said = run("powm", path, "--method", "krylov", "--tol", "1e-13", "--max-products", "40000")
    if record is None:
        fail(name, "exit", code, said)
        continue
    # of several of equal modulus any will do
    near = [complex(*t["lambda"]) for t in ref["eigen"]["top"]
            if abs(abs(complex(*t["lambda"])) - abs(want)) <= 1e-9 * abs(want)]
    got = complex(*record["eigenvalues"][0])
    error = min(abs(got - w) for w in near + [w.conjugate() for w in near]) / abs(want)
    residual = record["relative_residuals"][0]
    if not error <= 1e-10:
        fail(name, "eigenvalue", got, "not", want, "error", error)
    if not residual <= 1e-10:
        fail(name, "residual", residual)
    power = run("powm", path, "--method", "power", "--max-products", "3000")
    ritz = run("powm", path, "--method", "ritz", "--max-products", "10000")
    for method, (c, r, s) in (("power", power), ("ritz", ritz)):
        if c not in (0, 4):
            fail(name, method, "exit", c, s)
        elif c == 0 and not abs(abs(complex(*r["eigenvalues"][0])) - abs(want)) <= 1e-7 * abs(want):
            fail(name, method, "says ok to", r["eigenvalues"], "not", want)
    print(f"{name:16} error {error:.1e} residual {residual:.1e} products {record['products']:5} "
          f"{record['name']:16} power {power[1]['products'] if power[0] == 0 else power[1]['name']} "
          f"ritz {ritz[1]['products'] if ritz[0] == 0 else ritz[1]['name']}")
    if "pagerank" not in ref:
        continue
    with tempfile.TemporaryDirectory() as scratch:
        x_path = os.path.join(scratch, "x.npy")
        code, record, said = run("pagerank", path, "--tol", "1e-14", "--vectors", x_path)
        if code != 0:
            fail(name, "pagerank exit", code, said)
            continue
        x = scores(x_path)
    best = [(float(t["value"]), t["node_1based"] - 1) for t in ref["pagerank"]["top10"]]
    error = sum(abs(x[node] - value) for value, node in best)
    order = sorted(range(len(x)), key=lambda i: (-x[i], i))[: len(best)]
    for k, (value, node) in enumerate(best):
        if order[k] != node and abs(x[order[k]] - value) > 1e-15:
            fail(name, "place", k + 1, "is", order[k], "not", node)
    if not error <= 1e-12 or not abs(math.fsum(x) - 1) <= 1e-12:
        fail(name, "pagerank error", error, "sum", math.fsum(x))
    print(f"{name:16} pagerank error {error:.1e} (top ten) steps {record['sweeps']} bound {record['error_bound']:.1e}")
print(failures, "failures")
sys.exit(failures != 0)
