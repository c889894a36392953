"""Simulated against measured makespan: five families, three sizes, 1 and 2 workers.

    python3 bench/simulated_measured.py build/release/orrery [RUNS]

Each row: RUNS (5) calls of the command, whose last run is recorded; the measured time is the median
of their makespans, the graph simulated is that of the call in the middle. Times of tasks are those
of the same number of workers ("own"), and for two workers also those of the graph recorded with
one ("from 1": this predicts). The last lines are the median and the worst error. Needs orrery-sim.

SPDX-License-Identifier: BSD-3-Clause"""
import json, os, random, subprocess, sys, tempfile

orrery = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
machine = os.path.join(os.path.dirname(__file__), "..", "perfmodels", "ci-2core.machine")
# Batches are cut by fixed chunks, so that one and two workers have the same graph.
CASES = [("heevj", f"--n 32 --batch {b} --method jacobi --chunk 20") for b in (500, 2000, 8000)] + [
    ("gesvj", f"--n {n} --count 4") for n in (128, 256, 384)] + [
    ("hb2st", f"--n {n} --band 32") for n in (1024, 2048, 4096)] + [
    ("gb2bd", f"--n {n} --band 32") for n in (1024, 2048, 4096)] + [
    ("powm", f"random{n}.mtx --blocks 4") for n in (20000, 40000, 80000)]


def random_matrix(n):
    """16 entries per row at random places, positive: its largest eigenvalue stands alone."""
    r = random.Random(n)
    with open(f"random{n}.mtx", "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real general\n{n} {n} {16*n}\n")
        for i in range(n):
            for j in r.sample(range(1, n + 1), 16):
                f.write(f"{i+1} {j} {r.random():.6f}\n")


def last(path):
    return json.loads(open(path).read().splitlines()[-1])


def measure(family, options, workers):
    """Median makespan in ms, and the graph of the call that had it."""
    seen = []
    for k in range(runs):
        graph = f"{family}-{workers}-{k}.graph"
        line = [orrery, family, *options.split(), "--cpus", str(workers), "--sched", "lws", "-q", "--json",
                "run.jsonl", "--trace", graph]
        if family != "powm":
            line += ["--repeat", "2"]
        subprocess.run(line, check=True)
        seen.append((1e3 * last("run.jsonl")["bound"]["makespan"], graph))
    seen.sort()
    return seen[len(seen) // 2]


def simulate(graph, workers):
    subprocess.run([orrery, "simulate", "--machine", machine, "--cpus",
                    str(workers), "--sched", "lws", graph, "--json", "sim.jsonl", "-q"], check=True)
    return 1e3 * last("sim.jsonl")["makespan"]


def main():
    errors = {"own": [], "from 1": []}
    for n in (20000, 40000, 80000):
        random_matrix(n)
    print(f"{'family':7} {'size':44} {'workers':>7} {'times':>7} {'measured':>10} {'simulated':>10} {'error':>7}")
    for family, options in CASES:
        graph_of_one = None
        for workers in 1, 2:
            measured, graph = measure(family, options, workers)
            graph_of_one = graph_of_one or graph
            for times, g in ("own", graph), ("from 1", graph_of_one):
                if times == "from 1" and workers == 1:
                    continue
                simulated = simulate(g, workers)
                error = simulated / measured - 1
                errors[times].append(abs(error))
                print(f"{family:7} {options:44} {workers:7} {times:>7} {measured:10.2f} {simulated:10.2f} "
                      f"{100 * error:+6.1f}%", flush=True)
    for times, e in errors.items():
        e.sort()
        print(f"{times}: median error {100 * e[len(e) // 2]:.1f} %, worst {100 * e[-1]:.1f} % of {len(e)}")


with tempfile.TemporaryDirectory() as directory:
    machine = os.path.abspath(machine)
    os.chdir(directory)
    main()
