#!/usr/bin/env python3
"""All scheduling policies on all families of task graphs.

    bench/schedulers.py build/release/orrery --data schedulers.json

Every policy runs every case in processes of its own, in random order, the case that has been measured
least often first; a process repeats the run and counts as its median. Measurements are added to the file
--data, so that the work can be cut into pieces (--seconds, --family) on a machine that is not always
quiet; without --data they are forgotten. Printed per case, policies in the order of their times:
the median, least and most of the processes, the ratio of the median to the best policy's, and the
median ratio of the recorded run's makespan to its lower bound (docs/trace.md). Times are those of the
call. At the end: how far processes of one case and policy differ, and what the same comparison gives
for policies drawn at random, which is what chance alone shows. Models are those of perfmodels/ where
they are of this machine.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse, json, math, os, random, statistics, subprocess, sys, time

OWN = "affine lookahead pipeline".split()
PEERS = "lws dmdas".split()
POLICIES = OWN + "eager lws prio dmda dmdas modular-eager modular-prio modular-heft".split()

# family: three cases, the second one is the default size
CASES = {
    "heevj": [f"--n 64 --batch {b}" for b in (300, 1500, 3000)],
    "gesvj": [f"--n {n} --count 8 --type s" for n in (160, 320, 448)],
    "hb2st": [f"--n {n} --band 64" for n in (1024, 2048, 4096)],
    "gb2bd": [f"--n {n} --band 64" for n in (1024, 2048, 4096)],
    "powm": [f"--generate laplace3d:{n} --blocks 16 --format sell --max-products 30"
             for n in (48, 80, 112)],
}
# With a device that is a CPU in disguise: each transfer costs it a millisecond.
OPENCL = {
    "heevj": [f"--n 64 --batch {b}" for b in (100, 300, 1000)],
    "gesvj": [f"--n {n} --count 4 --type s" for n in (100, 160, 240)],
    "hb2st": [f"--n {n} --band 64" for n in (512, 1024, 2048)],
    "gb2bd": [f"--n {n} --band 64" for n in (512, 1024, 2048)],
    "powm": [f"--generate laplace3d:{n} --blocks 4 --format sell --max-products 10"
             for n in (32, 48, 64)],
}
QUICK = {
    "heevj": ["--n 24 --batch 200"],
    "gesvj": ["--n 100 --count 2 --type s"],
    "hb2st": ["--n 400 --band 16"],
    "gb2bd": ["--n 400 --band 16"],
    "powm": ["--generate laplace3d:12 --blocks 4 --format sell --max-products 30"],
}
NOT_CONVERGED = 4  # of powm, which is stopped after a number of products


def run(options, family, case, policy):
    """The record of one process, or None (and why, on stderr)."""
    command = [options.orrery, family, *case.split(), "--sched", policy, "--repeat",
               str(options.repeat), "--json", "-", "-q"]
    if options.cpus is not None:
        command += ["--cpus", str(options.cpus)]
    if options.opencl:
        command += ["--opencls", "1"]
    here = os.path.dirname(os.path.abspath(__file__))
    models = {"ORRERY_PERFMODELS": os.path.join(here, "..", "perfmodels")}
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout,
                           env=models | dict(os.environ))
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: more than {options.timeout} s", file=sys.stderr)
        return None
    if r.returncode not in (0, NOT_CONVERGED):
        print(f"{' '.join(command)}: exit code {r.returncode}: {r.stderr.strip()[-400:]}",
              file=sys.stderr)
        return None
    return json.loads(r.stdout.splitlines()[-1])


def read(path):
    """The rows of earlier calls, by (family, case, policy, OpenCL devices)."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as f:
        return {(r["algo"], r["case"], r["sched"], r["workers"]["opencl"]): r for r in json.load(f)}


def write(path, rows):
    with open(path + ".part", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(r) for r in rows.values()) + "\n]\n")
    os.replace(path + ".part", path)


def add(rows, key, record):
    family, case, policy, _ = key
    row = rows.setdefault(key, {"algo": family, "case": case, "sched": policy, "seconds": [],
                                "ratio": []})
    row["seconds"].append(round(record["seconds"]["median"], 6))
    row["ratio"].append(round((record.get("bound") or {}).get("ratio") or float("nan"), 4))
    row.update(tasks=record["tasks"], workers=record["workers"])
    row["provenance"] = {k: record["provenance"][k] for k in ("version", "git", "starpu", "time")}


def measure(options, rows, keys):
    """Until each has been measured --rounds times, or time is up. Returns how many failed."""
    begin, failed = time.monotonic(), 0
    turn = {k: len(rows[k]["seconds"]) if k in rows else 0 for k in keys}
    while min(turn.values()) < options.rounds:
        least = min(turn.values())
        case = next(k[:2] for k in keys if turn[k] == least)
        due = [k for k in keys if turn[k] == least and k[:2] == case]
        print(f"{' '.join(case)}, round {least + 1} of {options.rounds}", file=sys.stderr)
        for key in random.sample(due, len(due)):
            if time.monotonic() - begin > options.seconds:
                return failed
            turn[key] += 1
            record = run(options, *key[:3])
            if record:
                add(rows, key, record)
            failed += record is None
        if options.data:
            write(options.data, rows)
    return failed


