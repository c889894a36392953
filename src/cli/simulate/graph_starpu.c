/* StarPU's tasks.rec, and StarVZ's tables of the same: rec.tasks.csv, dag.csv, rec.data_handles.csv.
 *
 * Jobs are tasks, or what StarPU makes itself (acquiring data, joining): those have no times and
 * are left out; what waits for one waits for all tasks that it waited for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_import.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/simulate/graph_table.h"
#include "src/graph/dag_lines.h"

struct job {
    char *name, *model, *handles, *modes, *sizes; /* NULL: no task */
    double submit, start, end, flops;             /* ms; Gflop */
    int64_t order, priority, worker, node, rank;
    uint64_t footprint;
    size_t line, task; /* its number in the graph */
};

struct edge {
    size_t job, before;
};

struct starpu {
    struct job *job; /* by number of the word that names it */
    size_t room;
    struct edge *edge;
    size_t edges, edge_room;
    graph_words ids, data, workers;
    size_t *bytes; /* of a handle, by number; what rec.data_handles says */
    size_t bytes_room;
    const char *tasks_path, *edges_path; /* NULL: no such table */
    int failed;                          /* memory ran out */
};

/* ---- Growing --------------------------------------------------------------------------------- */

static void grow(struct starpu *s, void *array, size_t needed, size_t *room, size_t size)
{
    void **v = array;
    if (s->failed || needed < *room)
        return;
    const size_t more = 2 * needed + 64;
    char *p = realloc(*v, more * size);
    if (!p) {
        s->failed = 1;
        return;
    }
    memset(p + *room * size, 0, (more - *room) * size);
    *v = p;
    *room = more;
}

static size_t job_of(struct starpu *s, const char *id)
{
    const size_t k = graph_word(&s->ids, id, 1);
    s->failed |= k == SIZE_MAX;
    if (!s->failed)
        grow(s, &s->job, k, &s->room, sizeof *s->job);
    return s->failed ? SIZE_MAX : k;
}

static void add_edge(struct starpu *s, size_t job, size_t before)
{
    grow(s, &s->edge, s->edges, &s->edge_room, sizeof *s->edge);
    if (!s->failed)
        s->edge[s->edges++] = (struct edge){job, before};
}

static char *copy(struct starpu *s, const char *text)
{
    char *c = strdup(text);
    s->failed |= !c;
    return c;
}

/* ---- Reading a job ------------------------------------------------------------------------------ */

static int integer(const table *t, const char *key, int64_t none, int64_t *out)
{
    const char *text = table_get(t, key);
    char *end;
    *out = none;
    if (!*text)
        return CLI_OK;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return *end || errno || *out > INT32_MAX || *out < INT32_MIN ? table_wrong(t, key, text)
                                                                 : CLI_OK;
}

static int real(const table *t, const char *key, double *out)
{
    const char *text = table_get(t, key);
    char *end;
    *out = NAN;
    if (!*text)
        return CLI_OK;
    *out = strtod(text, &end);
    return *end || !isfinite(*out) ? table_wrong(t, key, text) : CLI_OK;
}

static int read_numbers(const table *t, struct job *j)
{
    const char *text = table_get(t, "Footprint");
    char *end;
    j->footprint = strtoull(text, &end, 16);
    int code = *end ? table_wrong(t, "Footprint", text) : CLI_OK;
    code = cli_worse(code, integer(t, "SubmitOrder", INT32_MAX, &j->order));
    code = cli_worse(code, integer(t, "Priority", 0, &j->priority));
    code = cli_worse(code, integer(t, "WorkerId", -1, &j->worker));
    code = cli_worse(code, integer(t, "MemoryNode", -1, &j->node));
    code = cli_worse(code, integer(t, "MPIRank", -1, &j->rank));
    code = cli_worse(code, real(t, "SubmitTime", &j->submit));
    code = cli_worse(code, real(t, "StartTime", &j->start));
    code = cli_worse(code, real(t, "EndTime", &j->end));
    code = cli_worse(code, real(t, "GFlop", &j->flops));
    if (code == CLI_OK && !(j->end > j->start))
        code = table_wrong(t,
                           j->end < j->start ? "a task that ends before it starts"
                                             : "a task that takes no time",
                           table_get(t, "JobId"));
    return code;
}

static int is_task(const table *t)
{
    const char *name = table_get(t, "Name");
    return *name && strncmp(name, "_starpu", 7) && *table_get(t, "StartTime") &&
           *table_get(t, "EndTime");
}

