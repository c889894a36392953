/* The direct reduction of heev as tasks that share it, and its back-transformation. CPU only; the
 * reduction's arrays are in main memory, and the handles say who waits for whom.
 *
 *   reduce    A R, member[i] W       i = 0 .. members-1, at the same time
 *   rest      member[0 ..] R, T RW
 *   back      T R, E RW
 *
 * A task of `reduce` that comes late finds little or nothing left to do, and none waits for one that
 * has not begun: with one worker the first does everything.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_reduce.h"

#include <stdlib.h>

#include "codelets/dense/heev.h"
#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"

struct orr_reduction {
    orr_heev_reduction g;
    void *memory;
    starpu_data_handle_t member[ORR_HEEV_TEAM];
    char unused[ORR_HEEV_TEAM]; /* what the handles stand for */
};

struct args {
    struct orr_task task;
    orr_heev_reduction *g;
    int64_t columns, lde; /* of E */
    double *ended;
};

/* ---- Functions ------------------------------------------------------------------------------ */

static int stopped(const void *req) { return orr_request_failed((struct orr_request *)req); }

static void reduce(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    if (!orr_request_failed(a->task.req))
        orr_heev_reduce_cpu[a->g->type](a->g);
}

static void rest(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    orr_heev_rest_cpu[a->g->type](a->g);
    *a->ended = orr_now();
}

static void back(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_status st = orr_heev_back_cpu(a->g, a->columns, ORR_PTR(1), a->lde);
    orr_task_check(a, st, "heev_back");
}

ORR_CODELETS(reduce, "heev_reduce", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(rest, "heev_rest", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(back, "heev_back", ORR_SDCZ, ORR_CPU);

/* ---- Memory and insertion ---------------------------------------------------------------------- */

struct orr_reduction *orr_heev_one_stage(struct orr_request *req, const struct orr_tridiagonal *t,
                                         const struct orr_dense *user, int64_t workers)
{
    struct orr_reduction *x = calloc(1, sizeof *x);
    if (!x || !(x->memory = orr_request_memory(req, 0, orr_heev_reduction_bytes(t->type, t->n)))) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return NULL;
    }
    x->g = (orr_heev_reduction){.type = t->type,
                                .upper = user->upper,
                                .n = t->n,
                                .lda = user->lda,
                                .scale = t->scale,
                                .a = user->a,
                                .d = t->d,
                                .e = t->e,
                                .members = (int)(workers < ORR_HEEV_TEAM ? workers : ORR_HEEV_TEAM),
                                .stopped = stopped,
                                .whose = req};
    if (!req->plan)
        orr_heev_reduction_set(&x->g, x->memory);
    for (int i = 0; i < x->g.members; i++)
        x->member[i] = orr_request_vector(req, &x->unused[i], 1, 1);
    return x;
}

void orr_heev_one_stage_drop(struct orr_reduction *x)
{
    if (x)
        free(x->memory);
    free(x);
}

static struct args *make_args(struct orr_request *req, struct orr_reduction *x)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->g = &x->g;
    return a;
}

void orr_insert_heev_reduce(struct orr_request *req, const struct orr_tridiagonal *t,
                            struct orr_reduction *x, starpu_data_handle_t A, int64_t parts,
                            double *ended)
{
    enum { CALLS = 900 }; /* as in heev_direct.c */
    const int members = x->g.members;
    const double n = (double)t->n, work = n * n * (n + CALLS);
    struct starpu_data_descr data[ORR_HEEV_TEAM + 1];
    for (int i = 0; i < members; i++) {
        struct args *a = make_args(req, x);
        if (!a)
            return;
        a->task.parts = parts / (members + 1);
        orr_cost(&a->task, work / members, t->n, members);
        orr_submit(a, sizeof *a, &reduce_codelet[t->type], 0, STARPU_R, A, STARPU_W, x->member[i]);
        data[i] = (struct starpu_data_descr){x->member[i], STARPU_R};
    }
    struct args *a = make_args(req, x);
    if (!a)
        return;
    a->task.parts = parts - members * (parts / (members + 1));
    a->ended = ended;
    data[members] = (struct starpu_data_descr){t->T, STARPU_RW};
    orr_cost(&a->task, 1, 1);
    orr_submit(a, sizeof *a, &rest_codelet[t->type], 0, STARPU_DATA_MODE_ARRAY, data, members + 1);
}

void orr_insert_heev_back(struct orr_request *req, const struct orr_tridiagonal *t,
                          struct orr_reduction *x, const struct orr_hb2st_panel *p, int64_t parts)
{
    struct args *a = make_args(req, x);
    if (!a)
        return;
    a->columns = p->k;
    a->lde = p->lde;
    a->task.parts = parts;
    orr_cost(&a->task, t->n * t->n * p->k, t->n, p->k);
    orr_submit(a, sizeof *a, &back_codelet[t->type], 0, STARPU_R, t->T, STARPU_RW, p->E);
}
