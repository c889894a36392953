/* The kernels of powm_spmv, without StarPU: every format, kind of values, type and instruction
 * set of this machine against sums in long double over the rows as given.
 *
 *   product   |y_i - scale sum a x| <= eps |y_i| + 2 n eps_64 scale sum |a||x|
 *             (n entries in the row, eps of the type y is stored in); y holds NaN before, and
 *             what lies around y stays as it is
 *   step      y as product gives it bit for bit; the sums of y as stored, to 1e-12 of the sum
 *             of the absolute terms; least and largest y/x exactly
 *   residual  the same sums of an unrounded product, to 1e-12
 *   pagerank  x', z', change, mass and dangling mass
 *   plan      refusals, and sizes that the packed block keeps to
 *
 *   grid      slices by diagonals, where sell is asked for
 *
 * Rows are empty, one entry short or long of the widths of loops, longer than the bound of
 * sell, longer than a piece of merge. SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

/* The kernel's source, to reach its version for every instruction set. */
#include "kernels/cpu/powm_spmv.c"
#include "check.h"
#include "numbers.h"
#include "powm_matrix.h"

enum { ISAS = 3, GUARD = 8 };

static const size_t element[ORR_NTYPES] = {4, 8, 8, 16};
static const double epsilon[ORR_NTYPES] = {FLT_EPSILON, DBL_EPSILON, FLT_EPSILON, DBL_EPSILON};
static const char letter[] = "sdcz";
static const char *const format_name[ORR_NFORMATS] = {"auto", "csr", "ell",   "gpu-ell",
                                                      "sell", "bsr", "merge", "tiles"};
static const char *const kind_name[] = {"full", "narrow", "pattern"};

#ifdef LANES_X86
#define BY_ISA(f, t)                                                                               \
    {                                                                                              \
        f##_v0_##t, f##_v3_##t, f##_v4_##t                                                         \
    }
static const int isa_level[ISAS] = {0, 3, 4};
#else
#define BY_ISA(f, t)                                                                               \
    {                                                                                              \
        f##_v0_##t                                                                                 \
    }
static const int isa_level[ISAS] = {0, 99, 99};
#endif
#define BY_TYPE(f)                                                                                 \
    {                                                                                              \
        BY_ISA(f, s), BY_ISA(f, d), BY_ISA(f, c), BY_ISA(f, z)                                     \
    }
static orr_powm_product_fn *const product_of[ORR_NTYPES][ISAS] = BY_TYPE(product);
static orr_powm_step_fn *const step_of[ORR_NTYPES][ISAS] = BY_TYPE(step);
static orr_powm_residual_fn *const residual_of[ORR_NTYPES][ISAS] = BY_TYPE(residual);
static orr_pagerank_step_fn *const rank_of[2][ISAS] = {BY_ISA(pagerank, s), BY_ISA(pagerank, d)};

/* ---- One block, one type, one instruction set ---------------------------------------------- */

struct trial {
    const struct matrix *m;
    orr_type t;
    int isa;
    orr_format format;
    int kind;
    void *block;
    char *x, *y, *plain; /* y: `plain` between canaries of GUARD elements */
    struct product p;
    char what[160];
};

static void fill_around(const struct trial *c, double y)
{
    const int64_t rows = c->m->rows.rows;
    for (int64_t i = 0; i < rows + 2 * GUARD; i++)
        put(c->t, c->plain, i, i < GUARD || i >= rows + GUARD ? 12345 : y);
}

static int untouched(const struct trial *c)
{
    const int64_t rows = c->m->rows.rows;
    int good = 1;
    for (int64_t i = 0; i < GUARD; i++)
        good &= get(c->t, c->plain, i) == 12345 && get(c->t, c->plain, rows + GUARD + i) == 12345;
    return good;
}

static int near(double have, long double want, long double size)
{
    return fabsl(have - want) <= 1e-12L * size;
}

