/* Q times a matrix, Q = H(0,0) H(0,1) ... being the reflectors that bulge chasing kept: by panels
 * of columns, a task for some groups of sweeps and a panel. Panels are independent; within one
 *
 *     Q E     the last groups first        Q'E     the first ones first
 *
 * If E is the unit matrix to begin with, a group whose first sweep is s changes rows below s
 * only, and finds zeros there in the columns up to s: they are left out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "src/band/hb2st.h"
#include "src/core/operation.h"
#include "src/core/pieces.h"

enum {
    PANEL = 256,  /* the most columns of a panel: a vector of less than 2^32 elements */
    PANELS = 2,   /* so many panels for every worker at least: reflectors are packed for each ... */
    NARROW = 32,  /* ... if they keep this width */
    AT_ONCE = 96, /* sweeps that the CPU's kernel takes together */
    FEW = 16,
    MANY = 64 /* groups of sweeps, the most of a task */
};

/* On CUDA devices, where diamonds of w sweeps are applied by products of matrices
 * (kernels/cuda/hb2st_apply.cuh). By reasoning, but for SIDE and panels (docs/gpu-status.md):
 *
 *   w           b, at least LEAST_DIAMOND: (b + w) / b of the least operations, but 8 of them for each byte
 *               of E at w = b = 64 (d), about what an H200 has; with w = b/4 two, and memory would limit
 *   SIDE        columns of V'E that a launch makes, of all diamonds side by side, for each processor of the
 *               device: at w = 64 sixteen tiles of 64 x 128, since the host takes 13 us for a launch
 *   FUSED_GROUPS   groups of w sweeps that are fused at least: so many were measured at n = 16384, and E is read and
 *               written once for them
 *   WIDE        columns of a panel for each processor, at most: as many as leave eight diamonds side by
 *               side; more, where a task has not so many, its groups of sweeps being small. To pack and combine
 *               reflectors costs w / columns of the products. A panel for each device, but not narrower than NOT_LESS
 *   BYTES_SHARED   of workspace, where a CPU may take the task: it has it for nothing
 *   BUFFER      bytes that a group counts as at least: of a small device a task takes no more groups than that
 *               lets it, of whole diamonds */
enum {
    LEAST_DIAMOND = 16,
    SIDE = 2048,
    FUSED_GROUPS = 16,
    WIDE = SIDE / 8,
    NOT_LESS = 256,
    BYTES_SHARED = 512 << 20,
    BUFFER = (4 << 20) + 1
};

int64_t orr_product_most_ld(void) { return UINT32_MAX / PANEL; }

static int64_t panel_width(int64_t k, int64_t workers)
{
    int64_t width = k / (PANELS * orr_most(workers, 1));
    return orr_least(orr_most(width, NARROW), PANEL);
}

/* Panels of E, a task for so many groups of sweeps of one, and how a device does it. */
struct cut {
    enum orr_where where;
    int64_t width, groups;
    struct orr_hb2st_blocks blocks;
};

/* Sweeps of a group; without reflectors there are no groups. */
static int64_t group_sweeps(const struct orr_hb2st *r) { return orr_most(r->G, 1); }

/* As many as make about b sweeps, and AT_ONCE: E is read once for them. Three times as many are faster
 * where all columns take part in all of them. */
static int64_t cpu_groups(const struct orr_hb2st *r, int all_columns)
{
    const int64_t sweeps = orr_most(r->b, (all_columns ? 3 : 1) * AT_ONCE), G = group_sweeps(r);
    return orr_least((sweeps + G - 1) / G, all_columns ? MANY : FEW);
}

static int for_devices(const struct orr_product *x)
{
    return x->where != ORR_ON_CPU && starpu_cuda_worker_get_count() > 0;
}

/* Bytes of a task, with all reflectors: they may be one group; and of those that come after it. */
static double task_bytes(const struct orr_hb2st *r, const struct orr_product *x,
                         const struct cut *c)
{
    const double n = (double)r->n, size = (double)orr_type_size(r->type);
    const double ours = 0.5 * n * n * size + (double)orr_hb2st_apply_bytes(r, &c->blocks, c->width);
    const double beside = (double)x->beside;
    return (double)(c->width * x->lde) * size + (ours > beside ? ours : beside);
}

/* The most of k columns that a core can do while the devices do the rest. */
static int64_t columns_of_core(const orr_context *ctx, const struct orr_hb2st *r, int64_t k)
{
    return (int64_t)((double)k * orr_place_core(ctx, r->type));
}

