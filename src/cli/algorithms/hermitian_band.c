/* The bands of orrery hb2st and hbev: read, looked at, made.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/hermitian_band.h"

#include "src/cli/core/numbers.h"

static void sizes_of(family_case *c)
{
    const hb2st_band *b = c->state;
    c->type = b->type;
    c->n = b->n;
    c->band = b->b;
}

/* The most that --band allows a file; -1: any. */
static int64_t most(const family_case *c)
{
    const struct hermitian_band_args *a = c->job->args;
    return a->band.n ? a->band.v[0] : -1;
}

void hermitian_band_options(family_case *c)
{
    const struct hermitian_band_args *a = c->job->args;
    const int64_t widest = c->n > 0 ? c->n - 1 : 0;
    if (!a->band.n && c->band > widest)
        c->band = widest;
}

int hermitian_band_fits(const family_case *c)
{
    if (c->band < c->n || c->band == 0)
        return CLI_OK;
    cli_say("--band %lld: the matrix has order %lld", (long long)c->band, (long long)c->n);
    return CLI_USAGE;
}

int hermitian_band_read(family_case *c)
{
    const struct hermitian_band_args *a = c->job->args;
    const int code = hb2st_band_read(c->state, &a->run, c->job->files.v[0], &a->hermitian, most(c));
    sizes_of(c);
    return code;
}

int hermitian_band_look(family_case *c, const orr_shape *s)
{
    return hb2st_band_look(s, c->job->files.v[0], most(c), &c->n, &c->band);
}

int hermitian_band_random(family_case *c, uint64_t seed)
{
    const int code = hb2st_band_random(c->state, c->type, c->n, c->band, seed);
    if (code == CLI_OK)
        sizes_of(c);
    return code;
}

double hermitian_band_operations(const family_case *c, double cubes)
{
    const double n = (double)c->n, b = (double)c->band;
    return (6 * n * n * b + (c->vectors ? cubes * n * n * n : 0)) * number_cost(c->type);
}
