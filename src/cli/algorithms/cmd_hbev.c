/* orrery hbev: eigenvalues and eigenvectors of a Hermitian band matrix from a file, or of random bands
 * as a benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/hermitian_band.h"
#include "src/cli/algorithms/selection.h"
#include "src/cli/data/band.h"
#include "src/cli/peers/hb2st_lapack.h"
#include "src/cli/peers/hbev_lapack.h"

struct hbev_args {
    struct hermitian_band_args band;
    const char *values, *vectors;
    selection part;
    int jobz, method, place; /* indices into their choices; jobz -1: not given */
    cli_words type, ref;
};

#define AT(field) .at = offsetof(struct hbev_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the eigenvalues: .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (n, values)", NULL,
     AT(vectors)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(band.run)},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(band.hermitian)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 1000,2000", NULL, AT(band.n), 0, INT32_MAX / 16},
    {"band", 'b', OPT_SIZES, "SIZES", "bandwidths (default: 32 or n-1), the most for FILE", NULL,
     AT(band.band), 0, INT32_MAX},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d)", "s|d|c|z", AT(type)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: sbevd, hbevd", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only (default), or vectors too", "N|V", AT(jobz)},
    {"method", 'm', OPT_CHOICE, "M", "auto: the faster; two-stage; lapack: made dense",
     "auto|two-stage|lapack", AT(method)},
    {"place", 0, OPT_CHOICE, "P", "auto (default): GPUs too; cpu; gpu: all it can", "auto|cpu|gpu",
     AT(place)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(band.run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(band.run)},
    {.kind = OPT_END},
};

/* ---- One band ------------------------------------------------------------------------------ */

struct band {
    hb2st_band b;
    hbev_problem p;
    void *w, *z;      /* z NULL: no vectors */
    int64_t found[2]; /* numbers of the first and the last, from 1 */
};

static void options_of(family_case *c)
{
    const struct hbev_args *a = c->job->args;
    c->vectors = c->complete = a->vectors || a->jobz == 1;
    hermitian_band_options(c);
}

static int fits(const family_case *c)
{
    const struct hbev_args *a = c->job->args;
    const int code = hermitian_band_fits(c);
    return code == CLI_OK ? selection_fits(&a->part, c->n, "matrix has") : code;
}

static double columns(const family_case *c)
{
    const struct hbev_args *a = c->job->args;
    return c->vectors ? (double)selection_count(&a->part, c->n) : 0;
}

/* As orrery heev, with the reflectors of a band in place of the matrix, or made dense. */
static double bytes(const family_case *c)
{
    const hb2st_band b = {.type = c->type, .n = c->n, .b = c->band};
    const double n = (double)c->n, size = (double)orr_type_size(c->type), z = n * columns(c);
    const double real = (double)orr_type_size(orr_type_real(c->type));
    const struct hbev_args *a = c->job->args;
    const double dense = a->method == 2 ? 2 * n * n : 0;
    const double squares = columns(c) < n ? 1 : 2.5; /* all of them need a workspace */
    return hb2st_band_bytes(&b, 0) + (dense + 0.5 * (c->vectors ? n * n : 0)) * size +
           z * (size + squares * real);
}

static double holds(const family_case *c)
{
    return ((double)c->n * ((double)c->band + 2) + (double)c->n * columns(c)) *
           (double)orr_type_size(c->type);
}

static int make(family_case *c)
{
    const struct hbev_args *a = c->job->args;
    struct band *x = c->state;
    const size_t n = (size_t)c->n, size = orr_type_size(c->type);
    x->p = (hbev_problem){.band = &x->b,
                          .vectors = c->vectors,
                          .first = selection_before(&a->part),
                          .count = selection_count(&a->part, c->n)};
    c->problem = &x->p;
    x->w = malloc((n + 1) * sizeof(double));
    x->z = c->vectors ? malloc(n * (size_t)x->p.count * size + 1) : NULL;
    return x->w && (x->z || !c->vectors) ? CLI_OK : CLI_MEMORY;
}

static void drop(family_case *c)
{
    struct band *x = c->state;
    free(x->w);
    free(x->z);
    hb2st_band_free(&x->b);
}

