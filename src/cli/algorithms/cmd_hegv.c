/* orrery hegv: eigenvalues and eigenvectors of a generalised Hermitian problem from two files, or of
 * random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/selection.h"
#include "src/cli/algorithms/single.h"
#include "src/cli/algorithms/spectrum.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/data/hermitian.h"
#include "src/cli/data/stack.h"
#include "src/cli/peers/hegv_lapack.h"

enum { MAX_N = INT32_MAX / 16 }; /* of orr_heev */

struct args {
    cli_run     run;
    const char *values, *vectors;
    selection   part;
    int         which; /* index into "1|2|3" */
    hermitian_choice hermitian;
    single_shape shape;
    cli_sizes   n;
    cli_words   type, ref;
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
    {"problem", 0, OPT_CHOICE, "P", "1: A x = w B x; 2: A B x = w x; 3: B A x = w x",
     "1|2|3", AT(which)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- Two matrices ------------------------------------------------------------------------------ */

/* The stack holds A and B; the library, column major, is told the other triangles. */
struct pair {
    cli_stack     s;
    hegv_problem  p;
    char         *work; /* what a run destroys */
    void         *w, *x; /* x NULL: no vectors */
    int64_t       found[2];
    orr_hegv_opts opts;
};

static int wants_vectors(const struct args *a) { return a->vectors || a->shape.jobz == 1; }

static int64_t wanted(const struct args *a, int64_t n)
{
    return a->part.il ? a->part.iu - a->part.il + 1 : n;
}

/* A and B twice; as orrery heev, what it needs besides its matrix. */
static double bytes_needed(const struct args *a, orr_type type, int64_t n)
{
    const int vectors = wants_vectors(a);
    const double size = (double)orr_type_size(type), count = (double)n * (double)n;
    const double real = (double)orr_type_size(orr_type_real(type));
    const double x = vectors ? (double)n * (double)wanted(a, n) : 0;
    return (5 + 0.5 * vectors) * count * size + x * (size + 2.5 * real) + 400.0 * (double)n * size;
}

static int pair_make(struct pair *m, const struct args *a)
{
    const int64_t n = m->s.n_max;
    const char uplo = stack_uplo(hermitian_uplo(&a->hermitian));
    m->p = (hegv_problem){ .type = m->s.type, .uplo = uplo, .which = a->which + 1, .n = n,
                           .a = m->s.a,
                           .b = (char *)m->s.a + m->s.at[1] * orr_type_size(m->s.type),
                           .vectors = wants_vectors(a),
                           .part = a->part.interval || wanted(a, n) < n,
                           .first = a->part.il ? a->part.il - 1 : 0, .count = wanted(a, n) };
    if (a->part.iu > n) {
        cli_say("--range %s: the matrices have order %lld", a->part.text, (long long)n);
        return CLI_USAGE;
    }
    m->work = malloc(stack_bytes(&m->s) + 1);
    m->w = malloc((size_t)n * sizeof(double) + 1);
    m->x = m->p.vectors
               ? malloc((size_t)n * (size_t)m->p.count * orr_type_size(m->s.type) + 1) : NULL;
    if (m->work && m->w && (m->x || !m->p.vectors))
        return CLI_OK;
    cli_say("out of memory");
    return CLI_MEMORY;
}

static void pair_free(struct pair *m)
{
    free(m->work);
    free(m->w);
    free(m->x);
    stack_free(&m->s);
}

/* Cholesky n^3/3, the reduction n^3, the ordinary problem, vectors n^3. */
static double operations(const hegv_problem *p)
{
    return (p->vectors ? 23.0 / 3 : 8.0 / 3) * pow((double)p->n, 3) *
           (p->type == ORR_C || p->type == ORR_Z ? 4 : 1);
}

static orr_status compute(single *x, orr_report *report, cli_clock *clock)
{
    struct pair *m = x->matrix;
    const cli_run *run = x->job->run;
    const int64_t n = m->p.n, ld = n > 0 ? n : 1;
    orr_hegv_opts opts = m->opts;
    cli_progress progress;
    memcpy(m->work, m->s.a, stack_bytes(&m->s));
    void *b = m->work + m->s.at[1] * orr_type_size(m->s.type);
    cli_progress_start(&progress, "hegv", run->verbose, run->quiet);
    opts.heev.found = m->found;
    opts.heev.progress = cli_progress_update;
    opts.heev.progress_arg = &progress;
    cli_clock_start(clock);
    const orr_status st = orr_hegv(x->context, m->p.type, m->p.uplo, n, m->work, ld, b, ld, m->w,
                                   m->x, ld, &opts, report);
    cli_clock_stop(clock, report->seconds);
    cli_progress_end(&progress);
    if (st >= 0) {
        m->p.first = m->found[0] - 1;
        m->p.count = m->found[1] - m->p.first;
    }
    return st;
}

static void describe(const single *x, cli_record *rec)
{
    const hegv_problem *p = x->problem;
    rec->type = orr_type_letter(p->type);
    rec->n = p->n;
}

static void verify(const single *x, int threads, cli_record *rec)
{
    const struct pair *m = x->matrix;
    const hegv_figures f = hegv_check(&m->p, m->w, m->x, threads);
    rec->values = f.values;
    if (m->x) {
        rec->residual = f.residual;
        rec->orthogonality = f.orthogonality;
    }
}

static int deliver(const single *x, const cli_record *rec, cli_text *results)
{
    const struct args *a = x->job->args;
    const struct pair *m = x->matrix;
    const spectrum s = { .part = &a->part, .values = a->values, .vectors = a->vectors,
                         .unit = "n eps", .type = m->p.type, .n = m->p.n, .first = m->p.first,
                         .count = m->p.count, .w = m->w, .x = m->x };
    return spectrum_deliver(x, &s, rec, results);
}

static int solve(cli_job *job, orr_context *ctx, const orr_context_info *info, struct pair *m,
                 const orr_hegv_opts *opts, int warm_up, int repeat)
{
    single x = { .job = job, .context = ctx, .info = info, .algo = "hegv", .matrix = m,
                 .vectors = m->x != NULL, .columns = m->p.n, .operations = operations(&m->p),
                 .compute = compute, .describe = describe, .verify = verify,
                 .deliver = job->files.n ? deliver : NULL,
                 .peers = HEGV_REFERENCES, .problem = &m->p, .peer = hegv_reference,
                 .peer_name = hegv_reference_name };
    m->opts = *opts;
    return single_solve(&x, warm_up, repeat);
}

static orr_hegv_opts opts_of(const struct args *a, int64_t band, int64_t tile)
{
    return (orr_hegv_opts){ .problem = a->which + 1,
                            .heev = { .band = band, .tile = tile, .place = single_place(&a->shape),
                                      .method = single_method(&a->shape), .il = a->part.il,
                                      .iu = a->part.iu, .vl = a->part.vl, .vu = a->part.vu } };
}

/* ---- Plan --------------------------------------------------------------------------------------- */

/* `args` of a cli_planned. */
struct planned {
    const struct args *a;
    orr_hegv_opts      opts;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const struct planned *x = p->args;
    const int64_t ld = p->n > 0 ? p->n : 1;
    const char uplo = stack_uplo(hermitian_uplo(&x->a->hermitian));
    return orr_hegv(p->context, p->type, uplo, p->n, any, ld, any, ld, any,
                    p->vectors ? any : NULL, ld, &x->opts, report);
}

static double plan_needs(const cli_planned *p)
{
    return bytes_needed(((const struct planned *)p->args)->a, p->type, p->n);
}

static double plan_holds(const cli_planned *p)
{
    const struct planned *x = p->args;
    const double n = (double)p->n, size = (double)orr_type_size(p->type);
    const double columns = p->vectors ? (double)wanted(x->a, p->n) : 0;
    return n * (4 * n + columns + 1) * size;
}

static int explain(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                   int64_t n, const orr_hegv_opts *opts)
{
    const struct args *a = job->args;
    const struct planned x = { a, *opts };
    return cli_explain(&(cli_planned){ .job = job, .context = ctx, .info = info, .algo = "hegv",
                                       .type = type, .n = n, .m = -1, .band = -1, .batch = -1,
                                       .vectors = wants_vectors(a), .args = &x, .call = plan_call,
                                       .needs = plan_needs, .holds = plan_holds });
}

/* ---- Files -------------------------------------------------------------------------------------- */

static int read_pair(struct pair *m, cli_job *job)
{
    const struct args *a = job->args;
    cli_input input[2];
    const int code = stack_read(&m->s, &a->run, job->files.v, 2, single_type(&a->type, 0), MAX_N,
                                input);
    if (code != CLI_OK)
        return code;
    for (int k = 0; k < 2; k++)
        if (input[k].ndim != 2) {
            cli_say("%s: the array has %d dimensions; expected (n, n)", job->files.v[k],
                    input[k].ndim);
            return CLI_FILE;
        }
    if (m->s.n_min != m->s.n_max) {
        cli_say("%s has order %lld, %s order %lld", job->files.v[0], (long long)m->s.n[0],
                job->files.v[1], (long long)m->s.n[1]);
        return CLI_FILE;
    }
    hermitian_prepare(&m->s, &a->hermitian, input, 2);
    return CLI_OK;
}

static int file_mode(cli_job *job)
{
    const struct args *a = job->args;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1;
    const orr_hegv_opts opts = opts_of(a, a->shape.band.n ? a->shape.band.v[0] : 0,
                                       a->shape.tile.n ? a->shape.tile.v[0] : 0);
    struct pair m = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = read_pair(&m, job);
    if (code == CLI_OK)
        code = cli_check_memory(&a->run, bytes_needed(a, m.s.type, m.s.n_max) -
                                             (double)stack_bytes(&m.s), job->files.v[0]);
    if (code == CLI_OK)
        code = pair_make(&m, a);
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        code = a->run.explain ? explain(job, ctx, &info, m.s.type, m.s.n_max, &opts)
                              : solve(job, ctx, &info, &m, &opts, repeat > 1, repeat);
        code = cli_worse(code, cli_close(&a->run, ctx));
    }
    pair_free(&m);
    return code;
}

/* ---- Benchmark ---------------------------------------------------------------------------------- */

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
        default:    ((double *)s->a)[2 * k] += more;
        }
    }
}

