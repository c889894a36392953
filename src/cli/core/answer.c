/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/answer.h"
#include "src/cli/core/numbers.h"

#include <math.h>
#include <string.h>

enum {
    LONG = 40, /* lines that are printed whole; of more, the first and last EDGE */
    EDGE = 10,
    LONG_ROW = 6, /* values of a matrix of a batch; of more, the first and last EDGE_ROW */
    EDGE_ROW = 3,
    WIDTH = 24,   /* of a double with all its digits, */
    WIDTH_S = 15, /* and of a float */
    MOST_JSON = 1000
};

static double at(const answer_values *a, int64_t k) { return number_real(a->type, a->v, k); }

/* The middle that is left out: from *first to before *last, or nothing. */
static void cut(const cli_run *run, int64_t n, int64_t longest, int64_t edge, int64_t *first,
                int64_t *last)
{
    *first = *last = n;
    if (n > longest && !run->all) {
        *first = edge;
        *last = n - edge;
    }
}

static void put_name(FILE *out, const char *path)
{
    cli_plain_text plain;
    fputs(cli_plain(strcmp(path, "-") ? path : "standard input", plain), out);
}

void answer_heading(FILE *out, const char *what, const char *path)
{
    fprintf(out, "# %s of ", what);
    put_name(out, path);
    fputs(": ", out);
}

static void end_heading(FILE *out, int is_cut)
{
    fputs(is_cut ? " (--all prints all)\n" : "\n", out);
}

static void print_row(FILE *out, const cli_run *run, const answer_values *a, int64_t row)
{
    char text[ORR_NUMBER_TEXT];
    const int width = a->type == ORR_S ? WIDTH_S : WIDTH;
    int64_t first, last;
    cut(run, a->columns, LONG_ROW, EDGE_ROW, &first, &last);
    for (int64_t j = 0; j < a->columns; j++) {
        if (j == first) {
            fputs(" ...", out);
            j = last;
        }
        fprintf(out, "%s%*s", j ? " " : "", width,
                orr_number_text(text, a->type, at(a, row * a->columns + j)));
    }
    fputc('\n', out);
}

void answer_print(FILE *out, const cli_run *run, const char *path, const answer_values *a)
{
    char text[ORR_NUMBER_TEXT];
    const int64_t lines = a->batch ? a->count : a->columns;
    int64_t first, last, row_first, row_last;
    if (!out)
        return;
    cut(run, lines, LONG, EDGE, &first, &last);
    cut(run, a->batch ? a->columns : 0, LONG_ROW, EDGE_ROW, &row_first, &row_last);
    answer_heading(out, a->what, path);
    if (a->batch)
        fprintf(out, "%lld %s, one per line, each ", (long long)a->count,
                a->count == 1 ? "matrix" : "matrices");
    fprintf(out, "%lld%s%s", (long long)a->columns, a->order ? ", " : "", a->order ? a->order : "");
    end_heading(out, first < last || row_first < row_last);
    for (int64_t k = 0; k < lines; k++) {
        if (k == first) {
            fputs("...\n", out);
            k = last;
        }
        if (a->batch)
            print_row(out, run, a, k);
        else
            fprintf(out, "%s\n", orr_number_text(text, a->type, at(a, k)));
    }
}

void answer_print_pairs(FILE *out, const cli_run *run, const char *path, const char *form,
                        orr_type type, int64_t n, const void *d, const void *e)
{
    char x[ORR_NUMBER_TEXT], y[ORR_NUMBER_TEXT];
    const answer_values diag = {.type = type, .v = d}, off = {.type = type, .v = e};
    int64_t first, last;
    if (!out)
        return;
    cut(run, n, LONG, EDGE, &first, &last);
    answer_heading(out, form, path);
    fprintf(out, "order %lld, diagonal and off-diagonal", (long long)n);
    end_heading(out, first < last);
    for (int64_t k = 0; k < n; k++) {
        if (k == first) {
            fputs("...\n", out);
            k = last;
        }
        orr_number_text(x, type, at(&diag, k));
        if (k < n - 1)
            fprintf(out, "%-*s %s\n", type == ORR_S ? WIDTH_S : WIDTH, x,
                    orr_number_text(y, type, at(&off, k)));
        else
            fprintf(out, "%s\n", x);
    }
}

void answer_check(FILE *out, const cli_record *r, const char *unit, double limit)
{
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"values", r->values}, {"residual", r->residual}, {"orthogonality", r->orthogonality}};
    int told = 0;
    for (size_t k = 0; out && k < sizeof figures / sizeof *figures; k++)
        if (!isnan(figures[k].value))
            fprintf(out, "%s %s %.3g", told++ ? "," : "# check:", figures[k].name,
                    figures[k].value);
    if (told)
        fprintf(out, " %s (limit %g)\n", unit, limit);
}

/* ---- Files ----------------------------------------------------------------------------- */

static const char *type_name(orr_type type)
{
    static const char *const names[] = {
        [ORR_S] = "float32", [ORR_D] = "float64", [ORR_C] = "complex64", [ORR_Z] = "complex128"};
    return names[type];
}

int answer_write(FILE *out, const char *what, const char *path, orr_type type, int ndim,
                 const int64_t *shape, int fortran, const void *data)
{
    orr_io_error error = {0};
    if (!path)
        return CLI_OK;
    const orr_status status = orr_array_write(path, type, ndim, shape, fortran, data, &error);
    if (status != ORR_OK) {
        cli_say("%s", error.message[0] ? error.message : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    if (!out)
        return CLI_OK;
    fprintf(out, "# wrote %s (", what);
    for (int k = 0; k < ndim; k++)
        fprintf(out, "%s%lld", k ? ", " : "", (long long)shape[k]);
    fprintf(out, "%s) %s to ", ndim == 1 ? "," : "", type_name(type));
    put_name(out, path);
    fputc('\n', out);
    return CLI_OK;
}

/* ---- Records --------------------------------------------------------------------------- */

static void json_row(cli_text *t, const answer_values *a, int64_t row)
{
    char text[ORR_NUMBER_TEXT];
    cli_put(t, "[");
    for (int64_t j = 0; j < a->columns; j++) {
        const double x = at(a, row * a->columns + j);
        cli_put(t, "%s%s", j ? "," : "", isfinite(x) ? orr_number_text(text, a->type, x) : "null");
    }
    cli_put(t, "]");
}

void answer_json(cli_text *t, const cli_run *run, const char *name, const answer_values *a,
                 int sets)
{
    const int lists = sets != 1 || a->batch;
    int64_t total = 0, rows = 0;
    for (int s = 0; s < sets; s++)
        total += a[s].count * a[s].columns;
    cli_put(t, "%s\"%s\":%s", t->n ? "," : "", name,
            total > MOST_JSON && !run->all ? "null"
            : lists                        ? "["
                                           : "");
    if (total > MOST_JSON && !run->all)
        return;
    for (int s = 0; s < sets; s++)
        for (int64_t k = 0; k < a[s].count; k++) {
            cli_put(t, rows++ ? "," : "");
            json_row(t, &a[s], k);
        }
    cli_put(t, lists ? "]" : "");
}
