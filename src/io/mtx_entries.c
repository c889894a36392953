/* The entries of a block of lines, in parallel.
 *
 *     block   | chunk 0 | chunk 1 | chunk 2 |     cut behind newlines
 *     count      n0 entries, l0 lines ...         in parallel
 *     prefix     entry and line numbers where each chunk begins
 *     parse      each chunk into its part of the arrays, in parallel
 *
 * Entries go where their number puts them, and of several errors the first in the file is
 * told, so neither the result nor the message depends on the number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "src/io/mtx.h"

enum {
    SHOWN = 40,
    PARALLEL_MIN = 1 << 17 /* bytes of text that pay for waking threads */
};

typedef enum {
    FINE,
    ROW_BAD,
    ROW_LOW,
    ROW_HIGH,
    COL_BAD,
    COL_LOW,
    COL_HIGH,
    VALUE_BAD,
    VALUE_NONFINITE,
    VALUE_HUGE,
    VALUE_FRACTION,
    VALUE_INEXACT,
    SKEW_DIAGONAL,
    HERMITIAN_DIAGONAL,
    EXTRA_TEXT,
    EXTRA_ENTRY,
    LONG_LINE
} fault;

static inline int is_end(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* An index in 1..most at *at; the fault is `bad`, or bad + 1 if too low, + 2 if too high. */
static inline fault parse_index(const char **at, int64_t most, fault bad, int64_t *index)
{
    const char *p = *at;
    int negative = *p == '-';
    p += negative;
    if ((unsigned)*p - '0' > 9)
        return bad;
    int64_t v = 0;
    for (; (unsigned)*p - '0' <= 9; p++) {
        if (v > (INT64_MAX - 9) / 10) { /* larger than any size; the digits go on */
            v = INT64_MAX;
            for (; (unsigned)*p - '0' <= 9; p++)
                ;
            break;
        }
        v = v * 10 + (*p - '0');
    }
    if (!is_end(*p))
        return bad;
    if (negative || v < 1)
        return bad + 1;
    if (v > most)
        return bad + 2;
    *index = v - 1;
    *at = p;
    return FINE;
}

/* Row and column at *p, and the blanks behind them. */
static inline fault parse_position(const orr_mtx_layout *L, const char **p, int64_t *i, int64_t *j)
{
    fault f = parse_index(p, L->rows, ROW_BAD, i);
    if (f == FINE) {
        *p = orr_skip_blanks(*p);
        f = parse_index(p, L->cols, COL_BAD, j);
    }
    *p = orr_skip_blanks(*p);
    return f;
}

static fault parse_integer(const char **at, double *value)
{
    const char *p = *at;
    int negative = *p == '-';
    p += *p == '-' || *p == '+';
    const char *digits = p;
    int64_t v = 0, most = (int64_t)1 << 53;
    for (; (unsigned)*p - '0' <= 9; p++)
        v = v > most ? v : v * 10 + (*p - '0');
    if (p == digits || !is_end(*p)) {
        double number;
        locale_t none = (locale_t)0; /* only asked whether there is a number */
        p = *at;
        orr_number_status s = orr_number_parse(&p, &number, none);
        if (s == ORR_NUMBER_NONFINITE)
            return VALUE_NONFINITE;
        return s == ORR_NUMBER_BAD || !is_end(*p) ? VALUE_BAD : VALUE_FRACTION;
    }
    if (v > most)
        return VALUE_INEXACT;
    *value = (double)(negative ? -v : v);
    *at = p;
    return FINE;
}

static inline fault parse_real(const char **at, double *value, locale_t c)
{
    static const fault faults[] = {[ORR_NUMBER_OK] = FINE,
                                   [ORR_NUMBER_BAD] = VALUE_BAD,
                                   [ORR_NUMBER_NONFINITE] = VALUE_NONFINITE,
                                   [ORR_NUMBER_HUGE] = VALUE_HUGE};
    const char *p = *at;
    orr_number_status s = orr_number_parse(&p, value, c);
    if (s == ORR_NUMBER_OK && !is_end(*p))
        return VALUE_BAD;
    if (s == ORR_NUMBER_OK)
        *at = p;
    return faults[s];
}

/* Where entry k of an array file stands: all of it, or the triangle below the diagonal
 * (with it unless skew), column after column. */
static void position(const orr_mtx_layout *L, int64_t k, int64_t *i, int64_t *j)
{
    if (L->symmetry == ORR_MTX_GENERAL) {
        *i = k % L->rows;
        *j = k / L->rows;
        return;
    }
    int64_t n = L->rows, skew = L->symmetry == ORR_MTX_SKEW;
    int64_t low = 0, high = n; /* the last column that begins at or before k */
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        int64_t begins = mid * (2 * (n - skew) - mid + 1) / 2;
        if (begins <= k)
            low = mid;
        else
            high = mid;
    }
    *j = low;
    *i = low + skew + (k - low * (2 * (n - skew) - low + 1) / 2);
}

