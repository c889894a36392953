/* The pictures of the demo. Every function returns 0, or nonzero with errno set where the
 * file could not be written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGURES_H
#define FIGURES_H

#include "solve.h"

/* Bands along Gamma-K-M-Gamma, at the abscissae x with the corners at corner[4], and the
 * density of states: a histogram of bins over -e1 .. e1, beside the closed form. */
int figure_graphene(const char *path, double t, const problem *bands, const double *x,
                    const double corner[4], int64_t bins, const double *dos, double e1,
                    const char *mesh);

/* A zigzag ribbon, its states coloured by `weight` on the edges, and two armchair ribbons
 * of `rows` dimer lines, k0 the index of k = 0. All k in [0, 2 pi) resp. [-pi, pi). */
int figure_ribbons(const char *path, double t, const problem *zigzag, const double *weight,
                   const problem *armchair, int64_t points, const int64_t rows[2],
                   const int64_t first[2]);

/* Anybody's bands over x, coloured by the inverse participation ratio. */
int figure_stack(const char *path, const char *name, const problem *, const double *x,
                 const double *ipr, int numbered);

#endif
