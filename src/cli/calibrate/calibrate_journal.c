/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "src/cli/calibrate/calibrate_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/directory.h"
#include "src/cli/core/outputs.h"

enum { PATH = 1024 };

/* ---- Files ------------------------------------------------------------------------------------
 */

static int exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static void visit_path(const cal_journal *j, const char *name, int pass, char path[PATH])
{
    snprintf(path, PATH, "%s/cases/%s.%d.csv", j->dir, name, pass);
}

/* ---- Open --------------------------------------------------------------------------------------
 */

/* To be freed; NULL: there is none. */
static char *first_line(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    const int got = f && getline(&line, &room, f) > 0;
    if (f)
        fclose(f);
    if (got) {
        line[strcspn(line, "\n")] = 0;
        return line;
    }
    free(line);
    return NULL;
}

static int count_cases(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        n += strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ".csv");
    if (d)
        closedir(d);
    return n;
}

/* A calibration, or models that StarPU has learnt there. */
static int has_models(const char *dir)
{
    static const char *const names[] = {"calibration", "bus", "codelets", "models.json"};
    char path[PATH + 32];
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[n]);
        if (exists(path))
            return 1;
    }
    return 0;
}

static int check_final(const cal_journal *j, int force)
{
    char path[PATH];
    if (has_models(j->final) && !force) {
        cli_say("%s exists; its models are frozen. --force measures anew and replaces them when "
                "all is done",
                j->final);
        return CLI_USAGE;
    }
    snprintf(path, sizeof path, "%s.old", j->final);
    if (exists(j->final) && exists(path)) {
        cli_say("%s is in the way: what is replaced stays there until all is done", path);
        return CLI_FILE;
    }
    return CLI_OK;
}

/* Its end removes the directory: one that was opened before that and locked after it is not the one that has
 * the name. */
static int lock(cal_journal *j)
{
    for (;;) {
        struct stat locked, named;
        if (cli_make_directory(j->dir) != CLI_OK)
            return CLI_FILE;
        j->guard = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (j->guard < 0 && errno == ENOENT)
            continue;
        if (j->guard < 0) {
            cli_say("%s: %s", j->dir, strerror(errno));
            return CLI_FILE;
        }
        if (cli_lock(j->guard) != 0 && errno == EWOULDBLOCK) {
            cli_say("%s: another 'orrery calibrate' is at work here", j->dir);
            return CLI_RUNTIME;
        }
        if (fstat(j->guard, &locked) == 0 && stat(j->dir, &named) == 0 &&
            locked.st_ino == named.st_ino)
            return CLI_OK;
        journal_close(j);
    }
}

/* The directory itself stays: it is locked. */
static int forget(const cal_journal *j)
{
    static const char *const parts[] = {"cases", "starpu", "out", "options"};
    char path[PATH];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        snprintf(path, sizeof path, "%s/%s", j->dir, parts[k]);
        if (cli_remove_tree(path) != 0) {
            cli_say("%s: cannot be removed: %s", path, strerror(errno));
            return CLI_FILE;
        }
    }
    return CLI_OK;
}

/* Whether what is there was begun with these options. */
static int check_options(const cal_journal *j, const char *options, int force)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/options", j->dir);
    char *line = first_line(path);
    const int other = line ? strcmp(line, options) != 0 : errno != ENOENT;
    if (other && !force) {
        cli_say("%s is an unfinished calibration with other options (%.1000s)", j->dir,
                line ? line : "");
        cli_say("finish it with those, or start anew with --force");
    }
    free(line);
    return !other ? CLI_OK : force ? forget(j) : CLI_USAGE;
}

void journal_close(cal_journal *j)
{
    if (j->guard >= 0)
        close(j->guard);
    j->guard = -1;
}

int journal_open(cal_journal *j, const char *dir, const char *machine, const char *options,
                 int force, int *resumed)
{
    char path[PATH];
    *resumed = 0;
    j->guard = -1;
    const int length = snprintf(j->final, sizeof j->final, "%s/%s", dir, machine);
    if (length < 0 || length + 16 > (int)sizeof j->final) {
        cli_say("--out: the name is too long");
        return CLI_USAGE;
    }
    snprintf(j->dir, sizeof j->dir, "%s.part", j->final);
    int code = check_final(j, force);
    if (code == CLI_OK)
        code = lock(j);
    if (code == CLI_OK &&
        (code = check_final(j, force)) != CLI_OK) /* another one has ended since */
        rmdir(j->dir);
    if (code == CLI_OK)
        code = check_options(j, options, force);
    if (code != CLI_OK)
        return code;
    snprintf(path, sizeof path, "%s/cases", j->dir);
    if (cli_make_directory(path) != CLI_OK)
        return CLI_FILE;
    *resumed = count_cases(path);
    cli_text t = {0};
    cli_put(&t, "%s\n", options);
    snprintf(path, sizeof path, "%s/options", j->dir);
    code = output_text(path, &t);
    cli_text_free(&t);
    return code;
}

/* ---- Cases --------------------------------------------------------------------------------------
 */

int journal_has(const cal_journal *j, const char *name, int pass)
{
    char path[PATH];
    visit_path(j, name, pass, path);
    return exists(path);
}

int journal_put(const cal_journal *j, const char *name, int pass, const orr_sample *s, size_t n)
{
    char path[PATH];
    cli_text t = {0};
    cli_put(&t, "model,kind,device,cores,impl,key,run,size,us\n");
    for (size_t i = 0; i < n; i++)
        cli_put(&t, "%s,%d,%d,%d,%d,%08x,%lld,%.17g,%.6g\n", s[i].model, s[i].kind, s[i].device,
                s[i].cores, s[i].impl, s[i].key, (long long)s[i].run, s[i].size, s[i].us);
    cli_put(&t, "end,%zu\n", n);
    visit_path(j, name, pass, path);
    const int code = output_text(path, &t);
    cli_text_free(&t);
    return code;
}

