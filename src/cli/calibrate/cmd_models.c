/* orrery models: what the frozen performance models say, and whether they are of this machine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/calibrate/models_plot.h"
#include "src/cli/core/options.h"
#include "src/cli/core/outputs.h"

struct args {
    const char *machine, *output;
    double tolerance;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"machine", 'M', OPT_FILE, "NAME", "a machine, or its directory (default: this one)", NULL,
     AT(machine), .complete = "machines"},
    {"output", 'o', OPT_FILE, "FILE", "plot: the picture (default: MODEL.svg)", NULL, AT(output)},
    {"tolerance", 0, OPT_REAL, "X", "diff: entries agree within this (default: 0.1)", NULL,
     AT(tolerance), 0, 1000000},
    {.kind = OPT_END},
};

/* ---- Which directory ---------------------------------------------------------------------- */

static int has_calibration(const char *dir)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/calibration", dir);
    return access(path, F_OK) == 0;
}

/* Calls visit for each frozen directory of the places until it returns 1. */
static int each_machine(int (*visit)(const char *dir, const char *place, void *), void *arg)
{
    char place[512], dir[1024];
    int stop = 0;
    for (int k = 0; !stop && orr_models_place(k, place, sizeof place); k++) {
        struct dirent **list;
        const int n = *place ? scandir(place, &list, NULL, alphasort) : -1;
        for (int i = 0; i < n; i++) {
            snprintf(dir, sizeof dir, "%s/%.255s", place, list[i]->d_name);
            free(list[i]);
            if (!stop && has_calibration(dir))
                stop = visit(dir, place, arg);
        }
        if (n >= 0)
            free(list);
    }
    return stop;
}

struct wanted {
    const char *name; /* NULL: this machine */
    orr_machine here;
    char dir[1024];
};

static int is_wanted(const char *dir, const char *place, void *arg)
{
    struct wanted *w = arg;
    orr_calibration c;
    char message[ORR_MESSAGE];
    (void)place;
    if (orr_calibration_read(dir, &c, message) != ORR_OK ||
        (w->name ? strcmp(w->name, c.name) != 0 : !orr_machine_same(&w->here, &c.machine, message)))
        return 0;
    snprintf(w->dir, sizeof w->dir, "%s", dir);
    return 1;
}

/* A machine's name, a directory, or NULL; 0 and told if there is none. */
static int find(const char *name, char dir[1024])
{
    struct wanted w = {.name = name};
    orr_machine_query(&w.here);
    snprintf(dir, 1024, "%s", name ? name : "");
    if (name && has_calibration(name))
        return 1;
    if (each_machine(is_wanted, &w)) {
        snprintf(dir, 1024, "%s", w.dir);
        return 1;
    }
    if (name)
        cli_say("no frozen models of '%s', nor in a directory of that name; 'orrery models list' "
                "tells which there are",
                name);
    else
        cli_say("no frozen models of this machine (%s, %d cores): orrery calibrate makes them, "
                "--machine chooses another's",
                w.here.cpu, w.here.cores);
    return 0;
}

/* ---- For completion --------------------------------------------------------------------------- */

struct visitor {
    void (*visit)(const char *name, void *);
    void *arg;
};

static int name_of_machine(const char *dir, const char *place, void *arg)
{
    const struct visitor *v = arg;
    (void)place;
    v->visit(strrchr(dir, '/') + 1, v->arg);
    return 0;
}

void cli_each_machine(void (*visit)(const char *name, void *), void *arg)
{
    each_machine(name_of_machine, &(struct visitor){visit, arg});
}

static int any_machine(const char *dir, const char *place, void *arg)
{
    (void)place;
    snprintf(arg, 1024, "%s", dir);
    return 1;
}

