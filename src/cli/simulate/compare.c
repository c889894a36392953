/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/json.h"
#include "src/cli/core/record.h"

const char *const compare_verdict_name[] = {"FASTER", "SAME", "SLOWER", "UNDECIDED"};

/* ---- What a record is of ---------------------------------------------------------------- */

/* Options that change nothing about what is computed, or that the record itself holds. */
static const struct {
    const char *name;
    char letter;
    int value;
} plain[] = {
    {"json", 0, 1},      {"csv", 0, 1},        {"trace", 0, 1},   {"repeat", 'r', 1},
    {"ref", 0, 1},       {"check", 'c', 0},    {"quiet", 'q', 0}, {"verbose", 'v', 0},
    {"bench", 0, 0},     {"all", 0, 0},        {"n", 'n', 1},     {"m", 0, 1},
    {"band", 'b', 1},    {"batch", 'N', 1},    {"count", 'N', 1}, {"type", 't', 1},
    {"sched", 's', 1},   {"cpus", 0, 1},       {"cudas", 0, 1},   {"max-memory", 0, 1},
    {"model-dir", 0, 1}, {"in-process", 0, 0},
};

/* How many words from this one on are such an option: 0, 1, or 2 with its value. */
static int plain_words(const char *word)
{
    const size_t name = strncmp(word, "--", 2) ? 0 : strcspn(word + 2, "=");
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        if (name == strlen(plain[k].name) && name && !strncmp(word + 2, plain[k].name, name))
            return 1 + (plain[k].value && word[2 + name] != '=');
        if (!name && word[0] == '-' && word[1] && word[1] == plain[k].letter)
            return 1 + (plain[k].value && !word[2]);
    }
    return 0;
}

/* The rest of the command line; *lists: one of its values is a list, so that several records come of it
 * and only their plans tell them apart. */
static void put_options(cli_text *t, const char *command, int *lists)
{
    char *copy = strdup(command), *place = NULL;
    int word = 0, skip = 0;
    *lists = 0;
    for (char *w = copy ? strtok_r(copy, " ", &place) : NULL; w; w = strtok_r(NULL, " ", &place)) {
        if (word++ < 2) /* the program and the algorithm */
            continue;
        if (!skip && !(skip = plain_words(w))) {
            cli_put(t, " %s", w);
            *lists |= strpbrk(w, ",:") != NULL;
        }
        skip -= skip > 0;
    }
    t->failed |= !copy;
    free(copy);
}

static const json_value *first_member(const json_value *r, const char *key)
{
    const json_value *v = json_member(r, key);
    return v && v->kind == JSON_OBJECT ? v->first : NULL;
}

static void put_values(cli_text *t, const json_value *r, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_value *v = json_member(r, *keys);
        if (v && (v->kind == JSON_NUMBER || v->kind == JSON_STRING))
            cli_put(t, " %s %.*s", *keys, (int)v->length, v->text);
    }
}

/* What was chosen, or asked for with a list. */
static void put_choice(cli_text *t, const json_value *r)
{
    static const char *const keys[] = {"method", "format", NULL};
    put_values(t, r, keys);
    for (const json_value *m = first_member(r, "plan"); m; m = m->next)
        if (strcmp(m->key, "seconds") != 0 && strcmp(m->key, "predicted") != 0)
            cli_put(t, " %s=%.*s", m->key, (int)m->length, m->text);
}

static void put_workers(cli_text *t, const json_value *r)
{
    for (const json_value *k = first_member(r, "workers"); k; k = k->next)
        if (k->kind == JSON_NUMBER && k->number > 0)
            cli_put(t, " %.0f%s", k->number, k->key);
}

/* A line of orrery replay --on real: its members say what it is of. There is none of a run that failed. */
static int is_replay(const json_value *r)
{
    return !strcmp(json_text_of(r, "on"), "real") && *json_text_of(r, "graph");
}