/* CPUs take part if that is a panel, or all there is is one; not in an E that is on a device. */
static struct cut device_cut(const orr_context *ctx, const struct orr_hb2st *r,
                             const struct orr_product *x)
{
    const double room = (double)orr_accelerator_room();
    const int64_t processors = ctx->device.processors, of_core = columns_of_core(ctx, r, x->k);
    const int64_t devices = orr_most(ctx->info.cuda, 1);
    const int shared = x->where == ORR_ANYWHERE && !x->on && ctx->info.cpu > 0 &&
                       (of_core >= NOT_LESS || x->k <= NOT_LESS);
    const int64_t sweeps = orr_least(orr_most(r->b, LEAST_DIAMOND), ORR_HB2ST_MOST_SWEEPS);
    const int64_t groups = shared ? cpu_groups(r, 0) : ORR_HB2ST_APPLY_GROUPS;
    const int64_t of_task = orr_most(orr_least(groups * group_sweeps(r), r->sweeps), 1);
    const int64_t diamonds = (of_task + sweeps - 1) / sweeps; /* that can be side by side */
    const int64_t wide = shared ? of_core : processors * WIDE, side = processors * SIDE;
    struct cut c = {.where = shared                     ? ORR_ANYWHERE
                             : x->where == ORR_ANYWHERE ? ORR_ON_ACCELERATOR_IF_FITS
                                                        : x->where,
                    .width = orr_most(orr_least((x->k + devices - 1) / devices, wide), NOT_LESS),
                    .blocks = {.sweeps = sweeps, .at_once = 1}};
    if (!shared)
        c.width = orr_most(c.width, orr_least(side / diamonds, x->k / devices));
    c.width = orr_most(orr_least(c.width, UINT32_MAX / x->lde), 1);
    while (c.width > NARROW && task_bytes(r, x, &c) > room)
        c.width /= 2;
    c.blocks.fused = orr_hb2st_apply_fused(r, sweeps, c.width, processors, ctx->device.capability);
    c.blocks.at_once =
        orr_least(orr_most(side / c.width, c.blocks.fused ? FUSED_GROUPS : 1), diamonds);
    c.groups = shared ? groups
                      : orr_least(orr_most(c.blocks.at_once * sweeps / group_sweeps(r), 1), groups);
    while (c.blocks.at_once > 1 &&
           (task_bytes(r, x, &c) > room ||
            (shared && orr_hb2st_apply_bytes(r, &c.blocks, c.width) > BYTES_SHARED)))
        c.blocks.at_once /= 2;
    const int64_t together = orr_most(sweeps / group_sweeps(r), 1),
                  fit = (int64_t)(room / BUFFER) - 2;
    if (c.groups > orr_most(fit, 1))
        c.groups = orr_most(fit / together, 1) * together;
    return c;
}

static struct cut choose_cut(const orr_context *ctx, const struct orr_hb2st *r,
                             const struct orr_product *x)
{
    if (for_devices(x))
        return device_cut(ctx, r, x);
    return (struct cut){.where = x->where,
                        .width = panel_width(x->k, ctx->info.cpu),
                        .groups = cpu_groups(r, !x->unit),
                        .blocks = {1, 1, 0}};
}

static void tell(orr_request *req, const struct orr_hb2st *r, const struct cut *c)
{
    struct orr_operation *op = orr_operation_of(req);
    const size_t at = strlen(op->plan), room = sizeof op->plan - at;
    if (strstr(op->plan, "\"products\":"))
        return; /* of the other side */
    const int length = snprintf(
        op->plan + at, room,
        "%s\"products\":{\"on\":\"%s\",\"form\":\"%s\",\"columns\":%lld,\"sweeps\":%lld,"
        "\"at_once\":%lld,\"workspace\":%lld}",
        at ? "," : "", c->where == ORR_ANYWHERE ? "any" : "accelerators",
        c->blocks.fused ? "fused" : "products", (long long)c->width, (long long)c->blocks.sweeps,
        (long long)c->blocks.at_once, (long long)orr_hb2st_apply_bytes(r, &c->blocks, c->width));
    if ((size_t)length >= room)
        op->plan[at] = 0;
}

