#!/usr/bin/env python3
"""heev on 1, 2, 4 and 8 simulated GPUs: the table of docs/simulation.md.

  bench/simulated_two_stage.py BUILD-OF-VGPU BUILD-OF-SIMGRID [--n N] [--machine NAME] [--sched POLICY]

Its graph depends on how many devices there are, so it is recorded with as many virtual ones, which count and
compute nothing (VGPU_DRY, docs/simt.md). Nobody has measured the tasks at this size: what a device takes
for one is an estimate, of its operations at half of the tensor cores' rate or of its bytes, whichever
is longer, and of the page's tables where they have it (docs/gpu-estimates.md). Merges of divide and
conquer count as where everything is deflated. Eight CPUs bring the matrix into tiles.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RATE, MEMORY, LAUNCH, B = 33.5e12, 4.3e12, 5e-6, 64
APPLY = {8192: 0.09, 16384: 0.7, 32768: 5.4}  # hb2st_apply, seconds


def seconds_of(codelet, accesses, size, n, tile, tasks):
    """Of one task; accesses: data and modes."""
    bytes_of = sum(size[d] for d, _ in accesses)
    tiles = [(size[d], mode) for d, mode in accesses if size[d] > 8 * tile * 4 * B]
    if codelet == "he2hb_panel":
        return B * 3e-6
    if codelet == "hb2st_chase":
        return max(n * 6400, n * n / (2 * B) * 11000 / 132) / 1.755e9
    if codelet == "hb2st_apply":
        return APPLY[n] / tasks[codelet]
    if codelet == "he2hb_apply":
        return 2 * n**3 / RATE / tasks[codelet]
    operations = {"he2hb_update": 4 * B * sum(s for s, mode in tiles if "W" in mode) / 8,
                  "he2hb_product": 2 * B * sum(s for s, _ in tiles) / 8}.get(codelet, 0)
    return LAUNCH + max(operations / RATE, bytes_of / MEMORY)


def retimed(lines, n, tile):
    size, tasks = {}, {}
    for line in lines:
        w = line.split()
        if w[0] == "data":
            size[w[1]] = int(w[2])
        elif w[0] == "task":
            tasks[w[1]] = tasks.get(w[1], 0) + 1
    cpu = {}  # what a codelet took in the middle, since the recorded program shared its cores with devices
    for line in lines:
        if line.startswith("task ") and (found := re.search(r" cpu=([\d.e+-]+)", line)):
            cpu.setdefault(line.split()[1], []).append(float(found[1]))
    cpu = {codelet: sorted(took)[len(took) // 2] for codelet, took in cpu.items()}
    for line in lines:
        if line.startswith("task ") and " cpu=" in line:
            line = re.sub(r" cpu=[\d.e+-]+", f" cpu={cpu[line.split()[1]]:.3f}", line)
        if line.startswith("task ") and " cuda=" in line:
            accesses = [a.split(":")[:2] for a in line.split() if re.fullmatch(r"\d+:[A-Z]+(:\d+)?", a)]
            us = 1e6 * seconds_of(line.split()[1], accesses, size, n, tile, tasks)
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
