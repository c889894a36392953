/* Reads graphs of version 1 and 2, as they are or compressed by gzip. What cannot be is refused with its line.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/graph/dag.h"
#include "src/graph/dag_lines.h"

struct reader {
    struct orr_dag *g;
    struct orr_dag_lines in;
    size_t tasks;
    double pause;
};

#define wrong(r, ...) orr_dag_wrong(&(r)->in, __VA_ARGS__)

/* How long something took: what is not a positive number is a fault of who measured it. */
static int read_time(const struct reader *r, const char *what, const char *s, double *out)
{
    if (!orr_dag_real(s, out))
        return wrong(r, "%s: '%.40s' is not a time in microseconds", what, s);
    if (!isfinite(*out) || !orr_dag_is_time(*out))
        return wrong(r, "%s: a time of '%.40s'", what, s);
    if (*out <= 0)
        return wrong(r, "%s: a time of %s", what, *out < 0 ? "less than zero" : "zero");
    return 0;
}

/* ---- Version 2: a task is its name, KEY=VALUE and accesses ------------------------------------------ */

static int kind_of(const char *s, size_t n)
{
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (strlen(orr_dag_kind_name[k]) == n && !strncmp(s, orr_dag_kind_name[k], n))
            return k;
    return -1;
}

/* Kinds from `least` on. */
static int read_kinds(const struct reader *r, const char *key, const char *s, int least,
                      unsigned *kinds)
{
    for (*kinds = 0;;) {
        const size_t n = strcspn(s, ",");
        const int kind = kind_of(s, n);
        if (kind < least)
            return wrong(r, "%s: '%.*s' is no kind of %s", key, (int)(n < 40 ? n : 40), s,
                         least > ORR_DAG_CPU ? "accelerator" : "worker");
        *kinds |= 1u << kind;
        if (!s[n])
            return 0;
        s += n + 1;
    }
}

static int read_where(const struct reader *r, const char *s, unsigned *where)
{
    if (strcmp(s, "none"))
        return read_kinds(r, "where", s, ORR_DAG_CPU, where);
    *where = 0;
    return 0;
}

static int read_after(struct reader *r, char *s)
{
    for (char *part = s; part;) {
        char *comma = strchr(part, ',');
        int64_t task;
        if (comma)
            *comma++ = '\0';
        if (!orr_dag_integer(part, 1, (int64_t)r->tasks, &task))
            return wrong(r, "after: '%.40s' is not the number of a task, 1 to %zu", part, r->tasks);
        orr_dag_after(r->g, (size_t)task - 1);
        part = comma;
    }
    return 0;
}

static int read_wants(const struct reader *r, struct orr_dag_task *t, const char *s)
{
    t->wants = !strcmp(s, "cpu") ? ORR_WANTS_CPU : ORR_WANTS_ACCELERATOR;
    return t->wants == ORR_WANTS_CPU || !strcmp(s, "accelerator")
               ? 0
               : wrong(r, "wants: '%.40s' is neither cpu nor accelerator", s);
}

static int read_int_key(const struct reader *r, struct orr_dag_task *t, const char *key,
                        const char *s)
{
    /* clang-format off */
    const struct { const char *key; int *at, least, most; } ints[] = {
        {"phase", &t->phase, 0, ORR_DAG_MOST_TASKS}, {"priority", &t->priority, INT32_MIN, INT32_MAX},
        {"worker", &t->worker, 0, INT32_MAX},        {"rank", &t->rank, 0, INT32_MAX},
        {"node", &t->node, 0, INT32_MAX},            {"owner", &t->owner, 0, INT32_MAX}};
    /* clang-format on */
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
        if (!strcmp(key, ints[k].key)) {
            int64_t x;
            if (!orr_dag_integer(s, ints[k].least, ints[k].most, &x))
                return wrong(r, "%s: '%.40s' is not such a number", key, s);
            *ints[k].at = (int)x;
            return 0;
        }
    return -1;
}

