"""Band structures with the Python package: all k-points of a path are one stack, and one call.

Graphene by tight binding, nearest neighbours, hopping t = 2.7 eV: the bulk, where the Hamiltonian of a k-point is
[[0, -t f], [-t f*, 0]] with f = 1 + exp(i k a1) + exp(i k a2), and a ribbon with zigzag edges, whose states at the
edges have no energy (Fujita et al., J. Phys. Soc. Jpn. 65, 1920, 1996).

    PYTHONPATH=build/release/python python3 examples/bands.py

SPDX-License-Identifier: BSD-3-Clause
"""
import numpy as np

import orrery

t = 2.7  # eV

# ---- The bulk, from Gamma over K and M back to Gamma. Lengths in units of the lattice constant. ----
a = np.array([[1, 0], [1 / 2, np.sqrt(3) / 2]])
b = 2 * np.pi * np.linalg.inv(a).T
corners = {"Gamma": 0 * b[0], "K": (2 * b[0] + b[1]) / 3, "M": b[0] / 2, "Gamma ": 0 * b[0]}
points = list(corners.values())
k = np.concatenate([p + np.linspace(0, 1, 100, endpoint=False)[:, None] * (q - p) for p, q in zip(points, points[1:])])

f = 1 + np.exp(1j * k @ a[0]) + np.exp(1j * k @ a[1])
H = np.zeros((len(k), 2, 2), complex)
H[:, 0, 1] = -t * f
H[:, 1, 0] = -t * f.conj()
energy, state = orrery.eigh(H, check=True)

print(f"graphene: {len(k)} k-points, one call")
for name, at in zip(corners, (0, 100, 200)):
    print(f"  {name:6} -+{abs(energy[at, 1]):.3f} eV")
print("  as the closed form:", np.allclose(energy[:, 1], t * np.abs(f), atol=1e-13))

# ---- A ribbon of 20 zigzag lines: 40 atoms, k along the edge in units of 1 / lattice constant ----
lines = 20
k = np.linspace(0, np.pi, 201)
H = np.zeros((len(k), 2 * lines, 2 * lines))
for i in range(2 * lines - 1):
    H[:, i + 1, i] = -t * (2 * np.cos(k / 2) if i % 2 == 0 else 1)  # along a line; to the next one
energy = orrery.eigvalsh(H)  # reads the lower triangle only

print(f"ribbon: {2 * lines} bands, {len(k)} k-points, one call")
for at in (0, 133, 150, 200):
    print(f"  k = {k[at] / np.pi:5.3f} pi: the two middle bands at -+{abs(energy[at, lines]):.4f} eV")
