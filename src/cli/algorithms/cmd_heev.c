/* orrery heev: eigenvalues and eigenvectors of one large Hermitian matrix from a file, or of
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
#include "src/cli/peers/hb2st_lapack.h"
#include "src/cli/peers/heev_lapack.h"

enum { MAX_N = INT32_MAX / 16 }; /* of orr_heev */

struct args {
    cli_run run;
    const char *values, *vectors;
    selection part;
    int kind; /* index into its choices */
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
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 1000,2000", NULL, AT(n), 0, MAX_N},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILE", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "random (default), or another spectrum", stack_kinds, AT(kind)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: syevd, syevr, syevd_2stage", "lapack",
     AT(ref), .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- One matrix ------------------------------------------------------------------------------ */

/* The stack holds one matrix; the library, column major, is told the other triangle. */
struct matrix {
    cli_stack s;
    heev_problem p;
    void *work;       /* what a run destroys: the stack's own matrix if one run is all */
    void *w, *z;      /* z NULL: no vectors */
    int64_t found[2]; /* numbers of the first and the last value of an interval */
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

/* With vectors: Z, the reflectors of the second stage (LAPACK: a copy of the matrix), the tridiagonal solver's vectors and its
 * workspace. */
static double bytes(const family_case *c)
{
    const struct args *a = c->job->args;
    const int64_t columns = wanted(a, c->n);
    const double copies = single_method(&a->shape) == ORR_DENSE_LAPACK ? 1 : 0.5 * c->vectors;
    const double n = (double)c->n, count = n * n, size = (double)orr_type_size(c->type);
    const double real = (double)orr_type_size(orr_type_real(c->type));
    const double z = c->vectors ? n * (double)columns : 0;
    const double squares = columns < c->n ? 1 : 2.5; /* all of them need a workspace */
    return (1.0 + c->keeps + copies) * count * size + z * (size + squares * real) + 400 * n * size;
}

static double holds(const family_case *c)
{
    const double n = (double)c->n, size = (double)orr_type_size(c->type);
    const double columns = c->vectors ? (double)wanted(c->job->args, c->n) : 0;
    return n * ((1 + c->keeps) * n + columns + 1) * size;
}

static int read_matrix(family_case *c)
{
    const struct args *a = c->job->args;
    struct matrix *m = c->state;
    cli_input input;
    const int code =
        stack_read(&m->s, &a->run, c->job->files.v, 1, single_type(&a->type, 0), MAX_N, &input);
    c->type = m->s.type;
    c->n = m->s.n_max;
    c->taken = code == CLI_OK ? (double)stack_bytes(&m->s) : 0;
    if (code == CLI_OK && input.ndim == 2)
        hermitian_prepare(&m->s, &a->hermitian, &input, 1);
    if (code != CLI_OK || input.ndim == 2)
        return code;
    cli_say("%s: the array has %d dimensions; expected (n, n). Batches: orrery heevj",
            c->job->files.v[0], input.ndim);
    return CLI_FILE;
}

static int look(family_case *c, const orr_shape *s)
{
    c->n = s->shape[0];
    if (s->ndim == 2 && s->shape[0] == s->shape[1])
        return CLI_OK;
    cli_say("%s: not a square matrix", c->job->files.v[0]);
    return CLI_FILE;
}

static int random_matrix(family_case *c, uint64_t seed)
{
    const struct args *a = c->job->args;
    struct matrix *m = c->state;
    const int code = stack_layout(&m->s, c->type, 1, &c->n);
    if (code != CLI_OK)
        return code;
    m->s.a = malloc(stack_room(&m->s));
    if (!m->s.a)
        return CLI_MEMORY;
    stack_fill(&m->s, a->kind, seed);
    return CLI_OK;
}

static int make(family_case *c)
{
    const struct args *a = c->job->args;
    struct matrix *m = c->state;
    const int64_t n = c->n;
    m->p = (heev_problem){.type = c->type,
                          .uplo = stack_uplo(hermitian_uplo(&a->hermitian)),
                          .n = n,
                          .a = m->s.a,
                          .vectors = c->vectors,
                          .first = a->part.il ? a->part.il - 1 : 0,
                          .count = wanted(a, n),
                          .interval = a->part.interval,
                          .vl = a->part.vl,
                          .vu = a->part.vu};
    if (a->part.iu > n) {
        cli_say("--range %s: the matrix has order %lld", a->part.text, (long long)n);
        return CLI_USAGE;
    }
    c->problem = &m->p;
    c->columns = n;
    m->work = c->keeps ? malloc(stack_bytes(&m->s) + 1) : m->s.a;
    m->w = malloc((size_t)n * sizeof(double) + 1);
    m->z = c->vectors ? malloc((size_t)n * (size_t)m->p.count * orr_type_size(c->type) + 1) : NULL;
    return m->work && m->w && (m->z || !c->vectors) ? CLI_OK : CLI_MEMORY;
}

static void drop(family_case *c)
{
    struct matrix *m = c->state;
    if (m->work != m->s.a)
        free(m->work);
    free(m->w);
    free(m->z);
    stack_free(&m->s);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static void prepare(family_case *c)
{
    struct matrix *m = c->state;
    if (m->work != m->s.a)
        memcpy(m->work, m->s.a, stack_bytes(&m->s));
}

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    const struct args *a = c->job->args;
    struct matrix *m = c->state;
    const int64_t ld = c->n > 0 ? c->n : 1;
    const char uplo = stack_uplo(hermitian_uplo(&a->hermitian));
    const orr_heev_opts opts = {.band = c->shape[0],
                                .tile = c->shape[1],
                                .place = single_place(&a->shape),
                                .method = single_method(&a->shape),
                                .il = a->part.il,
                                .iu = a->part.iu,
                                .vl = a->part.vl,
                                .vu = a->part.vu,
                                .found = c->planned ? NULL : m->found,
                                .progress = progress ? cli_progress_update : NULL,
                                .progress_arg = progress};
    if (c->planned)
        return orr_heev(c->context, c->type, uplo, c->n, any, ld, any, c->vectors ? any : NULL, ld,
                        &opts, report);
    const orr_status st =
        orr_heev(c->context, c->type, uplo, c->n, m->work, ld, m->w, m->z, ld, &opts, report);
    if (m->p.interval && st >= 0) {
        m->p.first = m->found[0] - 1;
        m->p.count = m->found[1] - m->p.first;
    }
    return st;
}

static double operations(const family_case *c)
{
    return (c->vectors ? 16.0 / 3 : 4.0 / 3) * pow((double)c->n, 3) *
           (c->type == ORR_C || c->type == ORR_Z ? 4 : 1);
}

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct matrix *m = c->state;
    rec->values = heev_value_error(&m->p, m->w, threads);
    if (m->z) {
        rec->residual = heev_residual(&m->p, m->w, m->z, threads);
        rec->orthogonality = c->n ? hb2st_departure(c->type, c->n, m->p.count, m->z) /
                                        ((double)c->n * orr_type_eps(c->type))
                                  : 0;
    }
}

static int deliver(const family_case *c, cli_text *results)
{
    const struct args *a = c->job->args;
    const struct matrix *m = c->state;
    const spectrum s = {.part = &a->part,
                        .values = a->values,
                        .vectors = a->vectors,
                        .type = c->type,
                        .n = c->n,
                        .first = m->p.first,
                        .count = m->p.count,
                        .w = m->w,
                        .x = m->z};
    return spectrum_deliver(c->job, &s, results);
}

/* ---- The command line ----------------------------------------------------------------------- */

static const char *wrong(cli_job *job)
{
    struct args *a = job->args;
    if (a->vectors && a->shape.jobz == 0)
        return "--vectors contradicts --jobz N";
    const char *part = selection_parse(&a->part);
    return part ? part : single_wrong(&a->shape);
}

static const cli_family family = {
    .name = "heev",
    .files = 1,
    .state_size = sizeof(struct matrix),
    .n = offsetof(struct args, n),
    .type = offsetof(struct args, type),
    .axis = {{"--n", offsetof(struct args, n), offsetof(family_case, n), -1, 1},
             SINGLE_AXES(offsetof(struct args, shape))},
    .output = {{"--values", offsetof(struct args, values)},
               {"--vectors", offsetof(struct args, vectors)}},
    .unit = "n eps |A|",
    .wrong = wrong,
    .options = options_of,
    .read = read_matrix,
    .look = look,
    .random = random_matrix,
    .bytes = bytes,
    .holds = holds,
    .make = make,
    .prepare = prepare,
    .call = call,
    .operations = operations,
    .verify = verify,
    .deliver = deliver,
    .drop = drop,
    .peers = HEEV_REFERENCES,
    .peer = heev_reference,
    .peer_name = heev_reference_name,
};

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {
        .run = cli_run_defaults(), .shape = {.jobz = -1}, .hermitian = {.uplo = -1}};
    cli_job job = {.args = &args, .run = &args.run, .ref = &args.ref};
    return family_run(&family, command, argc, argv, &job);
}

