/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/outputs.h"

#include <orrery/io.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* The name without directory and the suffixes that matrices have: a-x of dir/a.npz:x. */
static int stem(char *out, size_t size, const char *path)
{
    static const char *const suffixes[] = {".npy",    ".npz", ".mtx.gz", ".mtx",
                                           ".txt.gz", ".txt", ".csv.gz", ".csv"};
    const char *member = orr_npz_member(path), *slash = strrchr(path, '/');
    if (member && *member) { /* whose name may have a slash, too */
        const char *end = member - strlen(".npz:"), *name = end;
        while (name > path && name[-1] != '/')
            name--;
        const int n = snprintf(out, size, "%.*s-%s", (int)(end - name), name, member);
        for (char *c = out; *c; c++)
            *c = *c == '/' ? '-' : *c;
        return n < (int)size;
    }
    const char *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    if (!strcmp(path, "-")) {
        name = "stdin";
        n = 5;
    }
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
        const size_t m = strlen(suffixes[k]);
        if (n > m && !strncmp(name + n - m, suffixes[k], m)) {
            n -= m;
            break;
        }
    }
    return snprintf(out, size, "%.*s", (int)n, name) < (int)size;
}

int output_name(char *name, size_t size, const char *pattern, const char *input, int number)
{
    char word[PATH_SIZE];
    size_t used = 0;
    for (const char *c = pattern; *c;) {
        size_t n = 1;
        const char *piece = c;
        if (!strncmp(c, "{}", 2)) {
            if (!stem(word, sizeof word, input))
                return 0;
            piece = word;
            n = strlen(word);
            c += 2;
        } else if (!strncmp(c, "{i}", 3)) {
            n = (size_t)snprintf(word, sizeof word, "%d", number);
            piece = word;
            c += 3;
        } else {
            c++;
        }
        if (used + n + 1 > size)
            return 0;
        memcpy(name + used, piece, n);
        used += n;
    }
    name[used] = '\0';
    return 1;
}

/* The name without links and dots, of a file that may not exist yet; 0 if there is none. */
static int resolve(const char *path, char out[PATH_SIZE])
{
    char name[PATH_SIZE], link[PATH_SIZE];
    if (snprintf(name, sizeof name, "%s", path) >= PATH_SIZE)
        return 0;
    for (int hops = 0; hops < 40; hops++) {
        char *whole = realpath(name, NULL), *slash = strrchr(name, '/');
        const ssize_t n = whole ? -1 : readlink(name, link, sizeof link - 1);
        if (n < 0) { /* there, or nothing that leads on */
            if (slash)
                *slash = '\0';
            const char *base = slash ? slash + 1 : name;
            char *dir = whole ? NULL : realpath(!slash ? "." : slash == name ? "/" : name, NULL);
            const int used = snprintf(out, PATH_SIZE, whole ? "%s" : "%s/%s",
                                      whole ? whole
                                      : dir ? dir
                                            : "",
                                      base);
            const int found = whole || dir;
            free(whole);
            free(dir);
            return found && used < PATH_SIZE;
        }
        link[n] = '\0';
        const int keep = slash && *link != '/' ? (int)(slash + 1 - name) : 0;
        if (snprintf(name + keep, sizeof name - (size_t)keep, "%s", link) >= PATH_SIZE - keep)
            return 0;
    }
    return 0;
}

int output_same(const char *a, const char *b)
{
    char ra[PATH_SIZE], rb[PATH_SIZE];
    struct stat sa, sb;
    return !strcmp(a, b) || (resolve(a, ra) && resolve(b, rb) && !strcmp(ra, rb)) ||
           (stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
            sa.st_ino == sb.st_ino && S_ISREG(sa.st_mode));
}

int output_check(const char *path)
{
    char directory[PATH_SIZE];
    struct stat st;
    const char *slash = strrchr(path, '/');
    if (!slash)
        strcpy(directory, ".");
    else
        snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path),
                 path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        cli_say("%s: is a directory", path);
        return CLI_FILE;
    }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a pipe or a device is not replaced */
        if (access(path, W_OK) == 0)
            return CLI_OK;
        cli_say("%s: cannot be written: %s", path, strerror(errno));
        return CLI_FILE;
    }
    if (access(directory, W_OK | X_OK) != 0) {
        cli_say("%s: cannot be written: %s: %s", path, directory, strerror(errno));
        return CLI_FILE;
    }
    if (lstat(path, &st) != 0 && errno == ENAMETOOLONG) {
        cli_say("%s: cannot be written: %s", path, strerror(errno));
        return CLI_FILE;
    }
    return CLI_OK;
}

/* 1: the input is an array of the archive `name`, a.npz:x. */
static int is_archive_of(const char *name, const char *input)
{
    char archive[PATH_SIZE];
    const char *member = orr_npz_member(input);
    if (!member || !*member || member - input > PATH_SIZE)
        return 0;
    snprintf(archive, sizeof archive, "%.*s", (int)(member - 1 - input), input);
    return output_same(name, archive);
}