static void put_leaves(cli_text *t, const json_value *v)
{
    for (const json_value *m = v->first; m; m = m->next)
        if (m->kind == JSON_OBJECT || m->kind == JSON_ARRAY)
            put_leaves(t, m);
        else if (m->kind == JSON_NUMBER || m->kind == JSON_STRING)
            cli_put(t, " %s %.*s", m->key ? m->key : "", (int)m->length, m->text);
}

/* How long tasks took, and what they did meanwhile. */
static void put_replay_options(cli_text *t, const json_value *r)
{
    static const char *const keys[] = {"kernel", NULL};
    const json_value *truth = json_member(r, "truth");
    put_values(t, r, keys);
    if (truth && truth->kind == JSON_OBJECT)
        put_leaves(t, truth);
}

static int has(const cli_words *words, const char *word)
{
    for (int64_t k = 0; k < words->n; k++)
        if (!strcmp(words->v[k], word))
            return 1;
    return 0;
}

static char *describe(const json_value *r, const char *command, const cli_words *across)
{
    static const char *const sizes[] = {"n_min", "n",   "m",      "band",  "batch",
                                        "jobz",  "per", "matrix", "graph", NULL};
    cli_text t = {0};
    int lists = 0;
    if (is_replay(r))
        cli_put(&t, "replay");
    else
        cli_put(&t, "%s %s", json_text_of(r, "algo"), json_text_of(r, "type"));
    put_values(&t, r, sizes);
    if (!has(across, "sched"))
        cli_put(&t, " %s", json_text_of(r, "sched"));
    if (!has(across, "workers"))
        put_workers(&t, r);
    if (!has(across, "options") && is_replay(r))
        put_replay_options(&t, r);
    else if (!has(across, "options"))
        put_options(&t, command, &lists);
    if (lists)
        put_choice(&t, r);
    if (t.failed)
        cli_text_free(&t);
    return t.s;
}

/* ---- Files ------------------------------------------------------------------------------ */

/* What is wrong with the record, or NULL; its samples. Without memory they are NULL. */
static const char *read_samples(const json_value *r, compare_record *out)
{
    const json_value *samples = json_member(r, "samples");
    if (r->kind != JSON_OBJECT)
        return "not an object";
    if (!*json_text_of(r, "algo") && !is_replay(r))
        return "no record: it has no \"algo\"";
    if (!samples || samples->kind != JSON_ARRAY)
        return "no \"samples\": nothing to compare";
    for (const json_value *s = samples->first; s; s = s->next, out->runs++)
        if (s->kind != JSON_NUMBER || !(s->number > 0) || !isfinite(s->number))
            return "a sample is not a time above zero";
    if (!out->runs)
        return "\"samples\" is empty";
    out->samples = malloc((size_t)out->runs * sizeof *out->samples);
    int k = 0;
    for (const json_value *s = samples->first; s && out->samples; s = s->next)
        out->samples[k++] = s->number;
    return NULL;
}

static void free_record(compare_record *r)
{
    free(r->what);
    free(r->command);
    free(r->machine);
    free(r->time);
    free(r->status);
    free(r->samples);
}

static int fill(compare_record *r, const json_value *v, const cli_words *across)
{
    const json_value *from = json_member(v, "provenance");
    r->command = strdup(json_text_of(from, "command"));
    r->machine = strdup(json_text_of(from, "machine"));
    r->time = strdup(json_text_of(from, "time"));
    r->status = strdup(is_replay(v) ? "ok" : json_text_of(v, "status"));
    r->what = describe(v, json_text_of(from, "command"), across);
    return r->what && r->command && r->machine && r->time && r->status && r->samples;
}

