/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/calibrate_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/sorted.h"

/* Sorts. q of 0.5: the median. */
static double quantile(double *x, int64_t n, double q)
{
    if (n == 0)
        return NAN;
    cli_sort(x, n);
    return x[(int64_t)(q * (double)(n - 1) + 0.5)];
}

/* ---- Verification -----------------------------------------------------------------------------
 */

/* Sample or shape, what the models say of it; NaN: nothing. */
static double predict(const orr_models *m, const char *name, const orr_model_part *p, double size,
                      uint32_t key)
{
    const orr_model *model = orr_models_find(m, name);
    const orr_model_part *part =
        model ? orr_model_part_of(model, p->kind, p->device, p->impl) : NULL;
    return part ? orr_model_predict(part, size, key) : NAN;
}

/* error: room for all shapes of the part; returns how many have a prediction. */
static int64_t verify_part(const orr_models *m, const char *name, const orr_model_part *held,
                           verify_row *r, double *error)
{
    int64_t count = 0;
    *r = (verify_row){.kind = held->kind, .device = held->device, .impl = held->impl};
    snprintf(r->name, sizeof r->name, "%s", name);
    r->shapes = held->entries;
    for (int64_t i = 0; i < held->entries; i++) {
        const orr_model_entry *e = &held->entry[i];
        const double t = predict(m, name, held, e->size, e->key);
        const double tasks = (double)(e->n + e->outliers);
        if (isnan(t))
            continue;
        error[count++] = fabs(t / e->mean - 1);
        r->predicted += t * tasks;
        r->measured += e->mean * tasks;
    }
    r->unpredicted = r->shapes - count;
    r->median = quantile(error, count, 0.5);
    r->worst = quantile(error, count, 1);
    return count;
}

/* All tasks as they ran, of shapes that have a prediction. */
static double as_run(const orr_models *m, const orr_sample *s, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_model_part part = {
            .kind = (orr_kind)s[i].kind, .device = s[i].device, .impl = s[i].impl};
        if (!isnan(predict(m, s[i].model, &part, s[i].size, s[i].key)))
            sum += s[i].us;
    }
    return sum;
}

static int64_t count_parts(const orr_models *m, int64_t *entries)
{
    int64_t parts = 0;
    *entries = 0;
    for (int64_t i = 0; i < m->count; i++) {
        parts += m->model[i].parts;
        for (int64_t k = 0; k < m->model[i].parts; k++)
            *entries += m->model[i].part[k].entries;
    }
    return parts;
}

int verify(const orr_models *m, const orr_sample *s, size_t n, verification *v)
{
    orr_models held;
    int64_t errors = 0, entries;
    *v = (verification){.as_run = as_run(m, s, n)};
    if (orr_models_make(s, n, &held) != ORR_OK)
        return 0;
    const int64_t parts = count_parts(&held, &entries);
    double *error = malloc((size_t)(entries + 1) * sizeof *error);
    v->row = malloc((size_t)(parts + 1) * sizeof *v->row);
    const int good = error && v->row;
    for (int64_t i = 0; good && i < held.count; i++)
        for (int64_t k = 0; k < held.model[i].parts; k++) {
            verify_row *r = &v->row[v->n++];
            errors += verify_part(m, held.model[i].name, &held.model[i].part[k], r, error + errors);
            v->shapes += r->shapes;
            v->unpredicted += r->unpredicted;
            v->predicted += r->predicted;
            v->measured += r->measured;
        }
    if (good) {
        v->median = quantile(error, errors, 0.5);
        v->near = quantile(error, errors, 0.9);
        v->worst = quantile(error, errors, 1);
    }
    free(error);
    orr_models_free(&held);
    return good;
}

void verify_print(const verification *v)
{
    printf("%-24s %-7s %4s %7s %8s %8s %12s %12s %7s\n", "model", "kind", "impl", "shapes",
           "median", "worst", "predicted", "measured", "ratio");
    for (int64_t i = 0; i < v->n; i++) {
        const verify_row *r = &v->row[i];
        printf("%-24s %-6s%d %4d %7lld ", r->name, orr_kind_name(r->kind), r->device, r->impl,
               (long long)r->shapes);
        if (r->unpredicted == r->shapes)
            printf("no prediction\n");
        else
            printf("%7.1f%% %7.1f%% %9.3f ms %9.3f ms %7.3f\n", 100 * r->median, 100 * r->worst,
                   r->predicted / 1e3, r->measured / 1e3, r->predicted / r->measured);
    }
    printf("hold-out runs: %lld shape%s, %lld without a prediction; error of half %.1f%%, of nine "
           "tenths %.1f%%, worst %.1f%%; predicted over measured time %.3f, over that of all tasks "
           "with what disturbed them %.3f\n",
           (long long)v->shapes, cli_plural(v->shapes), (long long)v->unpredicted, 100 * v->median,
           100 * v->near, 100 * v->worst, v->predicted / v->measured, v->predicted / v->as_run);
}

void verify_free(verification *v)
{
    free(v->row);
    *v = (verification){0};
}

/* ---- Equal devices ------------------------------------------------------------------------------
 */

static double ratio_of(const orr_model_part *first, const orr_model_part *other, int64_t *shapes)
{
    double *ratio = malloc((size_t)(first->entries + 1) * sizeof *ratio);
    int64_t n = 0;
    for (int64_t i = 0; ratio && i < first->entries; i++)
        for (int64_t k = 0; k < other->entries; k++)
            if (other->entry[k].key == first->entry[i].key && first->entry[i].mean > 0)
                ratio[n++] = other->entry[k].mean / first->entry[i].mean;
    const double middle = ratio ? quantile(ratio, n, 0.5) : NAN;
    free(ratio);
    *shapes = n;
    return middle;
}