/* The columns of the panel from c on that reflectors of sweep s and later ones change. */
static void choose_columns(const struct orr_product *x, int64_t s, int64_t c,
                           struct orr_hb2st_panel *p)
{
    p->from = 0;
    p->to = p->k;
    if (x->unit && x->backwards)
        p->to = orr_least(p->k, x->k - 1 - s - c);
    else if (x->unit)
        p->from = orr_most(s + 1 - c, 0);
}

static void submit_panel(orr_request *req, const struct orr_hb2st *r, const struct orr_product *x,
                         const struct cut *cut, int64_t c, struct orr_hb2st_panel *p)
{
    const int64_t together = cut->groups, batches = (r->groups + together - 1) / together;
    if (x->unit)
        orr_insert_hb2st_unit(req, 0, r->type, x->backwards ? x->k - 1 - c : c,
                              x->backwards ? -1 : 1, x->diagonal, p);
    if (x->before)
        x->before(req, x->arg, c, p);
    for (int64_t i = 0; i < batches; i++) {
        const int64_t g = (x->adjoint ? i : batches - 1 - i) * together;
        choose_columns(x, g * r->G, c, p);
        if (p->from < p->to)
            orr_insert_hb2st_apply(req, 0, r, g, orr_least(together, r->groups - g), x->adjoint, p,
                                   &cut->blocks, 0);
    }
    p->from = 0;
    p->to = p->k;
    if (x->then)
        x->then(req, x->arg, p);
}

/* Whose panel this is, as long as devices alone make them and are as fast as each other; 0: nobody's. */
static int owner_of_panel(const struct orr_product *x, const struct cut *c, int64_t i,
                          int64_t panels)
{
    const struct orr_owners *o = x->owners;
    const int dealt =
        o && orr_owners_alike(o) && c->where != ORR_ANYWHERE && panels % o->count == 0;
    return dealt ? o->node[i % o->count] : 0;
}

/* Before anything is in E. */
static void pin(orr_request *req, const struct orr_hb2st *r, const struct orr_product *x,
                int64_t panels, struct orr_gate *gate, starpu_data_handle_t after)
{
    const size_t bytes = orr_pin_bytes(x->rows, x->k, x->lde, orr_type_size(r->type));
    starpu_data_handle_t E[panels];
    for (int64_t i = 0; i < panels; i++)
        E[i] = x->panels[i].E;
    if (after)
        orr_insert_pin(req, x->E, bytes, ORR_PIN_USERS, gate, after, E, panels);
    else
        orr_request_pin(req, x->E, bytes, ORR_PIN_USERS);
}

void orr_make_panels(const orr_context *ctx, orr_request *req, const struct orr_hb2st *r,
                     struct orr_product *x, struct orr_gate *gate, starpu_data_handle_t after)
{
    const size_t size = orr_type_size(r->type);
    const struct cut cut = choose_cut(ctx, r, x);
    const int64_t width = cut.width, panels = (x->k + width - 1) / width;
    struct orr_hb2st_panel *const p = x->panels = calloc((size_t)panels + 1, sizeof *p);
    if (!p)
        orr_request_fail(req, ORR_E_NOMEM, "product");
    for (int64_t i = 0; i < panels && !orr_request_failed(req); i++) {
        const int64_t c = i * width, k = orr_least(width, x->k - c);
        p[i] = (struct orr_hb2st_panel){.rows = x->rows, .k = k, .lde = x->lde, .where = cut.where};
        p[i].E = orr_request_vector_on(req, x->on, (char *)x->E + (size_t)(c * x->lde) * size,
                                       (k - 1) * x->lde + x->rows, size);
        if (for_devices(x)) {
            p[i].owner = owner_of_panel(x, &cut, i, panels);
            p[i].home = orr_request_home(req);
        }
    }
    if (for_devices(x) && !x->on && panels > 0 && !orr_request_failed(req))
        pin(req, r, x, panels, gate, after);
}

void orr_submit_product(const orr_context *ctx, orr_request *req, const struct orr_hb2st *r,
                        struct orr_product *x)
{
    const struct cut cut = choose_cut(ctx, r, x);
    const int64_t width = cut.width;
    if (for_devices(x))
        tell(req, r, &cut);
    if (r->b >
        1) /* on each worker: a panel's rows that its sweeps touch at once, and these packed */
        orr_plan_bytes(req, (double)(ctx->info.cpu * 6 * r->b * orr_least(width, x->k)) *
                                (double)orr_type_size(r->type));
    if (!x->panels)
        orr_make_panels(ctx, req, r, x, NULL, NULL);
    for (int64_t c = 0, same; c < x->k && !orr_request_failed(req); c += same * width) {
        /* in a plan those of one width stand for each other, unless they skip what is zero */
        same = req->plan && !x->unit ? orr_most((x->k - c) / width, 1) : 1;
        orr_plan_group(req, same);
        submit_panel(req, r, x, &cut, c, &x->panels[c / width]);
    }
    orr_plan_group(req, 1);
    free(x->panels);
    x->panels = NULL;
}

