#!/usr/bin/env python3
"""Tile columns and blocks of sparse matrices follow the rates of devices, as models know them: a slow
device has fewer, one that is much too slow has none, and the results have the same bits.

  owners.py ANSWERS PLANT DIRECTORY-OF-THE-STAND-INS

SPDX-License-Identifier: BSD-3-Clause"""
import os
import shutil
import subprocess
import sys
import tempfile

SLOWER = [10, 30]
UPDATES = ("he2hb_update", "ge2gb_update", "powm_spmv", "pagerank_step")
UNPLACED = {"powm_blocks:8": "devices", "pagerank": "devices"}  # nothing on CPUs

# A case, devices, the microseconds of the same work that models are made to know, and what must be
# true of the updates that each device has launched; `equal`: those without models.
KNOWN = [
    ("heev_tiles:96", 2, [10, 12], lambda u, equal: u == equal),
    ("heev_tiles:96", 2, SLOWER, lambda u, equal: 0 < u[1] < 0.7 * equal[1] and u[0] > equal[0]),
    ("heev_tiles:96", 2, [10, 1000], lambda u, equal: u[1] == 0 and u[0] > equal[0]),
    ("heev_tiles:96", 4, [10, 40, 10, 10], lambda u, equal: min(u[0], u[2], u[3]) > u[1]),
    ("gesvd_values:92", 2, SLOWER, lambda u, equal: 0 < u[1] < equal[1] and u[0] > equal[0]),
    ("powm_blocks:8", 2, [10000, 30000], lambda u, equal: 0 < u[1] < 0.7 * equal[1] and u[0] > equal[0]),
    ("powm_blocks:8", 2, [10000, 1000000], lambda u, equal: u[1] == 0 and u[0] > equal[0]),
    ("pagerank", 2, [0.001, 0.001], lambda u, equal: 0 in u),  # links cost more than devices save
]


def run(answers, policy, case, devices, **also):
    """What it prints, and the updates of each device."""
    env = dict(os.environ, VGPU_DEVICES=str(devices), VGPU_RECORD="record", **also)
    out = subprocess.run([answers, policy, "d", case], env=env, check=True, timeout=400,
                         stdout=subprocess.PIPE, encoding="ascii").stdout
    updates = [0] * devices
    with open("record", encoding="ascii") as f:
        for line in f:
            w = line.split("\t")
            if w[0] == "launch" and w[2] in UPDATES:
                updates[int(w[1])] += int(w[6])
    os.remove("record")
    return out, updates


def main():
    answers, plant, stand_ins = sys.argv[1:4]
    bad = 0
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        os.environ.update(LD_LIBRARY_PATH=stand_ins, VGPU_MEMORY="512", STARPU_HOME=where)
        os.environ.pop("STARPU_PERF_MODEL_DIR", None)
        models = where + "/.starpu/sampling"

        def told(what, updates, right):
            nonlocal bad
            print(f"{'' if right else 'FAIL: '}{what}: updates {updates}", flush=True)
            bad |= not right

        wanted = {}
        for case, devices, us, expected in KNOWN:
            host = os.environ["STARPU_HOSTNAME"] = f"owners{devices}"
            if case not in wanted:
                shutil.rmtree(models + "/codelets", ignore_errors=True)
                wanted[case] = run(answers, UNPLACED.get(case, "eager"), case, devices)
                told(f"{case}, {devices} devices, nothing known", wanted[case][1],
                     max(wanted[case][1]) < 2 * min(wanted[case][1]))
            want, equal = wanted[case]
            shutil.rmtree(models + "/codelets", ignore_errors=True)
            subprocess.run([plant, models, host, *map(str, us)], check=True)
            got, updates = run(answers, "dmdas" if case in UNPLACED else "eager", case, devices)
            told(f"{case}, {us} us", updates, got == want and expected(updates, equal))

        # One that is slow, and nobody says so: dmdas measures it.
        case = KNOWN[0][0]
        os.environ["STARPU_HOSTNAME"] = "owners2"
        shutil.rmtree(models + "/codelets", ignore_errors=True)
        want, equal = run(answers, "dmdas", case, 2, VGPU_SLOW="1:20")
        got, updates = run(answers, "dmdas", case, 2, VGPU_SLOW="1:20")
        told(f"{case}, one device 20 times as slow: updates {equal}, then", updates,
             got == want and updates[1] < equal[1])
    return bad


sys.exit(main())