static int read_real_key(const struct reader *r, struct orr_dag_task *t, const char *key,
                         const char *s)
{
    const struct {
        const char *key;
        double *at;
    } reals[] = {{"submit", &t->submit}, {"ready", &t->ready}, {"start", &t->start},
                 {"end", &t->end},       {"flops", &t->flops}, {"joules", &t->joules}};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        if (!strcmp(key, reals[k].key)) {
            if (!orr_dag_real(s, reals[k].at) || !isfinite(*reals[k].at) ||
                (k >= 4 ? *reals[k].at < 0 : !orr_dag_is_clock(*reals[k].at)))
                return wrong(r, "%s: '%.40s' is not such a number", key, s);
            return 0;
        }
    return -1;
}

static int read_key(struct reader *r, struct orr_dag_task *t, char *key, char *s)
{
    const int kind = kind_of(key, strlen(key));
    char *end;
    if (kind >= 0)
        return read_time(r, key, s, &t->t[kind]);
    if (!strcmp(key, "model")) {
        t->model = orr_dag_name(r->g, s);
        return 0;
    }
    if (!strcmp(key, "footprint")) {
        errno = 0;
        t->footprint = strtoull(s, &end, 16);
        return isxdigit((unsigned char)*s) && !*end && !errno
                   ? 0
                   : wrong(r, "footprint: '%.40s' is not hexadecimal, of 16 digits at most", s);
    }
    if (!strcmp(key, "where"))
        return read_where(r, s, &t->where);
    if (!strcmp(key, "sync"))
        return read_kinds(r, key, s, ORR_DAG_CUDA, &t->sync);
    if (!strcmp(key, "wants"))
        return read_wants(r, t, s);
    if (!strcmp(key, "after"))
        return read_after(r, s);
    if (!strcmp(key, "ran")) {
        t->kind = kind_of(s, strlen(s));
        return t->kind >= 0 ? 0 : wrong(r, "ran: '%.40s' is no kind of worker", s);
    }
    int rc = read_int_key(r, t, key, s);
    rc = rc < 0 ? read_real_key(r, t, key, s) : rc;
    return rc < 0 ? wrong(r, "unknown key '%.40s'", key) : rc;
}

/* Letters of a mode, up to ':' or the end; 0: not one. */
static int read_mode(const char *s)
{
    static const char letters[] = "RWSXCMLUH"; /* of bit 1 << k */
    int mode = 0;
    for (; *s && *s != ':'; s++) {
        const char *at = strchr(letters, *s);
        if (!at || mode & 1 << (at - letters))
            return 0;
        mode |= 1 << (at - letters);
    }
    return mode & (ORR_ACCESS_RW | ORR_ACCESS_SCRATCH | ORR_ACCESS_REDUX) ? mode : 0;
}

static int read_access(struct reader *r, const char *w)
{
    char *end;
    errno = 0;
    const unsigned long long data = strtoull(w, &end, 10);
    const int mode = *end == ':' ? read_mode(end + 1) : 0;
    if (!mode)
        return wrong(r, "'%.40s' is not DATA:MODE with a mode of R, W, S, X, C, M, L, U and H", w);
    if (errno || data < 1 || data > r->g->all_data)
        return wrong(r, "data %.*s are used, but no line before declares them",
                     (int)strcspn(w, ":"), w);
    size_t bytes = r->g->data[data - 1].bytes;
    const char *size = strchr(end + 1, ':');
    int64_t given;
    if (size) {
        if (!orr_dag_integer(size + 1, 0, INT64_MAX, &given))
            return wrong(r, "'%.40s' are not bytes", size + 1);
        bytes = (size_t)given;
    }
    if (r->g->task[r->g->tasks - 1].accesses >= ORR_DAG_MOST_ACCESSES)
        return wrong(r, "more than %d accesses", ORR_DAG_MOST_ACCESSES);
    orr_dag_access(r->g, data, mode, bytes);
    return 0;
}

static int untimed(const struct reader *r)
{
    return wrong(r, "no time on any kind of worker; a task without work says where=none");
}

static unsigned where_timed(const struct orr_dag_task *t)
{
    unsigned where = 0;
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        where |= isnan(t->t[k]) ? 0 : 1u << k;
    return where;
}

