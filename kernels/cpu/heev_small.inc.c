/* heev of one small matrix that the caches of a core hold; the body for one scalar type and one
 * instruction set.
 *
 *   reduce   A = Q T Q' by Householder, rows across lanes, T real; one pass over A does the update of
 *            the last reflector and the product of the next
 *   values   of T by QL without roots (Pal, Walker, Kahan); alone, above order ORR_HEEV_QL, by bisection
 *   turns    with vectors, QL again: the first shift of every block is the value found there
 *            before, half as many rotations as with Wilkinson's shifts alone; kept in a list
 *   turn, reflect   Z := I times the rotations, Q Z: as for the matrices of heevj_lanes.inc.c
 *
 * T stands from the bottom up, row i of T is n-1-i of A.
 *
 * Sources: as of heevj_lanes.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes_rotation.inc.c"
#include "lanes_elements.inc.c"
#include "lanes_transpose.inc.c"
#include "lanes_householder.inc.c"
#include "lanes_turn.inc.c"
#include "lanes_reflect.inc.c"
#include "ql_values.inc.c"
#include "lanes_rows.inc.c"

typedef struct {
    int64_t n, ld; /* of A */
    R *A;          /* columns; of a complex matrix the real parts of each, then the others */
    R *d, *e, *values, *e2;
    VN(turn1) *list;
    turns *sweep;
    VN(reflectors) q;
    R *Z, *D;
} VN(small);

/* ---- Reduction ------------------------------------------------------------------------------- */

/* A := the named triangle times *scale and its reflection, scaled again so that its largest entry
 * is of order 1, which *scale then is, too. */
static void VN(load)(const orr_heev_direct *g, const VN(small) *w, R *scale)
{
    const int64_t n = g->n, ld = w->ld;
    R largest = 0;
    for (int64_t j = 0; j < n; j++) {
        const T *a = (const T *)g->a + j * g->lda;
        for (int64_t i = g->upper ? 0 : j; i < (g->upper ? j + 1 : n); i++) {
            const R re = RABS(REAL(a[i]) * *scale), im = i == j ? 0 : RABS(IMAG(a[i]) * *scale);
            largest = re > largest ? re : largest;
            largest = im > largest ? im : largest;
        }
    }
    int exponent = 0;
    (void)frexp((double)largest, &exponent);
    const R again = (R)ldexp(1, largest > 0 ? -exponent : 0);
    memset(w->A, 0, sizeof(R) * (size_t)(PARTS * ld * n));
    for (int64_t j = 0; j < n; j++) {
        const T *a = (const T *)g->a + j * g->lda;
        for (int64_t i = g->upper ? 0 : j; i < (g->upper ? j + 1 : n); i++) {
            R *x = w->A + j * PARTS * ld + i, *reflected = w->A + i * PARTS * ld + j;
            *x = *reflected = REAL(a[i]) * *scale * again;
#if IS_COMPLEX
            x[ld] = i == j ? 0 : IMAG(a[i]) * *scale * again;
            reflected[ld] = -x[ld];
#endif
        }
    }
    *scale = again;
}

#if IS_COMPLEX
#include "heev_small_complex.inc.c"
#else
#include "heev_small_real.inc.c"
#endif

/* ---- QL -------------------------------------------------------------------------------------- */

