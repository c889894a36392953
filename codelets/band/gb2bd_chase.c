/* gb2bd_chase and gb2bd_qr as tasks. Each works on two adjacent blocks of rows, which lie
 * one behind the other in main memory; on another node the kernel is given two addresses.
 *
 *   chase   carry RW, H[m-1] RW, H[m] RW, u RW, v RW            (m = 0: without H[m-1])
 *   qr      H[m] RW, H[m+1] RW, u W                     (last block: without H[m+1])
 *
 * u and v, the reflectors, are there if they are kept. A group's first task writes carry, u and v (W).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/band/gb2bd.h"
#include "codelets/band/gb2bd_args.h"
#include "codelets/core/least.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_gb2bd_args kernel;
    int two, u, v;   /* which of the buffers are there */
    int64_t portion; /* sweeps that have a place in the carry */
};

enum { BUFFERS = 5 };

/* ---- Functions ----------------------------------------------------------------------- */

/* The kernel's own arguments, with the reflectors' addresses; `next` is their first buffer. */
static orr_gb2bd_args kernel_args(const struct args *a, void **buf, int next)
{
    orr_gb2bd_args k = a->kernel;
    k.u = a->u ? ORR_PTR(next) : NULL;
    k.v = a->v ? ORR_PTR(next + a->u) : NULL;
    return k;
}

static void chase(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    orr_gb2bd_args k = kernel_args(a, buf, 2 + a->two);
    for (const int64_t end = k.sweep + k.sweeps; k.sweep < end; k.sweep += a->portion) {
        k.sweeps = end - k.sweep < a->portion ? end - k.sweep : a->portion;
        orr_task_check(
            a, orr_gb2bd_chase_cpu[a->type](&k, ORR_PTR(1), a->two ? ORR_PTR(2) : NULL, ORR_PTR(0)),
            "gb2bd_chase");
    }
}

#ifdef ORR_WITH_CUDA
static void chase_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_gb2bd_args k = kernel_args(a, buf, 2 + a->two);
    orr_task_check(a,
                   orr_gb2bd_chase_cuda[a->type](ORR_STREAM(), &k, ORR_PTR(1),
                                                 a->two ? ORR_PTR(2) : NULL, ORR_PTR(0)),
                   "gb2bd_chase");
    orr_gate_open(a->task.opens);
}

static void qr_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_gb2bd_args k = kernel_args(a, buf, 1 + a->two);
    orr_task_check(
        a,
        orr_gb2bd_qr_cuda[a->type](ORR_STREAM(), &k, ORR_PTR(0), a->two ? ORR_PTR(1) : NULL, NULL),
        "gb2bd_qr");
}
#endif

static void qr(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_gb2bd_args k = kernel_args(a, buf, 1 + a->two);
    orr_task_check(a, orr_gb2bd_qr_cpu[a->type](&k, ORR_PTR(0), a->two ? ORR_PTR(1) : NULL, NULL),
                   "gb2bd_qr");
}

/* ---- Codelets ------------------------------------------------------------------------ */

ORR_CODELETS(chase, "gb2bd_chase", ORR_SDCZH, ORR_CPU_CUDA);
ORR_CODELETS(qr, "gb2bd_qr", ORR_SDCZH, ORR_CPU_CUDA);

/* ---- Insertion ----------------------------------------------------------------------- */

static struct args *make_args(struct orr_request *req, const struct orr_gb2bd *r, int64_t parts,
                              enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->task.cpu_only |= (uint32_t)orr_gb2bd_cpu_only(r);
    a->type = r->type;
    a->kernel.band = orr_gb2bd_kernel_band(r);
    a->kernel.count = r->D;
    return a;
}

int orr_gb2bd_cpu_only(const struct orr_gb2bd *r)
{
#ifdef ORR_WITH_CUDA
    return r->tw > orr_gb2bd_chase_cuda_max_tw(r->type) ||
           (r->low > 0 && !orr_gb2bd_qr_cuda_fits(r->type, r->low, r->b - r->low));
#else
    return (void)r, 0;
#endif
}

int64_t orr_gb2bd_qr_length(const struct orr_gb2bd *r) { return r->D * (r->low + 1); }

/* What the task takes besides its `count` first buffers: reflectors that are kept. begins: nobody has
 * written any of them before. */
static int add_reflectors(struct args *a, struct starpu_data_descr *data, int count, int begins,
                          starpu_data_handle_t u, starpu_data_handle_t v)
{
    a->u = u != NULL;
    a->v = v != NULL;
    if (u)
        data[count++] = (struct starpu_data_descr){u, begins ? STARPU_W : STARPU_RW};
    if (v)
        data[count++] = (struct starpu_data_descr){v, begins ? STARPU_W : STARPU_RW};
    return count;
}

/* A reflector of kl + 1 rows on kl + ku columns more, for each column; fewer at the end. */
static int64_t qr_work(const orr_gb2bd_args *g)
{
    const int64_t kl = g->b, width = g->b + g->tw;
    int64_t work = 0;
    for (int64_t j = g->sweep; j < g->sweep + g->sweeps; j++) {
        const int64_t rows = g->band.rows - 1 - j, columns = g->band.n - 1 - j;
        work += (rows < kl ? rows : kl) * (columns < width ? columns : width) + 1;
    }
    return work;
}

