/* Steps of the iterations on a block of rows, once per instruction set and type: strip by
 * strip the product is formed in a small buffer and used up while it is in the cache.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "powm_kinds.inc.c"

typedef void VN(product_fn)(const orr_powm_block *, const T *, int64_t, int64_t, ACC *);

static VN(product_fn) *const VN(products)[ORR_NFORMATS][ORR_NVALUES] = {
    [ORR_FORMAT_CSR] = {VN(csr_full), VN(csr_narrow), VN(csr_pattern)},
    [ORR_FORMAT_MERGE] = {VN(merge_full), VN(merge_narrow), VN(merge_pattern)},
    [ORR_FORMAT_ELL] = {VN(ell_full), VN(ell_narrow), NULL},
    [ORR_FORMAT_GPU_ELL] = {VN(gpu_ell_full), VN(gpu_ell_narrow), VN(gpu_ell_pattern)},
    [ORR_FORMAT_SELL] = {VN(sell_full), VN(sell_narrow), VN(sell_pattern)},
    [ORR_FORMAT_TILES] = {VN(tiles_full), VN(tiles_narrow), VN(tiles_pattern)},
    [ORR_FORMAT_BSR] = {VN(bsr_full), VN(bsr_narrow), NULL},
};

/* The buffer of a strip: on the stack if it is small. */
#define STRIP_BUFFER(b)                                                                            \
    ACC small[SMALL_STRIP];                                                                        \
    ACC *const acc = (b)->strip <= SMALL_STRIP ? small : malloc((size_t)(b)->strip * sizeof *acc); \
    if (!acc)                                                                                      \
    return ORR_E_NOMEM
#define STRIP_BUFFER_FREE()                                                                        \
    do {                                                                                           \
        if (acc != small)                                                                          \
            free(acc);                                                                             \
    } while (0)

static orr_status VN(product)(double scale, const void *block, const void *vx, void *vy)
{
    const orr_powm_block *b = block;
    VN(product_fn) *const product = VN(products)[b->format][b->values];
    const T *x = vx;
    T *y = vy;
    STRIP_BUFFER(b);
    if (b->values == ORR_VALUES_PATTERN)
        scale *= b->value;
    for (int64_t r = 0; r < b->rows; r += b->strip) {
        const int64_t n = r + b->strip < b->rows ? b->strip : b->rows - r;
        product(b, x, r, r + n, acc);
        for (int64_t i = 0; i < n; i++)
            y[r + i] = (T)(scale * acc[i]);
    }
    STRIP_BUFFER_FREE();
    return ORR_OK;
}

#if IS_COMPLEX
static void VN(epilogue)(const orr_powm_step_args *g, double scale, int64_t n, const ACC *acc,
                         const T *x, T *y, orr_powm_partial *s)
{
    const ACC theta = CMPLX(g->theta[0], g->theta[1]);
    const ACC P = CMPLX(g->P[0], g->P[1]), Q = CMPLX(g->Q[0], g->Q[1]);
    const ACC before = CMPLX(g->before[0], g->before[1]);
    for (int64_t i = 0; i < n; i++) {
        const T yi = (T)(scale * acc[i]);
        const ACC u = x[i], v = yi, w = g->ritz ? (ACC)y[i] : 0;
        const ACC xy = multiply(conj(u), v), f = v - multiply(theta, u);
        s->xx += square(u);
        s->yy += square(v);
        s->xy[0] += creal(xy);
        s->xy[1] += cimag(xy);
        s->r1 += square(f);
        if (g->ritz) {
            const ACC e = u - multiply(before, w), h = f - multiply(theta, e);
            const ACC we = multiply(conj(w), e), wg = multiply(conj(w), h);
            const ACC eg = multiply(conj(e), h);
            s->ww += square(w);
            s->ee += square(e);
            s->we[0] += creal(we);
            s->we[1] += cimag(we);
            s->wg[0] += creal(wg);
            s->wg[1] += cimag(wg);
            s->eg[0] += creal(eg);
            s->eg[1] += cimag(eg);
            s->r2 += square(h - multiply(P, e) - multiply(Q, w));
        }
        y[i] = yi;
    }
}
#else
static void VN(epilogue)(const orr_powm_step_args *g, double scale, int64_t n, const ACC *acc,
                         const T *x, T *y, orr_powm_partial *s)
{
    const double theta = g->theta[0], before = g->before[0], P = g->P[0], Q = g->Q[0];
    double xx = 0, yy = 0, ww = 0, ee = 0, xy = 0, we = 0, wg = 0, eg = 0, r1 = 0, r2 = 0;
    double low = s->low, high = s->high;
    if (g->ritz) {
#pragma omp simd reduction(+ : xx, yy, ww, ee, xy, we, wg, eg, r1, r2)
        for (int64_t i = 0; i < n; i++) {
            const T yi = (T)(scale * acc[i]);
            const double u = x[i], v = yi, w = y[i], f = v - theta * u, e = u - before * w;
            const double h = f - theta * e, d = h - P * e - Q * w;
            xx += u * u;
            yy += v * v;
            xy += u * v;
            ww += w * w;
            ee += e * e;
            we += w * e;
            wg += w * h;
            eg += e * h;
            r1 += f * f;
            r2 += d * d;
            y[i] = yi;
        }
    } else {
#pragma omp simd reduction(+ : xx, yy, xy, r1)
        for (int64_t i = 0; i < n; i++) {
            const T yi = (T)(scale * acc[i]);
            const double u = x[i], v = yi, d = v - theta * u;
            xx += u * u;
            yy += v * v;
            xy += u * v;
            r1 += d * d;
            y[i] = yi;
        }
    }
    for (int64_t i = 0; g->bounds && i < n; i++) {
        const double ratio = y[i] / x[i];
        low = ratio < low ? ratio : low;
        high = ratio > high ? ratio : high;
    }
    s->xx += xx;
    s->yy += yy;
    s->ww += ww;
    s->xy[0] += xy;
    s->ee += ee;
    s->we[0] += we;
    s->wg[0] += wg;
    s->eg[0] += eg;
    s->r1 += r1;
    s->r2 += r2;
    s->low = low;
    s->high = high;
}
#endif

