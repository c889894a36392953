#!/usr/bin/env python3
"""Simulated against measured makespan: five families, three sizes, 1 and 2 workers.

    bench/simulated_measured.py build/release/orrery

Measured is the median makespan of --runs calls; simulated is the graph of the call in the middle, with
the times of its tasks ("own"), for two workers also the graph recorded with one ("from 1": this
predicts), and both with the times of the calibrated models where they have them ("models"). The last
lines are the median and the worst error of each. With --dir the measurements stay there and are not
made again, so that they can be made in pieces (--family, --measure) while the machine is quiet;
simulating does not need that. Needs orrery-sim.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse, json, os, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Batches are cut by fixed chunks, so that one and two workers have the same graph.
CASES = {
    "heevj": [f"--n 32 --batch {b} --method jacobi --chunk 20" for b in (500, 2000, 8000)],
    "gesvj": [f"--n {n} --count 4" for n in (128, 256, 384)],
    "hb2st": [f"--n {n} --band 32" for n in (1024, 2048, 4096)],
    "gb2bd": [f"--n {n} --band 32" for n in (1024, 2048, 4096)],
    "powm": [f"--generate laplace3d:{n} --blocks 8 --format sell --max-products 30"
             for n in (48, 64, 80)],
}
NOT_CONVERGED = 4  # of powm, which is stopped after a number of products


def record(command):
    """The command's JSON record."""
    r = subprocess.run([*command, "--json", "-", "-q"], capture_output=True, text=True)
    if r.returncode not in (0, NOT_CONVERGED):
        sys.exit(f"{' '.join(command)}: exit code {r.returncode}: {r.stderr.strip()}")
    return json.loads(r.stdout.splitlines()[-1])


def measure(options, stem, family, case, workers):
    """Leaves STEM.json (makespan in ms, how many tasks), and STEM.graph of the call that had it."""
    seen = []
    for k in range(options.runs):
        line = [options.orrery, family, *case.split(), "--cpus", str(workers), "--sched", "lws",
                "--repeat", "2", "--trace", f"{stem}.{k}.graph"]
        r = record(line)
        seen.append((1e3 * r["bound"]["makespan"], r["tasks"], k))
    makespan, tasks, k = sorted(seen)[len(seen) // 2]
    os.replace(f"{stem}.{k}.graph", f"{stem}.graph")
    for _, _, other in seen:
        if other != k:
            os.remove(f"{stem}.{other}.graph")
    with open(f"{stem}.json", "w") as f:
        json.dump({"makespan": makespan, "tasks": tasks}, f)


def simulate(options, graph, workers, *more):
    machine = os.path.join(HERE, "..", "perfmodels", options.machine + ".machine")
    return 1e3 * record([options.orrery, "simulate", "--machine", machine, "--cpus", str(workers),
                         "--sched", "lws", graph, *more])["makespan"]


def compare(options, family, number, errors):
    case = CASES[family][number]
    for workers in 1, 2:
        stem, of_one = f"{family}-{number}-{workers}", f"{family}-{number}-1.graph"
        with open(f"{stem}.json") as f:
            run = json.load(f)
        kinds = {"own": (f"{stem}.graph", "--recorded"), "models": (of_one,)}
        if workers > 1:
            kinds["from 1"] = (of_one, "--recorded")
        for times, (graph, *more) in kinds.items():
            simulated = simulate(options, graph, workers, *more)
            error = simulated / run["makespan"] - 1
            errors.setdefault(times, []).append(abs(error))
            print(f"{family:6} {case:46} {run['tasks']:6} {workers:7} {times:>7} "
                  f"{run['makespan']:10.2f} {simulated:10.2f} {100 * error:+6.1f} %", flush=True)


def work(options):
    families = options.family.split(",")
    for family in families:
        for number, case in enumerate(CASES[family]):
            for workers in 1, 2:
                stem = f"{family}-{number}-{workers}"
                if not os.path.exists(f"{stem}.json"):
                    measure(options, stem, family, case, workers)
    if options.measure:
        return
    errors = {}
    print(f"{'family':6} {'case':46} {'tasks':>6} {'workers':7} {'times':>7} {'measured':>10} "
          f"{'simulated':>10} {'error':>8}")
    for family in families:
        for number in range(len(CASES[family])):
            compare(options, family, number, errors)
    for times, e in errors.items():
        print(f"{times}: median error {100 * statistics.median(e):.1f} %, worst "
              f"{100 * max(e):.1f} % of {len(e)}")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("orrery", help="the command, e.g. build/release/orrery")
    p.add_argument("--runs", type=int, default=3, help="calls, of which the median counts (3)")
    p.add_argument("--family", default=",".join(CASES), help="of " + ",".join(CASES))
    p.add_argument("--machine", default="ci-2core", help="its description in perfmodels (ci-2core)")
    p.add_argument("--dir", help="measurements are kept here")
    p.add_argument("--measure", action="store_true", help="measure only, simulate later")
    options = p.parse_args()
    options.orrery = os.path.abspath(options.orrery)
    if options.dir:
        os.makedirs(options.dir, exist_ok=True)
        os.chdir(options.dir)
        return work(options)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        work(options)


if __name__ == "__main__":
    main()
