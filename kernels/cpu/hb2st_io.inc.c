/* Bodies of hb2st_io for one scalar type; see hb2st_io.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* ---- Screening ------------------------------------------------------------------------- */

/* The bits of |x| order like the numbers, infinity and NaN above all: one integer maximum
 * both screens and finds the largest. */
#define BITS_float  int32_t
#define BITS_double int64_t
#define BITS_(r)    BITS_##r
#define BITS_OF(r)  BITS_(r)
#define BITS        BITS_OF(R)

static BITS FN(largest_bits)(const R *x, int64_t count)
{
    BITS top = 0;
    for (int64_t i = 0; i < count; i++) {
        const R v = RABS(x[i]);
        BITS b;
        memcpy(&b, &v, sizeof b);
        top = b > top ? b : top;
    }
    return top;
}

static int FN(is_finite)(T x) { return isfinite(REAL(x)) && isfinite(IMAG(x)); }

static void FN(orr_hb2st_screen_cpu)(const orr_hb2st_user *u, int64_t n, orr_hb2st_screened *out)
{
    const R infinite = INFINITY;
    BITS top = 0, limit;
    memcpy(&limit, &infinite, sizeof limit);
    *out = (orr_hb2st_screened){.row = -1, .column = -1};
    for (int64_t j = 0; j < n && out->column < 0; j++) {
        /* the off-diagonal entries stored in column j, rows first .. first+count-1 */
        const int64_t room = u->upper ? j : n - 1 - j;
        const int64_t count = orr_least(u->width, room);
        const int64_t first = u->upper ? j - count : j + 1;
        const T *column = (const T *)u->ab + j * u->ldab;
        const T *off = column + (u->upper ? u->width - count : 1);
        const R diagonal = REAL(column[u->upper ? u->width : 0]);
        const BITS d = FN(largest_bits)(&diagonal, 1);
        const BITS o = FN(largest_bits)((const R *)off, count * (1 + IS_COMPLEX));
        top = d > top ? d : top;
        top = o > top ? o : top;
        if (top >= limit) {
            int64_t i = 0;
            while (i < count && FN(is_finite)(off[i]))
                i++;
            out->column = j;
            out->row = i < count && !(u->upper == 0 && d >= limit) ? first + i : j;
        }
        for (int64_t k = count; k > out->b; k--)
            if (off[u->upper ? count - k : k - 1] != 0)
                out->b = k;
    }
    R largest;
    memcpy(&largest, &top, sizeof largest);
    int exponent = 0;
    const int most = sizeof(R) == sizeof(float) ? 126 : 1022;
    if (largest > 0 && top < limit)
        frexp((double)largest, &exponent);
    exponent = exponent > most ? most : exponent < -most ? -most : exponent;
    out->scale = ldexp(1.0, -exponent);
}

#undef BITS
#undef BITS_OF
#undef BITS_
#undef BITS_double
#undef BITS_float

/* ---- Copies -------------------------------------------------------------------------------- */

static void FN(orr_hb2st_load_cpu)(const orr_hb2st_shape *a, int64_t m, const orr_hb2st_user *u,
                                   double scale, void *h_)
{
    const R s = (R)scale;
    const int64_t columns = orr_hb2st_block_columns(a, m);
    T *h = h_;
    memset(h, 0, (size_t)(a->lead + a->D * a->ldh) * sizeof(T));
    for (int64_t c = 0; c < columns; c++) {
        const int64_t j = m * a->D + c;
        const int64_t count = orr_least(orr_least(a->b, u->width), a->n - 1 - j);
        const T *ab = (const T *)u->ab + (u->upper ? u->width : 0) + j * u->ldab;
        T *to = h + a->lead + c * a->ldh;
        to[0] = REAL(ab[0]) * s;
        if (u->upper)
            for (int64_t k = 1; k <= count; k++)
                to[k] = CONJ(ab[k * (u->ldab - 1)]) * s; /* A(j, j+k) */
        else
            for (int64_t k = 1; k <= count; k++)
                to[k] = ab[k] * s;
    }
}

static void FN(orr_hb2st_halve_cpu)(const orr_hb2st_shape *a, int64_t m, const void *wide, void *h_)
{
    T *h = h_;
    const T *half = (const T *)wide + m % 2 * a->D * a->ldh;
    memset(h, 0, (size_t)a->lead * sizeof(T));
    memcpy(h + a->lead, half + a->lead, (size_t)(a->D * a->ldh) * sizeof(T));
}

static void FN(orr_hb2st_store_cpu)(const orr_hb2st_shape *a, int64_t m, const void *h_,
                                    double scale, void *d_, void *e_)
{
    const R s = (R)(1 / scale);
    const int64_t columns = orr_hb2st_block_columns(a, m);
    const T *h = (const T *)h_ + a->lead;
    R *d = d_, *e = e_;
    for (int64_t c = 0; c < columns; c++) {
        const int64_t j = m * a->D + c;
        d[j] = REAL(h[c * a->ldh]) * s + (R)0; /* no -0 */
        if (j < a->n - 1)
            e[j] = REAL(h[c * a->ldh + 1]) * s + (R)0;
    }
}
