/* ranks.h for a build without MPI: there is one rank. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "orrery/models.h"
#include "src/core/ranks.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

void orr_ranks_library(char *name, size_t room) { name[0] = 0; }
struct orr_ranks_place orr_ranks_place(const void *comm) { return (struct orr_ranks_place){0}; }
orr_status orr_ranks_open(orr_context *c, const void *comm, int crowded, orr_status st,
                          char *message)
{
    if (comm && message)
        snprintf(message, ORR_MESSAGE, "this library is built without MPI");
    return comm ? ORR_E_ARG : st;
}
void orr_ranks_close(orr_context *c) {}
orr_status orr_ranks_agree(orr_context *c, orr_status st, char *message) { return st; }
void orr_ranks_bcast(orr_context *c, int from, void *p, size_t bytes) {}
void orr_ranks_send(orr_context *c, int to, const void *p, size_t bytes) {}
void orr_ranks_receive(orr_context *c, int from, void *p, size_t bytes) {}
void orr_ranks_sum(orr_context *c, int64_t *v, int count) {}
void orr_ranks_move(orr_context *c, struct orr_request *r, starpu_data_handle_t h, int from, int to)
{
}
void orr_ranks_end(orr_context *c, orr_status st, const char *culprit) {}
void orr_ranks_check(orr_context *c, struct orr_request *r) {}
