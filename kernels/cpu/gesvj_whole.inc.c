/* gesvj of whole matrices, start to finish, for one scalar type T; see gesvj.h.
 *
 * After gesvj_block.inc.c and gesvj_finish.inc.c. SPDX-License-Identifier: BSD-3-Clause */

#define TYPE (sizeof(R) == sizeof(float) ? IS_COMPLEX ? ORR_C : ORR_S : IS_COMPLEX ? ORR_Z : ORR_D)
static orr_status FN(sweeps)(const orr_gesvj_args *g, const orr_gesvj_shape *s, void *const *X,
                             void *const *J, void *rotation, orr_matrix_info *info)
{
    const double tol = orr_gesvj_tolerance(TYPE, g);
    const int32_t most = g->max_sweeps > 0 ? g->max_sweeps : 30;
    orr_gesvj_seen seen = {.rotated = 1};
    orr_status status = ORR_OK;
    int settled = s->small == 0, last = 0;
    /* As the graph does: a settled sweep is followed by one more. */
    for (int32_t k = 0; k < most && !last && s->small > 0 && status == ORR_OK; k++) {
        last = settled;
        seen = (orr_gesvj_seen){0};
        for (int64_t r = 0; r < s->blocks - 1; r++)
            for (int64_t i = 0; i < s->blocks / 2 && status == ORR_OK; i++) {
                int64_t p, q;
                orr_gesvj_pairing(s->blocks, r, i, &p, &q);
                status = FN(orr_gesvj_angle_cpu)(g, r == 0, X[p], X[q], rotation, &seen);
                if (status == ORR_OK)
                    status = FN(orr_gesvj_rotate_cpu)(g, s->rows, rotation, X[p], X[q]);
                if (status == ORR_OK && J)
                    status = FN(orr_gesvj_rotate_cpu)(g, s->small, rotation, J[p], J[q]);
            }
        settled |= orr_gesvj_settled(&seen, s->small, tol);
        last |= seen.rotated == 0;
        info->sweeps += seen.rotated > 0;
        info->off = seen.off;
    }
    if (!settled)
        info->status = ORR_NOCONV;
    return status;
}

static orr_status FN(orr_gesvj_cpu)(const orr_gesvj_args *g, const void *a, void *s_, void *u,
                                    void *v, orr_matrix_info *info)
{
    if (orr_gesvj_by_lanes(g))
        return orr_gesvj_lanes_cpu(TYPE)(g, a, s_, u, v, info);
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    const int64_t x = (s.rows * g->nb + 15) / 16 * 16, y = (s.small * g->nb + 15) / 16 * 16;
    const int64_t factors = orr_gesvj_factors(g);
    const size_t numbers = (size_t)(s.blocks * (x + (s.accumulate ? y : 0)) + factors);
    const size_t turn = (size_t)orr_gesvj_rotation_bytes(g->nb, sizeof(T));
    char *memory = aligned_alloc(64, (numbers * sizeof(T) + turn + 255) / 128 * 128);
    void **blocks = malloc(sizeof *blocks * (size_t)(2 * s.blocks + 1));
    int32_t *head = malloc(sizeof *head * (size_t)(ORR_GESVJ_PIVOTS + s.small));
    orr_status status = memory && blocks && head ? ORR_OK : ORR_E_NOMEM;
    T *next = (T *)(memory + turn);
    void **X = blocks, **J = s.accumulate ? blocks + s.blocks : NULL;
    for (int64_t b = 0; b < s.blocks && status == ORR_OK; b++, next += x)
        X[b] = next;
    for (int64_t b = 0; b < s.blocks && status == ORR_OK && J; b++, next += y)
        J[b] = next;

    for (int64_t k = 0; k < g->count && status == ORR_OK; k++) {
        info[k] = (orr_matrix_info){0};
        status =
            FN(orr_gesvj_start_cpu)(g, (const T *)a + k * g->stride, next, head, X, J, info + k);
        info[k].method = ORR_METHOD_JACOBI;
        if (status == ORR_OK && head[ORR_GESVJ_FINITE])
            status = FN(sweeps)(g, &s, X, head[ORR_GESVJ_ACCUMULATES] ? J : NULL, memory, info + k);
        if (status == ORR_OK)
            status = FN(orr_gesvj_finish_cpu)(g, next, head, X, J, (R *)s_ + k * g->lds,
                                              g->left ? (T *)u + k * g->strideu : NULL,
                                              g->right ? (T *)v + k * g->stridev : NULL);
    }
    free(memory);
    free(blocks);
    free(head);
    return status;
}
#undef TYPE
