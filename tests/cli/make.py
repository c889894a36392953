"""orrery graph make: tasks, data, edges and paths counted by hand, times, seeds, what is refused.

    make.py ORRERY PERFMODELS

SPDX-License-Identifier: BSD-3-Clause"""
import glob, json, math, os, re, statistics, subprocess, sys

from checks import call, check, empty_directory, finish

orrery, perfmodels = map(os.path.abspath, sys.argv[1:3])
empty_directory()


def graph(*words):
    return call(orrery, "graph", *words)


def make(*words):
    code, out, err = graph("make", *words, "-q")
    check(code == 0 and not err, f"make {words}: {code} {err}")
    return out


def info(text, *words):
    with open("made.graph", "w") as f:
        f.write(text)
    code, out, err = graph("info", "made.graph", "-q", "--json", "-", *words)
    check(code == 0, f"info: {code} {err}")
    return json.loads(out) if code == 0 else {}


# Words, then by hand: tasks, data, edges, tasks of the longest chain (1 ms each), tasks of each codelet.
# Cholesky of 4 tiles: 6 edges potrf-trsm, 6 trsm-syrk, 8 trsm-gemm, 3 syrk-syrk, 3 syrk-potrf, 1 gemm-gemm, 3 gemm-trsm.
# LU of 3: potrf's like 4 + 2 getrf-trsm, 8 + 2 trsm-gemm, and from gemm 1 + 1 to getrf, 2 to trsm, 1 to gemm.
# QR of 3: 12 edges to tasks of the first step, of them 2 to unmqr, 2 to tsqrt, 8 to tsmqr; 8 to the second; 1 to the last geqrt.
# Bulge, 4 blocks: groups of 4, 3, 2, 1 tasks; 6 edges inside; of 6 tasks behind a group, each waits for the one a block further,
# or in the last block, where there is none, for the last.
# Jacobi, 4 blocks: 3 rounds of 2 pairs of angle and update; an angle waits for both updates before.
for words, wanted in {
    ("chain", "--size", "5"): (5, 1, 4, 5, {"link": 5}),
    ("independent", "--size", "7"): (7, 7, 0, 1, {"work": 7}),
    ("fork-join", "--size", "3", "--depth", "2"): (9, 7, 12, 5, {"fork": 1, "work": 6, "join": 2}),
    ("layered", "--size", "4", "--depth", "3", "--degree", "2"): (12, 12, 16, 3, {"work": 12}),
    ("layered", "--size", "3", "--depth", "2", "--degree", "3"): (6, 6, 9, 2, {"work": 6}),
    ("cholesky", "--size", "4"): (20, 10, 30, 10, {"potrf": 4, "trsm": 6, "syrk": 6, "gemm": 4}),
    ("lu", "--size", "3"): (14, 9, 21, 7, {"getrf": 3, "trsm": 6, "gemm": 5}),
    ("qr", "--size", "2"): (5, 6, 5, 4, {"geqrt": 2, "unmqr": 1, "tsqrt": 1, "tsmqr": 1}),
    ("qr", "--size", "3"): (14, 12, 21, 7, {"geqrt": 3, "unmqr": 3, "tsqrt": 3, "tsmqr": 5}),
    ("bulge", "--size", "4"): (10, 8, 14, 9, {"chase": 10}),
    ("bulge", "--size", "1"): (1, 2, 0, 1, {"chase": 1}),
    ("jacobi", "--size", "4", "--depth", "1"): (12, 10, 14, 6, {"angle": 6, "update": 6}),
    ("jacobi", "--size", "2", "--depth", "3"): (6, 5, 5, 6, {"angle": 3, "update": 3}),
}.items():
    got = info(make(*words))
    seen = (got["tasks"], got["data"], got["edges"], round(1e3 * got["bound"]["critical_path"], 9),
            {c["name"]: c["tasks"] for c in got["codelets"]})
    check(seen == wanted, f"{words}: {seen}, not {wanted}")

# Priorities are lengths of chains; in a round of Jacobi no block is in two pairs, and in a sweep every pair comes once.
check(re.findall(r"task (\w+) priority=(\d+)", make("cholesky", "--size", "2")) ==
      [("potrf", "4"), ("trsm", "3"), ("syrk", "2"), ("potrf", "1")], "priorities")
