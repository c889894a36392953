/* The matrices of orrery gesvd: read, made, solved, checked, delivered.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gesvd_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/answer.h"
#include "src/cli/core/numbers.h"
#include "src/cli/data/dense.h"
#include "src/cli/peers/gesvd_lapack.h"

/* ---- One matrix ------------------------------------------------------------------------------ */

/* The library, column major, sees the adjoint but for conjugation: see gesvj_data.h. */
struct matrix {
    svd_data d;
    void *work; /* what a run destroys: d.a if one run is all */
};

static int wants(const family_case *c, char side)
{
    const struct gesvd_args *a = c->job->args;
    return (side == 'u' ? a->left : a->right) || a->shape.jobz == 1;
}

static void options_of(family_case *c)
{
    if (c->m < 0)
        c->m = c->n;
    c->vectors = wants(c, 'u') || wants(c, 'v');
    c->complete = wants(c, 'u') && wants(c, 'v');
}

static double matrix_bytes(const family_case *c)
{
    return (double)c->m * (double)c->n * (double)orr_type_size(c->type);
}

/* The matrix, its copy, the adjoint of one with more rows than columns, U and V; with vectors also
 * reflectors of both stages, the bidiagonal solver's vectors and its workspace. Bands and factors of
 * tiles are 400 numbers for a row at most, and few where there are few columns. */
static double bytes(const family_case *c)
{
    const struct gesvd_args *a = c->job->args;
    const double m = (double)c->m, n = (double)c->n, k = fmin(m, n), all = matrix_bytes(c);
    const double size = (double)orr_type_size(c->type);
    const double real = (double)orr_type_size(orr_type_real(c->type));
    const int lapack = single_method(&a->shape) == ORR_DENSE_LAPACK;
    const double vectors =
        lapack ? (m + n) * k * size + 4 * k * k * size : all + k * k * size + 4 * k * k * real;
    return svd_bytes(c->type, 1, c->m, c->n, wants(c, 'u'), wants(c, 'v')) +
           (c->keeps + (lapack || m > n)) * all + c->vectors * vectors +
           fmin(400, 2 * k) * (m + n) * size;
}

static double holds(const family_case *c)
{
    return svd_bytes(c->type, 1, c->m, c->n, wants(c, 'u'), wants(c, 'v')) +
           c->keeps * matrix_bytes(c);
}

static int read_matrix(family_case *c)
{
    const struct gesvd_args *a = c->job->args;
    struct matrix *x = c->state;
    const char *path = c->job->files.v[0];
    orr_npy array;
    int code = dense_read(path, &a->run, NULL, 0, &array);
    if (code != CLI_OK)
        return code;
    if (array.ndim != 2) {
        cli_say("%s: the array has %d dimension%s; expected (m, n). Batches: orrery gesvj", path,
                array.ndim, cli_plural(array.ndim));
        orr_npy_free(&array);
        return CLI_FILE;
    }
    code = svd_adopt(&x->d, &array, path, cli_type_word(&a->type, 0), wants(c, 'u'), wants(c, 'v'));
    c->type = x->d.type;
    c->m = x->d.m;
    c->n = x->d.n;
    c->taken = matrix_bytes(c);
    return code;
}

static int look(family_case *c, const orr_shape *s)
{
    c->m = s->shape[0];
    c->n = s->shape[1];
    if (s->ndim == 2)
        return CLI_OK;
    cli_say("%s: not one matrix, of two dimensions", c->job->files.v[0]);
    return CLI_FILE;
}

static int random_matrix(family_case *c, uint64_t seed)
{
    const struct gesvd_args *a = c->job->args;
    struct matrix *x = c->state;
    void *memory = malloc((size_t)(c->m * c->n) * orr_type_size(c->type) + 1);
    if (!memory)
        return CLI_MEMORY;
    const int code =
        svd_allocate(&x->d, c->type, 1, c->m, c->n, memory, wants(c, 'u'), wants(c, 'v'));
    return code == CLI_OK ? svd_fill(&x->d, a->kind, seed) : code;
}

static int make(family_case *c)
{
    struct matrix *x = c->state;
    c->problem = &x->d;
    c->columns = c->n;
    x->work = c->keeps ? malloc((size_t)(c->m * c->n) * orr_type_size(c->type) + 1) : x->d.a;
    return x->work ? CLI_OK : CLI_MEMORY;
}

