/* The header of a .npy file: a Python dictionary of exactly three keys,
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *
 * read by hand. Nothing is evaluated; what is not of this form is an error with the byte
 * where it stands. Keys come in any order, integers may carry the L of Python 2.
 * Format: numpy.lib.format, versions 1.0 to 3.0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "src/io/internal.h"

enum { SHOWN = 40 };

typedef struct {
    const char *begin, *p, *end;
    int64_t base; /* offset of begin in the file */
    const char *name;
    orr_io_error *err;
} scanner;

static orr_status bad(const scanner *s, const char *message)
{
    return orr_io_fail(s->err, ORR_E_FILE, s->name, -1, s->base + (s->p - s->begin), "%s", message);
}

static void skip_space(scanner *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

/* 1 and behind it if the next thing is this character. */
static int take(scanner *s, char c)
{
    skip_space(s);
    if (s->p == s->end || *s->p != c)
        return 0;
    s->p++;
    return 1;
}

static int take_word(scanner *s, const char *word)
{
    size_t n = strlen(word);
    skip_space(s);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return 0;
    s->p += n;
    return 1;
}

/* A quoted string without escapes. */
static orr_status take_string(scanner *s, const char **text, size_t *n)
{
    skip_space(s);
    if (s->p == s->end || (*s->p != '\'' && *s->p != '"'))
        return bad(s, "expected a quoted word in the header");
    char quote = *s->p;
    const char *first = s->p + 1, *q = first;
    while (q < s->end && *q != quote && *q != '\\' && *q != '\n')
        q++;
    if (q == s->end || *q != quote)
        return bad(s, "a quoted word of the header does not end");
    *text = first;
    *n = (size_t)(q - first);
    s->p = q + 1;
    return ORR_OK;
}

static orr_status read_descr(scanner *s, orr_npy_header *h)
{
    static const char *const known[] = {"f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4",
                                        "i8", "u1", "u2", "u4", "u8",  "b1", NULL};
    const char *text;
    size_t n;
    skip_space(s);
    if (s->p < s->end && (*s->p == '[' || *s->p == '('))
        return bad(s, "the dtype is structured (it has fields); only plain numbers are read");
    const scanner at = *s; /* errors point at the dtype, not behind it */
    orr_status status = take_string(s, &text, &n);
    if (status != ORR_OK)
        return status;
    char order = n && strchr("<>=|", text[0]) && text[0] ? text[0] : 0;
    const char *type = text + (order != 0);
    size_t length = n - (order != 0);
    if (length == 1 && *type == '?') {
        type = "b1";
        length = 2;
    }
    if (length && (*type == 'O' || *type == 'V'))
        return bad(&at, *type == 'O' ? "the dtype is Python objects (pickle): never read"
                                     : "the dtype is raw bytes; only plain numbers are read");
    for (int k = 0; known[k]; k++) {
        if (strlen(known[k]) != length || memcmp(known[k], type, length) != 0)
            continue;
        h->kind = *type;
        h->size = type[1] - '0';
        if (length == 3)
            h->size = 16;
        if (h->size > 1 && (order == 0 || order == '|'))
            return bad(&at, "the dtype does not say its byte order");
        int big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
        h->swap = h->size > 1 && order == (big ? '<' : '>');
        return ORR_OK;
    }
    char shown[SHOWN];
    return orr_io_fail(s->err, ORR_E_FILE, s->name, -1, at.base + (at.p - at.begin),
                       "the dtype '%s' is not read; use f2 f4 f8 c8 c16, integers or bool",
                       orr_io_quote(shown, sizeof shown, text, n));
}

static orr_status read_shape(scanner *s, orr_npy_header *h)
{
    h->ndim = 0;
    if (!take(s, '('))
        return bad(s, "the shape is not a tuple");
    int comma = 1;
    while (!take(s, ')')) {
        if (!comma)
            return bad(s, "expected a comma in the shape");
        skip_space(s);
        const char *first = s->p;
        int64_t v = 0;
        for (; s->p < s->end && (unsigned)*s->p - '0' <= 9; s->p++) {
            if (v > (INT64_MAX - 9) / 10)
                return bad(s, "a dimension does not fit 64 bits");
            v = v * 10 + (*s->p - '0');
        }
        if (s->p == first)
            return bad(s, s->p < s->end && *s->p == '-' ? "a dimension is negative"
                                                        : "expected a dimension");
        if (s->p < s->end && *s->p == 'L')
            s->p++;
        if (h->ndim == ORR_NPY_MAXDIM)
            return bad(s, "more than 4 dimensions");
        h->shape[h->ndim++] = v;
        comma = take(s, ',');
    }
    if (h->ndim == 1 && !comma) /* (3) is a number in Python, (3,) is a tuple */
        return bad(s, "the shape is not a tuple");
    return ORR_OK;
}

orr_status orr_npy_header_parse(const char *text, size_t n, int64_t base, const char *name,
                                orr_npy_header *h, orr_io_error *err)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    scanner s = {.begin = text, .p = text, .end = text + n, .base = base, .name = name, .err = err};
    int seen = 0, comma = 1;
    *h = (orr_npy_header){0};
    if (!take(&s, '{'))
        return bad(&s, "the header is not a dictionary");
    while (!take(&s, '}')) {
        const char *key;
        size_t length;
        int which = 0;
        if (!comma)
            return bad(&s, "expected a comma in the header");
        skip_space(&s);
        const scanner at = s;
        orr_status status = take_string(&s, &key, &length);
        if (status != ORR_OK)
            return status;
        if (length == 5 && memcmp(key, "descr", 5) == 0)
            which = DESCR;
        else if (length == 13 && memcmp(key, "fortran_order", 13) == 0)
            which = ORDER;
        else if (length == 5 && memcmp(key, "shape", 5) == 0)
            which = SHAPE;
        if (!which || (seen & which))
            return bad(&at,
                       which ? "a key stands twice in the header" : "unknown key in the header");
        seen |= which;
        if (!take(&s, ':'))
            return bad(&s, "expected a colon in the header");
        if (which == DESCR)
            status = read_descr(&s, h);
        else if (which == SHAPE)
            status = read_shape(&s, h);
        else if (take_word(&s, "True"))
            h->fortran = 1;
        else if (!take_word(&s, "False"))
            status = bad(&s, "fortran_order is neither True nor False");
        if (status != ORR_OK)
            return status;
        comma = take(&s, ',');
    }
    if (seen != (DESCR | ORDER | SHAPE))
        return bad(&s, !(seen & DESCR)   ? "the header has no 'descr'"
                       : !(seen & ORDER) ? "the header has no 'fortran_order'"
                                         : "the header has no 'shape'");
    skip_space(&s);
    if (s.p < s.end)
        return bad(&s, "unexpected text after the header");
    /* Zeros count as ones, so that later products of some of the dimensions fit too.
     * 16: no element is larger, in the file or in memory. */
    if (orr_io_product(h->ndim, h->shape, 16) < 0) {
        s.p = text;
        return bad(&s, "the shape has more bytes than 64 bits can count");
    }
    h->count = 1;
    for (int k = 0; k < h->ndim; k++)
        h->count *= h->shape[k];
    return ORR_OK;
}

int64_t orr_io_product(int n, const int64_t *shape, int64_t size)
{
    int64_t product = size;
    for (int k = 0; k < n; k++)
        if (shape[k] > 0 && __builtin_mul_overflow(product, shape[k], &product))
            return -1;
    return product;
}

size_t orr_io_type_size(orr_type type)
{
    static const size_t size[] = {[ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 16, [ORR_H] = 2};
    return size[type];
}
