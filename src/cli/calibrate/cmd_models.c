/* orrery models: what the frozen performance models say, and whether they are of this machine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "src/cli/calibrate/models_diff.h"
#include "src/cli/calibrate/models_find.h"
#include "src/cli/calibrate/models_plot.h"
#include "src/cli/calibrate/models_show.h"
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

static int list_one(const char *dir, const char *place, void *arg)
{
    const orr_machine *here = arg;
    orr_calibration c;
    char message[ORR_MESSAGE];
    (void)place;
    if (orr_calibration_read(dir, &c, message) != ORR_OK) {
        cli_say("%s", message);
        return 0;
    }
    const int same = orr_machine_same(here, &c.machine, message);
    printf("%-16s %3d core%s, %d device%s, %s, %s%s\n  %s\n", c.name, c.machine.cores,
           cli_plural(c.machine.cores), c.machine.devices, cli_plural(c.machine.devices),
           c.machine.cpu, c.date, same ? "  <- this machine" : "", dir);
    return 0;
}

static int list(void *args, const cli_files *rest)
{
    orr_machine here;
    char place[512];
    (void)args, (void)rest;
    orr_machine_query(&here);
    models_each(list_one, &here);
    printf("looked in:");
    for (int k = 0; orr_models_place(k, place, sizeof place); k++)
        if (*place)
            printf(" %s", place);
    printf("\n");
    return CLI_OK;
}

static int show(void *args, const cli_files *rest)
{
    return models_show(((struct args *)args)->machine, rest);
}

/* CLI_OK, or CLI_USAGE with the reason told: the picture would take the place of a file of the models. */
static int check_picture(const char *name, const char *machine)
{
    static const char *const sub[] = {"", "/bus", "/codelets/45"};
    char dir[1024], path[1300];
    int found = 0;
    if (!models_find(machine, dir))
        return CLI_FILE;
    for (int k = 0; k < 3 && !found; k++) {
        snprintf(path, sizeof path, "%s%s", dir, sub[k]);
        DIR *d = opendir(path);
        for (struct dirent *e; d && !found && (e = readdir(d));) {
            const size_t n = strlen(e->d_name);
            snprintf(path, sizeof path, "%s%s/%s", dir, sub[k], e->d_name);
            found = (n < 4 || strcmp(e->d_name + n - 4, ".svg")) && output_same(name, path);
        }
        if (d)
            closedir(d);
    }
    if (found)
        cli_say("%s is a file of the models and would be overwritten", name);
    return found ? CLI_USAGE : CLI_OK;
}

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
    int code = models_load(a->machine, &c, &m);
    const orr_model *one = code == CLI_OK ? models_named(&m, rest->v[0]) : NULL;
    if (one) {
        models_plot(&t, one, c.name);
        snprintf(path, sizeof path, "%s.svg", one->name);
        code = a->output ? check_picture(a->output, a->machine) : CLI_OK;
        if (code == CLI_OK && a->output)
            code = output_is_svg("--output", a->output);
        if (code == CLI_OK)
            code = t.failed ? CLI_MEMORY : output_text(a->output ? a->output : path, &t);
    } else if (code == CLI_OK) {
        code = CLI_USAGE;
    }
    cli_text_free(&t);
    orr_models_free(&m);
    return code;
}

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
    if (!models_find(rest->n ? rest->v[0] : a->machine, dir))
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
    printf("it is of this machine: %s, %d core%s, %d device%s\n", here.cpu, here.cores,
           cli_plural(here.cores), here.devices, cli_plural(here.devices));
    return CLI_OK;
}

static int diff(void *args, const cli_files *rest)
{
    const struct args *a = args;
    if (rest->n == 2)
        return models_diff(rest->v[0], rest->v[1], a->tolerance > 0 ? a->tolerance : 0.1);
    cli_say("models diff: two machines or directories are needed");
    return CLI_USAGE;
}

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
