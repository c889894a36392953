/* A small submission is computed without anybody waiting for it: within a minute its progress
 * reaches the end, and only then is orr_wait called. heevj, gesvj, hb2st, gb2bd.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "orrery/orrery.h"

enum { N = 12, B = 3, TRIES = 6000 };

static int failures;
static atomic_int done;

static void progress(int64_t now, int64_t total, void *arg)
{
    (void)arg;
    atomic_store(&done, now >= total);
}

static void finish(const char *what, orr_status submitted, orr_request *req)
{
    int tries = 0;
    while (submitted == ORR_OK && !atomic_load(&done) && tries++ < TRIES)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    const int alone = atomic_load(&done);
    const orr_status st = submitted == ORR_OK ? orr_wait(req, NULL) : submitted;
    printf("%s: %s before orr_wait, status %d\n", what, alone ? "done" : "not done", st);
    failures += !alone || st != ORR_OK;
    atomic_store(&done, 0);
}

int main(void)
{
    double a[N * N], u[N * N], v[N * N], d[N], e[N];
    for (int i = 0; i < N * N; i++)
        a[i] = 1 + i % 7;
    orr_context *ctx;
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    orr_batch A = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = a};
    orr_batch U = A, V = A, W = {.type = ORR_D, .batch = 1, .m = N, .n = 1, .a = d};
    U.a = u;
    V.a = v;
    orr_request *req;
    orr_status st;

    st = orr_submit_gesvj(ctx, &A, &W, &U, &V, &(orr_gesvj_opts){.progress = progress}, NULL, &req);
    finish("gesvj", st, req);
    st = orr_submit_hb2st(ctx, ORR_D, 'L', N, B, a, B + 1, d, e,
                          &(orr_hb2st_opts){.progress = progress}, &req);
    finish("hb2st", st, req);
    st = orr_submit_gb2bd(ctx, ORR_D, N, N, 0, B, a, B + 1, d, e,
                          &(orr_gb2bd_opts){.progress = progress}, &req);
    finish("gb2bd", st, req);
    st = orr_submit_heevj(ctx, &A, &W, &(orr_heevj_opts){.progress = progress}, NULL, &req);
    finish("heevj", st, req);
    orr_close(ctx);
    printf("%d of 4 failed\n", failures);
    return failures != 0;
}
