/* An algorithm joins with a word in cal_algorithms and in the enum below it, a row of sizes for each
 * variant that reaches other codelets, and its line in `families`: of a command that has a family
 * (algorithms/family.h) the rows' words are all there is to say.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/calibrate_cases.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/gesvj_job.h"

#define CAL_ALGORITHMS "heevj|gesvj|hb2st|gb2bd|heev|hegv|gesvd|powm|pagerank"
const char cal_algorithms[] = CAL_ALGORITHMS, cal_words[] = CAL_ALGORITHMS "|lapack|methods";
enum { HEEVJ, GESVJ, HB2ST, GB2BD, HEEV, HEGV, GESVD, POWM, PAGERANK, ALGORITHMS };

/* ---- The grid -------------------------------------------------------------------------------- */

enum { GRIDS = 3, SIZES = 12, SECONDS = 5 };

/* A row is a variant of an algorithm. words: options of its command, where n is the size and k the
 * second number; an option that would be 0 is left to the algorithm. Of batches the second number
 * divides the matrices of a task, of gesvj's large ones it is the block. */
/* clang-format off */
#define NONE {{0}, {0}, {0}}
#define SHARES {{1, 4}, {1, 2, 4}, {1}}
#define BANDS {{8, 16, 32, 64}, {8, 16, 32, 64}, {24}}
#define TILES {{64, 128}, {64, 128, 256}, {96}}
static const struct row {
    int algo, variant;
    const char *name, *types, *words;
    int64_t n[GRIDS][SIZES], second[GRIDS][SECONDS];
} rows[] = {
    {HEEVJ, 0, "jacobi", "sdcz", "",
     {{8, 12, 16, 24, 32, 48}, {8, 12, 16, 24, 32, 48, 64}, {10, 20, 40}}, SHARES},
    {HEEVJ, 1, "lapack", "sdcz", "",
     {{16, 24, 32, 64, 128}, {16, 24, 32, 48, 64, 96, 128, 192, 256}, {40, 100}}, SHARES},
    {HEEVJ, 2, "values", "sdcz", "",
     {{16, 32, 64}, {8, 16, 24, 32, 48, 64, 96, 128}, {40}}, SHARES},
    {HEEVJ, 3, "block", "sdcz", "",
     {{32, 48, 64, 96}, {32, 48, 64, 96, 128}, {60}}, SHARES},
    {HEEVJ, 4, "scattered", "d", "",
     {{8, 16, 32, 64}, {8, 16, 32, 64}, {24}}, SHARES},
    {HEEVJ, 5, "lanes", "sdcz", "",
     {{8, 12, 16, 24, 32, 48}, {8, 12, 16, 24, 32, 48, 64}, {10, 20, 40}}, SHARES},
    {GESVJ, 0, "small", "sdcz", "",
     {{8, 16, 32, 48, 64}, {8, 16, 24, 32, 48, 64}, {24}}, SHARES},
    {GESVJ, 1, "large", "sdcz", "",
     {{96, 128, 192, 256}, {96, 128, 192, 256, 384, 512, 768}, {160}}, {{16, 32}, {16, 32, 64}, {32}}},
    {HB2ST, 0, "values", "sdcz", "--n n --band k",
     {{512, 1024}, {512, 1024, 2048, 4096}, {768}}, BANDS},
    {HB2ST, 1, "vectors", "sdcz", "--n n --band k --jobz V",
     {{192, 256, 512}, {256, 512, 1024, 2048}, {384}}, BANDS},
    {GB2BD, 0, "upper", "sdczh", "--n n --band k",
     {{384, 768}, {512, 1024, 2048}, {640}}, BANDS},
    {GB2BD, 1, "general", "sdczh", "--n n --band k --kl k/2",
     {{384, 768}, {512, 1024}, {640}}, {{8, 16, 32}, {8, 16, 32}, {24}}},
    /* both triangles are met; below 256 one task solves the tridiagonal problem */
    {HEEV, 0, "values", "sdcz", "--n n --uplo U --method two-stage --band k",
     {{192, 256, 512}, {256, 512, 1024, 2048}, {400}}, {{32, 64}, {32, 64}, {0}}},
    {HEEV, 1, "vectors", "sdcz", "--n n --jobz V --method two-stage --band k",
     {{128, 160, 192, 256, 320, 384}, {128, 160, 192, 256, 512, 1024}, {360}}, {{32, 64}, {32, 64}, {0}}},
    {HEEV, 2, "direct", "sdcz", "--n n --uplo U --method lapack",
     {{48, 96, 160, 256}, {48, 96, 160, 256, 384, 512}, {200}}, NONE},
    {HEEV, 3, "direct vectors", "sdcz", "--n n --jobz V --method lapack",
     {{48, 96, 160, 256}, {48, 96, 160, 256, 384, 512}, {200}}, NONE},
    {HEGV, 0, "values", "sdcz", "--n n --uplo U --band 32 --tile k",
     {{192, 256, 384}, {256, 512, 1024}, {320}}, TILES},
    {HEGV, 1, "vectors", "sdcz", "--n n --uplo U --band 32 --tile k --jobz V",
     {{192, 256, 384}, {256, 512, 1024}, {320}}, TILES},
    {HEGV, 2, "products", "sdcz", "--n n --uplo U --band 32 --tile k --jobz V --problem 3",
     {{192, 256, 384}, {256, 512, 1024}, {320}}, TILES},
    {GESVD, 0, "values", "sdcz", "--n n --method two-stage --band k",
     {{192, 256, 512}, {256, 512, 1024, 2048}, {400}}, {{32, 64}, {32, 64}, {0}}},
    {GESVD, 1, "vectors", "sdcz", "--n n --jobz V --method two-stage --band k",
     {{192, 256, 384}, {256, 512, 1024}, {320}}, {{32}, {32, 64}, {0}}},
    /* wide to whoever counts rows first, to the library tall: QR comes first */
    {GESVD, 2, "tall", "sdcz", "--m n --n 2n --method two-stage --band k",
     {{192}, {256, 512}, {224}}, {{32}, {32, 64}, {0}}},
    {GESVD, 3, "direct", "sdcz", "--n n --method lapack",
     {{48, 96, 160, 256}, {48, 96, 160, 256, 384}, {200}}, NONE},
    {GESVD, 4, "direct vectors", "sdcz", "--n n --jobz V --method lapack",
     {{48, 96, 160, 256}, {48, 96, 160, 256, 384}, {200}}, NONE},
    /* n rows, k columns */
    {GESVD, 5, "few columns", "sdcz", "--m n --n k --jobz V --place cpu",
     {{4096, 16384, 65536}, {4096, 16384, 65536, 262144}, {8192}}, {{4, 12, 32}, {4, 8, 16, 32, 64}, {24}}},
    {POWM, 0, "power", "sdcz", "",
     {{16, 20, 24, 32, 40}, {16, 24, 32, 48, 64}, {28}}, NONE},
    {POWM, 1, "krylov", "sdcz", "",
     {{16, 24, 32}, {16, 24, 32, 48, 64}, {28}}, NONE},
    {PAGERANK, 0, "rmat", "sd", "",
     {{10, 12, 13}, {10, 11, 12, 13, 14, 15, 16}, {11}}, NONE},
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
    *c = (cal_case){
        .algo = r->algo, .variant = r->variant, .words = r->words, .n = n, .second = second};
    orr_type_parse((const char[]){letter, 0}, &c->type);
    cli_bar_word(cal_algorithms, r->algo, algo, sizeof algo);
    snprintf(c->name, sizeof c->name, "%s-%s-%c-%lld-%lld", algo, r->name, letter, (long long)n,
             (long long)second);
    return 1;
}

