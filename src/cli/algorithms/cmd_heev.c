/* orrery heev: eigenvalues and eigenvectors of one large Hermitian matrix from a file, or of
 * random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "src/cli/algorithms/spectrum.h"
#include "src/cli/core/numbers.h"
#include "src/cli/peers/hb2st_lapack.h"
#include "src/cli/peers/heev_lapack.h"

#define AT(field) .at = offsetof(spectrum_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {.kind = OPT_INCLUDE, .include = spectrum_outputs},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(hermitian)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 1000,2000", NULL, AT(n), 0, SPECTRUM_MAX_N},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILE", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "random (default), or another spectrum", stack_kinds, AT(kind)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: syevd, syevr, syevd_2stage", "lapack",
     AT(ref), .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- One matrix ------------------------------------------------------------------------------ */

struct matrix {
    spectrum m;
    heev_problem p;
};

/* With vectors: Z, the reflectors of the second stage (LAPACK: a copy of the matrix), the tridiagonal solver's vectors and its
 * workspace. */
static double bytes(const family_case *c)
{
    const spectrum_args *a = c->job->args;
    const double copies = single_method(&a->shape) == ORR_DENSE_LAPACK ? 1 : 0.5 * c->vectors;
    const double n = (double)c->n, count = n * n, size = (double)orr_type_size(c->type);
    const double real = (double)orr_type_size(orr_type_real(c->type));
    const double z = n * spectrum_columns(c);
    const double squares = spectrum_wanted(c) < c->n ? 1 : 2.5; /* all of them need a workspace */
    return (1.0 + c->keeps + copies) * count * size + z * (size + squares * real) + 400 * n * size;
}

static double holds(const family_case *c)
{
    const double n = (double)c->n, size = (double)orr_type_size(c->type);
    return n * ((1 + c->keeps) * n + spectrum_columns(c) + 1) * size;
}

static int read_matrix(family_case *c)
{
    const spectrum_args *a = c->job->args;
    cli_stack *s = &((spectrum *)c->state)->s;
    cli_input input;
    const int code = stack_read(s, &a->run, c->job->files.v, 1, cli_type_word(&a->type, 0),
                                SPECTRUM_MAX_N, &input);
    c->type = s->type;
    c->n = s->n_max;
    c->taken = code == CLI_OK ? (double)stack_bytes(s) : 0;
    if (code == CLI_OK && input.ndim == 2)
        hermitian_prepare(s, &a->hermitian, &input, 1);
    if (code != CLI_OK || input.ndim == 2)
        return code;
    cli_say("%s: the array has %d dimension%s; expected (n, n). Batches: orrery heevj",
            c->job->files.v[0], input.ndim, cli_plural(input.ndim));
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
    return spectrum_random(c, ((const spectrum_args *)c->job->args)->kind, 1, seed);
}

static int make(family_case *c)
{
    const spectrum_args *a = c->job->args;
    struct matrix *x = c->state;
    const int code = spectrum_make(c, c->keeps);
    x->p = (heev_problem){.type = c->type,
                          .uplo = spectrum_uplo(c),
                          .n = c->n,
                          .a = x->m.s.a,
                          .vectors = c->vectors,
                          .first = x->m.first,
                          .count = x->m.count,
                          .interval = a->part.interval,
                          .vl = a->part.vl,
                          .vu = a->part.vu};
    c->problem = &x->p;
    return code;
}

/* ---- A run ----------------------------------------------------------------------------------- */

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    struct matrix *x = c->state;
    const int64_t ld = c->n > 0 ? c->n : 1;
    const char uplo = spectrum_uplo(c);
    const orr_heev_opts opts = spectrum_opts(c, progress);
    if (c->planned)
        return orr_heev(c->context, c->type, uplo, c->n, any, ld, any, c->vectors ? any : NULL, ld,
                        &opts, report);
    const orr_status st =
        orr_heev(c->context, c->type, uplo, c->n, x->m.work, ld, x->m.w, x->m.x, ld, &opts, report);
    if (x->p.interval && st >= 0) {
        spectrum_found(c);
        x->p.first = x->m.first;
        x->p.count = x->m.count;
    }
    return st;
}

static double operations(const family_case *c)
{
    return (c->vectors ? 16.0 / 3 : 4.0 / 3) * pow((double)c->n, 3) * number_cost(c->type);
}

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct matrix *x = c->state;
    rec->values = heev_value_error(&x->p, x->m.w, threads);
    if (x->m.x) {
        rec->residual = heev_residual(&x->p, x->m.w, x->m.x, threads);
        rec->orthogonality = c->n ? hb2st_departure(c->type, c->n, x->p.count, x->m.x) /
                                        ((double)c->n * orr_type_eps(c->type))
                                  : 0;
    }
}

/* ---- The command line ----------------------------------------------------------------------- */

static const cli_family family = {
    .files = 1,
    .state_size = sizeof(struct matrix),
    SPECTRUM_FAMILY,
    .bench_choice = "kind",
    .unit = "n eps |A|",
    .read = read_matrix,
    .look = look,
    .random = random_matrix,
    .bytes = bytes,
    .holds = holds,
    .make = make,
    .call = call,
    .operations = operations,
    .verify = verify,
    .peers = HEEV_REFERENCES,
    .peer = heev_reference,
    .peer_name = heev_reference_name,
};

const cli_command cmd_heev = {
    .name = "heev",
    .aliases = "syev|syevd|heevd",
    .summary = "eigenvalues and eigenvectors of one large Hermitian matrix",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is a .npy array of shape (n, n), such an array x of an archive (a.npz:x), text (.txt,\n"
        ".csv: a row per line), a .mtx matrix (made dense), or - for .npy or text on standard input.\n"
        "The eigenvalues are printed, ascending. Only the triangle chosen by --uplo is read; if none is\n"
        "chosen, a line on standard error tells where the matrix is not Hermitian. The matrix is reduced\n"
        "to a band and then to a tridiagonal matrix; a small one directly. For batches of small matrices\n"
        "there is heevj.\n\n"
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
    .run = family_run,
    .family = &family,
};
