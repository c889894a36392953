#!/usr/bin/env python3
"""heev on 1, 2, 4 and 8 simulated GPUs: the table of docs/simulation.md.

  bench/simulated_two_stage.py BUILD-OF-VGPU BUILD-OF-SIMGRID [--n N] [--machine NAME] [--sched POLICY]

Its graph depends on how many devices there are, so it is recorded with as many virtual ones, which count and
compute nothing (VGPU_DRY, docs/simt.md). Nobody has measured the tasks at this size: what a device takes
for one is an estimate, of its operations at half of the tensor cores' rate or of its bytes, whichever
is longer, of its launches, and of the page's tables where they have it (docs/gpu-estimates.md). Merges of
divide and conquer count as where everything is deflated. Eight CPUs do what is left to them.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RATE, MEMORY, LAUNCH, GAP, B = 33.5e12, 4.3e12, 5e-6, 2.5e-6, 64
CORE = 8e9  # bytes a second that a core copies
APPLY = {8192: 0.09, 16384: 0.7, 32768: 5.4}  # hb2st_apply, seconds


class Steps:
    """What a task of he2hb's whole steps computes: operations, bytes and launches. Tasks are told in their order."""

    def __init__(self, tasks, n, tile):
        self.n, self.T, self.k, self.turned = n, tile, -1, 0
        self.place, self.owner = {}, {}  # of the data of tiles: row and column; of a tile column
        k = 0
        for codelet, owner, accesses in tasks:
            if codelet == "he2hb_panel":
                column = k * B // tile
                self.owner.setdefault(column, owner)
                for i in range(column, -(-n // tile)):
                    if k <= (n - 2) // B:
                        self.place.setdefault(accesses[i - column][0], (i, column))
                k += 1

    def rows(self, i, first):
        """Of tile row i those from `first` on."""
        return max(min((i + 1) * self.T, self.n) - max(i * self.T, first), 0)

    def panel(self):
        self.k, self.turned = self.k + 1, 0

    def product(self, owner, accesses):
        """A tile serves the row of its row and that of its column, if that is the same task's."""
        self.turned += 1
        first = (self.k + 1) * B
        begins = any(mode == "W" for _, mode in accesses[:-1]) or len(set(self.owner.values())) == 1
        operations = entries = calls = 0
        for i, j in (self.place[d] for d, _ in accesses if d in self.place):
            own = self.rows(i, first) * self.rows(j, first)
            terms = 2 if begins and i != j and self.owner[i] == owner else 1
            entries, calls, operations = entries + own, calls + terms, operations + 2 * B * terms * own
        return operations, 8 * entries, calls + 2

    def update(self, accesses):
        """The first one after the products is of the columns that the next panel waits for."""
        step = self.k if self.turned else self.k - 1
        first = (step + 1) * B
        entries = calls = 0
        if self.turned and step not in self.begun():
            self.seen.add(step)
            entries, calls = B * (self.n - first), len(accesses)
        else:
            for i, j in (self.place[d] for d, _ in accesses if d in self.place):
                columns = self.rows(j, first + B)
                entries += columns * self.rows(i, first) if i != j else columns * columns / 2
                calls += 1
        return 4 * B * entries, 16 * entries, calls

    def begun(self):
        self.seen = getattr(self, "seen", set())
        return self.seen

    def factor(self):
        rows = self.n - (self.k + 1) * B
        return 2 * B * B * rows, 8 * B * rows * 4, 2 * -(-rows // self.T) + 2


def seconds_of(codelet, owner, accesses, size, n, steps, tasks):
    """Of one task; accesses: data and modes."""
    if codelet == "he2hb_panel":
        steps.panel()
        return B * 3e-6
    if codelet == "hb2st_chase":
        return max(n * 6400, n * n / (2 * B) * 11000 / 132) / 1.755e9
    if codelet == "hb2st_apply":
        return APPLY[n] / tasks[codelet]
    if codelet == "he2hb_apply":
        return 2 * n**3 / RATE / tasks[codelet]
    operations, moved, calls = 0, sum(size[d] for d, _ in accesses), 1
    if codelet == "he2hb_product":
        operations, moved, calls = steps.product(owner, accesses)
    elif codelet == "he2hb_update":
        operations, moved, calls = steps.update(accesses)
    elif codelet == "he2hb_factor":
        operations, moved, calls = steps.factor()
    return LAUNCH + GAP * (calls - 1) + max(operations / RATE, moved / MEMORY)


def told(line):
    """A task: its codelet, its owner, data and modes."""
    owner = re.search(r" owner=(\d+)", line)
    return (line.split()[1], owner and owner[1],
            [a.split(":")[:2] for a in line.split() if re.fullmatch(r"\d+:[A-Z]+(:\d+)?", a)])


def retimed(lines, n, tile):
    size, tasks, cpu = {}, {}, {}  # cpu: what a codelet took in the middle, since the recorded program shared its cores with devices
    for line in lines:
        w = line.split()
        if w[0] == "data":
            size[w[1]] = int(w[2])
        elif w[0] == "task":
            tasks[w[1]] = tasks.get(w[1], 0) + 1
            if found := re.search(r" cpu=([\d.e+-]+)", line):
                cpu.setdefault(w[1], []).append(float(found[1]))
    cpu = {codelet: sorted(took)[len(took) // 2] for codelet, took in cpu.items()}
    steps = Steps((told(line) for line in lines if line.startswith("task ")), n, tile)
    for line in lines:
        if line.startswith("task "):
            codelet, owner, accesses = told(line)
            if codelet in ("hb2st_load", "hb2st_store"):  # of which there is one
                cpu[codelet] = 1e6 * sum(size[d] for d, _ in accesses) / CORE
            line = re.sub(r" cpu=[\d.e+-]+", lambda _, c=codelet: f" cpu={cpu[c]:.3f}", line)
            if " cuda=" in line:
                us = 1e6 * seconds_of(codelet, owner, accesses, size, n, steps, tasks)
                line = re.sub(r" cuda=[\d.e+-]+", f" cuda={us:.3f}", line)
        yield line


def record(build, n, devices, home):
    graph = f"{home}/{devices}.graph"
    env = dict(os.environ, LD_LIBRARY_PATH=f"{build}/vgpu", LD_PRELOAD="libcudart.so", STARPU_HOME=home,
               STARPU_HOSTNAME=f"sim{devices}", VGPU_DEVICES=str(devices), VGPU_SMS="132", VGPU_MEMORY="100000", VGPU_DRY="1")
    out = subprocess.run([f"{build}/orrery", "heev", "--n", str(n), "--jobz", "V", "--place", "gpu", "--cpus", "1", "--repeat", "1",
                          "--in-process", "--trace", graph, "--json", "-"], env=env, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    tile = json.loads(next(line for line in out.stdout.splitlines() if line.startswith("{")))["plan"]["tile"]
    with open(graph, encoding="ascii") as f:
        lines = f.read().splitlines()
    with open(graph, "w", encoding="ascii") as f:
        f.writelines(line + "\n" for line in retimed(lines, n, tile))
    return graph


def simulate(build, sim, machine, sched, devices, graph):
    env = dict(os.environ, ORRERY_SIM=f"{sim}/orrery-sim", LD_LIBRARY_PATH=f"{build}/vgpu")
    out = subprocess.run([f"{build}/orrery", "simulate", "--machine", machine, "--cpus", "8", "--gpus", str(devices), "--sched", sched,
                          graph, "--json", "-"], env=env, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return json.loads(out.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("vgpu", type=pathlib.Path)
    parser.add_argument("sim", type=pathlib.Path)
    parser.add_argument("--n", type=int, default=16384)
    parser.add_argument("--machine", default="h200x8")
    parser.add_argument("--sched", default="lookahead")
    parser.add_argument("--devices", default="1,2,4,8")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        first = None
        for devices in map(int, o.devices.split(",")):
            row = simulate(o.vgpu.resolve(), o.sim.resolve(), o.machine, o.sched, devices, record(o.vgpu.resolve(), o.n, devices, home))
            first = first or row["makespan"]
            bound = row["bound"]["lp"]
            print(f"| {devices} | {row['tasks']} | {1e3 * row['makespan']:.0f} | {1e3 * bound:.0f} | {row['bytes']['between'] / 1e9:.1f} | "
                  f"{first / row['makespan'] / devices:.2f} | {first / bound / devices:.2f} |", flush=True)


sys.exit(main())
