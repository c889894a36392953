/* Parsing of option tables. GNU conventions: --name value, --name=value, -v -vv, -o value,
 * -ovalue, `--` ends the options, options and files may be mixed, `-` is a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/lapack.h"
#include "src/cli/core/options.h"
#include "src/cli/core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Tables ------------------------------------------------------------------------ */

void cli_each_option(const cli_option *o, size_t base,
                     void (*visit)(const cli_option *, size_t, void *), void *arg)
{
    for (; o->kind != OPT_END; o++) {
        if (o->kind == OPT_INCLUDE)
            cli_each_option(o->include, base + o->at, visit, arg);
        else
            visit(o, base, arg);
    }
}

struct search {
    const char *name;
    size_t length;
    char letter;
    const cli_option *found;
    size_t base;
    char all[2048]; /* names for the suggestion, '|' between */
};

static void match(const cli_option *o, size_t base, void *arg)
{
    struct search *s = arg;
    if (o->kind == OPT_GROUP)
        return;
    const int by_name =
        s->name && strlen(o->name) == s->length && !strncmp(o->name, s->name, s->length);
    if (by_name || (s->letter && s->letter == o->letter)) {
        s->found = o;
        s->base = base;
    }
    const size_t used = strlen(s->all);
    snprintf(s->all + used, sizeof s->all - used, "%s%s", used ? "|" : "", o->name);
}

void *cli_option_value(const cli_command *command, const char *name, void *args)
{
    struct search s = {.name = name, .length = strlen(name)};
    cli_each_option(command->options, 0, match, &s);
    return (char *)args + s.base + s.found->at;
}

static int wrong_value(const cli_option *o, const char *value, const char *expected)
{
    cli_say("--%s: '%s' is not %s", o->name, value, expected);
    return 0;
}

static int wrong_choice(const cli_option *o, const char *value)
{
    cli_guess_text guess;
    cli_say("--%s: '%s' is not one of %s%s%s", o->name, value, o->choices,
            o->libraries ? ", and no path of a library" : "", cli_guess(value, o->choices, guess));
    return 0;
}

static int in_bounds(const cli_option *o, const char *text, double number)
{
    const int any = o->min == 0 && o->max == 0, least = o->above && number == (double)o->min;
    if (any || (number >= (double)o->min && !least && (o->max == 0 || number <= (double)o->max)))
        return 1;
    if (least)
        cli_say("--%s: %s is not above %lld", o->name, text, (long long)o->min);
    else if (o->max == 0)
        cli_say("--%s: %s is less than %lld", o->name, text, (long long)o->min);
    else
        cli_say("--%s: %s is not between %lld and %lld", o->name, text, (long long)o->min,
                (long long)o->max);
    return 0;
}

/* A pipe or file that is standard output already, as /dev/stdout may be, is "-": what is written there
 * and what is printed would mix. */
static const char *file_name(const char *value)
{
    struct stat out, file;
    const int same = fstat(STDOUT_FILENO, &out) == 0 && stat(value, &file) == 0 &&
                     file.st_dev == out.st_dev && file.st_ino == out.st_ino;
    return same && !S_ISCHR(file.st_mode) && !S_ISDIR(file.st_mode) ? "-" : value;
}

static int store(const cli_option *o, void *place, const char *value)
{
    switch (o->kind) {
    case OPT_FLAG: ++*(int *)place; return 1;
    case OPT_INT:
        if (!cli_number(value, place))
            return wrong_value(o, value, "an integer (examples: 12, 1e3, 4k, 2Gi)");
        return in_bounds(o, value, (double)*(int64_t *)place);
    case OPT_REAL:
        if (!cli_real(value, place) || !isfinite(*(double *)place))
            return wrong_value(o, value, "a number");
        return in_bounds(o, value, *(double *)place);
    case OPT_TEXT:
    case OPT_FILE:
        if (!*value)
            return wrong_value(o, value, "anything: it is empty");
        *(const char **)place = o->kind == OPT_FILE ? file_name(value) : value;
        return 1;
    case OPT_CHOICE:
        *(int *)place = cli_word_index(value, o->choices);
        return *(int *)place >= 0 || wrong_choice(o, value);
    case OPT_SIZES: {
        cli_sizes *list = place;
        if (!cli_size_list(value, list))
            return wrong_value(o, value, "a list of sizes (examples: 32  8,16,1k  8:64:8)");
        for (int64_t k = 0; k < list->n; k++)
            if (!in_bounds(o, value, (double)list->v[k]))
                return 0;
        return 1;
    }
    case OPT_WORDS: {
        cli_words *list = place;
        if (!cli_word_list(value, list))
            return wrong_value(o, value, "a list");
        for (int64_t k = 0; k < list->n; k++) {
            if (!*list->v[k])
                return wrong_value(o, value, "a list of words");
            if (o->choices && cli_word_index(list->v[k], o->choices) < 0 &&
                !(o->libraries && cli_is_library(list->v[k])))
                return wrong_choice(o, list->v[k]);
        }
        return 1;
    }
    default: return 0;
    }
}

