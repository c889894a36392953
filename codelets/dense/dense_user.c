/* See dense_user.h. In the calling thread, since no task may begin before; on a device it is two short
 * launches, and only the columns' largest components come home.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/dense_user.h"

#include <stdlib.h>

#include "codelets/core/device.h"
#include "codelets/core/task.h"
#include "kernels/he2hb.h"

#ifdef ORR_WITH_CUDA
struct there {
    orr_type type;
    int64_t n;
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
        orr_he2hb_largest_cuda[x->type](stream, x->n, x->u->upper, x->u->a, x->u->lda, largest);
    if (st == ORR_OK && !orr_device_copy(x->largest, largest, bytes))
        st = ORR_E_DEVICE;
    orr_device_free(largest);
    return st;
}

/* The columns' largest components come home, and a column that is not finite. */
static orr_status screen_there(orr_type type, int64_t n, const struct orr_dense *u,
                               orr_he2hb_screened *s)
{
    const size_t size = orr_element_size(type), bytes = (size_t)n * size;
    void *home = malloc(bytes + 1);
    struct there x = {.type = type, .n = n, .u = u, .largest = home};
    *s = (orr_he2hb_screened){.row = -1, .column = -1, .scale = 1};
    orr_status st = !home ? ORR_E_NOMEM : n > 0 ? orr_device_do(u->a, find_largest, &x) : ORR_OK;
    if (st == ORR_OK)
        orr_he2hb_judge_cpu[type](n, home, s);
    if (st == ORR_OK && s->column >= 0) {
        const char *column = (const char *)u->a + (size_t)(s->column * u->lda) * size;
        if (orr_device_copy(home, column, bytes))
            s->row = orr_he2hb_bad_row_cpu[type](n, s->column, u->upper, home);
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
static orr_status screen_there(orr_type type, int64_t n, const struct orr_dense *u,
                               orr_he2hb_screened *s)
{
    (void)type, (void)n, (void)u, (void)s;
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
        st = screen_there(type, n, u, &s);
    else
        orr_he2hb_screen_cpu[type](n, u->upper, u->a, u->lda, &s);
    return (struct orr_dense_look){
        .row = s.row, .column = s.column, .scale = s.scale, .status = st};
}
