/* NumPy arrays from files, streams and memory.
 *
 *     source -> magic, version -> header -> size check -> elements -> C order
 *
 * Elements of a native float type are read into place; others pass through a small
 * buffer, where bytes are swapped and integers become doubles. Memory is asked for after
 * the size of the file has vouched for the shape; where a source has no size, as the data
 * arrive, twice as much each time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/internal.h"

enum { HEADER_MAX = 1 << 16, STEP = 1 << 16, FIRST = 1 << 20 };

typedef struct {
    orr_input *in;
    int64_t start; /* where the array begins in the source */
    int64_t max_bytes;
    orr_npy_header h;
    orr_npy *a;
    orr_io_error *err;
} reader;

static orr_status bad(const reader *r, const char *message)
{
    return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->in->pos, "%s", message);
}

static orr_status ended(const reader *r, const char *where)
{
    char why[96];
    if (r->in->error)
        return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->in->pos, "cannot read: %s",
                           orr_io_strerror(why, sizeof why, r->in->error));
    return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->in->pos, "the file ends in %s",
                       where);
}

/* ---- header ---- */

/* Printable bytes, those of UTF-8 among them, blanks and ends of lines. */
static int is_text(const unsigned char *p, size_t n)
{
    size_t k = 0;
    while (k < n && p[k] != 0x7f && (p[k] >= ' ' || (p[k] && strchr("\t\r\n", p[k]))))
        k++;
    return k == n;
}

static orr_status no_magic(const reader *r, const unsigned char *p, size_t n)
{
    const char *what = "this is not a .npy file";
    if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        what = "the file is compressed with gzip; .npy files are read uncompressed";
    else if (n >= 4 && memcmp(p, "PK\x03\x04", 4) == 0)
        what = "this is a zip archive; an array alone is read, in a .npy file";
    else if (n >= 6 && memcmp(p, "%%Matr", 6) == 0)
        what = "this is a Matrix Market file; its name should end in .mtx";
    else if (n >= 8 && memcmp(p, "MATLAB 5", 8) == 0)
        what = "this is a file of MATLAB; save the matrix as text, -ascii";
    else if (n >= 4 && memcmp(p, "\x89HDF", 4) == 0)
        what = "this is an HDF5 file; an array alone is read, in a .npy file";
    else if (is_text(p, n))
        what = "this looks like text; its name should end in .txt or .csv";
    return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->start, "%s", what);
}

/* *eof (if not NULL): the source ended before the array. */
static orr_status read_header(reader *r, int *eof)
{
    unsigned char p[8], length[4];
    size_t n = orr_input_fill(r->in, p, sizeof p);
    if (n == 0 && eof && !r->in->error) {
        *eof = 1;
        return ORR_OK;
    }
    if (n == 0 && !r->in->error)
        return bad(r, "the file is empty");
    if (memcmp(p, "\x93NUMPY", n < 6 ? n : 6) != 0)
        return no_magic(r, p, n);
    if (n < sizeof p)
        return ended(r, "the header");
    if (p[6] < 1 || p[6] > 3 || p[7] != 0) {
        return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->start + 6,
                           "version %d.%d of the format is not known (1.0 to 3.0 are)", p[6], p[7]);
    }
    size_t bytes = p[6] == 1 ? 2 : 4;
    if (orr_input_fill(r->in, length, bytes) < bytes)
        return ended(r, "the header");
    size_t size = length[0] | (size_t)length[1] << 8;
    if (bytes == 4)
        size |= (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (size > HEADER_MAX)
        return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->start + 8,
                           "the header has %zu bytes; %d are the limit", size, HEADER_MAX);
    char *text = malloc(size + 1);
    if (!text)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->in->name, -1, -1, "out of memory");
    int64_t base = r->in->pos;
    orr_status s = orr_input_fill(r->in, text, size) < size
                       ? ended(r, "the header")
                       : orr_npy_header_parse(text, size, base, r->in->name, &r->h, r->err);
    free(text);
    return s;
}

/* ---- elements ---- */

static orr_type memory_type(const orr_npy_header *h)
{
    if (h->kind == 'c')
        return h->size == 8 ? ORR_C : ORR_Z;
    if (h->kind == 'f')
        return h->size == 2 ? ORR_H : h->size == 4 ? ORR_S : ORR_D;
    return ORR_D;
}

static void swap_bytes(unsigned char *p, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            unsigned char t = p[i + a];
            p[i + a] = p[i + b];
            p[i + b] = t;
        }
}

/* The native integer of `size` bytes at p, as a magnitude and its sign. */
static uint64_t magnitude(const unsigned char *p, char kind, int size, int *negative)
{
    uint64_t u = 0;
    int8_t i1;
    int16_t i2;
    int32_t i4;
    int64_t v = 0;
    uint16_t u2;
    uint32_t u4;
    *negative = 0;
    if (kind == 'b')
        return p[0] != 0;
    switch (size) {
    case 1:
        memcpy(&i1, p, 1);
        v = i1;
        u = p[0];
        break;
    case 2:
        memcpy(&i2, p, 2);
        memcpy(&u2, p, 2);
        v = i2;
        u = u2;
        break;
    case 4:
        memcpy(&i4, p, 4);
        memcpy(&u4, p, 4);
        v = i4;
        u = u4;
        break;
    default: memcpy(&v, p, 8); memcpy(&u, p, 8);
    }
    if (kind == 'u' || v >= 0)
        return u;
    *negative = 1;
    return 0 - (uint64_t)v;
}

