/* hb2st_chase as a task: T(g,m), the hops of a group of sweeps in a window of two column
 * blocks. Buffers, in this order:
 *
 *   H[m-1]    RW; not there if m = 0
 *   H[m]      RW
 *   carry[g]  RW; W in a group's first task
 *   V[g]      RW; W in a group's first task; not there if reflectors are not kept
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_chase.h"

#include "codelets/band/hb2st.h"
#include "codelets/band/hb2st_args.h"
#include "codelets/core/least.h"
#include "codelets/core/rates.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_hb2st_shape shape;
    int64_t g, m;
    int vectors, numbered;
};

/* ---- What the graph builder needs to know of the shape ----------------------------------- */

void orr_hb2st_shape_of(struct orr_hb2st *r)
{
    r->sweeps = orr_hb2st_sweeps(orr_is_complex(r->type), r->n, r->b);
    const orr_hb2st_shape a = orr_hb2st_kernel_shape(r);
    r->groups = orr_hb2st_groups(&a);
    r->blocks = orr_hb2st_blocks(&a);
}

int64_t orr_hb2st_block_length(const struct orr_hb2st *r)
{
    const orr_hb2st_shape a = orr_hb2st_kernel_shape(r);
    return orr_hb2st_elements(&a);
}

/* On a CUDA device the scratch of the task comes behind the reflectors. */
#ifdef ORR_WITH_CUDA
static int64_t scratch_at(orr_type type, const orr_hb2st_shape *a)
{
    const int64_t line = 64 / (int64_t)orr_element_size(type);
    return (a->G * (a->b + 1) + line - 1) / line * line;
}

static int by_numbers(const struct orr_hb2st *r, const orr_hb2st_shape *a)
{
    return orr_hb2st_chase_cuda_prefers_numbers(r->type, a, r->processors);
}

int64_t orr_hb2st_carry_length(const struct orr_hb2st *r)
{
    const orr_hb2st_shape a = orr_hb2st_kernel_shape(r);
    const int64_t element = (int64_t)orr_element_size(r->type);
    const int64_t bytes = by_numbers(r, &a) ? orr_hb2st_chase_cuda_numbered_scratch(r->type, &a)
                                            : orr_hb2st_chase_cuda_scratch(&a);
    return scratch_at(r->type, &a) + (bytes + element - 1) / element;
}
#else
int64_t orr_hb2st_carry_length(const struct orr_hb2st *r) { return r->G * (r->b + 1); }
#endif

int64_t orr_hb2st_v_length(const struct orr_hb2st *r, int64_t g)
{
    const orr_hb2st_shape a = orr_hb2st_kernel_shape(r);
    const int64_t s0 = g * a.G, s1 = orr_hb2st_group_end(&a, g);
    return orr_hb2st_v_offset(&a, s1) - orr_hb2st_v_offset(&a, s0);
}

int64_t orr_hb2st_all_hops(const struct orr_hb2st *r)
{
    const orr_hb2st_shape a = orr_hb2st_kernel_shape(r);
    int64_t hops = 0;
    for (int64_t s = 0; s < a.sweeps; s++)
        hops += orr_hb2st_hops(&a, s);
    return hops;
}

/* Operations of hop (s,t), with `columns` from J(s,t) on: its reflector on these columns
 * from both sides, and the next one on the bulge below; b b but at the band's end. */
static int64_t hop_work(int64_t columns, int64_t b)
{
    const int64_t own = orr_least(b, columns), next = orr_least(b, columns - own);
    return own * (own + 2 * next) / 3;
}

/* What a hop costs before its first operation, in operations. */
static const int64_t hop_overhead[ORR_NTYPES] = {
    [ORR_S] = 760, [ORR_D] = 470, [ORR_C] = 1570, [ORR_Z] = 890};

/* The hops of T(g,m), and its time in operations. */
struct amount {
    int64_t hops, work;
};

static struct amount amount_of(orr_type type, const orr_hb2st_shape *a, int64_t g, int64_t m)
{
    const int64_t end = orr_hb2st_group_end(a, g);
    int64_t hops = 0, work = 0;
    for (int64_t s = g * a->G; s < end; s++) {
        const int64_t from = m > 0 ? orr_hb2st_done(a, s, m - 1) : 0, to = orr_hb2st_done(a, s, m);
        const int64_t whole = orr_least((a->n - 1 - s) / a->b - 1, to); /* b b each */
        hops += to - from;
        work += (whole > from ? whole - from : 0) * a->b * a->b;
        for (int64_t t = whole > from ? whole : from; t < to; t++)
            work += hop_work(a->n - 1 - s - t * a->b, a->b);
    }
    const int64_t scale = orr_is_complex(type) ? 4 : 1;
    return (struct amount){hops, scale * work + hops * hop_overhead[type]};
}