static int read_job(struct starpu *s, const table *t)
{
    const char *id = table_get(t, "JobId");
    if (!*id)
        return table_wrong(t, "a job without JobId", NULL);
    const size_t k = job_of(s, id);
    char *waits = copy(s, table_get(t, "DependsOn")), *at = waits;
    for (char *w; !s->failed && (w = orr_dag_word(&at));)
        add_edge(s, k, job_of(s, w));
    free(waits);
    if (s->failed)
        return CLI_MEMORY;
    struct job *j = &s->job[k];
    if (!is_task(t))
        return CLI_OK;
    if (j->name)
        return table_wrong(t, "a second task with this JobId", id);
    const int code = read_numbers(t, j);
    if (code != CLI_OK)
        return code;
    j->line = t->row;
    j->name = copy(s, table_get(t, "Name"));
    j->model = copy(s, table_get(t, "Model"));
    j->handles = copy(s, table_get(t, "Handles"));
    j->modes = copy(s, table_get(t, "Modes"));
    j->sizes = copy(s, table_get(t, "Sizes"));
    return s->failed ? CLI_MEMORY : CLI_OK;
}

/* ---- The three kinds of table ----------------------------------------------------------------------- */

static size_t handle_of(struct starpu *s, int64_t rank, const char *handle)
{
    char key[96];
    snprintf(key, sizeof key, "%lld %.64s", (long long)(rank < 0 ? 0 : rank), handle);
    const size_t k = graph_word(&s->data, key, 1);
    s->failed |= k == SIZE_MAX;
    if (!s->failed)
        grow(s, &s->bytes, k, &s->bytes_room, sizeof *s->bytes);
    return s->failed ? SIZE_MAX : k;
}

static int read_handle(struct starpu *s, const table *t)
{
    int64_t rank;
    const char *size = table_get(t, "Size");
    char *end;
    errno = 0;
    const unsigned long long bytes = strtoull(size, &end, 10);
    if (*end || errno)
        return table_wrong(t, "Size", size);
    int code = integer(t, "MPIRank", 0, &rank);
    if (code != CLI_OK)
        return code;
    const size_t k = handle_of(s, rank, table_get(t, "Handle"));
    if (!s->failed)
        s->bytes[k] = bytes > s->bytes[k] ? bytes : s->bytes[k];
    return s->failed ? CLI_MEMORY : CLI_OK;
}

static int read_dependency(struct starpu *s, const table *t)
{
    const char *job = table_get(t, "JobId"), *before = table_get(t, "Dependent");
    if (!*job || !*before)
        return table_wrong(t, "an edge without its two ends", NULL);
    const size_t k = job_of(s, job), b = job_of(s, before);
    if (!s->failed)
        add_edge(s, k, b);
    return s->failed ? CLI_MEMORY : CLI_OK;
}

typedef int (*read_row)(struct starpu *, const table *);

/* By its columns, or NULL and told. */
static read_row reader_of(const table *t)
{
    if (t->recutils)
        return read_job;
    if (table_has(t, "Dependent") && table_has(t, "JobId"))
        return read_dependency;
    if (table_has(t, "JobId") && table_has(t, "Handles") && table_has(t, "StartTime"))
        return read_job;
    if (table_has(t, "Handle") && table_has(t, "Size"))
        return read_handle;
    if (table_has(t, "ResourceId") || table_has(t, "Nature"))
        cli_say("%s: a table of Paje has no accesses, from which edges could follow; StarVZ's "
                "rec.tasks.csv has",
                t->path);
    else
        cli_say("%s:1: neither rec.tasks (JobId, Handles, StartTime), dag (Dependent, JobId) nor "
                "rec.data_handles (Handle, Size)",
                t->path);
    return NULL;
}

static int read_table(struct starpu *s, const char *path, read_row pass)
{
    table t;
    int code = table_open(&t, path), got = 1;
    if (code != CLI_OK)
        return code;
    const read_row row = reader_of(&t);
    if (!row)
        code = CLI_FILE;
    if (row == read_job && pass == read_job && s->tasks_path) {
        cli_say("%s: a second table of tasks, after %s", path, s->tasks_path);
        code = CLI_FILE;
    }
    if (row == read_job && pass == read_job)
        s->tasks_path = path;
    if (row == read_dependency && pass == read_dependency) {
        s->edges = 0; /* dag.csv takes the place of DependsOn, from which it was made */
        s->edges_path = path;
    }
    while (code == CLI_OK && row == pass && (got = table_next(&t)) > 0)
        code = row(s, &t);
    table_close(&t);
    return got == -1 ? CLI_FILE : got == -2 ? CLI_MEMORY : code;
}

