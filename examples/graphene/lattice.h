/* Nearest-neighbour tight binding of graphene and its ribbons: Bloch Hamiltonians, and the
 * closed forms of their spectra that the computed ones are checked against.
 *
 * The on-site energy is 0 and the hopping is -t, so every lattice here is bipartite and
 * every spectrum is symmetric about E = 0. Matrices are column major. A ribbon of N rows
 * has 2N sites per cell; row m (from 0) has site A at index 2m and site B at 2m + 1, and
 * k is the phase from one cell to the next. Closed forms: K. Wakabayashi et al., Sci.
 * Technol. Adv. Mater. 11, 054504 (2010).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LATTICE_H
#define LATTICE_H

#include <complex.h>
#include <stdint.h>

typedef double complex cplx;

#define PI 3.14159265358979323846

/* Graphene at the phases th1 = k.a1, th2 = k.a2: the 2 x 2 matrix, and t|f(k)|, so that
 * the energies are -t|f| and t|f|. */
void graphene_h(double t, double th1, double th2, cplx *h);
double graphene_energy(double t, double th1, double th2);

/* Density of states per cell and spin at energy e (two states per cell in all). */
double graphene_dos(double t, double e);

/* Zigzag ribbon of N chains: H(k) is 2N x 2N. */
void zigzag_h(double t, int64_t rows, double k, cplx *h);
/* The N energies >= 0, ascending. */
void zigzag_energies(double t, int64_t rows, double k, double *e);
/* Weight of the edge state at k on the outermost `edge` chains of each side; NaN where
 * the ribbon has no edge state (k too near 0). */
double zigzag_edge_weight(int64_t rows, double k, int64_t edge);

/* Armchair ribbon of N dimer lines: H(k) is 2N x 2N. */
void armchair_h(double t, int64_t rows, double k, cplx *h);
void armchair_energies(double t, int64_t rows, double k, double *e);

#endif
