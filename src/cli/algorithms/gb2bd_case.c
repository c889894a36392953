/* The bands of orrery gb2bd: read, made, reduced, checked, delivered.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gb2bd_case.h"

#include <stdlib.h>

#include "src/cli/algorithms/band_form.h"
#include "src/cli/core/numbers.h"
#include "src/cli/data/band.h"
#include "src/cli/peers/gb2bd_lapack.h"

/* ---- One band ------------------------------------------------------------------------ */

struct band {
    gb2bd_band a;
    void *d, *e, *u, *v; /* u m x k, v n x k without gaps; NULL: not wanted */
};

static orr_type result_type(orr_type t) { return orr_type_real(gb2bd_vector_type(t)); }

/* One side alone cannot be checked. */
static int wants(const family_case *c, char side)
{
    const struct gb2bd_args *a = c->job->args;
    const int both = a->jobz == 1 || (a->run.check && (a->left || a->right));
    return both || (side == 'u' ? a->left : a->right) != NULL;
}

static void options_of(family_case *c)
{
    struct band *x = c->state;
    const struct gb2bd_args *a = c->job->args;
    c->m = c->n;
    x->a.kl = a->kl > 0 ? a->kl : 0;
    c->vectors = wants(c, 'u') || wants(c, 'v');
    c->complete = wants(c, 'u') && wants(c, 'v');
}

/* Of the case's sizes, which may be those of a plan. */
static gb2bd_band band_of(const family_case *c)
{
    const struct band *x = c->state;
    return (gb2bd_band){
        .type = c->type, .m = c->m, .n = c->n, .kl = x->a.kl, .ku = c->band - x->a.kl};
}

static int fits(const family_case *c)
{
    const gb2bd_band a = band_of(c);
    const int64_t tw = c->shape[0], order = gb2bd_order(&a),
                  b = c->band < order ? c->band : order - 1;
    if (!c->vectors || tw == 0 || tw >= b - 1)
        return CLI_OK;
    cli_say("gb2bd: U and V need one stage: --tw 0, or at least %lld", (long long)(b - 1));
    return CLI_USAGE;
}

static double bytes(const family_case *c)
{
    const gb2bd_band a = band_of(c);
    return gb2bd_band_bytes(&a, c->vectors);
}

static double holds(const family_case *c)
{
    const gb2bd_band a = band_of(c);
    return (double)gb2bd_entries(&a) * (double)orr_type_size(c->type) +
           (double)gb2bd_order(&a) *
               (2 + wants(c, 'u') * (double)c->m + wants(c, 'v') * (double)c->n) *
               (double)orr_type_size(gb2bd_vector_type(c->type));
}

static void sizes_of(family_case *c)
{
    const struct band *x = c->state;
    c->type = x->a.type;
    c->m = x->a.m;
    c->n = x->a.n;
    c->band = x->a.kl + x->a.ku;
}

static int read_band(family_case *c)
{
    const struct gb2bd_args *args = c->job->args;
    struct band *x = c->state;
    const int code = gb2bd_band_read(&x->a, &args->run, c->job->files.v[0], args->kl, args->m);
    sizes_of(c);
    return code;
}

static int look(family_case *c, const orr_shape *s)
{
    const struct gb2bd_args *a = c->job->args;
    if (s->entries >= 0 || s->ndim != 2) {
        cli_say("%s: a plan needs an array of diagonals, or --n and --band", c->job->files.v[0]);
        return CLI_FILE;
    }
    c->m = a->m < 0 ? s->shape[1] : a->m;
    c->n = s->shape[1];
    c->band = s->shape[0] - 1;
    return CLI_OK;
}

static int random_band(family_case *c, uint64_t seed)
{
    struct band *x = c->state;
    const int code = gb2bd_band_random(&x->a, c->type, c->n, x->a.kl, c->band, seed);
    if (code == CLI_OK)
        sizes_of(c);
    return code;
}

static int make(family_case *c)
{
    struct band *x = c->state;
    const size_t k = (size_t)gb2bd_order(&x->a), real = orr_type_size(result_type(c->type));
    const size_t size = orr_type_size(gb2bd_vector_type(c->type));
    const int left = wants(c, 'u'), right = wants(c, 'v');
    c->problem = &x->a;
    x->d = malloc((k + 1) * real);
    x->e = malloc((k + 1) * real);
    x->u = left ? malloc((size_t)c->m * k * size + 1) : NULL;
    x->v = right ? malloc((size_t)c->n * k * size + 1) : NULL;
    return x->d && x->e && (x->u || !left) && (x->v || !right) ? CLI_OK : CLI_MEMORY;
}

static void drop(family_case *c)
{
    struct band *x = c->state;
    free(x->d);
    free(x->e);
    free(x->u);
    free(x->v);
    gb2bd_band_free(&x->a);
}