/* ---- The graph ------------------------------------------------------------------------------------------ */

static int mode_of(const char *text)
{
    static const char letters[] = "RWSXC"; /* of bit 1 << k, as StarPU writes them */
    int mode = 0;
    for (; *text; text++) {
        const char *at = strchr(letters, *text);
        if (!at)
            return 0;
        mode |= 1 << (at - letters);
    }
    return mode & (ORR_ACCESS_RW | ORR_ACCESS_SCRATCH | ORR_ACCESS_REDUX) ? mode : 0;
}

static int task_wrong(const struct starpu *s, const struct job *j, const char *what,
                      const char *word)
{
    cli_say("%s:%zu: %s: '%.60s'", s->tasks_path, j->line, what, word ? word : "");
    return CLI_FILE;
}

/* number[]: of the graph's data by that of the handle; 0: none yet. */
static int put_accesses(struct starpu *s, struct orr_dag *d, uint64_t **number, size_t *room,
                        struct job *j)
{
    char *handles = j->handles, *modes = j->modes, *sizes = j->sizes, *handle;
    const int sized = j->sizes[strspn(j->sizes, " ")] != '\0';
    while ((handle = orr_dag_word(&handles))) {
        const char *mode = orr_dag_word(&modes), *size = sized ? orr_dag_word(&sizes) : NULL;
        char *end = NULL;
        const size_t k = handle_of(s, j->rank, handle);
        if (s->failed)
            return CLI_MEMORY;
        if (!mode || !mode_of(mode))
            return task_wrong(s, j, "no mode for a handle", mode ? mode : handle);
        const unsigned long long bytes = size ? strtoull(size, &end, 10) : s->bytes[k];
        if (sized && (!size || *end))
            return task_wrong(s, j, "no size for a handle", size ? size : handle);
        grow(s, number, k, room, sizeof **number);
        if (s->failed)
            return CLI_MEMORY;
        if (!(*number)[k])
            (*number)[k] = orr_dag_data(d, bytes > s->bytes[k] ? bytes : s->bytes[k]);
        orr_dag_access(d, (*number)[k], mode_of(mode), bytes);
    }
    if ((handle = orr_dag_word(&modes)))
        return task_wrong(s, j, "a mode without a handle", handle);
    return d->failed ? CLI_MEMORY : CLI_OK;
}

/* StarPU's main memory is node 0; what ran with another one ran on a device. */
static int put_task(struct starpu *s, struct orr_dag *d, struct job *j)
{
    char worker[64];
    struct orr_dag_task *t = orr_dag_task(d, j->name, j->model);
    if (!t)
        return CLI_MEMORY;
    t->kind = j->node > 0 ? ORR_DAG_CUDA : ORR_DAG_CPU;
    t->where = 1u << t->kind;
    t->footprint = j->footprint;
    t->priority = (int)j->priority;
    t->worker = (int)j->worker;
    t->node = (int)j->node;
    t->rank = (int)j->rank;
    t->submit = 1e3 * j->submit;
    t->start = 1e3 * j->start;
    t->end = 1e3 * j->end;
    t->t[t->kind] = 1e3 * (j->end - j->start);
    t->flops = 1e9 * j->flops;
    t->line = j->line;
    snprintf(worker, sizeof worker, "%lld %lld", (long long)j->rank, (long long)j->worker);
    const size_t before = s->workers.count;
    s->failed |= graph_word(&s->workers, worker, 1) == SIZE_MAX;
    d->workers[t->kind] += s->workers.count > before;
    return s->failed ? CLI_MEMORY : CLI_OK;
}

static int by_order(const void *x, const void *y)
{
    const struct job *a = *(struct job *const *)x, *b = *(struct job *const *)y;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order)
           : a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                                : (a->line > b->line) - (a->line < b->line);
}

static int put_tasks(struct starpu *s, struct orr_dag *d)
{
    struct job **all = malloc((s->ids.count + 1) * sizeof *all);
    uint64_t *number = NULL;
    size_t n = 0, room = 0;
    int code = all ? CLI_OK : CLI_MEMORY;
    for (size_t k = 0; all && k < s->ids.count; k++)
        if (s->job[k].name)
            all[n++] = &s->job[k];
    if (n)
        qsort(all, n, sizeof *all, by_order);
    for (size_t k = 0; code == CLI_OK && k < n; k++) {
        all[k]->task = k;
        code = put_task(s, d, all[k]);
        if (code == CLI_OK)
            code = put_accesses(s, d, &number, &room, all[k]);
    }
    if (code == CLI_OK && !n) {
        cli_say("%s: no task has a name, StartTime and EndTime", s->tasks_path);
        code = CLI_FILE;
    }
    free(number);
    free(all);
    return code;
}

