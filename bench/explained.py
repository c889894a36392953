"""explained.py [--codelets] [--type T] ORRERY [REPEAT]: what --explain predicts, and what the same command then takes.

    OPENBLAS_CORETYPE=SKYLAKEX python3 bench/explained.py build/release/orrery

A row per case: predicted time, where it comes from, median of the runs with the least and the most, and measured
over predicted. The last line has the median and the worst of these ratios, whichever way they err. --codelets adds a
row per codelet: measured over predicted seconds of its tasks. --without-models predicts by the built-in rates
(codelets/core/rates.c), which those rows tell how to mend.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile

CASES = """heevj --n 8 --batch 10000
heevj --n 32 --batch 2000
heevj --n 100 --batch 100
hb2st --n 2048 --band 32
hb2st --n 4096 --band 64
gb2bd --n 2048 --band 32
gb2bd --n 4096 --band 128
gesvj --n 300 --count 8
gesvj --n 512
heev --n 300
heev --n 1000
heev --n 1000 --jobz V
heev --n 2000
heev --n 2000 --jobz V
gesvd --n 300
gesvd --n 1000
gesvd --n 1000 --jobz V
gesvd --m 4000 --n 500 --jobz V
gesvd --m 50000 --n 20 --jobz V""".splitlines()

parser = argparse.ArgumentParser()
parser.add_argument("orrery")
parser.add_argument("repeat", nargs="?", default="7")
parser.add_argument("--type", default="d")
parser.add_argument("--codelets", action="store_true")
parser.add_argument("--without-models", action="store_true")
asked = parser.parse_args()


def record(*words):
    done = subprocess.run([asked.orrery, *words, "-q", "--json", "-"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


with tempfile.TemporaryDirectory() as empty:
    trace = ["--trace", os.path.join(empty, "tasks.csv")] if asked.codelets else []
    models = ["--model-dir", empty] if asked.without_models else []
    print(f"{asked.repeat} runs each, type {asked.type}.\n")
    print("| case | predicted | from | measured | measured / predicted |\n| --- | --- | --- | --- | --- |")
    off, codelets = [], collections.defaultdict(list)
    for case in CASES:
        words = [*case.split(), "--type", asked.type, *models]
        said, run = record(*words, "--explain"), record(*words, "--repeat", asked.repeat, *trace)
        seen = run["seconds"]
        off.append(seen["median"] / said["predicted"])
        print(f"| `{case}` | {1e3 * said['predicted']:.3g} ms | {said['from']} | {1e3 * seen['median']:.3g} ms "
              f"({1e3 * seen['min']:.3g} to {1e3 * seen['max']:.3g}) | {off[-1]:.2f} |", flush=True)
        took = {c["name"]: c["cpu"]["seconds"] for c in run["trace"]["codelets"] if c["cpu"]} if trace else {}
        for c in said["codelets"]:
            if c["codelet"] in took and c["seconds"]:
                codelets[c["codelet"]].append(took[c["codelet"]] / c["seconds"])
either = sorted(max(x, 1 / x) for x in off)
print(f"\nOff by a factor of {statistics.median(either):.2f} in the median, {either[-1]:.2f} at worst; "
      f"measured over predicted {statistics.geometric_mean(off):.2f} on the whole.")
if codelets:
    print("\n| codelet | cases | measured / predicted | least | most |\n| --- | --- | --- | --- | --- |")
for name, x in codelets.items():
    print(f"| `{name}` | {len(x)} | {statistics.median(x):.2f} | {min(x):.2f} | {max(x):.2f} |")
