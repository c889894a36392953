/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/graph/dag_truth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/graph/dag_random.h"

static int kind_of(const char *s, size_t n)
{
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (strlen(orr_dag_kind_name[k]) == n && !strncmp(s, orr_dag_kind_name[k], n))
            return k;
    return -1;
}

/* From `least` to `most`, and nothing behind it. */
static int number(const char *s, double least, double most, double *out)
{
    char *end;
    *out = strtod(s, &end);
    return end != s && !*end && *out >= least && *out <= most;
}

static int set_bias(struct orr_truth *t, const char *text)
{
    const char *const equals = strrchr(text, '=');
    if (!equals || t->biases == ORR_TRUTH_BIASES)
        return 0;
    struct orr_truth_bias b = {.kind = kind_of(text, (size_t)(equals - text))};
    if (b.kind < 0) {
        const char *colon = equals;
        while (colon > text && *colon != ':')
            colon--;
        const size_t n = (size_t)((*colon == ':' ? colon : equals) - text);
        if (n == 0 || n >= sizeof b.codelet)
            return 0;
        memcpy(b.codelet, text, n);
        if (*colon == ':' && (b.kind = kind_of(colon + 1, (size_t)(equals - colon - 1))) < 0)
            return 0;
    }
    if (!number(equals + 1, 1e-6, 1e6, &b.factor))
        return 0;
    t->bias[t->biases++] = b;
    return 1;
}

static int set_spikes(struct orr_truth *t, const char *text)
{
    char share[64];
    const size_t n = strcspn(text, ":");
    if (!text[n] || n >= sizeof share)
        return 0;
    memcpy(share, text, n);
    share[n] = '\0';
    return number(share, 0, 1, &t->spikes) && number(text + n + 1, 1, 1e6, &t->spike);
}

static int set_slow(struct orr_truth *t, const char *text)
{
    const size_t letters = strcspn(text, "0123456789=");
    char *end;
    t->slow_kind = kind_of(text, letters);
    if (t->slow_kind < 0 || text[letters] == '=' || !text[letters])
        return 0;
    const unsigned long worker = strtoul(text + letters, &end, 10);
    t->slow_worker = (int)worker;
    return worker < 1000000 && *end == '=' && number(end + 1, 1, 1e6, &t->slow);
}

static int set_seed(struct orr_truth *t, const char *text)
{
    char *end;
    errno = 0;
    t->seed = strtoull(text, &end, 10);
    return end != text && !*end && !errno;
}

int orr_truth_set(struct orr_truth *t, const char *key, const char *text)
{
    return !strcmp(key, "noise")    ? number(text, 0, 10, &t->noise)
           : !strcmp(key, "spikes") ? set_spikes(t, text)
           : !strcmp(key, "bias")   ? set_bias(t, text)
           : !strcmp(key, "slow")   ? set_slow(t, text)
           : !strcmp(key, "seed")   ? set_seed(t, text)
                                    : -1;
}

int orr_truth_differs(const struct orr_truth *t)
{
    return t->noise > 0 || t->spikes > 0 || t->biases || t->slow > 0;
}

double orr_truth_factor(const struct orr_truth *t, const char *codelet, size_t task, int kind)
{
    const uint64_t k = (uint64_t)kind;
    double factor = orr_random_spread(t->seed, task, k, t->noise);
    if (t->spikes > 0 && orr_random_uniform(t->seed, task, ORR_DAG_COUNT + k) < t->spikes)
        factor *= t->spike;
    for (int i = 0; i < t->biases; i++) {
        const struct orr_truth_bias *b = &t->bias[i];
        if ((b->kind < 0 || b->kind == kind) && (!*b->codelet || !strcmp(b->codelet, codelet)))
            factor *= b->factor;
    }
    return factor;
}

double orr_truth_slow(const struct orr_truth *t, int kind, int worker)
{
    return t->slow > 0 && t->slow_kind == kind && t->slow_worker == worker ? t->slow : 1;
}