pairs = re.findall(r"task angle.* (\d+):R (\d+):R", make("jacobi", "--size", "8", "--depth", "1"))
check(len(pairs) == 28 and len({frozenset(p) for p in pairs}) == 28, f"pairs {pairs}")
check(all(len({x for p in pairs[k:k + 4] for x in p}) == 8 for k in range(0, 28, 4)), f"rounds {pairs}")

# Bytes, operations and times: 8 * 10^2 bytes; a gemm of order 10 has 2000 operations, at 2 Gflop/s 1 us, on the GPU at 20 a tenth.
text = make("cholesky", "--size", "3", "--tile", "10", "--gflops", "2:20", "--gpus", "2", "--cpus", "5")
check("cpu 5 cuda 2" in text and "data 1 800\n" in text, text)
check(re.search(r"task gemm .*where=cpu,cuda flops=2000 cpu=1.000 cuda=0.100 ", text), text)
check(re.search(r"task potrf .*cpu=0.167 cuda=0.017 ", text), text)
text = make("lu", "--size", "2", "--tile", "10", "--type", "z", "--gflops", "2", "--time", "trsm=7:3,getrf=9")
check("data 4 1600\n" in text and re.search(r"task gemm .*where=cpu flops=8000 cpu=4.000 ", text), text)
check(re.search(r"task trsm .*cpu=7.000 cuda=3.000 ", text) and re.search(r"task getrf .*where=cpu .*cpu=9.000 ", text), text)
check("data 1 77\n" in make("chain", "--bytes", "77") and "data 1 0\n" in make("chain"), "--bytes")

check(re.findall(r"task (\w+) .*where=cpu,cuda sync=cuda ", make("cholesky", "--size", "2", "--gflops", "2:4", "--sync", "potrf,syrk")) ==
      ["potrf", "syrk", "potrf"], "--sync")

# A model of StarPU, by size; the bytes of the data are the size unless one is given.
model = os.path.join(perfmodels, "ci-2core", "codelets", "45", "hb2st_chase_d.ci-2core")
entries = [(float(x[1]), float(x[3]), int(x[7])) for x in (line.split() for line in open(model))
           if len(x) == 8 and re.fullmatch("[0-9a-f]{8}", x[0])]
size = entries[0][0]
mean = max((e for e in entries if e[0] == size), key=lambda e: e[2])[1]
text = make("bulge", "--size", "2", "--model", f"chase={model}@{size:.17g}")
check(all(abs(float(x) - mean) < 1e-3 for x in re.findall(r" cpu=([\d.]+)", text)) and "cuda=" not in text, f"model {mean}: {text}")
code, out, err = graph("make", "bulge", "--model", f"chase={model}")
check(code == 3 and not out and "no times of size 0" in err, f"no such size: {code} {err}")
shipped = [d for d in glob.glob("/usr/share/starpu/perfmodels/sampling/codelets/45") if os.path.exists(d + "/chol_model_11.sirocco")]
for d in shipped:  # docs/laboratory.md says so
    text = make("cholesky", "--size", "3", "--tile", "960", "--type", "s", "--model",
                f"potrf={d}/chol_model_11.sirocco,trsm={d}/chol_model_21.sirocco,gemm={d}/chol_model_22.sirocco")
    times = {n: (round(float(c)), round(float(g))) for n, c, g in re.findall(r"task (\w+) .*cpu=([\d.]+) cuda=([\d.]+)", text)}
    check(times == {"potrf": (7379, 7700), "trsm": (17758, 2005), "gemm": (34940, 743)}, f"sirocco: {times}")
print("models of sirocco:", "read" if shipped else "skipped, StarPU's shipped models are not installed")

