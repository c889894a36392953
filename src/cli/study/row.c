/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/row.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/json.h"
#include "src/cli/core/record.h"
#include "src/cli/study/points.h"

enum { MOST_RECORD = 1 << 20, MOST_SAID = 2000 };

const char ROW_UNMATCHED[] = "nothing that it printed matches the pattern";

/* NULL: cannot be read. At most so many bytes, the last ones. */
static char *slurp(const char *path, long most, size_t *n)
{
    FILE *f = fopen(path, "r");
    char *text = f ? malloc((size_t)most + 1) : NULL;
    if (text && fseek(f, -most, SEEK_END) != 0)
        rewind(f);
    *n = text ? fread(text, 1, (size_t)most, f) : 0;
    const int bad = f && ferror(f);
    if (f)
        fclose(f);
    if (bad) {
        *n = 0;
        free(text);
        return NULL;
    }
    if (text)
        text[*n] = '\0';
    return text;
}

/* ---- The measure ---------------------------------------------------------------------------- */

/* "seconds.median" */
static double at_path(const json_value *v, const char *path)
{
    char key[128];
    for (size_t n; v && *path; path += n + (path[n] == '.')) {
        n = strcspn(path, ".");
        if (n >= sizeof key)
            return NAN;
        memcpy(key, path, n);
        key[n] = '\0';
        v = json_member(v, key);
    }
    return v && v->kind == JSON_NUMBER ? v->number : NAN;
}

static double matched(const char *pattern, const char *text)
{
    regex_t compiled;
    regmatch_t m[2];
    double x = NAN;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE) != 0)
        return NAN;
    if (regexec(&compiled, text, 2, m, 0) == 0 && m[1].rm_so >= 0) {
        char *end;
        x = strtod(text + m[1].rm_so, &end);
        if (end == text + m[1].rm_so)
            x = NAN;
    }
    regfree(&compiled);
    return x;
}

/* The only record of a run, as JSON; NULL: there is none, and *why. */
static const json_value *read_record(const char *text, size_t n, json_text *j, const char **why)
{
    const json_value *v = strlen(text) == n && *text ? json_read(j, text) : NULL;
    const char *status = json_text_of(v, "status");
    *why = n >= MOST_RECORD                       ? "a record of more than 1 MiB"
           : !*text                               ? "no record"
           : !v                                   ? "not one record of JSON"
           : v->kind != JSON_OBJECT               ? "the record is no object"
           : *status && strcmp(status, "ok") != 0 ? "the record is not ok"
                                                  : NULL;
    return *why ? NULL : v;
}

/* ---- The line ------------------------------------------------------------------------------- */

static void put_factors(cli_text *t, const study_plan *p, int point)
{
    int at[STUDY_FACTORS];
    points_at(p, point, at);
    cli_put(t, ",\"factors\":{");
    for (int k = 0; k < p->factors; k++)
        cli_member_json(t, p->factor[k].name, p->factor[k].label.v[at[k]]);
    cli_put(t, "}");
}

static void put_result(cli_text *t, const runner_result *r)
{
    cli_member_number(t, "wall", r->wall);
    cli_member_number(t, "cpu", r->cpu);
    cli_member_number(t, "rss", r->rss);
    cli_member_number(t, "other", r->other);
    cli_member_number(t, "steal", r->steal);
    cli_member_number(t, "load", r->load);
    cli_member_number(t, "mhz", r->mhz);
    cli_member_number(t, "cpu_joules", r->joules.cpu);
    cli_member_number(t, "gpu_joules", r->joules.gpu);
    cli_put(t, ",\"exit\":%d,\"signal\":%d", r->exit, r->signal);
}

/* As the run wrote it, on one line; the reader has decoded its copy in place. */
static void put_record(cli_text *t, const json_value *v, const json_text *j, const char *text)
{
    if (!v) {
        cli_put(t, "null");
        return;
    }
    const char *from = text + (v->text - j->text);
    for (size_t k = 0; k < v->length; k++)
        cli_put_bytes(t, from[k] == '\n' || from[k] == '\r' ? " " : from + k, 1);
}

char *row_said(const row_place *place, int searched)
{
    size_t n;
    char *said = searched ? NULL : slurp(place->err, MOST_SAID, &n);
    if (said && n)
        return said;
    free(said);
    return slurp(place->out, MOST_SAID, &n);
}

static void put_said(cli_text *t, const row_place *place, int searched)
{
    char *said = row_said(place, searched);
    cli_member_json(t, "said", said ? said : "");
    free(said);
}

/* Why there is no number to compare, or "ok". */
static const char *judge(const study_plan *p, int writes, double value)
{
    if (p->pattern && !isfinite(value))
        return ROW_UNMATCHED;
    if (writes && !isfinite(value))
        return "the record has no such number";
    return value > 0 && isfinite(value) ? "ok" : "no measure above zero";
}

const char *row_make(const study_plan *p, const row_place *place, const runner_result *r,
                     cli_text *t)
{
    const int writes = !p->pattern && !points_of_runner(p->measure);
    char utc[32];
    json_text j = {0};
    const char *why = NULL;
    size_t n = 0;
    char *text = slurp(p->pattern ? place->out : place->record, MOST_RECORD, &n);
    const json_value *v = NULL;
    double value = !strcmp(p->measure, "cpu_joules")   ? r->joules.cpu
                   : !strcmp(p->measure, "gpu_joules") ? r->joules.gpu
                                                       : r->wall;
    if (!p->pattern && text && n)
        v = read_record(text, n, &j, &why);
    if (p->pattern)
        value = matched(p->pattern, text ? text : "");
    else if (writes)
        value = at_path(v, p->measure);
    const char *status = r->late          ? "timeout"
                         : r->signal >= 0 ? "signal"
                         : r->exit        ? "failed"
                         : writes && !v   ? why ? why : "no record"
                                          : judge(p, writes, value);
    cli_put(t, "{\"study\":\"%s\",\"id\":\"%s\",\"block\":%d,\"order\":%d,\"point\":%d", p->name,
            place->id, place->block, place->order, place->point);
    put_factors(t, p, place->point);
    cli_member_json(t, "status", status);
    cli_member_number(t, "value", value);
    put_result(t, r);
    if (strcmp(status, "ok") != 0)
        put_said(t, place, status == ROW_UNMATCHED);
    cli_put(t, ",\"command\":[");
    for (int k = 0; k < place->words->n; k++) {
        cli_put(t, "%s", k ? "," : "");
        cli_put_json(t, place->words->v[k]);
    }
    cli_put(t, "],\"record\":");
    put_record(t, v, &j, text);
    cli_put(t, ",\"provenance\":%s", place->provenance);
    cli_member_json(t, "time", cli_utc(utc));
    cli_put(t, "}}\n");
    json_free(&j);
    free(text);
    return status;
}
