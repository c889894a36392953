/* Sums and mixing for the real type of as_?.h. SPDX-License-Identifier: BSD-3-Clause */
static void FN(dots)(int64_t n, const void *const vz[4], const void *vd,
                     double dots[ORR_PAGERANK_DOTS])
{
    const T *z0 = vz[0], *z1 = vz[1], *z2 = vz[2], *z3 = vz[3], *d = vd;
    double s11 = 0, s12 = 0, s22 = 0, s13 = 0, s23 = 0;
#pragma omp simd reduction(+ : s11, s12, s22, s13, s23)
    for (int64_t i = 0; i < n; i++) {
        const double degree = fabs((double)d[i]), x0 = z0[i];
        const double y1 = degree * (z1[i] - x0), y2 = degree * (z2[i] - x0);
        const double y3 = degree * (z3[i] - x0);
        s11 += y1 * y1;
        s12 += y1 * y2;
        s22 += y2 * y2;
        s13 += y1 * y3;
        s23 += y2 * y3;
    }
    dots[0] = s11;
    dots[1] = s12;
    dots[2] = s22;
    dots[3] = s13;
    dots[4] = s23;
}

static void FN(mix)(int64_t n, const orr_pagerank_mixing *m, const void *v1, const void *v2,
                    void *v3)
{
    const T *z1 = v1, *z2 = v2;
    T *z3 = v3;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        z3[i] = (T)(m->b[0] * z1[i] + m->b[1] * z2[i] + m->b[2] * z3[i]);
}