static inline void next_position(const orr_mtx_layout *L, int64_t *i, int64_t *j)
{
    if (++*i < L->rows)
        return;
    ++*j;
    *i = L->symmetry == ORR_MTX_GENERAL ? 0 : *j + (L->symmetry == ORR_MTX_SKEW);
}

/* The value(s) of an entry on or off the diagonal. */
static inline fault parse_value(const orr_mtx_layout *L, const char **p, int diagonal, double *v)
{
    fault f = L->field == ORR_MTX_INTEGER ? parse_integer(p, v) : parse_real(p, v, L->c);
    if (f == FINE && L->field == ORR_MTX_COMPLEX) {
        *p = orr_skip_blanks(*p);
        f = parse_real(p, v + 1, L->c);
    }
    if (f != FINE || !diagonal)
        return f;
    int complex = L->field == ORR_MTX_COMPLEX;
    if (L->symmetry == ORR_MTX_SKEW && (v[0] != 0 || (complex && v[1] != 0)))
        return SKEW_DIAGONAL;
    if (L->symmetry == ORR_MTX_HERMITIAN && complex && v[1] != 0)
        return HERMITIAN_DIAGONAL;
    return FINE;
}

static void parse_chunk(const orr_mtx_layout *L, orr_mtx_chunk *c, const orr_mtx *m)
{
    int64_t k = c->first, i = 0, j = 0, line = 0;
    int64_t stop = c->first + c->found < L->entries ? c->first + c->found : L->entries;
    int width = L->field == ORR_MTX_COMPLEX ? 2 : 1;
    const char *p = c->begin, *start = p;
    fault f = FINE;
    if (!L->coordinate && k < stop)
        position(L, k, &i, &j);
    for (; p < c->end; p++, line++) { /* p++: the newline */
        start = p;
        p = orr_skip_blanks(p);
        if (!orr_line_counts(p)) {
            if (p - start > ORR_MTX_LINE_MAX)
                f = LONG_LINE;
            if (f != FINE)
                break;
            p = memchr(p, '\n', (size_t)(c->end - p));
            continue;
        }
        if (k >= stop) {
            f = EXTRA_ENTRY;
            break;
        }
        if (L->coordinate) {
            f = parse_position(L, &p, &i, &j);
            if (f != FINE)
                break;
        }
        m->row[k] = i;
        m->col[k] = j;
        if (m->val) {
            f = parse_value(L, &p, i == j, m->val + k * width);
            if (f != FINE)
                break;
            p = orr_skip_blanks(p);
        }
        k++;
        p += *p == '\r' && p[1] == '\n';
        if (*p != '\n')
            f = EXTRA_TEXT;
        else if (p - start > ORR_MTX_LINE_MAX)
            f = LONG_LINE;
        if (f != FINE)
            break;
        if (!L->coordinate)
            next_position(L, &i, &j);
    }
    /* Told as too long by the reader of lines too, when a block ends inside the line. */
    if (f != FINE && (const char *)memchr(p, '\n', (size_t)(c->end - p)) - start > ORR_MTX_LINE_MAX)
        f = LONG_LINE;
    c->fault = f;
    c->at = f == SKEW_DIAGONAL || f == HERMITIAN_DIAGONAL ? orr_skip_blanks(start) : p;
    c->fault_line = c->line + line;
}

/* The word at p, or the rest of its line, fit to be printed. */
static const char *show(char *out, const char *p, int whole_line)
{
    size_t n = 0;
    while (p[n] != '\n' && n < 100 && (whole_line || !is_end(p[n])))
        n++;
    while (n > 0 && is_end(p[n - 1]))
        n--;
    return orr_io_quote(out, SHOWN, p, n);
}

