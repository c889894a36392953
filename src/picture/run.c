/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/picture/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/utf8.h"

typedef struct orr_trace_record record;

static const double SHORTEST = 0.1; /* us of a picture */

static int by_number(const void *x, const void *y)
{
    const record *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_start(const void *x, const void *y)
{
    const record *a = *(const record *const *)x, *b = *(const record *const *)y;
    return (a->start > b->start) - (a->start < b->start);
}

/* ---- The longest chain -------------------------------------------------------------------- */

static int mark_critical(struct orr_picture_run *x, const struct orr_picture *p)
{
    for (size_t i = 0; p->longest && i < x->n; i++)
        x->critical[i] = p->longest[x->r[i].number] != 0;
    if (p->longest)
        return 1;
    struct orr_graph g = {0};
    double *until = calloc(x->n + 1, sizeof *until); /* the longest chain that ends with the task */
    uint32_t *before = calloc(x->n + 1, sizeof *before); /* the task before it there, or itself */
    size_t last = 0;
    const int ok = until && before && orr_record_edges(&g, x->r, x->n, p->access);
    for (size_t i = 0; ok && i < x->n; i++) {
        before[i] = (uint32_t)i;
        for (size_t e = g.before_at[i]; e < g.before_at[i + 1]; e++)
            if (before[i] == i || until[g.before[e]] > until[before[i]])
                before[i] = g.before[e];
        until[i] = x->r[i].end - x->r[i].start + (before[i] == i ? 0 : until[before[i]]);
        last = until[i] > until[last] ? i : last;
    }
    for (size_t i = last; ok && x->n; i = before[i]) {
        x->critical[i] = 1;
        if (before[i] == i)
            break;
    }
    if (ok)
        orr_graph_free(&g);
    free(until);
    free(before);
    return ok;
}

/* ---- Data --------------------------------------------------------------------------------- */

/* Handles by number: what is known of each so far. */
struct datum {
    int64_t row;    /* -1: not yet written */
    unsigned where; /* bit i: memory node i has it */
};

static int writes(int mode) { return (mode & (ORR_ACCESS_W | ORR_ACCESS_REDUX)) != 0; }

static void find_data(struct orr_picture_run *x, const struct orr_trace_access *access,
                      struct datum *d, uint64_t handles)
{
    int64_t rows = 0;
    for (uint64_t h = 0; h <= handles; h++)
        d[h] = (struct datum){-1, 1}; /* in the first memory */
    for (size_t i = 0; i < x->n; i++) {
        x->data[i] = -1;
        for (unsigned j = 0; j < x->r[i].accesses && x->data[i] < 0; j++) {
            const struct orr_trace_access *a = &access[x->r[i].first + j];
            if (!writes(a->mode))
                continue;
            if (d[a->data].row < 0)
                d[a->data].row = rows++;
            x->data[i] = d[a->data].row;
        }
    }
}

static int lowest(unsigned nodes)
{
    int k = 0;
    while (!(nodes >> k & 1))
        k++;
    return k;
}

/* Follows the copies of the data through the tasks as they began. */
static int find_moves(struct orr_picture_run *x, const struct orr_picture *p, struct datum *d)
{
    size_t room = 0;
    record **order = malloc((x->n + 1) * sizeof *order);
    for (size_t i = 0; order && i < x->n; i++) {
        order[i] = &x->r[i];
        room += x->r[i].accesses;
    }
    x->move = malloc((room + 1) * sizeof *x->move);
    if (order)
        qsort(order, x->n, sizeof *order, by_start);
    for (size_t i = 0; order && x->move && i < x->n; i++) {
        const int node = p->worker[order[i]->worker].node;
        for (unsigned j = 0; j < order[i]->accesses && node >= 0 && node < 32; j++) {
            const struct orr_trace_access *a = &p->access[order[i]->first + j];
            struct datum *y = &d[a->data];
            if ((a->mode & ORR_ACCESS_R) && !(y->where >> node & 1))
                x->move[x->moves++] = (struct orr_picture_move){
                    lowest(y->where), node, order[i]->acquire, order[i]->acquired, a->bytes};
            y->where = writes(a->mode) ? 1u << node : y->where | 1u << node;
        }
    }
    free(order);
    return order && x->move;
}

static enum orr_picture_rows choose_rows(const struct orr_picture_run *x)
{
    size_t spans = 0;
    int tags = 0;
    for (size_t i = 0; i < x->n; i++) {
        spans += x->r[i].span > 0;
        tags |= x->r[i].tag != x->r[0].tag;
    }
    return 2 * spans > x->n ? ORR_ROWS_MATRIX_ROWS : tags ? ORR_ROWS_TAGS : ORR_ROWS_DATA;
}

/* ---- The whole ---------------------------------------------------------------------------- */

static int find_bounds(struct orr_picture_run *x, const struct orr_picture *p)
{
    if (p->known) {
        x->bounds = *p->known;
        return 1;
    }
    x->bounds.lost = (int64_t)p->lost;
    return orr_analyse(&x->bounds, p->worker, p->workers, x->r, x->n, p->access) == ORR_OK;
}

int orr_picture_run_make(struct orr_picture_run *x, const struct orr_picture *p, int number)
{
    *x = (struct orr_picture_run){.number = number, .begin = INFINITY, .end = -INFINITY};
    x->r = malloc((p->count + 1) * sizeof *x->r);
    for (size_t i = 0; x->r && i < p->count; i++)
        if (p->record[i].run == number) {
            x->r[x->n++] = p->record[i];
            x->begin = fmin(x->begin, p->record[i].submit);
            x->end = fmax(x->end, p->record[i].end);
        }
    if (!x->n)
        x->begin = x->end = 0;
    else if (x->end - x->begin < SHORTEST) /* of a graph, whose tasks may take no time at all */
        x->end = x->begin + SHORTEST;
    if (x->r)
        qsort(x->r, x->n, sizeof *x->r, by_number);
    x->critical = calloc(x->n + 1, sizeof *x->critical);
    x->data = calloc(x->n + 1, sizeof *x->data);
    struct datum *d = malloc((p->handles + 1) * sizeof *d);
    int ok = x->r && x->critical && x->data && d;
    if (ok) {
        x->rows = choose_rows(x);
        find_data(x, p->access, d, p->handles);
        ok = find_moves(x, p, d) && mark_critical(x, p) && find_bounds(x, p);
    }
    free(d);
    if (!ok)
        orr_picture_run_free(x);
    return ok;
}

void orr_picture_run_free(struct orr_picture_run *x)
{
    free(x->r);
    free(x->critical);
    free(x->data);
    free(x->move);
    *x = (struct orr_picture_run){0};
}

static int by_us(const void *x, const void *y)
{
    const struct orr_picture_line *a = x, *b = y;
    return (a->us > b->us) - (a->us < b->us);
}

int orr_picture_lines(const struct orr_picture_run *x,
                      struct orr_picture_line line[ORR_PICTURE_LINES])
{
    const double path = x->bounds.critical_path, area = x->bounds.area, lp = x->bounds.lp;
    int n = 0;
    if (!(lp > 0))
        return 0;
    line[n++] = (struct orr_picture_line){"longest chain", 1e6 * path};
    line[n++] = (struct orr_picture_line){"work / workers", 1e6 * area};
    if (lp > 1.001 * fmax(path, area))
        line[n++] = (struct orr_picture_line){"both at once (LP)", 1e6 * lp};
    qsort(line, (size_t)n, sizeof *line, by_us);
    return n;
}

/* ---- Words -------------------------------------------------------------------------------- */

const char *orr_picture_plain(char out[ORR_PICTURE_NAME], const char *name)
{
    snprintf(out, ORR_PICTURE_NAME, "%s", name);
    char *bracket = strstr(out, " (");
    if (bracket)
        *bracket = '\0';
    return out;
}

const char *orr_picture_digits(char out[ORR_PICTURE_DIGITS], double x)
{
    const double size = fabs(x);
    snprintf(out, ORR_PICTURE_DIGITS, size >= 1e4 && size < 1e18 ? "%.0f" : "%.4g", x);
    return out;
}

void orr_picture_verdict(const struct orr_picture_run *x, char *out, size_t room)
{
    const orr_analysis *a = &x->bounds;
    const double ratio = a->makespan / a->lp;
    char ms[ORR_PICTURE_DIGITS], bound[ORR_PICTURE_DIGITS];
    const int n = snprintf(out, room, "%zu task%s in %s ms", x->n, x->n == 1 ? "" : "s",
                           orr_picture_digits(ms, 1e3 * a->makespan));
    if (a->lp > 0)
        snprintf(out + n, room - (size_t)n,
                 ratio < 1000 ? ", %.3g times the bound of %s ms"
                              : ", %.0f times the bound of %s ms",
                 ratio, orr_picture_digits(bound, 1e3 * a->lp));
    else
        snprintf(out + n, room - (size_t)n, "; no bounds");
}

void orr_picture_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (size_t n; *s; s += n ? n : 1) {
        n = orr_utf8_length(s);
        if (*s == '"' || *s == '\\' || *s == '<' || (unsigned char)*s < 0x20)
            fprintf(f, "\\u%04x", (unsigned char)*s);
        else if (n)
            fwrite(s, 1, n, f);
        else
            fputs("\\ufffd", f);
    }
    fputc('"', f);
}

/* ---- Colours ------------------------------------------------------------------------------ */

/* One per codelet, in order of appearance; colour-blind safe (Okabe, Ito 2008). */
const char *const orr_picture_palette[ORR_PICTURE_COLOURS] = {
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"};

int orr_picture_name(struct orr_picture_names *seen, const char *name)
{
    for (int i = 0; i < seen->count; i++)
        if (strcmp(seen->name[i], name) == 0)
            return i;
    if (seen->count < ORR_PICTURE_NAMES)
        seen->name[seen->count++] = name;
    return seen->count - 1;
}
