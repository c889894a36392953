/* Figures from elsewhere. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/study/values.h"

#define KEYS "at|value|ratio|within|source"

/* The point: a value of every factor. */
static int read_at(struct plan_reader *r, const tree *t, int at[STUDY_FACTORS])
{
    const study_plan *p = r->p;
    for (const tree *e = t->first; e; e = e->next) {
        int k = 0;
        while (k < p->factors && strcmp(p->factor[k].name, e->key))
            k++;
        if (k == p->factors)
            return value_wrong(r, e, "there is no factor '%.80s'", e->key);
    }
    for (int k = 0; k < p->factors; k++) {
        const tree *e = tree_member(t, p->factor[k].name);
        if (!e || e->kind != TREE_TEXT)
            return value_wrong(r, t, "'at' needs a value of '%s'", p->factor[k].name);
        at[k] = 0;
        while (at[k] < p->factor[k].label.n && strcmp(p->factor[k].label.v[at[k]], e->text))
            at[k]++;
        if (at[k] == p->factor[k].label.n)
            return value_wrong(r, e, "'%.80s' is no value of '%s'", e->text, p->factor[k].name);
    }
    return 1;
}

static int read_one(struct plan_reader *r, const tree *t, study_published *q)
{
    const tree *at = tree_member(t, "at"), *value = tree_member(t, "value"),
               *ratio = tree_member(t, "ratio");
    const tree *within = tree_member(t, "within"), *source = tree_member(t, "source");
    q->within = 0.01;
    q->ratio = ratio != NULL;
    if (t->kind != TREE_MAP || !at || at->kind != TREE_MAP || !source || !value == !ratio)
        return value_wrong(r, t,
                           "a published figure has 'at', a 'value' or a 'ratio', and its 'source'");
    if (ratio && r->p->baseline < 0)
        return value_wrong(r, ratio, "a ratio needs 'compare' with a 'baseline'");
    return value_known(r, t, KEYS) && read_at(r, at, q->at) &&
           value_real(r, ratio ? ratio : value, 0, 1e-300, 1e300, &q->value) &&
           (!within || value_real(r, within, 1, 0, 1, &q->within)) &&
           value_text(r, source, &q->source);
}

int plan_published(struct plan_reader *r, const tree *t)
{
    if (t->kind != TREE_LIST)
        return value_wrong(r, t, "'published' must be a list");
    for (const tree *e = t->first; e; e = e->next) {
        study_published *more =
            realloc(r->p->published, ((size_t)r->p->published_n + 1) * sizeof *more);
        if (!more)
            return value_no_memory(r);
        r->p->published = more;
        more[r->p->published_n] = (study_published){0};
        if (!read_one(r, e, &more[r->p->published_n++]))
            return 0;
    }
    return 1;
}
