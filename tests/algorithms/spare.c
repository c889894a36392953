/* Memory kept between small calls (codelets/core/spare.h).
 *
 *   alone     one block stays, the last that came back, unless it is too large; a larger one is
 *             another; nothing is shared by those who have one
 *   threads   what a thread wrote into its block is there until it gives it back
 *   calls     heev and gesvd of sizes up and down, by several threads in two contexts: the bits of
 *             calls one after the other. What is not freed with its context a sanitizer tells
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codelets/core/spare.h"
#include "numbers.h"
#include "orrery/orrery.h"

static void alone(void)
{
    struct orr_spare s = {0};
    char *nobody = orr_spare_take(NULL, 100);
    CHECK(nobody && (uintptr_t)nobody % 64 == 0, "without a spare");
    orr_spare_give(NULL, nobody);
    orr_spare_give(&s, NULL);
    orr_spare_drop(&s);
    CHECK(!s.block, "an empty one");

    char *first = orr_spare_take(&s, 1000), *second = orr_spare_take(&s, 1000);
    CHECK(first && second && first != second && (uintptr_t)first % 64 == 0, "two at a time");
    memset(first, 1, 1000), memset(second, 2, 1000);
    orr_spare_give(&s, first);
    orr_spare_give(&s, second); /* the first one goes */
    char *smaller = orr_spare_take(&s, 10);
    CHECK(smaller == second && !s.block, "the last one that came back was not kept");
    orr_spare_give(&s, smaller);
    char *zero = orr_spare_take(&s, 0);
    CHECK(zero == second, "none is less than a small one");
    orr_spare_give(&s, zero);
    char *larger = orr_spare_take(&s, 5000);
    memset(larger, 3, 5000); /* a sanitizer: it is as large */
    CHECK(!s.block, "the small one stays beside the large one");
    orr_spare_give(&s, larger);
    CHECK(orr_spare_take(&s, 1000) == larger, "a small call has the large one");
    orr_spare_give(&s, larger);

    char *most = orr_spare_take(&s, ORR_SPARE_MOST);
    orr_spare_give(&s, most);
    CHECK(s.block, "the largest that may stay");
    char *more = orr_spare_take(&s, ORR_SPARE_MOST + 1);
    orr_spare_give(&s, more);
    CHECK(!s.block, "more than may stay");
    CHECK(SANITIZED || !orr_spare_take(&s, SIZE_MAX / 2), "no memory"); /* a sanitizer would end */
    orr_spare_give(&s, orr_spare_take(&s, 64));
    orr_spare_drop(&s);
    CHECK(!s.block, "dropped");
}

/* ---- Threads ------------------------------------------------------------------------------- */

enum { THREADS = 4, TIMES = 5000 };

struct user {
    struct orr_spare *spare;
    uint64_t seed;
    int wrong;
};

static void *use(void *arg)
{
    struct user *u = arg;
    for (int i = 0; i < TIMES; i++) {
        const size_t bytes = 1 + (size_t)(next_uniform(&u->seed) * 0.5 * 4096 + 2048);
        unsigned char *p = orr_spare_take(u->spare, bytes);
        if (!p) {
            u->wrong++;
            continue;
        }
        memset(p, i % 251 + (int)(u->seed % 3), bytes);
        const unsigned char mine = p[0];
        for (size_t k = 0; k < bytes; k++)
            u->wrong += ((volatile unsigned char *)p)[k] != mine;
        orr_spare_give(u->spare, p);
    }
    return NULL;
}

static void threads(void)
{
    struct orr_spare s = {0};
    struct user user[THREADS];
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++) {
        user[i] = (struct user){&s, 17 + (uint64_t)i, 0};
        pthread_create(&id[i], NULL, use, &user[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(id[i], NULL);
        CHECK(user[i].wrong == 0, "thread %d: %d bytes of another one", i, user[i].wrong);
    }
    orr_spare_drop(&s);
}

/* ---- Calls --------------------------------------------------------------------------------- */

static const int order[] = {3, 40, 150, 64, 1, 128, 90, 129, 7};
enum { ORDERS = sizeof order / sizeof *order, MOST = 150 };

struct answers {
    orr_context *ctx;
    orr_status st;
    double w[ORDERS][MOST], s[ORDERS][MOST], z[ORDERS][MOST * MOST], u[ORDERS][MOST * MOST];
};

static void *solve_all(void *arg)
{
    struct answers *x = arg;
    double *a = malloc(sizeof x->z[0]), *v = malloc(sizeof x->z[0]);
    for (int k = 0; k < ORDERS; k++) {
        const int n = order[k];
        for (int twice = 0; twice < 2; twice++) {
            uint64_t state = 5 + (uint64_t)n;
            for (int i = 0; i < n * n; i++)
                a[i] = next_uniform(&state);
            const orr_status st =
                twice ? orr_gesvd(x->ctx, ORR_D, n, n, a, n, x->s[k], x->u[k], n, v, n, NULL, NULL)
                      : orr_heev(x->ctx, ORR_D, 'L', n, a, n, x->w[k], x->z[k], n, NULL, NULL);
            x->st = st == ORR_OK ? x->st : st;
        }
    }
    free(a);
    free(v);
    return NULL;
}

static void calls(void)
{
    orr_context *ctx[2];
    struct answers *of[1 + THREADS];
    pthread_t id[THREADS];
    if (orr_open(NULL, &ctx[0]) != ORR_OK || orr_open(NULL, &ctx[1]) != ORR_OK)
        exit(77);
    for (int i = 0; i <= THREADS; i++) {
        of[i] = calloc(1, sizeof *of[i]);
        of[i]->ctx = ctx[i % 2];
    }
    solve_all(of[THREADS]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, solve_all, of[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(id[i], NULL);
        CHECK(of[i]->st == ORR_OK && !memcmp(of[i]->w, of[THREADS]->w, sizeof of[i]->w) &&
                  !memcmp(of[i]->s, of[THREADS]->s, sizeof of[i]->s) &&
                  !memcmp(of[i]->z, of[THREADS]->z, sizeof of[i]->z) &&
                  !memcmp(of[i]->u, of[THREADS]->u, sizeof of[i]->u),
              "thread %d: status %d, or other bits", i, of[i]->st);
    }
    for (int i = 0; i <= THREADS; i++)
        free(of[i]);
    orr_close(ctx[0]);
    orr_close(ctx[1]);
}

int main(void)
{
    alone();
    threads();
    calls();
    return checked();
}
