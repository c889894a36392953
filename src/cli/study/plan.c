/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/plan.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/options.h"
#include "src/cli/study/looks.h"
#include "src/cli/study/points.h"
#include "src/cli/study/values.h"

#define KEYS                                                                                       \
    "study|name|question|run|prepare|factors|blocks|seed|measure|pattern|timeout|env|files|compare|spread|exact|looks|published"
#define COMPARE_KEYS "factor|baseline|margin"
#define RESERVED     "record|dir|store|seed|block|orrery"

/* ---- Factors -------------------------------------------------------------------------------- */

static int is_name(const char *s)
{
    return isalpha((unsigned char)*s) &&
           !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

static int add_value(struct plan_reader *r, study_factor *f, const tree *e, const char *label)
{
    study_words words = {0};
    if (e->kind != TREE_TEXT)
        return value_wrong(r, e, "a value of '%s' is no text", f->name);
    if (!*label)
        return value_wrong(r, e, "a value of '%s' is empty; 'NAME: \"\"' gives it a name", f->name);
    const int good = words_split(&words, e->text);
    words_free(&words);
    if (!good)
        return value_wrong(r, e, "a quote that does not end");
    if (good < 0 || !words_add(&f->label, label) || !words_add(&f->value, e->text))
        return value_no_memory(r);
    return 1;
}

static int factor_of(struct plan_reader *r, const tree *t)
{
    if (r->p->factors == STUDY_FACTORS)
        return value_wrong(r, t, "more than %d factors", STUDY_FACTORS);
    if (!is_name(t->key))
        return value_wrong(
            r, t, "'%.80s': names of factors are letters, digits, - and _, a letter first", t->key);
    if (cli_word_index(t->key, RESERVED) >= 0)
        return value_wrong(r, t, "'%s' cannot be a factor: {%s} has a meaning of its own", t->key,
                           t->key);
    study_factor *f = &r->p->factor[r->p->factors++];
    f->line = t->line;
    f->column = t->column;
    f->split = t->kind == TREE_MAP;
    f->value.line = t->line;
    f->value.column = t->column;
    if (!(f->name = strdup(t->key)))
        return value_no_memory(r);
    if (t->kind == TREE_TEXT)
        return add_value(r, f, t, t->text);
    for (const tree *e = t->first; e; e = e->next)
        if (!add_value(r, f, e, t->kind == TREE_MAP ? e->key : e->text ? e->text : ""))
            return 0;
    if (!f->label.n)
        return value_wrong(r, t, "'%s' has no values", t->key);
    const tree *first, *second;
    const int twice = t->kind == TREE_LIST ? tree_twice(t, &first, &second) : CLI_OK;
    return twice == CLI_OK ? 1
           : twice == CLI_FILE
               ? value_wrong(r, second, "'%s' has the value '%.80s' twice", f->name, second->text)
               : value_no_memory(r);
}

static int factors_of(struct plan_reader *r, const tree *t)
{
    if (t->kind != TREE_MAP || !t->first)
        return value_wrong(r, t, "'factors' must have lines NAME: [VALUE, ...]");
    for (const tree *e = t->first; e; e = e->next)
        if (!factor_of(r, e))
            return 0;
    return 1;
}

static int index_of(const study_words *w, const char *text)
{
    for (int k = 0; k < w->n; k++)
        if (!strcmp(w->v[k], text))
            return k;
    return -1;
}

static int compare_of(struct plan_reader *r, const tree *t)
{
    study_plan *p = r->p;
    const tree *factor = tree_member(t, "factor"), *baseline = tree_member(t, "baseline"),
               *margin = tree_member(t, "margin");
    if (t->kind != TREE_MAP)
        return value_wrong(r, t, "'compare' must have lines factor, baseline, margin");
    if (!value_known(r, t, COMPARE_KEYS))
        return 0;
    if (!factor || factor->kind != TREE_TEXT)
        return value_wrong(r, factor ? factor : t, "'compare' needs the name of a factor");
    for (int k = 0; k < p->factors; k++)
        if (!strcmp(p->factor[k].name, factor->text))
            p->compare = k;
    if (p->compare < 0)
        return value_wrong(r, factor, "there is no factor '%.80s'", factor->text);
    if (p->factor[p->compare].label.n < 2)
        return value_wrong(r, factor, "'%s' has one value only: nothing to compare", factor->text);
    if (baseline && (baseline->kind != TREE_TEXT ||
                     (p->baseline = index_of(&p->factor[p->compare].label, baseline->text)) < 0))
        return value_wrong(r, baseline, "'%.80s' is no value of '%s'",
                           baseline->text ? baseline->text : "", factor->text);
    return !margin || value_real(r, margin, 1, 0, 0.99, &p->margin);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static int version_of(struct plan_reader *r, const tree *root)
{
    const tree *t = tree_member(root, "study");
    if (t && t->kind == TREE_TEXT && !strcmp(t->text, "1"))
        return 1;
    return value_wrong(r, t ? t : root,
                       t ? "'study' must be 1: the version of plans that this orrery reads"
                         : "no plan of a study: it has no 'study: 1'");
}

static int env_of(struct plan_reader *r, const tree *t)
{
    if (t->kind != TREE_MAP)
        return value_wrong(r, t, "'env' must have lines NAME: VALUE");
    for (const tree *e = t->first; e; e = e->next) {
        const size_t room = strlen(e->key) + (e->text ? strlen(e->text) : 0) + 2;
        if (e->kind != TREE_TEXT || !*e->key || strchr(e->key, '='))
            return value_wrong(r, e, "'env' must have lines NAME: VALUE");
        char *line = malloc(room);
        if (line)
            snprintf(line, room, "%s=%s", e->key, e->text);
        const int good = line && words_add(&r->p->env, line);
        free(line);
        if (!good)
            return value_no_memory(r);
    }
    return 1;
}

static int exact_of(struct plan_reader *r, const tree *t)
{
    const int yes = t->kind == TREE_TEXT && !strcmp(t->text, "true"),
              no = t->kind == TREE_TEXT && !strcmp(t->text, "false");
    r->p->exact = yes;
    return yes || no || value_wrong(r, t, "'exact' must be true or false");
}

static int name_of(struct plan_reader *r, const tree *t)
{
    const int good = t->kind == TREE_TEXT && strlen(t->text) <= 100 && is_name(t->text);
    return good ? value_text(r, t, &r->p->name)
                : value_wrong(r, t, "'name' must be letters, digits, - and _, a letter first");
}

static int pattern_of(struct plan_reader *r, const tree *t)
{
    regex_t compiled;
    char why[200];
    if (!value_text(r, t, &r->p->pattern))
        return 0;
    const int error = regcomp(&compiled, r->p->pattern, REG_EXTENDED | REG_NEWLINE);
    if (error) {
        regerror(error, &compiled, why, sizeof why);
        return value_wrong(r, t, "'pattern': %s", why);
    }
    const size_t groups = compiled.re_nsub;
    regfree(&compiled);
    return groups ? 1 : value_wrong(r, t, "'pattern' needs a group, (...), around the number");
}

static void read_members(struct plan_reader *r, const tree *root)
{
    study_plan *p = r->p;
    int64_t whole;
    for (const tree *t = root->first; t && r->code == CLI_OK; t = t->next) {
        if (!strcmp(t->key, "name"))
            name_of(r, t);
        else if (!strcmp(t->key, "question"))
            value_text(r, t, &p->question);
        else if (!strcmp(t->key, "run"))
            value_words(r, t, 0, &p->run);
        else if (!strcmp(t->key, "prepare"))
            value_words(r, t, 0, &p->prepare);
        else if (!strcmp(t->key, "files"))
            value_words(r, t, 1, &p->files);
        else if (!strcmp(t->key, "factors"))
            factors_of(r, t);
        else if (!strcmp(t->key, "blocks") && value_whole(r, t, 1, STUDY_BLOCKS, &whole))
            p->blocks = (int)whole;
        else if (!strcmp(t->key, "seed") && value_whole(r, t, 0, INT32_MAX, &whole))
            p->seed = (uint64_t)whole;
        else if (!strcmp(t->key, "measure"))
            value_text(r, t, &p->measure);
        else if (!strcmp(t->key, "pattern"))
            pattern_of(r, t);
        else if (!strcmp(t->key, "timeout"))
            value_real(r, t, 0, 0.1, 1e7, &p->timeout);
        else if (!strcmp(t->key, "env"))
            env_of(r, t);
        else if (!strcmp(t->key, "exact"))
            exact_of(r, t);
        else if (!strcmp(t->key, "spread"))
            value_real(r, t, 1, 0.0001, 2, &p->spread);
    }
    const tree *compare = tree_member(root, "compare"), *published = tree_member(root, "published");
    const tree *looks = tree_member(root, "looks");
    if (compare && r->code == CLI_OK)
        compare_of(r, compare);
    if (published && r->code == CLI_OK)
        plan_published(r, published);
    if (looks && r->code == CLI_OK)
        looks_read(r, looks);
}

static void check_whole(struct plan_reader *r, const tree *root)
{
    study_plan *p = r->p;
    const char *missing = !p->name ? "name" : !p->run.n ? "run" : !p->factors ? "factors" : NULL;
    if (missing) {
        value_wrong(r, root, "'%s' is missing", missing);
        return;
    }
    double runs = p->blocks;
    for (int k = 0; k < p->factors; k++)
        runs *= p->factor[k].label.n;
    if (runs > STUDY_RUNS)
        value_wrong(r, root, "%.0f runs; %d at most", runs, STUDY_RUNS);
    else
        r->code = points_check(p);
}

int plan_read(study_plan *p, const char *path)
{
    struct plan_reader r = {p, CLI_OK};
    tree *root;
    *p = (study_plan){.path = tree_file_name(path),
                      .seed = 1,
                      .blocks = 12,
                      .timeout = 600,
                      .compare = -1,
                      .baseline = -1,
                      .margin = 0.02,
                      .spread = NAN};
    r.code = tree_read(&root, path);
    if (r.code != CLI_OK)
        return r.code;
    if (root->kind != TREE_MAP)
        value_wrong(&r, root, "no plan of a study: it has no 'study: 1'");
    else if (version_of(&r, root) && value_known(&r, root, KEYS))
        read_members(&r, root);
    if (r.code == CLI_OK)
        check_whole(&r, root);
    tree_free(root);
    if (r.code != CLI_OK)
        plan_free(p);
    return r.code;
}

void plan_free(study_plan *p)
{
    for (int k = 0; k < p->factors; k++) {
        free(p->factor[k].name);
        words_free(&p->factor[k].label);
        words_free(&p->factor[k].value);
    }
    study_words *const lists[] = {&p->run, &p->prepare, &p->files, &p->env};
    for (int k = 0; k < 4; k++)
        words_free(lists[k]);
    free(p->name);
    free(p->question);
    free(p->measure);
    free(p->pattern);
    for (int k = 0; k < p->published_n; k++)
        free(p->published[k].source);
    free(p->published);
    *p = (study_plan){0};
}
