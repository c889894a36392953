/* Dense matrices to text that numpy.loadtxt reads, and the shortest spelling of a number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/io/internal.h"

/* ---- numbers ---- */

/* The locale's decimal point, whatever its bytes, becomes a dot. */
static void mend_point(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (strchr("0123456789+-e", *from))
            *to++ = *from;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

const char *orr_number_text(char out[ORR_NUMBER_TEXT], orr_type real, double x)
{
    const int single = real == ORR_S, most = single ? 9 : 17;
    if (!isfinite(x)) {
        strcpy(out, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return out;
    }
    for (int digits = single ? 6 : 15; digits <= most; digits++) {
        snprintf(out, ORR_NUMBER_TEXT, "%.*g", digits, x);
        const double back = strtod(out, NULL);
        if (single ? (float)back == (float)x : back == x)
            break;
    }
    mend_point(out);
    return out;
}

/* ---- arrays ---- */

typedef struct {
    orr_type type;
    const void *data;
    char separator;
    FILE *file;
} writer;

static const char *text_at(const writer *w, int64_t k, char out[ORR_NUMBER_TEXT])
{
    if (w->type == ORR_S || w->type == ORR_C)
        return orr_number_text(out, ORR_S, ((const float *)w->data)[k]);
    return orr_number_text(out, ORR_D, ((const double *)w->data)[k]);
}

static void put_number(const writer *w, int64_t k)
{
    char re[ORR_NUMBER_TEXT], im[ORR_NUMBER_TEXT];
    if (w->type == ORR_S || w->type == ORR_D) {
        fputs(text_at(w, k, re), w->file);
        return;
    }
    text_at(w, 2 * k, re);
    text_at(w, 2 * k + 1, im);
    fprintf(w->file, "(%s%s%sj)", re, *im == '-' ? "" : "+", im);
}

/* Of the array's dimensions the last two are a matrix; a vector is a column. */
static void put_array(const writer *w, int ndim, const int64_t *shape, int fortran, int64_t count)
{
    const int64_t columns = ndim > 1 ? shape[ndim - 1] : 1;
    const int64_t rows = ndim > 1 ? shape[ndim - 2] : ndim ? shape[0] : 1;
    const int64_t stride = columns * rows; /* of matrices; in Fortran order there is one */
    for (int64_t k = 0; count && k < count / stride; k++) {
        if (ndim > 2 && w->separator == ' ')
            fprintf(w->file, "# [%lld]\n", (long long)k);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                put_number(w, fortran ? j * rows + i : k * stride + i * columns + j);
                fputc(j < columns - 1 ? w->separator : '\n', w->file);
            }
    }
}

static int ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcasecmp(path + n - m, suffix) == 0;
}

orr_status orr_array_write(const char *path, orr_type type, int ndim, const int64_t *shape,
                           int fortran, const void *data, orr_io_error *err)
{
    const int txt = path && ends_in(path, ".txt"), csv = path && ends_in(path, ".csv");
    int64_t count;
    if (!txt && !csv)
        return orr_npy_write(path, type, ndim, shape, fortran, data, err);
    orr_io_clear(err);
    if (orr_io_writable(path, type, ndim, shape, data, &count) != ORR_OK || type == ORR_H ||
        (fortran && ndim > 2))
        return ORR_E_ARG;
    orr_output out;
    int error = orr_output_open(&out, path);
    if (!error) {
        const writer w = {type, data, txt ? ' ' : ',', out.file};
        errno = 0;
        put_array(&w, ndim, shape, fortran, count);
        error = orr_output_close(&out);
    }
    return error ? orr_io_cannot(err, path, out.doing, error) : ORR_OK;
}
