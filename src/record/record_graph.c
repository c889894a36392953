/* The graph of what was recorded. SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/graph/dag.h"
#include "src/record/record.h"

static int rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]))
            return atoi(getenv(names[k]));
    return -1;
}

/* place[number] becomes 1 for tasks that explicit edges join. */
static void mark_joined(const struct recorded *all, size_t *place)
{
    memset(place, 0, (size_t)all->tasks * sizeof *place);
    for (const struct edge *e = all->edge; e; e = e->next)
        if (e->after->number >= 0 && e->before->number >= 0)
            place[e->after->number] = place[e->before->number] = 1;
}

/* place[number]: that of the task in the graph, SIZE_MAX if it did not run, or did nothing: it ran
 * nowhere, used nothing and joined nothing. */
static void put_tasks(struct recorded *all, struct orr_dag *g, size_t *place)
{
    const double t0 = all->first ? all->first->submit : 0;
    const int mine = rank();
    double end = 0;
    int phase = 0;
    for (struct record *r = all->first; r; r = r->next) {
        const int idle = !r->where && !r->uses && !place[r->number];
        place[r->number] = SIZE_MAX;
        all->gone += !r->ended;
        if (!r->ended || idle)
            continue;
        place[r->number] = g->tasks;
        struct orr_dag_task *t = orr_dag_task(g, r->name, r->model);
        if (!t)
            return;
        t->footprint = r->footprint;
        t->priority = r->priority;
        t->where = r->kind >= 0 ? r->where | 1u << r->kind : 0;
        t->sync = r->sync & t->where;
        t->kind = r->kind;
        t->worker = r->kind >= 0 ? r->worker : -1;
        t->node = r->memory;
        t->rank = mine;
        t->submit = r->submit - t0;
        if (r->kind >= 0) {
            t->ready = r->ready - t0;
            t->start = r->start - t0;
            t->end = r->end - t0;
            t->t[r->kind] = fmax(r->end - r->start, 1e-3); /* what the clock can tell */
        }
        if (end > 0 && r->submit > end) {
            phase++;
            t->pause = r->submit - end;
        }
        t->phase = phase;
        end = fmax(end, r->kind >= 0 ? r->end : r->submit);
        for (unsigned i = 0; i < r->uses; i++)
            orr_dag_access(g, r->use[i].data, r->use[i].mode, r->use[i].bytes);
    }
}

static long put_edges(const struct recorded *all, struct orr_dag *g, const size_t *place)
{
    long n = 0;
    uint32_t *count = calloc(g->tasks + 1, sizeof *count);
    if (!count) {
        g->failed = 1;
        return 0;
    }
    struct {
        uint32_t after, before;
    } * v;
    for (struct edge *e = all->edge; e; e = e->next)
        n++;
    v = malloc(((size_t)n + 1) * sizeof *v);
    size_t kept = 0;
    for (struct edge *e = all->edge; v && e; e = e->next) {
        if (e->after->number < 0 || e->before->number < 0 || place[e->after->number] == SIZE_MAX ||
            place[e->before->number] == SIZE_MAX)
            continue;
        v[kept].after = (uint32_t)place[e->after->number];
        v[kept++].before = (uint32_t)place[e->before->number];
        count[place[e->after->number]]++;
    }
    if (v)
        for (size_t i = 0, k = 0; i < g->tasks; k += count[i++])
            g->task[i].after = k;
    g->before = v ? malloc((kept + 1) * sizeof *g->before) : NULL;
    g->befores = kept;
    for (size_t k = 0; g->before && k < kept; k++) {
        struct orr_dag_task *t = &g->task[v[k].after];
        g->before[t->after + t->afters++] = v[k].before;
    }
    g->failed |= !g->before;
    free(v);
    free(count);
    return n - (long)kept;
}

enum { LONG_NAME = 200 };
enum failure { NO_ROOM = 3, NO_MEMORY = 5 }; /* exit codes of the command */

/* For `orrery record`, whose exit code it becomes. */
static void note_failure(enum failure why)
{
    const char *note = getenv("ORRERY_RECORD_NOTE"), code = (char)why;
    const int fd = note ? open(note, O_WRONLY | O_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, &code, 1) < 0)
        perror("orrery record");
    if (fd >= 0)
        close(fd);
}

/* Appears whole or not at all; a second process of one name gets another. */
static void save(const struct orr_dag *g, const char *path)
{
    char part[4200], other[4200];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const int keep =
        (int)(name - path) + (int)strnlen(name, LONG_NAME); /* room for more behind it */
    snprintf(part, sizeof part, "%.*s.%ld.part", keep, path, (long)getpid());
    snprintf(other, sizeof other, "%.*s.%ld", keep, path, (long)getpid());
    FILE *f = fopen(part, "w");
    const int ok = f && orr_dag_write(g, f);
    if (f && fclose(f) == 0 && ok && (link(part, path) == 0 || rename(part, other) == 0)) {
        unlink(part);
        return;
    }
    fprintf(stderr, "orrery record: cannot write ");
    perror(path);
    note_failure(NO_ROOM);
    if (f)
        unlink(part);
}

void orr_record_write(struct recorded *all)
{
    const char *path = getenv("ORRERY_RECORD");
    struct orr_dag g;
    if (!path || !*path)
        return;
    orr_dag_init(&g);
    gethostname(g.host, sizeof g.host - 1);
    g.workers[ORR_DAG_CPU] = (int)starpu_cpu_worker_get_count();
    g.workers[ORR_DAG_CUDA] = (int)starpu_cuda_worker_get_count();
    g.workers[ORR_DAG_OPENCL] = (int)starpu_opencl_worker_get_count();
    for (uint64_t k = 0; k < all->data; k++)
        orr_dag_data(&g, all->bytes[k]);
    size_t *place = malloc(((size_t)all->tasks + 1) * sizeof *place);
    if (place) {
        mark_joined(all, place);
        put_tasks(all, &g, place);
    }
    const long gone = place && !g.failed ? put_edges(all, &g, place) : 0;
    if (!place || g.failed || all->lost) {
        fprintf(stderr, "orrery record: not enough memory, no graph is written\n");
        note_failure(NO_MEMORY);
    } else
        save(&g, path);
    if (all->gone)
        fprintf(stderr, "orrery record: %ld tasks were submitted and did not run: left out\n",
                all->gone);
    if (gone)
        fprintf(stderr, "orrery record: %ld edges to tasks or tags that did not run: left out\n",
                gone);
    free(place);
    orr_dag_free(&g);
}
