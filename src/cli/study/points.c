/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/points.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/study/identity.h"

int points_count(const study_plan *p)
{
    int n = 1;
    for (int k = 0; k < p->factors; k++)
        n *= p->factor[k].label.n;
    return n;
}

void points_at(const study_plan *p, int point, int at[STUDY_FACTORS])
{
    for (int k = p->factors - 1; k >= 0; k--) {
        at[k] = point % p->factor[k].label.n;
        point /= p->factor[k].label.n;
    }
}

int points_find(const study_plan *p, const int at[STUDY_FACTORS])
{
    int point = 0;
    for (int k = 0; k < p->factors; k++)
        point = point * p->factor[k].label.n + at[k];
    return point;
}

void points_label(cli_text *t, const study_plan *p, int point, int but)
{
    int at[STUDY_FACTORS];
    const size_t begin = t->n;
    points_at(p, point, at);
    for (int k = 0; k < p->factors; k++)
        if (k != but)
            cli_put(t, "%s%s=%s", t->n > begin ? " " : "", p->factor[k].name,
                    p->factor[k].label.v[at[k]]);
}

/* ---- Placeholders --------------------------------------------------------------------------- */

/* The name in {...} at s, its length; 0: there is none. */
static size_t placeholder(const char *s)
{
    const size_t n = *s == '{' ? strcspn(s + 1, "{}") : 0;
    return n && s[1 + n] == '}' ? n : 0;
}

static int is(const char *name, size_t n, const char *what)
{
    return strlen(what) == n && !strncmp(name, what, n);
}

static int factor_named(const study_plan *p, const char *name, size_t n)
{
    for (int k = 0; k < p->factors; k++)
        if (is(name, n, p->factor[k].name))
            return k;
    return -1;
}

static void put_place(cli_text *t, const study_plan *p, const char *name, size_t n,
                      const points_place *where)
{
    char own[IDENTITY_PATH];
    if (is(name, n, "orrery"))
        cli_put(t, "%s", program_find(p, "orrery", own) ? own : "orrery");
    else if (is(name, n, "block"))
        cli_put(t, "%d", where->block);
    else if (is(name, n, "seed"))
        cli_put(t, "%llu", (unsigned long long)p->seed + (unsigned long long)where->block);
    else
        cli_put(t, "%s",
                is(name, n, "dir")      ? where->dir
                : is(name, n, "record") ? where->record
                                        : where->store);
}

static void put_word(cli_text *t, const study_plan *p, const char *word, const int *at,
                     const points_place *where)
{
    cli_put(t, "%s", "");
    for (size_t n; *word; word++) {
        if ((*word == '{' || *word == '}') && word[1] == *word) {
            cli_put(t, "%c", *word++);
        } else if ((n = placeholder(word)) > 0) {
            const int k = factor_named(p, word + 1, n);
            if (k >= 0)
                cli_put(t, "%s", p->factor[k].value.v[at[k]]);
            else
                put_place(t, p, word + 1, n, where);
            word += n + 1;
        } else {
            cli_put(t, "%c", *word);
        }
    }
}

/* {factor} alone, of a factor whose values are words for a command: which, or -1. */
static int whole_factor(const study_plan *p, const char *word)
{
    const size_t n = placeholder(word);
    const int k = n && !word[n + 2] ? factor_named(p, word + 1, n) : -1;
    return k >= 0 && p->factor[k].split ? k : -1;
}

static int add_word(const study_plan *p, const char *word, const int *at, const points_place *where,
                    study_words *out)
{
    cli_text t = {0};
    put_word(&t, p, word, at, where);
    const int good = !t.failed && words_add(out, t.s);
    cli_text_free(&t);
    return good;
}