static const char *keep_name(cal_samples *s, const char *name)
{
    for (size_t i = s->names; i > 0; i--)
        if (!strcmp(s->name[i - 1], name))
            return s->name[i - 1];
    char **more = realloc(s->name, (s->names + 1) * sizeof *more);
    if (!more)
        return NULL;
    s->name = more;
    return (s->name[s->names] = strdup(name)) ? s->name[s->names++] : NULL;
}

int cal_samples_add(cal_samples *s, const orr_sample *one)
{
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 4096;
        orr_sample *more = realloc(s->v, room * sizeof *more);
        if (!more)
            return 0;
        s->v = more;
        s->room = room;
    }
    s->v[s->n++] = *one;
    return 1;
}

/* One of the case that the visit NAME.PASS.csv was to. */
static int64_t group_of(const char *path)
{
    const char *name = strrchr(path, '/');
    uint32_t hash = 2166136261u;
    for (const char *p = name ? name + 1 : path; *p && *p != '.'; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    return hash;
}

/* As model files may have it; a line may be damaged. */
static int sensible(const orr_sample *s)
{
    return s->kind >= 0 && s->kind < ORR_NKINDS && s->device >= 0 && s->device < 4096 &&
           s->cores >= 0 && s->cores <= 4096 && s->impl >= 0 && s->impl < 16 && s->size >= 0 &&
           isfinite(s->size) && s->us >= 0 && isfinite(s->us);
}

static int read_visit(const char *path, cal_samples *s)
{
    char line[512], name[64];
    const size_t before = s->n;
    const int64_t group = group_of(path);
    size_t announced = 0;
    int whole = 0, number = 1;
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f)) {
        cli_say("%s: %s", path, f ? "empty" : strerror(errno));
        if (f)
            fclose(f);
        return CLI_FILE;
    }
    while (!whole && fgets(line, sizeof line, f)) {
        orr_sample one;
        long long run;
        number++;
        whole = sscanf(line, "end,%zu", &announced) == 1;
        if (whole)
            break;
        if (sscanf(line, "%63[^,],%d,%d,%d,%d,%x,%lld,%lf,%lf", name, &one.kind, &one.device,
                   &one.cores, &one.impl, &one.key, &run, &one.size, &one.us) != 9 ||
            !sensible(&one))
            break;
        one.group = group;
        one.run = run;
        one.model = keep_name(s, name);
        one.predicted = 0;
        if (!one.model || !cal_samples_add(s, &one)) {
            fclose(f);
            cli_say("out of memory");
            return CLI_MEMORY;
        }
    }
    fclose(f);
    if (whole && announced == s->n - before)
        return CLI_OK;
    cli_say("%s:%d: not a line of samples, or lines are missing; remove this file, and the case "
            "is visited again",
            path, number);
    return CLI_FILE;
}

int journal_get(const cal_journal *j, const char *name, int pass, cal_samples *s)
{
    char path[PATH];
    visit_path(j, name, pass, path);
    return read_visit(path, s);
}

int journal_all(const cal_journal *j, cal_samples *s)
{
    char path[PATH];
    struct dirent **list;
    int code = CLI_OK;
    *s = (cal_samples){0};
    snprintf(path, sizeof path, "%s/cases", j->dir);
    const int n = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        const size_t length = strlen(name);
        if (code == CLI_OK && length > 4 && !strcmp(name + length - 4, ".csv")) {
            snprintf(path, sizeof path, "%s/cases/%.200s", j->dir, name);
            code = read_visit(path, s);
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return code;
}

void cal_samples_free(cal_samples *s)
{
    for (size_t i = 0; i < s->names; i++)
        free(s->name[i]);
    free(s->name);
    free(s->v);
    *s = (cal_samples){0};
}

/* What else lies in the old directory (a description for simulation, notes) goes into the new. */
static int keep_others(const char *old, const char *new)
{
    static const char ours[] = "|.|..|bus|codelets|calibration|models.json|";
    char name[300], from[PATH + 300], to[PATH + 300];
    int good = 1;
    DIR *d = opendir(old);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(name, sizeof name, "|%s|", e->d_name);
        if (strstr(ours, name))
            continue;
        snprintf(from, sizeof from, "%s/%s", old, e->d_name);
        snprintf(to, sizeof to, "%s/%s", new, e->d_name);
        if (rename(from, to) != 0) {
            cli_say("%s: %s", from, strerror(errno));
            good = 0;
        }
    }
    if (d)
        closedir(d);
    return good;
}

/* ---- The end -------------------------------------------------------------------------------- */

int journal_finish(const cal_journal *j, const char *from)
{
    char old[PATH];
    snprintf(old, sizeof old, "%s.old", j->final);
    if (exists(j->final) && rename(j->final, old) != 0) {
        cli_say("%s: cannot be moved aside: %s", j->final, strerror(errno));
        return CLI_FILE;
    }
    if (rename(from, j->final) != 0) {
        cli_say("%s: %s", j->final, strerror(errno));
        rename(old, j->final);
        return CLI_FILE;
    }
    if (!keep_others(old, j->final))
        return CLI_FILE; /* the old directory stays as MACHINE.old */
    cli_remove_tree(old);
    cli_remove_tree(j->dir);
    return CLI_OK;
}