/* The rotations that make T diagonal. Returns how many sweeps there were, -1: it does not converge. */
static int VN(find_turns)(const VN(small) *w, R floor)
{
    const int64_t n = w->n;
    R *d = w->d, *e = w->e;
    int64_t used = 0, tried = -1;
    int sweeps = 0;
    for (int64_t lo = 0; lo < n;) {
        int64_t hi = lo;
        while (hi < n - 1 && !(RABS(e[hi]) <= VN(negligible)(floor, d[hi], d[hi + 1])))
            hi++;
        if (hi == lo) {
            lo++;
            continue;
        }
        if (sweeps == SWEEPS * n || used + hi - lo > TURNS * n * n)
            return -1;
        const R shift = tried < lo ? w->values[lo] : VN(wilkinson)(d[lo], d[lo + 1], e[lo]);
        VN(turn1) *list = w->list + used - lo;
        w->sweep[sweeps++] = (turns){(int)lo, (int)hi, (int)(used - lo)};
        used += hi - lo;
        tried = lo;
        const R behind = e[hi];
        R g = d[hi] - shift, p = 0, c = 1, s = 1;
        for (int64_t i = hi - 1; i >= lo; i--) {
            const R f = s * e[i], b = c * e[i], t = f * f + g * g, r = SQRT(t), inverse = 1 / r;
            c = t < TINY_PAIR ? 1 : g * inverse;
            s = t < TINY_PAIR ? 0 : f * inverse;
            const R h = d[i + 1] - p, z = (c + c) * b + (d[i] - h) * s;
            e[i + 1] = r;
            list[i] = (VN(turn1)){c, s};
            p = s * z, g = c * z - b, d[i + 1] = h + p;
        }
        e[hi] = behind;
        d[lo] -= p, e[lo] = g;
    }
    return sweeps;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Of A: whole vectors; of orders as 128 and 256 more of them, or columns would share few lines of the
 * first cache. */
static int64_t VN(leading)(int64_t n)
{
    enum { LINE = 64 / sizeof(R) };
    const int64_t ld = (n + LANES - 1) / LANES * LANES;
    return ld % (4 * LINE) ? ld : ld + LINE;
}

/* From `memory` on, if it is not NULL; how many bytes. */
static size_t VN(lay_out)(const orr_heev_direct *g, VN(small) *w, char *memory)
{
    const int64_t n = g->n, ld = VN(leading)(n), vectors = g->z != NULL;
    const int64_t count[] = {PARTS * ld * n,
                             ld,
                             ld,
                             ld,
                             ld,
                             vectors * (PARTS * n * (n + 1) + LANES),
                             vectors * ld,
                             vectors * 2 * LANES * PARTS * n,
                             vectors * PADDED(n) * n,
                             vectors * 2 * TURNS * n * n,
                             (PARTS - 1) * 2 * n};
    R **const at[] = {&w->A,       &w->d,    &w->e, &w->values,     &w->e2, &w->q.U,
                      &w->q.gamma, &w->q.zt, &w->Z, (R **)&w->list, &w->D};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        *at[i] = memory && count[i] ? (R *)(memory + bytes) : NULL;
        bytes += (sizeof(R) * (size_t)count[i] + 63) / 64 * 64;
    }
    w->sweep = memory && vectors ? (turns *)(memory + bytes) : NULL;
    w->n = w->q.n = n;
    w->ld = ld;
    w->q.Z = w->Z;
#if IS_COMPLEX
    w->q.D = w->D, w->q.apart = 1;
#endif
    return bytes + (size_t)(vectors * SWEEPS * n) * sizeof(turns);
}

static size_t VN(bytes)(const orr_heev_direct *g)
{
    VN(small) w;
    return VN(lay_out)(g, &w, NULL);
}

static orr_status VN(solve)(const orr_heev_direct *g, void *memory)
{
    const int64_t n = g->n;
    VN(small) w;
    VN(lay_out)(g, &w, memory);
    R scale = (R)g->scale, *w_out = g->w;
    int64_t first = g->first, count = g->count, order[NMAX];
    VN(load)(g, &w, &scale);
    VN(reduce)(&w);
    if (g->found) {
        /* one scale after the other: their product may be beyond the range */
        orr_heev_count_cpu[g->type](n, (double)scale, w.d, w.e, g->low * g->scale,
                                    g->high * g->scale, &first, &count);
        g->found[0] = first;
        g->found[1] = count;
    }
    if (!g->z && n > ORR_HEEV_QL) { /* all of them: a value is the same, whatever is asked for */
        const orr_status st =
            orr_heev_values_cpu[g->type](n, (double)scale, w.d, w.e, 0, n, w.values);
        orr_heev_ascend_cpu[g->type](st == ORR_OK ? n : 0, w.values);
        for (int64_t i = 0; i < count && st == ORR_OK; i++)
            w_out[i] = w.values[first + i] * (R)(1 / g->scale) + (R)0;
        return st;
    }
    const R floor = VN(floor_of)(n, w.d, w.e);
    for (int64_t i = 0; i < n; i++)
        w.values[i] = w.d[i], w.e2[i] = i < n - 1 ? w.e[i] * w.e[i] : 0;
    if (!VN(find_values)(n, floor, w.values, w.e2))
        return ORR_NOCONV;
    const R *found = w.values;
    if (g->z) {
        const int sweeps = VN(find_turns)(&w, floor);
        if (sweeps < 0)
            return ORR_NOCONV;
        VN(turn_identity)((int)n, w.sweep, sweeps, w.list, w.Z);
        found = w.d;
    }
    for (int64_t i = 0; i < n; i++) { /* order: ascending */
        int64_t k = i;
        for (; k > 0 && found[order[k - 1]] > found[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int64_t i = 0; i < count; i++)
        w_out[i] = found[order[first + i]] * (1 / scale) * (R)(1 / g->scale) + (R)0;
    if (g->z) {
        const int64_t zero = n > 2 ? n - 2 : 0; /* rows without a reflector */
        memset(w.q.U + zero * n * PARTS, 0, sizeof(R) * (size_t)((n + 1 - zero) * n * PARTS));
        VN(reflect_all)(&w.q, order, g->z, g->ldz);
    }
    return ORR_OK;
}