/* ---- The reflectors ------------------------------------------------------------------------ */

int64_t orr_hb2st_all_reflectors(const struct orr_hb2st *r)
{
    int64_t sum = 0;
    for (int64_t g = 0; g < r->groups; g++)
        sum += orr_hb2st_v_length(r, g);
    return sum;
}

starpu_data_handle_t *orr_hb2st_reflectors(orr_request *req, const struct orr_hb2st *r,
                                           void *memory, int wanted)
{
    const size_t size = orr_type_size(r->type);
    starpu_data_handle_t *V = orr_own_handles(req, r->groups, "hb2st");
    char *at = memory;
    for (int64_t g = 0; V && g < r->groups && !orr_request_failed(req); g++) {
        const int64_t elements = orr_hb2st_v_length(r, g);
        V[g] = (wanted ? orr_request_vector : orr_own_vector)(req, at, elements, size);
        at += memory ? (size_t)elements * size : 0;
    }
    return V;
}

/* ---- Kept reflectors ------------------------------------------------------------------------ */

void orr_hb2st_drop(orr_hb2st_factor *f)
{
    if (f)
        free(f->v);
    free(f);
}

static orr_status finish_apply(orr_request *req)
{
    struct orr_hb2st *r = req->state;
    free(r->V);
    free(r);
    return ORR_OK;
}

static const char *wrong_apply(const orr_hb2st_factor *f, char trans, int64_t k, const void *E,
                               int64_t lde)
{
    if (!f)
        return "there is no factor";
    if ((trans != 'N' && trans != 'C') || k < 0 || lde < orr_most(f->r.n, 1) ||
        lde > orr_product_most_ld() || k > INT64_MAX / 16 / lde || (!E && k > 0 && f->r.n > 0))
        return "trans is not 'N' or 'C', or E does not have lde >= n and k >= 0 columns";
    return NULL;
}

static orr_status submit_apply(struct orr_call *call, const orr_hb2st_factor *f, char trans,
                               int64_t k, void *E, int64_t lde, orr_request **out)
{
    const char *wrong = wrong_apply(f, trans, k, E, lde);
    if (!wrong && call->ctx && !call->ctx->planner && f->planned)
        wrong = "the factor was made in a plan, without reflectors";
    if (orr_call_refused(call, out, wrong))
        return call->status;
    int on = 0;
    const struct orr_array array = orr_stays(
        orr_array(&E, f->r.n, k, lde, orr_type_size(f->r.type), ORR_IN | ORR_OUT), 1, &on);
    if (orr_call_home(call, &array, 1))
        return call->status;
    orr_request *req;
    struct orr_hb2st *r = orr_call_begin(call, sizeof *r, finish_apply, &req);
    if (!r)
        return call->status;
    *r = f->r;
    orr_request_pin(req, f->v, (size_t)orr_hb2st_all_reflectors(r) * orr_type_size(r->type),
                    ORR_PIN_OURS);
    r->V = orr_hb2st_reflectors(req, r, f->v, 1);
    struct orr_product x = {.adjoint = trans == 'C',
                            .rows = r->n,
                            .k = k,
                            .E = E,
                            .lde = lde,
                            .on = on,
                            .where = ORR_ANYWHERE};
    if (!orr_request_failed(req) && r->n > 0)
        orr_submit_product(call->ctx, req, r, &x);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_hb2st_apply(orr_context *ctx, const orr_hb2st_factor *f, char trans,
                                  int64_t k, void *E, int64_t lde, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "hb2st");
    return submit_apply(&call, f, trans, k, E, lde, out);
}

orr_status orr_hb2st_apply(orr_context *ctx, const orr_hb2st_factor *f, char trans, int64_t k,
                           void *E, int64_t lde, orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "hb2st");
    orr_request *req;
    const orr_status st = submit_apply(&call, f, trans, k, E, lde, &req);
    return orr_call_end(&call, st, &req, report);
}
