/* The models that a run uses. A frozen directory stays as it is: StarPU, which writes into its
 * directory whenever it meets something new, is given a copy in the user's cache, under this
 * machine's own name, and each start puts back what a run changed there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/models/internal.h"

/* ---- Places ---------------------------------------------------------------------------------- */

/* Where StarPU's own files go: $XDG_CACHE_HOME/orrery or ~/.cache/orrery. 0: nowhere. */
static int cache_place(char *dir, size_t room, const char *below)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return (size_t)snprintf(dir, room, "%s/orrery/%s", cache, below) < room;
    dir[0] = 0;
    return home && home[0] == '/' &&
           (size_t)snprintf(dir, room, "%s/.cache/orrery/%s", home, below) < room;
}

/* Makes the directories in which StarPU writes; it ends the process where it cannot. Else errno. */
static int make_writable(const char *dir)
{
    static const char *const sub[] = {"codelets", ORR_MODELS_CODELETS, "bus", "debug"};
    char path[600];
    if (orr_make_path(dir) != 0 || access(dir, W_OK | X_OK) != 0)
        return 0;
    for (size_t k = 0; k < sizeof sub / sizeof *sub; k++) {
        snprintf(path, sizeof path, "%s/%s", dir, sub[k]);
        if (orr_make_path(path) != 0 || access(path, W_OK | X_OK) != 0)
            return 0;
    }
    return 1;
}

/* A new directory of the user alone, for as long as StarPU runs. */
static int make_temporary(struct orr_models_use *use)
{
    const char *given = getenv("TMPDIR");
    const char *const place[] = {given && given[0] == '/' ? given : "/tmp", "/tmp"};
    for (size_t k = 0; k < sizeof place / sizeof *place && !use->temporary; k++) {
        const int made = (size_t)snprintf(use->dir, sizeof use->dir, "%s/orrery-XXXXXX", place[k]) <
                             sizeof use->dir &&
                         mkdtemp(use->dir);
        use->temporary = made && make_writable(use->dir);
        const int why = errno;
        if (made && !use->temporary)
            orr_remove_tree(use->dir);
        errno = why;
    }
    return use->temporary;
}

/* The user's cache, else a temporary directory, which is told in note. */
static orr_status find_place(struct orr_models_use *use, const char *below)
{
    char cache[sizeof use->dir], note[ORR_MESSAGE];
    if (use->temporary)
        return ORR_OK;
    const int named = cache_place(cache, sizeof cache, below);
    if (named && make_writable(cache)) {
        memcpy(use->dir, cache, sizeof cache);
        return ORR_OK;
    }
    orr_refuse(note, ORR_E_FILE,
               named ? "%.300s cannot be written: %s"
                     : "%.0sneither "
                       "XDG_CACHE_HOME nor HOME names a directory",
               cache, strerror(errno));
    if (make_temporary(use))
        return orr_refuse(use->note, ORR_OK,
                          "%.400s: StarPU's files go to a private directory, "
                          "which is removed at the end",
                          note);
    use->dir[0] = 0;
    return orr_refuse(use->note, ORR_E_FILE,
                      "no place for StarPU's files: %.300s, and no directory "
                      "can be made in TMPDIR or /tmp: %s",
                      note, strerror(errno));
}

/* ---- The copy -------------------------------------------------------------------------------- */

static int same_file(const char *a, const char *b)
{
    unsigned long crc_a, crc_b;
    long long bytes_a, bytes_b;
    return orr_file_sum(a, &crc_a, &bytes_a) == ORR_OK &&
           orr_file_sum(b, &crc_b, &bytes_b) == ORR_OK && crc_a == crc_b && bytes_a == bytes_b;
}

static orr_status copy_file(const char *from, const char *to, char message[ORR_MESSAGE])
{
    char block[16384];
    FILE *in = fopen(from, "rb");
    if (!in)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", from, strerror(errno));
    FILE *out = orr_part_open(to, message);
    if (!out) {
        fclose(in);
        return ORR_E_FILE;
    }
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, n, out);
    const int why = ferror(in) ? errno : 0;
    fclose(in);
    if (!why)
        return orr_part_close(out, to, message);
    orr_part_drop(out, to);
    return orr_refuse(message, ORR_E_FILE, "%s: cannot be read: %s", from, strerror(why));
}

