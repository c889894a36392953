#!/usr/bin/env python3
"""memory.py ORRERY: what --explain tells of the memory at the peak is within 10 % of the resident set of
the run, of the whole, and of what a larger matrix takes more. Sizes are such that the matrices, not the
program, decide; of some runs the least counts, since malloc keeps megabytes of the workers' workspace or not.

SPDX-License-Identifier: BSD-3-Clause"""
import json
import os
import subprocess
import sys

CASES = ["heev --type d", "heev --type z --jobz V", "gesvd --type c", "gesvd --type d --jobz V", "hegv --type d --jobz V"]
SIZES = 500, 1300
LIMIT, RUNS = 0.1, 4
# a process for each run: the peak of children is the largest of them
RUN = ("import resource, subprocess, sys\n"
       "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
       "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)\n"
       "sys.exit(done.returncode)")
orrery = os.path.abspath(sys.argv[1])
environment = dict(os.environ, STARPU_NCPU="2")
failures = 0


def output(command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


for case in CASES:
    told, peak = [], []
    for n in SIZES:
        command = [orrery, *case.split(), "--n", str(n), "--repeat", "1"]
        if not case.startswith("hegv"):
            command += ["--method", "two-stage"]
        told.append(json.loads(output(command + ["--explain", "--json", "-"]))["memory"]["peak"])
        peak.append(min(int(output([sys.executable, "-c", RUN, *command, "--quiet"])) for _ in range(RUNS)))
    whole, more = told[1] / peak[1], (told[1] - told[0]) / (peak[1] - peak[0])
    good = abs(whole - 1) <= LIMIT and abs(more - 1) <= LIMIT
    failures += not good
    print(f"{'' if good else 'FAIL: '}{case}: {whole:.3f} of the peak of {peak[1] / 1e6:.0f} MB,"
          f" {more:.3f} of what {SIZES[1]} takes more than {SIZES[0]}")
sys.exit(failures > 0)