static void try_product(const struct trial *c)
{
    const orr_powm_rows *r = &c->m->rows;
    const double scale = 0.37;
    fill_around(c, NAN);
    CHECK(product_of[c->t][c->isa](scale, c->block, c->x, c->y) == ORR_OK, "%s", c->what);
    for (int64_t i = 0; i < r->rows; i++) {
        const exact want = scale * c->p.sum[i];
        const long double n = (long double)(r->ptr[i + 1] - r->ptr[i]);
        const long double room =
            epsilon[c->t] * cabsl(want) + 2 * (n + 2) * DBL_EPSILON * scale * c->p.size[i];
        const long double off = cabsl((exact)get(c->t, c->y, i) - want);
        CHECK(off <= room, "%s: row %lld of %lld entries is off by %Lg, not %Lg", c->what,
              (long long)i, (long long)n, off, room);
        if (!(off <= room))
            break;
    }
    CHECK(untouched(c), "%s: wrote outside y", c->what);
}

static long double square_of(exact z) { return creall(z) * creall(z) + cimagl(z) * cimagl(z); }

static void check_pair(const struct trial *c, const char *name, const double have[2], exact want,
                       long double size)
{
    CHECK(near(have[0], creall(want), size) && near(have[1], cimagl(want), size),
          "%s: %s is %g%+gi, not %Lg%+Lgi", c->what, name, have[0], have[1], creall(want),
          cimagl(want));
}

static void try_step(const struct trial *c, int ritz)
{
    const orr_powm_rows *r = &c->m->rows;
    const int bounds = !is_complex(c->t);
    const double im = is_complex(c->t) ? 0.25 : 0;
    const orr_powm_step_args g = {.scale = 0.5,
                                  .theta = {0.3, im},
                                  .before = {-0.6, im / 2},
                                  .P = {0.2, -im},
                                  .Q = {0.1, im},
                                  .ritz = ritz,
                                  .bounds = bounds};
    const exact theta = CMPLXL(0.3, im), before = CMPLXL(-0.6, im / 2), P = CMPLXL(0.2, -im),
                Q = CMPLXL(0.1, im);
    char *w = allocate((size_t)(r->rows + 1) * element[c->t]),
         *y = allocate((size_t)(r->rows + 1) * element[c->t]);
    orr_powm_partial s;
    fill_around(c, NAN);
    product_of[c->t][c->isa](g.scale, c->block, c->x, c->y);
    memcpy(y, c->y, (size_t)r->rows * element[c->t]);
    fill_around(c, 0);
    for (int64_t i = 0; i < r->rows; i++)
        put(c->t, c->y, i, CMPLX(uniform(), is_complex(c->t) ? uniform() : 0));
    memcpy(w, c->y, (size_t)r->rows * element[c->t]);
    CHECK(step_of[c->t][c->isa](&g, c->block, c->x, c->y, &s) == ORR_OK, "%s", c->what);
    CHECK(memcmp(y, c->y, (size_t)r->rows * element[c->t]) == 0, "%s: y of step and product differ",
          c->what);
    CHECK(untouched(c), "%s: step wrote outside y", c->what);

    exact xy = 0, we = 0, wg = 0, eg = 0;
    long double xx = 0, yy = 0, ww = 0, ee = 0, r1 = 0, r2 = 0, all = 1e-300L;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < r->rows; i++) {
        const exact u = get(c->t, c->x, r->first + i), v = get(c->t, y, i), wi = get(c->t, w, i);
        const exact f = v - theta * u, e = u - before * wi, h = f - theta * e;
        xx += square_of(u);
        yy += square_of(v);
        xy += conjl(u) * v;
        r1 += square_of(f);
        ww += square_of(wi);
        ee += square_of(e);
        we += conjl(wi) * e;
        wg += conjl(wi) * h;
        eg += conjl(e) * h;
        r2 += square_of(h - P * e - Q * wi);
        all += square_of(u) + square_of(v) + square_of(wi);
        const double ratio = creal(get(c->t, y, i)) / creal(get(c->t, c->x, r->first + i));
        low = ratio < low ? ratio : low;
        high = ratio > high ? ratio : high;
    }
    CHECK(near(s.xx, xx, all) && near(s.yy, yy, all) && near(s.r1, r1, 4 * all),
          "%s: |x|^2 %g %Lg, |y|^2 %g %Lg, r1 %g %Lg", c->what, s.xx, xx, s.yy, yy, s.r1, r1);
    check_pair(c, "x'y", s.xy, xy, all);
    if (ritz) {
        CHECK(near(s.ww, ww, all) && near(s.ee, ee, 4 * all) && near(s.r2, r2, 16 * all),
              "%s: ww %g %Lg, ee %g %Lg, r2 %g %Lg", c->what, s.ww, ww, s.ee, ee, s.r2, r2);
        check_pair(c, "w'e", s.we, we, 4 * all);
        check_pair(c, "w'g", s.wg, wg, 4 * all);
        check_pair(c, "e'g", s.eg, eg, 8 * all);
    }
    if (bounds && c->t == ORR_D)
        CHECK(r->rows == 0 || (s.low == low && s.high == high), "%s: %g..%g, not %g..%g", c->what,
              s.low, s.high, low, high);
    free(w);
    free(y);
}

