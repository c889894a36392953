/* orrery hegv: eigenvalues and eigenvectors of a generalised Hermitian problem from two files, or of
 * random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/family.h"
#include "src/cli/algorithms/selection.h"
#include "src/cli/algorithms/single.h"
#include "src/cli/algorithms/spectrum.h"
#include "src/cli/data/hermitian.h"
#include "src/cli/data/stack.h"
#include "src/cli/peers/hegv_lapack.h"

enum { MAX_N = INT32_MAX / 16 }; /* of orr_heev */

struct args {
    cli_run run;
    const char *values, *vectors;
    selection part;
    int which; /* index into "1|2|3" */
    hermitian_choice hermitian;
    single_shape shape;
    cli_sizes n;
    cli_words type, ref;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the eigenvalues: .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (n, values)", NULL,
     AT(vectors)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(hermitian)},
    {.kind = OPT_GROUP, .help = "Benchmark (without files); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 1000,2000", NULL, AT(n), 0, MAX_N},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts files", "s|d|c|z",
     AT(type)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: sygvd, of all values", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {"problem", 0, OPT_CHOICE, "P", "1: A x = w B x; 2: A B x = w x; 3: B A x = w x", "1|2|3",
     AT(which)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- Two matrices ------------------------------------------------------------------------------ */

/* The stack holds A and B; the library, column major, is told the other triangles. */
struct pair {
    cli_stack s;
    hegv_problem p;
    char *work;  /* what a run destroys */
    void *w, *x; /* x NULL: no vectors */
    int64_t found[2];
};

static void options_of(family_case *c)
{
    const struct args *a = c->job->args;
    c->vectors = c->complete = a->vectors || a->shape.jobz == 1;
}

static int64_t wanted(const struct args *a, int64_t n)
{
    return a->part.il ? a->part.iu - a->part.il + 1 : n;
}

/* A and B twice; as orrery heev, what it needs besides its matrix. */
static double bytes(const family_case *c)
{
    const double size = (double)orr_type_size(c->type), n = (double)c->n;
    const double real = (double)orr_type_size(orr_type_real(c->type));
    const double x = c->vectors ? n * (double)wanted(c->job->args, c->n) : 0;
    return (5 + 0.5 * c->vectors) * n * n * size + x * (size + 2.5 * real) + 400 * n * size;
}

static double holds(const family_case *c)
{
    const double n = (double)c->n, size = (double)orr_type_size(c->type);
    const double columns = c->vectors ? (double)wanted(c->job->args, c->n) : 0;
    return n * (4 * n + columns + 1) * size;
}

static int read_pair(family_case *c)
{
    const struct args *a = c->job->args;
    char **files = c->job->files.v;
    struct pair *m = c->state;
    cli_input input[2];
    const int code = stack_read(&m->s, &a->run, files, 2, single_type(&a->type, 0), MAX_N, input);
    if (code != CLI_OK)
        return code;
    for (int k = 0; k < 2; k++)
        if (input[k].ndim != 2) {
            cli_say("%s: the array has %d dimensions; expected (n, n)", files[k], input[k].ndim);
            return CLI_FILE;
        }
    if (m->s.n_min != m->s.n_max) {
        cli_say("%s has order %lld, %s order %lld", files[0], (long long)m->s.n[0], files[1],
                (long long)m->s.n[1]);
        return CLI_FILE;
    }
    hermitian_prepare(&m->s, &a->hermitian, input, 2);
    c->type = m->s.type;
    c->n = m->s.n_max;
    c->taken = (double)stack_bytes(&m->s);
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
    const int64_t orders[2] = {c->n, c->n};
    struct pair *m = c->state;
    const int code = stack_layout(&m->s, c->type, 2, orders);
    if (code != CLI_OK)
        return code;
    m->s.a = malloc(stack_room(&m->s));
    if (!m->s.a)
        return CLI_MEMORY;
    stack_fill(&m->s, 0, seed);
    make_definite(&m->s);
    return CLI_OK;
}

static int make(family_case *c)
{
    const struct args *a = c->job->args;
    struct pair *m = c->state;
    const int64_t n = c->n;
    m->p = (hegv_problem){.type = c->type,
                          .uplo = stack_uplo(hermitian_uplo(&a->hermitian)),
                          .which = a->which + 1,
                          .n = n,
                          .a = m->s.a,
                          .b = (char *)m->s.a + m->s.at[1] * orr_type_size(c->type),
                          .vectors = c->vectors,
                          .part = a->part.interval || wanted(a, n) < n,
                          .first = a->part.il ? a->part.il - 1 : 0,
                          .count = wanted(a, n)};
    if (a->part.iu > n) {
        cli_say("--range %s: the matrices have order %lld", a->part.text, (long long)n);
        return CLI_USAGE;
    }
    c->problem = &m->p;
    c->columns = n;
    m->work = malloc(stack_bytes(&m->s) + 1);
    m->w = malloc((size_t)n * sizeof(double) + 1);
    m->x = c->vectors ? malloc((size_t)n * (size_t)m->p.count * orr_type_size(c->type) + 1) : NULL;
    return m->work && m->w && (m->x || !c->vectors) ? CLI_OK : CLI_MEMORY;
}

static void drop(family_case *c)
{
    struct pair *m = c->state;
    free(m->work);
    free(m->w);
    free(m->x);
    stack_free(&m->s);
}

/* ---- A run ------------------------------------------------------------------------------------- */

