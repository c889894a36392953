/* See together.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/together.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>

enum { LEAST_BYTES = 1 << 24, MOST_THREADS = 64 }; /* a core reads so many in a millisecond */

struct loop {
    int64_t count;
    void (*work)(void *, int64_t);
    void *arg;
    _Atomic int64_t next;
};

static void *take_part(void *loop)
{
    struct loop *l = loop;
    for (int64_t i; (i = atomic_fetch_add(&l->next, 1)) < l->count;)
        l->work(l->arg, i);
    return NULL;
}

void orr_together(int64_t count, double bytes, void (*work)(void *, int64_t), void *arg)
{
    struct loop loop = {.count = count, .work = work, .arg = arg};
    pthread_t thread[MOST_THREADS];
    int threads = 0;
    const int64_t cpus = starpu_cpu_worker_get_count();
    while (bytes >= LEAST_BYTES && threads < MOST_THREADS && threads < cpus - 1 &&
           threads < count - 1 && pthread_create(&thread[threads], NULL, take_part, &loop) == 0)
        threads++;
    take_part(&loop);
    while (threads-- > 0)
        pthread_join(thread[threads], NULL);
}