/* Files NAME.machine... of from/sub become NAME.host... of to/sub; restore 0: only those that are
 * not there yet. */
static orr_status copy_files(const char *from, const char *to, const char *sub, const char *machine,
                             const char *host, int restore, char message[ORR_MESSAGE])
{
    char source[1024], target[1024];
    const size_t length = strlen(machine);
    orr_status st = ORR_OK;
    snprintf(target, sizeof target, "%s/%s", to, sub);
    if (orr_make_path(target) != 0)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", target, strerror(errno));
    snprintf(source, sizeof source, "%s/%s", from, sub);
    DIR *d = opendir(source);
    if (!d)
        return orr_refuse(message, ORR_E_FILE, "%s: %s", source, strerror(errno));
    for (struct dirent *e; st == ORR_OK && (e = readdir(d));) {
        /* bus files are MACHINE.WHAT, model files are MODEL.MACHINE */
        const char *dot = strchr(e->d_name, '.');
        if (e->d_name[0] == '.' || !dot)
            continue;
        if (strncmp(e->d_name, machine, length) == 0 && e->d_name[length] == '.')
            snprintf(target, sizeof target, "%s/%s/%s%s", to, sub, host, e->d_name + length);
        else
            snprintf(target, sizeof target, "%s/%s/%.*s%s", to, sub, (int)(dot + 1 - e->d_name),
                     e->d_name, host);
        snprintf(source, sizeof source, "%s/%s/%s", from, sub, e->d_name);
        if (restore ? !same_file(source, target) : access(target, F_OK) != 0)
            st = copy_file(source, target, message);
    }
    closedir(d);
    return st;
}

/* The bus files are StarPU's to renew (it does where its own build knows more or fewer devices);
 * the models are put back. */
static orr_status make_copy(const char *dir, const orr_calibration *c, struct orr_models_use *use)
{
    char path[600], below[200], host[128];
    unsigned long crc;
    long long bytes;
    snprintf(path, sizeof path, "%s/calibration", dir);
    if (orr_file_sum(path, &crc, &bytes) != ORR_OK)
        return orr_refuse(use->note, ORR_E_FILE, "%s: %s", path, strerror(errno));
    snprintf(below, sizeof below, "frozen/%.64s-%08lx", c->name, crc);
    orr_status st = find_place(use, below);
    if (st != ORR_OK)
        return st;
    orr_hostname(host, sizeof host);
    st = copy_files(dir, use->dir, "bus", c->name, host, 0, use->note);
    if (st == ORR_OK)
        st = copy_files(dir, use->dir, ORR_MODELS_CODELETS, c->name, host, 1, use->note);
    snprintf(use->source, sizeof use->source, "%s", dir);
    snprintf(use->machine, sizeof use->machine, "%.63s", c->name);
    return st;
}

/* ---- The choice ------------------------------------------------------------------------------ */

static int is_frozen(const char *dir)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/calibration", dir);
    return access(path, F_OK) == 0;
}

/* A frozen directory that was asked for: refused if broken or of another machine, unless
 * STARPU_HOSTNAME names that machine. */
static orr_status wanted_frozen(const char *dir, struct orr_models_use *use)
{
    orr_calibration c;
    orr_machine here;
    char why[ORR_MESSAGE];
    const char *set = getenv("STARPU_HOSTNAME");
    orr_status st = orr_calibration_check(dir, use->note);
    if (st == ORR_OK)
        st = orr_calibration_read(dir, &c, use->note);
    if (st != ORR_OK)
        return st;
    orr_machine_query(&here);
    if (!(set && strcmp(set, c.name) == 0) && !orr_machine_same(&here, &c.machine, why))
        return orr_refuse(use->note, ORR_E_FILE,
                          "%.150s: models of another machine, '%s': %.160s; STARPU_HOSTNAME=%s "
                          "uses them all the same",
                          dir, c.name, why, c.name);
    return make_copy(dir, &c, use);
}

/* The first frozen directory of the places that is of this machine, or that STARPU_HOSTNAME
 * names. A broken one is passed over and told in note. */
