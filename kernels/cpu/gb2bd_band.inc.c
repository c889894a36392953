/* Screening, loading and storing a band, for one scalar type T in the user's memory and the
 * real type S of the rows; GET and PUT convert between them and double.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rows i0 <= i < i1 of column j that are stored. */
static inline int64_t FN(first_row)(const orr_gb2bd_source *a, int64_t j)
{
    return j > a->ku ? j - a->ku : 0;
}
static inline int64_t FN(end_row)(const orr_gb2bd_source *a, int64_t j)
{
    return j + a->kl + 1 < a->m ? j + a->kl + 1 : a->m;
}

static orr_gb2bd_screened FN(orr_gb2bd_screen_cpu)(const orr_gb2bd_source *a)
{
    orr_gb2bd_screened r = {.row = -1, .column = -1};
    for (int64_t j = 0; j < a->n; j++) {
        const int64_t i0 = FN(first_row)(a, j), i1 = FN(end_row)(a, j);
        const S *x = (const S *)a->ab + (j * a->ldab + a->ku - j) * PARTS;
        double top = 0;
        int finite = 1;
        for (int64_t i = i0 * PARTS; i < i1 * PARTS; i++) {
            const double size = fabs((double)GET(x[i]));
            finite &= size <= DBL_MAX;
            top = size > top ? size : top;
        }
        for (int64_t i = i0 * PARTS; !finite && i < i1 * PARTS; i++)
            if (!(fabs((double)GET(x[i])) <= DBL_MAX)) {
                r.row = i / PARTS;
                r.column = j;
                return r;
            }
        r.largest = top > r.largest ? top : r.largest;
    }
    return r;
}

static void FN(orr_gb2bd_load_cpu)(const orr_gb2bd_band *g, const orr_gb2bd_source *a,
                                   int64_t first, int64_t count, void *block)
{
    /* of the rows that are loaded, which are the source's columns if it is transposed */
    const int64_t kl = a->transposed ? a->ku : a->kl, ku = a->transposed ? a->kl : a->ku;
    memset(block, 0, (size_t)(count * g->ld) * sizeof(S));
    for (int64_t i = first; i < first + count && i < g->rows; i++) {
        S *row = (S *)block + (i - first) * g->ld + g->low - i;
        const int64_t j0 = i > kl ? i - kl : 0, j1 = i + ku < g->n ? i + ku : g->n - 1;
        for (int64_t j = j0; j <= j1; j++) {
            const int64_t at =
                a->transposed ? i * a->ldab + a->ku + j - i : j * a->ldab + a->ku + i - j;
            const S *x = (const S *)a->ab + at * PARTS;
            row[j] = PUT(GET(x[0]) * a->scale);
            if (PARTS == 2)
                row[g->plane + j] = PUT((a->transposed ? -1 : 1) * GET(x[PARTS - 1]) * a->scale);
        }
    }
}

static inline double FN(value)(const orr_gb2bd_band *g, const S *x)
{
    return PARTS == 1 ? (double)GET(x[0]) : hypot((double)GET(x[0]), (double)GET(x[g->plane]));
}

static void FN(orr_gb2bd_store_cpu)(const orr_gb2bd_band *g, double scale, int backwards,
                                    int64_t first, int64_t count, const void *block, void *d,
                                    void *e)
{
    for (int64_t i = first; i < first + count && i < g->n; i++) {
        const S *x = (const S *)block + (i - first) * g->ld + g->low;
        ((R *)d)[backwards ? g->n - 1 - i : i] = (R)(FN(value)(g, x) / scale) + (R)0; /* no -0 */
        if (i + 1 < g->n)
            ((R *)e)[backwards ? g->n - 2 - i : i] = (R)(FN(value)(g, x + 1) / scale) + (R)0;
    }
}
#undef S
#undef GET
#undef PUT
#undef PARTS
