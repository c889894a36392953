/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/sim/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TASKS = 1 << 24, MOST_DATA = 1 << 24 };

struct reader {
    struct sim_graph *g;
    const char *path;
    FILE *file;
    char *line;
    size_t room, number;
    size_t *table, slots; /* costs by hash: index + 1; 0: free */
    size_t access_room;
};

static int wrong(const struct reader *r, const char *what)
{
    fprintf(stderr, "orrery: %s:%zu: %s\n", r->path, r->number, what);
    return 3;
}

static int next(struct reader *r)
{
    r->number++;
    return getline(&r->line, &r->room, r->file) > 0;
}

/* ---- Costs -------------------------------------------------------------------------------- */

static size_t slot_of(const struct reader *r, const struct sim_cost *c)
{
    uint64_t h = c->footprint * 0x9e3779b97f4a7c15u;
    for (const char *s = c->name; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    for (const char *s = c->symbol; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    for (size_t i = h % r->slots;; i = (i + 1) % r->slots) {
        const struct sim_cost *x = r->table[i] ? &r->g->cost[r->table[i] - 1] : NULL;
        if (!x || (x->footprint == c->footprint && !strcmp(x->name, c->name) &&
                   !strcmp(x->symbol, c->symbol)))
            return i;
    }
}

/* The entry of this cost, made if need be. There is room for as many as there are tasks. */
static size_t cost_of(struct reader *r, const struct sim_cost *key)
{
    const size_t slot = slot_of(r, key);
    if (!r->table[slot]) {
        r->g->cost[r->g->costs] = *key;
        r->table[slot] = ++r->g->costs;
    }
    return r->table[slot] - 1;
}

/* ---- Lines --------------------------------------------------------------------------------- */

static int read_accesses(struct reader *r, struct sim_task *t, char *at, double *bytes)
{
    struct sim_graph *g = r->g;
    t->first = g->accesses;
    *bytes = 0;
    for (unsigned i = 0; i < t->accesses; i++) {
        unsigned long long data;
        int mode, used = 0;
        size_t size;
        if (sscanf(at, " %llu:%d:%zu%n", &data, &mode, &size, &used) != 3)
            return wrong(r, "expected DATA:MODE:BYTES");
        if (data == 0 || data > MOST_DATA ||
            !(mode & (STARPU_RW | STARPU_SCRATCH | STARPU_REDUX)) || mode < 0 ||
            mode >= 2 * STARPU_LOCALITY)
            return wrong(r, "a number of data or an access mode that cannot be");
        if (mode & STARPU_REDUX) /* nobody is here who could join the parts */
            mode = STARPU_RW | STARPU_COMMUTE;
        at += used;
        if (g->accesses == r->access_room) {
            const size_t room = r->access_room ? 2 * r->access_room : 1024;
            struct orr_trace_access *more = realloc(g->access, room * sizeof *more);
            if (!more)
                return 5;
            g->access = more;
            r->access_room = room;
        }
        g->access[g->accesses++] = (struct orr_trace_access){data, mode, size};
        g->data = data > g->data ? data : g->data;
        *bytes += (double)size;
    }
    return at[strspn(at, " \n")] ? wrong(r, "more than the task's accesses") : 0;
}

static int read_task(struct reader *r, struct sim_task *t)
{
    struct sim_cost key = {.cpu = 0};
    unsigned long long footprint;
    char kind[16];
    double us, bytes;
    int used = 0;
    if (sscanf(r->line, "task %63s %63s %llx %d %d %d %d %d %15s %lf %u%n", key.name, key.symbol,
               &footprint, &t->phase, &t->priority, &t->cpu_only, &t->accel_only, &key.has_cuda,
               kind, &us, &t->accesses, &used) != 11 ||
        !(us >= 0) || t->accesses > 100000)
        return wrong(r, "not a task");
    key.footprint = footprint;
    const int rc = read_accesses(r, t, r->line + used, &bytes);
    if (rc)
        return rc;
    t->cost = cost_of(r, &key);
    struct sim_cost *c = &r->g->cost[t->cost];
    t->cpu = NAN;
    if (!strcmp(kind, "cpu")) {
        t->cpu = 1e-6 * us;
        c->cpu += 1e-6 * us;
        c->cpu_tasks++;
    } else if (r->g->cuda > 0) { /* OpenCL devices stand in for others and tell no times */
        c->cuda += 1e-6 * us;
        c->cuda_tasks++;
    }
    c->bytes = bytes;
    c->accesses += t->accesses;
    c->tasks++;
    return 0;
}

/* Before the first task of a phase there may be a line that says what the program did itself. */
static int read_pause(struct reader *r, double *seconds)
{
    double us;
    if (strncmp(r->line, "pause ", 6) != 0)
        return 0;
    if (sscanf(r->line, "pause %lf", &us) != 1 || !(us >= 0 && us < 1e12))
        return wrong(r, "expected: pause MICROSECONDS");
    *seconds = 1e-6 * us;
    return next(r) ? 0 : wrong(r, "the file ends too early");
}

static int read_all(struct reader *r)
{
    struct sim_graph *g = r->g;
    struct stat st;
    int version;
    if (!next(r) || sscanf(r->line, "orrery graph %d", &version) != 1)
        return wrong(r, "not a graph of orrery --trace FILE.graph");
    if (version != 1)
        return wrong(r, "a graph of another version");
    if (!next(r) || sscanf(r->line, "recorded on %63s cpu %d cuda %d opencl %d", g->host, &g->cpu,
                           &g->cuda, &g->opencl) != 4)
        return wrong(r, "expected: recorded on HOST cpu N cuda N opencl N");
    if (!next(r) || sscanf(r->line, "tasks %zu", &g->tasks) != 1 || g->tasks > MOST_TASKS)
        return wrong(r, "expected: tasks N");
    if (fstat(fileno(r->file), &st) == 0 && S_ISREG(st.st_mode) && g->tasks > (size_t)st.st_size)
        return wrong(r, "the file is too short for so many tasks");
    r->slots = 2 * g->tasks + 1;
    r->table = calloc(r->slots, sizeof *r->table);
    g->task = calloc(g->tasks + 1, sizeof *g->task);
    g->cost = calloc(g->tasks + 1, sizeof *g->cost);
    if (!r->table || !g->task || !g->cost)
        return 5;
    for (size_t i = 0; i < g->tasks; i++) {
        int rc = next(r) ? read_pause(r, &g->task[i].pause) : wrong(r, "the file ends too early");
        if (rc == 0)
            rc = read_task(r, &g->task[i]);
        if (rc)
            return rc;
    }
    if (!next(r) || strcmp(r->line, "end\n") != 0)
        return wrong(r, "expected: end");
    for (size_t i = 0; i < g->costs; i++) {
        struct sim_cost *c = &g->cost[i];
        c->accesses /= (double)c->tasks;
        c->cpu = c->cpu_tasks ? c->cpu / (double)c->cpu_tasks : NAN;
        c->cuda = c->cuda_tasks ? c->cuda / (double)c->cuda_tasks : NAN;
        c->calibrated[0] = c->calibrated[1] = NAN;
    }
    return 0;
}

int sim_graph_read(struct sim_graph *g, const char *path)
{
    *g = (struct sim_graph){.tasks = 0};
    struct reader r = {.g = g, .path = path, .file = fopen(path, "r")};
    if (!r.file) {
        perror(path);
        return 3;
    }
    const int rc = read_all(&r);
    fclose(r.file);
    free(r.line);
    free(r.table);
    if (rc)
        sim_graph_free(g);
    return rc;
}

void sim_graph_free(struct sim_graph *g)
{
    free(g->task);
    free(g->cost);
    free(g->access);
    *g = (struct sim_graph){.tasks = 0};
}
