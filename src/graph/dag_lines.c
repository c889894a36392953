/* See dag_lines.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/graph/dag_lines.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int orr_dag_tell(const char *path, size_t number, const char *what)
{
    char line[5000], in[32] = "";
    if (number)
        snprintf(in, sizeof in, ":%zu", number);
    snprintf(line, sizeof line, "orrery: %s%s: %s", path, in, what);
    for (char *c = line; *c; c++) /* a name may hold anything */
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "%s\n", line);
    return 3;
}

int orr_dag_wrong(const struct orr_dag_lines *r, const char *format, ...)
{
    char what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return orr_dag_tell(r->path, r->number, what);
}

/* Appends to the line what is left of it, as far as there is room. 0: nothing came. */
static int more(struct orr_dag_lines *r, size_t *n)
{
    if (*n + 1 >= r->room) {
        const size_t room = r->room ? 2 * r->room : 4096;
        char *line = room <= INT_MAX ? realloc(r->line, room) : NULL;
        if (!line)
            return 0;
        r->line = line;
        r->room = room;
    }
    const z_off_t before = gztell(r->file);
    if (!gzgets(r->file, r->line + *n, (int)(r->room - *n)))
        return 0;
    *n += (size_t)(gztell(r->file) - before);
    return 1;
}

int orr_dag_next(struct orr_dag_lines *r)
{
    size_t n = 0;
    int error;
    r->number++;
    while (more(r, &n) && r->line[n - 1] != '\n')
        ;
    const char *why = gzerror(r->file, &error);
    if (error == Z_DATA_ERROR || error == Z_BUF_ERROR)
        return orr_dag_wrong(r, "the compressed file is damaged (%s)", why);
    if (error == Z_ERRNO)
        return orr_dag_wrong(r, "cannot be read: %s", strerror(errno));
    if (n == 0)
        return orr_dag_wrong(r, "the file ends too early");
    if (r->line[n - 1] != '\n')
        return orr_dag_wrong(r, "the file ends in the middle of a line");
    if (strlen(r->line) != n)
        return orr_dag_wrong(r, "a byte that is zero");
    r->line[n > 1 && r->line[n - 2] == '\r' ? n - 2 : n - 1] = '\0';
    return 0;
}

int orr_dag_end(struct orr_dag_lines *r)
{
    char rest[4096];
    int error = Z_OK;
    while (!gzdirect(r->file) && gzread(r->file, rest, sizeof rest) > 0)
        ;
    const char *why = gzerror(r->file, &error);
    return error == Z_OK ? 0 : orr_dag_wrong(r, "the compressed file is damaged (%s)", why);
}

char *orr_dag_word(char **at)
{
    char *w = *at ? *at + strspn(*at, " ") : NULL;
    if (!w || !*w)
        return NULL;
    *at = w + strcspn(w, " ");
    if (**at)
        *(*at)++ = '\0';
    return w;
}

int orr_dag_integer(const char *s, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    errno = 0;
    const long long x = strtoll(s, &end, 10);
    *out = x;
    return end != s && !*end && !errno && x >= least && x <= most;
}

int orr_dag_real(const char *s, double *out)
{
    char *end;
    *out = strtod(s, &end);
    return end != s && !*end && !strpbrk(s, "xX");
}
