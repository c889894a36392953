/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/trace/trace_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/graph/bounds.h"

typedef struct orr_trace_record record;

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

int orr_trace_run_shown(const struct orr_trace *t)
{
    int last = 0;
    for (size_t i = 0; i < t->count; i++)
        last = t->record[i].run > last ? t->record[i].run : last;
    return t->analysed >= 0 ? t->analysed : last;
}

/* ---- The longest chain -------------------------------------------------------------------- */

static int mark_critical(struct orr_trace_run *x, const struct orr_trace_access *access)
{
    struct orr_graph g = {0};
    double *until = calloc(x->n + 1, sizeof *until); /* the longest chain that ends with the task */
    uint32_t *before = calloc(x->n + 1, sizeof *before); /* the task before it there, or itself */
    size_t last = 0;
    const int ok = until && before && orr_trace_edges(&g, x->r, x->n, access);
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

static int writes(int mode) { return (mode & (STARPU_W | STARPU_REDUX)) != 0; }

static void find_data(struct orr_trace_run *x, const struct orr_trace_access *access,
                      struct datum *d, uint64_t handles)
{
    int64_t rows = 0;
    for (uint64_t h = 0; h <= handles; h++)
        d[h] = (struct datum){-1, 1u << STARPU_MAIN_RAM};
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
static int find_moves(struct orr_trace_run *x, const struct orr_trace_access *access,
                      struct datum *d)
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
        const int node = (int)starpu_worker_get_memory_node((unsigned)order[i]->worker);
        for (unsigned j = 0; j < order[i]->accesses && node < 32; j++) {
            const struct orr_trace_access *a = &access[order[i]->first + j];
            struct datum *y = &d[a->data];
            if ((a->mode & STARPU_R) && !(y->where >> node & 1))
                x->move[x->moves++] = (struct orr_trace_move){
                    lowest(y->where), node, order[i]->acquire, order[i]->acquired, a->bytes};
            y->where = writes(a->mode) ? 1u << node : y->where | 1u << node;
        }
    }
    free(order);
    return order && x->move;
}

static enum orr_trace_rows choose_rows(const struct orr_trace_run *x)
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

int orr_trace_run_make(struct orr_trace_run *x, const struct orr_trace_view *v, int number)
{
    const struct orr_trace *t = v->trace;
    *x = (struct orr_trace_run){.number = number, .begin = INFINITY, .end = -INFINITY};
    x->r = malloc((t->count + 1) * sizeof *x->r);
    for (size_t i = 0; x->r && i < t->count; i++)
        if (t->record[i].run == number) {
            x->r[x->n++] = t->record[i];
            x->begin = fmin(x->begin, t->record[i].submit);
            x->end = fmax(x->end, t->record[i].end);
        }
    if (!x->n)
        x->begin = x->end = 0;
    if (x->r)
        qsort(x->r, x->n, sizeof *x->r, by_number);
    x->critical = calloc(x->n + 1, sizeof *x->critical);
    x->data = calloc(x->n + 1, sizeof *x->data);
    struct datum *d = malloc((t->handles + 1) * sizeof *d);
    int ok = x->r && x->critical && x->data && d;
    if (ok) {
        x->rows = choose_rows(x);
        x->bounds.lost = (int64_t)t->lost;
        find_data(x, t->access, d, t->handles);
        ok = find_moves(x, t->access, d) && mark_critical(x, t->access) &&
             orr_analyse(&x->bounds, x->r, x->n, t->access) == ORR_OK;
    }
    free(d);
    if (!ok)
        orr_trace_run_free(x);
    return ok;
}

void orr_trace_run_free(struct orr_trace_run *x)
{
    free(x->r);
    free(x->critical);
    free(x->data);
    free(x->move);
    *x = (struct orr_trace_run){0};
}

static int by_us(const void *x, const void *y)
{
    const struct orr_trace_line *a = x, *b = y;
    return (a->us > b->us) - (a->us < b->us);
}

int orr_trace_lines(const struct orr_trace_run *x, struct orr_trace_line line[ORR_TRACE_LINES])
{
    const double path = x->bounds.critical_path, area = x->bounds.area, lp = x->bounds.lp;
    int n = 0;
    if (!(lp > 0))
        return 0;
    line[n++] = (struct orr_trace_line){"longest chain", 1e6 * path};
    line[n++] = (struct orr_trace_line){"work / workers", 1e6 * area};
    if (lp > 1.001 * fmax(path, area))
        line[n++] = (struct orr_trace_line){"both at once (LP)", 1e6 * lp};
    qsort(line, (size_t)n, sizeof *line, by_us);
    return n;
}

/* ---- Words -------------------------------------------------------------------------------- */

static void without_brackets(char *name)
{
    char *bracket = strstr(name, " (");
    if (bracket)
        *bracket = '\0';
}

void orr_trace_worker(int worker, char *out, size_t room)
{
    starpu_worker_get_name(worker, out, room);
    without_brackets(out);
}

void orr_trace_node(int node, char *out, size_t room)
{
    starpu_memory_node_get_name((unsigned)node, out, room);
    without_brackets(out);
}

void orr_trace_command(char *out, size_t room)
{
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(out, 1, room - 1, f) : 0;
    if (f)
        fclose(f);
    while (n && !out[n - 1])
        n--;
    out[n] = '\0';
    const char *name = strrchr(out, '/'); /* of the first word */
    const size_t path = name ? (size_t)(name + 1 - out) : 0;
    memmove(out, out + path, n + 1 - path);
    for (size_t i = 0; i < n - path; i++)
        if (!out[i])
            out[i] = ' ';
}

void orr_trace_machine(const struct orr_trace_view *v, char *out, size_t room)
{
    static const char *const kinds[] = {"CPU", "CUDA", "OpenCL"};
    const orr_context_info *i = v->info;
    const int workers[] = {i->cpu, i->cuda, i->opencl};
    char host[64] = "unknown";
    gethostname(host, sizeof host - 1);
    size_t n = (size_t)snprintf(out, room, "on %s", host);
    for (int k = 0; k < 3 && n < room; k++)
        if (workers[k])
            n += (size_t)snprintf(out + n, room - n, ", %d %s worker%s", workers[k], kinds[k],
                                  workers[k] > 1 ? "s" : "");
    if (n < room)
        snprintf(out + n, room - n, "; policy %s; StarPU %s", i->sched, i->starpu);
}

const char *orr_trace_digits(char out[ORR_TRACE_DIGITS], double x)
{
    const double size = fabs(x);
    snprintf(out, ORR_TRACE_DIGITS, size >= 1e4 && size < 1e18 ? "%.0f" : "%.4g", x);
    return out;
}

void orr_trace_verdict(const struct orr_trace_run *x, char *out, size_t room)
{
    const orr_analysis *a = &x->bounds;
    const double ratio = a->makespan / a->lp;
    char ms[ORR_TRACE_DIGITS], bound[ORR_TRACE_DIGITS];
    const int n = snprintf(out, room, "%zu task%s in %s ms", x->n, x->n == 1 ? "" : "s",
                           orr_trace_digits(ms, 1e3 * a->makespan));
    if (a->lp > 0)
        snprintf(out + n, room - (size_t)n,
                 ratio < 1000 ? ", %.3g times the bound of %s ms"
                              : ", %.0f times the bound of %s ms",
                 ratio, orr_trace_digits(bound, 1e3 * a->lp));
    else
        snprintf(out + n, room - (size_t)n, "; no bounds");
}