/* ---- A run --------------------------------------------------------------------------------- */

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static char any[1];
    const struct hbev_args *a = c->job->args;
    struct band *x = c->state;
    const int64_t ldz = c->n > 0 ? c->n : 1;
    const orr_hbev_opts opts = {.il = a->part.il,
                                .iu = a->part.iu,
                                .vl = a->part.vl,
                                .vu = a->part.vu,
                                .found = c->planned ? NULL : x->found,
                                .place = family_place(a->place),
                                .method = family_method(a->method),
                                .progress = progress ? cli_progress_update : NULL,
                                .progress_arg = progress};
    if (c->planned)
        return orr_hbev(c->context, c->type, 'L', c->n, c->band, any, c->band + 1, any,
                        c->vectors ? any : NULL, ldz, &opts, report);
    const orr_status st = orr_hbev(c->context, x->b.type, x->b.uplo, x->b.n, x->b.b, x->b.ab,
                                   x->b.b + 1, x->w, x->z, ldz, &opts, report);
    if (a->part.interval && st >= 0) {
        x->p.first = x->found[0] - 1;
        x->p.count = x->found[1] - x->p.first;
    }
    return st;
}

/* With all vectors 4/3 n^3 for those of the tridiagonal matrix, 2 n^3 to apply the reflectors. */
static double operations(const family_case *c) { return hermitian_band_operations(c, 10.0 / 3); }

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const struct band *x = c->state;
    (void)threads;
    rec->values = hbev_value_error(&x->p, x->w);
    if (x->z)
        hb2st_vector_errors(&x->b, x->p.count, x->w, NULL, x->z, &rec->residual,
                            &rec->orthogonality);
}

static int deliver(const family_case *c, cli_text *results)
{
    const struct hbev_args *a = c->job->args;
    const struct band *x = c->state;
    int code = selection_deliver(&a->part, c->job, orr_type_real(c->type), x->p.first, x->p.count,
                                 x->w, a->values, results);
    if (a->vectors && code == CLI_OK)
        code = band_unorder(x->b.order, c->n, x->p.count, c->type, x->z);
    if (a->vectors && code == CLI_OK)
        code = band_write(c->job->table, "eigenvectors", a->vectors, c->type, 2, c->n, x->p.count,
                          x->z);
    return code;
}

/* ---- The command line ---------------------------------------------------------------------- */

static const char *wrong(cli_job *job)
{
    struct hbev_args *a = job->args;
    if (a->vectors && a->jobz == 0)
        return "--vectors contradicts --jobz N";
    if (a->method == 2 && a->place == 2)
        return "--method lapack runs on a CPU";
    return selection_parse(&a->part);
}

static const struct hbev_args defaults = {.band = {.hermitian = {.uplo = -1}}, .jobz = -1};

static const cli_family family = {
    .files = 1,
    .bench_type = 1,
    .state_size = sizeof(struct band),
    .args_size = sizeof(struct hbev_args),
    .defaults = &defaults,
    .axis = {{"n", offsetof(family_case, n), -1, 1}, {"band", offsetof(family_case, band), 32, 0}},
    .output = {"values", "vectors"},
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
    .peers = HBEV_REFERENCES,
    .peer = hbev_reference,
    .peer_name = hbev_reference_name,
};

const cli_command cmd_hbev = {
    .name = "hbev",
    .aliases = "sbev|sbevd|sbevx|hbevd|hbevx",
    .summary = "eigenvalues and eigenvectors of a Hermitian band matrix",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about = HERMITIAN_BAND_FILE
    "reverse Cuthill-McKee order if that makes the band narrower; eigenvectors are written for\n"
    "the file's own order. Where a .mtx file has both triangles they must agree but for\n"
    "rounding, or --uplo chooses one, or --symmetrize takes the mean. The eigenvalues are\n"
    "printed, ascending. The band is made tridiagonal as by hb2st; vectors of that matrix are\n"
    "multiplied by its reflectors.\n\n"
    "Without FILE and with --n it measures random bands: a warm-up, then R runs (default 5),\n"
    "the reference and hbev in turn. Check figures are in units of n eps |A| and fail above 20.\n"
    "Gflop/s count 6 n^2 b operations, and 10/3 n^3 with vectors; four times that if complex.",
    .options = options,
    .examples = "orrery hbev band.npy\n"
                "orrery hbev band.npy --values w.npy --vectors z.npy --check\n"
                "orrery hbev bcsstk13.mtx --range 1:20 --values w.npy --vectors z.npy\n"
                "orrery hbev --n 1000,2000 --band 32 --jobz V --ref lapack",
    .run = family_run,
    .family = &family,
};