const cli_command cmd_heev = {
    .name = "heev",
    .aliases = "syev|syevd|heevd",
    .summary = "eigenvalues and eigenvectors of one large Hermitian matrix, in two stages",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is a .npy array of shape (n, n), such an array x of an archive (a.npz:x), text (.txt,\n"
        ".csv: a row per line), a .mtx matrix (made dense), or - for .npy or text on standard input.\n"
        "It prints the eigenvalues, ascending. Only the triangle chosen by --uplo is read; if none is\n"
        "chosen a line on standard error tells where the matrix is not Hermitian. The matrix becomes a\n"
        "band matrix and then a tridiagonal one, a small one a tridiagonal one at once, by LAPACK; for\n"
        "batches of small matrices there is heevj.\n\n"
        "Without FILE and with --n it measures random matrices: a warm-up, then R runs (default 5),\n"
        "the references, each with its best number of threads, and heev in turn. Check figures are\n"
        "in units of n eps |A| and fail above 20. Gflop/s count 4/3 n^3 operations, 16/3 n^3\n"
        "with vectors, four times that if complex.",
    .options = options,
    .examples = "orrery heev a.npy\n"
                "orrery heev a.npy --values w.npy --vectors z.npy --check\n"
                "orrery heev a.mtx --values w.npy --json - -v\n"
                "orrery heev a.npy --range 1:20 --values w.npy --vectors z.npy\n"
                "orrery heev a.npy --range 0.5..2.5 --values w.npy\n"
                "orrery heev --n 1000,2000 --type d --ref lapack --check\n",
    .run = run,
};
