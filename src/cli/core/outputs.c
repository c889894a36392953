/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/outputs.h"
#include "src/io/output.h"

#include <orrery/io.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
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

/* The directory of a name. */
static void directory_of(const char *path, char out[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    const int n = slash == path ? 1 : slash ? (int)(slash - path) : 1;
    snprintf(out, PATH_SIZE, "%.*s", n, slash ? path : ".");
}

/* The name without links and dots, of a file that may not exist yet; NULL if there is none. */
static char *resolve(const char *path)
{
    char *whole = realpath(path, NULL), *target = whole ? NULL : orr_output_target(path);
    if (target) { /* its directory is there, or nothing */
        char directory[PATH_SIZE];
        const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
        directory_of(target, directory);
        char *real = realpath(directory, NULL);
        whole = real ? malloc(strlen(real) + strlen(base) + 2) : NULL;
        if (whole)
            sprintf(whole, "%s/%s", real, base);
        free(real);
    }
    free(target);
    return whole;
}

int output_same(const char *a, const char *b)
{
    struct stat sa, sb;
    char *ra = resolve(a), *rb = resolve(b);
    const int same = !strcmp(a, b) || (ra && rb && !strcmp(ra, rb)) ||
                     (stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
                      sa.st_ino == sb.st_ino && S_ISREG(sa.st_mode));
    free(ra);
    free(rb);
    return same;
}

char *output_target(const char *path) { return orr_output_target(path); }

/* Why a file that is no directory cannot be written, or NULL. Of one that will be replaced *directory is where. */
static const char *obstacle(const char *path, char directory[PATH_SIZE])
{
    struct stat st;
    const int there = stat(path, &st) == 0;
    *directory = '\0';
    if (there && access(path, W_OK) != 0)
        return strerror(errno);
    if (there && !S_ISREG(st.st_mode)) /* a pipe or a device is not replaced */
        return NULL;
    char *target = orr_output_target(path);
    if (!target || (lstat(target, &st) != 0 && errno == ENAMETOOLONG)) {
        free(target);
        return strerror(errno);
    }
    directory_of(target, directory);
    free(target);
    return access(directory, W_OK | X_OK) != 0 ? strerror(errno) : NULL;
}

int output_check(const char *path)
{
    char directory[PATH_SIZE];
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        cli_say("%s: is a directory", path);
        return CLI_FILE;
    }
    const char *why = obstacle(path, directory);
    if (why)
        cli_say("%s: cannot be written: %s%s%s", path, directory, *directory ? ": " : "", why);
    return why ? CLI_FILE : CLI_OK;
}

int output_is_svg(const char *option, const char *path)
{
    const size_t n = strlen(path);
    if (!strcmp(path, "-") || (n > 4 && !strcasecmp(path + n - 4, ".svg")))
        return CLI_OK;
    cli_say("%s: '%s' does not end in .svg, the only kind of picture that is written here", option,
            path);
    return CLI_USAGE;
}

/* Other commands and options write what these say; a graph is not compressed. */
int output_is_graph(const char *option, const char *path)
{
    static const char *const others[] = {".svg",  ".html", ".htm", ".json", ".jsonl", ".csv",
                                         ".paje", ".dot",  ".npy", ".npz",  ".mtx",   ".gz"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t k = 0; dot && k < sizeof others / sizeof *others; k++)
        if (!strcasecmp(dot, others[k])) {
            cli_say("%s: a graph is no %s file: '%s' should end in .graph", option, others[k],
                    path);
            return CLI_USAGE;
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

int outputs_check_files(const char *const *names, int count, const cli_files *inputs)
{
    char *earlier[8];
    int n = 0, code = CLI_OK;
    for (int k = 0; k < count && code == CLI_OK; k++)
        if (names[k]) {
            code = check_name(names[k], earlier, n, inputs, inputs->n);
            earlier[n++] = (char *)names[k];
        }
    return code;
}

int output_text(const char *path, const cli_text *text)
{
    orr_output out;
    int error = orr_output_open(&out, path);
    if (!error) {
        errno = 0;
        if (text->n && fwrite(text->s, 1, text->n, out.file) != text->n)
            error = errno ? errno : EIO;
        const int closed = orr_output_close(&out);
        error = error ? error : closed;
    }
    if (error)
        cli_say("%s: cannot write: %s", strcmp(path, "-") ? path : "standard output",
                strerror(error));
    return error ? CLI_FILE : CLI_OK;
}
