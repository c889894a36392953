/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/gesvj_data.h"
#include "src/cli/core/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int svd_allocate(svd_data *d, orr_type type, int64_t count, int64_t m, int64_t n, void *a, int left,
                 int right)
{
    const int64_t k = m < n ? m : n;
    const size_t size = orr_type_size(type);
    *d = (svd_data){.type = type, .count = count, .m = m, .n = n, .k = k, .a = a};
    d->s = malloc((size_t)(count * k) * size + 1);
    d->x = right ? malloc((size_t)(count * n * k) * size + 1) : NULL;
    d->y = left ? malloc((size_t)(count * m * k) * size + 1) : NULL;
    d->info = calloc((size_t)count + 1, sizeof *d->info);
    if (d->s && d->info && (d->x || !right) && (d->y || !left))
        return CLI_OK;
    cli_say("out of memory");
    svd_free(d);
    return CLI_MEMORY;
}

void svd_free(svd_data *d)
{
    free(d->a);
    free(d->s);
    free(d->x);
    free(d->y);
    free(d->info);
    *d = (svd_data){0};
}

double svd_bytes(orr_type type, int64_t count, int64_t m, int64_t n, int left, int right)
{
    const double k = (double)(m < n ? m : n);
    const double each =
        (double)m * (double)n + k * (1 + (left ? (double)m : 0) + (right ? (double)n : 0));
    return (double)count * (each * (double)orr_type_size(type) + sizeof(orr_matrix_info));
}

/* ---- Files -------------------------------------------------------------------------------- */

/* To another type. Imaginary parts are never dropped silently. */
static int convert(orr_npy *a, const char *name, orr_type type)
{
    int64_t total = 1;
    for (int i = 0; i < a->ndim; i++)
        total *= a->shape[i];
    if (!number_is_complex(type) && number_is_complex(a->type)) {
        cli_say("%s: complex numbers cannot become type %c", name, orr_type_letter(type));
        return CLI_FILE;
    }
    void *to = malloc((size_t)total * orr_type_size(type) + 1);
    if (!to) {
        cli_say("%s: out of memory", name);
        return CLI_MEMORY;
    }
    for (int64_t i = 0; i < total; i++)
        number_put(type, to, i, number_get(a->type, a->data, i));
    free(a->data);
    a->data = to;
    a->type = type;
    return CLI_OK;
}

int svd_check_memory(const cli_run *run, const orr_npy *a, const char *name, int type, int left,
                     int right)
{
    if ((a->ndim != 2 && a->ndim != 3) || a->type >= ORR_NTYPES)
        return CLI_OK;
    const int64_t *shape = a->shape + (a->ndim == 3), count = a->ndim == 3 ? a->shape[0] : 1;
    const orr_type t = type >= 0 ? (orr_type)type : a->type;
    const double there = run->max_memory > 0 ? 0
                                             : (double)count * (double)shape[0] * (double)shape[1] *
                                                   (double)orr_type_size(t);
    return cli_check_memory(run, svd_bytes(t, count, shape[0], shape[1], left, right) - there,
                            name);
}

int svd_adopt(svd_data *d, orr_npy *a, const char *name, int type, int left, int right)
{
    int code = CLI_OK;
    *d = (svd_data){0};
    if ((a->ndim != 2 && a->ndim != 3) || a->type >= ORR_NTYPES) {
        cli_say("%s: %s", name,
                a->type >= ORR_NTYPES ? "half precision (float16); convert it: a.astype('float32')"
                                      : "the array is neither (m, n) nor (batch, m, n)");
        code = CLI_FILE;
    }
    if (code == CLI_OK && type >= 0 && a->type != (orr_type)type)
        code = convert(a, name, (orr_type)type);
    if (code == CLI_OK) {
        const int64_t *shape = a->shape + (a->ndim == 3);
        void *data = a->data;
        a->data = NULL; /* svd_allocate frees it if it fails */
        code = svd_allocate(d, a->type, a->ndim == 3 ? a->shape[0] : 1, shape[0], shape[1], data,
                            left, right);
    }
    orr_npy_free(a);
    return code;
}

/* Column-major rows x k -> row-major, conjugated; all matrices. */
static void *as_columns(const svd_data *d, const void *from, int64_t rows)
{
    const int64_t k = d->k;
    void *to = malloc((size_t)(d->count * rows * k) * orr_type_size(d->type) + 1);
    for (int64_t l = 0; to && l < d->count; l++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < k; j++)
                number_put(d->type, to, (l * rows + i) * k + j,
                           conj(number_get(d->type, from, (l * k + j) * rows + i)));
    return to;
}

