/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <orrery/models.h>

#include "src/cli/core/outputs.h"
#include "src/graph/dag_random.h"

enum { FILE_NAME = 4096 };

static int in_range(double us) { return us > 0 && us < 1e15; }

int graph_two_numbers(const char *text, double t[2])
{
    char *end;
    t[0] = strtod(text, &end);
    t[1] = NAN;
    if (end == text)
        return 0;
    if (*end == ':') {
        const char *second = end + 1;
        t[1] = strtod(second, &end);
        if (end == second || !in_range(t[1]))
            return 0;
    }
    return !*end && in_range(t[0]);
}

static void set(struct orr_dag_task *task, double cpu, double cuda)
{
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        task->t[k] = k == ORR_DAG_CPU ? cpu : k == ORR_DAG_CUDA ? cuda : NAN;
    task->where = (isnan(cpu) ? 0 : 1u << ORR_DAG_CPU) | (isnan(cuda) ? 0 : 1u << ORR_DAG_CUDA);
    task->kind = -1;
    task->worker = -1;
    task->submit = task->ready = task->start = task->end = NAN;
}

void graph_set_all(struct orr_dag *d, double cpu, double cuda)
{
    for (size_t i = 0; i < d->tasks; i++)
        set(&d->task[i], cpu, cuda);
}

static int is_called(const struct orr_dag_task *t, const char *name, size_t n)
{
    return strlen(t->name) == n && !strncmp(t->name, name, n);
}

static int no_task(const char *option, const char *name, size_t n)
{
    cli_say("%s: no task is called '%.*s'", option, (int)n, name);
    return CLI_USAGE;
}

/* On GPUs as well; what is known of it on CPUs stays. */
static void add_cuda(struct orr_dag_task *task, double cuda)
{
    task->t[ORR_DAG_CUDA] = cuda;
    task->where |= 1u << ORR_DAG_CUDA;
}

/* ":743" */
static int second_number(const char *text, double *us)
{
    char *end;
    *us = strtod(text + 1, &end);
    return end != text + 1 && !*end && in_range(*us);
}

/* "dgemm=58349.76", "dgemm=34940:743" or "dgemm=:743", in us. */
static int set_time(struct orr_dag *d, const char *word)
{
    const size_t n = strcspn(word, "=");
    const int more = word[n] && word[n + 1] == ':'; /* of GPUs only */
    double t[2];
    if (!word[n] ||
        !(more ? second_number(word + n + 1, &t[1]) : graph_two_numbers(word + n + 1, t))) {
        cli_say("--time: '%s' is not CODELET=US, CODELET=US:US or CODELET=:US, times above zero",
                word);
        return CLI_USAGE;
    }
    size_t count = 0;
    for (size_t i = 0; i < d->tasks; i++)
        if (is_called(&d->task[i], word, n)) {
            if (more)
                add_cuda(&d->task[i], t[1]);
            else
                set(&d->task[i], t[0], t[1]);
            count++;
        }
    return count ? CLI_OK : no_task("--time", word, n);
}

int graph_set_times(struct orr_dag *d, const cli_words *times)
{
    int code = CLI_OK;
    for (int64_t k = 0; k < times->n && code == CLI_OK; k++)
        code = set_time(d, times->v[k]);
    return code;
}

static int set_sync(struct orr_dag *d, const char *name)
{
    size_t called = 0, set = 0;
    for (size_t i = 0; i < d->tasks; i++)
        if (is_called(&d->task[i], name, strlen(name))) {
            d->task[i].sync = d->task[i].where & ~(1u << ORR_DAG_CPU);
            called++;
            set += d->task[i].sync != 0;
        }
    if (!called)
        return no_task("--sync", name, strlen(name));
    if (!set)
        cli_say("--sync: '%s' runs on no accelerator", name);
    return set ? CLI_OK : CLI_USAGE;
}

int graph_set_sync(struct orr_dag *d, const cli_words *names)
{
    int code = CLI_OK;
    for (int64_t k = 0; k < names->n && code == CLI_OK; k++)
        code = set_sync(d, names->v[k]);
    return code;
}

/* ---- Models ----------------------------------------------------------------------------------- */

/* us of the fastest implementation on the fastest device, each entry that which was measured most often of its size;
 * NaN: nothing of that size. */
