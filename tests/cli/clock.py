#!/usr/bin/env python3
"""One clock: what the records of every command that computes say of time, and --ref FILE.so.

  clock.py ORRERY CLI_TOOL SLOW NAMES WIDE    (three libraries of clock_lapack.c)

`seconds` is the call and `seconds_graph` its tasks, so none of the first is below the second; they
are the median, least and most of `samples`; ratios are of runs next to each other.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

orrery, tool, slow, names, wide = (os.path.abspath(p) for p in sys.argv[1:6])
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", STARPU_SILENT="1")
os.environ.pop("STARPU_SCHED", None)
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAIL:", text)


def run(*words, code=0):
    done = subprocess.run([orrery, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if done.returncode != code:
        fail(f"exit code {done.returncode}, not {code}: {' '.join(words)}\n{err}")
    return out, err


def near(a, b):
    return abs(a - b) <= 1e-7 * abs(b)


def spread_of(label, what, samples):
    expected = {"median": statistics.median(samples), "min": min(samples), "max": max(samples)}
    for key, value in expected.items():
        if not near(what[key], value):
            fail(f"{label}: {key} {what[key]} is not {value}, of {samples}")
    if what["runs"] != len(samples):
        fail(f"{label}: {what['runs']} runs, {len(samples)} samples")


def judge(label, record, runs, per_step=False):
    for key in ("seconds", "seconds_graph", "samples"):
        if key not in record:
            return fail(f"{label}: no {key}")
    spread_of(label, record["seconds"], record["samples"])
    if len(record["samples"]) != runs:
        fail(f"{label}: {len(record['samples'])} samples, not {runs}")
    for key in ("median", "min", "max"):
        call, graph = record["seconds"][key], record["seconds_graph"][key]
        if per_step:  # what is done once in a call cancels, so that there is one time only
            if graph is not None:
                fail(f"{label}: seconds_graph {graph} of a step")
            if not call > 0:  # so short a step is timed by more of them than --steps
                fail(f"{label}: {key} {call} s")
        elif not 0 < graph <= call:
            fail(f"{label}: {key} of the graph {graph} s, of the call {call} s")
    for ref in record["ref"]:
        spread_of(ref["name"], ref["seconds"], ref["samples"])
        ratio = [t / o for t, o in zip(ref["samples"], record["samples"])]
        told = {"median": ref["ratio"], "min": ref["ratio_min"], "max": ref["ratio_max"],
                "runs": runs}
        if not all(abs(told[k] - f(ratio)) <= 1e-6 * f(ratio) for k, f in
                   (("median", statistics.median), ("min", min), ("max", max))):
            fail(f"{label}: ratios {told}, of {ratio}")


def records(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def case(label, *words, runs=3, count=1, per_step=False, cpus=2, quiet=True):
    path = "r.jsonl"
    if os.path.exists(path):
        os.remove(path)
    out, err = run(*words, "--repeat", str(runs), "--cpus", str(cpus), "--json", path,
                   *(["-q"] if quiet else []))
    got = records(path) if os.path.exists(path) else []
    if len(got) != count:
        fail(f"{label}: {len(got)} records, not {count}")
    for record in got:
        judge(label, record, runs, per_step)
    return got, out, err


def every_command():
    """A benchmark of each, files and streams too; a command with records that is not here fails."""
    cases = {
        "heev": [["--n", "61", "--ref", "lapack"]],
        "hegv": [["--n", "61", "--ref", "lapack"]],
        "gesvd": [["--n", "47", "--m", "61", "--ref", "lapack"]],
        "hbev": [["--n", "133", "--band", "9", "--ref", "lapack"]],
        "hb2st": [["--n", "133", "--band", "9", "--ref", "lapack"]],
        "gb2bd": [["--n", "133", "--band", "9", "--type", "h,d", "--ref", "lapack"]],
        "heevj": [["--n", "13", "--batch", "7", "--ref", "lapack"]],
        "gesvj": [["--n", "33", "--count", "3", "--ref", "lapack"],
                  ["--n", "33", "--count", "3", "--at-once"]],
        "powm": [["--generate", "laplace3d:7"]],
        "pagerank": [["--generate", "rmat:7:5"]],
    }
    without = {"sched", "info", "doctor", "simulate", "compare", "graph", "record", "replay", "study"}  # their --json is no record of a run
    for name in re.findall(r"^  ([a-z0-9]+)  ", run("--help")[0], re.M):
        if "--json" in run(name, "--help")[0] and name not in without and name not in cases:
            fail(f"{name} writes records and is not tested here")
    for name, lists in cases.items():
        for words in lists:
            label = " ".join([name, *words])
            case(label, name, *words, count=2 if "h,d" in words else 1)
    case("powm per step", "powm", "--generate", "laplace3d:7", "--compare", "--steps", "1",
         "--format", "csr", per_step=True)
    case("pagerank per step", "pagerank", "--generate", "rmat:7:5", "--bench", per_step=True)
    subprocess.run([tool, "make", "stack.npy", "d", "2", "19", "random"], check=True)
    for name in ("heevj", "gesvj"):
        case(f"{name} FILE", name, "stack.npy")
    with open("stack.npy", "rb") as f:
        subprocess.run([orrery, "gesvj", "--stream", "--cpus", "2", "--json", "s.jsonl"], stdin=f,
                       stdout=subprocess.DEVNULL, check=True)
    judge("gesvj --stream", records("s.jsonl")[0], 1)


def a_library():
    """The routines of a file: sampled, described, told apart from ours only if it can be."""
    (record,), out, err = case("heev --ref FILE", "heev", "--n", "33", "--ref", "lapack," + slow,
                               runs=4, quiet=False)
    if not record["bound"]["makespan"] > 0:  # of a run that is not timed, since these are brief
        fail(f"no tasks were recorded: {record['bound']}")
    ref = {r["name"]: r for r in record["ref"]}
    if set(ref) != {"lapack dsyevd", "lapack dsyevd_2stage", "clock_slow dsyevd"}:
        fail(f"peers {sorted(ref)}")
    theirs = ref["clock_slow dsyevd"]
    if sum(s >= 0.2 for s in theirs["samples"]) != 4:
        fail(f"every second call sleeps 0.2 s, those behind the brief ones that are not timed: {theirs['samples']}")
    if theirs["threads"] != 1:
        fail(f"{theirs['threads']} threads of a library that cannot be told how many")
    if theirs["library"] != os.path.realpath(slow) or \
            theirs["version"] != "clock for tests 7; LAPACK 3.1.4":
        fail(f"library {theirs['library']}, version {theirs['version']}")
    if "LAPACK 3" not in ref["lapack dsyevd"]["version"] or not ref["lapack dsyevd"]["library"]:
        fail(f"what is linked: {ref['lapack dsyevd']}")
    if "clock_slow.so has no dsyevd_2stage_: left out" not in err:
        fail(f"a missing routine is not named: {err}")
    shown = re.findall(r"([ ~])([0-9.]+)x \[([0-9.]+), ([0-9.]+)\]", out)
    if len(shown) != 3:
        fail(f"ratios with their range: {out}")
    for (mark, *_), r in zip(shown, record["ref"]):
        if (mark == "~") != (r["ratio_min"] <= 1 <= r["ratio_max"]):
            fail(f"'{mark}' before {r['ratio_min']} to {r['ratio_max']}")
    run("heev", "--n", "21", "--ref", "lapack", "--cpus", "1", "--repeat", "2", "--csv", "r.csv", "-q")
    with open("r.csv") as f:
        for row in csv.DictReader(f):
            if len(row["samples"].split()) != 2 or len(row["ref_samples"].split()) != 2 or \
                    not float(row["seconds_graph_median"]) > 0 or not row["ref_version"]:
                fail(f"CSV {row}")


def a_real_library():
    """All routines in all types of a LAPACK by its path: Debian's reference one, or else the file of
    the one that is linked."""
    run("heev", "--n", "9", "--cpus", "1", "--ref", "lapack", "--repeat", "1", "--json", "own.jsonl")
    path = sorted(glob.glob("/usr/lib/*/lapack/liblapack.so.3")) or \
        [records("own.jsonl")[0]["ref"][0]["library"]]
    label = os.path.basename(path[0]).split(".so")[0]
    print("library:", path[0])
    cases = {
        ("heev", "--n", "45"): "syevd heevd syevd_2stage heevd_2stage",
        ("heev", "--n", "45", "--jobz", "V"): "syevd heevd syevr heevr",
        ("gesvd", "--n", "45", "--jobz", "V"): "gesvd gesdd",
        ("hbev", "--n", "77", "--band", "5", "--jobz", "V"): "sbevd hbevd",
        ("hb2st", "--n", "77", "--band", "5"): "sbtrd hbtrd sytrd_sb2st hetrd_hb2st",
        ("gb2bd", "--n", "77", "--band", "5"): "gbbrd",
        ("heevj", "--n", "11", "--batch", "9"): "syevd heevd",
        ("gesvj", "--n", "21", "--count", "3"): "gesvd gesdd gesvj",
    }
    for words, routines in cases.items():
        got, _, err = case(" ".join(words), *words, "--type", "s,d,c,z", "--ref", path[0], "--check",
                           runs=2, count=4, cpus=1)
        names = {r["name"] for record in got for r in record["ref"]}
        letters = {"sy": "sd", "sb": "sd", "he": "cz", "hb": "cz", "ge": "sdcz", "gb": "sdcz"}
        expected = {f"{label} {t}{routine}" for routine in routines.split()
                    for t in letters[routine[:2]]}
        missing = {n for n in expected - names if f"no {n.split()[1]}_" not in err}
        if missing or names - expected:
            fail(f"{' '.join(words)} --ref {path[0]}: without {missing}, more {names - expected}")


def errors():
    with open("text.so", "w") as f:
        f.write("no library\n")
    for library, said in (("./absent.so", "No such file"), ("./text.so", "text.so"),
                          (names, "64-bit integers only"), (wide, "64-bit integers under")):
        _, err = run("heev", "--n", "33", "--cpus", "1", "--ref", library, code=3)
        if said not in err or os.path.basename(library) not in err:
            fail(f"--ref {library}: {err}")
    for command in ("gesvd", "hb2st", "gb2bd", "heevj", "gesvj"):  # the option is in all
        _, err = run(command, "--n", "33", "--cpus", "1", "--ref", "./absent.so", code=3)
        if "No such file" not in err:
            fail(f"{command} --ref ./absent.so: {err}")
    _, err = run("hb2st", "--n", "33", "--cpus", "1", "--ref", slow, code=3)
    if "has no dsbtrd_" not in err:
        fail(f"hb2st's routine is not named: {err}")
    run("gb2bd", "--n", "33", "--ref", "cusolver", code=2)


def in_turn():
    """gb2bd and its peer alternate: where the peer sleeps, ours has a gap. Ours, brief too, runs for
    itself before it is timed."""
    runs = 4
    run("gb2bd", "--n", "65", "--band", "5", "--cpus", "1", "--ref", slow, "--repeat", str(runs),
        "--trace", "t.csv", "--json", "t.jsonl", "-q")
    with open("t.csv") as f:
        rows = list(csv.DictReader(f))
    alone = (1 + runs) * records("t.jsonl")[0]["tasks"]  # the warm-up and what is timed
    if len(rows) <= alone:
        fail(f"{len(rows)} tasks in all, as if no run were untimed: {alone}")
    times = sorted((float(r["start_us"]), float(r["end_us"])) for r in rows)
    gaps, end = 0, times[0][1]
    for start, stop in times:
        gaps += start - end >= 0.19e6
        end = max(end, stop)
    if gaps < runs:
        fail(f"{gaps} pauses of ours while each of {runs} timed runs of the peer sleeps")


with tempfile.TemporaryDirectory() as where:
    os.chdir(where)
    every_command()
    a_library()
    a_real_library()
    errors()
    in_turn()
    os.chdir("/")
print("passed" if not failures else f"{failures} failures")
sys.exit(failures > 0)
