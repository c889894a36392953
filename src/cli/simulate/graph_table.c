/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"

static int wrong(const table *t, const char *what)
{
    cli_say("%s:%zu: %s", t->path, t->line, what);
    return -1;
}

/* A line without its end at t->text + at; 1, 0 at the end of the file, -1, -2. */
static int read_line(table *t, size_t at)
{
    size_t n = at;
    for (;;) {
        if (t->room - n < 2) {
            char *more = realloc(t->text, 2 * t->room + 4096);
            if (!more)
                return -2;
            t->text = more;
            t->room = 2 * t->room + 4096;
        }
        const int most = t->room - n > 1 << 20 ? 1 << 20 : (int)(t->room - n);
        if (!gzgets(t->file, t->text + n, most)) {
            int error;
            const char *why = gzerror(t->file, &error);
            t->line += n > at || error;
            if (error != Z_OK && error != Z_STREAM_END)
                return wrong(t, error == Z_BUF_ERROR ? "the compressed file ends too early" : why);
            return n == at ? 0 : wrong(t, "the file ends in the middle of a line");
        }
        n += strlen(t->text + n);
        if (n > at && t->text[n - 1] == '\n')
            break;
        if (n == at)
            return t->line++, wrong(t, "a byte that is zero");
    }
    t->line++;
    n -= n > at + 1 && t->text[n - 2] == '\r' ? 2 : 1;
    t->text[n] = '\0';
    return 1;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Cuts a line into fields; how many, or -1. */
static int cut(const table *t, char *s, char **field)
{
    int n = 0;
    for (;;) {
        if (n == TABLE_COLUMNS)
            return wrong(t, "too many columns");
        s += strspn(s, " ");
        field[n] = s;
        if (*s == '"') {
            char *out = s++;
            field[n] = out;
            for (; *s && (*s != '"' || s[1] == '"'); s++) {
                s += *s == '"';
                *out++ = *s;
            }
            if (!*s)
                return wrong(t, "a quote that does not end");
            s++;
            const char end = *s;
            *out = '\0';
            if (end && end != ',')
                return wrong(t, "something follows a quote");
            n++;
            if (!end)
                return n;
            s++;
            continue;
        }
        n++;
        s += strcspn(s, ",");
        if (!*s)
            return n;
        *s++ = '\0';
    }
}

static int next_csv(table *t)
{
    char what[80];
    const int got = read_line(t, 0);
    if (got <= 0)
        return got;
    const int n = cut(t, t->text, t->value);
    if (n < 0)
        return -1;
    if (n != t->columns) {
        snprintf(what, sizeof what, "%d column%s, but the head has %d", n, cli_plural(n),
                 t->columns);
        return wrong(t, what);
    }
    t->row = t->line;
    return 1;
}

/* ---- recutils ---------------------------------------------------------------------------------- */

static int next_rec(table *t)
{
    size_t at = 0, begin[TABLE_COLUMNS];
    int got, n = 0;
    while ((got = read_line(t, at)) > 0) {
        const char *s = t->text + at;
        if (*s == '%' || *s == '#')
            continue;
        if (!*s && n)
            break;
        if (!*s)
            continue;
        if (!strchr(s, ':'))
            return wrong(t, "expected: KEY: VALUE");
        if (n == TABLE_COLUMNS)
            return wrong(t, "too many lines in a record");
        if (!n)
            t->row = t->line;
        begin[n++] = at;
        at += strlen(s) + 1;
    }
    if (got < 0 || !n)
        return got < 0 ? got : 0;
    for (int k = 0; k < n; k++) {
        t->key[k] = t->text + begin[k];
        t->value[k] = strchr(t->key[k], ':');
        *t->value[k]++ = '\0';
        t->value[k] += strspn(t->value[k], " \t");
    }
    t->columns = n;
    return 1;
}

/* ---- Both ------------------------------------------------------------------------------------------ */

int table_next(table *t) { return t->recutils ? next_rec(t) : next_csv(t); }

const char *table_get(const table *t, const char *key)
{
    for (int k = 0; k < t->columns; k++)
        if (!strcmp(t->key[k], key))
            return strcmp(t->value[k], "NA") ? t->value[k] : ""; /* as R writes what is missing */
    return "";
}

int table_has(const table *t, const char *key)
{
    for (int k = 0; !t->recutils && k < t->columns; k++)
        if (!strcmp(t->key[k], key))
            return 1;
    return 0;
}

int table_wrong(const table *t, const char *what, const char *value)
{
    cli_say("%s:%zu: %s%s%.60s%s", t->path, t->row, what, value ? ": '" : "", value ? value : "",
            value ? "'" : "");
    return CLI_FILE;
}

/* recutils if the first line that is not empty or about the file has no comma before its colon. */
static int is_rec(const char *line)
{
    const size_t n = strcspn(line, ":,");
    return *line == '%' || *line == '#' || line[n] == ':';
}

int table_open(table *t, const char *path)
{
    *t = (table){.path = path};
    errno = 0;
    t->file = gzopen(path, "rb");
    if (!t->file) {
        cli_say("%s: cannot open: %s", path, errno ? strerror(errno) : "not enough memory");
        return errno ? CLI_FILE : CLI_MEMORY;
    }
    int got;
    do
        got = read_line(t, 0);
    while (got > 0 && !*t->text);
    if (got <= 0) {
        if (got == 0)
            cli_say("%s: the file is empty", path);
        table_close(t);
        return got == -2 ? CLI_MEMORY : CLI_FILE;
    }
    t->recutils = is_rec(t->text);
    if (t->recutils) {
        t->line = 0;
        gzrewind(t->file);
        return CLI_OK;
    }
    t->head = strdup(t->text);
    t->columns = t->head ? cut(t, t->head, t->key) : 0;
    if (t->columns > 0)
        return CLI_OK;
    const int code = t->head ? CLI_FILE : CLI_MEMORY;
    table_close(t);
    return code;
}

void table_close(table *t)
{
    if (t->file)
        gzclose(t->file);
    free(t->text);
    free(t->head);
    *t = (table){.file = NULL};
}
