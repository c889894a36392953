/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/json.h"
#include "src/cli/core/text.h"
#include "src/io/utf8.h"

enum { MOST_BYTES = 1 << 20 };

tree *tree_new(tree_kind kind, const char *key, const char *text, int line, int column)
{
    tree *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (tree){.kind = kind,
                .key = key ? strdup(key) : NULL,
                .text = text ? strdup(text) : NULL,
                .line = line,
                .column = column};
    if ((!key || t->key) && (!text || t->text))
        return t;
    tree_free(t);
    return NULL;
}

void tree_free(tree *t)
{
    while (t) {
        tree *next = t->next;
        tree_free(t->first);
        free(t->key);
        free(t->text);
        free(t);
        t = next;
    }
}

const tree *tree_member(const tree *map, const char *key)
{
    const tree *t = map && map->kind == TREE_MAP ? map->first : NULL;
    while (t && strcmp(t->key, key) != 0)
        t = t->next;
    return t;
}

static const char *name_of(const tree *t) { return t->key ? t->key : t->text ? t->text : ""; }

static int in_text(const tree *a, const tree *b)
{
    return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                              : (a->column > b->column) - (a->column < b->column);
}

static int by_name(const void *x, const void *y)
{
    const tree *a = *(const tree *const *)x, *b = *(const tree *const *)y;
    const int order = strcmp(name_of(a), name_of(b));
    return order ? order : in_text(a, b);
}

int tree_twice(const tree *t, const tree **first, const tree **second)
{
    size_t n = 0;
    for (const tree *e = t->first; e; e = e->next)
        n++;
    const tree **all = malloc((n + 1) * sizeof(const tree *));
    if (!all)
        return CLI_MEMORY;
    n = 0;
    for (const tree *e = t->first; e; e = e->next)
        all[n++] = e;
    qsort(all, n, sizeof(const tree *), by_name);
    *second = NULL;
    for (size_t k = 1; k < n; k++)
        if (!strcmp(name_of(all[k - 1]), name_of(all[k])) &&
            (!*second || in_text(all[k], *second) < 0)) {
            *first = all[k - 1];
            *second = all[k];
        }
    free(all);
    return *second ? CLI_FILE : CLI_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* A place in the text; it only moves on. */
struct place {
    const char *at;
    int line, column;
};

static void move_to(struct place *p, const char *at)
{
    for (; p->at < at && *p->at; p->at++) {
        p->column = *p->at == '\n' ? 1 : p->column + 1;
        p->line += *p->at == '\n';
    }
}

static struct place place_of(const char *text, size_t offset)
{
    struct place p = {text, 1, 1};
    move_to(&p, text + offset);
    return p;
}

/* The reader decodes in a copy of the text, so that places agree. p follows the values, which come in the order
 * of the text. */
static tree *from_json(const json_text *j, const json_value *v, const char *text, struct place *p)
{
    const char *at = v->key ? v->key : v->text;
    const tree_kind kind = v->kind == JSON_OBJECT  ? TREE_MAP
                           : v->kind == JSON_ARRAY ? TREE_LIST
                                                   : TREE_TEXT;
    char *word = kind == TREE_TEXT ? strndup(v->text, v->length) : NULL;
    move_to(p, text + (at - j->text));
    tree *t = kind != TREE_TEXT || word ? tree_new(kind, v->key, word, p->line, p->column) : NULL;
    free(word);
    tree **end = t ? &t->first : NULL;
    for (const json_value *e = v->first; e && end; e = e->next) {
        if (!(*end = from_json(j, e, text, p))) {
            tree_free(t);
            return NULL;
        }
        end = &(*end)->next;
    }
    return t;
}

static int read_json(tree **out, const char *path, const char *text)
{
    json_text j;
    const json_value *v = json_read(&j, text);
    struct place p = place_of(text, v || !j.column ? 0 : j.column - 1);
    int code = CLI_OK;
    if (v) {
        *out = from_json(&j, v, text, &p);
        code = *out ? CLI_OK : CLI_MEMORY;
    } else {
        cli_say("%s:%d:%d: %s", path, p.line, p.column, j.error);
        code = CLI_FILE;
    }
    json_free(&j);
    return code;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* A name twice within one map: which of both is meant? */
static int unique(const tree *t, const char *path)
{
    const tree *first, *second;
    int code = t->kind == TREE_MAP ? tree_twice(t, &first, &second) : CLI_OK;
    if (code == CLI_FILE)
        cli_say("%s:%d:%d: '%s' is here a second time, after line %d", path, second->line,
                second->column, second->key, first->line);
    for (const tree *e = t->first; e && code == CLI_OK; e = e->next)
        code = unique(e, path);
    return code;
}

const char *tree_file_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

/* NULL, or the whole file, which has no byte of zero; *code and the reason told. */
static char *slurp(const char *file, int *code)
{
    const char *path = tree_file_name(file);
    char *text = malloc(MOST_BYTES + 1);
    const char *bad = text;
    errno = 0;
    FILE *f = strcmp(file, "-") ? fopen(file, "r") : stdin;
    const size_t n = f && text ? fread(text, 1, MOST_BYTES + 1, f) : 0;
    *code = CLI_FILE;
    if (!text)
        *code = CLI_MEMORY;
    else if (!f || ferror(f))
        cli_say("%s: cannot %s: %s", path, f ? "read" : "open", strerror(errno));
    else if (n > MOST_BYTES)
        cli_say("%s: longer than 1 MiB: no plan", path);
    else {
        text[n] = '\0';
        for (size_t k; *bad && (k = orr_utf8_length(bad)) > 0;)
            bad += k;
        const struct place p = place_of(text, (size_t)(bad - text));
        if (*bad)
            cli_say("%s:%d:%d: no text in UTF-8", path, p.line, p.column);
        else if (bad < text + n)
            cli_say("%s:%d:%d: a byte of zero: no plan", path, p.line, p.column);
        else
            *code = CLI_OK;
    }
    if (f && f != stdin)
        fclose(f);
    if (*code == CLI_OK)
        return text;
    free(text);
    return NULL;
}

int tree_read(tree **out, const char *file)
{
    const char *path = tree_file_name(file);
    int code;
    *out = NULL;
    char *text = slurp(file, &code);
    if (!text)
        return code;
    code = text[strspn(text, " \t\r\n")] == '{' ? read_json(out, path, text)
                                                : tree_yaml(out, path, text);
    free(text);
    if (code == CLI_OK && (code = unique(*out, path)) != CLI_OK) {
        tree_free(*out);
        *out = NULL;
    }
    return code;
}