int64_t orr_hb2st_hop_work(orr_type type, int64_t b)
{
    return (orr_is_complex(type) ? 4 : 1) * b * b + hop_overhead[type];
}

uint32_t orr_hb2st_chase_key(int64_t b, int64_t work, int vectors)
{
    return orr_cost_shape(b, orr_cost_class(work), vectors);
}

int orr_hb2st_cpu_only(orr_type type, int64_t b)
{
#ifdef ORR_WITH_CUDA
    return b > orr_hb2st_chase_cuda_max_b(type);
#else
    return (void)type, (void)b, 0;
#endif
}

int orr_hb2st_late(orr_type type, int64_t b) { return orr_hb2st_chase_cpu_late(type, b); }

/* ---- Function ------------------------------------------------------------------------------- */

static void chase(void **buf, void *arg)
{
    struct args *a = arg;
    int i = 0;
    if (orr_request_failed(a->task.req))
        return;
    void *h0 = a->m > 0 ? ORR_PTR(i++) : NULL;
    void *h1 = ORR_PTR(i++);
    void *carry = ORR_PTR(i++);
    void *v = a->vectors ? ORR_PTR(i++) : NULL;
    orr_status st = orr_hb2st_chase_cpu[a->type](&a->shape, a->g, a->m, h0, h1, carry, v);
    orr_task_check(a, st, "hb2st_chase");
}

#ifdef ORR_WITH_CUDA
static void chase_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    int i = 0;
    if (orr_request_failed(a->task.req))
        return;
    void *h0 = a->m > 0 ? ORR_PTR(i++) : NULL;
    void *h1 = ORR_PTR(i++);
    char *carry = ORR_PTR(i++);
    void *v = a->vectors ? ORR_PTR(i++) : NULL;
    void *scratch = carry + (size_t)scratch_at(a->type, &a->shape) * orr_element_size(a->type);
    orr_hb2st_chase_cuda_fn *const *const way =
        a->numbered ? orr_hb2st_chase_cuda_numbered : orr_hb2st_chase_cuda;
    orr_status st = way[a->type](ORR_STREAM(), &a->shape, a->g, a->m, h0, h1, carry, v, scratch);
    orr_task_check(a, st, "hb2st_chase");
    orr_gate_open(a->task.opens);
}
#endif

/* ---- Codelet -------------------------------------------------------------------------------- */

ORR_CODELETS(chase, "hb2st_chase", ORR_SDCZ, ORR_CPU_CUDA);

void orr_insert_hb2st_chase(struct orr_request *req, int prio, const struct orr_hb2st *r, int64_t g,
                            int64_t m, enum orr_where where)
{
    const orr_hb2st_shape shape = orr_hb2st_kernel_shape(r);
    const struct amount amount = amount_of(r->type, &shape, g, m);
    struct args *a = amount.hops > 0 ? orr_task_args(req, sizeof *a, where) : NULL;
    if (!a)
        return;
    a->task.cpu_only |= (uint32_t)orr_hb2st_cpu_only(r->type, r->b);
    a->type = r->type;
    a->shape = shape;
    a->g = g;
    a->m = m;
    a->task.parts = amount.hops * (r->weight ? r->weight : 1);
    a->task.first = m * r->D;
    a->task.span = r->D;
    a->task.group = g + 1;
    a->task.opens = r->launched;
    a->vectors = r->V != NULL;
#ifdef ORR_WITH_CUDA
    a->numbered = by_numbers(r, &shape);
#endif
    orr_cost_set(&a->task, (double)amount.work, orr_hb2st_chase_key(r->b, amount.work, a->vectors));
    if (r->late)
        a->task.expected =
            ORR_HB2ST_LATE_TIME * orr_rate_seconds("hb2st_chase", r->type, (double)amount.work);

    struct starpu_data_descr data[4];
    int count = 0;
    if (m > 0)
        data[count++] = (struct starpu_data_descr){r->H[m - 1], STARPU_RW};
    data[count++] = (struct starpu_data_descr){r->H[m], STARPU_RW};
    const int begins = m == g * r->G / r->D;
    data[count++] = (struct starpu_data_descr){r->carry[g], begins ? STARPU_W : STARPU_RW};
    if (r->V)
        data[count++] = (struct starpu_data_descr){r->V[g], begins ? STARPU_W : STARPU_RW};
    orr_gate_promise(r->launched, orr_submit(a, sizeof *a, &chase_codelet[r->type], prio,
                                             STARPU_DATA_MODE_ARRAY, data, count));
}
