#!/usr/bin/env python3
"""scripts/gpu-audit complains about each kind of launch that a device refuses, of spills and of generic
addresses, and of nothing else. Kernels and launches are made up: neither nvcc nor a device is needed.

  audit.py SOURCE-DIRECTORY

SPDX-License-Identifier: BSD-3-Clause"""
import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu_audit", sys.argv[1] + "/scripts/gpu-audit")
audit = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_audit", loader))
loader.exec_module(audit)

KERNEL = {"static": 0, "stack": 0, "spilled": 0, "registers": 32, "generic": 0, "bounds": 256}
GRID, THREADS, BYTES, CLUSTER = (132, 1, 1), 256, 1024, 1
ASKED = audit.ASKED  # launchers ask for more dynamic memory than this

# What is wrong, what the complaint says, the kernel, its launch.
CASES = [
    ("nothing", None, {}, {}),
    ("as many threads as compiled for, all of a block's shared memory, the largest grid and clusters", None,
     {"registers": 64, "bounds": 1024}, {"grid": (2**31 - 16, 65535, 65535), "threads": 1024, "dynamic": 227 * 1024, "cluster": 16}),
    ("a spill", "spills: 4 bytes", {"spilled": 4}, {}),
    ("a generic load", "generic addresses: 1 times", {"generic": 1}, {}),
    ("threads above the launch bounds", "257 threads, compiled for 256", {}, {"threads": 257}),
    ("more than 1024 threads", "threads, compiled for", {"bounds": 1024}, {"threads": 1025}),
    ("shared memory above a block's", "bytes of shared memory", {}, {"dynamic": 227 * 1024 + 1}),
    ("static memory beside it", "bytes of shared memory", {"static": 1025}, {"dynamic": 226 * 1024}),
    ("shared memory that nobody asks for", "nobody asks", {"static": 48 * 1024 - ASKED + 1}, {"dynamic": ASKED}),
    ("a grid in y", "a grid of", {}, {"grid": (1, 65536, 1)}),
    ("a grid in z", "a grid of", {}, {"grid": (1, 1, 65536)}),
    ("a cluster that does not divide the grid", "clusters of 8 in 132", {}, {"cluster": 8}),
    ("a cluster too large", "clusters of 33 in 132", {}, {"cluster": 33}),
    ("registers for less than a block", "no processor can hold a block (registers)", {"registers": 255, "bounds": 1024}, {"threads": 1024}),
]

bad = 0
for what, complaint, kernel, launch in CASES:
    shape = ("a case", launch.get("grid", GRID), launch.get("threads", THREADS), launch.get("dynamic", BYTES), launch.get("cluster", CLUSTER))
    _, wrong = audit.report({"planted_kernel": {**KERNEL, **kernel}}, {"planted_kernel": [shape]})
    told = "; ".join(wrong)
    good = not wrong if complaint is None else complaint in told
    print(f"{what}: {told or 'nothing is wrong'}")
    if not good:
        print(f"FAIL: not {complaint}")
        bad = 1

# A device with less shared memory for a block.
for kib in audit.KINDS:
    shape = ("a case", GRID, THREADS, 98 * 1024, CLUSTER)
    for static, complaints in ((0, 0), (1025, kib < 100)):
        wrong = audit.refused_there({"planted_kernel": {**KERNEL, "static": static}}, {"planted_kernel": [shape]}, kib)
        print(f"98 KiB and {static} bytes of {kib} KiB: {wrong}")
        if len(wrong) != complaints:
            print(f"FAIL: {complaints} complaints were expected")
            bad = 1

_, wrong = audit.report({}, {"planted_kernel": [("a case", GRID, THREADS, BYTES, CLUSTER)]})
print(f"a kernel that nobody compiled: {wrong}")
if not any("was not compiled" in w for w in wrong):
    print("FAIL: nothing is said")
    bad = 1
# What may spill and load so has a limit.
for table, member in ((audit.ALLOWED, "spilled"), (audit.GENERIC, "generic")):
    for name, most in table.items():
        for more in (0, 1):
            _, wrong = audit.report({name: {**KERNEL, member: most + more}}, {})
            if len(wrong) != more:
                print(f"FAIL: {name}, {member} {most + more}: {wrong}")
                bad = 1
sys.exit(bad)
