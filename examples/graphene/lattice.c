/* Hamiltonians as lists of bonds, closed forms as the papers write them. The forms that
 * subtract nearly equal numbers near the Dirac points are rewritten so that they do not:
 * a check in units of eps needs a reference of that accuracy.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cplx structure_factor(double th1, double th2) { return 1 + cexp(I * th1) + cexp(I * th2); }

void graphene_h(double t, double th1, double th2, cplx *h)
{
    const cplx f = structure_factor(th1, th2);
    h[0] = h[3] = 0;
    h[1] = -t * conj(f);
    h[2] = -t * f;
}

double graphene_energy(double t, double th1, double th2)
{
    return t * cabs(structure_factor(th1, th2));
}

/* Complete elliptic integral K(k) from the complementary modulus, by the arithmetic-
 * geometric mean. */
static double elliptic_k(double complementary)
{
    double a = 1, b = complementary;
    while (fabs(a - b) > 1e-15 * a) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

/* Hobson and Nierenberg, Phys. Rev. 89, 662 (1953). */
double graphene_dos(double t, double e)
{
    const double x = fabs(e) / t;
    if (x == 0 || x >= 3)
        return 0;
    const double u = (1 + x) * (1 + x) - (x * x - 1) * (x * x - 1) / 4, v = 4 * x;
    const double z0 = fmax(u, v), z1 = fmin(u, v);
    if (z0 - z1 < 1e-14)
        return INFINITY; /* the van Hove singularity at |E| = t */
    return 2 / (PI * PI) * x / t / sqrt(z0) * elliptic_k(sqrt((z0 - z1) / z0));
}

static int ascending(const void *p, const void *q)
{
    const double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* An A-B bond and its conjugate. */
static void bond(cplx *h, int64_t n, int64_t a, int64_t b, cplx value)
{
    h[a + b * n] += value;
    h[b + a * n] += conj(value);
}

/*   A0    A0      along the ribbon: A_m - B_m in the cell and A_m - B_m of the next cell
 *  /  \  /  \     across it:        B_m - A_{m+1}                                        */
void zigzag_h(double t, int64_t rows, double k, cplx *h)
{
    const int64_t n = 2 * rows;
    memset(h, 0, sizeof *h * n * n);
    for (int64_t m = 0; m < rows; m++) {
        bond(h, n, 2 * m, 2 * m + 1, -t * (1 + cexp(-I * k)));
        if (m + 1 < rows)
            bond(h, n, 2 * m + 2, 2 * m + 1, -t);
    }
}

/* sinh(N y) / sinh((N+1) y), without overflow. */
static double sinh_ratio(int64_t rows, double y)
{
    return exp(-y) * expm1(-2 * y * rows) / expm1(-2 * y * (rows + 1));
}

/* The decay per chain of the edge state, y > 0 with sinh(N y) = g sinh((N+1) y); it exists
 * for g < N/(N+1), and y <= -ln g. */
static double edge_decay(int64_t rows, double g)
{
    double lo = 1e-14, hi = -log(fmax(g, 1e-300));
    for (int i = 0; i < 100; i++) {
        const double y = (lo + hi) / 2;
        if (sinh_ratio(rows, y) > g)
            lo = y;
        else
            hi = y;
    }
    return (lo + hi) / 2;
}

/* E = t sqrt(1 + g^2 + 2 g cos p), g = 2 cos(k/2), for the transverse momenta p in (0, pi)
 * with sin(N p) + g sin((N+1) p) = 0. In q = pi - p, where nothing cancels next to the Dirac
 * points (q = 0, g = 1): sin(N q) = g sin((N+1) q). Between each two of the points
 * i pi / (N+1), i = 0 .. N, there is one root; the first one has left the axis as q = i y for
 * g < N/(N+1): the edge state. */
void zigzag_energies(double t, int64_t rows, double k, double *e)
{
    const double g = fabs(2 * cos(k / 2));
    const int edge = g * (rows + 1) < rows;
    for (int64_t i = edge; i < rows; i++) {
        const double sign = i % 2 ? -1 : 1; /* of sin(N q) - g sin((N+1) q) at the right end */
        double lo = i * PI / (rows + 1), hi = (i + 1) * PI / (rows + 1);
        for (int step = 0; step < 60; step++) {
            const double q = (lo + hi) / 2;
            if (sign * (sin(q * rows) - g * sin(q * (rows + 1))) > 0)
                hi = q;
            else
                lo = q;
        }
        e[i] = t * hypot(1 - g, 2 * sqrt(g) * sin((lo + hi) / 4));
    }
    if (edge) {
        const double y = edge_decay(rows, g);
        e[0] = t * exp(-y * rows) * expm1(-2 * y) / expm1(-2 * y * (rows + 1));
    }
    qsort(e, rows, sizeof *e, ascending);
}

/* The state is sinh(m y) in the distance from either edge, A on one and B on the other. */
double zigzag_edge_weight(int64_t rows, double k, int64_t edge)
{
    const double g = fabs(2 * cos(k / 2));
    if (g * (rows + 1) >= rows)
        return NAN;
    const double y = edge_decay(rows, g);
    double near = 0, all = 0;
    for (int64_t m = 1; m <= rows; m++) {
        const double s = exp(y * (m - rows)) * expm1(-2 * y * m);
        all += s * s;
        if (m <= edge || m > rows - edge)
            near += s * s;
    }
    return near / all;
}

/* Dimers A_m - B_m lie along the ribbon: inside the cell on even lines, across to the next
 * cell on odd ones. A_m - B_{m+1} and B_m - A_{m+1} join the lines. */
void armchair_h(double t, int64_t rows, double k, cplx *h)
{
    const int64_t n = 2 * rows;
    memset(h, 0, sizeof *h * n * n);
    for (int64_t m = 0; m < rows; m++) {
        bond(h, n, 2 * m, 2 * m + 1, m % 2 ? -t * cexp(I * k) : -t);
        if (m + 1 < rows) {
            bond(h, n, 2 * m, 2 * m + 3, -t);
            bond(h, n, 2 * m + 2, 2 * m + 1, -t);
        }
    }
}

/* E = t |2 cos(theta) + exp(i k/2)|, theta = r pi / (N+1). */
void armchair_energies(double t, int64_t rows, double k, double *e)
{
    for (int64_t r = 1; r <= rows; r++)
        e[r - 1] = t * cabs(2 * cos(r * PI / (rows + 1)) + cexp(I * k / 2));
    qsort(e, rows, sizeof *e, ascending);
}
