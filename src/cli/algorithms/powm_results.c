/* The eigenpairs of orrery powm: printed, written, recorded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "src/cli/algorithms/powm_job.h"
#include "src/cli/core/answer.h"

static void print_pair(const orr_eigenpair *e, int k, int singular)
{
    char re[ORR_NUMBER_TEXT], im[ORR_NUMBER_TEXT], low[ORR_NUMBER_TEXT], high[ORR_NUMBER_TEXT];
    printf("%-3d %-24s", k + 1, orr_number_text(re, ORR_D, e->re));
    if (!singular)
        printf(" %-24s", orr_number_text(im, ORR_D, e->im));
    printf(" %.3g", e->relative);
    if (e->low <= e->high)
        printf(" [%s, %s]", orr_number_text(low, ORR_D, e->low),
               orr_number_text(high, ORR_D, e->high));
    printf("%s\n", e->dominant ? " dominant" : "");
}

void powm_print(const struct powm_args *a, const char *name, const orr_eigenpair *e,
                const orr_powm_result *r)
{
    enum { LONG = 40, EDGE = 10 };
    const int found = r->found, cut = found > LONG && !a->run.all, singular = a->singular;
    char largest[ORR_NUMBER_TEXT + 32];
    snprintf(largest, sizeof largest, "|Av - lambda v| / %.3g", r->largest);
    answer_heading(stdout, singular ? "singular values" : "eigenvalues", name);
    printf("%d%s\n# k %s, relative residual, certain interval\n", found,
           cut ? " (--all prints all)" : "", singular ? "value" : "re im");
    for (int k = 0; k < found; k++) {
        if (cut && k == EDGE) {
            puts("...");
            k = found - EDGE;
        }
        print_pair(&e[k], k, singular);
    }
    printf("# %d of %d with a residual %s of at most %g\n", r->converged, r->found,
           singular                  ? "|A'Av - sigma^2 v| / sigma^2"
           : a->which == ORR_POWM_LM ? "|Av - lambda v| / |lambda|"
                                     : largest,
           r->tol);
}

int powm_write_values(FILE *out, const char *path, const orr_eigenpair *e, int found)
{
    const int64_t shape[1] = {found};
    int complex_values = 0;
    double *v = calloc(2 * (size_t)found + 1, sizeof *v);
    if (!v)
        return CLI_MEMORY;
    for (int k = 0; k < found; k++)
        complex_values |= e[k].im != 0;
    for (int k = 0; k < found; k++) {
        v[complex_values ? 2 * k : k] = e[k].re;
        if (complex_values)
            v[2 * k + 1] = e[k].im;
    }
    const int code =
        answer_write(out, "eigenvalues", path, complex_values ? ORR_Z : ORR_D, 1, shape, 0, v);
    free(v);
    return code;
}

/* Columns re, im of a conjugate pair -> complex columns. size: of the real type. */
static void widen(const void *from, int64_t n, int found, const orr_eigenpair *e, int single,
                  void *to)
{
    for (int k = 0; k < found; k++) {
        const int pair = e[k].im != 0, second = pair && e[k].im < 0;
        const int64_t re = (k - second) * n, im = re + n;
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = 2 * (k * n + i);
            if (single) {
                const float *v = from;
                ((float *)to)[at] = v[re + i];
                ((float *)to)[at + 1] = pair ? (second ? -v[im + i] : v[im + i]) : 0;
            } else {
                const double *v = from;
                ((double *)to)[at] = v[re + i];
                ((double *)to)[at + 1] = pair ? (second ? -v[im + i] : v[im + i]) : 0;
            }
        }
    }
}

int powm_write_vectors(FILE *out, const char *path, orr_type t, int64_t n, const orr_eigenpair *e,
                       int found, const void *v)
{
    const int64_t shape[2] = {n, found};
    const int real_type = t == ORR_S || t == ORR_D;
    int complex_values = 0;
    void *wide = NULL;
    for (int k = 0; k < found; k++)
        complex_values |= e[k].im != 0;
    if (real_type && complex_values) {
        wide = malloc((size_t)n * (size_t)found * 2 * orr_type_size(t) + 1);
        if (!wide)
            return CLI_MEMORY;
        widen(v, n, found, e, t == ORR_S, wide);
        t = t == ORR_S ? ORR_C : ORR_Z;
    }
    const int code = answer_write(out, "eigenvectors", path, t, 2, shape, 1, wide ? wide : v);
    free(wide);
    return code;
}

static void put_value(cli_text *t, const char *before, double x)
{
    if (isfinite(x))
        cli_put(t, "%s%.17g", before, x);
    else
        cli_put(t, "%snull", before);
}

int powm_record(cli_job *job, const orr_context_info *ci, const orr_sparse_info *info,
                const char *matrix, const orr_eigenpair *e, const orr_powm_result *r,
                const orr_report *rep, cli_record *c)
{
    cli_text t = {0};
    sparse_record(c, &t, job, "powm", ci, info, "matrix", matrix, rep);
    c->n = info->cols;
    c->m = info->rows;
    c->gflops = 2e-9 * (double)info->nnz * (double)r->products / c->seconds.median;
    c->sweeps = r->steps;
    cli_put(
        &t,
        ",\"products\":%lld,\"tol\":%.17g,\"found\":%d,\"converged\":%d,\"name\":\"%s\",\"largest\":",
        (long long)r->products, r->tol, r->found, r->converged, r->name);
    put_value(&t, "", r->largest);
    cli_put(&t, ",\"note\":");
    cli_put_json(&t, r->note);
    cli_put(&t, ",\"eigenvalues\":[");
    for (int k = 0; k < r->found; k++) {
        put_value(&t, k ? ",[" : "[", e[k].re);
        put_value(&t, ",", e[k].im);
        cli_put(&t, "]");
    }
    cli_put(&t, "],\"relative_residuals\":[");
    for (int k = 0; k < r->found; k++) {
        cli_put(&t, "%s", k ? "," : "");
        cli_put_number(&t, e[k].relative);
    }
    cli_put(&t, "]");
    c->extra = t.s;
    const int code = cli_sink_write(&job->sink, c);
    cli_text_free(&t);
    return code;
}
