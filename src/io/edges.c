/* Edge lists: lines "from to [weight]", as SNAP and others publish graphs.
 *
 *     source -> gunzip? -> lines -> blocks -> chunks counted, then parsed (parallel)
 *
 * No header says how much there will be: the arrays grow with the edges read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/io/mtx.h"

enum {
    FIRST = 1 << 16, /* edges that the first arrays hold */
    MOST_NODE = INT32_MAX - 64
};

typedef enum {
    FINE,
    NODE_BAD,
    NODE_RANGE,
    WEIGHT_BAD,
    WEIGHT_NONFINITE,
    COMMENT_GOES_ON,
    MARK
} fault;

typedef struct {
    orr_mtx_source *s;
    int64_t capacity, weights, largest; /* weights: edges that have one */
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
    case ORR_NUMBER_OK: return FINE; /* what stands behind it is looked at with the line's end */
    case ORR_NUMBER_BAD: return WEIGHT_BAD;
    default: return WEIGHT_NONFINITE;
    }
}

/* The edge of the line at *p, which is moved to the end of the line. */
static fault parse_edge(const reader *r, const char **p, int64_t k, tally *t)
{
    const orr_mtx *m = r->s->m;
    fault f = parse_node(p, &m->row[k]);
    if (f == FINE)
        f = parse_node(p, &m->col[k]);
    if (f != FINE)
        return f;
    m->val[k] = 1;
    if (**p != '\n' && **p != '\r') {
        f = parse_weight(p, &m->val[k], r->s->c);
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
        } else if (!strncmp(p, "\xef\xbb\xbf", 3))
            c->fault = MARK;
        else
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
    if (r->s->m->row && n <= r->capacity)
        return ORR_OK;
    int64_t want = 2 * r->capacity > FIRST ? 2 * r->capacity : FIRST;
    want = want > n ? want : n;
    if (r->s->max_bytes > 0 && n * 24 > r->s->max_bytes)
        return orr_io_fail(r->s->err, ORR_E_NOMEM, r->s->in->name, -1, -1,
                           "%lld edges need more than the %lld bytes allowed", (long long)n,
                           (long long)r->s->max_bytes);
    if (r->s->max_bytes > 0 && want * 24 > r->s->max_bytes)
        want = n;
    if (!resize(&r->s->m->row, want) || !resize(&r->s->m->col, want) ||
        !resize(&r->s->m->val, want))
        return orr_io_fail(r->s->err, ORR_E_NOMEM, r->s->in->name, -1, -1,
                           "out of memory for %lld edges", (long long)want);
    r->capacity = want;
    return ORR_OK;
}

static orr_status parse_block(reader *r, orr_mtx_block *b)
{
    static const char *const why[] = {
        [NODE_BAD] = "two node numbers are expected, with blanks between them; "
                     "names of nodes are not read",
        [NODE_RANGE] = "a node number is negative or larger than 2^31 - 65",
        [WEIGHT_BAD] = "a weight is expected, and nothing behind it",
        [WEIGHT_NONFINITE] = "the weight is not finite",
        [COMMENT_GOES_ON] = "a carriage return in a comment; a line ends with a line feed",
        [MARK] = "a byte order mark stands before the text; remove it"};
    tally t[ORR_MTX_CHUNKS] = {{0}};
#ifdef _OPENMP
#pragma omp parallel for num_threads(b->n) schedule(static, 1) if (b->n > 1)
#endif
    for (int k = 0; k < b->n; k++)
        parse_chunk(r, &b->chunk[k], &t[k]);
    for (int k = 0; k < b->n; k++) {
        if (b->chunk[k].fault != FINE)
            return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, b->chunk[k].fault_line, -1,
                               "%s", why[b->chunk[k].fault]);
        r->weights += t[k].weights;
        r->largest = t[k].largest > r->largest ? t[k].largest : r->largest;
    }
    return ORR_OK;
}

static orr_status read_edges(orr_mtx_source *s)
{
    reader r = {.s = s};
    orr_mtx *m = s->m;
    orr_text_expect(s->lines.text, ORR_TEXT_IDLE);
    orr_text_no_mtx(s->lines.text);
    for (;;) {
        orr_mtx_block b;
        const char *last;
        orr_status st = orr_mtx_next(s, m->entries, '#', &b, &last);
        if (st != ORR_OK)
            return st;
        if (!last)
            break;
        st = reserve(&r, m->entries + b.found);
        if (st == ORR_OK)
            st = parse_block(&r, &b);
        if (st != ORR_OK)
            return st;
        orr_lines_take(&s->lines, last, b.lines);
        m->entries += b.found;
        if (b.found)
            orr_text_expect(s->lines.text, ORR_TEXT_IDLE);
    }
    m->field = ORR_MTX_REAL;
    m->rows = m->cols = m->entries ? r.largest + 1 : 0;
    if (r.weights == 0) { /* a pattern */
        free(m->val);
        m->val = NULL;
        m->field = ORR_MTX_PATTERN;
    }
    return ORR_OK;
}

orr_status orr_edges_read(const char *path, int64_t max_bytes,
                          void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *m,
                          orr_io_error *err)
{
    return orr_mtx_from_file(read_edges, path, max_bytes, progress, arg, m, err);
}

orr_status orr_edges_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                           int threads, size_t block, orr_mtx *m, orr_io_error *err)
{
    return orr_mtx_from_memory(read_edges, data, n, name, max_bytes, threads, block, m, err);
}