int svd_write(FILE *out, const svd_data *d, char which, int batch, const char *path)
{
    const int64_t rows = which == 'u' ? d->m : d->n;
    const int64_t values[] = {d->count, d->k}, vectors[] = {d->count, rows, d->k};
    if (!path)
        return CLI_OK;
    if (which == 's')
        return answer_write(out, "singular values", path, orr_type_real(d->type), 1 + batch,
                            values + !batch, 0, d->s);
    void *columns = as_columns(d, which == 'u' ? d->y : d->x, rows);
    if (!columns)
        cli_say("%s: out of memory", path);
    const int code = columns ? answer_write(out, which == 'u' ? "U" : "V", path, d->type, 2 + batch,
                                            vectors + !batch, 0, columns)
                             : CLI_MEMORY;
    free(columns);
    return code;
}

answer_values svd_values(const svd_data *d, int batch)
{
    return (answer_values){.what = "singular values",
                           .order = "descending",
                           .batch = batch,
                           .type = orr_type_real(d->type),
                           .count = d->count,
                           .columns = d->k,
                           .v = d->s};
}

orr_gesvj_frame svd_frame(const svd_data *d, int64_t i)
{
    const size_t size = orr_type_size(d->type), real = orr_type_size(orr_type_real(d->type));
    return (orr_gesvj_frame){
        .type = d->type,
        .m = d->n,
        .n = d->m,
        .a = (const char *)d->a + (size_t)(i * d->m * d->n) * size,
        .s = (char *)d->s + (size_t)(i * d->k) * real,
        .u = d->x ? (char *)d->x + (size_t)(i * d->n * d->k) * size : NULL,
        .v = d->y ? (char *)d->y + (size_t)(i * d->m * d->k) * size : NULL,
    };
}

/* ---- Random matrices ---------------------------------------------------------------------- */

const char svd_kinds[] = "gaussian|geometric";

static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)(*state * 0x2545F4914F6CDD1Dull >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

void zgeqrf_(const int *, const int *, double complex *, const int *, double complex *,
             double complex *, const int *, int *);
void zungqr_(const int *, const int *, const int *, double complex *, const int *, double complex *,
             double complex *, const int *, int *);
void zgemm_(const char *, const char *, const int *, const int *, const int *,
            const double complex *, const double complex *, const int *, const double complex *,
            const int *, const double complex *, double complex *, const int *);

/* q := the first k columns of a random unitary matrix of order n >= k. */
static int random_unitary(int n, int k, int is_complex, uint64_t *state, double complex *q)
{
    const int lwork = 32 * k + 1;
    int info;
    double complex *tau = malloc((size_t)k * sizeof *tau),
                   *work = malloc((size_t)lwork * sizeof *work);
    for (int64_t i = 0; i < (int64_t)n * k; i++)
        q[i] = normal(state) + (is_complex ? I * normal(state) : 0);
    if (tau && work) {
        zgeqrf_(&n, &k, q, &n, tau, work, &lwork, &info);
        zungqr_(&n, &k, &k, q, &n, tau, work, &lwork, &info);
    }
    const int ok = tau && work;
    free(tau);
    free(work);
    return ok;
}

static int fill_geometric(svd_data *d, int64_t l, int is_complex, uint64_t *state)
{
    /* column major m x n would do as well: U and V are as random the other way round */
    const int m = (int)d->n, n = (int)d->m, k = (int)d->k;
    const double complex one = 1, zero = 0;
    const size_t each = sizeof(double complex);
    double complex *u = malloc((size_t)(m * k) * each), *v = malloc((size_t)(n * k) * each);
    double complex *a = malloc((size_t)m * (size_t)n * each);
    int ok = u && v && a && random_unitary(m, k, is_complex, state, u) &&
             random_unitary(n, k, is_complex, state, v);
    if (ok) {
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < m; i++)
                u[j * m + i] *= pow(10, k > 1 ? -6.0 * (double)j / (double)(k - 1) : 0);
        zgemm_("N", "C", &m, &n, &k, &one, u, &m, v, &n, &zero, a, &m);
        for (int64_t i = 0; i < d->m * d->n; i++)
            number_put(d->type, d->a, l * d->m * d->n + i, a[i]);
    }
    free(u);
    free(v);
    free(a);
    return ok;
}

int svd_fill(svd_data *d, int kind, uint64_t seed)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15ull + 0x1234567;
    const int is_complex = number_is_complex(d->type);
    int ok = 1;
    for (int64_t l = 0; l < d->count && ok; l++)
        if (kind == 1 && d->k > 0)
            ok = fill_geometric(d, l, is_complex, &state);
        else
            for (int64_t i = 0; i < d->m * d->n; i++) {
                const double re = normal(&state), im = is_complex ? normal(&state) : 0;
                number_put(d->type, d->a, l * d->m * d->n + i, re + I * im);
            }
    return ok ? CLI_OK : CLI_MEMORY;
}
