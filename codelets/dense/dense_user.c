/* See dense_user.h. In the calling thread, since no task may begin before; on a device it is two short
 * launches, and only the columns' largest components come home.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/dense_user.h"

#include <stdlib.h>

#include "codelets/core/device.h"
#include "codelets/core/task.h"
#include "kernels/gb2bd.h"
#include "kernels/he2hb.h"

/* A whole matrix in main memory is a band. */
static orr_gb2bd_screened look_at(orr_type type, int64_t m, int64_t n, const void *a, int64_t lda)
{
    const uintptr_t begin = (uintptr_t)a - (size_t)(n - 1) * orr_element_size(type);
    const orr_gb2bd_source all = {
        .ab = (const void *)begin, .m = m, .n = n, .kl = m - 1, .ku = n - 1, .ldab = lda + 1};
    return orr_gb2bd_screen_cpu[type](&all);
}

#ifdef ORR_WITH_CUDA
struct there {
    orr_type type;
    int64_t m, n;
    int part;
    const struct orr_dense *u;
    double scale;
    void *largest; /* out, in main memory */
};

static orr_status find_largest(orr_stream stream, void *arg)
{
    const struct there *x = arg;
    const size_t bytes = (size_t)x->n * orr_real_size(x->type);
    void *largest = orr_device_alloc(bytes);
    if (!largest)
        return ORR_E_NOMEM;
    orr_status st =
        orr_he2hb_largest_cuda[x->type](stream, x->m, x->n, x->part, x->u->a, x->u->lda, largest);
    if (st == ORR_OK && !orr_device_copy(x->largest, largest, bytes))
        st = ORR_E_DEVICE;
    orr_device_free(largest);
    return st;
}

/* What a look needs at home, m or n entries, for free(): first the columns' largest components. */
static orr_status largest_there(orr_type type, int64_t m, int64_t n, int part,
                                const struct orr_dense *u, void **home)
{
    *home = malloc((size_t)(m > n ? m : n) * orr_element_size(type) + 1);
    struct there x = {.type = type, .m = m, .n = n, .part = part, .u = u, .largest = *home};
    return !*home ? ORR_E_NOMEM : n > 0 ? orr_device_do(u->a, find_largest, &x) : ORR_OK;
}

static int bring_column(orr_type type, int64_t m, const struct orr_dense *u, int64_t j, void *home)
{
    const size_t size = orr_element_size(type);
    return orr_device_copy(home, (const char *)u->a + (size_t)(j * u->lda) * size,
                           (size_t)m * size);
}

static orr_status screen_triangle(orr_type type, int64_t n, const struct orr_dense *u,
                                  orr_he2hb_screened *s)
{
    void *home;
    *s = (orr_he2hb_screened){.row = -1, .column = -1, .scale = 1};
    orr_status st = largest_there(type, n, n, u->upper, u, &home);
    if (st == ORR_OK)
        orr_he2hb_judge_cpu[type](n, home, s);
    if (st == ORR_OK && s->column >= 0) {
        if (bring_column(type, n, u, s->column, home))
            s->row = orr_he2hb_bad_row_cpu[type](n, s->column, u->upper, home);
        else
            st = ORR_E_DEVICE;
    }
    free(home);
    return st;
}

/* What the columns come to is looked at as a column itself. */
static orr_status screen_whole(orr_type type, int64_t m, int64_t n, const struct orr_dense *u,
                               orr_gb2bd_screened *s)
{
    void *home;
    orr_status st = largest_there(type, m, n, ORR_WHOLE, u, &home);
    if (st == ORR_OK)
        *s = look_at(orr_real_size(type) == sizeof(float) ? ORR_S : ORR_D, n, 1, home, n);
    if (st == ORR_OK && s->row >= 0) {
        s->column = s->row;
        if (bring_column(type, m, u, s->column, home))
            s->row = look_at(type, m, 1, home, m).row;
        else
            st = ORR_E_DEVICE;
    }
    free(home);
    return st;
}

static orr_status load_whole(orr_stream stream, void *arg)
{
    const struct there *x = arg;
    return orr_he2hb_load_cuda[x->type](stream, x->n, x->u->upper, x->scale, x->u->a, x->u->lda);
}

orr_status orr_he2hb_load_there(orr_type type, int64_t n, const struct orr_dense *u, double scale)
{
    struct there x = {.type = type, .n = n, .u = u, .scale = scale};
    return orr_device_do(u->a, load_whole, &x);
}
#else
static orr_status screen_triangle(orr_type type, int64_t n, const struct orr_dense *u,
                                  orr_he2hb_screened *s)
{
    (void)type, (void)n, (void)u, (void)s;
    return ORR_E_DEVICE;
}
static orr_status screen_whole(orr_type type, int64_t m, int64_t n, const struct orr_dense *u,
                               orr_gb2bd_screened *s)
{
    (void)type, (void)m, (void)n, (void)u, (void)s;
    return ORR_E_DEVICE;
}
orr_status orr_he2hb_load_there(orr_type type, int64_t n, const struct orr_dense *u, double scale)
{
    (void)type, (void)n, (void)u, (void)scale;
    return ORR_E_DEVICE;
}
#endif

struct orr_dense_look orr_he2hb_screen(orr_type type, int64_t n, const struct orr_dense *u)
{
    orr_he2hb_screened s = {0};
    orr_status st = ORR_OK;
    if (u->on)
        st = screen_triangle(type, n, u, &s);
    else
        orr_he2hb_screen_cpu[type](n, u->upper, u->a, u->lda, &s);
    return (struct orr_dense_look){
        .row = s.row, .column = s.column, .scale = s.scale, .status = st};
}

struct orr_dense_look orr_ge2gb_screen(orr_type type, int64_t m, int64_t n,
                                       const struct orr_dense *u)
{
    orr_gb2bd_screened s = {.row = -1, .column = -1};
    orr_status st = ORR_OK;
    if (m > 0 && n > 0 && u->on)
        st = screen_whole(type, m, n, u, &s);
    else if (m > 0 && n > 0)
        s = look_at(type, m, n, u->a, u->lda);
    return (struct orr_dense_look){
        .row = s.row, .column = s.column, .largest = s.largest, .status = st};
}
