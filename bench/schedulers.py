#!/usr/bin/env python3
"""All scheduling policies on all families of task graphs, run in turn.

Each round runs every policy once on every case (the command repeats it and takes the median), in
a new random order, so that what else the machine does hits all alike. A policy's time is the median of
its rounds. Printed per case: that time, its ratio to the best policy's, and the median ratio of the
recorded run's makespan to its lower bound (docs/trace.md). The first round is not counted: it
calibrates performance models.
SPDX-License-Identifier: BSD-3-Clause
"""
import argparse, json, random, statistics, subprocess, sys

POLICIES = ("wavefront affine lookahead pipeline eager lws prio dmda dmdas "
            "modular-eager modular-prio modular-heft").split()

# family: three cases, the second one is the default size
CASES = {
    "heevj": [f"--n 64 --batch {b}" for b in (300, 1500, 6000)],
    "gesvj": [f"--n {n} --count 8 --type s" for n in (160, 320, 512)],
    "hb2st": [f"--n {n} --band 64" for n in (1024, 2048, 4096)],
    "gb2bd": [f"--n {n} --band 64" for n in (1024, 2048, 4096)],
    "powm": [f"--generate laplace3d:{n} --blocks 16 --format sell --max-products 60"
             for n in (48, 80, 112)],
}
QUICK = {
    "heevj": ["--n 24 --batch 200"],
    "gesvj": ["--n 100 --count 2 --type s"],
    "hb2st": ["--n 400 --band 16"],
    "gb2bd": ["--n 400 --band 16"],
    "powm": ["--generate laplace3d:12 --blocks 4 --format sell --max-products 60"],
}
NOT_CONVERGED = 4  # of powm, which is stopped after a number of products


def run(options, family, case, policy):
    """The record of one run, or None (and why, on stderr)."""
    command = [options.orrery, family, *case.split(), "--sched", policy, "--repeat",
               str(options.repeat), "--json", "-", "-q"]
    if options.cpus is not None:
        command += ["--cpus", str(options.cpus)]
    if options.opencl:
        command += ["--opencls", "1"]
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: more than {options.timeout} s", file=sys.stderr)
        return None
    if r.returncode not in (0, NOT_CONVERGED):
        print(f"{' '.join(command)}: exit code {r.returncode}: {r.stderr.strip()[-400:]}", file=sys.stderr)
        return None
    return json.loads(r.stdout.splitlines()[-1])


def median(values):
    return statistics.median(values) if values else None


def table(family, case, rows):
    best = min((r["seconds"] for r in rows if r["seconds"]), default=None)
    print(f"\n{family} {case}" + (f"   ({rows[0]['tasks']} tasks)" if rows[0]["tasks"] else ""))
    print(f"  {'policy':16} {'median':>11} {'to best':>8} {'to bound':>9} {'runs':>5}")
    for r in sorted(rows, key=lambda r: r["seconds"] or float("inf")):
        if r["seconds"]:
            bound = f"{r['to_bound']:9.2f}" if r["to_bound"] else f"{'-':>9}"
            r["to_best"] = r["seconds"] / best
            print(f"  {r['sched']:16} {r['seconds'] * 1e3:8.2f} ms {r['to_best']:8.3f} {bound} {r['runs']:5}")
        else:
            print(f"  {r['sched']:16} {'failed':>11}")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("orrery", help="the command, e.g. build/release/orrery")
    p.add_argument("--rounds", type=int, default=5, help="counted rounds (default: 5)")
    p.add_argument("--repeat", type=int, default=5, help="runs within a round (default: 5)")
    p.add_argument("--sched", default=",".join(POLICIES), help="policies, commas between")
    p.add_argument("--family", default=",".join(CASES), help="of " + ",".join(CASES))
    p.add_argument("--cpus", type=int, help="CPU workers (default: all)")
    p.add_argument("--opencl", action="store_true", help="and one OpenCL device")
    p.add_argument("--quick", action="store_true", help="one small case per family")
    p.add_argument("--timeout", type=float, default=300, help="seconds per run (default: 300)")
    p.add_argument("--json", help="write the figures to this file")
    options = p.parse_args()
    policies = options.sched.split(",")
    cases = [(f, c) for f in options.family.split(",") for c in (QUICK if options.quick else CASES)[f]]
    found = {}
    for turn in range(options.rounds + 1):
        print(f"round {turn} of {options.rounds}", file=sys.stderr)
        for family, case in cases:
            for policy in random.sample(policies, len(policies)):
                record = run(options, family, case, policy)
                if record and turn > 0:
                    found.setdefault((family, case, policy), []).append(record)
    out = []
    for family, case in cases:
        rows = []
        for policy in policies:
            records = found.get((family, case, policy), [])
            bounds = [(r.get("bound") or {}).get("ratio") for r in records]
            rows.append({"algo": family, "case": case, "sched": policy, "runs": len(records),
                         "seconds": median([r["seconds"]["median"] for r in records]),
                         "to_bound": median([b for b in bounds if b]),
                         "tasks": records[0]["tasks"] if records else None,
                         "workers": records[0]["workers"] if records else None,
                         "provenance": records[0]["provenance"] if records else None})
        table(family, case, rows)
        out += rows
    if options.json:
        with open(options.json, "w") as f:
            json.dump(out, f, indent=1)
    sys.exit(any(r["runs"] < options.rounds for r in out))


if __name__ == "__main__":
    main()