/* A band is narrower than its matrix. */
static int fits(const struct row *r, int64_t n, int64_t second)
{
    return !strstr(r->words, "--band k") || second < n;
}

static int add_row(cal_cases *cases, const struct row *r, const cli_words *types, int grid,
                   const cli_sizes *n)
{
    const int64_t *sizes = n->n ? n->v : r->n[grid];
    const int64_t most = n->n ? n->n : SIZES;
    for (const char *t = r->types; *t; t++)
        for (int64_t i = 0; type_wanted(types, *t) && i < most && sizes[i]; i++)
            for (int k = 0; k < SECONDS && (k == 0 || r->second[grid][k]); k++)
                if (fits(r, sizes[i], r->second[grid][k]) &&
                    !add(cases, r, *t, sizes[i], r->second[grid][k]))
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

/* ---- One matrix, as its command computes it -------------------------------------------------- */

/* What a word of a row stands for; -1: itself. */
static int64_t number(const cal_case *c, const char *word)
{
    return strcmp(word, "n") == 0     ? c->n
           : strcmp(word, "2n") == 0  ? 2 * c->n
           : strcmp(word, "k") == 0   ? c->second
           : strcmp(word, "k/2") == 0 ? c->second / 2
                                      : -1;
}

static void put_words(cli_text *t, const cal_case *c)
{
    char option[32], value[32];
    int taken = 0;
    for (const char *p = c->words; sscanf(p, "%31s %31s%n", option, value, &taken) == 2;
         p += taken) {
        const int64_t x = number(c, value);
        if (x > 0)
            cli_put(t, " %s %lld", option, (long long)x);
        else if (x < 0)
            cli_put(t, " %s %s", option, value);
    }
}

static orr_status prepare_matrix(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const char *device = c->algo == HB2ST ? "gpu" : "auto";
    char name[32];
    cli_text t = {0};
    (void)ctx;
    cli_bar_word(cal_algorithms, c->algo, name, sizeof name);
    cli_put(&t, "--type %c --place %s", orr_type_letter(c->type), s->device ? device : "cpu");
    put_words(&t, c);
    const int code =
        t.failed ? CLI_MEMORY : family_alone_make(&s->alone, cli_command_named(name), t.s, s->seed);
    cli_text_free(&t);
    return code == CLI_OK ? ORR_OK : code == CLI_MEMORY ? ORR_E_NOMEM : ORR_E_ARG;
}

static orr_status run_matrix(cal_state *s, orr_context *ctx)
{
    return family_alone_run(&s->alone, ctx);
}

/* ---- Batches --------------------------------------------------------------------------------- */

enum { TASKS_PER_RUN = 6 };

/* Variants of heevj; least: of a task, where several matrices are computed at a time. */
static const struct {
    orr_method method;
    char jobz;
    int check, one_by_one;
    int64_t least;
} ways[] = {{ORR_METHOD_JACOBI, 'V', 1, 0, 8}, {ORR_METHOD_LAPACK, 'V', 1, 0, 1},
            {ORR_METHOD_AUTO, 'N', 0, 0, 1},   {ORR_METHOD_BLOCK, 'V', 0, 0, 1},
            {ORR_METHOD_AUTO, 'V', 0, 1, 1},   {ORR_METHOD_LANES, 'V', 0, 0, 8}};

static int64_t per_task(const cal_case *c)
{
    const int64_t count = 1000000 / (c->n * c->n * c->n) / c->second;
    const int64_t least = c->algo == HEEVJ ? ways[c->variant].least : 1;
    return count > least ? count : least;
}

static orr_status prepare_heevj(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const int64_t batch = per_task(c) * TASKS_PER_RUN;
    (void)ctx;
    if (stack_random(&s->stack, c->type, batch, c->n, 0, s->seed) != CLI_OK)
        return ORR_E_NOMEM;
    s->stack.one_by_one = ways[c->variant].one_by_one;
    s->copy = malloc(stack_room(&s->stack));
    s->results = malloc(stack_w_bytes(&s->stack));
    s->info = malloc((size_t)batch * sizeof *s->info);
    return s->copy && s->results && s->info ? ORR_OK : ORR_E_NOMEM;
}

static orr_status run_heevj(cal_state *s, orr_context *ctx)
{
    const orr_heevj_opts o = {.jobz = ways[s->c->variant].jobz,
                              .method = ways[s->c->variant].method,
                              .chunk = per_task(s->c),
                              .check = ways[s->c->variant].check};
    orr_batch A, w;
    memcpy(s->copy, s->stack.a, stack_bytes(&s->stack));
    stack_view(&s->stack, s->copy, s->results, &A, &w);
    return orr_heevj(ctx, &A, &w, &o, s->info, NULL);
}

static orr_status prepare_gesvj(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const int64_t batch = c->variant == 0 ? per_task(c) * TASKS_PER_RUN : 1;
    void *a = malloc((size_t)(batch * c->n * c->n) * orr_type_size(c->type));
    (void)ctx;
    return a && svd_allocate(&s->svd, c->type, batch, c->n, c->n, a, 1, 1) == CLI_OK &&
                   svd_fill(&s->svd, 0, s->seed) == CLI_OK
               ? ORR_OK
               : ORR_E_NOMEM;
}

static orr_status run_gesvj(cal_state *s, orr_context *ctx)
{
    const cal_case *c = s->c;
    const orr_gesvj_opts o = {.chunk = c->variant == 0 ? per_task(c) : 0,
                              .block = c->variant == 1 ? (int)c->second : 0,
                              .place = s->device ? ORR_PLACE_GPU : ORR_PLACE_CPU,
                              .check = 1};
    return svd_solve(ctx, &s->svd, &o, NULL);
}

/* ---- Sparse matrices ------------------------------------------------------------------------ */

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
    s->results = malloc((size_t)info.rows * 2 * orr_type_size(c->type));
    return s->results ? ORR_OK : ORR_E_NOMEM;
}

