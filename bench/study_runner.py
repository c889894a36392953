#!/usr/bin/env python3
"""Two claims about `orrery study`, measured on a quiet machine: that it costs at most 1 % of runs of a second, and that it finds
a program that sleeps 5 % of its time as often as `plan` promises.

    bench/study_runner.py build/release/orrery [--studies 20] [--quick]

Cost: 60 runs of `sleep 1`; what the runner took beyond its children. Power: a pilot study of 12 blocks tells how much runs of a
command spread; `plan` then says how many blocks find 5 % in four of five studies; so many blocks are run in each of --studies
studies, and those that say SLOWER are counted. --quick tries both with a few short runs, and proves nothing.

SPDX-License-Identifier: BSD-3-Clause"""
import argparse, json, os, re, subprocess, sys, tempfile

WRAPPER = """#!/bin/sh
begin=$(date +%s%N)
"$2" hb2st --n $3 --band 32 --cpus 1 --repeat 3 -q || exit
[ $1 = plain ] || sleep $(date +%s%N | awk -v b=$begin '{ printf "%.6f", 0.05e-9 * ($1 - b) }')
"""


def study(o, action, plan, *words):
    r = subprocess.run([o.orrery, "study", action, f"{plan['name']}.json", *words], capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"study {action}: exit code {r.returncode}: {r.stderr.strip()}")
    return r


def write(plan):
    with open(plan["name"] + ".json", "w") as f:
        json.dump(plan, f)


def told(o, plan):
    write(plan)
    return json.loads(study(o, "plan", plan, "--json", "-", "-q").stdout)


def cost(o):
    plan = {"study": 1, "name": "cost", "run": "sleep {seconds}", "factors": {"seconds": ["0.05" if o.quick else "1"]}, "blocks": 6 if o.quick else 60}
    write(plan)
    end = study(o, "run", plan).stderr.splitlines()[-1]
    all_of_it, runs = map(float, re.search(r"([0-9.]+) s, of which the runs took ([0-9.]+) s", end).groups())
    print(f"cost: {plan['blocks']} runs took {runs:.4g} s, the study {all_of_it:.4g} s: {100 * (all_of_it / runs - 1):.2f} % (1 % at most is claimed)", flush=True)


def finds(o, plan, blocks):
    return (told(o, {**plan, "blocks": blocks})["detectable"] or 1) <= 0.05


def least_power(o, plan):
    """A power of 2 that is enough, or no study can be made here."""
    for blocks in (8, 16, 32, 64, 128, 256, 512, 1024):
        if finds(o, plan, blocks):
            return blocks
    sys.exit(f"runs spread by {100 * plan['spread']:.0f} %: 1024 blocks do not find 5 %; the machine is too busy")


def power(o):
    plan = {"study": 1, "name": "pilot", "run": f"./wrapper.sh {{how}} {o.orrery} {500 if o.quick else 2000}", "measure": "wall", "blocks": 12,
            "factors": {"how": ["plain", "slow"]}, "compare": {"factor": "how", "baseline": "plain", "margin": "0%"}, "timeout": 120}
    write(plan)
    study(o, "run", plan, "-q")
    spread = told(o, plan)["spread"]
    few, blocks = 5, least_power(o, {**plan, "name": "try", "spread": spread})
    while blocks - few > 1:
        middle = (few + blocks) // 2
        few, blocks = (few, middle) if finds(o, {**plan, "name": "try", "spread": spread}, middle) else (middle, blocks)
    print(f"power: runs spread by {100 * spread:.2f} %, {blocks} blocks find 5 % in four of five studies, says plan", flush=True)
    found = 0
    for k in range(o.studies):
        each = {**plan, "name": f"study-{k}", "seed": k, "blocks": min(blocks, 8) if o.quick else blocks}
        write(each)
        study(o, "run", each, "-q")
        (e,) = map(json.loads, study(o, "report", each, "--json", "-", "-q").stdout.splitlines())
        found += e["verdict"] == "SLOWER"
        print(f"  {each['name']}: {e['verdict']} {e['ratio']}", flush=True)
    print(f"power: {found} of {o.studies} studies found it")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("orrery", help="the command, e.g. build/release/orrery")
    p.add_argument("--studies", type=int, default=20, help="of the wrapper that sleeps (20)")
    p.add_argument("--quick", action="store_true", help="only whether it works")
    o = p.parse_args()
    o.orrery = os.path.abspath(o.orrery)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        with open("wrapper.sh", "w") as f:
            f.write(WRAPPER)
        os.chmod("wrapper.sh", 0o755)
        cost(o)
        power(o)


if __name__ == "__main__":
    main()