static orr_status tell(const orr_mtx_layout *L, const orr_mtx_chunk *c, orr_io_error *err)
{
    char text[SHOWN];
    int whole =
        c->fault == EXTRA_TEXT || c->fault == SKEW_DIAGONAL || c->fault == HERMITIAN_DIAGONAL;
    const char *s = show(text, c->at, whole);
    const char *axis = c->fault < COL_BAD ? "row" : "column";
    long long most = c->fault < COL_BAD ? L->rows : L->cols, entries = L->entries;
    char m[160];
    switch (c->fault) {
    case ROW_BAD:
    case COL_BAD:
        if (*s)
            snprintf(m, sizeof m, "'%s' is not a %s index", s, axis);
        else
            snprintf(m, sizeof m, "the %s index is missing", axis);
        break;
    case ROW_LOW:
    case COL_LOW: snprintf(m, sizeof m, "%s index %s is smaller than 1", axis, s); break;
    case ROW_HIGH:
    case COL_HIGH: snprintf(m, sizeof m, "%s index %s is larger than %lld", axis, s, most); break;
    case VALUE_BAD:
        if (*s)
            snprintf(m, sizeof m, "'%s' is not a number%s", s, orr_io_not_ascii(s));
        else
            snprintf(m, sizeof m, "the %s is missing",
                     L->field == ORR_MTX_COMPLEX ? "real or imaginary part" : "value");
        break;
    case VALUE_NONFINITE: snprintf(m, sizeof m, "'%s' is not finite", s); break;
    case VALUE_HUGE: snprintf(m, sizeof m, "'%s' is too large for a double", s); break;
    case VALUE_FRACTION:
        snprintf(m, sizeof m, "'%s' is not an integer, as the header promises", s);
        break;
    case VALUE_INEXACT:
        snprintf(m, sizeof m, "the integer %s is beyond 2^53: a double cannot hold it", s);
        break;
    case SKEW_DIAGONAL:
        snprintf(m, sizeof m, "'%s': the diagonal of a skew-symmetric matrix is zero", s);
        break;
    case HERMITIAN_DIAGONAL:
        snprintf(m, sizeof m, "'%s': the diagonal of a Hermitian matrix is real", s);
        break;
    case EXTRA_TEXT: snprintf(m, sizeof m, "unexpected text after the entry: '%s'", s); break;
    case EXTRA_ENTRY:
        snprintf(m, sizeof m, "more than the %lld entr%s the header announces", entries,
                 entries == 1 ? "y" : "ies");
        break;
    default: snprintf(m, sizeof m, "the line is longer than %d bytes", ORR_MTX_LINE_MAX);
    }
    return orr_io_fail(err, ORR_E_FILE, L->name, c->fault_line, -1, "%s", m);
}

static void count(orr_mtx_chunk *c, char comment)
{
    int64_t lines = 0, found = 0;
    for (const char *p = c->begin; p < c->end; lines++) {
        p = orr_skip_blanks(p);
        found += orr_line_counts(p) && *p != comment;
        p = (const char *)memchr(p, '\n', (size_t)(c->end - p)) + 1;
    }
    c->lines = lines;
    c->found = found;
}

void orr_mtx_cut(orr_mtx_block *b, const char *p, const char *last, int64_t line, int64_t first,
                 int threads, char comment)
{
    int worthwhile = threads > 1 && last - p > PARALLEL_MIN;
    b->n = 0;
    b->lines = b->found = 0;
    for (int left = threads < ORR_MTX_CHUNKS ? threads : ORR_MTX_CHUNKS; p < last; left--) {
        const char *end = last;
        if (left > 1) {
            end = p + (last - p) / left;
            end = (const char *)memchr(end, '\n', (size_t)(last - end)) + 1;
        }
        b->chunk[b->n++] = (orr_mtx_chunk){.begin = p, .end = end};
        p = end;
    }
#ifdef _OPENMP
#pragma omp parallel for num_threads(b->n) schedule(static, 1) if (worthwhile)
#else
    (void)worthwhile;
#endif
    for (int k = 0; k < b->n; k++)
        count(&b->chunk[k], comment);
    for (int k = 0; k < b->n; k++) {
        b->chunk[k].line = line + b->lines;
        b->chunk[k].first = first + b->found;
        b->lines += b->chunk[k].lines;
        b->found += b->chunk[k].found;
    }
}

orr_status orr_mtx_entries(const orr_mtx_layout *L, orr_mtx_block *b, orr_mtx *m, orr_io_error *err)
{
    int worthwhile = b->n > 1 && b->chunk[b->n - 1].end - b->chunk[0].begin > PARALLEL_MIN;
#ifdef _OPENMP
#pragma omp parallel for num_threads(b->n) schedule(static, 1) if (worthwhile)
#else
    (void)worthwhile;
#endif
    for (int k = 0; k < b->n; k++)
        parse_chunk(L, &b->chunk[k], m);
    for (int k = 0; k < b->n; k++)
        if (b->chunk[k].fault != FINE)
            return tell(L, &b->chunk[k], err);
    return ORR_OK;
}
