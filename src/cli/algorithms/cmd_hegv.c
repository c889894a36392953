/* orrery hegv: eigenvalues and eigenvectors of a generalised Hermitian problem from two files, or of
 * random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "src/cli/algorithms/spectrum.h"
#include "src/cli/core/numbers.h"
#include "src/cli/peers/hegv_lapack.h"

#define AT(field) .at = offsetof(spectrum_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {.kind = OPT_INCLUDE, .include = spectrum_outputs},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(hermitian)},
    {.kind = OPT_GROUP, .help = "Benchmark (without files); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 1000,2000", NULL, AT(n), 0, SPECTRUM_MAX_N},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts files", "s|d|c|z",
     AT(type)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: sygvd, of all values", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {"problem", 0, OPT_CHOICE, "P", "1: A x = w B x; 2: A B x = w x; 3: B A x = w x", "1|2|3",
     AT(problem)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- Two matrices ------------------------------------------------------------------------------ */

struct pair {
    spectrum m; /* of A and B */
    hegv_problem p;
};

/* A and B twice; as orrery heev, what it needs besides its matrix. */
static double bytes(const family_case *c)
{
    const double size = (double)orr_type_size(c->type), n = (double)c->n;
    const double real = (double)orr_type_size(orr_type_real(c->type));
    const double x = n * spectrum_columns(c);
    return (5 + 0.5 * c->vectors) * n * n * size + x * (size + 2.5 * real) + 400 * n * size;
}

static double holds(const family_case *c)
{
    const double n = (double)c->n, size = (double)orr_type_size(c->type);
    return n * (4 * n + spectrum_columns(c) + 1) * size;
}

static int read_pair(family_case *c)
{
    const spectrum_args *a = c->job->args;
    char **files = c->job->files.v;
    cli_stack *s = &((spectrum *)c->state)->s;
    cli_input input[2];
    const int code =
        stack_read(s, &a->run, files, 2, cli_type_word(&a->type, 0), SPECTRUM_MAX_N, input);
    if (code != CLI_OK)
        return code;
    for (int k = 0; k < 2; k++)
        if (input[k].ndim != 2) {
            cli_say("%s: the array has %d dimension%s; expected (n, n)", files[k], input[k].ndim,
                    cli_plural(input[k].ndim));
            return CLI_FILE;
        }
    if (s->n_min != s->n_max) {
        cli_say("%s has order %lld, %s order %lld", files[0], (long long)s->n[0], files[1],
                (long long)s->n[1]);
        return CLI_FILE;
    }
    hermitian_prepare(s, &a->hermitian, input, 2);
    c->type = s->type;
    c->n = s->n_max;
    c->taken = (double)stack_bytes(s);
    return CLI_OK;
}

/* B of random entries is not definite: 3 sqrt(n) on its diagonal makes it so. */
static void make_definite(cli_stack *s)
{
    const double more = 3 * sqrt((double)s->n[1]);
    for (int64_t i = 0; i < s->n[1]; i++) {
        const size_t k = s->at[1] + (size_t)(i * (s->n[1] + 1));
        switch (s->type) {
        case ORR_S: ((float *)s->a)[k] += (float)more; break;
        case ORR_D: ((double *)s->a)[k] += more; break;
        case ORR_C: ((float *)s->a)[2 * k] += (float)more; break;
        default: ((double *)s->a)[2 * k] += more;
        }
    }
}

static int random_pair(family_case *c, uint64_t seed)
{
    const int code = spectrum_random(c, 0, 2, seed);
    if (code == CLI_OK)
        make_definite(&((spectrum *)c->state)->s);
    return code;
}