/* z: with another vector (real types), without theta too. */
static void try_residual(const struct trial *c, int with_z, double theta)
{
    const orr_powm_rows *r = &c->m->rows;
    const int own = !(with_z && theta == 0); /* x need not be as long as y then */
    const orr_powm_residual_args g = {.theta = theta, .omega = -0.4, .bounds = 0};
    char *z = allocate((size_t)(r->rows + 1) * element[c->t]);
    orr_powm_partial s;
    exact xy = 0;
    long double xx = 0, r1 = 0, all = 1e-300L;
    for (int64_t i = 0; i < r->rows; i++)
        put(c->t, z, i, uniform());
    CHECK(residual_of[c->t][c->isa](&g, c->block, c->x, with_z ? z : NULL, &s) == ORR_OK, "%s",
          c->what);
    for (int64_t i = 0; i < r->rows; i++) {
        const exact u = own ? get(c->t, c->x, r->first + i) : 0, v = c->p.sum[i];
        const exact d = is_complex(c->t)
                            ? v - CMPLXL(theta, -0.4) * u
                            : v - theta * u + (with_z ? (exact)(-0.4 * get(c->t, z, i)) : 0);
        xx += square_of(u);
        xy += conjl(u) * v;
        r1 += square_of(d);
        all += square_of(u) + c->p.size[i] * c->p.size[i] + 1;
    }
    CHECK(near(s.xx, xx, all) && near(s.r1, r1, 4 * all), "%s: xx %g %Lg, r1 %.17g %.17Lg", c->what,
          s.xx, xx, s.r1, r1);
    check_pair(c, "x'Ax", s.xy, xy, all);
    free(z);
}

static void try_pagerank(const struct trial *c, int with_p)
{
    const orr_powm_rows *r = &c->m->rows;
    const orr_pagerank_step_args g = {.alpha = 0.85, .personal = 0.1, .constant = 0.01};
    char *d = allocate((size_t)(r->rows + 1) * element[c->t]);
    char *p = allocate((size_t)(r->rows + 1) * element[c->t]);
    orr_powm_partial s;
    long double change = 0, mass = 0, dangling = 0, all = 1e-300L;
    for (int64_t i = 0; i < r->rows; i++) {
        put(c->t, d, i, i % 5 == 3 ? -1 : 1 + (double)(i % 7));
        put(c->t, p, i, 1 + uniform() / 2);
    }
    fill_around(c, NAN);
    CHECK(rank_of[c->t][c->isa](&g, c->block, c->x, d, with_p ? p : NULL, c->y, &s) == ORR_OK, "%s",
          c->what);
    for (int64_t i = 0; i < r->rows; i++) {
        const double di = creal(get(c->t, d, i)), degree = fabs(di);
        const long double x =
            0.85L * creall(c->p.sum[i]) + 0.01L + (with_p ? 0.1L * creal(get(c->t, p, i)) : 0);
        const long double off = fabsl(creal(get(c->t, c->y, i)) - x / degree);
        const long double size = 0.85L * c->p.size[i] + 0.2L;
        change += fabsl(x - degree * creal(get(c->t, c->x, r->first + i)));
        mass += x;
        dangling += di < 0 ? x : 0;
        all += size + degree;
        CHECK(off <= epsilon[c->t] * fabsl(x) / degree + 1e-12L * size, "%s: row %lld off by %Lg",
              c->what, (long long)i, off);
    }
    CHECK(near(s.change, change, all) && near(s.mass, mass, all) && near(s.dangling, dangling, all),
          "%s: change %g %Lg, mass %g %Lg, dangling %g %Lg", c->what, s.change, change, s.mass,
          mass, s.dangling, dangling);
    CHECK(untouched(c), "%s: pagerank wrote outside z", c->what);
    free(d);
    free(p);
}

