/* Bulk graphene and its ribbons: fill a batch, solve it, hold it against the closed forms,
 * draw it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"
#include "figures.h"

/* Backward stability: an eigenvalue is off by a modest multiple of n eps |H|. */
#define MODEST 10.0

/* |H| <= 3t: every site has three neighbours at most. */
static double norm(const demo *d) { return 3 * d->t; }

static double worse(double a, double b) /* NaN is the worst */
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* max |E - closed form| for matrix k, e the non-negative half of the closed form. */
static double against(const problem *p, int64_t k, const double *e)
{
    const int64_t half = p->order[k] / 2;
    double error = 0;
    for (int64_t j = 0; j < half; j++) {
        error = worse(error, fabs(p->w[k][half + j] - e[j]));
        error = worse(error, fabs(p->w[k][half - 1 - j] + e[j]));
    }
    return error;
}

static void closed_form(demo *d, const problem *p, double error)
{
    const double unit = DBL_EPSILON * d->t;
    demo_row(d, p, error / unit);
    demo_check_at_most(d, p->name, "|E - closed form| / (n eps |H|)",
                       error / (p->n * DBL_EPSILON * norm(d)), MODEST);
}

/* What every bipartite lattice obeys: E and -E come together, and the moments are those of
 * the matrix, sum E = trace H = 0 and sum E^2 = |H|_F^2. */
static void bipartite(demo *d, const problem *p)
{
    double odd = 0, trace = 0, square = 0;
    for (int64_t k = 0; k < p->batch; k++) {
        const int64_t n = p->order[k];
        const double *w = p->w[k];
        double sum = 0, squares = 0, frobenius = 0;
        for (int64_t j = 0; j < n; j++) {
            odd = worse(odd, fabs(w[j] + w[n - 1 - j]));
            sum += w[j];
            squares += w[j] * w[j];
        }
        for (int64_t i = 0; i < n * n; i++)
            frobenius += creal(p->h[k][i] * conj(p->h[k][i]));
        trace = worse(trace, fabs(sum) / n);
        square = worse(square, fabs(squares / frobenius - 1));
    }
    const double unit = p->n * DBL_EPSILON * norm(d);
    demo_check_at_most(d, p->name, "|E_j + E_(n+1-j)| / (n eps |H|)", odd / unit, MODEST);
    demo_check_at_most(d, p->name, "|sum E| / n / (n eps |H|)", trace / unit, MODEST);
    demo_check_at_most(d, p->name, "|sum E^2 / |H|_F^2 - 1| / (n eps)",
                       square / (p->n * DBL_EPSILON), MODEST);
}

/* ---- bulk ---------------------------------------------------------------------------- */

/* Corners in units of the reciprocal vectors, and the lengths between them in units of |b|. */
static const double corners[4][2] = {{0, 0}, {2.0 / 3, 1.0 / 3}, {0.5, 0}, {0, 0}};
static const double lengths[3] = {0.57735026918962576, 0.28867513459481288, 0.5};

/* The phases of point i of the path, and its distance along the path; corners are points. */
static double path_point(const int64_t steps[3], int64_t i, double th[2])
{
    int s = 0;
    double x = 0;
    while (s < 2 && i > steps[s]) {
        x += lengths[s];
        i -= steps[s++];
    }
    const double u = (double)i / steps[s];
    for (int c = 0; c < 2; c++)
        th[c] = 2 * PI * (corners[s][c] + u * (corners[s + 1][c] - corners[s][c]));
    return x + u * lengths[s];
}

static int bulk_path(demo *d, problem *p, double **x, double corner[4])
{
    int64_t steps[3], points = 1;
    corner[0] = 0;
    for (int s = 0; s < 3; s++) {
        steps[s] = (int64_t)fmax(1, round(d->path * lengths[s] / 1.366));
        points += steps[s];
        corner[s + 1] = corner[s] + lengths[s];
    }
    *x = malloc(sizeof **x * points);
    if (!*x || problem_alloc(p, "graphene path", points, 2, NULL))
        return demo_memory();
    double th[2], error = 0;
    for (int64_t i = 0; i < points; i++) {
        (*x)[i] = path_point(steps, i, th);
        graphene_h(d->t, th[0], th[1], p->h[i]);
    }
    const int rc = demo_solve(d, p, norm(d));
    if (rc)
        return rc;
    for (int64_t i = 0; i < points; i++) {
        path_point(steps, i, th);
        error = worse(error, against(p, i, (double[]){graphene_energy(d->t, th[0], th[1])}));
    }
    closed_form(d, p, error);
    return 0;
}

/* Monkhorst and Pack, Phys. Rev. B 13, 5188 (1976): u_r = (2r - N - 1) / 2N. */
static double mesh_phase(int64_t n, int64_t r) { return PI * (double)(2 * r + 1 - n) / n; }

/* The histogram against the closed form, averaged over each bin. What a finite mesh leaves
 * falls like 1/mesh; a spectrum that is wrong by a few states in a hundred is not let by. */
