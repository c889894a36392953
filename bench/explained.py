"""explained.py ORRERY [REPEAT]: what --explain predicts, and what the same command then takes.

    OPENBLAS_CORETYPE=SKYLAKEX python3 bench/explained.py build/release/orrery

A row per case: predicted time, where it comes from, median of the runs with the least and the most, and measured
over predicted. The last line has the median and the worst of these ratios, whichever way they err.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import statistics
import subprocess
import sys

CASES = """heevj --n 8 --batch 10000 --type z
heevj --n 32 --batch 2000 --type z
heevj --n 100 --batch 100 --type d
hb2st --n 2048 --band 32
hb2st --n 4096 --band 64
gb2bd --n 2048 --band 32
gb2bd --n 4096 --band 128
gesvj --n 300 --count 8
gesvj --n 512 --type s
heev --n 300
heev --n 1000
heev --n 1000 --jobz V
heev --n 2000
heev --n 2000 --jobz V
gesvd --n 300
gesvd --n 1000
gesvd --n 1000 --jobz V
gesvd --m 4000 --n 500 --jobz V""".splitlines()


def record(*words):
    done = subprocess.run([orrery, *words, "-q", "--json", "-"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


orrery, repeat = sys.argv[1], (sys.argv[2:] or ["7"])[0]
print(f"{repeat} runs each.\n")
print("| case | predicted | from | measured | measured / predicted |\n| --- | --- | --- | --- | --- |")
off = []
for case in CASES:
    words = case.split()
    said, seen = record(*words, "--explain"), record(*words, "--repeat", repeat)["seconds"]
    off.append(seen["median"] / said["predicted"])
    print(f"| `{case}` | {1e3 * said['predicted']:.3g} ms | {said['from']} | {1e3 * seen['median']:.3g} ms "
          f"({1e3 * seen['min']:.3g} to {1e3 * seen['max']:.3g}) | {off[-1]:.2f} |", flush=True)
either = sorted(max(x, 1 / x) for x in off)
print(f"\nOff by a factor of {statistics.median(either):.2f} in the median, {either[-1]:.2f} at worst; "
      f"measured over predicted {statistics.geometric_mean(off):.2f} on the whole.")
