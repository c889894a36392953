/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/looks.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/study/effects.h"
#include "src/cli/study/points.h"

int looks_read(struct plan_reader *r, const tree *t)
{
    study_plan *p = r->p;
    int64_t blocks;
    if (p->exact)
        return value_wrong(r, t, "'looks' mean nothing where runs are exact: one block tells all");
    if (p->compare < 0)
        return value_wrong(r, t, "'looks' need 'compare': there is nothing to be decided");
    if (t->kind != TREE_LIST || !t->first)
        return value_wrong(r, t, "'looks' must be a list of numbers of blocks");
    for (const tree *e = t->first; e; e = e->next) {
        const int least = p->looks ? p->look[p->looks - 1] + 1 : 1;
        if (e->kind != TREE_TEXT || !cli_number(e->text, &blocks) || blocks < least ||
            blocks > p->blocks)
            return value_wrong(
                r, e,
                "'looks' must be whole numbers from 1 to 'blocks' (%d), each above the one before",
                p->blocks);
        if (p->looks == STUDY_LOOKS - 1 && blocks < p->blocks)
            return value_wrong(r, e, "more than %d looks", STUDY_LOOKS);
        p->look[p->looks++] = (int)blocks;
    }
    if (p->look[p->looks - 1] < p->blocks)
        p->look[p->looks++] = p->blocks;
    return 1;
}

int looks_count(const study_plan *p) { return p->looks ? p->looks : 1; }

int looks_blocks(const study_plan *p, int look) { return p->looks ? p->look[look] : p->blocks; }

double looks_share(const study_plan *p, int look)
{
    const int before = look ? looks_blocks(p, look - 1) : 0;
    return (double)(looks_blocks(p, look) - before) / p->blocks;
}

int looks_reached(const study_plan *p, const study_rows *rows)
{
    const size_t points = (size_t)points_count(p);
    int n = 0;
    while (n < looks_count(p) && !memchr(rows->done, 0, points * (size_t)looks_blocks(p, n)))
        n++;
    return n;
}

int looks_decided(const study_plan *p, const study_rows *rows)
{
    const int reached = p->looks ? looks_reached(p, rows) : 0, n = effects_count(p);
    if (!reached || reached == p->looks)
        return 0;
    study_effect *e = effects_make(p, rows);
    int decided = e ? looks_blocks(p, reached - 1) : -1;
    for (int k = 0; e && k < n; k++)
        if (e[k].verdict == COMPARE_UNDECIDED)
            decided = 0;
    free(e);
    return decided;
}

const char *looks_text(const study_plan *p, int n, char out[128])
{
    size_t used = 0;
    for (int k = 0; k < n && used < 120; k++)
        used += (size_t)snprintf(out + used, 128 - used, "%s%d",
                                 k == 0       ? ""
                                 : k == n - 1 ? " and "
                                              : ", ",
                                 looks_blocks(p, k));
    return out;
}
