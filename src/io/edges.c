/* Edge lists: lines "from to [weight]", as SNAP and others publish graphs.
 *
 *     source -> gunzip? -> lines -> blocks -> chunks counted, then parsed (parallel)
 *
 * No header says how much there will be: the arrays grow with the edges read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "src/io/mtx.h"

enum {
    BLOCK = 1 << 21, /* text per thread and block */
    FIRST = 1 << 16, /* edges that the first arrays hold */
    MOST_NODE = INT32_MAX - 64
};

typedef enum { FINE, NODE_BAD, NODE_RANGE, WEIGHT_BAD, WEIGHT_NONFINITE, COMMENT_GOES_ON } fault;

typedef struct {
    orr_input *in;
    orr_lines lines;
    locale_t c;
    int64_t max_bytes, capacity, weights, largest; /* weights: edges that have one */
    orr_mtx *m;
    orr_io_error *err;
} reader;

/* What a chunk adds. */
typedef struct {
    int64_t weights, largest;
} tally;

static int is_end(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static fault parse_node(const char **at, int64_t *node)
{
    const char *p = *at;
    const int negative = *p == '-';
    int64_t v = 0;
    p += negative;
    if ((unsigned)*p - '0' > 9)
        return NODE_BAD;
    for (; (unsigned)*p - '0' <= 9; p++)
        v = v > MOST_NODE ? v : v * 10 + (*p - '0');
    if (!is_end(*p))
        return NODE_BAD;
    if (v > MOST_NODE || (negative && v > 0))
        return NODE_RANGE;
    *node = v;
    *at = orr_skip_blanks(p);
    return FINE;
}

static fault parse_weight(const char **p, double *weight, locale_t c)
{
    switch (orr_number_parse(p, weight, c)) {
    case ORR_NUMBER_OK: return is_end(**p) ? FINE : WEIGHT_BAD;
    case ORR_NUMBER_BAD: return WEIGHT_BAD;
    default: return WEIGHT_NONFINITE;
    }
}

/* The edge of the line at *p, which is moved to the end of the line. */
static fault parse_edge(const reader *r, const char **p, int64_t k, tally *t)
{
    const orr_mtx *m = r->m;
    fault f = parse_node(p, &m->row[k]);
    if (f == FINE)
        f = parse_node(p, &m->col[k]);
    if (f != FINE)
        return f;
    m->val[k] = 1;
    if (**p != '\n' && **p != '\r') {
        f = parse_weight(p, &m->val[k], r->c);
        t->weights++;
    }
    *p = orr_skip_blanks(*p);
    *p += **p == '\r';
    if (f == FINE && **p != '\n')
        f = WEIGHT_BAD;
    const int64_t larger = m->row[k] > m->col[k] ? m->row[k] : m->col[k];
    t->largest = larger > t->largest ? larger : t->largest;
    return f;
}

/* Lines that end in a carriage return alone would all be part of the first one's comment. */
static fault judge_comment(const char *p, const char *newline)
{
    while ((p = memchr(p, '\r', (size_t)(newline - p))))
        if (p++, *p != '\r' && *p != '\n')
            return COMMENT_GOES_ON;
    return FINE;
}

static void parse_chunk(const reader *r, orr_mtx_chunk *c, tally *t)
{
    int64_t k = c->first, line = 0;
    c->fault = FINE;
    for (const char *p = c->begin; p < c->end; p++, line++) { /* p++: the newline */
        p = orr_skip_blanks(p);
        if (!orr_line_counts(p) || *p == '#') {
            const char *newline = memchr(p, '\n', (size_t)(c->end - p));
            c->fault = (int)judge_comment(p, newline);
            p = newline;
        } else
            c->fault = (int)parse_edge(r, &p, k++, t);
        if (c->fault != FINE) {
            c->fault_line = c->line + line;
            return;
        }
    }
}

static int resize(void *array, int64_t n)
{
    void **a = array, *p = realloc(*a, (size_t)n * 8);
    if (p)
        *a = p;
    return p != NULL;
}

static orr_status reserve(reader *r, int64_t n)
{
    if (r->m->row && n <= r->capacity)
        return ORR_OK;
    int64_t want = 2 * r->capacity > FIRST ? 2 * r->capacity : FIRST;
    want = want > n ? want : n;
    if (r->max_bytes > 0 && n * 24 > r->max_bytes)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->in->name, -1, -1,
                           "%lld edges need more than the %lld bytes allowed", (long long)n,
                           (long long)r->max_bytes);
    if (r->max_bytes > 0 && want * 24 > r->max_bytes)
        want = n;
    if (!resize(&r->m->row, want) || !resize(&r->m->col, want) || !resize(&r->m->val, want))
        return orr_io_fail(r->err, ORR_E_NOMEM, r->in->name, -1, -1, "out of memory for %lld edges",
                           (long long)want);
    r->capacity = want;
    return ORR_OK;
}

