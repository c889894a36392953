/* Files: the bands of anybody's stack of Hermitian matrices, and the demo's own ribbon
 * written as such a stack.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <math.h>
#include <orrery/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "figures.h"

static int refuse(const char *path, const char *why)
{
    fprintf(stderr, "graphene: %s: %s\n", path, why);
    return EXIT_FILE;
}

static int read_array(const char *path, orr_npy *a)
{
    orr_io_error error = {.message = ""};
    const orr_status st = orr_npy_read(path, 0, a, &error);
    if (st == ORR_OK)
        return 0;
    fprintf(stderr, "graphene: %s\n", error.message[0] ? error.message : orr_strerror(st));
    return st == ORR_E_NOMEM ? EXIT_RUNTIME : EXIT_FILE;
}

/* Entry i of an array of any type. NaN for half precision, which the caller refuses. */
static cplx entry(const orr_npy *a, int64_t i)
{
    switch (a->type) {
    case ORR_S: return ((const float *)a->data)[i];
    case ORR_D: return ((const double *)a->data)[i];
    case ORR_C: return ((const float complex *)a->data)[i];
    case ORR_Z: return ((const cplx *)a->data)[i];
    default: return NAN;
    }
}

/* From rows to columns, as double complex; refuses what is not finite or not Hermitian. */
static int fill(const char *path, const orr_npy *a, problem *p, double *norm)
{
    const int64_t n = p->n;
    *norm = 0;
    for (int64_t k = 0; k < p->batch; k++) {
        double squares = 0, skew = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                const cplx v = entry(a, (k * n + i) * n + j);
                p->h[k][i + j * n] = v;
                squares += creal(v * conj(v));
                skew = fmax(skew, cabs(v - conj(entry(a, (k * n + j) * n + i))));
            }
        char why[80];
        if (!isfinite(squares)) {
            snprintf(why, sizeof why, "matrix %lld is not finite", (long long)k);
            return refuse(path, why);
        }
        if (skew > 100 * n * orr_type_eps(a->type) * sqrt(squares)) {
            snprintf(why, sizeof why, "matrix %lld is not Hermitian", (long long)k);
            return refuse(path, why);
        }
        *norm = fmax(*norm, sqrt(squares));
    }
    return 0;
}

/* The abscissae: the file's column, the length of the file's path of vectors, or 0, 1, ... */
static int abscissae(const char *path, int64_t batch, double *x)
{
    for (int64_t i = 0; i < batch; i++)
        x[i] = (double)i;
    if (!path)
        return 0;
    orr_npy a = {0};
    int rc = read_array(path, &a);
    if (rc)
        return rc;
    const int64_t width = a.ndim == 2 ? a.shape[1] : 1;
    if ((a.type != ORR_D && a.type != ORR_S) || a.ndim < 1 || a.ndim > 2 || a.shape[0] != batch)
        rc = refuse(path, "k must be real, of shape (batch,) or (batch, d)");
    for (int64_t i = 0; i < batch && !rc; i++) {
        double step = 0;
        for (int64_t c = 0; c < width && i > 0; c++)
            step = hypot(step, creal(entry(&a, i * width + c) - entry(&a, (i - 1) * width + c)));
        x[i] = a.ndim == 1 ? creal(entry(&a, i)) : i > 0 ? x[i - 1] + step : 0;
        if (!isfinite(x[i]) || (i > 0 && x[i] < x[i - 1]))
            rc = refuse(path, "k must be finite and ascending");
    }
    if (!rc && batch > 1 && x[batch - 1] <= x[0])
        rc = refuse(path, "k does not change");
    orr_npy_free(&a);
    return rc;
}

/* Inverse participation ratio: 1/n for a state spread over all sites, 1 for one on a site. */
static void participation(const problem *p, double *ipr)
{
    const int64_t n = p->n;
    for (int64_t c = 0; c < p->batch * n; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const cplx q = p->q[0][c * n + i];
            const double density = creal(q * conj(q));
            sum += density * density;
        }
        ipr[c] = sum;
    }
}

