/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/workspace.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"

void *lapack_room(size_t bytes)
{
    void *room = malloc(bytes + 1);
    return room ? memset(room, 0, bytes + 1) : NULL;
}

void workspace_query(workspace *k)
{
    *k = (workspace){.lwork = -1, .lrwork = -1, .liwork = -1};
    k->work = k->first;
    k->rwork = k->rfirst;
    k->iwork = &k->ifirst;
}

/* A size as LAPACK answers it, in single precision rounded, perhaps down. */
static int answer(orr_type t, const void *x)
{
    return orr_type_real(t) == ORR_S ? 1 + (int)(1.0001 * (double)*(const float *)x)
                                     : 1 + (int)*(const double *)x;
}

int workspace_make(workspace *k, orr_type t, int64_t n)
{
    k->lwork = answer(t, k->first);
    k->lrwork = answer(t, k->rfirst);
    k->liwork = k->ifirst > 0 ? k->ifirst : 1;
    k->work = lapack_room(((size_t)k->lwork + (size_t)n) * orr_type_size(t));
    k->rwork = lapack_room((size_t)k->lrwork * sizeof(double));
    k->iwork = lapack_room((size_t)k->liwork * sizeof *k->iwork);
    return k->work && k->rwork && k->iwork;
}

void workspace_free(workspace *k)
{
    free(k->work);
    free(k->rwork);
    free(k->iwork);
}
