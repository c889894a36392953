/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/models_find.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/core/options.h"

static int has_calibration(const char *dir)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/calibration", dir);
    return access(path, F_OK) == 0;
}

int models_each(int (*visit)(const char *dir, const char *place, void *), void *arg)
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

int models_find(const char *name, char dir[1024])
{
    struct wanted w = {.name = name};
    orr_machine_query(&w.here);
    snprintf(dir, 1024, "%s", name ? name : "");
    if (name && has_calibration(name))
        return 1;
    if (models_each(is_wanted, &w)) {
        snprintf(dir, 1024, "%s", w.dir);
        return 1;
    }
    if (name)
        cli_say("no frozen models of '%s', nor in a directory of that name; 'orrery models list' "
                "tells which there are",
                name);
    else
        cli_say("no frozen models of this machine (%s, %d core%s): orrery calibrate makes them, "
                "--machine chooses another's",
                w.here.cpu, w.here.cores, cli_plural(w.here.cores));
    return 0;
}

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
    models_each(name_of_machine, &(struct visitor){visit, arg});
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
    if (!models_each(is_wanted, &w) && !models_each(any_machine, w.dir))
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

int models_load(const char *name, orr_calibration *c, orr_models *m)
{
    char dir[1024], message[ORR_MESSAGE];
    if (!models_find(name, dir))
        return CLI_FILE;
    if (orr_calibration_check(dir, message) == ORR_OK &&
        orr_calibration_read(dir, c, message) == ORR_OK &&
        orr_models_read(dir, c->name, m, message) == ORR_OK)
        return CLI_OK;
    cli_say("%s", message);
    return CLI_FILE;
}

const orr_model *models_named(const orr_models *m, const char *name)
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