static double of_size(const orr_model *m, orr_kind kind, double size)
{
    double best = NAN;
    for (int64_t p = 0; p < m->parts; p++) {
        const orr_model_entry *most = NULL;
        for (int64_t e = 0; m->part[p].kind == kind && e < m->part[p].entries; e++) {
            const orr_model_entry *x = &m->part[p].entry[e];
            if (x->size == size && in_range(x->mean) && (!most || x->n > most->n))
                most = x;
        }
        if (most)
            best = fmin(best, most->mean); /* fmin takes NaN for nothing */
    }
    return best;
}

static double bytes_of(const struct orr_dag *d, const struct orr_dag_task *t)
{
    double bytes = 0;
    for (unsigned k = 0; k < t->accesses; k++)
        bytes += (double)d->access[t->first + k].bytes;
    return bytes;
}

static int no_size(const orr_model *m, const char *file, double size)
{
    char sizes[200] = "";
    size_t n = 0;
    for (int64_t p = 0; p < m->parts && p < 1; p++)
        for (int64_t e = 0; e < m->part[p].entries && n + 24 < sizeof sizes; e++)
            n += (size_t)snprintf(sizes + n, sizeof sizes - n, " %.12g", m->part[p].entry[e].size);
    cli_say("--model: %s: no times of size %.12g; those of its first part:%s", file, size,
            n ? sizes : " none");
    return CLI_FILE;
}

/* "potrf=FILE" or "potrf=FILE@3686400"; *size is NaN where none is given. */
static int read_model_word(const char *word, char file[FILE_NAME], double *size)
{
    const size_t n = strcspn(word, "=");
    char *end;
    snprintf(file, FILE_NAME, "%s", word[n] ? word + n + 1 : "");
    char *const mark = strrchr(file, '@');
    *size = NAN;
    if (mark) {
        *size = strtod(mark + 1, &end);
        *mark = '\0';
    }
    if (*file && (!mark || (end != mark + 1 && !*end && in_range(*size))))
        return CLI_OK;
    cli_say("--model: '%s' is not CODELET=FILE or CODELET=FILE@SIZE", word);
    return CLI_USAGE;
}

int graph_spares_models(const cli_words *models, const char *output)
{
    char file[FILE_NAME], *name = file;
    double size;
    int code = CLI_OK;
    for (int64_t k = 0; k < models->n && code == CLI_OK; k++) {
        code = read_model_word(models->v[k], file, &size);
        if (code == CLI_OK)
            code = output_spares(output, &(cli_files){&name, 1});
    }
    return code;
}

static int set_model(struct orr_dag *d, const char *word)
{
    const size_t n = strcspn(word, "=");
    char file[FILE_NAME], message[ORR_MESSAGE];
    double size;
    orr_model m;
    if (read_model_word(word, file, &size) != CLI_OK)
        return CLI_USAGE;
    size_t first = 0;
    while (first < d->tasks && !is_called(&d->task[first], word, n))
        first++;
    if (first == d->tasks)
        return no_task("--model", word, n);
    if (isnan(size))
        size = bytes_of(d, &d->task[first]);
    const orr_status status = orr_model_read(file, &m, message);
    if (status != ORR_OK) {
        cli_say("--model: %s", message);
        return cli_exit_code(status, 1);
    }
    const double cpu = of_size(&m, ORR_KIND_CPU, size), cuda = of_size(&m, ORR_KIND_CUDA, size);
    const int known = isfinite(cpu) || isfinite(cuda);
    if (!known)
        no_size(&m, file, size);
    orr_model_free(&m);
    for (size_t i = first; known && i < d->tasks; i++)
        if (is_called(&d->task[i], word, n))
            set(&d->task[i], cpu, cuda);
    return known ? CLI_OK : CLI_FILE;
}

int graph_set_models(struct orr_dag *d, const cli_words *models)
{
    int code = CLI_OK;
    for (int64_t k = 0; k < models->n && code == CLI_OK; k++)
        code = set_model(d, models->v[k]);
    return code;
}

/* ---- Rates and spread --------------------------------------------------------------------------- */

void graph_set_rates(struct orr_dag *d, const double gflops[2])
{
    for (size_t i = 0; i < d->tasks; i++)
        if (d->task[i].flops > 0)
            set(&d->task[i], 1e-3 * d->task[i].flops / gflops[0],
                1e-3 * d->task[i].flops / gflops[1]);
}

void graph_spread(struct orr_dag *d, int64_t seed, double cv)
{
    for (size_t i = 0; i < d->tasks; i++) {
        const double factor = orr_random_spread((uint64_t)seed, i, UINT64_MAX, cv);
        for (int k = 0; k < ORR_DAG_COUNT; k++)
            d->task[i].t[k] *= factor;
    }
}
