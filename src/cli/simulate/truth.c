/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/truth.h"

#include <string.h>

#define AT(field) .at = offsetof(truth_args, field)

const cli_option truth_options[] = {
    {.kind = OPT_GROUP, .help = "What schedulers do not know"},
    {"noise", 0, OPT_TEXT, "CV", "times vary by lognormal factors of mean 1", NULL, AT(noise)},
    {"spikes", 0, OPT_TEXT, "P:F", "of all tasks the share P takes F times as long", NULL,
     AT(spikes)},
    {"bias", 0, OPT_WORDS, "LIST", "CODELET=F, KIND=F or CODELET:KIND=F: F times", NULL, AT(bias)},
    {"slow", 0, OPT_TEXT, "WORKER=F", "cuda0=2: one worker takes twice as long", NULL, AT(slow)},
    {"seeds", 0, OPT_SIZES, "LIST", "of --noise and --spikes (default: 1)", NULL, AT(seeds), 0,
     INT64_MAX},
    {.kind = OPT_END},
};

static int set(struct orr_truth *t, const char *key, const char *text)
{
    static const char *const wanted[][2] = {
        {"noise", "a coefficient of variation from 0 to 10"},
        {"spikes", "SHARE:FACTOR, from 0 to 1 and from 1 on"},
        {"bias", "CODELET=FACTOR, KIND=FACTOR or CODELET:KIND=FACTOR, at most 32"},
        {"slow", "WORKER=FACTOR, such as cuda0=2, from 1 on"},
    };
    if (!text || orr_truth_set(t, key, text))
        return CLI_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        if (!strcmp(wanted[k][0], key))
            cli_say("--%s: '%s' is not %s", key, text, wanted[k][1]);
    return CLI_USAGE;
}

int truth_read(const truth_args *a, struct orr_truth *t)
{
    *t = (struct orr_truth){.seed = a->seeds.n ? (uint64_t)a->seeds.v[0] : 1};
    int code = set(t, "noise", a->noise);
    if (code == CLI_OK)
        code = set(t, "spikes", a->spikes);
    if (code == CLI_OK)
        code = set(t, "slow", a->slow);
    for (int64_t k = 0; k < a->bias.n && code == CLI_OK; k++)
        code = set(t, "bias", a->bias.v[k]);
    if (code == CLI_OK && a->seeds.n && !(t->noise > 0 || t->spikes > 0)) {
        cli_say("--seeds is for --noise and --spikes");
        code = CLI_USAGE;
    }
    return code;
}

int truth_word(const truth_args *a, int k, char *word, size_t size)
{
    const char *const texts[] = {a->noise, a->spikes, a->slow}, *const keys[] = {"noise", "spikes",
                                                                                 "slow"};
    for (int i = 0; i < 3; i++)
        if (texts[i] && k-- == 0)
            return snprintf(word, size, "%s=%s", keys[i], texts[i]) < (int)size;
    return k < a->bias.n && snprintf(word, size, "bias=%s", a->bias.v[k]) < (int)size;
}

int truth_fits(const struct orr_truth *t, const struct orr_dag *d)
{
    for (int k = 0; k < t->biases; k++) {
        size_t i = 0;
        while (*t->bias[k].codelet && i < d->tasks && strcmp(d->task[i].name, t->bias[k].codelet))
            i++;
        if (*t->bias[k].codelet && i == d->tasks) {
            cli_say("--bias: no task is called '%s'", t->bias[k].codelet);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

double truth_ratio(double x, double y) { return x == 0 && y == 0 ? 1 : x / y; }

double truth_busy(double busy, double workers, double makespan)
{
    return busy > 0 ? 100 * busy / (workers * makespan) : 0;
}

void truth_json(cli_text *out, const struct orr_truth *t)
{
    char name[96];
    cli_put(out, ",\"truth\":");
    if (!orr_truth_differs(t)) {
        cli_put(out, "null");
        return;
    }
    cli_put(out, "{\"seed\":%llu", (unsigned long long)t->seed);
    cli_member_number(out, "noise", t->noise);
    cli_put(out, ",\"spikes\":{\"share\":");
    cli_put_number(out, t->spikes);
    cli_member_number(out, "factor", t->spikes > 0 ? t->spike : 1);
    cli_put(out, "},\"bias\":[");
    for (int k = 0; k < t->biases; k++) {
        const struct orr_truth_bias *b = &t->bias[k];
        cli_put(out, "%s{\"codelet\":", k ? "," : "");
        cli_put_json(out, *b->codelet ? b->codelet : NULL);
        cli_member_json(out, "kind", b->kind < 0 ? NULL : orr_dag_kind_name[b->kind]);
        cli_member_number(out, "factor", b->factor);
        cli_put(out, "}");
    }
    cli_put(out, "],\"slow\":");
    if (t->slow > 0) {
        snprintf(name, sizeof name, "%s%d", orr_dag_kind_name[t->slow_kind], t->slow_worker);
        cli_put(out, "{\"worker\":\"%s\"", name);
        cli_member_number(out, "factor", t->slow);
        cli_put(out, "}}");
    } else
        cli_put(out, "null}");
}
