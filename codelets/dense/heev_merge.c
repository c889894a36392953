/* The last merge of divide and conquer as tasks, all on CPUs; their arrays are in main memory and
 * the handles say who waits for whom.
 *
 *   half      T R, half[which] W
 *   deflate   half[0] R, half[1] R, state W
 *   secular   state R, part[p] W
 *   weigh     part[0 .. parts-1] R, state RW
 *   columns   state R, part[p] RW
 *   order     part[0 .. parts-1] R, state R, S W
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include <stdlib.h>

#include "codelets/dense/heev.h"
#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"

struct orr_merge {
    orr_heev_merge m;
    orr_type type;
    int64_t parts;
    char *factor; /* of the weights, [parts * n] */
    starpu_data_handle_t half[2], state, *part;
};

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
    struct orr_merge *x;
    int64_t which; /* half or part */
};

enum { COLUMNS = 128 }; /* of a part */

/* ---- Functions ------------------------------------------------------------------------------ */

static int stopped(const struct args *a)
{
    return orr_request_failed(a->task.req) || atomic_load(a->t.failed);
}

static void check(const struct args *a, orr_status st, const char *who)
{
    if (st == ORR_NOCONV)
        atomic_store(a->t.failed, 1);
    if (st < 0)
        orr_request_fail(a->task.req, st, who);
}

static char *factor_of(const struct orr_merge *x, int64_t part)
{
    return x->factor + (size_t)(part * x->m.n) * orr_real_size(x->type);
}

static void half(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (stopped(a))
        return;
    orr_heev_begin(&a->t);
    check(a, orr_heev_half_cpu[a->t.type](&a->x->m, (int)a->which, a->t.d, a->t.e), "heev_half");
}

static void deflate(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_heev_deflate_cpu[a->t.type](&a->x->m);
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = a->which * COLUMNS >= a->x->m.k;
    check(a,
          orr_heev_secular_cpu[a->t.type](&a->x->m, a->which * COLUMNS, COLUMNS,
                                          factor_of(a->x, a->which)),
          "heev_secular");
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_heev_weigh_cpu[a->t.type](&a->x->m, a->x->factor, a->x->parts);
}

static void columns(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = a->which * COLUMNS >= a->x->m.k;
    check(a, orr_heev_columns_cpu[a->t.type](&a->x->m, a->which * COLUMNS, COLUMNS),
          "heev_columns");
}

static void order(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_heev_order_cpu[a->t.type](&a->x->m, a->t.scale, a->t.w);
    atomic_store(a->t.ended, orr_now());
}

/* ---- Codelets -------------------------------------------------------------------------------- */

ORR_CODELETS(half, "heev_half", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(deflate, "heev_deflate", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(secular, "heev_secular", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(weigh, "heev_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(columns, "heev_columns", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(order, "heev_order", ORR_SDCZ, ORR_CPU);

/* ---- Memory and handles ---------------------------------------------------------------------- */

struct orr_merge *orr_heev_split(struct orr_request *req, const struct orr_tridiagonal *t, void *q)
{
    struct orr_merge *x = calloc(1, sizeof *x);
    const int64_t real = (int64_t)orr_real_size(t->type);
    const int64_t parts = (t->n + COLUMNS - 1) / COLUMNS;
    const int64_t left = t->n / 2 + 1;
    if (x && req->plan) { /* as heev_merge_make, and what the two halves work in */
        orr_plan_bytes(req, (double)((t->n * t->n + 5 * t->n) * real + (5 * t->n + 4) * 4 +
                                     2 * (left * left + 10 * left) * real));
        x->m.n = t->n;
    } else if (!x || !orr_heev_merge_make(&x->m, t->n, real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return NULL;
    }
    x->m.q = q;
    x->type = t->type;
    x->parts = parts;
    x->factor = orr_request_memory(req, 0, (size_t)(parts * t->n * real));
    x->part = calloc((size_t)parts, sizeof *x->part);
    if (!x->factor || !x->part) {
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return x;
    }
    x->half[0] = orr_request_vector(req, x->m.d, 1, 1);
    x->half[1] = orr_request_vector(req, x->m.z, 1, 1);
    x->state = orr_request_vector(req, x->m.q2, 1, 1);
    for (int64_t p = 0; p < parts; p++)
        x->part[p] = orr_request_vector(req, factor_of(x, p), 1, 1);
    return x;
}

const int32_t *orr_heev_split_order(const struct orr_merge *x) { return x->m.order; }

void orr_heev_split_drop(struct orr_merge *x)
{
    if (!x)
        return;
    orr_heev_merge_free(&x->m);
    free(x->factor);
    free(x->part);
    free(x);
}

/* ---- Insertion ------------------------------------------------------------------------------ */

/* One task; work: as orr_cost takes it. */
static void insert(struct orr_request *req, const struct orr_tridiagonal *t, struct orr_merge *x,
                   struct starpu_codelet *codelet, int64_t which, double work, int64_t parts,
                   struct starpu_data_descr *data, int64_t count)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return;
    a->task.parts = parts;
    a->t = *t;
    a->x = x;
    a->which = which;
    orr_cost(&a->task, work, t->n, which);
    orr_submit(a, sizeof *a, &codelet[t->type], 0, STARPU_DATA_MODE_ARRAY, data, (int)count);
}

void orr_insert_heev_merge(struct orr_request *req, const struct orr_tridiagonal *t,
                           struct orr_merge *x)
{
    const double n = (double)t->n;
    /* Two thirds for the halves, most of the rest for the columns; the last task has what is left. */
    const int64_t of_half = t->parts / 3, of_columns = t->parts / 4 / x->parts;
    struct starpu_data_descr all[x->parts + 2];
    for (int64_t p = 0; p < x->parts; p++)
        all[p] = (struct starpu_data_descr){x->part[p], STARPU_R};

    for (int64_t h = 0; h < 2; h++)
        insert(req, t, x, half_codelet, h, n * n * n, of_half,
               (struct starpu_data_descr[]){{t->T, STARPU_R}, {x->half[h], STARPU_W}}, 2);
    insert(req, t, x, deflate_codelet, 0, n * n, 0,
           (struct starpu_data_descr[]){
               {x->half[0], STARPU_R}, {x->half[1], STARPU_R}, {x->state, STARPU_W}},
           3);
    for (int64_t p = 0; p < x->parts; p++)
        insert(req, t, x, secular_codelet, p, n * COLUMNS, 0,
               (struct starpu_data_descr[]){{x->state, STARPU_R}, {x->part[p], STARPU_W}}, 2);
    all[x->parts] = (struct starpu_data_descr){x->state, STARPU_RW};
    insert(req, t, x, weigh_codelet, 0, n * (double)x->parts, 0, all, x->parts + 1);
    for (int64_t p = 0; p < x->parts; p++)
        insert(req, t, x, columns_codelet, p, n * n * COLUMNS, of_columns,
               (struct starpu_data_descr[]){{x->state, STARPU_R}, {x->part[p], STARPU_RW}}, 2);
    all[x->parts] = (struct starpu_data_descr){x->state, STARPU_R};
    all[x->parts + 1] = (struct starpu_data_descr){t->S, STARPU_W};
    insert(req, t, x, order_codelet, 0, n, t->parts - 2 * of_half - x->parts * of_columns, all,
           x->parts + 2);
}