int points_words(const study_plan *p, const study_words *words, int point,
                 const points_place *where, study_words *out)
{
    int at[STUDY_FACTORS], good = 1;
    points_at(p, point, at);
    for (int i = 0; i < words->n && good; i++) {
        const int k = whole_factor(p, words->v[i]);
        study_words own = {0};
        if (k < 0) {
            good = add_word(p, words->v[i], at, where, out);
            continue;
        }
        good = words_split(&own, p->factor[k].value.v[at[k]]) == 1;
        for (int j = 0; j < own.n && good; j++)
            good = add_word(p, own.v[j], at, where, out);
        words_free(&own);
    }
    return good;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static int refuse(const study_plan *p, int line, int column, const char *why, const char *what)
{
    cli_say("%s:%d:%d: %s%.200s", p->path, line, column, why, what);
    return CLI_FILE;
}

/* The first `owns` of own[] mean something in these words. */
static int known_places(const study_plan *p, const study_words *words, size_t owns)
{
    static const char *const own[] = {"orrery", "store", "dir", "record", "seed", "block"};
    for (int i = 0; i < words->n; i++)
        for (const char *s = words->v[i]; *s; s++) {
            if ((*s == '{' || *s == '}') && s[1] == *s) {
                s++;
                continue;
            }
            const size_t n = placeholder(s);
            int good = n && factor_named(p, s + 1, n) >= 0;
            for (size_t k = 0; k < owns; k++)
                good |= n && is(s + 1, n, own[k]);
            if ((*s == '{' || *s == '}') && !good)
                return refuse(
                    p, words->line, words->column,
                    owns > 2
                        ? "neither a factor nor {dir}, {record}, {store}, {seed}, {block} or {orrery} (a "
                          "brace itself is written twice): "
                        : "no factor that means something here (a brace itself is written twice): ",
                    s);
            s += good ? n + 1 : 0;
        }
    return CLI_OK;
}

static int has(const study_words *words, const char *name)
{
    char braced[160];
    snprintf(braced, sizeof braced, "{%s}", name);
    for (int i = 0; i < words->n; i++)
        if (strstr(words->v[i], braced))
            return 1;
    return 0;
}

/* The run, or what may stand in it for a factor. */
static int uses(const study_plan *p, const char *name)
{
    for (int k = 0; k < p->factors; k++)
        if (p->factor[k].split && has(&p->factor[k].value, name))
            return 1;
    return has(&p->run, name);
}

int points_of_runner(const char *measure)
{
    return !strcmp(measure, "wall") || !strcmp(measure, "cpu_joules") ||
           !strcmp(measure, "gpu_joules");
}

static int choose_measure(study_plan *p)
{
    const int record = uses(p, "record");
    if (p->pattern && p->measure)
        return refuse(p, 1, 1, "'measure' and 'pattern': only one can be", "");
    if (p->measure && !points_of_runner(p->measure) && !record)
        return refuse(p, p->run.line, p->run.column, "the run writes no {record}, so it has no ",
                      p->measure);
    if (!p->measure && !(p->measure = strdup(p->pattern ? "pattern"
                                             : record   ? "seconds.median"
                                                        : "wall")))
        return CLI_MEMORY;
    return CLI_OK;
}

int points_check(study_plan *p)
{
    int code = known_places(p, &p->run, 6);
    for (int k = 0; k < p->factors && code == CLI_OK; k++)
        if (p->factor[k].split)
            code = known_places(p, &p->factor[k].value, 6);
    if (code == CLI_OK)
        code = known_places(p, &p->prepare, 2);
    if (code == CLI_OK)
        code = known_places(p, &p->files, 0);
    for (int k = 0; k < p->factors && code == CLI_OK; k++)
        if (!uses(p, p->factor[k].name))
            code = refuse(p, p->factor[k].line, p->factor[k].column,
                          "'run' does not depend on this factor: ", p->factor[k].name);
    return code == CLI_OK ? choose_measure(p) : code;
}

/* That of the run or of `prepare`, which need not have one at every point. */
static int check_program(const study_plan *p, const study_words *command, int point)
{
    const points_place nowhere = {"", "", "", 0};
    study_words words = {0};
    char path[IDENTITY_PATH];
    int code = points_words(p, command, point, &nowhere, &words) ? CLI_OK : CLI_MEMORY;
    if (code == CLI_OK && !words.n && command == &p->run)
        code =
            refuse(p, command->line, command->column, "'run' has no word in one of the points", "");
    if (code == CLI_OK && words.n && !program_find(p, words.v[0], path))
        code =
            refuse(p, command->line, command->column, "no program that can be run: ", words.v[0]);
    words_free(&words);
    return code;
}

/* A program may depend on a factor; only the first word matters. */
static int check_programs(const study_plan *p, const study_words *command)
{
    const int points = !command->n ? 0 : strchr(command->v[0], '{') ? points_count(p) : 1;
    int code = CLI_OK;
    for (int k = 0; k < points && code == CLI_OK; k++)
        code = check_program(p, command, k);
    return code;
}

int points_programs(const study_plan *p)
{
    const int code = check_programs(p, &p->run);
    return code == CLI_OK ? check_programs(p, &p->prepare) : code;
}

/* ---- Order ---------------------------------------------------------------------------------- */

/* G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void points_order(const study_plan *p, int block, int *order)
{
    const int n = points_count(p);
    uint64_t state = p->seed;
    state = next(&state) + (uint64_t)block;
    for (int k = 0; k < n; k++)
        order[k] = k;
    for (int k = n - 1; k > 0; k--) {
        const int j = (int)(next(&state) % (uint64_t)(k + 1));
        const int was = order[k];
        order[k] = order[j];
        order[j] = was;
    }
}