/* ---- All of them --------------------------------------------------------------------------- */

static void *make_block(const struct matrix *m, orr_type t, const orr_powm_form *form,
                        const char *what)
{
    orr_powm_block head;
    if (orr_powm_plan(&m->rows, t, form, &head) != ORR_OK) {
        CHECK(0, "%s: no plan", what);
        return NULL;
    }
    char *block = allocate((size_t)head.bytes + 64);
    memset(block, 0x5a, (size_t)head.bytes + 64); /* what is zero was written */
    CHECK(orr_powm_pack(&m->rows, &head, block) == ORR_OK, "%s", what);
    int kept = head.bytes % 64 == 0;
    for (int i = 0; i < 64; i++)
        kept &= block[head.bytes + i] == 0x5a;
    CHECK(kept, "%s: packing wrote behind the block", what);
    return block;
}

static void try_block(const struct matrix *m, orr_type t, const orr_powm_form *form)
{
    const orr_powm_rows *r = &m->rows;
    struct trial c = {.m = m, .t = t, .format = form->format, .kind = form->values};
    const int n = snprintf(c.what, sizeof c.what, "%s, %lld x %lld from %lld, %s %s %c", m->name,
                           (long long)r->rows, (long long)r->cols, (long long)r->first,
                           format_name[form->format], kind_name[form->values], letter[t]);
    c.block = make_block(m, t, form, c.what);
    if (!c.block)
        return;
    c.x = allocate((size_t)(r->cols + ORR_POWM_PAD) * element[t]);
    c.plain = allocate((size_t)(r->rows + 2 * GUARD) * element[t]);
    c.y = c.plain + GUARD * element[t];
    for (int64_t i = 0; i < r->cols; i++)
        put(t, c.x, i, CMPLX(1.5 + uniform(), is_complex(t) ? uniform() : 0));
    c.p = multiply_rows(r, t, c.x);
    for (c.isa = 0; c.isa < ISAS && isa_level[c.isa] <= lanes_level(); c.isa++) {
        snprintf(c.what + n, sizeof c.what - (size_t)n, " v%d", isa_level[c.isa]);
        try_product(&c);
        if (r->first + r->rows <= r->cols) {
            try_step(&c, 0);
            try_step(&c, 1);
            try_residual(&c, 0, 0.3);
            if (!is_complex(t)) {
                try_residual(&c, 1, 0.3);
                try_pagerank(&c, 0);
                try_pagerank(&c, 1);
            }
        }
        if (!is_complex(t))
            try_residual(&c, 1, 0);
    }
    free_product(&c.p);
    free(c.block);
    free(c.x);
    free(c.plain);
}

static void try_matrix(int shape, int64_t first, int64_t rows, int64_t cols)
{
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct matrix m;
        make_matrix(&m, shape, first, rows, cols, is_complex((orr_type)t));
        for (int kind = 0; kind < ORR_NVALUES; kind++) {
            set_values(&m, kind, (orr_type)t);
            for (int f = ORR_FORMAT_CSR; f < ORR_NFORMATS; f++) {
                orr_powm_form form = {.format = (orr_format)f, .values = kind};
                const int wide = (f == ORR_FORMAT_ELL || f == ORR_FORMAT_GPU_ELL) &&
                                 (shape == SOME_LONG || rows * cols > 1 << 20);
                if (wide) /* refused: see try_plans */
                    continue;
                try_block(&m, (orr_type)t, &form);
                if (f == ORR_FORMAT_TILES) {
                    form.window = rows > 500 ? 300 : 20; /* several strips, several tiles in each */
                    try_block(&m, (orr_type)t, &form);
                }
                if (f != ORR_FORMAT_SELL)
                    continue;
                form.long_row = 16; /* and rows of 15, 16 and 17 */
                try_block(&m, (orr_type)t, &form);
                form.window = rows;
                try_block(&m, (orr_type)t, &form);
            }
        }
        free_matrix(&m);
    }
}

