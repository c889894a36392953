/* The bands of orrery hb2st: read, made, reduced, checked, delivered.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/hb2st_case.h"

#include <stdlib.h>

#include "src/cli/algorithms/band_form.h"
#include "src/cli/data/band.h"
#include "src/cli/peers/hb2st_lapack.h"

/* ---- One band ---------------------------------------------------------------------------- */

struct band {
    hb2st_band b;
    int vectors;     /* Q is wanted */
    void *d, *e, *q; /* q: n x n, column major */
};

static void options_of(family_case *c)
{
    const struct hb2st_args *a = c->job->args;
    c->vectors = c->complete = a->q || a->jobz == 1;
    hermitian_band_options(c);
}

/* The band, and blocks: G sweeps need (G-1)(b-1) + b columns, but of one block that is all. */
static int fits(const family_case *c)
{
    const int64_t D = c->shape[0], G = c->shape[1], b = c->band;
    const int64_t least = (G > 0 ? G - 1 : 0) * (b - 1) + b;
    char sweeps[48] = "";
    if (hermitian_band_fits(c) != CLI_OK)
        return CLI_USAGE;
    if (D == 0 || D >= c->n || b <= 1 || D >= least)
        return CLI_OK;
    if (G)
        snprintf(sweeps, sizeof sweeps, " with --sweeps %lld", (long long)G);
    cli_say("--columns %lld: band %lld%s needs at least %lld", (long long)D, (long long)b, sweeps,
            (long long)least);
    return CLI_USAGE;
}

static double bytes(const family_case *c)
{
    const hb2st_band b = {.type = c->type, .n = c->n, .b = c->band};
    return hb2st_band_bytes(&b, c->vectors);
}

static double holds(const family_case *c)
{
    const double n = (double)c->n;
    return n * ((double)c->band + 3 + (c->vectors ? n : 0)) * (double)orr_type_size(c->type);
}

static int make(family_case *c)
{
    struct band *x = c->state;
    const size_t n = (size_t)c->n, real = orr_type_size(orr_type_real(c->type));
    x->vectors = c->vectors;
    c->problem = x;
    x->d = malloc((n + 1) * real);
    x->e = malloc((n + 1) * real);
    x->q = c->vectors ? malloc(n * n * orr_type_size(c->type) + 1) : NULL;
    return x->d && x->e && (x->q || !c->vectors) ? CLI_OK : CLI_MEMORY;
}

static void drop(family_case *c)
{
    struct band *x = c->state;
    free(x->d);
    free(x->e);
    free(x->q);
    hb2st_band_free(&x->b);
}

/* ---- A run ------------------------------------------------------------------------------- */

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    const struct hb2st_args *a = c->job->args;
    const struct band *x = c->state;
    const hb2st_band *b = &x->b;
    const orr_hb2st_opts opts = {.D = c->shape[0],
                                 .G = c->shape[1],
                                 .place = family_place(a->place),
                                 .split = a->split,
                                 .tail = a->tail,
                                 .vect = c->vectors ? 'Q' : 'N',
                                 .ldq = c->n,
                                 .q = c->planned && c->vectors ? any : x->q,
                                 .progress = progress ? cli_progress_update : NULL,
                                 .progress_arg = progress};
    if (c->planned)
        return orr_hb2st(c->context, c->type, 'L', c->n, c->band, any, c->band + 1, any, any, &opts,
                         report);
    return orr_hb2st(c->context, b->type, b->uplo, b->n, b->b, b->ab, b->b + 1, x->d, x->e, &opts,
                     report);
}

static double operations(const family_case *c) { return hermitian_band_operations(c, 4.0 / 3); }

static double run_peer(const void *problem, const cli_lapack *lapack, int which, int threads)
{
    const struct band *x = problem;
    return hb2st_reference(lapack, which, &x->b, x->vectors, threads);
}

static const char *peer_name(const void *problem, int which)
{
    const struct band *x = problem;
    return which == HB2ST_SB2ST && x->vectors ? NULL : hb2st_reference_name(which, x->b.type);
}

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct band *x = c->state;
    (void)threads;
    rec->values = hb2st_value_error(&x->b, x->d, x->e);
    if (x->q)
        hb2st_vector_errors(&x->b, c->n, x->d, x->e, x->q, &rec->residual, &rec->orthogonality);
}

static int deliver(const family_case *c, cli_text *results)
{
    const struct hb2st_args *a = c->job->args;
    const struct band *x = c->state;
    const band_form form = {.what = "tridiagonal form",
                            .values = "eigenvalues",
                            .key = "eigenvalues",
                            .type = orr_type_real(c->type),
                            .n = c->n,
                            .d = x->d,
                            .e = x->e,
                            .values_path = a->values,
                            .diag_path = a->diag,
                            .offdiag_path = a->offdiag};
    FILE *out = c->job->table;
    int code = band_form_deliver(c->job, &form, results);
    if (a->q && code == CLI_OK)
        code = band_unorder(x->b.order, c->n, c->n, c->type, x->q);
    if (a->q && code == CLI_OK)
        code = band_write(out, "Q", a->q, c->type, 2, c->n, c->n, x->q);
    return code;
}

/* ---- The family ----------------------------------------------------------------------------- */

static const char *wrong(cli_job *job)
{
    const struct hb2st_args *a = job->args;
    if (a->split && a->place != 3)
        return "--split belongs to --place split";
    return a->q && a->jobz == 0 ? "--q contradicts --jobz N" : NULL;
}

static const struct hb2st_args defaults = {.band = {.hermitian = {.uplo = -1}}, .jobz = -1};

const cli_family hb2st_family = {
    .files = 1,
    .bench_type = 1,
    .state_size = sizeof(struct band),
    .args_size = sizeof(struct hb2st_args),
    .defaults = &defaults,
    .axis = {{"n", offsetof(family_case, n), -1, 1},
             {"band", offsetof(family_case, band), 32, 0},
             {"columns", offsetof(family_case, shape[0]), 0, 0},
             {"sweeps", offsetof(family_case, shape[1]), 0, 0}},
    .output = {"values", "diag", "offdiag", "q"},
    .unit = "n eps |A|",
    .wrong = wrong,
    .options = options_of,
    .read = hermitian_band_read,
    .look = hermitian_band_look,
    .random = hermitian_band_random,
    .fits = fits,
    .bytes = bytes,
    .holds = holds,
    .make = make,
    .call = call,
    .operations = operations,
    .verify = verify,
    .deliver = deliver,
    .drop = drop,
    .peers = HB2ST_REFERENCES,
    .peer = run_peer,
    .peer_name = peer_name,
};
