/* From entries to a curve; src/models/reduce.c makes the entries of tasks.
 *
 * The curve is StarPU's own, time = a size^b + c. For given c a straight line is fitted to
 * log(time - c), so that a relative error counts the same at every size, with Cauchy weights
 * against shapes that do not follow; c is searched for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/models/internal.h"

/* A fit is written if half of the entries are this near to it, and nine of ten that near. Of tasks
 * that are shorter than SHORT us, which the runtime spends on each, too, it is a part of SHORT. */
static const double FIT_MEDIAN = 0.20, FIT_NEAR = 0.60, SHORT = 10;
/* Its exponent is that of work, not of a few points that happen to lie so ... */
static const double FIT_LEAST = 0.5, FIT_MOST = 1.6;
/* ... and StarPU reads it only if there were as many runs, over such a range of sizes. */
static const int64_t STARPU_RUNS = 10;
static const double STARPU_RANGE = 0.9;

/* ---- The curve ------------------------------------------------------------------------------ */

/* log(mean - c) = la + b log(size), weighted, b within its bounds; returns the
 * weighted sum of squares, of relative errors of the time. */
static double line(const orr_model_part *p, double c, double *weight, double *la, double *b)
{
    double left = 0;
    for (int64_t i = 0; i < p->entries; i++)
        weight[i] = 1;
    for (int round = 0; round < 6; round++) {
        double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
        for (int64_t i = 0; i < p->entries; i++) {
            const double x = log(p->entry[i].size), y = log(p->entry[i].mean - c), w = weight[i];
            s += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
        }
        const double det = s * sxx - sx * sx;
        *b = det > 1e-12 * s * sxx ? (s * sxy - sx * sy) / det : 0;
        *b = fmin(fmax(*b, FIT_LEAST), FIT_MOST);
        *la = (sy - *b * sx) / s;
        left = 0;
        for (int64_t i = 0; i < p->entries; i++) {
            const orr_model_entry *e = &p->entry[i];
            const double r = (exp(*la + *b * log(e->size)) + c) / e->mean - 1, z = r / 0.1;
            weight[i] = 1 / (1 + z * z);
            left += log1p(z * z);
        }
    }
    return left;
}

static double at(const orr_model_fit *f, double size) { return f->a * pow(size, f->b) + f->c; }

orr_status orr_model_judge(orr_model_part *p)
{
    orr_model_fit *f = &p->fit;
    f->r2 = f->median = f->near = f->worst = NAN;
    if (p->entries == 0 || isnan(f->a))
        return ORR_OK;
    double *work = malloc((size_t)p->entries * sizeof *work);
    if (!work)
        return ORR_E_NOMEM;
    double mean = 0, total = 0, left = 0;
    for (int64_t i = 0; i < p->entries; i++)
        mean += log(p->entry[i].mean) / (double)p->entries;
    f->worst = 0;
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = &p->entry[i];
        const double fitted = at(f, e->size);
        work[i] = fabs(fitted / e->mean - 1);
        f->worst = fmax(f->worst, work[i]);
        total += pow(log(e->mean) - mean, 2);
        left += pow(log(e->mean) - log(fmax(fitted, 1e-6)), 2);
    }
    f->r2 = total > 0 ? 1 - left / total : NAN;
    f->median = orr_median(work, p->entries);
    f->near = work[(p->entries * 9 + 9) / 10 - 1];
    free(work);
    return ORR_OK;
}

/* error: room for the entries. */
static int is_near(const orr_model_part *p, double *error)
{
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = &p->entry[i];
        error[i] = fabs(at(&p->fit, e->size) - e->mean) / fmax(e->mean, SHORT);
    }
    return orr_median(error, p->entries) <= FIT_MEDIAN &&
           error[(p->entries * 9 + 9) / 10 - 1] <= FIT_NEAR;
}

static orr_status fit(orr_model_part *p)
{
    orr_model_fit *f = &p->fit;
    *f = (orr_model_fit){.a = NAN, .b = NAN, .c = NAN};
    f->r2 = f->median = f->near = f->worst = NAN;
    if (p->entries == 0)
        return ORR_OK;
    f->minx = p->entry[0].size;
    f->maxx = p->entry[p->entries - 1].size;
    if (p->entries < 3 || f->minx >= STARPU_RANGE * f->maxx)
        return ORR_OK;
    double *work = malloc((size_t)p->entries * sizeof *work), least = INFINITY, lowest = INFINITY;
    if (!work)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < p->entries; i++)
        lowest = fmin(lowest, p->entry[i].mean);
    for (int step = 0; step < 50; step++) {
        const double c = lowest * step / 50;
        double la, b;
        const double left = line(p, c, work, &la, &b);
        if (left < least - 1e-9) { /* of equals the smallest c */
            least = left;
            f->a = exp(la), f->b = b, f->c = c;
        }
    }
    int64_t runs = 0;
    for (int64_t i = 0; i < p->entries; i++)
        runs += p->entry[i].n;
    f->valid = runs >= STARPU_RUNS && is_near(p, work);
    free(work);
    return orr_model_judge(p);
}