static int check_task(const struct reader *r, const struct orr_dag_task *t)
{
    const unsigned timed = where_timed(t);
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (timed & ~t->where & 1u << k)
            return wrong(r, "a time on %s, where the task cannot run", orr_dag_kind_name[k]);
        else if (t->sync & ~t->where & 1u << k)
            return wrong(r, "sync: the task cannot run on %s", orr_dag_kind_name[k]);
    if (t->where && !timed)
        return untimed(r);
    if (t->kind >= 0 && isnan(t->t[t->kind]))
        return wrong(r, "it ran on %s and has no time there", orr_dag_kind_name[t->kind]);
    if (!isnan(t->start) && !isnan(t->end) && t->end < t->start)
        return wrong(r, "it ends before it starts");
    return 0;
}

/* A key that is there twice: which of its values is meant? */
static int read_once(struct reader *r, struct orr_dag_task *t, const char **seen, int n, char *key,
                     char *value)
{
    for (int k = 0; k < n; k++)
        if (!strcmp(seen[k], key))
            return wrong(r, "'%.40s' is there twice", key);
    seen[n] = key;
    return read_key(r, t, key, value);
}

static int read_task_2(struct reader *r)
{
    const char *seen[32]; /* more than there are keys */
    int keys = 0;
    char *at = r->in.line + strlen("task "), *name = orr_dag_word(&at), *w;
    if (!name || strchr(name, '='))
        return wrong(r, "expected: task NAME KEY=VALUE... DATA:MODE...");
    struct orr_dag_task *t = orr_dag_task(r->g, name, NULL);
    if (!t)
        return 5;
    t->where = UINT_MAX;
    while ((w = orr_dag_word(&at))) {
        char *equals = strchr(w, '=');
        if (equals)
            *equals = '\0';
        const int rc = equals ? read_once(r, t, seen, keys++, w, equals + 1) : read_access(r, w);
        if (rc)
            return rc;
    }
    if (t->where == UINT_MAX && !(t->where = where_timed(t)))
        return untimed(r);
    return check_task(r, t);
}

static int read_data(struct reader *r)
{
    char *at = r->in.line + strlen("data "), *number = orr_dag_word(&at),
         *bytes = orr_dag_word(&at);
    int64_t n, size;
    if (!number || !bytes || orr_dag_word(&at) ||
        !orr_dag_integer(number, 1, ORR_DAG_MOST_DATA, &n) ||
        !orr_dag_integer(bytes, 0, INT64_MAX, &size))
        return wrong(r, "expected: data NUMBER BYTES");
    if ((size_t)n != r->g->all_data + 1)
        return wrong(r, "data %zu were expected: they are numbered from 1", r->g->all_data + 1);
    orr_dag_data(r->g, (size_t)size);
    return 0;
}

/* ---- Version 1 ---------------------------------------------------------------------------------------- */

static int read_accesses_1(struct reader *r, unsigned count, char *at)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned long long data;
        int mode, used = 0;
        size_t size;
        if (sscanf(at, " %llu:%d:%zu%n", &data, &mode, &size, &used) != 3)
            return wrong(r, "expected DATA:MODE:BYTES");
        if (data == 0 || data > ORR_DAG_MOST_DATA || mode < 0 || mode > ORR_ACCESS_OF_STARPU ||
            !(mode & (ORR_ACCESS_RW | ORR_ACCESS_SCRATCH | ORR_ACCESS_REDUX)))
            return wrong(r, "a number of data or an access mode that cannot be");
        at += used;
        orr_dag_access(r->g, data, mode, size);
    }
    return at[strspn(at, " ")] ? wrong(r, "more than the task's accesses") : 0;
}

