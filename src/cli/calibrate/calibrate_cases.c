/* An algorithm joins with a word in cal_algorithms and in the enum below it, the two functions of
 * its line in `families`, and a row of sizes for each variant that reaches other codelets.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/calibrate_cases.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/data/hb2st_band.h"

#define CAL_ALGORITHMS "heevj|gesvj|hb2st|gb2bd|heev|hegv|gesvd|powm|pagerank"
const char cal_algorithms[] = CAL_ALGORITHMS, cal_words[] = CAL_ALGORITHMS "|lapack";
enum { HEEVJ, GESVJ, HB2ST, GB2BD, HEEV, HEGV, GESVD, POWM, PAGERANK, ALGORITHMS };

/* ---- The grid -------------------------------------------------------------------------------- */

enum { GRIDS = 3, SIZES = 12, SECONDS = 5 };

/* A row is a variant of an algorithm. second: what the algorithm's maker says. */
/* clang-format off */
static const struct row {
    int algo, variant;
    const char *name, *types;
    int64_t n[GRIDS][SIZES], second[GRIDS][SECONDS];
} rows[] = {
    /* second: a task has 1e6 / n^3 / second matrices, eight at least for Jacobi, which computes
     * several at a time */
    {HEEVJ,
     0,
     "jacobi",
     "sdcz",
     {{8, 12, 16, 24, 32, 48}, {8, 12, 16, 24, 32, 48, 64}, {10, 20, 40}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {HEEVJ,
     1,
     "lapack",
     "sdcz",
     {{16, 24, 32, 64, 128}, {16, 24, 32, 48, 64, 96, 128, 192, 256}, {40, 100}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {HEEVJ,
     2,
     "values",
     "sdcz",
     {{16, 32, 64}, {8, 16, 24, 32, 48, 64, 96, 128}, {40}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {HEEVJ, 3, "block", "sdcz", {{32, 48, 64, 96}, {32, 48, 64, 96, 128}, {60}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {HEEVJ, 4, "scattered", "d", {{8, 16, 32, 64}, {8, 16, 32, 64}, {24}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {HEEVJ,
     5,
     "lanes",
     "sdcz",
     {{8, 12, 16, 24, 32, 48}, {8, 12, 16, 24, 32, 48, 64}, {10, 20, 40}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {GESVJ,
     0,
     "small",
     "sdcz",
     {{8, 16, 32, 48, 64}, {8, 16, 24, 32, 48, 64}, {24}},
     {{1, 4}, {1, 2, 4}, {1}}},
    {GESVJ,
     1,
     "large",
     "sdcz",
     {{96, 128, 192, 256}, {96, 128, 192, 256, 384, 512, 768}, {160}},
     {{16, 32}, {16, 32, 64}, {32}}}, /* second: nb */
    {HB2ST,
     0,
     "values",
     "sdcz",
     {{512, 1024}, {512, 1024, 2048, 4096}, {768}},
     {{8, 16, 32, 64}, {8, 16, 32, 64}, {24}}}, /* second: bandwidth */
    {HB2ST,
     1,
     "vectors",
     "sdcz",
     {{192, 256, 512}, {256, 512, 1024, 2048}, {384}},
     {{8, 16, 32, 64}, {8, 16, 32, 64}, {24}}},
    {GB2BD,
     0,
     "upper",
     "sdczh",
     {{384, 768}, {512, 1024, 2048}, {640}},
     {{8, 16, 32, 64}, {8, 16, 32, 64}, {24}}},
    {GB2BD, 1, "general", "sdczh", {{384, 768}, {512, 1024}, {640}},
     {{8, 16, 32}, {8, 16, 32}, {24}}},
    {HEEV, 0, "values", "sdcz", {{192, 256, 512}, {256, 512, 1024, 2048}, {400}},
     {{32, 64}, {32, 64}, {0}}}, /* second: band, 0: chosen */
    {HEEV,
     1,
     "vectors",
     "sdcz",
     {{128, 160, 192, 256, 320, 384}, {128, 160, 192, 256, 512, 1024}, {360}},
     {{32, 64}, {32, 64}, {0}}}, /* below 256 one task solves */
    {HEEV, 2, "direct", "sdcz", {{48, 96, 160, 256}, {48, 96, 160, 256, 384, 512}, {200}},
     {{0}, {0}, {0}}},
    {HEEV, 3, "direct vectors", "sdcz", {{48, 96, 160, 256}, {48, 96, 160, 256, 384, 512}, {200}},
     {{0}, {0}, {0}}},
    {HEGV, 0, "values", "sdcz", {{192, 256, 384}, {256, 512, 1024}, {320}},
     {{64, 128}, {64, 128, 256}, {96}}}, /* second: tile */
    {HEGV, 1, "vectors", "sdcz", {{192, 256, 384}, {256, 512, 1024}, {320}},
     {{64, 128}, {64, 128, 256}, {96}}},
    {HEGV, 2, "products", "sdcz", {{192, 256, 384}, {256, 512, 1024}, {320}},
     {{64, 128}, {64, 128, 256}, {96}}}, /* problem 3 */
    {GESVD, 0, "values", "sdcz", {{192, 256, 512}, {256, 512, 1024, 2048}, {400}},
     {{32, 64}, {32, 64}, {0}}}, /* second: as of heev */
    {GESVD, 1, "vectors", "sdcz", {{192, 256, 384}, {256, 512, 1024}, {320}},
     {{32}, {32, 64}, {0}}},
    {GESVD, 2, "tall", "sdcz", {{192}, {256, 512}, {224}}, {{32}, {32, 64}, {0}}},
    {GESVD, 3, "direct", "sdcz", {{48, 96, 160, 256}, {48, 96, 160, 256, 384}, {200}},
     {{0}, {0}, {0}}},
    {GESVD, 4, "direct vectors", "sdcz", {{48, 96, 160, 256}, {48, 96, 160, 256, 384}, {200}},
     {{0}, {0}, {0}}},
    {POWM, 0, "power", "sdcz", {{16, 20, 24, 32, 40}, {16, 24, 32, 48, 64}, {28}}, {{0}, {0}, {0}}},
    {POWM, 1, "krylov", "sdcz", {{16, 24, 32}, {16, 24, 32, 48, 64}, {28}}, {{0}, {0}, {0}}},
    {PAGERANK,
     0,
     "rmat",
     "sd",
     {{10, 12, 13}, {10, 11, 12, 13, 14, 15, 16}, {11}},
     {{0}, {0}, {0}}},
};
/* clang-format on */

static int wanted(const cli_files *algos, int algo)
{
    char name[32];
    cli_bar_word(cal_algorithms, algo, name, sizeof name);
    for (int i = 0; i < algos->n; i++)
        if (strcmp(algos->v[i], name) == 0)
            return 1;
    return algos->n == 0;
}

static int type_wanted(const cli_words *types, char letter)
{
    for (int64_t i = 0; i < types->n; i++)
        if (types->v[i][0] == letter)
            return 1;
    return types->n == 0;
}

static int add(cal_cases *cases, const struct row *r, char letter, int64_t n, int64_t second)
{
    char algo[32];
    cal_case *more = realloc(cases->v, (size_t)(cases->n + 1) * sizeof *more);
    if (!more)
        return 0;
    cases->v = more;
    cal_case *c = &more[cases->n++];
    *c = (cal_case){.algo = r->algo, .variant = r->variant, .n = n, .second = second};
    orr_type_parse((const char[]){letter, 0}, &c->type);
    cli_bar_word(cal_algorithms, r->algo, algo, sizeof algo);
    snprintf(c->name, sizeof c->name, "%s-%s-%c-%lld-%lld", algo, r->name, letter, (long long)n,
             (long long)second);
    return 1;
}

static int add_row(cal_cases *cases, const struct row *r, const cli_words *types, int grid,
                   const cli_sizes *n)
{
    const int64_t *sizes = n->n ? n->v : r->n[grid];
    const int64_t most = n->n ? n->n : SIZES;
    for (const char *t = r->types; *t; t++)
        for (int64_t i = 0; type_wanted(types, *t) && i < most && sizes[i]; i++)
            for (int k = 0; k < SECONDS && (k == 0 || r->second[grid][k]); k++)
                if (!add(cases, r, *t, sizes[i], r->second[grid][k]))
                    return 0;
    return 1;
}

int cal_cases_make(cal_cases *cases, const cli_files *algos, const cli_words *types, int grid,
                   const cli_sizes *n)
{
    *cases = (cal_cases){0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (wanted(algos, rows[k].algo) && !add_row(cases, &rows[k], types, grid, n))
            return 0;
    return 1;
}

void cal_cases_free(cal_cases *cases)
{
    free(cases->v);
    *cases = (cal_cases){0};
}

/* ---- Input ----------------------------------------------------------------------------------- */

static double uniform(uint64_t *state) /* [-1, 1) */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static void fill(void *x, orr_type t, int64_t elements, uint64_t *state)
{
    const int64_t reals = elements * (t == ORR_C || t == ORR_Z ? 2 : 1);
    for (int64_t i = 0; i < reals; i++) {
        const double v = uniform(state);
        if (t == ORR_H) /* sign, exponent of [0.5, 1), ten random bits */
            ((uint16_t *)x)[i] = (uint16_t)((v < 0 ? 0x8000 : 0) | 0x3800 | (int)(1023 * v * v));
        else if (t == ORR_S || t == ORR_C)
            ((float *)x)[i] = (float)v;
        else
            ((double *)x)[i] = v;
    }
}

/* a of `elements`, filled, and its copy, which the run may destroy. */
static int make_input(cal_state *s, int64_t elements)
{
    s->bytes = (size_t)elements * orr_type_size(s->c->type);
    s->a = malloc(s->bytes + 1);
    s->copy = malloc(s->bytes + 1);
    if (s->a && s->copy)
        fill(s->a, s->c->type, elements, &s->seed);
    return s->a && s->copy;
}

/* ---- heevj and gesvj --------------------------------------------------------------------------
 */

enum { TASKS_PER_RUN = 6 };

static int64_t per_task(const cal_case *c)
{
    const int64_t count = 1000000 / (c->n * c->n * c->n) / c->second;
    const int64_t least = c->algo == HEEVJ && (c->variant == 0 || c->variant == 5) ? 8 : 1;
    return count > least ? count : least;
}

static orr_status prepare_batch(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    (void)ctx;
    const int large = c->algo == GESVJ && c->variant == 1;
    const int64_t n = c->n, square = n * n;
    const size_t size = orr_type_size(c->type),
                 batch = large ? 1 : (size_t)per_task(c) * TASKS_PER_RUN;
    s->batch = (int64_t)batch;
    s->w = malloc(batch * (size_t)n * 8);
    s->u = malloc(batch * (size_t)square * size);
    s->v = malloc(batch * (size_t)square * size);
    s->info = malloc(batch * sizeof(orr_matrix_info));
    return make_input(s, s->batch * square) && s->w && s->u && s->v && s->info ? ORR_OK
                                                                               : ORR_E_NOMEM;
}

static orr_status run_heevj(cal_state *s, orr_context *ctx)
{
    static const orr_method method[] = {ORR_METHOD_JACOBI, ORR_METHOD_LAPACK, ORR_METHOD_AUTO,
                                        ORR_METHOD_BLOCK,  ORR_METHOD_AUTO,   ORR_METHOD_LANES};
    const cal_case *c = s->c;
    const orr_heevj_opts o = {.jobz = c->variant == 2 ? 'N' : 'V',
                              .method = method[c->variant],
                              .chunk = per_task(c),
                              .check = c->variant < 2};
    orr_batch A = {.type = c->type, .batch = s->batch, .m = c->n, .n = c->n, .a = s->copy};
    orr_batch w = {.type = orr_type_real(c->type), .batch = s->batch, .m = c->n, .n = 1, .a = s->w};
    memcpy(s->copy, s->a, s->bytes);
    if (c->variant != 4)
        return orr_heevj(ctx, &A, &w, &o, s->info, NULL);
    /* the same matrices, told one by one */
    const size_t size = orr_type_size(c->type), many = (size_t)s->batch;
    void **as = malloc(2 * many * sizeof *as), **ws = as + many;
    int64_t *ns = malloc(2 * many * sizeof *ns), *ones = ns + many;
    orr_status st = ORR_E_NOMEM;
    if (as && ns) {
        for (size_t i = 0; i < many; i++) {
            as[i] = (char *)s->copy + i * (size_t)(c->n * c->n) * size;
            ws[i] = (double *)s->w + i * (size_t)c->n;
            ns[i] = c->n;
            ones[i] = 1;
        }
        A = (orr_batch){.type = A.type, .batch = A.batch, .ms = ns, .ns = ns, .as = as};
        w = (orr_batch){.type = w.type, .batch = w.batch, .ms = ns, .ns = ones, .as = ws};
        st = orr_heevj(ctx, &A, &w, &o, s->info, NULL);
    }
    free(as);
    free(ns);
    return st;
}

static orr_status run_gesvj(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const orr_batch A = {.type = c->type, .batch = s->batch, .m = c->n, .n = c->n, .a = s->a};
    const orr_batch w = {
        .type = orr_type_real(c->type), .batch = s->batch, .m = c->n, .n = 1, .a = s->w};
    orr_batch U = A, V = A;
    U.a = s->u;
    V.a = s->v;
    const orr_gesvj_opts o = {.chunk = c->variant == 0 ? per_task(c) : 0,
                              .block = c->variant == 1 ? (int)c->second : 0,
                              .place = s->device ? ORR_PLACE_GPU : ORR_PLACE_CPU,
                              .check = 1};
    return orr_gesvj(ctx, &A, &w, &U, &V, &o, s->info, NULL);
}

/* ---- Bands -------------------------------------------------------------------------------------
 */

static orr_status prepare_hb2st(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    (void)ctx;
    hb2st_band b = {0};
    s->w = malloc((size_t)c->n * 8);
    s->v = malloc((size_t)c->n * 8);
    s->u = c->variant ? malloc((size_t)(c->n * c->n) * orr_type_size(c->type)) : NULL;
    if (hb2st_band_random(&b, c->type, c->n, c->second, s->seed) != CLI_OK || !s->w || !s->v ||
        (c->variant && !s->u)) {
        hb2st_band_free(&b);
        return ORR_E_NOMEM;
    }
    s->a = b.ab; /* lower, leading dimension b + 1 */
    return ORR_OK;
}

static orr_status run_hb2st(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const orr_hb2st_opts o = {.vect = c->variant ? 'Q' : 'N',
                              .q = s->u,
                              .ldq = c->n,
                              .place = s->device ? ORR_PLACE_GPU : ORR_PLACE_CPU};
    return orr_hb2st(ctx, c->type, 'L', c->n, c->second, s->a, c->second + 1, s->w, s->v, &o, NULL);
}

static int64_t lower(const cal_case *c) { return c->variant ? c->second / 2 : 0; }

static orr_status prepare_gb2bd(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    (void)ctx;
    s->w = malloc((size_t)c->n * 8);
    s->v = malloc((size_t)c->n * 8);
    return make_input(s, (lower(c) + c->second + 1) * c->n) && s->w && s->v ? ORR_OK : ORR_E_NOMEM;
}

static orr_status run_gb2bd(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    return orr_gb2bd(ctx, c->type, c->n, c->n, lower(c), c->second, s->a, lower(c) + c->second + 1,
                     s->w, s->v, NULL, NULL);
}

/* ---- A dense matrix: both triangles are met ------------------------------------------------------
 */

static orr_status prepare_heev(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    (void)ctx;
    s->w = malloc((size_t)c->n * 8);
    const int vectors = c->variant % 2; /* variants 2 and 3: in one step */
    s->v = vectors ? malloc((size_t)(c->n * c->n) * orr_type_size(c->type)) : NULL;
    return make_input(s, c->n * c->n) && s->w && (s->v || !vectors) ? ORR_OK : ORR_E_NOMEM;
}

static orr_status run_heev(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const orr_heev_opts o = {.band = c->second,
                             .method = c->variant < 2 ? ORR_DENSE_TWO_STAGE : ORR_DENSE_LAPACK,
                             .place = s->device ? ORR_PLACE_AUTO : ORR_PLACE_CPU};
    memcpy(s->copy, s->a, s->bytes);
    return orr_heev(ctx, c->type, c->variant % 2 ? 'U' : 'L', c->n, s->copy, c->n, s->w, s->v, c->n,
                    &o, NULL);
}

/* A and B, which is near 2 times the unit matrix. */
static orr_status prepare_hegv(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const int64_t square = c->n * c->n;
    const size_t size = orr_type_size(c->type);
    (void)ctx;
    s->w = malloc((size_t)c->n * 8);
    s->v = c->variant ? malloc((size_t)square * size) : NULL;
    if (!make_input(s, 2 * square) || !s->w || (c->variant && !s->v))
        return ORR_E_NOMEM;
    char *b = (char *)s->a + (size_t)square * size;
    const int single = c->type == ORR_S || c->type == ORR_C;
    const int64_t parts = (int64_t)size / (single ? 4 : 8);
    for (int64_t i = 0; i < parts * square; i++) {
        const double plus = i % (parts * (c->n + 1)) == 0 ? 2 : 0;
        if (single)
            ((float *)b)[i] = ((float *)b)[i] / (float)c->n + (float)plus;
        else
            ((double *)b)[i] = ((double *)b)[i] / (double)c->n + plus;
    }
    return ORR_OK;
}

static orr_status run_hegv(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const orr_hegv_opts o = {.problem = c->variant == 2 ? 3 : 1,
                             .heev = {.band = 32,
                                      .tile = c->second,
                                      .place = s->device ? ORR_PLACE_AUTO : ORR_PLACE_CPU}};
    memcpy(s->copy, s->a, s->bytes);
    return orr_hegv(ctx, c->type, 'L', c->n, s->copy, c->n, (char *)s->copy + s->bytes / 2, c->n,
                    s->w, s->v, c->n, &o, NULL);
}

static int64_t rows_of(const cal_case *c) /* twice as tall as wide: QR comes first */
{
    return c->variant == 2 ? 2 * c->n : c->n;
}

static orr_status prepare_gesvd(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const int vectors = c->variant == 1 || c->variant == 4; /* 3 and 4: in one step */
    const size_t square = (size_t)(c->n * c->n) * orr_type_size(c->type);
    (void)ctx;
    s->w = malloc((size_t)c->n * 8);
    s->u = vectors ? malloc(square) : NULL;
    s->v = vectors ? malloc(square) : NULL;
    return make_input(s, rows_of(c) * c->n) && s->w && (!vectors || (s->u && s->v)) ? ORR_OK
                                                                                    : ORR_E_NOMEM;
}

static orr_status run_gesvd(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const orr_gesvd_opts o = {.band = c->second,
                              .method = c->variant < 3 ? ORR_DENSE_TWO_STAGE : ORR_DENSE_LAPACK,
                              .place = s->device ? ORR_PLACE_AUTO : ORR_PLACE_CPU};
    memcpy(s->copy, s->a, s->bytes);
    return orr_gesvd(ctx, c->type, rows_of(c), c->n, s->copy, rows_of(c), s->w, s->u, c->n, s->v,
                     c->n, &o, NULL);
}

/* ---- Sparse matrices ----------------------------------------------------------------------------
 */

static orr_status prepare_sparse(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const int rank = c->algo == PAGERANK;
    char name[64], message[256];
    orr_mtx mtx = {0};
    const orr_sparse_opts o = {
        .type = orr_type_letter(c->type), .graph = rank, .full = 1, .rule_only = 1};
    snprintf(name, sizeof name, rank ? "rmat:%lld:8" : "laplace3d:%lld", (long long)c->n);
    orr_status st = orr_generate(name, s->seed, &mtx, message);
    if (st == ORR_OK)
        st = orr_sparse_from_mtx(ctx, &mtx, &o, &s->sparse, message);
    orr_mtx_free(&mtx);
    if (st != ORR_OK)
        return st;
    orr_sparse_info info;
    orr_sparse_query(s->sparse, &info);
    s->v = malloc((size_t)info.rows * 2 * orr_type_size(c->type));
    return s->v ? ORR_OK : ORR_E_NOMEM;
}

static orr_status run_powm(cal_state *s, orr_context *ctx)
{
    const int krylov = s->c->variant;
    const orr_powm_opts o = {.method = krylov ? ORR_POWM_METHOD_KRYLOV : ORR_POWM_METHOD_POWER,
                             .fixed_steps = krylov ? 0 : 40,
                             .max_products = krylov ? 60 : 0};
    orr_eigenpair pairs[2];
    orr_powm_result result;
    return orr_powm(ctx, s->sparse, &o, pairs, s->v, &result, NULL);
}

static orr_status run_pagerank(cal_state *s, orr_context *ctx)
{
    const orr_pagerank_opts o = {.fixed_steps = 20};
    orr_pagerank_result result;
    return orr_pagerank(ctx, s->sparse, &o, s->v, &result, NULL);
}

/* ---- All ------------------------------------------------------------------------------------ */

static const struct {
    orr_status (*prepare)(cal_state *, orr_context *), (*run)(cal_state *, orr_context *);
} families[ALGORITHMS] = {
    [HEEVJ] = {prepare_batch, run_heevj},        [GESVJ] = {prepare_batch, run_gesvj},
    [HB2ST] = {prepare_hb2st, run_hb2st},        [GB2BD] = {prepare_gb2bd, run_gb2bd},
    [HEEV] = {prepare_heev, run_heev},           [HEGV] = {prepare_hegv, run_hegv},
    [GESVD] = {prepare_gesvd, run_gesvd},        [POWM] = {prepare_sparse, run_powm},
    [PAGERANK] = {prepare_sparse, run_pagerank},
};

orr_status cal_prepare(cal_state *s, orr_context *ctx)
{
    return families[s->c->algo].prepare(s, ctx);
}

orr_status cal_run(cal_state *s, orr_context *ctx) { return families[s->c->algo].run(s, ctx); }

void cal_release(cal_state *s)
{
    orr_sparse_free(s->sparse);
    free(s->a);
    free(s->copy);
    free(s->w);
    free(s->u);
    free(s->v);
    free(s->info);
}