def apart(a, b):
    """Whether all processes of one are faster than all of the other."""
    return max(a) < min(b) or max(b) < min(a)


def best_ratio(rows, few, others):
    """Of the best median of the one group to that of the other."""
    medians = {r["sched"]: statistics.median(r["seconds"]) for r in rows}
    return min(medians[s] for s in few) / min(medians[s] for s in others)


def say_what_it_shows(groups):
    """groups: the rows of each case that has all policies."""
    groups = [g for g in groups if {*OWN, *PEERS} <= {r["sched"] for r in g}]
    if not groups:
        return
    spread = sorted((max(r["seconds"]) - min(r["seconds"])) / statistics.median(r["seconds"])
                    for g in groups for r in g)
    told = 0
    for g in groups:
        of = {r["sched"]: r["seconds"] for r in g}
        fastest = [min(names, key=lambda s: statistics.median(of[s])) for names in (OWN, PEERS)]
        told += apart(of[fastest[0]], of[fastest[1]])

    def mean(choose):
        return math.exp(statistics.mean(math.log(best_ratio(g, *choose(g))) for g in groups))

    def drawn(g):
        names = random.sample([r["sched"] for r in g], len(OWN) + len(PEERS))
        return names[:len(OWN)], names[len(OWN):]

    chance = sorted(mean(drawn) for _ in range(1000))
    print(f"\n{len(groups)} cases. Processes of one case and policy spread over "
          f"{100 * statistics.median(spread):.0f} % of their median (half of them), "
          f"{100 * spread[9 * len(spread) // 10]:.0f} % (one in ten).\n"
          f"Orrery's best and the better of lws and dmdas are apart in {told}. Their ratio is "
          f"{mean(lambda g: (OWN, PEERS)):.3f} (geometric mean);\nfor {len(OWN)} against "
          f"{len(PEERS)} policies drawn at random it is {statistics.median(chance):.3f}, 95 % from "
          f"{chance[25]:.3f} to {chance[974]:.3f}.")


def table(family, case, rows):
    seconds = {r["sched"]: statistics.median(r["seconds"]) for r in rows}
    ratio = {r["sched"]: statistics.median(r["ratio"]) for r in rows}
    best = min(seconds.values())
    print(f"\n{family} {case}   ({rows[0]['tasks']} tasks)")
    print(f"  {'policy':16} {'median':>11} {'min':>8} {'max':>8} {'to best':>8} {'to bound':>9} "
          f"{'runs':>5}")
    for r in sorted(rows, key=lambda r: seconds[r["sched"]]):
        s = r["sched"]
        least, most = min(r["seconds"]) * 1e3, max(r["seconds"]) * 1e3
        print(f"  {s:16} {seconds[s] * 1e3:8.2f} ms {least:8.2f} {most:8.2f} "
              f"{seconds[s] / best:8.3f} {ratio[s]:9.3f} "
              f"{len(r['seconds']):5}")
    own = min((s for s in OWN if s in seconds), key=seconds.get, default=None)
    peer = min((s for s in PEERS if s in seconds), key=seconds.get, default=None)
    if own and peer:
        of = {r["sched"]: r["seconds"] for r in rows}
        print(f"  Orrery's best: {own}, {ratio[own]:.3f} of the bound, "
              f"{seconds[own] / seconds[peer]:.3f} of the better of lws and dmdas"
              f"{'' if apart(of[own], of[peer]) else ' (not told apart: their ranges overlap)'}")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("orrery", help="the command, e.g. build/release/orrery")
    p.add_argument("--rounds", type=int, default=3, help="processes per case and policy (3)")
    p.add_argument("--repeat", type=int, default=3, help="runs within a process (3)")
    p.add_argument("--seconds", type=float, default=float("inf"), help="start nothing after this")
    p.add_argument("--sched", default=",".join(POLICIES), help="policies, commas between")
    p.add_argument("--family", default=",".join(CASES), help="of " + ",".join(CASES))
    p.add_argument("--size", type=int, choices=(0, 1, 2), help="one of the three sizes only")
    p.add_argument("--cpus", type=int, help="CPU workers (default: all)")
    p.add_argument("--opencl", action="store_true", help="and one OpenCL device")
    p.add_argument("--quick", action="store_true", help="one small case per family")
    p.add_argument("--timeout", type=float, default=300, help="seconds per process (300)")
    p.add_argument("--data", help="measurements are read from this file and added to it")
    options = p.parse_args()
    sizes = QUICK if options.quick else OPENCL if options.opencl else CASES
    cases = [(f, c) for f in options.family.split(",")
             for k, c in enumerate(sizes[f])
             if options.size in (None, k)]
    keys = [(f, c, s, int(options.opencl)) for f, c in cases for s in options.sched.split(",")]
    rows = read(options.data)
    failed = measure(options, rows, keys)
    if options.data:
        write(options.data, rows)
    groups = []
    for family, case in cases:
        found = [rows[k] for k in keys if k[:2] == (family, case) and k in rows]
        if found:
            table(family, case, found)
            groups.append(found)
    say_what_it_shows(groups)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