static int read_task_1(struct reader *r)
{
    char name[64], model[64], kind[16], time[32];
    unsigned long long footprint;
    int phase, priority, cpu_only, accel_only, cuda, used = 0;
    unsigned accesses;
    if (sscanf(r->in.line, "task %63s %63s %llx %d %d %d %d %d %15s %31s %u%n", name, model,
               &footprint, &phase, &priority, &cpu_only, &accel_only, &cuda, kind, time, &accesses,
               &used) != 11 ||
        accesses > ORR_DAG_MOST_ACCESSES)
        return wrong(r, "not a task");
    struct orr_dag_task *t = orr_dag_task(r->g, name, model);
    if (!t)
        return 5;
    t->footprint = footprint;
    t->phase = phase;
    t->priority = priority;
    t->wants = cpu_only ? ORR_WANTS_CPU : accel_only ? ORR_WANTS_ACCELERATOR : ORR_WANTS_ANY;
    t->where = 1u << ORR_DAG_CPU | (cuda ? 1u << ORR_DAG_CUDA : 0);
    t->kind = !strcmp(kind, "cpu")          ? ORR_DAG_CPU
              : r->g->workers[ORR_DAG_CUDA] ? ORR_DAG_CUDA
                                            : ORR_DAG_OPENCL;
    t->where |= 1u << t->kind;
    const int rc = read_time(r, kind, time, &t->t[t->kind]);
    return rc ? rc : read_accesses_1(r, accesses, r->in.line + used);
}

