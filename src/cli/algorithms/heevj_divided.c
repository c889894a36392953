/* See heevj_divided.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/heevj_divided.h"

#include <stdlib.h>

#include "src/cli/core/ranks.h"
#include "src/cli/data/parts.h"

int heevj_share_layout(cli_stack *s)
{
    int64_t head[2] = {s->type, s->batch};
    if (cli_ranks() == 1)
        return CLI_OK;
    cli_ranks_bytes(head, sizeof head);
    const size_t bytes = (size_t)head[1] * sizeof(int64_t);
    int64_t *n = cli_rank() == 0 ? s->n : malloc(bytes + 1);
    int code = cli_ranks_code(n ? CLI_OK : CLI_MEMORY);
    if (code == CLI_OK) {
        cli_ranks_bytes(n, bytes);
        code = cli_rank() == 0 ? CLI_OK : stack_layout(s, (orr_type)head[0], head[1], n, head[1]);
        code = cli_ranks_code(code);
    }
    if (cli_rank() > 0)
        free(n);
    return code;
}

struct divided {
    cli_parts parts;
    cli_stack mine;
    heevj_result own;
};

/* Room for this rank's part, and on rank 0 for everybody's results. */
static int prepare(struct divided *d, const heevj_setup *setup, const cli_stack *whole,
                   heevj_result *all)
{
    const size_t batch = (size_t)whole->batch;
    int64_t count = 0, *n = malloc((batch + 1) * sizeof *n);
    int code = n ? cli_parts_make(&d->parts, whole->batch, whole->n) : CLI_MEMORY;
    for (int64_t k = 0; code == CLI_OK && k < whole->batch; k++)
        if (d->parts.owner[k] == cli_rank())
            n[count++] = whole->n[k];
    if (code == CLI_OK)
        code = stack_layout(&d->mine, whole->type, count, n, count);
    free(n);
    if (code != CLI_OK)
        return code;
    const double there =
        setup->run->max_memory > 0 && cli_rank() == 0 ? (double)stack_bytes(whole) : 0;
    code = cli_check_memory(
        setup->run, there + (double)stack_bytes(&d->mine) + heevj_case_bytes(&d->mine, setup),
        "a rank's part of the batch");
    if (code != CLI_OK)
        return code;
    d->mine.a = malloc(stack_room(&d->mine));
    all->w = cli_rank() == 0 ? malloc(stack_w_bytes(whole) + 1) : NULL;
    all->info = cli_rank() == 0 ? calloc(batch + 1, sizeof *all->info) : NULL;
    return d->mine.a && (cli_rank() > 0 || (all->w && all->info)) ? CLI_OK : CLI_MEMORY;
}

/* Rank 0's own record becomes that of all. */
static void gather(struct divided *d, const heevj_setup *setup, cli_stack *whole, heevj_result *all)
{
    const heevj_result *own = &d->own;
    cli_parts_gather(&d->parts, whole->w_at, orr_type_size(orr_type_real(whole->type)), all->w,
                     own->w);
    cli_parts_gather(&d->parts, NULL, sizeof *all->info, all->info, own->info);
    if (setup->jobz == 'V')
        cli_parts_gather(&d->parts, whole->at, orr_type_size(whole->type), whole->a, own->q);
    cli_parts_record(&d->own.record, &d->own.turns);
    if (cli_rank() > 0)
        return;
    void *w = all->w;
    orr_matrix_info *info = all->info;
    *all = *own;
    all->w = w;
    all->info = info;
    all->q = whole->a;
    all->own_q = 0;
    all->record.plan = all->plan;
    d->own.turns = (cli_turns){0};
}

int heevj_divided(orr_context *context, const orr_context_info *info, const heevj_setup *setup,
                  cli_stack *whole, heevj_result *all)
{
    struct divided d = {0};
    *all = (heevj_result){0};
    int code = cli_ranks_code(prepare(&d, setup, whole, all));
    if (code == CLI_OK) {
        cli_parts_scatter(&d.parts, whole->at, orr_type_size(whole->type), whole->a, d.mine.a);
        code = heevj_case(context, info, setup, &d.mine, &d.own);
        code = cli_ranks_code(d.own.w ? CLI_OK : code);
    }
    if (code == CLI_OK) {
        gather(&d, setup, whole, all);
        code = cli_ranks_code(d.own.checked);
        if (cli_rank() == 0)
            code = heevj_outcome(all, setup, whole, info, code);
    } else {
        heevj_result_free(all);
    }
    heevj_result_free(&d.own);
    stack_free(&d.mine);
    cli_parts_free(&d.parts);
    return code;
}
