/* See gesvj_divided.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gesvj_divided.h"

#include <stdlib.h>

#include "src/cli/core/ranks.h"

static int prepare(svd_divided *d, const svd_data *all, const cli_run *run, int left, int right)
{
    int64_t *order = malloc(((size_t)all->count + 1) * sizeof *order);
    int code = order ? CLI_OK : CLI_MEMORY;
    for (int64_t l = 0; order && l < all->count; l++)
        order[l] = all->k;
    if (code == CLI_OK)
        code = cli_parts_make(&d->parts, all->count, order);
    free(order);
    if (code != CLI_OK)
        return code;
    const int64_t count = d->parts.mine;
    code = cli_check_memory(run, svd_bytes(all->type, count, all->m, all->n, left, right),
                            "a rank's part of the array");
    if (code != CLI_OK)
        return code;
    void *a = malloc((size_t)(count * all->m * all->n) * orr_type_size(all->type) + 1);
    if (!a)
        return CLI_MEMORY;
    return svd_allocate(&d->mine, all->type, count, all->m, all->n, a, left, right);
}

int svd_divide(svd_divided *d, svd_data *all, const cli_run *run, int left, int right)
{
    int64_t head[] = {all->type, all->count, all->m, all->n};
    cli_ranks_bytes(head, sizeof head);
    all->type = (orr_type)head[0];
    all->count = head[1];
    all->m = head[2];
    all->n = head[3];
    all->k = all->m < all->n ? all->m : all->n;
    const int code = cli_ranks_code(prepare(d, all, run, left, right));
    if (code == CLI_OK)
        cli_parts_scatter(&d->parts, NULL, (size_t)(all->m * all->n) * orr_type_size(all->type),
                          all->a, d->mine.a);
    return code;
}

void svd_gather(const svd_divided *d, svd_data *all)
{
    const size_t size = orr_type_size(all->type), k = (size_t)all->k;
    cli_parts_gather(&d->parts, NULL, k * orr_type_size(orr_type_real(all->type)), all->s,
                     d->mine.s);
    cli_parts_gather(&d->parts, NULL, sizeof *all->info, all->info, d->mine.info);
    if (d->mine.x)
        cli_parts_gather(&d->parts, NULL, (size_t)all->n * k * size, all->x, d->mine.x);
    if (d->mine.y)
        cli_parts_gather(&d->parts, NULL, (size_t)all->m * k * size, all->y, d->mine.y);
}

void svd_divided_free(svd_divided *d)
{
    cli_parts_free(&d->parts);
    svd_free(&d->mine);
}