/* The names of files, MODEL.MACHINE; of this machine, or of any if it has none. */
void cli_each_model(void (*visit)(const char *name, void *), void *arg)
{
    struct wanted w = {0};
    char path[1100];
    struct dirent **list;
    orr_machine_query(&w.here);
    if (!each_machine(is_wanted, &w) && !each_machine(any_machine, w.dir))
        return;
    snprintf(path, sizeof path, "%s/codelets/45", w.dir);
    const int n = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *dot = strchr(list[i]->d_name, '.');
        if (dot && dot != list[i]->d_name) {
            *dot = '\0';
            visit(list[i]->d_name, arg);
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}

static int load(const char *name, orr_calibration *c, orr_models *m)
{
    char dir[1024], message[ORR_MESSAGE];
    if (!find(name, dir))
        return CLI_FILE;
    if (orr_calibration_check(dir, message) == ORR_OK &&
        orr_calibration_read(dir, c, message) == ORR_OK &&
        orr_models_read(dir, c->name, m, message) == ORR_OK)
        return CLI_OK;
    cli_say("%s", message);
    return CLI_FILE;
}

/* ---- list ----------------------------------------------------------------------------------- */

static int list_one(const char *dir, const char *place, void *arg)
{
    const struct wanted *w = arg;
    orr_calibration c;
    char message[ORR_MESSAGE];
    (void)place;
    if (orr_calibration_read(dir, &c, message) != ORR_OK) {
        cli_say("%s", message);
        return 0;
    }
    const int same = orr_machine_same(&w->here, &c.machine, message);
    printf("%-16s %3d cores, %d devices, %s, %s%s\n  %s\n", c.name, c.machine.cores,
           c.machine.devices, c.machine.cpu, c.date, same ? "  <- this machine" : "", dir);
    return 0;
}

static int list(void *args, const cli_files *rest)
{
    struct wanted w = {0};
    char place[512];
    (void)args, (void)rest;
    orr_machine_query(&w.here);
    each_machine(list_one, &w);
    printf("looked in:");
    for (int k = 0; orr_models_place(k, place, sizeof place); k++)
        if (*place)
            printf(" %s", place);
    printf("\n");
    return CLI_OK;
}

/* ---- show ----------------------------------------------------------------------------------- */

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

static const orr_model *model_of(const orr_models *m, const char *name)
{
    char all[8192] = "";
    cli_guess_text guess;
    const orr_model *found = orr_models_find(m, name);
    for (int64_t i = 0; !found && i < m->count; i++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? "|" : "", m->model[i].name);
    }
    if (!found)
        cli_say("no model '%s'%s", name, cli_guess(name, all, guess));
    return found;
}

static int show(void *args, const cli_files *rest)
{
    const struct args *a = args;
    orr_calibration c;
    orr_models m = {0};
    int code = load(a->machine, &c, &m);
    if (code != CLI_OK)
        return code;
    printf("%s: %s, %d cores; StarPU %s, orrery %s, %s\n", c.name, c.machine.cpu, c.machine.cores,
           c.starpu, c.orrery, c.date);
    printf("%-24s %-6s %2s %2s %6s %7s %s\n", "model", "kind", "no", "im", "shapes", "runs",
           "time in us of size x");
    for (int64_t i = 0; rest->n == 0 && i < m.count; i++)
        for (int64_t k = 0; k < m.model[i].parts; k++)
            show_part(&m.model[i], &m.model[i].part[k]);
    for (int i = 0; i < rest->n; i++) {
        const orr_model *one = model_of(&m, rest->v[i]);
        for (int64_t k = 0; one && k < one->parts; k++) {
            show_part(one, &one->part[k]);
            show_entries(&one->part[k]);
        }
        code = one ? code : CLI_USAGE;
    }
    orr_models_free(&m);
    return code;
}

/* ---- plot ----------------------------------------------------------------------------------- */

static int plot(void *args, const cli_files *rest)
{
    const struct args *a = args;
    orr_calibration c;
    orr_models m = {0};
    cli_text t = {0};
    char path[128];
    if (rest->n != 1) {
        cli_say("plot: which MODEL? 'orrery models show' lists them");
        return CLI_USAGE;
    }
    int code = load(a->machine, &c, &m);
    const orr_model *one = code == CLI_OK ? model_of(&m, rest->v[0]) : NULL;
    if (one) {
        models_plot(&t, one, c.name);
        snprintf(path, sizeof path, "%s.svg", one->name);
        code = t.failed ? CLI_MEMORY : output_text(a->output ? a->output : path, &t);
    } else if (code == CLI_OK) {
        code = CLI_USAGE;
    }
    cli_text_free(&t);
    orr_models_free(&m);
    return code;
}

/* ---- check ---------------------------------------------------------------------------------- */

static int has_kind(const orr_models *m, orr_kind kind)
{
    for (int64_t i = 0; i < m->count; i++)
        for (int64_t k = 0; k < m->model[i].parts; k++)
            if (m->model[i].part[k].kind == kind)
                return 1;
    return 0;
}

