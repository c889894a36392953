/* Messages between the graphs of several ranks. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_MPI_MESSAGES_H
#define ORR_SRC_MPI_MESSAGES_H

#include <mpi.h>

#include "codelets/core/request.h"

/* A thread that sees messages through. comm is its own. eager: it has a core to poll on. NULL: no
 * memory, or no thread. */
struct orr_messages *orr_messages_start(MPI_Comm comm, int eager);
void orr_messages_end(struct orr_messages *); /* there are no messages under way; NULL is legal */

/* h, a vector, to or from another rank: after all tasks so far that use it, and before all that
 * are submitted later. The request is held until then. */
void orr_messages_add(struct orr_messages *, struct orr_request *, starpu_data_handle_t h, int peer,
                      int tag, int sends);

#endif
