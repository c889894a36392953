/* Sparse products in every format and type where there are devices only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/powm_case.h"
#include "check.h"

int main(void)
{
    orr_context *ctx;
    if (orr_open(&(orr_context_opts){.cpus = -1, .sched = "eager"}, &ctx) != ORR_OK)
        return 77;
    products(ctx);
    orr_close(ctx);
    return checked();
}
