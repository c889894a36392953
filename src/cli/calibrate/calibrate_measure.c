/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/calibrate_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/run.h"

static int of_this_context(const orr_sample *s, cal_where where)
{
    return (s->kind == ORR_KIND_CPU) == (where == CAL_ON_CPUS);
}

/* Appends what the context saw in one run; run 0, which warms up, is dropped. */
static orr_status take(orr_context *ctx, cal_where where, int64_t group, int64_t run,
                       cal_samples *all)
{
    orr_sample *s = NULL;
    size_t n = 0;
    orr_status st = orr_samples_take(ctx, &s, &n);
    for (size_t i = 0; run && st == ORR_OK && i < n; i++) {
        s[i].group = group;
        s[i].run = run;
        if (of_this_context(&s[i], where) && !cal_samples_add(all, &s[i]))
            st = ORR_E_NOMEM;
    }
    free(s);
    return st;
}

/* Runs of one shape in one visit beyond this say nothing new; a large graph has thousands. */
enum { MOST_OF_A_SHAPE = 60 };

static int by_shape(const void *a, const void *b)
{
    const orr_sample *x = a, *y = b;
    const int name = strcmp(x->model, y->model);
    return name                     ? name
           : x->kind != y->kind     ? x->kind - y->kind
           : x->device != y->device ? x->device - y->device
           : x->impl != y->impl     ? x->impl - y->impl
                                    : (x->key > y->key) - (x->key < y->key);
}

static int by_shape_and_run(const void *a, const void *b)
{
    const orr_sample *x = a, *y = b;
    const int shape = by_shape(a, b);
    return shape ? shape : (x->run > y->run) - (x->run < y->run);
}

/* Keeps evenly spaced ones of each shape of s->v[first..n). */
static void thin(cal_samples *s, size_t first)
{
    size_t kept = first;
    qsort(s->v + first, s->n - first, sizeof *s->v, by_shape_and_run);
    for (size_t i = first, end; i < s->n; i = end) {
        for (end = i; end < s->n && by_shape(&s->v[i], &s->v[end]) == 0;)
            end++;
        const size_t n = end - i, keep = n < MOST_OF_A_SHAPE ? n : MOST_OF_A_SHAPE;
        for (size_t k = 0; k < keep; k++)
            s->v[kept++] = s->v[i + k * n / keep];
    }
    s->n = kept;
}

/* Shapes of which too little is known. */
static orr_status count_unsure(const cal_samples *all, double cv, int64_t *count)
{
    orr_models m;
    const orr_status st = orr_models_make(all->v, all->n, &m);
    *count = 0;
    for (int64_t i = 0; i < m.count; i++)
        for (int64_t k = 0; k < m.model[i].parts; k++)
            for (int64_t e = 0; e < m.model[i].part[k].entries; e++) {
                const orr_model_entry *x = &m.model[i].part[k].entry[e];
                *count += x->n < 10 || x->sd > cv * x->mean * sqrt((double)x->n);
            }
    orr_models_free(&m);
    return st;
}

static int told(const cal_case *c, cal_where where, orr_status st)
{
    if (st == ORR_E_NOWORKER && where == CAL_ON_DEVICES) {
        cli_say("%s: no device can run it; it gets no model there", c->name);
        st = ORR_OK;
    }
    if (st < 0)
        cli_say("%s: %s", c->name, orr_strerror(st));
    return st < 0 ? cli_exit_code(st, 0) : CLI_OK;
}

/* These are always made, after one that warms the caches up and is not counted. */
enum { LEAST_RUNS = 1 };

int cal_visit(orr_context *ctx, cal_where where, const cal_case *c, const cal_effort *effort,
              cal_samples *all, int64_t *unsure)
{
    cal_state state = {.c = c, .device = where == CAL_ON_DEVICES, .seed = effort->seed};
    const size_t before = all->n;
    const double start = cli_now();
    orr_status st = cal_prepare(&state, ctx);
    *unsure = 1;
    for (int64_t k = 0; st >= 0 && *unsure; k++) {
        if (k > LEAST_RUNS && (k > effort->most || cli_now() - start > effort->seconds))
            break;
        st = cal_run(&state, ctx);
        if (st >= 0)
            st = take(ctx, where, effort->group, k ? effort->first_run + k : 0, all);
        if (st >= 0 && k >= LEAST_RUNS)
            st = count_unsure(all, effort->cv, unsure);
    }
    cal_release(&state);
    thin(all, before);
    return told(c, where, st);
}