/* Tells of devices that were there, and of which there is no model. */
static int check_kinds(const char *dir, const orr_calibration *c)
{
    char message[ORR_MESSAGE];
    orr_models m = {0};
    if (orr_models_read(dir, c->name, &m, message) != ORR_OK) {
        cli_say("%s", message);
        return CLI_FILE;
    }
    for (int i = 0; i < c->machine.devices; i++) {
        const char *device = c->machine.device[i];
        const int opencl = !strncmp(device, "opencl", 6);
        if (!has_kind(&m, opencl ? ORR_KIND_OPENCL : ORR_KIND_CUDA))
            cli_say("no model of '%s': StarPU measures it anew in each run; orrery calibrate "
                    "--force makes models of all devices",
                    device);
    }
    orr_models_free(&m);
    return CLI_OK;
}

static int check(void *args, const cli_files *rest)
{
    const struct args *a = args;
    char dir[1024], message[ORR_MESSAGE];
    orr_calibration c;
    orr_machine here;
    if (rest->n > 1) {
        cli_say("check: one DIR at most");
        return CLI_USAGE;
    }
    if (!find(rest->n ? rest->v[0] : a->machine, dir))
        return CLI_FILE;
    if (orr_calibration_check(dir, message) != ORR_OK ||
        orr_calibration_read(dir, &c, message) != ORR_OK) {
        cli_say("%s", message);
        return CLI_FILE;
    }
    if (check_kinds(dir, &c) != CLI_OK)
        return CLI_FILE;
    printf("%s: every file of '%s' is as it was calibrated\n", dir, c.name);
    orr_machine_query(&here);
    if (!orr_machine_same(&here, &c.machine, message)) {
        cli_say("%s is not of this machine: %s", c.name, message);
        return CLI_CHECK;
    }
    printf("it is of this machine: %s, %d cores, %d devices\n", here.cpu, here.cores, here.devices);
    return CLI_OK;
}

/* ---- diff ----------------------------------------------------------------------------------- */

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

static int diff(void *args, const cli_files *rest)
{
    const struct args *a = args;
    orr_calibration ca, cb;
    orr_models x = {0}, y = {0};
    struct counts all = {0};
    const double tolerance = a->tolerance > 0 ? a->tolerance : 0.1;
    if (rest->n != 2) {
        cli_say("diff: two machines or directories");
        return CLI_USAGE;
    }
    int code = load(rest->v[0], &ca, &x);
    if (code == CLI_OK)
        code = load(rest->v[1], &cb, &y);
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
        printf("%lld shapes in both, %.1f%% agree within %g%% (with %.1f%% of the time); %lld only "
               "in the first, %lld only in the second\n",
               (long long)all.both, 100 * share, 100 * tolerance,
               100 * all.time_agree / fmax(all.time, 1e-30), (long long)all.only_first,
               (long long)all.only_second);
        code = share >= 0.95 ? CLI_OK : CLI_CHECK;
    }
    orr_models_free(&x);
    orr_models_free(&y);
    return code;
}

/* ---- The command -------------------------------------------------------------------------- */

static const cli_action actions[] = {
    {"list", list, ""},          {"show", show, "machine"},   {"plot", plot, "machine|output"},
    {"check", check, "machine"}, {"diff", diff, "tolerance"}, {0}};

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {0};
    return cli_act(command, argc, argv, &a, actions, "list");
}

const cli_command cmd_models = {
    .name = "models",
    .summary = "list, show, plot, check and compare frozen performance models",
    .synopsis = "list|show [MODEL...]|plot MODEL|check [DIR]|diff A B",
    .about = "list: the machines whose models are at hand. show: a line per model, and every\n"
             "shape of those named. plot: time against size, SVG. check: files are unchanged\n"
             "(else exit code 3) and of this machine (else 1). diff: shape by shape; exit\n"
             "code 1 unless 95 % agree within the tolerance. docs/calibration.md tells more.",
    .options = options,
    .examples = "orrery models list\n"
                "orrery models show hb2st_chase_d --machine ci-2core\n"
                "orrery models plot hb2st_chase_d -o chase.svg\n"
                "orrery models diff perfmodels/monday perfmodels/tuesday",
    .run = run,
    .words = "list|show|plot|check|diff",
    .complete = "models",
};
