/* See selection.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/selection.h"

#include <stdio.h>
#include <string.h>

const cli_option selection_options[] = {
    {"range", 0, OPT_TEXT, "RANGE", "only values number IL:IU, or VL..VU: in (VL, VU]", NULL,
     .at = offsetof(selection, text)},
    {.kind = OPT_END},
};

static const char *parse_interval(selection *s, const char *dots)
{
    char vl[64];
    const size_t length = (size_t)(dots - s->text);
    snprintf(vl, sizeof vl, "%.*s", (int)length, s->text);
    if (length >= sizeof vl || !cli_real(vl, &s->vl) || !cli_real(dots + 2, &s->vu))
        return "--range VL..VU has two numbers, -inf and inf among them, as in 0.5..2.5";
    if (!(s->vl < s->vu))
        return "--range VL..VU: the interval (VL, VU] is empty, VL < VU is needed";
    s->interval = 1;
    return NULL;
}

const char *selection_parse(selection *s)
{
    char il[32];
    const char *dots = s->text ? strstr(s->text, "..") : NULL;
    const char *colon = s->text ? strchr(s->text, ':') : NULL;
    if (dots)
        return parse_interval(s, dots);
    snprintf(il, sizeof il, "%.*s", colon ? (int)(colon - s->text) : 0, colon ? s->text : "");
    if (!s->text || (colon && cli_number(il, &s->il) && cli_number(colon + 1, &s->iu) &&
                     s->il >= 1 && s->iu >= s->il))
        return NULL;
    return "--range is IL:IU with 1 <= IL <= IU, or VL..VU, two values";
}

int64_t selection_count(const selection *s, int64_t n) { return s->il ? s->iu - s->il + 1 : n; }

int64_t selection_before(const selection *s) { return s->il ? s->il - 1 : 0; }

int selection_fits(const selection *s, int64_t n, const char *what)
{
    if (s->iu <= n)
        return CLI_OK;
    cli_say("--range %s: the %s order %lld", s->text, what, (long long)n);
    return CLI_USAGE;
}

/* "eigenvalues", "eigenvalues 2 to 9", "eigenvalues in (0.5, 2]". */
static void name_of(const selection *s, char *text, size_t room)
{
    if (s->interval)
        snprintf(text, room, "eigenvalues in (%g, %g]", s->vl, s->vu);
    else if (s->il)
        snprintf(text, room, "eigenvalues %lld to %lld", (long long)s->il, (long long)s->iu);
    else
        snprintf(text, room, "eigenvalues");
}

int selection_deliver(const selection *s, const cli_job *job, orr_type real, int64_t first,
                      int64_t count, const void *w, const char *path, cli_text *results)
{
    char what[64];
    const answer_values values = {
        .what = what, .order = "ascending", .type = real, .count = 1, .columns = count, .v = w};
    name_of(s, what, sizeof what);
    answer_print(job->table, job->run, job->files.v[0], &values);
    answer_json(results, job->run, "eigenvalues", &values, 1);
    if (s->interval)
        cli_put(results, ",\"found\":%lld,\"first\":%lld", (long long)count, (long long)first + 1);
    return answer_write(job->table, "eigenvalues", path, real, 1, &count, 0, w);
}