# Equal options, equal bytes; another seed, other edges and times; a chain's edges do not depend on it. The spread is
# what was asked for, its mean 1: of 4000 tasks within 4 standard errors.
wide = "layered", "--size", "20", "--degree", "3", "--cv", "0.3"
check(make(*wide, "--seed", "5") == make(*wide, "--seed", "5"), "one seed, two graphs")
check(make(*wide, "--seed", "5") != make(*wide, "--seed", "6"), "two seeds, one graph")
check(make("chain", "--seed", "5") == make("chain", "--seed", "6"), "a chain depends on the seed")
edges = lambda text: [line.split(" cpu=")[1].split(" ", 1)[1] for line in text.splitlines() if " cpu=" in line]
check(edges(make(*wide)) == edges(make(*wide[:-2])), "edges depend on --cv")
reads = [re.findall(r"(\d+):R\b", line) for line in make(*wide).splitlines() if ":R " in line]
check(all(len(set(r)) == 3 for r in reads) and len({tuple(r) for r in reads}) > 100, "each reads three, not always the same")
times = [float(x) for x in re.findall(r" cpu=([\d.]+)", make("independent", "--size", "4000", "--cv", "0.5"))]
mean, cv = statistics.fmean(times) / 1000, statistics.stdev(times) / statistics.fmean(times)
check(abs(mean - 1) < 4 * 0.5 / math.sqrt(4000) and abs(cv - 0.5) < 0.08, f"mean {mean}, cv {cv}")

# The record, and where things go.
done = subprocess.run([orrery, "graph", "make", "qr", "--size", "3", "-o", "qr.graph", "--json", "-"], capture_output=True, text=True)
record = json.loads(done.stdout)
check({k: record[k] for k in ("family", "size", "tasks", "data", "edges", "bytes")} ==
      {"family": "qr", "size": 3, "tasks": 14, "data": 12, "edges": 21, "bytes": 8 * 256 ** 2}, f"{record}")
check("orrery: qr: 14 tasks, 12 data, 21 edges" in done.stderr and open("qr.graph").read() == make("qr", "--size", "3"), done.stderr)

# What is refused, and nothing is written.
for words, message in {
    (): "one family is needed", ("choleski",): "did you mean 'cholesky'?", ("chain", "lu"): "one family",
    ("chain", "--size", "0"): "not between 1", ("chain", "--size", "x"): "not an integer", ("chain", "--depth", "2"): "--depth means nothing",
    ("cholesky", "--degree", "2"): "--degree means nothing", ("layered", "--size", "2", "--degree", "3"): "more than the --size",
    ("jacobi", "--size", "5"): "has to be even", ("cholesky", "--size", "1000"): "more tasks than a graph can have",
    ("fork-join", "--size", "200000"): "more than a task can have data", ("chain", "--gflops", "2"): "for families with tiles",
    ("chain", "--tile", "2"): "for families with tiles", ("lu", "--gflops", "0"): "'0' is not C or C:G", ("lu", "--gflops", "2:"): "'2:' is not",
    ("lu", "--gflops", "nan"): "'nan' is not", ("lu", "--time", "gemm"): "'gemm' is not CODELET=US", ("lu", "--time", "gem=2"): "no task is called 'gem'",
    ("lu", "--time", "gemm=0"): "above zero", ("lu", "--model", "gemm="): "is not CODELET=FILE", ("lu", "--model", "gemm=a@x"): "is not CODELET=FILE",
    ("lu", "--cv", "-1"): "not between 0", ("lu", "--sync", "gemm"): "'gemm' runs on no accelerator", ("lu", "--type", "q"): "not one of s|d|c|z", ("lu", "--gflops", "1e14", "--tile", "1", "--cv", "nan"): "not a number",
    ("chain", "--time", "link=9e14", "--cv", "10", "--size", "100"): "would take", ("layered", "--size", "1e6", "--depth", "16", "--degree", "1000"): "accesses",
}.items():
    code, out, err = graph("make", *words, "-o", "no.graph")
    check(code == 2 and message in err and not out and not os.path.exists("no.graph"), f"{words}: '{message}' was expected: {code} {err}")
for words, message in {("lu", "--model", "gemm=absent"): "absent", ("lu", "-o", "absent/x.graph"): "absent/x.graph",
                       ("lu", "--model", f"gemm={orrery}"): "orrery"}.items():
    code, out, err = graph("make", *words)
    check(code == 3 and message in err and not out, f"{words}: {code} {err}")
check(graph("info", "made.graph", "--size", "3")[0] == 2 and graph("import", "made.graph", "--cv", "0.1")[0] == 2, "options of make elsewhere")
finish("make")
