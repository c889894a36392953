/* A gate: tasks wait for it which another task opens before it has ended. A kernel has been launched, for
 * example, and the device needs nobody for a while. To StarPU it is an empty task, which is submitted when
 * the gate opens; nobody waits for ever, since the end of each task that has it opens it, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GATE_H
#define ORR_GATE_H

#include <starpu.h>

struct orr_request;
struct orr_gate;

/* A new one, until the request ends. NULL: no memory. */
struct orr_gate *orr_request_gate(struct orr_request *);
/* Whether a task whose orr_task.opens it is was submitted, as orr_submit says. By the submitter. */
void orr_gate_promise(struct orr_gate *, int submitted);
/* 1: it will open. NULL is legal, as in all of these. */
int orr_gate_opens(const struct orr_gate *);
/* By such a task, from then on without effect. */
void orr_gate_open(struct orr_gate *);

/* What orr_submit is given for a task that waits for it, if it will open. */
#define ORR_AFTER_GATE(g) STARPU_TASK_DEPS_ARRAY, (unsigned)orr_gate_opens(g), orr_gate_task(g)
struct starpu_task **orr_gate_task(struct orr_gate *);

void orr_gates_free(struct orr_gate *first); /* with the request, which is done */

#endif
