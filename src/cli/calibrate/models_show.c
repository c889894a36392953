/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/models_show.h"

#include <math.h>
#include <stdio.h>

#include "src/cli/calibrate/models_find.h"

/* How many times faster than a CPU: the median over the shapes that both ran. */
static double acceleration(const orr_model *m, const orr_model_part *p)
{
    const orr_model_part *cpu = orr_model_part_of(m, ORR_KIND_CPU, 0, 0);
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; cpu && i < p->entries; i++)
        for (int64_t k = 0; k < cpu->entries; k++)
            if (cpu->entry[k].key == p->entry[i].key && cpu->entry[k].mean > 0) {
                sum += log(cpu->entry[k].mean / p->entry[i].mean);
                n++;
            }
    return n ? exp(sum / (double)n) : NAN;
}

static void show_part(const orr_model *m, const orr_model_part *p)
{
    const orr_model_fit *f = &p->fit;
    int64_t runs = 0;
    for (int64_t i = 0; i < p->entries; i++)
        runs += p->entry[i].n;
    printf("%-24s %-6s %2d %2d %6lld %7lld ", m->name, orr_kind_name(p->kind), p->device, p->impl,
           (long long)p->entries, (long long)runs);
    if (isnan(f->a))
        printf("%-36s", "no curve");
    else
        printf("%9.3g x^%-6.3f %+9.3g R2 %.4f", f->a, f->b, f->c, f->r2);
    if (p->kind != ORR_KIND_CPU)
        printf("  %.3g times a CPU", acceleration(m, p));
    printf("\n");
}

static void show_entries(const orr_model_part *p)
{
    printf("  %-8s %14s %12s %10s %6s %7s %9s\n", "shape", "size", "mean us", "sd us", "cv", "runs",
           "curve");
    for (int64_t i = 0; i < p->entries; i++) {
        const orr_model_entry *e = &p->entry[i];
        const double fitted = p->fit.a * pow(e->size, p->fit.b) + p->fit.c;
        printf("  %08x %14.0f %12.3f %10.3f %6.3f %7lld", e->key, e->size, e->mean, e->sd,
               e->sd / e->mean, (long long)e->n);
        if (isnan(fitted))
            printf("\n");
        else
            printf(" %+8.1f%%\n", 100 * (fitted / e->mean - 1));
    }
}

int models_show(const char *machine, const cli_files *names)
{
    orr_calibration c;
    orr_models m = {0};
    int code = models_load(machine, &c, &m);
    if (code != CLI_OK)
        return code;
    printf("%s: %s, %d core%s; StarPU %s, orrery %s, %s\n", c.name, c.machine.cpu, c.machine.cores,
           cli_plural(c.machine.cores), c.starpu, c.orrery, c.date);
    printf("%-24s %-6s %2s %2s %6s %7s %s\n", "model", "kind", "no", "im", "shapes", "runs",
           "time in us of size x");
    for (int64_t i = 0; names->n == 0 && i < m.count; i++)
        for (int64_t k = 0; k < m.model[i].parts; k++)
            show_part(&m.model[i], &m.model[i].part[k]);
    for (int i = 0; i < names->n; i++) {
        const orr_model *one = models_named(&m, names->v[i]);
        for (int64_t k = 0; one && k < one->parts; k++) {
            show_part(one, &one->part[k]);
            show_entries(&one->part[k]);
        }
        code = one ? code : CLI_USAGE;
    }
    orr_models_free(&m);
    return code;
}