static int by_job(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    return a->job != b->job ? (a->job > b->job) - (a->job < b->job)
                            : (a->before > b->before) - (a->before < b->before);
}

struct walk {
    size_t *stack, *seen, *at; /* seen[job]: the last job + 1 that reached it; at: first edges */
    uint32_t (*pair)[2];
    size_t pairs, room;
};

/* The tasks that a job waits for, through what is no task. */
static void walk_back(struct starpu *s, struct walk *w, size_t job)
{
    size_t n = 0;
    w->stack[n++] = job;
    while (n) {
        const size_t from = w->stack[--n];
        for (size_t e = w->at[from]; e < w->at[from + 1]; e++) {
            const size_t k = s->edge[e].before;
            if (w->seen[k] == job + 1)
                continue;
            w->seen[k] = job + 1;
            if (!s->job[k].name) {
                w->stack[n++] = k;
                continue;
            }
            grow(s, &w->pair, w->pairs, &w->room, sizeof *w->pair);
            if (s->failed)
                return;
            w->pair[w->pairs][0] = (uint32_t)s->job[job].task;
            w->pair[w->pairs++][1] = (uint32_t)s->job[k].task;
        }
    }
}

/* The edges of another run than that of the tasks would all be dropped. */
static int check_edges(const struct starpu *s)
{
    size_t e = 0;
    while (e < s->edges && !s->job[s->edge[e].job].name)
        e++;
    if (!s->edges_path || !s->edges || e < s->edges)
        return CLI_OK;
    cli_say("%s: none of its jobs is a task of %s", s->edges_path, s->tasks_path);
    return CLI_FILE;
}

static int put_edges(struct starpu *s, struct orr_dag *d, graph_found *found)
{
    const size_t n = s->ids.count;
    struct walk w = {.stack = malloc((n + 1) * sizeof *w.stack),
                     .seen = calloc(n + 1, sizeof *w.seen),
                     .at = calloc(n + 2, sizeof *w.at)};
    int ok = w.stack && w.seen && w.at;
    if (ok && s->edges)
        qsort(s->edge, s->edges, sizeof *s->edge, by_job);
    for (size_t e = 0; ok && e < s->edges; e++)
        w.at[s->edge[e].job + 1]++;
    for (size_t k = 0; ok && k < n; k++)
        w.at[k + 1] += w.at[k];
    for (size_t k = 0; ok && !s->failed && k < n; k++)
        if (s->job[k].name)
            walk_back(s, &w, k);
    ok = ok && !s->failed && graph_add_edges(d, (const uint32_t(*)[2])w.pair, w.pairs, found);
    free(w.stack);
    free(w.seen);
    free(w.at);
    free(w.pair);
    return ok ? CLI_OK : CLI_MEMORY;
}

int graph_import_starpu(struct orr_dag *d, const cli_files *files, graph_found *found)
{
    static const read_row passes[] = {read_job, read_dependency, read_handle};
    struct starpu s = {.room = 0};
    int code = CLI_OK;
    for (size_t p = 0; p < 3; p++)
        for (int k = 0; code == CLI_OK && k < files->n; k++)
            code = read_table(&s, files->v[k], passes[p]);
    if (code == CLI_OK && !s.tasks_path)
        code = cli_usage("graph import", "a table of tasks is needed: tasks.rec or rec.tasks.csv");
    snprintf(d->host, sizeof d->host, "imported");
    found->format = "starpu";
    if (code == CLI_OK)
        code = put_tasks(&s, d);
    if (code == CLI_OK)
        code = check_edges(&s);
    if (code == CLI_OK)
        code = put_edges(&s, d, found);
    for (size_t k = 0; k < s.ids.count && k < s.room; k++) {
        free(s.job[k].name);
        free(s.job[k].model);
        free(s.job[k].handles);
        free(s.job[k].modes);
        free(s.job[k].sizes);
    }
    free(s.job);
    free(s.edge);
    free(s.bytes);
    graph_words_free(&s.ids);
    graph_words_free(&s.data);
    graph_words_free(&s.workers);
    return code;
}
