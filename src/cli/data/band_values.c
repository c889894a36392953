/* See band_values.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/band_values.h"

#include <math.h>
#include <stdlib.h>

#include "src/cli/core/numbers.h"
#include "src/cli/core/sorted.h"

void dsterf_(const int *, double *, double *, int *);
void dbdsqr_(const char *, const int *, const int *, const int *, const int *, double *, double *,
             double *, const int *, double *, const int *, double *, const int *, double *, int *);

/* d := the values, ascending; work: 4n. 0 or LAPACK's reason. */
static int solve(int singular, int n, double *d, double *e, double *work)
{
    const int zero = 0, one = 1;
    double none;
    int info = 0;
    if (n > 0 && singular)
        dbdsqr_("U", &n, &zero, &zero, &zero, d, e, &none, &one, &none, &one, &none, &one, work,
                &info);
    else if (n > 0)
        dsterf_(&n, d, e, &info);
    cli_sort(d, n);
    return info;
}

/* A power of two that brings the largest number near one: squares neither overflow nor vanish. */
static double unit_of(orr_type real, int64_t n, const void *d, const void *e)
{
    double most = 0;
    int exponent = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(number_real(real, d, i)));
        if (i < n - 1)
            most = fmax(most, fabs(number_real(real, e, i)));
    }
    frexp(most, &exponent);
    return most > 0 && isfinite(most) ? ldexp(1, exponent > 1000 ? 1000 : exponent) : 1;
}

int band_values(int singular, orr_type real, int64_t n, const void *d, const void *e,
                answer_values *values)
{
    const size_t room = (size_t)n + 1;
    double *x = malloc(6 * room * sizeof *x), *y = x + room;
    void *v = malloc(room * sizeof(double));
    *values = (answer_values){.what = singular ? "singular values" : "eigenvalues",
                              .order = singular ? "descending" : "ascending",
                              .type = real,
                              .count = 1,
                              .columns = n,
                              .v = v};
    if (!x || !v) {
        cli_say("out of memory");
        free(x);
        return CLI_MEMORY;
    }
    const double unit = unit_of(real, n, d, e);
    for (int64_t i = 0; i < n; i++) {
        x[i] = number_real(real, d, i) / unit;
        y[i] = i < n - 1 ? number_real(real, e, i) / unit : 0;
    }
    const int info = solve(singular, (int)n, x, y, y + room);
    for (int64_t i = 0; i < n; i++)
        number_put(real, v, i, unit * x[singular ? n - 1 - i : i]);
    free(x);
    if (info == 0)
        return CLI_OK;
    cli_say("LAPACK's %s has not converged (%d)", singular ? "dbdsqr" : "dsterf", info);
    return CLI_NOCONV;
}