static int make(family_case *c)
{
    const spectrum_args *a = c->job->args;
    struct pair *x = c->state;
    const cli_stack *s = &x->m.s;
    const int code = spectrum_make(c, 1);
    x->p = (hegv_problem){.type = c->type,
                          .uplo = spectrum_uplo(c),
                          .which = a->problem + 1,
                          .n = c->n,
                          .a = s->a,
                          .b = (char *)s->a + s->at[1] * orr_type_size(c->type),
                          .vectors = c->vectors,
                          .part = a->part.interval || spectrum_wanted(c) < c->n,
                          .first = x->m.first,
                          .count = x->m.count};
    c->problem = &x->p;
    return code;
}

/* ---- A run ------------------------------------------------------------------------------------- */

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    struct pair *x = c->state;
    const int64_t ld = c->n > 0 ? c->n : 1;
    const char uplo = spectrum_uplo(c);
    const orr_hegv_opts opts = {.problem = ((const spectrum_args *)c->job->args)->problem + 1,
                                .heev = spectrum_opts(c, progress)};
    if (c->planned)
        return orr_hegv(c->context, c->type, uplo, c->n, any, ld, any, ld, any,
                        c->vectors ? any : NULL, ld, &opts, report);
    void *b = x->m.work + x->m.s.at[1] * orr_type_size(c->type);
    const orr_status st = orr_hegv(c->context, c->type, uplo, c->n, x->m.work, ld, b, ld, x->m.w,
                                   x->m.x, ld, &opts, report);
    if (st >= 0) {
        spectrum_found(c);
        x->p.first = x->m.first;
        x->p.count = x->m.count;
    }
    return st;
}

/* Cholesky n^3/3, the reduction n^3, the ordinary problem, vectors n^3. */
static double operations(const family_case *c)
{
    return (c->vectors ? 23.0 / 3 : 8.0 / 3) * pow((double)c->n, 3) * number_cost(c->type);
}

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct pair *x = c->state;
    const hegv_figures f = hegv_check(&x->p, x->m.w, x->m.x, threads);
    rec->values = f.values;
    if (x->m.x) {
        rec->residual = f.residual;
        rec->orthogonality = f.orthogonality;
    }
}

/* ---- The command line --------------------------------------------------------------------------- */

static const cli_family family = {
    .files = 2,
    .state_size = sizeof(struct pair),
    SPECTRUM_FAMILY,
    .unit = "n eps",
    .read = read_pair,
    .random = random_pair,
    .bytes = bytes,
    .holds = holds,
    .make = make,
    .call = call,
    .operations = operations,
    .verify = verify,
    .peers = HEGV_REFERENCES,
    .peer = hegv_reference,
    .peer_name = hegv_reference_name,
};

const cli_command cmd_hegv = {
    .name = "hegv",
    .aliases = "sygv|sygvd|hegvd",
    .summary = "eigenvalues and eigenvectors of A x = w B x, two large Hermitian matrices",
    .synopsis = "[options] [A B]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "A and B are files as orrery heev takes them, both of one order; B is positive definite. The\n"
        "eigenvalues are printed, ascending. Only the triangles chosen by --uplo are read. Cholesky's B = L L'\n"
        "makes an ordinary problem of it, L^-1 A L^-H or L' A L, which is solved as by heev: --band,\n"
        "--method and --range mean the same. Vectors have X'BX = I, with --problem 3 X'B^-1 X = I.\n"
        "If B is not positive definite, a message names the leading minor that shows it; exit code 3.\n\n"
        "Without files and with --n it measures random matrices: a warm-up, then R runs (default 5)\n"
        "and the references, each with its best number of threads, in turn. Check figures fail above\n"
        "20. Gflop/s count 8/3 n^3 operations, 23/3 n^3 with vectors, four times that if complex.",
    .options = options,
    .examples = "orrery hegv a.npy b.npy\n"
                "orrery hegv a.npy b.npy --values w.npy --vectors x.npy --check\n"
                "orrery hegv k.mtx m.mtx --range 1:20 --vectors x.npy\n"
                "orrery hegv --n 1000,2000 --type d --jobz V --ref lapack --check\n",
    .run = family_run,
    .family = &family,
};