/* Where element k of the file stands, as "[i, j]". */
static void index_text(const orr_npy_header *h, int64_t k, char *out, size_t cap)
{
    int64_t at[ORR_NPY_MAXDIM];
    size_t n = 0;
    for (int d = 0; d < h->ndim; d++) {
        int e = h->fortran ? d : h->ndim - 1 - d;
        at[e] = k % h->shape[e];
        k /= h->shape[e];
    }
    out[0] = '\0';
    for (int d = 0; d < h->ndim && n < cap; d++)
        n += (size_t)snprintf(out + n, cap - n, "%s%" PRId64, d ? ", " : "", at[d]);
}

/* n elements from the file's form to doubles; first: the number of the first one. */
static orr_status to_double(const reader *r, const unsigned char *from, int64_t n, int64_t first,
                            double *to)
{
    const orr_npy_header *h = &r->h;
    for (int64_t k = 0; k < n; k++) {
        int negative;
        uint64_t u = magnitude(from + k * h->size, h->kind, h->size, &negative);
        if (u > (uint64_t)1 << 53) {
            char where[96];
            index_text(h, first + k, where, sizeof where);
            return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->in->pos - (n - k) * h->size,
                               "element [%s] is %s%" PRIu64
                               ": beyond 2^53, a double cannot hold it",
                               where, negative ? "-" : "", u);
        }
        to[k] = negative ? -(double)u : (double)u;
    }
    return ORR_OK;
}

/* Reads elements first ... first + n - 1 to their place. */
static orr_status read_some(reader *r, int64_t first, int64_t n)
{
    const orr_npy_header *h = &r->h;
    size_t size = orr_io_type_size(r->a->type);
    unsigned char *to = (unsigned char *)r->a->data + (size_t)first * size;
    int number = h->kind == 'f' || h->kind == 'c';
    if (number) {
        size_t bytes = (size_t)n * size;
        if (orr_input_fill(r->in, to, bytes) < bytes)
            return ended(r, "the data");
        if (h->swap)
            swap_bytes(to, bytes, h->kind == 'c' ? size / 2 : size);
        return ORR_OK;
    }
    unsigned char buffer[STEP];
    int64_t step = STEP / h->size;
    for (int64_t k = 0; k < n; k += step) {
        int64_t some = n - k < step ? n - k : step;
        size_t bytes = (size_t)some * (size_t)h->size;
        if (orr_input_fill(r->in, buffer, bytes) < bytes)
            return ended(r, "the data");
        if (h->swap)
            swap_bytes(buffer, bytes, (size_t)h->size);
        orr_status s = to_double(r, buffer, some, first + k, (double *)to + k);
        if (s != ORR_OK)
            return s;
    }
    return ORR_OK;
}

static orr_status read_elements(reader *r)
{
    const orr_npy_header *h = &r->h;
    int64_t size = (int64_t)orr_io_type_size(r->a->type);
    int64_t bytes = h->count * h->size, have = 0;
    if (r->in->size >= 0 && r->in->size - r->in->pos < bytes)
        return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->in->size,
                           "the file ends early: its shape needs %" PRId64
                           " bytes of data, %" PRId64 " are there",
                           bytes, r->in->size - r->in->pos);
    if (r->max_bytes > 0 && h->count * size > r->max_bytes)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->in->name, -1, r->start,
                           "the array has %" PRId64 " bytes, more than the %" PRId64 " allowed",
                           h->count * size, r->max_bytes);
    do {
        int64_t want = h->count;
        if (r->in->size < 0 && want > FIRST / size && want > 2 * have)
            want = have ? 2 * have : FIRST / size;
        void *p = realloc(r->a->data, want ? (size_t)(want * size) : 1);
        if (!p)
            return orr_io_fail(r->err, ORR_E_NOMEM, r->in->name, -1, -1,
                               "out of memory for %" PRId64 " bytes", want * size);
        r->a->data = p;
        orr_status s = read_some(r, have, want - have);
        if (s != ORR_OK)
            return s;
        have = want;
    } while (have < h->count);
    return ORR_OK;
}

/* ---- Fortran order ---- */

/* out in C order = in in Fortran order, for elements of one size; first and last index are
 * walked in squares so that both sides stay in cache. */
static inline void reorder(char *out, const char *in, const int64_t *s, const size_t size)
{
    enum { SQUARE = 32 };
    for (int64_t b = 0; b < s[1]; b++)
        for (int64_t c = 0; c < s[2]; c++)
            for (int64_t a0 = 0; a0 < s[0]; a0 += SQUARE)
                for (int64_t d0 = 0; d0 < s[3]; d0 += SQUARE) {
                    int64_t a1 = a0 + SQUARE < s[0] ? a0 + SQUARE : s[0];
                    int64_t d1 = d0 + SQUARE < s[3] ? d0 + SQUARE : s[3];
                    for (int64_t a = a0; a < a1; a++)
                        for (int64_t d = d0; d < d1; d++)
                            memcpy(out + (size_t)(((a * s[1] + b) * s[2] + c) * s[3] + d) * size,
                                   in + (size_t)(((d * s[2] + c) * s[1] + b) * s[0] + a) * size,
                                   size);
                }
}

