#!/usr/bin/env python3
"""Is `orrery replay --on real` true? Makespans of eight families in two sizes, measured, and of their graphs replayed.

    bench/real_measured.py build/release/orrery

A round is a call with --trace and, right after it, the replay of its graph with as many workers under the same policy (median of
--repeat runs). Printed are the median makespan, the median error of the rounds with the least and the most, what `--on list` says
of the same graphs (times of tasks alone, without a runtime), and at last the median and the worst error of all cases. Machines
that do something else meanwhile make tasks of the replay late: --best takes the fastest call of all rounds and the fastest replay
of its graph. Every round is a line of --json FILE.

Hosts move the cores of a virtual machine nearer to each other or further apart, and short tasks of two workers then take another
time. So the distance is measured before a call, between it and its replay, and after it (build/release/bench/core_distance, of
`ninja core_distance`): a round in which it changed by more than half counts for nothing and is made again, at most --again times.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse, json, os, statistics, subprocess, sys, tempfile

NOT_CONVERGED = 4  # of powm, which is stopped after a number of products
CASES = [
    "heevj --n 32 --batch 500 --method jacobi --chunk 20", "heevj --n 32 --batch 2000 --method jacobi --chunk 20",
    "gesvj --n 128 --count 4", "gesvj --n 256 --count 4",
    "hb2st --n 1024 --band 32", "hb2st --n 2048 --band 32",
    "gb2bd --n 1024 --band 32", "gb2bd --n 2048 --band 32",
    "powm --generate laplace3d:48 --blocks 8 --format sell --max-products 30",
    "powm --generate laplace3d:64 --blocks 8 --format sell --max-products 30",
    "pagerank --generate rmat:16:16", "pagerank --generate rmat:18:16",
    "heev --n 600", "heev --n 1000", "gesvd --n 400", "gesvd --n 800",
]


def lines(command, good=(0,)):
    r = subprocess.run([*command, "--json", "-", "-q"], capture_output=True, text=True)
    if r.returncode not in good:
        sys.exit(f"{' '.join(command)}: exit code {r.returncode}: {r.stderr.strip()}")
    return json.loads(r.stdout.splitlines()[-1])


def distance(o):
    """Of the first two cores, ns there and back; None with one core."""
    r = subprocess.run([os.path.join(os.path.dirname(o.orrery), "bench", "core_distance")], capture_output=True, text=True)
    if r.returncode not in (0, 77):
        sys.exit(f"core_distance: exit code {r.returncode}: {r.stderr.strip()}")
    return float(r.stdout) if r.returncode == 0 else None


def moved(distances):
    return None not in distances and max(distances) > 1.5 * min(distances)


def one_round(o, case, workers, graph):
    """Seconds: measured, of each replay, of the list scheduler; and the distances of the cores meanwhile."""
    distances = [distance(o)]
    run = lines([o.orrery, *case.split(), "--cpus", str(workers), "--sched", o.sched, "--repeat", "2", "--trace", graph], (0, NOT_CONVERGED))
    distances.append(distance(o))
    real = lines([o.orrery, "replay", graph, "--on", "real", "--cpus", str(workers), "--sched", o.sched, "--repeat", str(o.repeat)])
    distances.append(distance(o))
    free = lines([o.orrery, "replay", graph, "--cpus", str(workers), "--sched", "fifo"])
    return {"case": case, "workers": workers, "tasks": run["tasks"], "measured": run["bound"]["makespan"], "real": real["samples"],
            "list": free["makespan"], "distances": distances}


def good_rounds(o, case, workers, graph):
    """Those in which the cores stayed where they were; all of them go to --json."""
    rounds, again = [], o.again
    while len(rounds) < o.rounds:
        r = one_round(o, case, workers, graph)
        if o.json:
            with open(o.json, "a") as f:
                f.write(json.dumps(r) + "\n")
        if not moved(r["distances"]):
            rounds.append(r)
        elif again > 0:
            again -= 1
        else:
            sys.exit(f"{case}, {workers} workers: the cores moved in {o.again + 1} rounds")
    return rounds


def apart(rounds):
    """The least and the most that the cores were apart."""
    d = [x for r in rounds for x in r["distances"] if x is not None]
    return f"{min(d):.0f}-{max(d):.0f}" if d else "one"


def judge(o, rounds):
    if o.best:
        best = min(rounds, key=lambda r: r["measured"])
        return best["measured"], [min(best["real"]) / best["measured"] - 1], best["list"] / best["measured"] - 1
    return (statistics.median(r["measured"] for r in rounds), [statistics.median(r["real"]) / r["measured"] - 1 for r in rounds],
            statistics.median(r["list"] / r["measured"] - 1 for r in rounds))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("orrery", help="the command, e.g. build/release/orrery")
    p.add_argument("--rounds", type=int, default=5, help="of each case (5)")
    p.add_argument("--repeat", type=int, default=5, help="replays in a round (5)")
    p.add_argument("--workers", default="1,2", help="numbers of CPU workers (1,2)")
    p.add_argument("--sched", default="lws", help="policy (lws)")
    p.add_argument("--again", type=int, default=10, help="rounds of a case made again because the cores moved (10)")
    p.add_argument("--case", default="", help="only those that contain this text")
    p.add_argument("--best", action="store_true", help="the fastest of all rounds instead of medians")
    p.add_argument("--json", help="append a line for each round")
    o = p.parse_args()
    o.orrery = os.path.abspath(o.orrery)
    errors = []
    print(f"{'case':72} {'tasks':>5} {'workers':>7} {'ms':>9} {'real':>8} {'least':>8} {'most':>8} {'list':>8} {'cores, ns':>9}")
    with tempfile.TemporaryDirectory() as directory:
        for case in (c for c in CASES if o.case in c):
            for workers in map(int, o.workers.split(",")):
                rounds = good_rounds(o, case, workers, os.path.join(directory, "run.graph"))
                measured, e, free = judge(o, rounds)
                errors.append(abs(statistics.median(e)))
                print(f"{case:72} {rounds[0]['tasks']:5} {workers:7} {1e3 * measured:9.2f} {100 * statistics.median(e):+7.1f}% "
                      f"{100 * min(e):+7.1f}% {100 * max(e):+7.1f}% {100 * free:+7.1f}% {apart(rounds):>9}", flush=True)
    print(f"median error {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} % of {len(errors)} cases; "
          f"{o.rounds} rounds, {'the fastest' if o.best else 'medians'}")


if __name__ == "__main__":
    main()