static int search(struct orr_models_use *use)
{
    char place[512], dir[1024], why[ORR_MESSAGE];
    const char *set = getenv("STARPU_HOSTNAME");
    orr_machine here;
    orr_calibration c;
    orr_machine_query(&here);
    for (int k = 0; orr_models_place(k, place, sizeof place); k++) {
        struct dirent **list;
        const int n = *place ? scandir(place, &list, NULL, alphasort) : -1;
        int found = 0;
        for (int i = 0; i < n; i++) {
            snprintf(dir, sizeof dir, "%s/%s", place, list[i]->d_name);
            free(list[i]);
            if (found || !is_frozen(dir))
                continue;
            if (orr_calibration_read(dir, &c, use->note) != ORR_OK)
                continue;
            if (set && *set ? strcmp(set, c.name) != 0 : !orr_machine_same(&here, &c.machine, why))
                continue;
            found = strlen(dir) < sizeof use->source &&
                    orr_calibration_check(dir, use->note) == ORR_OK &&
                    make_copy(dir, &c, use) == ORR_OK;
        }
        if (n >= 0)
            free(list);
        if (found)
            return 1;
    }
    return 0;
}

/* The first machine whose models lie frozen in a directory of dir. 0: there is none. */
static int machine_in(const char *dir, char *name, size_t room)
{
    char path[1100];
    struct dirent **list;
    const int n = scandir(dir, &list, NULL, alphasort);
    int found = 0;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%.800s/%s", dir, list[i]->d_name);
        if (!found && list[i]->d_name[0] != '.' && is_frozen(path))
            found = (size_t)snprintf(name, room, "%s", list[i]->d_name) < room;
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return found;
}

/* A directory of directories of models is none of models: StarPU would learn anew in it. In a new one beside frozen
 * models it may, but perhaps a name was misspelt: that is told in note. */
static orr_status nearly_frozen(const char *dir, char note[ORR_MESSAGE])
{
    char above[800], name[256];
    snprintf(above, sizeof above, "%s", dir);
    for (size_t n = strlen(above); n > 1 && above[n - 1] == '/'; n--)
        above[n - 1] = '\0';
    if (machine_in(above, name, sizeof name))
        return orr_refuse(
            note, ORR_E_FILE,
            "%.200s: holds models of machines, each in its own directory: name one, such as %.200s/%.60s",
            dir, above, name);
    char *const slash = strrchr(above, '/');
    if (slash)
        *slash = '\0';
    const char *const beside = !slash ? "." : slash == above ? "/" : above;
    if (access(dir, F_OK) != 0 && machine_in(beside, name, sizeof name))
        orr_refuse(
            note, ORR_OK,
            "%.200s is new, and StarPU learns there; models of machines that lie beside it: %.200s/%.60s",
            dir, beside, name);
    return ORR_OK;
}

orr_status orr_models_choose(const char *wanted, int learn, struct orr_models_use *use)
{
    const char *env = getenv("STARPU_PERF_MODEL_DIR"), *starpu_home = getenv("STARPU_HOME");
    const char *given = wanted ? wanted : env;
    *use = (struct orr_models_use){.dir = ""};
    if (given && is_frozen(given))
        return learn ? orr_refuse(use->note, ORR_E_FILE,
                                  "%s: these models are frozen: orrery calibrate makes them anew",
                                  given)
                     : wanted_frozen(given, use);
    if (given && nearly_frozen(given, use->note) != ORR_OK)
        return ORR_E_FILE;
    if (!given && !starpu_home && !learn && search(use))
        return ORR_OK;
    use->source[0] = use->machine[0] = 0;
    if (!given && !starpu_home)
        return find_place(use, "sampling");
    const size_t room = sizeof use->dir;
    const int fits = (size_t)snprintf(use->dir, room, given ? "%s" : "%s/.starpu/sampling",
                                      given ? given : starpu_home) < room;
    if (fits && make_writable(use->dir))
        return ORR_OK;
    const int why = fits ? errno : ENAMETOOLONG;
    use->dir[0] = 0;
    return orr_refuse(use->note, ORR_E_FILE, "%.400s: no directory for models: %s",
                      given ? given : starpu_home, strerror(why));
}