/* What other programs call an option of ours. */
static const struct {
    const char *theirs, *ours, *about;
} foreign[] = {
    {"threads", "cpus", "the number of CPU workers"},
    {"nthreads", "cpus", "the number of CPU workers"},
    {"num-threads", "cpus", "the number of CPU workers"},
    {"workers", "cpus", "the number of CPU workers"},
    {"cores", "cpus", "the number of CPU workers"},
    {"jobs", "cpus", "the number of CPU workers"},
    {"gpus", "cudas", "the number of CUDA devices"},
    {"output", "vectors", "where the vectors go"},
    {"eigenvalues", "values", "where the values go"},
    {"eigenvectors", "vectors", "where the vectors go"},
    {"vectors", "right", "where V goes (U: --left FILE)"},
    {"k", "range", "some of the values, 1:K the lowest"},
    {"top", "range", "some of the values, 1:K the lowest"},
    {"dry-run", "explain", "the plan, without computing"},
    {"check", "tol", "every result is checked, exit code 4 beyond"},
};

/* 1 and told, if the word is such a one and the command has what it means. */
static int told_foreign(const cli_command *command, const char *word, const char *name)
{
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
        struct search ours = {.name = foreign[k].ours, .length = strlen(foreign[k].ours)};
        if (strcmp(name, foreign[k].theirs))
            continue;
        cli_each_option(command->options, 0, match, &ours);
        if (!ours.found)
            continue;
        cli_say("%s: no option '%s'; %s: --%s%s%s", command->name, word, foreign[k].about,
                foreign[k].ours, ours.found->arg ? " " : "",
                ours.found->arg ? ours.found->arg : "");
        return 1;
    }
    return 0;
}

static int unknown(const cli_command *command, const char *word, const struct search *s)
{
    cli_guess_text guess;
    char name[64];
    const char letter[] = {s->letter, '\0'};
    snprintf(name, sizeof name, "--%.*s", (int)s->length, s->name ? s->name : "");
    if (told_foreign(command, word, s->name ? name + 2 : letter))
        return 0;
    cli_say("%s: unknown option '%s'%s", command->name, word, cli_guess(name, s->all, guess));
    cli_say("'orrery %s --help' lists the options", command->name);
    return 0;
}

struct line {
    const cli_command *command;
    char *args;
    int argc, at; /* at: the word that is read */
    char **argv;
    cli_text given; /* names of options, '|' between */
};

/* The word after this one, taken; NULL: there is none. */
static const char *next_word(struct line *l)
{
    return l->at + 1 < l->argc ? l->argv[++l->at] : NULL;
}

static int take(struct line *l, const struct search *s, const char *value)
{
    cli_put(&l->given, "%s|", s->found->name);
    return store(s->found, l->args + s->base + s->found->at, value);
}

/* One word that begins with --. Takes its value from the next word if it needs one. */
static int long_option(struct line *l)
{
    const char *word = l->argv[l->at] + 2, *equals = strchr(word, '=');
    struct search s = {.name = word, .length = equals ? (size_t)(equals - word) : strlen(word)};
    cli_each_option(l->command->options, 0, match, &s);
    if (!s.found)
        return unknown(l->command, word - 2, &s);
    if (s.found->kind == OPT_FLAG && equals) {
        cli_say("--%s takes no value", s.found->name);
        return 0;
    }
    const char *value = equals ? equals + 1 : s.found->kind == OPT_FLAG ? NULL : next_word(l);
    if (s.found->kind == OPT_FLAG || value)
        return take(l, &s, value);
    cli_say("--%s needs a value: %s", s.found->name, s.found->arg);
    return 0;
}

/* One word of short options: -v, -vv, -ofile, -o file. */
static int short_options(struct line *l)
{
    const char *word = l->argv[l->at];
    for (const char *c = word + 1; *c; c++) {
        struct search s = {.letter = *c};
        cli_each_option(l->command->options, 0, match, &s);
        if (!s.found)
            return unknown(l->command, word, &s);
        if (s.found->kind == OPT_FLAG) {
            take(l, &s, NULL);
            continue;
        }
        const char *value = c[1] ? c + 1 : next_word(l);
        if (value)
            return take(l, &s, value);
        cli_say("-%c needs a value: %s", *c, s.found->arg);
        return 0;
    }
    return 1;
}