static void density(demo *d, const char *name, int64_t bins, const double *dos, double e1)
{
    enum { SUB = 64 };
    const double width = 2 * e1 / bins;
    double difference = 0;
    int64_t peak = 0;
    for (int64_t i = 0; i < bins; i++) {
        double mean = 0;
        for (int s = 0; s < SUB; s++)
            mean += fmin(graphene_dos(d->t, -e1 + (i + (s + 0.5) / SUB) * width), 1e3 / d->t) / SUB;
        difference += fabs(dos[i] - mean) * width;
        if (dos[i] > dos[peak])
            peak = i;
    }
    demo_check_at_most(d, name, "integral of |density of states - closed form|", difference,
                       0.02 + 6.0 / d->mesh);
    demo_check_at_most(d, name, "| |E of the highest bin| - t | / bin width",
                       fabs(fabs(-e1 + (peak + 0.5) * width) - d->t) / width, 1);
}

static int bulk_mesh(demo *d, int64_t bins, double *dos, double e1)
{
    const int64_t n = d->mesh;
    problem p;
    if (problem_alloc(&p, "graphene mesh", n * n, 2, NULL))
        return demo_memory();
    for (int64_t k = 0; k < n * n; k++)
        graphene_h(d->t, mesh_phase(n, k / n), mesh_phase(n, k % n), p.h[k]);
    const int rc = demo_solve(d, &p, norm(d));
    double error = 0;
    for (int64_t k = 0; k < n * n && !rc; k++) {
        const double e = graphene_energy(d->t, mesh_phase(n, k / n), mesh_phase(n, k % n));
        error = worse(error, against(&p, k, &e));
        for (int j = 0; j < 2; j++) {
            const double bin = floor((p.w[k][j] + e1) / (2 * e1) * bins);
            if (bin >= 0 && bin < bins)
                dos[(int64_t)bin] += bins / (2 * e1) / (n * n);
        }
    }
    if (!rc) {
        closed_form(d, &p, error);
        density(d, p.name, bins, dos, e1);
    }
    problem_free(&p);
    return rc;
}

int job_bulk(demo *d)
{
    problem path = {0};
    double *x = NULL, corner[4];
    const double e1 = 3.3 * d->t;
    /* Bins about two mesh steps wide, so that the mesh does not show. An odd number puts the
     * middle of one on the Dirac point. */
    const int64_t wanted = d->mesh / 3, bins = (wanted < 31 ? 31 : wanted > 241 ? 241 : wanted) | 1;
    double *dos = calloc(bins, sizeof *dos);
    int rc = dos ? bulk_path(d, &path, &x, corner) : demo_memory();
    if (!rc)
        rc = bulk_mesh(d, bins, dos, e1);
    if (!rc) {
        char mesh[64], *file = demo_file(d, "graphene-bands.svg");
        snprintf(mesh, sizeof mesh, "Density of states, %d \u00d7 %d k", (int)d->mesh,
                 (int)d->mesh);
        rc = demo_drawn(file,
                        file && figure_graphene(file, d->t, &path, x, corner, bins, dos, e1, mesh));
    }
    problem_free(&path);
    free(x);
    free(dos);
    return rc;
}

/* ---- ribbons --------------------------------------------------------------------------- */

/* Chains that count as edge on either side: a tenth, so that an even spread weighs 0.2. */
static int64_t edge_rows(int64_t rows) { return rows < 20 ? 1 : rows / 10; }

static void edge_weights(const problem *p, int64_t edge, double *weight)
{
    const int64_t n = p->n;
    for (int64_t k = 0; k < p->batch; k++)
        for (int64_t j = 0; j < n; j++) {
            const cplx *q = p->q[k] + j * n;
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                if (i < 2 * edge || i >= n - 2 * edge)
                    sum += creal(q[i] * conj(q[i]));
            weight[j + k * n] = sum;
        }
}

/* The weight of the edge states on the edges, computed and exact, at a few k. */
static void edge_report(demo *d, const problem *p, const double *weight)
{
    const int64_t n = p->n, rows = n / 2, edge = edge_rows(rows);
    int used = snprintf(d->note, sizeof d->note,
                        "edge states of the zigzag ribbon, weight on the %d outermost chain%s of "
                        "each side\n%10s %10s %12s %10s\n",
                        (int)edge, edge > 1 ? "s" : "", "ka / pi", "|E| / t", "weight", "exact");
    for (int i = 0; i <= 6; i++) {
        const int64_t k = (int64_t)round((0.7 + 0.05 * i) / 2 * p->batch);
        used += snprintf(d->note + used, sizeof d->note - used, "%10.3f %10.1e %12.6f %10.6f\n",
                         2.0 * k / p->batch, fabs(p->w[k][rows]) / d->t,
                         (weight[rows - 1 + k * n] + weight[rows + k * n]) / 2,
                         zigzag_edge_weight(rows, 2 * PI * k / p->batch, edge));
    }
}

/* The flat band. Deep inside it the two states at E = 0 are degenerate to the last bit, so
 * that any mixture of the two is right: what is checked is the mean of their weights. */