void orr_insert_gb2bd_qr(struct orr_request *req, int prio, const struct orr_gb2bd *r, int64_t m,
                         starpu_data_handle_t here, starpu_data_handle_t below,
                         starpu_data_handle_t u, enum orr_where where)
{
    struct args *a = make_args(req, r, 0, where);
    if (!a)
        return;
    a->kernel.first = a->kernel.sweep = a->task.first = m * r->D;
    a->task.span = r->D;
    a->kernel.sweeps = r->order - m * r->D < r->D ? r->order - m * r->D : r->D;
    a->kernel.b = r->low;
    a->kernel.tw = r->b - r->low;
    a->two = below != NULL;
    struct starpu_data_descr data[BUFFERS] = {{here, STARPU_RW}, {below, STARPU_RW}};
    const int count = add_reflectors(a, data, 1 + a->two, 1, u, NULL);
    const int64_t work = qr_work(&a->kernel);
    orr_cost(&a->task, work, r->low, r->b, orr_cost_class(work), u != NULL);
    orr_submit(a, sizeof *a, &qr_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, count);
}

/* Operations of step t of sweep s, t > 0: what the kernel does with J(t) and J(t+1), which are
 * shorter at the band's end. tw (b + tw) before it. */
static int64_t step_work(const orr_gb2bd_args *g, int64_t s, int64_t t)
{
    const int64_t j0 = s + t * g->b - g->tw, left = g->band.n - 1 - j0;
    const int64_t here = left < g->tw ? left : g->tw;               /* J(t), less one */
    const int64_t next = left - g->b < g->tw ? left - g->b : g->tw; /* J(t+1), likewise */
    const int64_t both = next > 0 ? g->b + next : left;
    return here * (g->b - g->tw + here + both + (next > 0 ? next : 0)) / 2;
}

/* What a step costs before its first operation, in operations. */
static const int64_t step_overhead[ORR_GB2BD_NTYPES] = {
    [ORR_S] = 1400, [ORR_D] = 500, [ORR_C] = 3400, [ORR_Z] = 1000, [ORR_H] = 900};

int64_t orr_gb2bd_step_work(orr_type type, int64_t b, int64_t tw)
{
    return (orr_is_complex(type) ? 4 : 1) * tw * (b + tw) + step_overhead[type];
}

uint32_t orr_gb2bd_chase_key(int64_t b, int64_t tw, int64_t work, int vectors)
{
    return orr_cost_shape(b, tw, orr_cost_class(work), vectors);
}

/* The steps t of the sweeps s = sweep + i of a task: from < s + tb + i(b-1) <= to, and J(t) has two
 * columns at least. */
static int64_t chase_work(const orr_gb2bd_args *g, orr_type type)
{
    const int64_t scale = orr_is_complex(type) ? 4 : 1;
    int64_t work = 0;
    for (int64_t i = 0; i < g->sweeps; i++) {
        const int64_t s = g->sweep + i, lead = i * (g->b - 1), last = g->band.n - 2 + g->tw;
        const int64_t to = g->to - lead < last ? g->to - lead : last;
        int64_t t = g->from - lead < s ? 0 : (g->from - lead - s) / g->b + 1;
        for (; s + t * g->b <= to; t++)
            work += step_overhead[type] + (t > 0 ? scale * step_work(g, s, t) : 0);
    }
    return work;
}

void orr_insert_gb2bd_chase(struct orr_request *req, int prio, const struct orr_gb2bd *r,
                            const struct orr_gb2bd_group *g, int64_t m, starpu_data_handle_t above,
                            starpu_data_handle_t here, starpu_data_handle_t carry, int64_t parts,
                            enum orr_where where)
{
    struct args *a = make_args(req, r, parts, where);
    if (!a)
        return;
    const int64_t end = (m + 1) * r->D;
    a->task.first = m * r->D;
    a->task.span = r->D;
    a->task.group = g->number + 1;
    a->task.opens = r->launched;
    a->kernel.first = above ? (m - 1) * r->D : 0;
    a->kernel.b = g->b;
    a->kernel.tw = g->tw;
    a->kernel.sweep = g->sweep;
    a->kernel.sweeps = g->count;
    a->kernel.from = g->portion ? -1 : m * r->D - 1;
    a->kernel.to = end < r->order ? end - 1 : INT64_MAX / 2;
    a->portion = g->portion ? g->portion : g->count;
    const int64_t work = chase_work(&a->kernel, r->type);
    orr_cost_set(&a->task, (double)work, orr_gb2bd_chase_key(g->b, g->tw, work, g->u || g->v));
    a->two = above != NULL;
    const int begins = !g->portion && m == g->sweep / r->D;
    struct starpu_data_descr data[BUFFERS] = {{carry, begins ? STARPU_W : STARPU_RW}};
    int count = 1;
    if (above)
        data[count++] = (struct starpu_data_descr){above, STARPU_RW};
    data[count++] = (struct starpu_data_descr){here, STARPU_RW};
    count = add_reflectors(a, data, count, begins, g->u, g->v);
    orr_gate_promise(r->launched, orr_submit(a, sizeof *a, &chase_codelet[r->type], prio,
                                             STARPU_DATA_MODE_ARRAY, data, count));
}