static orr_status parse_block(reader *r, orr_mtx_block *b)
{
    static const char *const why[] = {
        [NODE_BAD] = "two node numbers are expected",
        [NODE_RANGE] = "a node number is negative or larger than 2^31 - 65",
        [WEIGHT_BAD] = "a weight is expected, and nothing behind it",
        [WEIGHT_NONFINITE] = "the weight is not finite",
        [COMMENT_GOES_ON] = "a carriage return in a comment; a line ends with a line feed"};
    tally t[ORR_MTX_CHUNKS] = {{0}};
#ifdef _OPENMP
#pragma omp parallel for num_threads(b->n) schedule(static, 1) if (b->n > 1)
#endif
    for (int k = 0; k < b->n; k++)
        parse_chunk(r, &b->chunk[k], &t[k]);
    for (int k = 0; k < b->n; k++) {
        if (b->chunk[k].fault != FINE)
            return orr_io_fail(r->err, ORR_E_FILE, r->in->name, b->chunk[k].fault_line, -1, "%s",
                               why[b->chunk[k].fault]);
        r->weights += t[k].weights;
        r->largest = t[k].largest > r->largest ? t[k].largest : r->largest;
    }
    return ORR_OK;
}

static orr_status read_edges(reader *r, int threads, void (*progress)(int64_t, int64_t, void *),
                             void *arg)
{
    orr_mtx *m = r->m;
    orr_text_expect(r->lines.text, ORR_TEXT_IDLE);
    orr_text_no_mtx(r->lines.text);
    for (;;) {
        orr_mtx_block b;
        const char *first, *last;
        orr_status s = orr_lines_block(&r->lines, &first, &last, r->err);
        if (s != ORR_OK)
            return s;
        if (progress)
            progress(r->in->pos, r->in->size, arg);
        if (first == last)
            break;
        orr_mtx_cut(&b, first, last, r->lines.line, m->entries, threads, '#');
        s = reserve(r, m->entries + b.found);
        if (s == ORR_OK)
            s = parse_block(r, &b);
        if (s != ORR_OK)
            return s;
        orr_lines_take(&r->lines, last, b.lines);
        m->entries += b.found;
        if (b.found)
            orr_text_expect(r->lines.text, ORR_TEXT_IDLE);
    }
    m->field = ORR_MTX_REAL;
    m->rows = m->cols = m->entries ? r->largest + 1 : 0;
    if (r->weights == 0) { /* a pattern */
        free(m->val);
        m->val = NULL;
        m->field = ORR_MTX_PATTERN;
    }
    return ORR_OK;
}

static orr_status read_all(orr_input *in, int64_t max_bytes, int threads, size_t block,
                           void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *m,
                           orr_io_error *err)
{
    reader r = {.in = in, .max_bytes = max_bytes, .m = m, .err = err};
    orr_text *text = NULL;
#ifdef _OPENMP
    if (threads <= 0)
        threads = omp_get_max_threads();
#endif
    threads = threads < 1 ? 1 : threads > ORR_MTX_CHUNKS ? ORR_MTX_CHUNKS : threads;
    if (block == 0)
        block = (size_t)threads * BLOCK;
    r.c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    orr_status s = r.c ? orr_text_open(&text, in, err) : ORR_E_NOMEM;
    if (s == ORR_OK)
        s = orr_lines_open(&r.lines, text, in->name, block, err);
    if (s == ORR_OK)
        s = read_edges(&r, threads, progress, arg);
    if (s != ORR_OK)
        orr_mtx_free(m);
    if (r.c)
        freelocale(r.c);
    orr_lines_close(&r.lines);
    orr_text_close(text);
    return s;
}

orr_status orr_edges_read(const char *path, int64_t max_bytes,
                          void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *m,
                          orr_io_error *err)
{
    orr_input in;
    if (!orr_io_begin(path, m, sizeof *m, err))
        return ORR_E_ARG;
    orr_status s = orr_input_open(&in, path, err);
    if (s == ORR_OK)
        s = read_all(&in, max_bytes, 0, 0, progress, arg, m, err);
    orr_input_close(&in);
    return s;
}

orr_status orr_edges_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                           int threads, size_t block, orr_mtx *m, orr_io_error *err)
{
    orr_input in;
    orr_io_clear(err);
    *m = (orr_mtx){0};
    orr_input_memory(&in, data, n, name);
    return read_all(&in, max_bytes, threads, block, NULL, NULL, m, err);
}