/* As cli_parse; what was given is the caller's to free. */
static int parse(struct line *l, cli_files *files, int *code)
{
    int rest = 1, options = 1;
    *code = CLI_OK;
    /* A wish for help is granted even if the rest of the line is wrong. */
    for (int k = 1; k < l->argc && strcmp(l->argv[k], "--"); k++)
        if (!strcmp(l->argv[k], "--help") || !strcmp(l->argv[k], "-h")) {
            cli_help(l->command, stdout);
            return 0;
        }
    for (l->at = 1; l->at < l->argc; l->at++) {
        char *word = l->argv[l->at];
        int good = 1;
        if (!options || word[0] != '-' || !word[1])
            l->argv[rest++] = word;
        else if (!strcmp(word, "--"))
            options = 0;
        else
            good = word[1] == '-' ? long_option(l) : short_options(l);
        if (!good) {
            *code = CLI_USAGE;
            cli_release(l->command, l->args);
            return 0;
        }
    }
    *files = (cli_files){l->argv + 1, rest - 1};
    return 1;
}

int cli_parse_given(const cli_command *command, int argc, char **argv, void *args, cli_files *files,
                    int *code, cli_text *given)
{
    struct line l = {.command = command, .args = args, .argc = argc, .argv = argv};
    const int good = parse(&l, files, code);
    *given = l.given;
    return good;
}

int cli_parse(const cli_command *command, int argc, char **argv, void *args, cli_files *files,
              int *code)
{
    cli_text given;
    const int good = cli_parse_given(command, argc, argv, args, files, code, &given);
    cli_text_free(&given);
    return good;
}

int cli_parse_alone(const cli_command *command, int argc, char **argv, void *args, int *code)
{
    cli_files rest;
    if (!cli_parse(command, argc, argv, args, &rest, code))
        return 0;
    if (!rest.n)
        return 1;
    cli_say("%s takes no FILE", command->name);
    *code = CLI_USAGE;
    return 0;
}

static void release(const cli_option *o, size_t base, void *args)
{
    void *place = (char *)args + base + o->at;
    if (o->kind == OPT_SIZES) {
        free(((cli_sizes *)place)->v);
        *(cli_sizes *)place = (cli_sizes){0};
    } else if (o->kind == OPT_WORDS) {
        cli_free_words(place);
    }
}

void cli_release(const cli_command *command, void *args)
{
    cli_each_option(command->options, 0, release, args);
}

/* ---- Actions ----------------------------------------------------------------------- */

static const cli_action *action_of(const cli_command *command, const char *word,
                                   const cli_action *actions)
{
    cli_guess_text guess;
    char why[512];
    for (; word && actions->name; actions++)
        if (!strcmp(word, actions->name))
            return actions;
    if (word)
        snprintf(why, sizeof why, "'%.100s' is none of %s%s", word, command->words,
                 cli_guess(word, command->words, guess));
    else
        snprintf(why, sizeof why, "what is to be done? One of %s", command->words);
    cli_usage(command->name, why);
    return NULL;
}

/* 0 and told: an option that says nothing to the action. */
static int all_mean_something(const cli_command *command, const cli_action *action,
                              const char *given)
{
    char option[64], name[96], why[96];
    for (int k = 0; cli_bar_word(given, k, option, sizeof option); k++)
        if (cli_word_index(option, action->options) < 0) {
            snprintf(name, sizeof name, "%s %s", command->name, action->name);
            snprintf(why, sizeof why, "--%s means nothing here", option);
            cli_usage(name, why);
            return 0;
        }
    return 1;
}

int cli_act(const cli_command *command, int argc, char **argv, void *args,
            const cli_action *actions, const char *otherwise)
{
    struct line l = {.command = command, .args = args, .argc = argc, .argv = argv};
    cli_files files;
    int code;
    if (parse(&l, &files, &code)) {
        const cli_action *action = action_of(command, files.n ? files.v[0] : otherwise, actions);
        const cli_files rest = {files.v + 1, files.n ? files.n - 1 : 0};
        code = action && all_mean_something(command, action, l.given.s) ? action->run(args, &rest)
                                                                        : CLI_USAGE;
        cli_release(command, args);
    }
    cli_text_free(&l.given);
    return code;
}