static orr_status VN(step)(const orr_powm_step_args *g, const void *block, const void *vx, void *vy,
                           orr_powm_partial *s)
{
    const orr_powm_block *b = block;
    VN(product_fn) *const product = VN(products)[b->format][b->values];
    const T *x = vx;
    T *y = vy;
    const double scale = b->values == ORR_VALUES_PATTERN ? g->scale * b->value : g->scale;
    STRIP_BUFFER(b);
    *s = (orr_powm_partial){.low = INFINITY, .high = -INFINITY};
    for (int64_t r = 0; r < b->rows; r += b->strip) {
        const int64_t n = r + b->strip < b->rows ? b->strip : b->rows - r;
        product(b, x, r, r + n, acc);
        VN(epilogue)(g, scale, n, acc, x + b->first + r, y + r, s);
    }
    STRIP_BUFFER_FREE();
    return ORR_OK;
}

static orr_status VN(residual)(const orr_powm_residual_args *g, const void *block, const void *vx,
                               const void *vz, orr_powm_partial *s)
{
    const orr_powm_block *b = block;
    VN(product_fn) *const product = VN(products)[b->format][b->values];
    const T *x = vx, *z = vz;
    const double value = b->values == ORR_VALUES_PATTERN ? b->value : 1;
    STRIP_BUFFER(b);
    *s = (orr_powm_partial){.low = INFINITY, .high = -INFINITY};
    for (int64_t r = 0; r < b->rows; r += b->strip) {
        const int64_t n = r + b->strip < b->rows ? b->strip : b->rows - r;
        const T *own = x + b->first + r;
        product(b, x, r, r + n, acc);
        for (int64_t i = 0; i < n; i++) {
            /* without theta x may be longer or shorter than y */
            const ACC u = z && g->theta == 0 ? 0 : own[i], v = value * acc[i];
#if IS_COMPLEX
            const ACC xy = multiply(conj(u), v);
            (void)z;
            s->xx += square(u);
            s->xy[0] += creal(xy);
            s->xy[1] += cimag(xy);
            s->r1 += square(v - multiply(CMPLX(g->theta, g->omega), u));
#else
            const double d = v - g->theta * u + (z ? g->omega * z[r + i] : 0);
            s->xx += u * u;
            s->xy[0] += u * v;
            s->r1 += d * d;
            if (g->bounds) {
                s->low = v / u < s->low ? v / u : s->low;
                s->high = v / u > s->high ? v / u : s->high;
            }
#endif
        }
    }
    STRIP_BUFFER_FREE();
    return ORR_OK;
}

#if !IS_COMPLEX
static orr_status VN(pagerank)(const orr_pagerank_step_args *g, const void *block, const void *vz,
                               const void *vd, const void *vp, void *vnew, orr_powm_partial *s)
{
    const orr_powm_block *b = block;
    VN(product_fn) *const product = VN(products)[b->format][b->values];
    const T *z = vz, *d = vd, *p = vp;
    T *znew = vnew;
    const double alpha = b->values == ORR_VALUES_PATTERN ? g->alpha * b->value : g->alpha;
    double change = 0, mass = 0, dangling = 0;
    STRIP_BUFFER(b);
    *s = (orr_powm_partial){0};
    for (int64_t r = 0; r < b->rows; r += b->strip) {
        const int64_t n = r + b->strip < b->rows ? b->strip : b->rows - r;
        const T *own = z + b->first + r;
        product(b, z, r, r + n, acc);
#pragma omp simd reduction(+ : change, mass, dangling)
        for (int64_t i = 0; i < n; i++) {
            const double di = d[r + i], degree = fabs(di);
            const double x = alpha * acc[i] + g->constant + (p ? g->personal * p[r + i] : 0);
            change += fabs(x - degree * own[i]);
            mass += x;
            dangling += di < 0 ? x : 0;
            znew[r + i] = (T)(x / degree);
        }
    }
    s->change = change;
    s->mass = mass;
    s->dangling = dangling;
    STRIP_BUFFER_FREE();
    return ORR_OK;
}
#endif
#undef STRIP_BUFFER
#undef STRIP_BUFFER_FREE