static void each_pair(const orr_models *m,
                      void (*visit)(const orr_model *, const orr_model_part *,
                                    const orr_model_part *, void *),
                      void *arg)
{
    for (int64_t i = 0; i < m->count; i++)
        for (int64_t k = 0; k < m->model[i].parts; k++) {
            const orr_model_part *p = &m->model[i].part[k];
            const orr_model_part *first = orr_model_part_of(&m->model[i], p->kind, 0, p->impl);
            if (p->kind != ORR_KIND_CPU && p->device > 0 && first)
                visit(&m->model[i], first, p, arg);
        }
}

static void print_pair(const orr_model *m, const orr_model_part *first, const orr_model_part *p,
                       void *arg)
{
    int64_t shapes;
    const double ratio = ratio_of(first, p, &shapes);
    (void)arg;
    printf("%-24s %s %d takes %.3f of the time of %s 0 (median of %lld shape%s)%s\n", m->name,
           orr_kind_name(p->kind), p->device, ratio, orr_kind_name(p->kind), (long long)shapes,
           cli_plural(shapes), fabs(ratio - 1) > 0.1 ? "  <- not equal" : "");
}

void devices_print(const orr_models *m) { each_pair(m, print_pair, NULL); }

/* ---- models.json ---------------------------------------------------------------------------- */

static void put_fit(cli_text *t, const orr_model_fit *f)
{
    cli_put(t, ",\"fit\":{\"valid\":%s", f->valid ? "true" : "false");
    cli_member_number(t, "a", f->a);
    cli_member_number(t, "b", f->b);
    cli_member_number(t, "c", f->c);
    cli_member_number(t, "minx", f->minx);
    cli_member_number(t, "maxx", f->maxx);
    cli_member_number(t, "r2", f->r2);
    cli_put(t, ",\"error\":{");
    cli_member_number(t, "median", f->median);
    cli_member_number(t, "near", f->near);
    cli_member_number(t, "worst", f->worst);
    cli_put(t, "}}");
}

static void put_part(cli_text *t, const orr_model_part *p)
{
    cli_put(t, "\n   {\"kind\":\"%s\",\"device\":%d,\"cores\":%d,\"impl\":%d",
            orr_kind_name(p->kind), p->device, p->cores, p->impl);
    put_fit(t, &p->fit);
    cli_put(t, ",\n    \"entries\":[");
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = &p->entry[i];
        cli_put(t, "%s\n     {\"key\":\"%08x\"", i ? "," : "", e->key);
        cli_member_number(t, "size", e->size);
        cli_member_number(t, "mean_us", e->mean);
        cli_member_number(t, "sd_us", e->sd);
        cli_member_number(t, "cv", e->sd / e->mean);
        cli_put(t, ",\"n\":%lld,\"outliers\":%lld}", (long long)e->n, (long long)e->outliers);
    }
    cli_put(t, "]}");
}

static void put_pair(const orr_model *m, const orr_model_part *first, const orr_model_part *p,
                     void *arg)
{
    cli_text *t = arg;
    int64_t shapes;
    const double ratio = ratio_of(first, p, &shapes);
    cli_put(t, "%s\n  {", t->s[t->n - 1] == '[' ? "" : ",");
    cli_member_json(t, "model", m->name);
    cli_member_json(t, "kind", orr_kind_name(p->kind));
    cli_put(t, ",\"device\":%d,\"shapes\":%lld", p->device, (long long)shapes);
    cli_member_number(t, "ratio", ratio);
    cli_put(t, "}");
}

static void put_verification(cli_text *t, const verification *v)
{
    cli_put(t, "{\"shapes\":%lld,\"unpredicted\":%lld", (long long)v->shapes,
            (long long)v->unpredicted);
    cli_member_number(t, "median", v->median);
    cli_member_number(t, "near", v->near);
    cli_member_number(t, "worst", v->worst);
    cli_member_number(t, "predicted_us", v->predicted);
    cli_member_number(t, "measured_us", v->measured);
    cli_member_number(t, "as_run_us", v->as_run);
    cli_put(t, "}");
}

void models_json(cli_text *t, const orr_calibration *c, const orr_models *m, const verification *v)
{
    cli_put(t, "{\"machine\":{");
    cli_member_json(t, "name", c->name);
    cli_member_json(t, "cpu", c->machine.cpu);
    cli_put(t, ",\"cores\":%d,\"devices\":[", c->machine.cores);
    for (int i = 0; i < c->machine.devices; i++) {
        cli_put(t, "%s", i ? "," : "");
        cli_put_json(t, c->machine.device[i]);
    }
    cli_put(t, "]}");
    cli_member_json(t, "starpu", c->starpu);
    cli_member_json(t, "orrery", c->orrery);
    cli_member_json(t, "blas", c->blas);
    cli_member_json(t, "date", c->date);
    cli_member_json(t, "command", c->command);
    cli_put(t, ",\n \"models\":[");
    for (int64_t i = 0; i < m->count; i++) {
        cli_put(t, "%s\n  {\"name\":\"%s\",\"parts\":[", i ? "," : "", m->model[i].name);
        for (int64_t k = 0; k < m->model[i].parts; k++) {
            cli_put(t, "%s", k ? "," : "");
            put_part(t, &m->model[i].part[k]);
        }
        cli_put(t, "]}");
    }
    cli_put(t, "],\n \"devices\":[");
    each_pair(m, put_pair, t);
    cli_put(t, "],\n \"verification\":");
    if (v)
        put_verification(t, v);
    else
        cli_put(t, "null");
    cli_put(t, "}\n");
}