static void prepare(family_case *c)
{
    struct pair *m = c->state;
    memcpy(m->work, m->s.a, stack_bytes(&m->s));
}

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    const struct args *a = c->job->args;
    struct pair *m = c->state;
    const int64_t ld = c->n > 0 ? c->n : 1;
    const char uplo = stack_uplo(hermitian_uplo(&a->hermitian));
    const orr_hegv_opts opts = {.problem = a->which + 1,
                                .heev = {.band = c->shape[0],
                                         .tile = c->shape[1],
                                         .place = single_place(&a->shape),
                                         .method = single_method(&a->shape),
                                         .il = a->part.il,
                                         .iu = a->part.iu,
                                         .vl = a->part.vl,
                                         .vu = a->part.vu,
                                         .found = c->planned ? NULL : m->found,
                                         .progress = progress ? cli_progress_update : NULL,
                                         .progress_arg = progress}};
    if (c->planned)
        return orr_hegv(c->context, c->type, uplo, c->n, any, ld, any, ld, any,
                        c->vectors ? any : NULL, ld, &opts, report);
    void *b = m->work + m->s.at[1] * orr_type_size(c->type);
    const orr_status st = orr_hegv(c->context, c->type, uplo, c->n, m->work, ld, b, ld, m->w, m->x,
                                   ld, &opts, report);
    if (st >= 0) {
        m->p.first = m->found[0] - 1;
        m->p.count = m->found[1] - m->p.first;
    }
    return st;
}

/* Cholesky n^3/3, the reduction n^3, the ordinary problem, vectors n^3. */
static double operations(const family_case *c)
{
    return (c->vectors ? 23.0 / 3 : 8.0 / 3) * pow((double)c->n, 3) *
           (c->type == ORR_C || c->type == ORR_Z ? 4 : 1);
}

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct pair *m = c->state;
    const hegv_figures f = hegv_check(&m->p, m->w, m->x, threads);
    rec->values = f.values;
    if (m->x) {
        rec->residual = f.residual;
        rec->orthogonality = f.orthogonality;
    }
}

static int deliver(const family_case *c, cli_text *results)
{
    const struct args *a = c->job->args;
    const struct pair *m = c->state;
    const spectrum s = {.part = &a->part,
                        .values = a->values,
                        .vectors = a->vectors,
                        .type = c->type,
                        .n = c->n,
                        .first = m->p.first,
                        .count = m->p.count,
                        .w = m->w,
                        .x = m->x};
    return spectrum_deliver(c->job, &s, results);
}

/* ---- The command line --------------------------------------------------------------------------- */

static const char *wrong(cli_job *job)
{
    struct args *a = job->args;
    if (a->vectors && a->shape.jobz == 0)
        return "--vectors contradicts --jobz N";
    const char *part = selection_parse(&a->part);
    return part ? part : single_wrong(&a->shape);
}

static const cli_family family = {
    .name = "hegv",
    .files = 2,
    .state_size = sizeof(struct pair),
    .n = offsetof(struct args, n),
    .type = offsetof(struct args, type),
    .axis = {{"--n", offsetof(struct args, n), offsetof(family_case, n), -1, 1},
             SINGLE_AXES(offsetof(struct args, shape))},
    .output = {{"--values", offsetof(struct args, values)},
               {"--vectors", offsetof(struct args, vectors)}},
    .unit = "n eps",
    .wrong = wrong,
    .options = options_of,
    .read = read_pair,
    .random = random_pair,
    .bytes = bytes,
    .holds = holds,
    .make = make,
    .prepare = prepare,
    .call = call,
    .operations = operations,
    .verify = verify,
    .deliver = deliver,
    .drop = drop,
    .peers = HEGV_REFERENCES,
    .peer = hegv_reference,
    .peer_name = hegv_reference_name,
};

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {
        .run = cli_run_defaults(), .shape = {.jobz = -1}, .hermitian = {.uplo = -1}};
    cli_job job = {.args = &args, .run = &args.run, .ref = &args.ref};
    return family_run(&family, command, argc, argv, &job);
}

const cli_command cmd_hegv = {
    .name = "hegv",
    .aliases = "sygv|sygvd|hegvd",
    .summary = "eigenvalues and eigenvectors of A x = w B x, two large Hermitian matrices",
    .synopsis = "[options] [A B]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "A and B are files as orrery heev takes them, of one order; B is positive definite. It prints\n"
        "the eigenvalues, ascending. Only the triangles chosen by --uplo are read. B = L L' is factored\n"
        "(Cholesky), the problem becomes an ordinary one, L^-1 A L^-H or L' A L, and that is heev's:\n"
        "--band, --method and --range are as there. Vectors have X'BX = I, with --problem 3 X'B^-1 X = I.\n"
        "If B is not positive definite the leading minor that says so is told, with exit code 3.\n\n"
        "Without files and with --n it measures random matrices: a warm-up, then R runs (default 5)\n"
        "and the references, each with its best number of threads, in turn. Check figures fail above\n"
        "20. Gflop/s count 8/3 n^3 operations, 23/3 n^3 with vectors, four times that if complex.",
    .options = options,
    .examples = "orrery hegv a.npy b.npy\n"
                "orrery hegv a.npy b.npy --values w.npy --vectors x.npy --check\n"
                "orrery hegv k.mtx m.mtx --range 1:20 --vectors x.npy\n"
                "orrery hegv --n 1000,2000 --type d --jobz V --ref lapack --check\n",
    .run = run,
};
