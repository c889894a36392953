/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/models_diff.h"

#include <math.h>
#include <stdio.h>

#include "src/cli/calibrate/models_find.h"
#include "src/cli/core/options.h"

struct counts {
    int64_t both, agree, only_first, only_second;
    double time, time_agree; /* us, of the runs of the first */
};

static const orr_model_entry *entry_of(const orr_model_part *p, uint32_t key)
{
    for (int64_t i = 0; p && i < p->entries; i++)
        if (p->entry[i].key == key)
            return &p->entry[i];
    return NULL;
}

static const orr_model_part *same_part(const orr_models *m, const char *name,
                                       const orr_model_part *p)
{
    const orr_model *model = orr_models_find(m, name);
    return model ? orr_model_part_of(model, p->kind, p->device, p->impl) : NULL;
}

/* Worst ratio of a part; counts its entries. */
static void diff_part(const char *name, const orr_model_part *p, const orr_model_part *q,
                      double tolerance, struct counts *all)
{
    struct counts c = {0};
    double worst = 1, sum = 0;
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = entry_of(q, p->entry[i].key);
        if (!e || e->mean <= 0 || p->entry[i].mean <= 0) {
            c.only_first++;
            continue;
        }
        const double ratio = e->mean / p->entry[i].mean;
        c.both++;
        const int near = fabs(ratio - 1) <= tolerance;
        const double time = p->entry[i].mean * (double)p->entry[i].n;
        c.agree += near;
        all->time += time;
        all->time_agree += near ? time : 0;
        sum += log(ratio);
        worst = fabs(log(ratio)) > fabs(log(worst)) ? ratio : worst;
    }
    if (c.both)
        printf("%-24s %-6s %d %d  %5lld shapes, %5.1f%% agree, ratio %.3f, worst %.3f\n", name,
               orr_kind_name(p->kind), p->device, p->impl, (long long)c.both,
               100.0 * (double)c.agree / (double)c.both, exp(sum / (double)c.both), worst);
    all->both += c.both;
    all->agree += c.agree;
    all->only_first += c.only_first;
}

int models_diff(const char *first, const char *second, double tolerance)
{
    orr_calibration ca, cb;
    orr_models x = {0}, y = {0};
    struct counts all = {0};
    int code = models_load(first, &ca, &x);
    if (code == CLI_OK)
        code = models_load(second, &cb, &y);
    if (code == CLI_OK) {
        for (int64_t i = 0; i < x.count; i++)
            for (int64_t k = 0; k < x.model[i].parts; k++)
                diff_part(x.model[i].name, &x.model[i].part[k],
                          same_part(&y, x.model[i].name, &x.model[i].part[k]), tolerance, &all);
        for (int64_t i = 0; i < y.count; i++)
            for (int64_t k = 0; k < y.model[i].parts; k++) {
                const orr_model_part *p = &y.model[i].part[k];
                const orr_model_part *q = same_part(&x, y.model[i].name, p);
                for (int64_t e = 0; e < p->entries; e++)
                    all.only_second += entry_of(q, p->entry[e].key) == NULL;
            }
        const double share = all.both ? (double)all.agree / (double)all.both : 0;
        printf(
            "%lld shape%s in both, %.1f%% agree within %g%% (with %.1f%% of the time); %lld only "
            "in the first, %lld only in the second\n",
            (long long)all.both, cli_plural(all.both), 100 * share, 100 * tolerance,
            100 * all.time_agree / fmax(all.time, 1e-30), (long long)all.only_first,
            (long long)all.only_second);
        code = share >= 0.95 ? CLI_OK : CLI_CHECK;
    }
    orr_models_free(&x);
    orr_models_free(&y);
    return code;
}
