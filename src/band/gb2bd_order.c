/* See gb2bd_order.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/gb2bd_order.h"

#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"

static int64_t ceiling(int64_t x, int64_t y) { return (x + y - 1) / y; }

int64_t orr_gb2bd_column_blocks(const struct orr_gb2bd *r) { return ceiling(r->order, r->D); }

int64_t orr_gb2bd_sweeps(const struct orr_gb2bd_stages *s, int64_t k)
{
    return orr_most(s->r->order - 1 - (s->stage[k].b - s->stage[k].tw), 0);
}

int64_t orr_gb2bd_rest(const struct orr_gb2bd_stages *s, int64_t k)
{
    const int64_t two_left = (orr_gb2bd_column_blocks(s->r) - 2) * s->r->D, G = s->stage[k].G;
    const int64_t groups = ceiling(orr_gb2bd_sweeps(s, k), G);
    return s->has_rest && two_left >= 0 ? orr_least(ceiling(two_left, G), groups) : groups;
}

int64_t orr_gb2bd_each_chase(orr_request *req, const struct orr_gb2bd_stages *s,
                             void (*visit)(void *arg, struct orr_gb2bd_chase *), void *arg)
{
    const int64_t D = s->r->D, blocks = orr_gb2bd_column_blocks(s->r);
    int64_t count = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const int64_t rest = orr_gb2bd_rest(s, k), G = s->stage[k].G;
        for (int64_t g = 0; g <= rest && g * G < orr_gb2bd_sweeps(s, k); g++) {
            const int64_t first = g < rest ? g * G / D : blocks - 1;
            for (int64_t m = first, alike = 1; m < blocks; m += alike, count += alike)
                if (visit) {
                    struct orr_gb2bd_chase task = {.k = (int32_t)k, .m = (int32_t)m, .g = g};
                    alike = orr_plan_alike(req, m, first + 2, blocks - 3);
                    visit(arg, &task);
                }
        }
    }
    return count;
}

/* ---- By depth -------------------------------------------------------------------------- */

struct sort {
    struct orr_gb2bd_chase *task;
    int64_t carries, depths;
    int64_t *place;             /* how many tasks a depth has; then where its next one goes */
    int32_t *last, *last_carry; /* the depth of the last one on each block and carry */
};

static int32_t *deeper(int32_t *a, int32_t *b) { return *a > *b ? a : b; }

/* One more than that of the last task before it on each of its data. */
static void find_depth(struct sort *x, struct orr_gb2bd_chase *t)
{
    int32_t *here = &x->last[t->m], *above = t->m ? here - 1 : here;
    int32_t *carry = &x->last_carry[t->g % x->carries];
    *here = *above = *carry = t->depth = 1 + *deeper(deeper(here, above), carry);
    x->depths = orr_most(x->depths, t->depth);
}

static void count_depth(void *arg, struct orr_gb2bd_chase *t)
{
    struct sort *x = arg;
    find_depth(x, t);
    x->place[t->depth]++;
}

static void put_in_place(void *arg, struct orr_gb2bd_chase *t)
{
    struct sort *x = arg;
    find_depth(x, t);
    x->task[x->place[t->depth]++] = *t;
}

static void sort(orr_request *req, const struct orr_gb2bd_stages *s, struct sort *x)
{
    const size_t blocks = (size_t)orr_gb2bd_column_blocks(s->r) + 1;
    orr_gb2bd_each_chase(req, s, count_depth, x);
    for (int64_t depth = 0, at = 0; depth <= x->depths; depth++) {
        const int64_t here = x->place[depth];
        x->place[depth] = at;
        at += here;
    }
    memset(x->last, 0, blocks * sizeof *x->last);
    memset(x->last_carry, 0, (size_t)x->carries * sizeof *x->last_carry);
    orr_gb2bd_each_chase(req, s, put_in_place, x);
}

struct orr_gb2bd_chase *orr_gb2bd_by_depth(orr_request *req, const struct orr_gb2bd_stages *s,
                                           int64_t carries, int64_t *count)
{
    const size_t all = (size_t)orr_gb2bd_each_chase(req, s, NULL, NULL);
    struct sort x = {.carries = carries};
    *count = 0;
    orr_plan_bytes(req, (double)all * (double)(sizeof *x.place + sizeof *x.task));
    if (req->plan)
        return NULL;
    x.last = calloc((size_t)orr_gb2bd_column_blocks(s->r) + 1, sizeof *x.last);
    x.last_carry = calloc((size_t)carries, sizeof *x.last_carry);
    x.place = calloc(all + 2, sizeof *x.place);
    x.task = malloc((all + 1) * sizeof *x.task);
    if (x.last && x.last_carry && x.place && x.task) {
        sort(req, s, &x);
        *count = (int64_t)all;
    } else {
        orr_request_fail(req, ORR_E_NOMEM, "gb2bd");
    }
    free(x.last);
    free(x.last_carry);
    free(x.place);
    return x.task;
}