double orr_model_predict(const orr_model_part *p, double size, uint32_t key)
{
    const orr_model_fit *f = &p->fit;
    if (f->valid && size >= 0.9 * f->minx && size <= 1.1 * f->maxx)
        return at(f, size);
    for (int64_t i = 0; i < p->entries; i++)
        if (p->entry[i].key == key && p->entry[i].n >= STARPU_RUNS)
            return p->entry[i].mean;
    return NAN;
}

/* ---- Sorting runs into parts ---------------------------------------------------------------- */

static int compare_place(const orr_sample *x, const orr_sample *y)
{
    const int name = strcmp(x->model, y->model);
    return name                     ? name
           : x->kind != y->kind     ? x->kind - y->kind
           : x->device != y->device ? x->device - y->device
           : x->cores != y->cores   ? x->cores - y->cores
                                    : x->impl - y->impl;
}

static int by_place(const void *a, const void *b)
{
    const orr_sample *x = a, *y = b;
    const int place = compare_place(x, y);
    return place                  ? place
           : x->key != y->key     ? (x->key > y->key) - (x->key < y->key)
           : x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                  : (x->run > y->run) - (x->run < y->run);
}

static int by_size(const void *a, const void *b)
{
    const orr_model_entry *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                              : (x->key > y->key) - (x->key < y->key);
}

/* s[0..n): all of one part, by key, group and run. */
static orr_status make_part(const orr_sample *s, size_t n, orr_model_part *p)
{
    orr_status st = ORR_OK;
    p->entry = calloc(n, sizeof *p->entry);
    if (!p->entry)
        return ORR_E_NOMEM;
    for (size_t i = 0, end; st == ORR_OK && i < n; i = end) {
        for (end = i; end < n && s[end].key == s[i].key;)
            end++;
        st = orr_model_reduce(s + i, (int64_t)(end - i), &p->entry[p->entries++]);
    }
    qsort(p->entry, (size_t)p->entries, sizeof *p->entry, by_size);
    return st == ORR_OK ? fit(p) : st;
}

orr_status orr_models_make(const orr_sample *given, size_t count, orr_models *out)
{
    orr_status st = ORR_OK;
    if (!out || (!given && count > 0))
        return ORR_E_ARG;
    *out = (orr_models){0};
    orr_sample *s = malloc((count + 1) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (given[i].us > 0 && given[i].size > 0)
            s[kept++] = given[i];
    qsort(s, kept, sizeof *s, by_place);
    for (size_t i = 0, end; st == ORR_OK && i < kept; i = end) {
        for (end = i; end < kept && compare_place(&s[end], &s[i]) == 0;)
            end++;
        if (i == 0 || strcmp(s[i].model, s[i - 1].model) != 0) {
            orr_model *more = realloc(out->model, (size_t)(out->count + 1) * sizeof *more);
            if (!more) {
                st = ORR_E_NOMEM;
                break;
            }
            out->model = more;
            more[out->count] = (orr_model){0};
            strncpy(more[out->count++].name, s[i].model, sizeof more->name - 1);
        }
        orr_model *m = &out->model[out->count - 1];
        orr_model_part *parts = realloc(m->part, (size_t)(m->parts + 1) * sizeof *parts);
        if (!parts) {
            st = ORR_E_NOMEM;
            break;
        }
        m->part = parts;
        parts[m->parts] = (orr_model_part){.kind = (orr_kind)s[i].kind,
                                           .device = s[i].device,
                                           .cores = s[i].cores,
                                           .impl = s[i].impl};
        st = make_part(s + i, end - i, &parts[m->parts++]);
    }
    free(s);
    if (st != ORR_OK)
        orr_models_free(out);
    return st;
}

void orr_model_free(orr_model *m)
{
    if (!m)
        return;
    for (int64_t k = 0; k < m->parts; k++)
        free(m->part[k].entry);
    free(m->part);
    *m = (orr_model){0};
}

void orr_models_free(orr_models *m)
{
    if (!m)
        return;
    for (int64_t i = 0; i < m->count; i++)
        orr_model_free(&m->model[i]);
    free(m->model);
    *m = (orr_models){0};
}

const orr_model *orr_models_find(const orr_models *m, const char *name)
{
    for (int64_t i = 0; i < m->count; i++)
        if (strcmp(m->model[i].name, name) == 0)
            return &m->model[i];
    return NULL;
}

const orr_model_part *orr_model_part_of(const orr_model *m, orr_kind kind, int device, int impl)
{
    for (int64_t k = 0; k < m->parts; k++) {
        const orr_model_part *p = &m->part[k];
        if (p->kind == kind && p->impl == impl && (kind == ORR_KIND_CPU || p->device == device))
            return p;
    }
    return NULL;
}

const char *orr_kind_name(orr_kind k)
{
    static const char *const name[ORR_NKINDS] = {"cpu", "cuda", "opencl"};
    return (unsigned)k < ORR_NKINDS ? name[k] : "?";
}
