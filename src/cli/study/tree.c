/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/json.h"
#include "src/cli/core/text.h"

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

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The reader decodes in a copy of the text, so that places agree. */
static void place(const char *text, size_t offset, int *line, int *column)
{
    *line = *column = 1;
    for (size_t k = 0; k < offset && text[k]; k++) {
        *column = text[k] == '\n' ? 1 : *column + 1;
        *line += text[k] == '\n';
    }
}

static tree *from_json(const json_text *j, const json_value *v, const char *text)
{
    const char *at = v->key ? v->key : v->text;
    const tree_kind kind = v->kind == JSON_OBJECT  ? TREE_MAP
                           : v->kind == JSON_ARRAY ? TREE_LIST
                                                   : TREE_TEXT;
    char *word = kind == TREE_TEXT ? strndup(v->text, v->length) : NULL;
    int line, column;
    place(text, (size_t)(at - j->text), &line, &column);
    tree *t = kind != TREE_TEXT || word ? tree_new(kind, v->key, word, line, column) : NULL;
    free(word);
    tree **end = t ? &t->first : NULL;
    for (const json_value *e = v->first; e && end; e = e->next) {
        if (!(*end = from_json(j, e, text))) {
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
    int code = CLI_OK, line, column;
    if (v) {
        *out = from_json(&j, v, text);
        code = *out ? CLI_OK : CLI_MEMORY;
    } else {
        place(text, j.column ? j.column - 1 : 0, &line, &column);
        cli_say("%s:%d:%d: %s", path, line, column, j.error);
        code = CLI_FILE;
    }
    json_free(&j);
    return code;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* A name twice within one map: which of both is meant? */
static int unique(const tree *t, const char *path)
{
    for (const tree *e = t->first; e; e = e->next) {
        for (const tree *f = t->first; f != e && t->kind == TREE_MAP; f = f->next)
            if (!strcmp(e->key, f->key)) {
                cli_say("%s:%d:%d: '%s' is here a second time, after line %d", path, e->line,
                        e->column, e->key, f->line);
                return 0;
            }
        if (!unique(e, path))
            return 0;
    }
    return 1;
}

/* NULL, or the whole file, which has no byte of zero; *code and the reason told. */
static char *slurp(const char *path, int *code)
{
    char *text = malloc(MOST_BYTES + 1);
    const char *bad = text;
    int line, column;
    errno = 0;
    FILE *f = fopen(path, "r");
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
        for (size_t k; *bad && (k = cli_utf8_length(bad)) > 0;)
            bad += k;
        place(text, (size_t)(bad - text), &line, &column);
        if (*bad)
            cli_say("%s:%d:%d: no text in UTF-8", path, line, column);
        else if (bad < text + n)
            cli_say("%s:%d:%d: a byte of zero: no plan", path, line, column);
        else
            *code = CLI_OK;
    }
    if (f)
        fclose(f);
    if (*code == CLI_OK)
        return text;
    free(text);
    return NULL;
}

int tree_read(tree **out, const char *path)
{
    int code;
    *out = NULL;
    char *text = slurp(path, &code);
    if (!text)
        return code;
    code = text[strspn(text, " \t\r\n")] == '{' ? read_json(out, path, text)
                                                : tree_yaml(out, path, text);
    free(text);
    if (code == CLI_OK && !unique(*out, path)) {
        tree_free(*out);
        *out = NULL;
        code = CLI_FILE;
    }
    return code;
}