/* ---- A run --------------------------------------------------------------------------- */

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    const struct gb2bd_args *args = c->job->args;
    const struct band *x = c->state;
    const gb2bd_band a = band_of(c);
    const int planned = c->planned;
    const orr_gb2bd_opts opts = {.tw = c->shape[0],
                                 .rows = c->shape[1],
                                 .place = family_place(args->place),
                                 .split = args->split,
                                 .sweeps = args->sweeps,
                                 .max_blocks = args->max_blocks,
                                 .u = planned && wants(c, 'u') ? any : x->u,
                                 .ldu = a.m,
                                 .v = planned && wants(c, 'v') ? any : x->v,
                                 .ldv = a.n,
                                 .progress = progress ? cli_progress_update : NULL,
                                 .progress_arg = progress};
    return orr_gb2bd(c->context, a.type, a.m, a.n, a.kl, a.ku, planned ? any : x->a.ab,
                     a.kl + a.ku + 1, planned ? any : x->d, planned ? any : x->e, &opts, report);
}

/* 8 n^2 b, four times that if complex: what one stage costs, whatever is done. */
static double operations(const family_case *c)
{
    const gb2bd_band a = band_of(c);
    const double n = (double)gb2bd_order(&a), b = (double)c->band;
    const double vectors = 4.0 / 3 * n * n * n * (wants(c, 'u') + wants(c, 'v'));
    return (8 * n * n * b + vectors) * number_cost(c->type);
}

static void describe(const family_case *c, cli_record *rec) { rec->m = c->m == c->n ? -1 : c->m; }

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct band *x = c->state;
    (void)threads;
    rec->values = gb2bd_value_error(&x->a, x->d, x->e);
    if (c->complete)
        gb2bd_vector_errors(&x->a, x->d, x->e, x->u, x->v, &rec->residual, &rec->orthogonality);
}

static int deliver(const family_case *c, cli_text *results)
{
    const struct gb2bd_args *args = c->job->args;
    const struct band *x = c->state;
    const int64_t k = gb2bd_order(&x->a), *order = x->a.order;
    const orr_type of_vectors = gb2bd_vector_type(c->type);
    const band_form form = {.what = "bidiagonal form",
                            .values = "singular values",
                            .key = "singular_values",
                            .singular = 1,
                            .type = result_type(c->type),
                            .n = k,
                            .d = x->d,
                            .e = x->e,
                            .values_path = args->values,
                            .diag_path = args->diag,
                            .offdiag_path = args->offdiag};
    FILE *out = c->job->table;
    int code = band_form_deliver(c->job, &form, results);
    if (code == CLI_OK && args->left)
        code = band_unorder(order, c->m, k, of_vectors, x->u);
    if (code == CLI_OK && args->right)
        code = band_unorder(order, c->n, k, of_vectors, x->v);
    if (code == CLI_OK && args->left)
        code = band_write(out, "U", args->left, of_vectors, 2, c->m, k, x->u);
    if (code == CLI_OK && args->right)
        code = band_write(out, "V", args->right, of_vectors, 2, c->n, k, x->v);
    return code;
}

/* ---- The family ----------------------------------------------------------------------------- */

static const char *wrong(cli_job *job)
{
    const struct gb2bd_args *a = job->args;
    if (!job->files.n && (a->kl >= 0 || a->m >= 0))
        return "--kl and --m belong to a FILE, not to a benchmark";
    if ((a->left || a->right) && a->jobz == 0)
        return "--left and --right contradict --jobz N";
    return a->split && a->place != 3 ? "--split belongs to --place split" : NULL;
}

static const struct gb2bd_args defaults = {.kl = -1, .m = -1, .jobz = -1};

const cli_family gb2bd_family = {
    .files = 1,
    .bench_type = 1,
    .state_size = sizeof(struct band),
    .args_size = sizeof(struct gb2bd_args),
    .defaults = &defaults,
    .axis = {{"n", offsetof(family_case, n), -1, 1},
             {"band", offsetof(family_case, band), 32, 1},
             {"tw", offsetof(family_case, shape[0]), 0, 0},
             {"rows", offsetof(family_case, shape[1]), 0, 0}},
    .output = {"values", "diag", "offdiag", "left", "right"},
    .unit = "n eps |A|",
    .wrong = wrong,
    .options = options_of,
    .read = read_band,
    .look = look,
    .random = random_band,
    .fits = fits,
    .bytes = bytes,
    .holds = holds,
    .make = make,
    .call = call,
    .operations = operations,
    .describe = describe,
    .verify = verify,
    .deliver = deliver,
    .drop = drop,
    .peers = 1,
    .peer = gb2bd_reference,
    .peer_name = gb2bd_reference_name,
};