static int bench_one(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                     int64_t n, const orr_hegv_opts *opts)
{
    const struct args *a = job->args;
    const int64_t orders[2] = { n, n };
    struct pair m = { 0 };
    char what[96];
    if (a->run.explain)
        return explain(job, ctx, info, type, n, opts);
    snprintf(what, sizeof what, "type %c, n %lld", orr_type_letter(type), (long long)n);
    int code = cli_check_memory(&a->run, bytes_needed(a, type, n), what);
    if (code == CLI_OK)
        code = stack_layout(&m.s, type, 2, orders);
    if (code == CLI_OK && !(m.s.a = malloc(stack_room(&m.s)))) {
        cli_say("%s: out of memory", what);
        code = CLI_MEMORY;
    }
    if (code == CLI_OK) {
        stack_fill(&m.s, 0, (uint64_t)a->run.seed);
        make_definite(&m.s);
        code = pair_make(&m, a);
    }
    if (code == CLI_OK)
        code = solve(job, ctx, info, &m, opts, 1, a->run.repeat > 0 ? (int)a->run.repeat : 5);
    pair_free(&m);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t chosen[] = { 0 };
    struct args *a = job->args;
    enum { TYPE, N, BAND, TILE, AXES };
    const cli_sizes band = a->shape.band.n ? a->shape.band : (cli_sizes){ chosen, 1 };
    const cli_sizes tile = a->shape.tile.n ? a->shape.tile : (cli_sizes){ chosen, 1 };
    const int64_t counts[AXES] = { [TYPE] = a->type.n ? a->type.n : 1, [N] = a->n.n,
                                   [BAND] = band.n, [TILE] = tile.n };
    int64_t at[AXES] = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &ctx, &info);
    if (code != CLI_OK)
        return code;
    do {
        const orr_hegv_opts opts = opts_of(a, band.v[at[BAND]], tile.v[at[TILE]]);
        const int type = single_type(&a->type, at[TYPE]);
        code = cli_worse(code, bench_one(job, ctx, &info, type < 0 ? ORR_D : (orr_type)type,
                                         a->n.v[at[N]], &opts));
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, ctx));
}

