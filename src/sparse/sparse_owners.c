/* Which accelerator's memory a block of a sparse matrix lives in, where there are several: it goes
 * there once, and of each step only those parts of x that others make.
 *
 * Blocks side by side have the same owner, for many a matrix has its entries near the diagonal; each
 * owner has as many bytes as its rate says (codelets/core/owner.h). Where StarPU's models know that
 * the parts of x would take longer than several devices save, blocks are nobody's, and the policy
 * weighs each task.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/owners.h"
#include "src/sparse/sparse.h"

static double rows_bytes(const orr_sparse *A, int64_t b)
{
    return (double)(A->first[b + 1] - A->first[b]) * (double)orr_type_size(A->info.type);
}

/* As the tasks tell StarPU. */
static double work(const orr_sparse *A, int64_t b)
{
    return (double)A->bytes[b] + 2 * rows_bytes(A, b);
}

static void cut_by_rates(orr_sparse *A, const struct orr_owners *o, double all)
{
    double before = 0, upto = all * orr_owner_share(o, 0);
    int i = 0;
    for (int64_t b = A->m.mine; b < A->m.mine_end; b++) {
        const double middle = before + work(A, b) / 2;
        while (i + 1 < o->count && middle > upto)
            upto += all * orr_owner_share(o, ++i);
        A->owner[b] = o->node[i];
        before += work(A, b);
    }
}

/* Microseconds of a step of this owner. got: room for a mark per block. */
static double step(const orr_sparse *A, int node, double unit, char *got)
{
    double us = 0;
    memset(got, 0, (size_t)A->info.blocks);
    for (int64_t b = A->m.mine; b < A->m.mine_end; b++) {
        if (A->owner[b] != node)
            continue;
        us += unit * work(A, b);
        for (int64_t k = A->need_at[b]; k < A->need_at[b + 1]; k++) {
            const int32_t part = A->need[k];
            if (A->owner[part] != node && !got[part])
                us += starpu_transfer_predict((unsigned)A->owner[part], (unsigned)node,
                                              (size_t)rows_bytes(A, part));
            got[part] = 1;
        }
    }
    return us;
}

orr_status orr_sparse_deal(orr_sparse *A)
{
    const char *codelet = A->info.graph ? "pagerank_step" : "powm_spmv";
    if (A->m.mine_end - A->m.mine < 2 || !A->need) /* a rectangular matrix is used on CPUs */
        return ORR_OK;
    const struct orr_owners o = orr_context_owners(A->ctx, ORR_PLACE_AUTO, codelet, A->info.type);
    char *got = malloc((size_t)A->info.blocks);
    double all = 0, least = INFINITY, longest = 0;
    if (!got)
        return ORR_E_NOMEM;
    for (int64_t b = A->m.mine; b < A->m.mine_end; b++)
        all += work(A, b);
    if (o.count > 0)
        cut_by_rates(A, &o, all);
    for (int i = 0; i < o.count; i++) {
        least = fmin(least, o.unit[i]);
        longest = fmax(longest, step(A, o.node[i], o.unit[i], got));
    }
    if (least > 0 && longest >= least * all)
        memset(A->owner, 0, (size_t)A->info.blocks * sizeof *A->owner);
    free(got);
    return ORR_OK;
}
