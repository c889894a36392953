/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "src/cli/study/identity.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/places.h"
#include "src/cli/core/record.h"
#include "src/cli/study/points.h"

extern char **environ;

/* ---- Programs ------------------------------------------------------------------------------- */

void plan_directory(const study_plan *p, char out[IDENTITY_PATH])
{
    char *whole = realpath(p->path, NULL), *slash = whole ? strrchr(whole, '/') : NULL;
    if (slash)
        slash[slash == whole] = '\0';
    snprintf(out, IDENTITY_PATH, "%s", slash ? whole : ".");
    free(whole);
}

static int can_run(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int in_path(const char *name, char out[IDENTITY_PATH])
{
    const char *path = getenv("PATH");
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        const int length = snprintf(out, IDENTITY_PATH, "%.*s/%s", (int)n, path, name);
        if (n && length < IDENTITY_PATH && can_run(out))
            return 1;
    }
    return 0;
}

int program_find(const study_plan *p, const char *name, char out[IDENTITY_PATH])
{
    char dir[IDENTITY_PATH];
    if (!strcmp(name, "orrery"))
        return place_self(out, IDENTITY_PATH);
    if (!strchr(name, '/'))
        return *name && in_path(name, out);
    plan_directory(p, dir);
    const int length = *name == '/' ? snprintf(out, IDENTITY_PATH, "%s", name)
                                    : snprintf(out, IDENTITY_PATH, "%.2000s/%s", dir, name);
    return length < IDENTITY_PATH && can_run(out);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

uint64_t identity_hash(uint64_t seed, const void *bytes, size_t n)
{
    uint64_t h = seed ? seed : 0xcbf29ce484222325u;
    for (const unsigned char *c = bytes; n--; c++)
        h = (h ^ *c) * 0x100000001b3u;
    return h;
}

/* CLI_FILE, and told with where the plan names it. */
static int sum_file(const study_plan *p, const char *path, uint64_t *sum)
{
    static char room[1 << 16];
    const study_words *from = p->files.n ? &p->files : &p->run;
    struct stat st;
    *sum = 0;
    errno = 0;
    FILE *f = fopen(path, "r");
    if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
        errno = EISDIR;
    for (size_t n; f && !errno && (n = fread(room, 1, sizeof room, f)) > 0;)
        *sum = identity_hash(*sum, room, n);
    const int good = f && !errno && !ferror(f);
    if (!good)
        cli_say("%s:%d:%d: %s: %s", p->path, from->line, from->column, path, strerror(errno));
    if (f)
        fclose(f);
    return good ? CLI_OK : CLI_FILE;
}

static int known(const study_words *w, const char *text)
{
    for (int k = 0; k < w->n; k++)
        if (!strcmp(w->v[k], text))
            return 1;
    return 0;
}

static int add_once(study_words *w, const char *text)
{
    return known(w, text) || words_add(w, text);
}

static int add_program(const study_plan *p, const char *name, study_words *files)
{
    char path[IDENTITY_PATH];
    Dl_info library;
    if (!program_find(p, name, path)) {
        cli_say("%s: no program that can be run", name);
        return CLI_FILE;
    }
    /* The command is little more than a caller of the library. */
    if (!strcmp(name, "orrery") && dladdr((void *)(intptr_t)orr_open, &library) &&
        library.dli_fname && strchr(library.dli_fname, '/') && !add_once(files, library.dli_fname))
        return CLI_MEMORY;
    return add_once(files, path) ? CLI_OK : CLI_MEMORY;
}

static int all_files(const study_plan *p, const char *store, study_words *files)
{
    char dir[IDENTITY_PATH], path[IDENTITY_PATH];
    const points_place place = {"", "", store, 0};
    const int points = points_count(p);
    int code = points_programs(p);
    plan_directory(p, dir);
    for (int k = 0; k < points && code == CLI_OK; k++) {
        study_words words = {0}, inputs = {0};
        if (!points_words(p, &p->run, k, &place, &words) ||
            !points_words(p, &p->files, k, &place, &inputs))
            code = CLI_MEMORY;
        if (code == CLI_OK)
            code = add_program(p, words.v[0], files);
        for (int i = 0; i < inputs.n && code == CLI_OK; i++) {
            snprintf(path, sizeof path, "%.2000s%s%.2000s", *inputs.v[i] == '/' ? "" : dir,
                     *inputs.v[i] == '/' ? "" : "/", inputs.v[i]);
            code = add_once(files, path) ? CLI_OK : CLI_MEMORY;
        }
        words_free(&words);
        words_free(&inputs);
    }
    return code;
}

/* ---- The lock ------------------------------------------------------------------------------- */

static void put_list(cli_text *t, const char *key, const study_words *w)
{
    cli_put(t, ",\n\"%s\":[", key);
    for (int k = 0; k < w->n; k++) {
        cli_put(t, "%s", k ? "," : "");
        cli_put_json(t, w->v[k]);
    }
    cli_put(t, "]");
}

static void put_factor(cli_text *t, const study_factor *f)
{
    cli_put(t, ",\n\"factor %s\":{", f->name);
    for (int k = 0; k < f->label.n; k++) {
        cli_put(t, "%s", k ? "," : "");
        cli_put_json(t, f->label.v[k]);
        cli_put(t, ":");
        cli_put_json(t, f->value.v[k]);
    }
    cli_put(t, "}");
}

int identity_lock(const study_plan *p, const char *store, int with_files, cli_text *t)
{
    study_words files = {0};
    uint64_t sum;
    int code = with_files ? all_files(p, store, &files) : CLI_OK;
    cli_put(t, "{\n\"study\":1");
    cli_put(t, ",\n\"name\":\"%s\",\n\"seed\":%llu", p->name, (unsigned long long)p->seed);
    put_list(t, "run", &p->run);
    put_list(t, "prepare", &p->prepare);
    for (int k = 0; k < p->factors; k++)
        put_factor(t, &p->factor[k]);
    put_list(t, "env", &p->env);
    cli_put(t, ",\n\"measure\":");
    cli_put_json(t, p->measure);
    cli_put(t, ",\n\"pattern\":");
    cli_put_json(t, p->pattern);
    cli_put(t, ",\n\"timeout\":%g", p->timeout);
    for (int k = 0; k < p->looks; k++) /* the last is after all blocks */
        cli_put(t, "%s%d%s", k ? "," : ",\n\"looks\":[", p->look[k], k == p->looks - 1 ? "]" : "");
    for (int k = 0; k < files.n && code == CLI_OK; k++) {
        code = sum_file(p, files.v[k], &sum);
        cli_put(t, ",\n\"file %s\":\"%016llx\"", files.v[k], (unsigned long long)sum);
    }
    cli_put(t, "\n}\n");
    words_free(&files);
    return code == CLI_OK && t->failed ? CLI_MEMORY : code;
}

/* ---- Provenance ----------------------------------------------------------------------------- */

static void put_first(cli_text *t, const char *key, const char *path, const char *begins)
{
    char line[512] = "";
    FILE *f = fopen(path, "r");
    const char *value = NULL;
    while (f && !value && fgets(line, sizeof line, f))
        if (!strncmp(line, begins, strlen(begins))) {
            line[strcspn(line, "\n")] = '\0';
            value = line + strlen(begins) + strspn(line + strlen(begins), " \t:");
        }
    if (f)
        fclose(f);
    cli_member_json(t, key, value);
}

static int matters(const char *variable)
{
    static const char *const begins[] = {
        "STARPU_",          "OMP_",      "OPENBLAS_", "MKL_",  "BLIS_",
        "ORRERY_",          "CUDA_",     "KMP_",      "GOMP_", "LD_PRELOAD=",
        "LD_LIBRARY_PATH=", "SLURM_CPUS"};
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (!strncmp(variable, begins[k], strlen(begins[k])))
            return 1;
    return 0;
}

int identity_energy(const study_plan *p, struct orr_energy **out)
{
    const int cpu = !strcmp(p->measure, "cpu_joules"), gpu = !strcmp(p->measure, "gpu_joules");
    struct orr_energy *energy = *out = orr_energy_open(1);
    if (!energy) {
        cli_say("%s", orr_strerror(ORR_E_NOMEM));
        return CLI_MEMORY;
    }
    const struct orr_joules now = orr_energy_read(energy);
    if ((!cpu || !isnan(now.cpu)) && (!gpu || !isnan(now.gpu)))
        return CLI_OK;
    cli_say("%s: no %s here: %s", p->path, p->measure,
            cpu ? orr_energy_cpu(energy) : orr_energy_gpu(energy));
    return CLI_SKIPPED;
}

void identity_provenance(const study_plan *p, const struct orr_energy *energy, cli_text *t)
{
    struct utsname u;
    int n = 0;
    cli_put(t, "{");
    cli_member_json(t, "machine", cli_machine());
    cli_member_json(t, "kernel", uname(&u) == 0 ? u.release : NULL);
    put_first(t, "processor", "/proc/cpuinfo", "model name");
    put_first(t, "microcode", "/proc/cpuinfo", "microcode");
    put_first(t, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
    put_first(t, "quota", "/sys/fs/cgroup/cpu.max", "");
    cli_put(t, ",\"cpus\":%ld", sysconf(_SC_NPROCESSORS_ONLN));
    cli_member_json(t, "energy_cpu", orr_energy_cpu(energy));
    cli_member_json(t, "energy_gpu", orr_energy_gpu(energy));
    cli_member_json(t, "version", ORR_VERSION);
    cli_member_json(t, "git", cli_git());
    cli_put(t, ",\"environment\":[");
    for (char **e = environ; *e; e++)
        if (matters(*e)) {
            cli_put(t, "%s", n++ ? "," : "");
            cli_put_json(t, *e);
        }
    for (int k = 0; k < p->env.n; k++) {
        cli_put(t, "%s", n++ ? "," : "");
        cli_put_json(t, p->env.v[k]);
    }
    cli_put(t, "]");
}