static int by_number(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Version 1 does not declare its data: those that are used get the numbers from 1. */
static int number_data(struct orr_dag *g)
{
    size_t kept = 0;
    uint64_t *v = malloc((g->accesses + 1) * sizeof *v);
    if (!v)
        return 5;
    for (size_t i = 0; i < g->accesses; i++)
        v[i] = g->access[i].data;
    qsort(v, g->accesses, sizeof *v, by_number);
    for (size_t i = 0; i < g->accesses; i++)
        if (i == 0 || v[i] != v[i - 1])
            v[kept++] = v[i];
    for (size_t k = 0; k < kept; k++)
        orr_dag_data(g, 0);
    for (size_t i = 0; i < g->accesses && !g->failed; i++) {
        struct orr_trace_access *a = &g->access[i];
        const uint64_t *at = bsearch(&a->data, v, kept, sizeof *v, by_number);
        struct orr_dag_data *d = &g->data[at - v];
        d->bytes = a->bytes > d->bytes ? a->bytes : d->bytes;
        a->data = (uint64_t)(at - v) + 1;
    }
    free(v);
    return g->failed ? 5 : 0;
}

/* ---- Both ------------------------------------------------------------------------------------------------ */

/* recorded on HOST cpu N cuda N opencl N, and hip N where there is one. */
static int read_host(struct reader *r)
{
    enum { MOST_WORKERS = 1000000 };
    static const char begin[] = "recorded on ";
    const int begins = !strncmp(r->in.line, begin, strlen(begin));
    char *at = r->in.line + (begins ? strlen(begin) : 0), *host = orr_dag_word(&at), *kind, *count;
    int good = begins && host && strlen(host) < sizeof r->g->host, k = 0;
    for (; good && (kind = orr_dag_word(&at)); k++) {
        int64_t n = 0;
        count = orr_dag_word(&at);
        good = k < ORR_DAG_COUNT && count && !strcmp(kind, orr_dag_kind_name[k]) &&
               orr_dag_integer(count, 0, MOST_WORKERS, &n);
        if (good)
            r->g->workers[k] = (int)n;
    }
    if (!good || k < ORR_DAG_HIP)
        return wrong(r, "expected: recorded on HOST cpu N cuda N opencl N");
    snprintf(r->g->host, sizeof r->g->host, "%s", orr_dag_name(r->g, host)); /* may be printed */
    return 0;
}

static int read_line(struct reader *r, int version)
{
    struct orr_dag *g = r->g;
    int rc = 0;
    if (!strncmp(r->in.line, "pause ", 6)) {
        if (!orr_dag_real(r->in.line + 6, &r->pause) || !(r->pause >= 0 && r->pause < 1e12))
            return wrong(r, "expected: pause MICROSECONDS");
        return 0;
    }
    if (version == 2 && !strncmp(r->in.line, "data ", 5))
        return read_data(r);
    if (strncmp(r->in.line, "task ", 5))
        return wrong(r, "not a task");
    if (g->tasks == r->tasks)
        return wrong(r, "expected: end");
    rc = version == 1 ? read_task_1(r) : read_task_2(r);
    if (rc)
        return rc;
    struct orr_dag_task *t = &g->task[g->tasks - 1];
    t->line = r->in.number;
    t->pause = r->pause;
    r->pause = 0;
    if (g->tasks > 1 && t->phase < t[-1].phase)
        return wrong(r, "phase %d follows phase %d", t->phase, t[-1].phase);
    return g->failed ? 5 : 0;
}

/* One needs a byte, and deflate makes at most 1032 of one. */
static size_t most_tasks(const struct reader *r)
{
    struct stat st;
    if (stat(r->in.path, &st) != 0 || !S_ISREG(st.st_mode))
        return ORR_DAG_MOST_TASKS;
    return (size_t)st.st_size * (gzdirect(r->in.file) ? 1 : 1032);
}

static int read_all(struct reader *r)
{
    static const char begin[] = "orrery graph ", tasks[] = "tasks ";
    int64_t version, n;
    int rc;
    if ((rc = orr_dag_next(&r->in)))
        return rc;
    if (strncmp(r->in.line, begin, strlen(begin)))
        return wrong(
            r,
            "not a graph of orrery record or orrery --trace FILE.graph (orrery graph import reads some others)");
    if (!orr_dag_integer(r->in.line + strlen(begin), 1, 2, &version))
        return wrong(r, "a graph of another version");
    if ((rc = orr_dag_next(&r->in)) || (rc = read_host(r)) || (rc = orr_dag_next(&r->in)))
        return rc;
    if (strncmp(r->in.line, tasks, strlen(tasks)) ||
        !orr_dag_integer(r->in.line + strlen(tasks), 0, ORR_DAG_MOST_TASKS, &n))
        return wrong(r, "expected: tasks N");
    r->tasks = (size_t)n;
    if (r->tasks > most_tasks(r))
        return wrong(r, "the file is too short for so many tasks");
    while ((rc = orr_dag_next(&r->in)) == 0 && strcmp(r->in.line, "end"))
        if ((rc = read_line(r, (int)version)))
            return rc;
    if (rc)
        return rc;
    if ((rc = orr_dag_end(&r->in)))
        return rc;
    if (r->g->tasks < r->tasks)
        return wrong(r, "the end after %zu of %zu tasks", r->g->tasks, r->tasks);
    return version == 1 ? number_data(r->g) : 0;
}

/* A phase that waits for a later one would wait for ever, as would a cycle. */
static int check_order(struct reader *r)
{
    struct orr_dag *g = r->g;
    struct orr_graph e = {.kinds = 0};
    char why[512];
    for (size_t i = 0; i < g->tasks; i++)
        for (unsigned k = 0; k < g->task[i].afters; k++)
            if (g->task[g->before[g->task[i].after + k]].phase > g->task[i].phase) {
                r->in.number = g->task[i].line;
                return wrong(r, "the task waits for one of a later phase");
            }
    const int rc = g->befores ? orr_dag_edges(g, &e, why, sizeof why) : 0;
    if (rc == 3)
        orr_dag_tell(r->in.path, 0, why);
    if (rc == 0 && g->befores)
        orr_graph_free(&e);
    return rc;
}

static gzFile open_stdin(void)
{
    const int fd = dup(STDIN_FILENO);
    gzFile file = fd < 0 ? NULL : gzdopen(fd, "rb");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

int orr_dag_read(struct orr_dag *g, const char *path)
{
    char why[128];
    orr_dag_init(g);
    struct reader r = {.g = g, .in = {.path = strcmp(path, "-") ? path : "standard input"}};
    r.in.file = strcmp(path, "-") ? gzopen(path, "rb") : open_stdin();
    if (!r.in.file) {
        snprintf(why, sizeof why, "cannot open: %s", strerror(errno));
        orr_dag_free(g);
        return orr_dag_tell(r.in.path, 0, why);
    }
    int rc = read_all(&r);
    gzclose(r.in.file);
    free(r.in.line);
    if (rc == 0)
        rc = check_order(&r);
    if (rc)
        orr_dag_free(g);
    return rc;
}