static orr_status run_powm(cal_state *s, orr_context *ctx)
{
    const int krylov = s->c->variant;
    const orr_powm_opts o = {.method = krylov ? ORR_POWM_METHOD_KRYLOV : ORR_POWM_METHOD_POWER,
                             .fixed_steps = krylov ? 0 : 40,
                             .max_products = krylov ? 60 : 0};
    orr_eigenpair pairs[2];
    orr_powm_result result;
    return orr_powm(ctx, s->sparse, &o, pairs, s->results, &result, NULL);
}

static orr_status run_pagerank(cal_state *s, orr_context *ctx)
{
    const orr_pagerank_opts o = {.fixed_steps = 20};
    orr_pagerank_result result;
    return orr_pagerank(ctx, s->sparse, &o, s->results, &result, NULL);
}

/* ---- All ------------------------------------------------------------------------------------ */

static const struct {
    orr_status (*prepare)(cal_state *, orr_context *), (*run)(cal_state *, orr_context *);
} families[ALGORITHMS] = {
    [HEEVJ] = {prepare_heevj, run_heevj},        [GESVJ] = {prepare_gesvj, run_gesvj},
    [HB2ST] = {prepare_matrix, run_matrix},      [GB2BD] = {prepare_matrix, run_matrix},
    [HEEV] = {prepare_matrix, run_matrix},       [HEGV] = {prepare_matrix, run_matrix},
    [GESVD] = {prepare_matrix, run_matrix},      [POWM] = {prepare_sparse, run_powm},
    [PAGERANK] = {prepare_sparse, run_pagerank},
};

orr_status cal_prepare(cal_state *s, orr_context *ctx)
{
    return families[s->c->algo].prepare(s, ctx);
}

orr_status cal_run(cal_state *s, orr_context *ctx) { return families[s->c->algo].run(s, ctx); }

void cal_release(cal_state *s)
{
    family_alone_free(&s->alone);
    if (s->stack.n)
        stack_free(&s->stack);
    svd_free(&s->svd);
    orr_sparse_free(s->sparse);
    free(s->copy);
    free(s->results);
    free(s->info);
}
