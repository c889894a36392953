#!/usr/bin/env python3
"""with_numpy.py COPY: what NumPy writes we read, what we write NumPy reads, bit by bit.
Exits 77 without NumPy.

SPDX-License-Identifier: BSD-3-Clause"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

rng = np.random.default_rng(1)
shapes = [(), (0,), (7,), (3, 4), (65, 33), (4, 5, 6), (3, 1, 4, 2), (2, 0, 3)]
floats = ["f2", "f4", "f8", "c8", "c16"]
others = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
count = 0
with tempfile.TemporaryDirectory() as d:
    source, target = os.path.join(d, "in.npy"), os.path.join(d, "out.npy")
    for shape in shapes:
        for kind in floats + others:
            for order in "<>":
                for fortran in (False, True):
                    for version in ((1, 0), (2, 0), (3, 0)):
                        a = rng.normal(size=shape) * 50
                        if kind.startswith("c"):
                            a = a + 1j * rng.normal(size=shape)
                        if kind.startswith("u"):
                            a = abs(a)
                        a = np.array(a).astype(order + kind if kind != "?" else "?")
                        a = np.asfortranarray(a) if fortran and a.ndim else a
                        with open(source, "wb") as f:
                            np.lib.format.write_array(f, a, version)
                        want = a.astype("<" + kind) if kind in floats else a.astype("<f8")
                        for how in "cf":
                            subprocess.run([sys.argv[1], source, target, how], check=True)
                            b = np.load(target, allow_pickle=False)
                            w = want.transpose() if how == "f" else want
                            assert b.dtype == want.dtype and b.shape == w.shape, (a.dtype, shape)
                            assert b.tobytes() == w.tobytes(), (a.dtype, shape, fortran, how)
                            count += 1
                        if shape != (3, 4):
                            break  # versions differ only in the header
print(count, "arrays equal")
