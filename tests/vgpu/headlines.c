/* One large problem on a virtual device that only counts (VGPU_DRY=1): what the library plans, a line
 *
 *     plan CODELET TASKS OPERATIONS
 *
 * for each kind of task, and then a run, of which the stand-in records launches and copies. A matrix is
 * zeros that nobody touches, so that it takes no memory; a band has no outer diagonal of zeros. What depends on numbers is then
 * not what it is for a matrix of the size: merges of divide and conquer deflate all, sweeps and
 * iterations end with the first.
 *
 *   headlines ALGORITHM TYPE N B COUNT JOBZ     B: the bandwidth; JOBZ: N values, V with vectors
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/plan.h"

struct problem {
    const char *algorithm;
    orr_type type;
    int64_t n, b, count;
    int vectors;
    void *a, *w, *e, *u, *v;
};

static void *zeros(int64_t count, size_t size)
{
    void *p = mmap(NULL, (size_t)count * size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        exit(99);
    return p;
}

static orr_status solve(orr_context *ctx, const struct problem *p, orr_report *r)
{
    const int64_t n = p->n;
    const orr_type real = orr_type_real(p->type);
    const orr_batch A = {.type = p->type, .batch = p->count, .m = n, .n = n, .a = p->a},
                    w = {.type = real, .batch = p->count, .m = n, .n = 1, .a = p->w},
                    U = {.type = p->type, .batch = p->count, .m = n, .n = n, .a = p->u},
                    V = {.type = p->type, .batch = p->count, .m = n, .n = n, .a = p->v};
    void *u = p->vectors ? p->u : NULL, *v = p->vectors ? p->v : NULL;
    if (!strcmp(p->algorithm, "heevj"))
        return orr_heevj(ctx, &A, &w, NULL, NULL, r);
    if (!strcmp(p->algorithm, "gesvj"))
        return orr_gesvj(ctx, &A, &w, &U, &V, &(orr_gesvj_opts){.place = ORR_PLACE_GPU}, NULL, r);
    if (!strcmp(p->algorithm, "hb2st"))
        return orr_hb2st(ctx, p->type, 'L', n, p->b, p->a, p->b + 1, p->w, p->e,
                         &(orr_hb2st_opts){.place = ORR_PLACE_GPU}, r);
    if (!strcmp(p->algorithm, "gb2bd"))
        return orr_gb2bd(ctx, p->type, n, n, 0, p->b, p->a, p->b + 1, p->w, p->e,
                         &(orr_gb2bd_opts){.place = ORR_PLACE_GPU}, r);
    if (!strcmp(p->algorithm, "heev"))
        return orr_heev(ctx, p->type, 'L', n, p->a, n, p->w, u, n,
                        &(orr_heev_opts){.place = ORR_PLACE_GPU}, r);
    if (!strcmp(p->algorithm, "gesvd"))
        return orr_gesvd(ctx, p->type, n, n, p->a, n, p->w, u, n, v, n,
                         &(orr_gesvd_opts){.place = ORR_PLACE_GPU}, r);
    CHECK(0, "no algorithm %s", p->algorithm);
    return ORR_E_ARG;
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    struct problem p = {.algorithm = argv[1],
                        .n = atoll(argv[3]),
                        .b = atoll(argv[4]),
                        .count = atoll(argv[5]),
                        .vectors = *argv[6] == 'V'};
    orr_context *ctx;
    orr_report report = {0};
    static orr_plan plan;
    if (orr_type_parse(argv[2], &p.type) || p.n < 1)
        return 2;
    const int64_t all = p.n * p.n * p.count, short_one = p.n * p.count;
    const size_t size = orr_type_size(p.type), real = orr_type_size(orr_type_real(p.type));
    p.a = zeros(p.b ? (p.b + 1) * p.n : all, size);
    p.w = zeros(short_one, p.type == ORR_H ? 4 : real);
    p.e = zeros(short_one, p.type == ORR_H ? 4 : real);
    p.u = zeros(all, size);
    p.v = zeros(all, size);
    if (p.b)
        memset(p.a, 0x3c, (size_t)((p.b + 1) * p.n) * size); /* positive in every type */
    const int alone = !strcmp(p.algorithm, "heevj");         /* CPUs would share the batch */
    orr_status st = orr_open(&(orr_context_opts){.cpus = alone ? -1 : 1}, &ctx);
    CHECK(st == ORR_OK, "%s", orr_strerror(st));
    if (st != ORR_OK)
        return checked();
    CHECK(orr_plan_begin(ctx) == ORR_OK, "no plan");
    st = solve(ctx, &p, &report);
    orr_plan_end(ctx, &plan);
    CHECK(st == ORR_OK && !plan.refused[0], "%s %s", report.message, plan.refused);
    printf("chosen %s\n", plan.plan);
    for (int k = 0; k < plan.rows; k++)
        printf("plan %s %lld %.6g\n", plan.row[k].codelet, (long long)plan.row[k].tasks,
               plan.row[k].flops);
    st = solve(ctx, &p, &report);
    CHECK(st >= ORR_OK, "%s: %s", orr_strerror(st), report.message);
    orr_close(ctx);
    return checked();
}
