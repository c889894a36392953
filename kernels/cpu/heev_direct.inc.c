/* Body of heev_direct for one scalar type T (real type R); see heev_direct.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tridiagonal solver, and Z := Q S. s: n x count. */
static orr_status FN(vectors)(const orr_heev_direct *g, const orr_heev_reduction *reduced, R *s)
{
    const orr_status st =
        g->count == g->n
            ? orr_heev_vectors_cpu[g->type](g->n, g->scale, reduced->d, reduced->e, g->w, s)
            : orr_heev_some_cpu[g->type](g->n, g->scale, reduced->d, reduced->e, g->first, g->count,
                                         g->w, s);
    if (st < 0)
        return st;
    const orr_vectors_columns all = {.n = g->n, .rows = g->n, .k = g->count};
    const orr_vectors whole = {.width = g->count, .at = {s}};
    orr_vectors_place_cpu[g->type](NULL, &all, NULL, &whole, NULL, g->z, g->ldz);
    const orr_status back = orr_heev_back_cpu(reduced, g->count, g->z, g->ldz);
    return back < 0 ? back : st;
}

static orr_status FN(orr_heev_direct_cpu)(const orr_heev_direct *g, void *memory)
{
    if (orr_heev_small_takes(g))
        return orr_heev_small(g, memory);
    const int64_t n = g->n;
    R *d = (R *)((char *)memory + orr_heev_reduction_bytes(g->type, n)), *e = d + n, *s = e + n;
    orr_heev_direct now = *g;
    orr_heev_reduction reduced = {.type = g->type,
                                  .upper = g->upper,
                                  .members = 1,
                                  .n = n,
                                  .lda = g->lda,
                                  .scale = g->scale,
                                  .a = g->a,
                                  .d = d,
                                  .e = e};
    orr_heev_reduction_set(&reduced, memory);
    orr_heev_reduce_cpu[g->type](&reduced);
    orr_heev_rest_cpu[g->type](&reduced);
    if (g->found) {
        orr_heev_count_cpu[g->type](n, g->scale, d, e, g->low, g->high, &now.first, &now.count);
        g->found[0] = now.first;
        g->found[1] = now.count;
    }
    return g->z ? FN(vectors)(&now, &reduced, s)
                : orr_heev_values_cpu[g->type](n, g->scale, d, e, now.first, now.count, g->w);
}
