/* What algorithms remember on a context (internal.h). SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/internal.h"

#include <stdlib.h>

struct orr_remembered {
    const struct orr_memory *kind;
    void *what;
    struct orr_remembered *next;
};

void *orr_context_memory(orr_context *c, const struct orr_memory *kind)
{
    pthread_mutex_lock(&c->kept_lock);
    struct orr_remembered *k = c->kept;
    while (k && k->kind != kind)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        *k = (struct orr_remembered){kind, NULL, c->kept};
        c->kept = k;
    }
    if (k && !k->what)
        k->what = kind->make();
    void *what = k ? k->what : NULL;
    pthread_mutex_unlock(&c->kept_lock);
    return what;
}

void orr_context_forget(orr_context *c)
{
    while (c->kept) {
        struct orr_remembered *k = c->kept;
        c->kept = k->next;
        if (k->what)
            k->kind->drop(k->what);
        free(k);
    }
}
