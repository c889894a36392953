#!/usr/bin/env python3
"""How near to its bound can any policy bring a recorded graph?

    orrery hb2st --n 2048 --band 64 --repeat 1 --trace run.graph
    bench/list_schedule.py run.graph

Simulates a list scheduler that costs nothing on --workers alike, with the recorded times of the
tasks: ready tasks in the order of the graph's priorities, and in the order of their true distance
to the end (the longest chain below them), which no policy knows while it runs. Printed are
makespans over the bound max(area, critical path), with nothing added to a task and with some
microseconds for the runtime (--overhead). Where the first figure is far from 1, the graph is what
has to be changed; where only the others are, its tasks are too short. Phases between which the
program waits run one after another.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse, heapq

READ, WRITE = 1, 2


def read(path):
    """Tasks as (phase, priority, us, [(data, mode)])."""
    tasks = []
    with open(path) as f:
        for line in f:
            w = line.split()
            if w and w[0] == "task":
                data = [tuple(map(int, a.split(":")))[:2] for a in w[12:12 + int(w[11])]]
                tasks.append((int(w[4]), int(w[5]), float(w[10]), data))
    return tasks


def successors(tasks):
    """Of each task those that wait for it, as StarPU's sequential consistency makes them."""
    writer, readers, below = {}, {}, [set() for _ in tasks]
    for i, (_, _, _, data) in enumerate(tasks):
        for d, mode in data:
            before = [writer[d]] if d in writer else []
            if mode & WRITE:
                before += readers.pop(d, [])
                writer[d] = i
            elif mode & READ:
                readers.setdefault(d, []).append(i)
            for k in before:
                if k != i:
                    below[k].add(i)
    return below


def distances(tasks, below):
    """The longest chain from each task to the end, itself included, in us."""
    far = [0.0] * len(tasks)
    for i in reversed(range(len(tasks))):
        far[i] = tasks[i][2] + max((far[k] for k in below[i]), default=0)
    return far


def makespan(tasks, below, key, workers, overhead):
    """Of a list schedule: the ready task of the largest key first, phase after phase."""
    waits = [0] * len(tasks)
    for b in below:
        for k in b:
            waits[k] += 1
    now, running = 0.0, []
    ready = {task[0]: [] for task in tasks}
    for i, task in enumerate(tasks):
        if waits[i] == 0:
            heapq.heappush(ready[task[0]], (-key[i], i))
    for phase in sorted(ready):
        while ready[phase] or running:
            while ready[phase] and len(running) < workers:
                i = heapq.heappop(ready[phase])[1]
                heapq.heappush(running, (now + tasks[i][2] + overhead, i))
            now, i = heapq.heappop(running)
            for k in below[i]:
                waits[k] -= 1
                if waits[k] == 0:
                    heapq.heappush(ready[tasks[k][0]], (-key[k], k))
    return now


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("graph", nargs="+", help="of orrery ALGO --trace FILE.graph")
    p.add_argument("--workers", type=int, default=2, help="all alike (2)")
    p.add_argument("--overhead", default="0,3,5", help="us per task (0,3,5)")
    o = p.parse_args()
    extra = [float(x) for x in o.overhead.split(",")]
    for path in o.graph:
        tasks = read(path)
        below = successors(tasks)
        far = distances(tasks, below)
        area, chain = sum(t[2] for t in tasks) / o.workers, max(far)
        bound = max(area, chain)
        print(f"{path}: {len(tasks)} tasks of {o.workers * area / len(tasks):.1f} us, area "
              f"{1e-3 * area:.2f} ms, critical path {1e-3 * chain:.2f} ms")
        for name, key in ("priorities", [t[1] for t in tasks]), ("distances", far):
            over = [makespan(tasks, below, key, o.workers, x) / bound for x in extra]
            print(f"  by {name:10}", "  ".join(f"+{x:g} us: {r:.3f}" for x, r in zip(extra, over)))


if __name__ == "__main__":
    main()