int output_spares(const char *name, const cli_files *inputs)
{
    for (int k = 0; k < inputs->n; k++)
        if (output_same(name, inputs->v[k]) || is_archive_of(name, inputs->v[k])) {
            cli_say("%s is an input and would be overwritten", name);
            return CLI_USAGE;
        }
    return CLI_OK;
}

/* The suffix of an array decides its format; without one it is .npy. */
static int check_suffix(const char *name)
{
    static const char *const known[] = {".npy", ".txt", ".csv"};
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    if (!dot || dot == base)
        return CLI_OK;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcasecmp(dot, known[k]))
            return CLI_OK;
    cli_say("%s: the suffix of an output says its format: .npy, .txt or .csv", name);
    return CLI_USAGE;
}

static int check_name(const char *name, char **earlier, int count, const cli_files *inputs,
                      int together)
{
    if (!strcmp(name, "-")) {
        for (int k = 0; k < count; k++)
            if (!strcmp(earlier[k], "-")) {
                cli_say("only one output can go to standard output ('-')");
                return CLI_USAGE;
            }
        return CLI_OK;
    }
    if (output_spares(name, inputs) != CLI_OK)
        return CLI_USAGE;
    for (int k = 0; k < count; k++)
        if (output_same(name, earlier[k])) {
            cli_say("%s would be written twice%s", name,
                    inputs->n > together ? "; {} or {i} in the name makes one file per input" : "");
            return CLI_USAGE;
        }
    return output_check(name);
}

int outputs_check(const char *const *patterns, int count, const char *single,
                  const cli_files *inputs, int together)
{
    int code = CLI_OK, names = 0;
    char **all = calloc((size_t)count * (size_t)(inputs->n ? inputs->n : 1), sizeof *all);
    if (!all)
        return CLI_MEMORY;
    for (int p = 0; p < count; p++)
        for (int k = 0; patterns[p] && k < inputs->n && code == CLI_OK; k += together) {
            char name[PATH_SIZE];
            if (!output_name(name, sizeof name, patterns[p], inputs->v[k], k)) {
                cli_say("%s: the name is too long", patterns[p]);
                code = CLI_USAGE;
                break;
            }
            code = check_name(name, all, names, inputs, together);
            if (code == CLI_OK)
                code = check_suffix(name);
            all[names] = strdup(name);
            if (!all[names++])
                code = CLI_MEMORY;
        }
    if (single && code == CLI_OK)
        code = check_name(single, all, names, inputs, together);
    for (int k = 0; k < names; k++)
        free(all[k]);
    free(all);
    return code;
}

static int write_text(const char *path, const cli_text *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    int good = fd >= 0 && cli_text_write(text, fd) == 0;
    if (fd >= 0)
        good = close(fd) == 0 && good;
    return good;
}

/* A file beside the target under a name that is new: no file or link that somebody put there is
 * opened. A long name is cut, to have room for more behind it. -1: none, errno says why. */
static int create_beside(const char *target, char name[PATH_SIZE + 64])
{
    enum { NAME = 200 };
    const char *slash = strrchr(target, '/');
    const size_t n = strlen(target), last = strlen(slash ? slash + 1 : target);
    const int keep = (int)(last > NAME ? n - last + NAME : n);
    int fd = -1;
    for (int k = 0; k < 100 && (k == 0 || (fd < 0 && errno == EEXIST)); k++) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        snprintf(name, PATH_SIZE + 64, "%.*s.orr-tmp-%ld-%08lx", keep, target, (long)getpid(),
                 (unsigned long)now.tv_nsec ^ (unsigned long)k << 16);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    return fd;
}

/* Renamed when complete. What was there leaves its permissions. */
static int replace(const char *target, const cli_text *text)
{
    char temporary[PATH_SIZE + 64];
    struct stat old;
    const int fd = create_beside(target, temporary);
    if (fd < 0)
        return 0;
    int good = stat(target, &old) != 0 || fchmod(fd, old.st_mode & 0777) == 0;
    good = good && cli_text_write(text, fd) == 0;
    good = close(fd) == 0 && good;
    if (good && rename(temporary, target) == 0)
        return 1;
    const int why = errno;
    unlink(temporary);
    errno = why;
    return 0;
}

int output_text(const char *path, const cli_text *text)
{
    struct stat st;
    const int out = !strcmp(path, "-"), there = !out && stat(path, &st) == 0;
    char *target = there ? realpath(path, NULL) : strdup(path); /* a link is followed */
    const int good = target && (out ? cli_text_write(text, STDOUT_FILENO) == 0
                                : there && !S_ISREG(st.st_mode) ? write_text(target, text)
                                                                : replace(target, text));
    if (!good)
        cli_say("%s: cannot write: %s", out ? "standard output" : path, strerror(errno));
    free(target);
    return good ? CLI_OK : CLI_FILE;
}
