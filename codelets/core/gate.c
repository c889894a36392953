/* See gate.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/gate.h"

#include <stdlib.h>

#include "codelets/core/request.h"

struct orr_gate {
    struct starpu_task *task; /* NULL in a plan */
    atomic_int open;
    int promised;
    struct orr_gate *next;
};

struct orr_gate *orr_request_gate(struct orr_request *r)
{
    struct orr_gate *g = calloc(1, sizeof *g);
    if (g && !r->plan) {
        g->task = starpu_task_create();
        g->task->name = "gate";
        g->task->destroy = 0; /* who waits for it may come when it has ended */
    }
    if (!g)
        return NULL;
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    g->next = r->gates;
    r->gates = g;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
    return g;
}

void orr_gate_promise(struct orr_gate *g, int submitted)
{
    if (g && submitted)
        g->promised = 1;
}

int orr_gate_opens(const struct orr_gate *g) { return g && g->promised; }

void orr_gate_open(struct orr_gate *g)
{
    if (g && g->task && atomic_exchange(&g->open, 1) == 0)
        (void)!starpu_task_submit(g->task); /* it needs no worker */
}

struct starpu_task **orr_gate_task(struct orr_gate *g) { return g ? &g->task : NULL; }

void orr_gates_free(struct orr_gate *first)
{
    for (struct orr_gate *g = first, *next; g; g = next) {
        next = g->next;
        if (g->task)
            starpu_task_destroy(g->task);
        free(g);
    }
}