static int read_line(compare_file *f, int number, const char *line, const cli_words *across)
{
    json_text j;
    compare_record r = {.line = number};
    const json_value *v = json_read(&j, line);
    const char *why = v ? read_samples(v, &r) : NULL;
    int code = CLI_FILE;
    if (!v)
        cli_say("%s:%d:%zu: %s%s", f->path, number, j.column, j.error,
                number == 1 ? "; records are the lines that --json FILE writes" : "");
    else if (why)
        cli_say("%s:%d: %s", f->path, number, why);
    else
        code = CLI_OK;
    compare_record *grown =
        code == CLI_OK ? realloc(f->v, ((size_t)f->n + 1) * sizeof *grown) : NULL;
    if (grown)
        f->v = grown;
    if (code == CLI_OK && !(grown && fill(&r, v, across)))
        code = CLI_MEMORY;
    if (code == CLI_OK)
        f->v[f->n++] = r;
    else
        free_record(&r);
    json_free(&j);
    return code;
}

enum { LONGEST_LINE = 1 << 28 };

/* 1: the next line of *in; 0: none is left; -1: what is wrong with it was told. */
static int next_line(FILE *in, const char *path, int number, char **line, size_t *room)
{
    size_t n = 0;
    for (int c = 0; c != '\n' && (c = getc_unlocked(in)) != EOF; n++) {
        if (n + 2 > *room && *room < LONGEST_LINE) {
            char *more = realloc(*line, *room ? 2 * *room : 4096);
            if (!more) {
                cli_say("out of memory");
                return -1;
            }
            *room = *room ? 2 * *room : 4096;
            *line = more;
        }
        if (!c || n + 2 > *room) {
            cli_say("%s:%d: %s", path, number, c ? "the line is too long" : "a byte of zero");
            return -1;
        }
        (*line)[n] = (char)c;
    }
    if (n)
        (*line)[n] = '\0';
    return n > 0;
}

int compare_read(compare_file *f, const char *path, const cli_words *across)
{
    *f = (compare_file){.path = path};
    FILE *in = strcmp(path, "-") ? fopen(path, "r") : stdin;
    char *line = NULL;
    size_t room = 0;
    int code = CLI_OK, number = 0, got = 1;
    if (!in) {
        cli_say("%s: cannot open: %s", path, strerror(errno));
        return CLI_FILE;
    }
    errno = 0;
    while (code == CLI_OK && (got = next_line(in, path, ++number, &line, &room)) > 0)
        if (line[strspn(line, " \t\r\n")])
            code = read_line(f, number, line, across);
    if (code == CLI_OK && got < 0)
        code = CLI_FILE;
    if (code == CLI_OK && ferror(in)) {
        cli_say("%s: %s", path, strerror(errno));
        code = CLI_FILE;
    } else if (code == CLI_OK && !f->n) {
        cli_say("%s: no records", path);
        code = CLI_FILE;
    }
    free(line);
    if (in != stdin)
        fclose(in);
    return code;
}

void compare_free(compare_file *f)
{
    for (int k = 0; k < f->n; k++)
        free_record(&f->v[k]);
    free(f->v);
    *f = (compare_file){0};
}

/* ---- Cases ------------------------------------------------------------------------------ */

struct side {
    compare_record **v; /* of the case, in their order */
    int n;
    double *logs; /* of the units */
    int units;
};

static int gather(compare_file *f, const char *what, struct side *s)
{
    *s = (struct side){.v = malloc((size_t)f->n * sizeof *s->v)};
    for (int k = 0; k < f->n && s->v; k++)
        if (!f->v[k].taken && !strcmp(f->v[k].what, what))
            s->v[s->n++] = &f->v[k];
    return s->v != NULL;
}

static int make_units(struct side *s, int of_records)
{
    s->units = of_records ? s->n : s->v[0]->runs;
    s->logs = malloc((size_t)s->units * sizeof *s->logs);
    for (int k = 0; k < s->units && s->logs; k++)
        s->logs[k] = log(of_records ? cli_statistics(s->v[k]->samples, s->v[k]->runs).median
                                    : s->v[0]->samples[k]);
    return s->logs != NULL;
}