static void trace_check(demo *d, const problem *p, double norm)
{
    double error = 0;
    for (int64_t k = 0; k < p->batch; k++) {
        double sum = 0;
        for (int64_t j = 0; j < p->n; j++)
            sum += p->w[k][j] - creal(p->h[k][j + j * p->n]);
        error = isnan(sum) ? NAN : fmax(error, fabs(sum));
    }
    demo_check_at_most(d, p->name, "|sum w - trace H| / n / (n eps |H|)",
                       norm > 0 ? error / p->n / (p->n * DBL_EPSILON * norm) : error, 10);
}

/* The file's own name, in the characters that every XML reader and font has. */
static void plain_name(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    for (; *out; out++)
        if (*out < ' ' || *out > '~')
            *out = '?';
}

int job_stack(demo *d)
{
    orr_npy a = {0};
    problem p = {0};
    double *x = NULL, *ipr = NULL, norm = 0;
    char name[64];
    int rc = read_array(d->stack, &a);
    if (rc)
        return rc;
    plain_name(d->stack, name, sizeof name);
    if (a.ndim != 3 || a.shape[1] != a.shape[2])
        rc = refuse(d->stack, "a stack of matrices has the shape (batch, n, n)");
    else if (a.shape[0] < 1 || a.shape[1] < 1 || a.shape[1] > 1024)
        rc = refuse(d->stack, "there must be a matrix, and 1 <= n <= 1024");
    else if (a.type < 0 || a.type >= ORR_NTYPES)
        rc = refuse(d->stack, "half precision is not supported here");
    if (!rc) {
        x = malloc(sizeof *x * a.shape[0]);
        ipr = malloc(sizeof *ipr * a.shape[0] * a.shape[1]);
        if (!x || !ipr || problem_alloc(&p, name, a.shape[0], a.shape[1], NULL))
            rc = demo_memory();
    }
    if (!rc)
        rc = abscissae(d->k, p.batch, x);
    if (!rc)
        rc = fill(d->stack, &a, &p, &norm);
    orr_npy_free(&a);
    if (!rc)
        rc = demo_solve(d, &p, norm);
    if (!rc) {
        demo_row(d, &p, NAN);
        trace_check(d, &p, norm);
        participation(&p, ipr);
        char *file = demo_file(d, "stack-bands.svg");
        rc = demo_drawn(file, file && figure_stack(file, name, &p, x, ipr, d->k == NULL));
    }
    problem_free(&p);
    free(x);
    free(ipr);
    return rc;
}

static int written(orr_status st, const orr_io_error *error)
{
    if (st == ORR_OK)
        return 0;
    fprintf(stderr, "graphene: %s\n", error->message[0] ? error->message : orr_strerror(st));
    return EXIT_RUNTIME;
}

int job_write_stack(demo *d)
{
    const int64_t n = 2 * d->zigzag, shape[3] = {d->points, n, n};
    orr_io_error error = {.message = ""};
    int rc = 0;
    cplx *h = malloc(sizeof *h * n * n * d->points);
    double *k = malloc(sizeof *k * d->points);
    if (!h || !k)
        rc = demo_memory();
    for (int64_t i = 0; i < d->points && !rc; i++) {
        k[i] = 2 * PI * i / d->points;
        zigzag_h(d->t, d->zigzag, k[i], h + i * n * n);
    }
    /* By rows, as NumPy has them: for a Hermitian matrix that is its conjugate. */
    for (int64_t i = 0; i < n * n * d->points && !rc; i++)
        h[i] = conj(h[i]);
    if (!rc && d->write_stack)
        rc = written(orr_npy_write(d->write_stack, ORR_Z, 3, shape, 0, h, &error), &error);
    if (!rc && d->write_k)
        rc = written(orr_npy_write(d->write_k, ORR_D, 1, shape, 0, k, &error), &error);
    free(h);
    free(k);
    return rc;
}