static void drop(family_case *c)
{
    struct matrix *x = c->state;
    if (x->work != x->d.a)
        free(x->work);
    svd_free(&x->d);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static void prepare(family_case *c)
{
    struct matrix *x = c->state;
    if (x->work != x->d.a)
        memcpy(x->work, x->d.a, (size_t)(c->m * c->n) * orr_type_size(c->type));
}

static orr_status call(family_case *c, cli_progress *progress, orr_report *report)
{
    static const int qr[] = {0, 1, -1};
    static char any[1];
    const struct gesvd_args *a = c->job->args;
    const struct matrix *x = c->state;
    const orr_gesvd_opts opts = {.band = c->shape[0],
                                 .tile = c->shape[1],
                                 .qr = qr[a->qr],
                                 .place = family_place(a->shape.place),
                                 .method = single_method(&a->shape),
                                 .progress = progress ? cli_progress_update : NULL,
                                 .progress_arg = progress};
    const int64_t ldx = c->n > 0 ? c->n : 1, ldy = c->m > 0 ? c->m : 1;
    if (c->planned)
        return orr_gesvd(c->context, c->type, c->n, c->m, any, ldx, any, wants(c, 'v') ? any : NULL,
                         ldx, wants(c, 'u') ? any : NULL, ldy, &opts, report);
    return orr_gesvd(c->context, c->type, c->n, c->m, x->work, ldx, x->d.s, x->d.x, ldx, x->d.y,
                     ldy, &opts, report);
}

/* As LAPACK reduces, and applies reflectors to vectors; the bidiagonal solver is not counted. */
static double operations(const family_case *c)
{
    const double m = (double)c->m, n = (double)c->n, k = fmin(m, n), l = fmax(m, n);
    return ((c->complete ? 8 : 4) * l * k * k - 4.0 / 3 * k * k * k) * number_cost(c->type);
}

static void verify(const family_case *c, int threads, cli_record *rec)
{
    const svd_data *d = c->problem;
    rec->values = gesvd_value_error(d, threads);
    if (c->complete) {
        rec->residual = gesvd_residual(d, threads);
        rec->orthogonality = gesvd_orthogonality(d);
    }
}

static int deliver(const family_case *c, cli_text *results)
{
    const struct gesvd_args *a = c->job->args;
    const svd_data *d = c->problem;
    FILE *out = c->job->table;
    const answer_values values = svd_values(d, 0);
    answer_print(out, &a->run, c->job->files.v[0], &values);
    answer_json(results, &a->run, "singular_values", &values, 1);
    int code = svd_write(out, d, 's', 0, a->values);
    code = cli_worse(code, svd_write(out, d, 'u', 0, a->left));
    return cli_worse(code, svd_write(out, d, 'v', 0, a->right));
}

/* ---- The family ----------------------------------------------------------------------------- */

static const char *wrong(cli_job *job)
{
    const struct gesvd_args *a = job->args;
    if ((a->left || a->right) && a->shape.jobz == 0)
        return "--left and --right contradict --jobz N";
    if (a->qr && single_method(&a->shape) == ORR_DENSE_LAPACK)
        return "--method lapack chooses itself whether there is a --qr";
    for (int64_t k = 0; k < a->shape.band.n; k++)
        if (a->shape.band.v[k] > 512)
            return "--band is at most 512";
    return single_wrong(&a->shape);
}

static const struct gesvd_args defaults = {.kind = -1, .shape = {.jobz = -1}};

const cli_family gesvd_family = {
    .files = 1,
    .state_size = sizeof(struct matrix),
    .args_size = sizeof(struct gesvd_args),
    .defaults = &defaults,
    .bench_choice = "kind",
    .axis = {{"m", offsetof(family_case, m), -1, 1},
             {"n", offsetof(family_case, n), -1, 1},
             SINGLE_AXES},
    .output = {"values", "left", "right"},
    .unit = "max(m,n) eps |A|",
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
    .peers = SVD_GESVJ,
    .peer = gesvd_reference,
    .peer_name = gesvd_reference_name,
};