static int same_times(const compare_record *a, const compare_record *b)
{
    return a->runs == b->runs && !strcmp(a->time, b->time) &&
           !memcmp(a->samples, b->samples, (size_t)a->runs * sizeof *a->samples);
}

static const char *later(const char *a, const char *b) { return strcmp(a, b) > 0 ? a : b; }
static const char *sooner(const char *a, const char *b) { return strcmp(a, b) < 0 ? a : b; }

/* Records were taken in turn if the k-th of both were written before the next of either. Times are of one
 * clock and spelt so that their order is that of their characters. Of one record each, the same twice is. */
static int in_turn(const struct side *a, const struct side *b)
{
    if (a->n != b->n)
        return 0;
    if (a->n == 1)
        return same_times(a->v[0], b->v[0]);
    for (int k = 0; k + 1 < a->n; k++)
        if (!*a->v[k]->time || !*b->v[k]->time ||
            strcmp(later(a->v[k]->time, b->v[k]->time),
                   sooner(a->v[k + 1]->time, b->v[k + 1]->time)) > 0)
            return 0;
    return 1;
}

static int all_well(const struct side *s)
{
    for (int k = 0; k < s->n; k++)
        if (strcmp(s->v[k]->status, "ok") != 0)
            return 0;
    return 1;
}

compare_verdict compare_judge(const cli_interval *ratio, double threshold, const char **note)
{
    const double most = 1 + threshold, least = 1 / most;
    if (ratio->low > most)
        return COMPARE_SLOWER;
    if (ratio->high < least)
        return COMPARE_FASTER;
    if (ratio->low >= least && ratio->high <= most)
        return COMPARE_SAME;
    *note = "the interval is too wide: more runs would tell";
    return COMPARE_UNDECIDED;
}

static int decide(struct side *a, struct side *b, double threshold, compare_case *c)
{
    *c = (compare_case){.a = a->v[0],
                        .b = b->v[0],
                        .records = {a->n, b->n},
                        .of_records = a->n > 1 || b->n > 1,
                        .paired = in_turn(a, b)};
    if (!make_units(a, c->of_records) || !make_units(b, c->of_records))
        return 0;
    const cli_interval r = c->paired ? cli_interval_paired(a->logs, b->logs, a->units)
                                     : cli_interval_separate(a->logs, a->units, b->logs, b->units);
    c->units[0] = a->units;
    c->units[1] = b->units;
    c->seconds[0] = exp(cli_statistics(a->logs, a->units).median);
    c->seconds[1] = exp(cli_statistics(b->logs, b->units).median);
    c->ratio = (cli_interval){exp(r.low), exp(r.middle), exp(r.high)};
    if (!all_well(a) || !all_well(b))
        c->note = "a run was not ok";
    else if (a->units < CLI_INTERVAL_LEAST || b->units < CLI_INTERVAL_LEAST)
        c->note = c->of_records ? "6 records of each are needed" : "6 samples of each are needed";
    c->verdict = c->note ? COMPARE_UNDECIDED : compare_judge(&c->ratio, threshold, &c->note);
    return !isnan(c->ratio.middle); /* it may be infinite */
}

static void finish(struct side *s)
{
    for (int k = 0; k < s->n; k++)
        s->v[k]->taken = 1;
    free(s->v);
    free(s->logs);
}

int compare_next(compare_file *a, compare_file *b, double threshold, compare_case *c, int *code)
{
    *code = CLI_OK;
    for (int k = 0; k < a->n; k++) {
        if (a->v[k].taken)
            continue;
        struct side x, y = {0};
        const int room = gather(a, a->v[k].what, &x) && gather(b, a->v[k].what, &y);
        const int both = room && y.n > 0;
        if (!room || (both && !decide(&x, &y, threshold, c)))
            *code = CLI_MEMORY;
        if (both) {
            finish(&x);
            finish(&y);
            return *code == CLI_OK;
        }
        free(x.v);
        free(y.v);
        if (*code != CLI_OK)
            return 0;
    }
    return 0;
}