/* ---- The command line --------------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("hegv", message); }

static int check(cli_job *job)
{
    struct args *a = job->args;
    const cli_files *files = &job->files;
    const char *const outputs[] = { a->values, a->vectors };
    const char *wrong = selection_parse(&a->part);
    if (wrong)
        return usage(wrong);
    if (files->n != 2 && !(files->n == 0 && a->n.n))
        return usage(files->n > 2 ? "two files, A and B" : "two files are needed, A and B, or --n for a benchmark");
    if (!files->n && (a->values || a->vectors))
        return usage("--values and --vectors belong to files, not to a benchmark");
    if (a->vectors && a->shape.jobz == 0)
        return usage("--vectors contradicts --jobz N");
    if (files->n && a->n.n)
        return usage("--n belongs to a benchmark, not to files");
    if (files->n && (a->shape.band.n > 1 || a->shape.tile.n > 1 || a->type.n > 1 || a->run.sched.n > 1))
        return usage("with files, --band, --tile, --type and --sched take one value");
    job->to_stdout = cli_count_stdout(outputs, 2);
    cli_answers(job);
    const int code = single_check("hegv", &a->shape);
    return code == CLI_OK && files->n ? outputs_check(outputs, 2, NULL, files) : code;
}

static int work(cli_job *job)
{
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .shape = { .jobz = -1 },
                         .hermitian = { .uplo = -1 } };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work,
                    .ref = &args.ref };
    return cli_compute(command, argc, argv, &job);
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
