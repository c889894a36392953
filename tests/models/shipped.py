"""Models that are shipped: every file is as it was calibrated, is told in `calibration` and models.json, and is of a codelet that
there is.

    shipped.py ORRERY PERFMODELS CODELETS

SPDX-License-Identifier: BSD-3-Clause"""
import glob, json, os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from checks import check, finish

orrery, perfmodels, codelets = map(os.path.abspath, sys.argv[1:4])
sources = "".join(open(path).read() for path in glob.glob(os.path.join(codelets, "*", "*.[ch]")))
words = set(re.findall(r'"(\w+)"', sources))
machines = [os.path.dirname(path) for path in glob.glob(os.path.join(perfmodels, "*", "calibration"))]
check(machines, f"no models in {perfmodels}")
for directory in machines:
    done = subprocess.run([orrery, "models", "check", directory], capture_output=True, text=True)
    check(done.returncode in (0, 1) and "is as it was calibrated" in done.stdout, f"{directory}: {done.stdout}{done.stderr}")
    machine = os.path.basename(directory)
    files = {os.path.basename(path)[:-len(machine) - 1] for path in glob.glob(os.path.join(directory, "codelets", "*", "*"))}
    with open(os.path.join(directory, "calibration")) as f:
        told = set(re.findall(r"file = codelets/\d+/(\w+)\.", f.read()))
    with open(os.path.join(directory, "models.json")) as f:
        named = [m["name"] for m in json.load(f)["models"]]
    check(files == told == set(named) and len(named) == len(files), f"{machine}: {sorted(files ^ told)}, {sorted(files ^ set(named))}")
    dead = sorted(name for name in files if not {name, re.sub("_[sdczh]$", "", name)} & words)
    check(not dead, f"{machine}: models of codelets that there are not: {' '.join(dead)}")
finish("shipped models")