static orr_status to_c_order(reader *r)
{
    orr_npy *a = r->a;
    int64_t s[4] = {1, 1, 1, 1};
    int longer = 0; /* dimensions larger than 1 */
    for (int d = 0; d < a->ndim; d++)
        longer += a->shape[d] > 1;
    if (!r->h.fortran || longer < 2 || r->h.count == 0)
        return ORR_OK;
    /* The last dimension goes last, missing ones become ones in between. */
    for (int d = 0; d < a->ndim - 1; d++)
        s[d] = a->shape[d];
    s[3] = a->shape[a->ndim - 1];
    size_t size = orr_io_type_size(a->type);
    char *out = malloc((size_t)r->h.count * size);
    if (!out)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->in->name, -1, -1,
                           "out of memory to change the order of %" PRId64 " elements", r->h.count);
    switch (size) { /* a constant size makes each memcpy one move */
    case 2: reorder(out, a->data, s, 2); break;
    case 4: reorder(out, a->data, s, 4); break;
    case 8: reorder(out, a->data, s, 8); break;
    default: reorder(out, a->data, s, 16);
    }
    free(a->data);
    a->data = out;
    return ORR_OK;
}

/* ---- entry points ---- */

static orr_status at_end(reader *r)
{
    char byte;
    if (r->in->size >= 0 && r->in->pos < r->in->size)
        return orr_io_fail(r->err, ORR_E_FILE, r->in->name, -1, r->in->pos,
                           "%" PRId64 " byte%s the array", r->in->size - r->in->pos,
                           r->in->size - r->in->pos == 1 ? " follows" : "s follow");
    if (orr_input_fill(r->in, &byte, 1) == 1) {
        r->in->pos--;
        return bad(r, "more data follow the array");
    }
    return r->in->error ? ended(r, "the data") : ORR_OK;
}

/* eof: NULL if there must be an array. alone: nothing may follow it. */
static orr_status read_array(orr_input *in, int64_t max_bytes, int *eof, int alone, orr_npy *a,
                             orr_io_error *err)
{
    reader r = {.in = in, .start = in->pos, .max_bytes = max_bytes, .a = a, .err = err};
    orr_status s = read_header(&r, eof);
    if (s != ORR_OK || (eof && *eof))
        return s;
    a->type = memory_type(&r.h);
    a->ndim = r.h.ndim;
    memcpy(a->shape, r.h.shape, sizeof a->shape);
    s = read_elements(&r);
    if (s == ORR_OK && alone)
        s = at_end(&r);
    if (s == ORR_OK)
        s = to_c_order(&r);
    if (s != ORR_OK)
        orr_npy_free(a);
    return s;
}

orr_status orr_npy_shape(orr_input *in, orr_shape *s, orr_io_error *err)
{
    reader r = {.in = in, .start = in->pos, .err = err};
    const orr_status st = read_header(&r, NULL);
    if (st == ORR_OK) {
        *s = (orr_shape){.type = memory_type(&r.h), .ndim = r.h.ndim, .entries = -1};
        memcpy(s->shape, r.h.shape, sizeof s->shape);
    }
    return st;
}

orr_status orr_npy_read(const char *path, int64_t max_bytes, orr_npy *a, orr_io_error *err)
{
    orr_input in;
    if (!orr_io_begin(path, a, sizeof *a, err))
        return ORR_E_ARG;
    orr_status s = orr_input_open(&in, path, err);
    if (s == ORR_OK)
        s = read_array(&in, max_bytes, NULL, 1, a, err);
    orr_input_close(&in);
    return s;
}

orr_status orr_npy_read_stream(void *file, const char *name, int64_t max_bytes, orr_npy *a,
                               int *eof, orr_io_error *err)
{
    orr_input in;
    int ignored = 0;
    orr_io_clear(err);
    if (!a)
        return ORR_E_ARG;
    *a = (orr_npy){0};
    eof = eof ? eof : &ignored;
    *eof = 0;
    if (!file)
        return ORR_E_ARG;
    orr_input_stream(&in, file, name ? name : "(stream)");
    return read_array(&in, max_bytes, eof, 0, a, err);
}

orr_status orr_npy_from(orr_input *in, int64_t max_bytes, orr_npy *a, orr_io_error *err)
{
    *a = (orr_npy){0};
    return read_array(in, max_bytes, NULL, 1, a, err);
}

orr_status orr_npy_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                         orr_npy *a, orr_io_error *err)
{
    orr_input in;
    orr_io_clear(err);
    orr_input_memory(&in, data, n, name);
    return orr_npy_from(&in, max_bytes, a, err);
}

void orr_npy_free(orr_npy *a)
{
    if (!a)
        return;
    free(a->data);
    *a = (orr_npy){0};
}