static void edge_states(demo *d, const problem *p, const double *weight)
{
    const int64_t n = p->n, rows = n / 2, edge = edge_rows(rows);
    const double g = 2 * cos(3 * PI / 8); /* at k = 3/4 pi, where the check begins */
    double flat = 0, error = 0;
    for (int64_t k = 0; k < p->batch; k++) {
        const double phase = 2 * PI * k / p->batch;
        if (fabs(phase - PI) > PI / 4)
            continue;
        const double mean = (weight[rows - 1 + k * n] + weight[rows + k * n]) / 2;
        flat = worse(flat, fabs(p->w[k][rows]) / d->t);
        error = worse(error, fabs(mean - zigzag_edge_weight(rows, phase, edge)));
    }
    demo_check_at_most(d, p->name, "edge band: |E| / t for |ka - pi| <= pi/4", flat,
                       pow(g, rows) + MODEST * n * DBL_EPSILON * 3);
    demo_check_at_most(d, p->name, "edge states: |weight - closed form|", error,
                       MODEST * n * DBL_EPSILON * 3 / (1 - g));
}

static int zigzag(demo *d, problem *p, double **weight)
{
    const int64_t rows = d->zigzag, n = 2 * rows;
    double *e = malloc(sizeof *e * rows), error = 0;
    *weight = malloc(sizeof **weight * n * d->points);
    if (!e || !*weight || problem_alloc(p, "zigzag ribbon", d->points, n, NULL)) {
        free(e);
        return demo_memory();
    }
    for (int64_t k = 0; k < p->batch; k++)
        zigzag_h(d->t, rows, 2 * PI * k / p->batch, p->h[k]);
    const int rc = demo_solve(d, p, norm(d));
    for (int64_t k = 0; k < p->batch && !rc; k++) {
        zigzag_energies(d->t, rows, 2 * PI * k / p->batch, e);
        error = worse(error, against(p, k, e));
    }
    if (!rc) {
        closed_form(d, p, error);
        bipartite(d, p);
        edge_weights(p, edge_rows(rows), *weight);
        edge_states(d, p, *weight);
        edge_report(d, p, *weight);
    }
    free(e);
    return rc;
}

/* Three widths in one call: one of each class N mod 3. Matrix k of width i is i*points + k. */
static int armchair(demo *d, problem *p)
{
    const int64_t points = d->points / 4;
    int64_t *orders = malloc(sizeof *orders * 3 * points);
    double *e = malloc(sizeof *e * d->armchair), error = 0;
    int rc = orders && e ? 0 : demo_memory();
    for (int64_t k = 0; k < 3 * points && !rc; k++)
        orders[k] = 2 * (d->armchair - 2 + k / points);
    if (!rc && problem_alloc(p, "armchair ribbons", 3 * points, 0, orders))
        rc = demo_memory();
    for (int64_t k = 0; k < 3 * points && !rc; k++)
        armchair_h(d->t, orders[k] / 2, -PI + 2 * PI * (k % points) / points, p->h[k]);
    if (!rc)
        rc = demo_solve(d, p, norm(d));
    for (int64_t k = 0; k < 3 * points && !rc; k++) {
        armchair_energies(d->t, orders[k] / 2, -PI + 2 * PI * (k % points) / points, e);
        error = worse(error, against(p, k, e));
    }
    if (!rc) {
        closed_form(d, p, error);
        bipartite(d, p);
    }
    for (int i = 0; i < 3 && !rc; i++) {
        const int64_t k = i * points + points / 2, rows = orders[k] / 2; /* k = 0 */
        const double gap = p->w[k][rows] - p->w[k][rows - 1];
        char what[80];
        snprintf(what, sizeof what, "N = %d = 3p%s: %s", (int)rows,
                 (const char *[]){"", " + 1", " + 2"}[rows % 3],
                 rows % 3 == 2 ? "gap / (n eps |H|)" : "t / N / gap");
        if (rows % 3 == 2)
            demo_check_at_most(d, p->name, what, gap / (2 * rows * DBL_EPSILON * norm(d)), MODEST);
        else
            demo_check_at_most(d, p->name, what, d->t / rows / gap, 1);
    }
    free(orders);
    free(e);
    return rc;
}

int job_ribbons(demo *d)
{
    problem z = {0}, a = {0};
    double *weight = NULL;
    int rc = zigzag(d, &z, &weight);
    if (!rc)
        rc = armchair(d, &a);
    if (!rc) {
        const int64_t points = d->points / 4;
        int64_t rows[2] = {0, 0}, first[2] = {0, 0}; /* 3p + 2, then 3p */
        for (int i = 0; i < 3; i++) {
            const int64_t m = d->armchair - 2 + i;
            if (m % 3 == 1)
                continue;
            rows[m % 3 == 0] = m;
            first[m % 3 == 0] = i * points;
        }
        char *file = demo_file(d, "ribbon-bands.svg");
        rc = demo_drawn(file,
                        file && figure_ribbons(file, d->t, &z, weight, &a, points, rows, first));
    }
    problem_free(&z);
    problem_free(&a);
    free(weight);
    return rc;
}
