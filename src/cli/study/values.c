/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/values.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/options.h"

/* ---- Words ---------------------------------------------------------------------------------- */

int words_add(study_words *w, const char *text)
{
    char **more = realloc(w->v, ((size_t)w->n + 1) * sizeof *more);
    if (more)
        w->v = more;
    if (!more || !(w->v[w->n] = strdup(text)))
        return 0;
    w->n++;
    return 1;
}

void words_free(study_words *w)
{
    for (int k = 0; k < w->n; k++)
        free(w->v[k]);
    free(w->v);
    *w = (study_words){0};
}

int words_split(study_words *w, const char *text)
{
    char *word = malloc(strlen(text) + 1);
    int good = word != NULL ? 1 : -1;
    while (good == 1 && *(text += strspn(text, " \t\n"))) {
        size_t n = 0;
        for (char quote = 0; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else
                word[n++] = *text;
            if (quote && !text[1])
                good = 0;
        }
        word[n] = '\0';
        if (good == 1 && !words_add(w, word))
            good = -1;
    }
    free(word);
    return good;
}

/* ---- What is wrong -------------------------------------------------------------------------- */

int value_wrong(struct plan_reader *r, const tree *t, const char *format, ...)
{
    char why[512];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    if (r->code == CLI_OK)
        cli_say("%s:%d:%d: %s", r->p->path, t->line, t->column, why);
    r->code = CLI_FILE;
    return 0;
}

int value_no_memory(struct plan_reader *r)
{
    r->code = CLI_MEMORY;
    return 0;
}

int value_known(struct plan_reader *r, const tree *map, const char *keys)
{
    cli_guess_text guess;
    for (const tree *t = map->first; t; t = t->next)
        if (cli_word_index(t->key, keys) < 0)
            return value_wrong(r, t, "'%.80s' is none of %s%s", t->key, keys,
                               cli_guess(t->key, keys, guess));
    return 1;
}

/* ---- Values --------------------------------------------------------------------------------- */

int value_text(struct plan_reader *r, const tree *t, char **out)
{
    if (t->kind != TREE_TEXT || !*t->text)
        return value_wrong(r, t, "'%s' must be a text", t->key);
    return (*out = strdup(t->text)) ? 1 : value_no_memory(r);
}

int value_real(struct plan_reader *r, const tree *t, int share, double min, double max, double *out)
{
    char *end = NULL;
    const char *first = t->kind == TREE_TEXT ? t->text : "";
    const double x = isdigit((unsigned char)*first) || *first == '.' ? strtod(first, &end) : NAN;
    const int percent = end && share && *end == '%';
    *out = percent ? x / 100 : x;
    if (end && !end[percent] && *out >= min && *out <= max)
        return 1;
    return value_wrong(r, t, "'%s' must be a number from %g to %g%s", t->key, min, max,
                       share ? ", or a share such as 2%" : "");
}

int value_whole(struct plan_reader *r, const tree *t, int64_t min, int64_t max, int64_t *out)
{
    if (t->kind == TREE_TEXT && isdigit((unsigned char)*t->text) && cli_number(t->text, out) &&
        *out >= min && *out <= max)
        return 1;
    return value_wrong(r, t, "'%s' must be a whole number from %lld to %lld", t->key,
                       (long long)min, (long long)max);
}

int value_words(struct plan_reader *r, const tree *t, int one, study_words *out)
{
    int good = 1;
    out->line = t->line;
    out->column = t->column;
    if (t->kind == TREE_TEXT && !one)
        good = words_split(out, t->text);
    else if (t->kind == TREE_TEXT)
        good = words_add(out, t->text) ? 1 : -1;
    for (const tree *e = t->first; e && good == 1 && t->kind == TREE_LIST; e = e->next) {
        if (e->kind != TREE_TEXT)
            return value_wrong(r, e, "'%s' has an element that is no text", t->key);
        good = words_add(out, e->text) ? 1 : -1;
    }
    if (good < 0)
        return value_no_memory(r);
    if (!good)
        return value_wrong(r, t, "'%s' has a quote that does not end", t->key);
    return out->n && *out->v[0]
               ? 1
               : value_wrong(r, t, "'%s' must be a text or a list of texts", t->key);
}