/* Tiles as large as they are: several strips, tiles without entries, and of one row more entries in
 * a tile than 16 bits count. */
static void try_tiles(int shape, int64_t rows, int64_t cols)
{
    static const orr_type types[] = {ORR_D, ORR_Z};
    for (int t = 0; t < 2; t++)
        for (int kind = 0; kind < ORR_NVALUES; kind += ORR_VALUES_PATTERN) {
            const orr_powm_form form = {.format = ORR_FORMAT_TILES, .values = kind};
            struct matrix m;
            make_matrix(&m, shape, 0, rows, cols, is_complex(types[t]));
            set_values(&m, kind, types[t]);
            try_block(&m, types[t], &form);
            free_matrix(&m);
        }
}

static void try_plans(void)
{
    struct matrix m;
    orr_powm_block head;
    make_matrix(&m, ONE_LONG, 0, 4000, 4000, 0);
    set_values(&m, ORR_VALUES_FULL, ORR_D);
    for (int f = ORR_FORMAT_CSR; f < ORR_NFORMATS; f++) {
        const orr_powm_form form = {.format = (orr_format)f};
        const int wide = f == ORR_FORMAT_ELL || f == ORR_FORMAT_GPU_ELL;
        const orr_status st = orr_powm_plan(&m.rows, ORR_D, &form, &head);
        CHECK(st == (wide ? ORR_E_NOMEM : ORR_OK), "%s: status %d for one long row", format_name[f],
              (int)st);
    }
    const orr_powm_form none = {.format = ORR_NFORMATS}, automatic = {.format = ORR_FORMAT_AUTO};
    CHECK(orr_powm_plan(&m.rows, ORR_D, &none, &head) == ORR_E_ARG, "a format that is none");
    CHECK(orr_powm_plan(&m.rows, ORR_D, &automatic, &head) == ORR_E_ARG, "no format");
    free_matrix(&m);
}

/* A grid is stored by diagonals: one column for 32 entries, also where lanes are missing. */
static void try_diagonals(void)
{
    struct matrix m;
    orr_powm_block head;
    const orr_powm_form form = {.format = ORR_FORMAT_SELL, .values = ORR_VALUES_PATTERN};
    make_matrix(&m, GRID, 0, 1100, 1100, 0);
    set_values(&m, ORR_VALUES_PATTERN, ORR_D);
    CHECK(orr_powm_plan(&m.rows, ORR_D, &form, &head) == ORR_OK, "grid");
    char *block = make_block(&m, ORR_D, &form, "grid");
    const int32_t *at = (const int32_t *)(block + head.at);
    for (int64_t c = 0; c < head.slices; c++)
        CHECK(at[c] < 0, "slice %lld of a grid is not stored by diagonals", (long long)c);
    CHECK(!head.sorted && head.slots <= 5 * 1120, "%lld slots", (long long)head.slots);
    free(block);
    free_matrix(&m);
}

int main(void)
{
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 65, 97, 1023, 1033};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            if (shape != SOME_LONG && (sizes[i] > 6 || shape != BLOCKS))
                try_matrix(shape, 0, sizes[i], sizes[i]);
    try_matrix(SOME_LONG, 0, 130, 9700);  /* several pieces of merge in one row */
    try_matrix(SHORT_ROWS, 77, 203, 331); /* a block inside of a matrix */
    try_matrix(EDGES, 100, 61, 161);      /* the last block */
    try_matrix(BLOCKS, 35, 50, 101);      /* blocks that stick out on the right */
    try_matrix(SHORT_ROWS, 0, 61, 3);     /* more rows than columns */
    try_matrix(EDGES, 0, 3, 4099);        /* fewer */
    try_matrix(GRID, 100, 333, 450);      /* pieces of diagonals inside of a matrix */
    try_tiles(ONE_LONG, 1, 70000);
    try_tiles(ONE_LONG, 40000, 70000);
    try_tiles(EMPTY, 32769, 140000);
    try_tiles(EDGES, 65537, 3);
    try_plans();
    try_diagonals();
    printf("instruction sets up to v%d\n", lanes_level());
    return checked();
}
