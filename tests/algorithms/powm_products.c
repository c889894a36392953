/* orr_sparse_multiply in every format, type and number of blocks.
 *
 *   product    |y - A x|_inf / (eps |A|_inf |x|_inf)         <= 10
 *   tiles      refused where there is a device
 *   small      not stored as compressed rows, but for one with a long row beside a device
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "algorithms/powm_case.h"
#include "check.h"
#include "larger.h"

static void one_product(orr_context *ctx, const orr_mtx *m, char type, orr_format f, int64_t blocks,
                        int full)
{
    char message[256];
    orr_sparse *A;
    orr_type t;
    const char letter[2] = {type, 0};
    orr_type_parse(letter, &t);
    orr_status st = orr_sparse_from_mtx(
        ctx, m, &(orr_sparse_opts){.type = type, .format = f, .blocks = blocks, .full = full}, &A,
        message);
    if (st == ORR_E_NOMEM && (f == ORR_FORMAT_ELL || f == ORR_FORMAT_GPU_ELL))
        return; /* too much padding: said */
    orr_context_info c;
    orr_context_query(ctx, &c);
    if (f == ORR_FORMAT_TILES && c.cuda > 0) {
        CHECK(st == ORR_E_ARG && strstr(message, "CPUs only"), "tiles on a device: %s", message);
        return;
    }
    CHECK(st == ORR_OK, "%c %s: %s", type, orr_format_name(f), message);
    if (st != ORR_OK)
        return;
    const size_t size = orr_type_size(t);
    char *x = m->cols > 0 ? calloc((size_t)m->cols, size) : NULL; /* which needs no array */
    char *y = calloc((size_t)m->rows + 1, size);
    double complex *wide = calloc((size_t)m->cols + 1, sizeof *wide);
    double complex *want = calloc((size_t)m->rows + 1, sizeof *want);
    for (int64_t i = 0; i < m->cols; i++) {
        wide[i] = (double)(i * 7 % 23) / 16 - 0.5;
        if (t == ORR_S)
            ((float *)x)[i] = (float)creal(wide[i]);
        else if (t == ORR_D)
            ((double *)x)[i] = creal(wide[i]);
        else if (t == ORR_C)
            ((float complex *)x)[i] = (float complex)(wide[i] *= CMPLX(1, 0.5));
        else
            ((double complex *)x)[i] = wide[i] *= CMPLX(1, 0.5);
    }
    mtx_product(m, wide, want);
    st = orr_sparse_multiply(ctx, A, x, y, NULL);
    orr_sparse_info o;
    orr_sparse_query(A, &o);
    double worst = 0;
    for (int64_t i = 0; i < m->rows; i++)
        worst = larger(worst, cabs(get(t, y, i) - want[i]));
    worst /= orr_type_eps(t) * (o.norm_inf + 1e-300) * 2;
    CHECK(st == ORR_OK && worst <= 10, "product %c %s blocks %lld: %g", type, orr_format_name(f),
          (long long)blocks, worst);
    free(x);
    free(y);
    free(wide);
    free(want);
    orr_sparse_free(A);
}

/* 64 rows of four entries, of five in two of them; or 400 rows of one, of all in the first. */
static orr_mtx uneven(int very)
{
    const int64_t n = very ? 400 : 64, entries = very ? 2 * n - 1 : 4 * n + 2;
    orr_mtx m = {.rows = n, .cols = n, .entries = entries, .field = ORR_MTX_REAL};
    m.row = calloc((size_t)entries, sizeof *m.row);
    m.col = calloc((size_t)entries, sizeof *m.col);
    m.val = calloc((size_t)entries, sizeof *m.val);
    for (int64_t k = 0; k < entries; k++) {
        m.row[k] = k < n ? k : very ? 0 : k < 4 * n ? k % n : 40 * (k - 4 * n);
        m.col[k] = very ? k % n + k / n : (k % n * 7 + k / n * 11) % n;
        m.val[k] = 1 / (double)(k + 3);
    }
    return m;
}

static void small(orr_context *ctx)
{
    orr_context_info c;
    orr_context_query(ctx, &c);
    for (int very = 0; very < 2; very++) {
        const orr_format want = !very        ? ORR_FORMAT_SELL
                                : c.cuda > 0 ? ORR_FORMAT_CSR
                                             : ORR_FORMAT_TILES;
        orr_mtx m = uneven(very);
        orr_sparse *A = NULL;
        orr_sparse_info o;
        char message[256];
        CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &A, message) == ORR_OK, "%s", message);
        orr_sparse_query(A, &o);
        CHECK(o.by_format[want] == 1 && o.duplicates == 0, "%d: not in %s, %lld duplicates", very,
              orr_format_name(want), (long long)o.duplicates);
        orr_sparse_free(A);
        orr_mtx_free(&m);
    }
}

void products(orr_context *ctx)
{
    small(ctx);
    static const int64_t shapes[][3] = {{1, 1, 1},          {5, 5, 0},     {3, 0, 0},
                                        {33, 70, 200},      {70, 33, 200}, {100, 100, 900},
                                        {2100, 2100, 9000}, {65, 65, 2000}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 4; kind++) { /* pattern, small integers, real, complex */
            orr_mtx m = random_mtx(shapes[s][0], shapes[s][1], shapes[s][2], kind, 7 + s);
            for (int f = 0; f < ORR_NFORMATS; f++)
                for (int t = kind == 3 ? 2 : 0; t < 4; t++)
                    if (!left_out())
                        one_product(ctx, &m, "sdcz"[t], (orr_format)f, s % 2 ? 3 : 0,
                                    (f + t) % 3 == 0);
            orr_mtx_free(&m);
        }
}
