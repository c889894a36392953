/* Every driver of liborrery_lapack, twice: taken over, and as LAPACK alone. Run
 * with the library preloaded, and without:
 *
 *     drivers taken    every valid call is taken over; the results are those of LAPACK
 *     drivers passed   nothing is preloaded: the same program, nothing to find
 *     drivers caught   vectors were exchanged on purpose, or values or factors spoilt (planted.c): with
 *                      ORRERY_CHECK every call that has them is found wrong and computed again
 *
 * Equal: info, m, the lengths in work, ifail; max |w - w'| <= 20 n eps max |w'|; vectors up to a
 * factor of modulus 1, 1 - |<x, x'>| / <x', x'> <= (1e-3 or 1e-8); factors of B to 20 n eps; what
 * LAPACK does not write is not written. Wrong arguments, one by one, and B that is not positive
 * definite: the same info.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <complex.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGS = 27, MOST = 131, PAD = 3 };
typedef void fortran(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *);

static int failures, calls, expected_taken, expected_caught;

/* ---- Numbers --------------------------------------------------------------------------------- */

static int complex_type(char t) { return t == 'c' || t == 'z'; }
static int single(char t) { return t == 's' || t == 'c'; }
static size_t real_size(char t) { return single(t) ? 4 : 8; }
static size_t size_of(char t) { return real_size(t) * (complex_type(t) ? 2 : 1); }

static double part(char t, const void *x, int64_t i)
{
    return single(t) ? ((const float *)x)[i] : ((const double *)x)[i];
}

static double _Complex entry(char t, const void *x, int64_t i)
{
    return complex_type(t) ? part(t, x, 2 * i) + I * part(t, x, 2 * i + 1) : part(t, x, i);
}

static uint64_t state = 1;
static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

static void fill(char t, void *x, int64_t count)
{
    for (int64_t i = 0; i < count * (complex_type(t) ? 2 : 1); i++)
        if (single(t))
            ((float *)x)[i] = (float)draw();
        else
            ((double *)x)[i] = draw();
}

static void fail(const char *name, const char *what, double found)
{
    if (failures++ < 20)
        printf("%s: %s (%g)\n", name, what, found);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Where arguments stand; 0 after the first: none. */
struct shape {
    const char *stem;
    int complex_too, svd;
    int job, range, uplo, m, n, a, lda, b, ldb, vl, abstol, il, iu, found, w, z, ldz, u, ldu, vt,
        ldvt;
    int work[3];  /* work, rwork or iwork, iwork */
    char kind[3]; /* 'n' numbers, 'r' reals, 'i' integers; lengths follow unless capital */
    int ifail, args;
};

#define WHOLE .uplo = 1, .n = 2, .a = 3, .lda = 4, .w = 5
#define PART                                                                                       \
    .range = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .vl = 6, .il = 8, .iu = 9, .abstol = 10,      \
    .found = 11, .w = 12, .z = 13, .ldz = 14
#define PENCIL .job = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .w = 8
#define PENCIL_PART                                                                                \
    .job = 1, .range = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .vl = 9,          \
    .il = 11, .iu = 12, .abstol = 13, .found = 14, .w = 15, .z = 16, .ldz = 17
#define SVD(j)                                                                                     \
    .svd = j, .m = j, .n = j + 1, .a = j + 2, .lda = j + 3, .w = j + 4, .u = j + 5, .ldu = j + 6,  \
    .vt = j + 7, .ldvt = j + 8
static const struct shape shapes[] = {
    {"syev", 0, WHOLE, .work = {6}, .kind = "n", .args = 9},
    {"heev", 1, WHOLE, .work = {6, 8}, .kind = "nR", .args = 10},
    {"syevd", 0, WHOLE, .work = {6, 8}, .kind = "ni", .args = 11},
    {"heevd", 1, WHOLE, .work = {6, 8, 10}, .kind = "nri", .args = 13},
    {"syevr", 0, PART, .work = {16, 18}, .kind = "ni", .args = 21},
    {"heevr", 1, PART, .work = {16, 18, 20}, .kind = "nri", .args = 23},
    {"syevx", 0, PART, .work = {15, 17}, .kind = "nI", .ifail = 18, .args = 20},
    {"heevx", 1, PART, .work = {15, 17, 18}, .kind = "nRI", .ifail = 19, .args = 21},
    {"sygv", 0, PENCIL, .work = {9}, .kind = "n", .args = 12},
    {"hegv", 1, PENCIL, .work = {9, 11}, .kind = "nR", .args = 13},
    {"sygvd", 0, PENCIL, .work = {9, 11}, .kind = "ni", .args = 14},
    {"hegvd", 1, PENCIL, .work = {9, 11, 13}, .kind = "nri", .args = 16},
    {"sygvx", 0, PENCIL_PART, .work = {18, 20}, .kind = "nI", .ifail = 21, .args = 23},
    {"hegvx", 1, PENCIL_PART, .work = {18, 20, 21}, .kind = "nRI", .ifail = 22, .args = 24},
    {"gesvd", 0, SVD(2), .work = {11}, .kind = "n", .args = 14},
    {"gesvd", 1, SVD(2), .work = {11, 13}, .kind = "nR", .args = 15},
    {"gesdd", 0, SVD(1), .work = {10, 12}, .kind = "nI", .args = 14},
    {"gesdd", 1, SVD(1), .work = {10, 12, 13}, .kind = "nRI", .args = 15},
};

/* The arrays of a call and everything that its arguments point to. */
struct call {
    const struct shape *s;
    char type, name[16], letter[3], what[64], on[32]; /* on: what has it taken over */
    int itype, m, n, lda, ldb, il, iu, found, ldz, ldu, ldvt, info, length[3];
    double vl, vu, abstol;
    float vl_s, vu_s, abstol_s;
    void *a, *b, *w, *z, *u, *vt, *work[3];
    int isuppz[2 * MOST], ifail[MOST];
    void *arg[ARGS];
};

static size_t room(const struct call *c)
{
    return (size_t)((c->m > c->n ? c->m : c->n) + PAD) * (size_t)(c->n + c->m + PAD) *
           size_of(c->type);
}

static void *array(const struct call *c)
{
    void *x = malloc(room(c));
    memset(x, 0x3c, room(c)); /* a number of either type, to be found again */
    return x;
}

static void point(struct call *c)
{
    const struct shape *s = c->s;
    memset(c->arg, 0, sizeof c->arg);
    c->arg[s->job] = &c->letter[0];
    if (s->b) {
        c->arg[0] = &c->itype;
        c->arg[s->b] = c->b;
        c->arg[s->ldb] = &c->ldb;
    }
    if (s->svd == 2)
        c->arg[1] = &c->letter[1];
    if (s->range) {
        c->arg[s->range] = &c->letter[1];
        c->arg[s->vl] = single(c->type) ? (void *)&c->vl_s : &c->vl;
        c->arg[s->vl + 1] = single(c->type) ? (void *)&c->vu_s : &c->vu;
        c->arg[s->abstol] = single(c->type) ? (void *)&c->abstol_s : &c->abstol;
        c->arg[s->il] = &c->il;
        c->arg[s->iu] = &c->iu;
        c->arg[s->found] = &c->found;
        c->arg[s->z] = c->z;
        c->arg[s->ldz] = &c->ldz;
        if (!s->ifail)
            c->arg[15] = c->isuppz;
    }
    if (s->uplo)
        c->arg[s->uplo] = &c->letter[2];
    if (s->svd) {
        c->arg[s->m] = &c->m;
        c->arg[s->u] = c->u;
        c->arg[s->ldu] = &c->ldu;
        c->arg[s->vt] = c->vt;
        c->arg[s->ldvt] = &c->ldvt;
    }
    c->arg[s->n] = &c->n;
    c->arg[s->a] = c->a;
    c->arg[s->lda] = &c->lda;
    c->arg[s->w] = c->w;
    for (int k = 0; k < 3 && s->kind[k]; k++) {
        c->arg[s->work[k]] = c->work[k];
        if (s->kind[k] >= 'a')
            c->arg[s->work[k] + 1] = &c->length[k];
    }
    if (s->ifail)
        c->arg[s->ifail] = c->ifail;
    c->arg[s->args - 1] = &c->info;
    for (int k = 0; k < 3; k++)
        c->arg[s->args + k] = (void *)1;
}

/* Its eigenvalues are between 1.4 and 2.6. */
static void make_definite(struct call *c)
{
    const int parts = complex_type(c->type) ? 2 : 1;
    for (int64_t j = 0; j < c->n; j++) {
        char *column = (char *)c->b + (size_t)(j * c->ldb) * size_of(c->type);
        fill(c->type, column, c->n);
        for (int64_t i = 0; i < c->n * parts; i++) {
            const double x = part(c->type, column, i) / (4 * sqrt(c->n)) + (i == j * parts ? 2 : 0);
            if (single(c->type))
                ((float *)(void *)column)[i] = (float)x;
            else
                ((double *)(void *)column)[i] = x;
        }
    }
}

static void make(struct call *c, const struct shape *s, char type, int itype, int m, int n,
                 const char *letters)
{
    *c = (struct call){.s = s,
                       .type = type,
                       .itype = itype,
                       .m = m,
                       .n = n,
                       .ldb = n + PAD - 1,
                       .lda = (s->svd ? m : n) + PAD,
                       .il = 1,
                       .iu = n,
                       .vl = -0.6,
                       .vu = 1.1,
                       .vl_s = -0.6f,
                       .vu_s = 1.1f,
                       .found = -7,
                       .ldz = n + 1,
                       .ldu = m + 1,
                       .ldvt = n + 2,
                       .info = -99};
    snprintf(c->name, sizeof c->name, "%c%s_", type, s->stem);
    memcpy(c->letter, letters, 3);
    snprintf(c->what, sizeof c->what, "%s %d %.3s m=%d n=%d", c->name, itype, letters, m, n);
    snprintf(c->on, sizeof c->on, "1000000,%s=1", s->stem);
    c->a = array(c);
    c->b = array(c);
    c->w = array(c);
    c->z = array(c);
    c->u = array(c);
    c->vt = array(c);
    for (int k = 0; k < 3; k++) {
        c->length[k] = 9 * MOST * MOST;
        c->work[k] = calloc((size_t)c->length[k], 16);
    }
    memset(c->ifail, 0x11, sizeof c->ifail);
    memset(c->isuppz, 0x11, sizeof c->isuppz);
    for (int j = 0; j < n; j++)
        fill(type, (char *)c->a + (size_t)j * (size_t)c->lda * size_of(type), s->svd ? m : n);
    if (s->b)
        make_definite(c);
    point(c);
}

static void drop(struct call *c)
{
    free(c->a);
    free(c->b);
    free(c->w);
    free(c->z);
    free(c->u);
    free(c->vt);
    for (int k = 0; k < 3; k++)
        free(c->work[k]);
}

static void run(struct call *c, const char *from)
{
    void *symbol = dlsym(RTLD_DEFAULT, c->name), **a = c->arg;
    fortran *f;
    memcpy(&f, &symbol, sizeof f);
    setenv("ORRERY_LAPACK_MIN", from, 1);
    f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
      a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26]);
    calls++;
}

static int told_length(const struct call *c, int k)
{
    return c->s->kind[k] == 'i' ? *(int *)c->work[k] : (int)part(c->type, c->work[k], 0);
}

/* The least that LAPACK accepts is not told; what it recommends is. */
static void ask_lengths(struct call *c)
{
    int length[3] = {0};
    for (int k = 0; k < 3 && c->s->kind[k]; k++)
        if (c->s->kind[k] >= 'a')
            c->length[k] = -1;
    run(c, c->on);
    for (int k = 0; k < 3 && c->s->kind[k]; k++) {
        length[k] = told_length(c, k);
        if (c->s->kind[k] >= 'a')
            c->length[k] = length[k];
    }
    if (c->info != 0)
        fail(c->what, "info of a workspace query", c->info);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* LAPACK's ?gvd leaves more than it asks for, what ?evd within it would like; ours what it asks for. */
static int equal_work(const struct call *x, const struct call *y)
{
    for (int k = 0; k < 3 && x->s->kind[k]; k++)
        if (x->s->kind[k] >= 'a' && told_length(x, k) != told_length(y, k) &&
            !(x->s->b && told_length(x, k) == x->length[k]))
            return 0;
    return 1;
}

static void compare_values(const struct call *x, const struct call *y, int count)
{
    double largest = x->s->range && x->letter[1] == 'V' ? 1 : 0,
           error = 0; /* entries are of order 1 */
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(part(x->type, y->w, i)));
        error = fmax(error, fabs(part(x->type, x->w, i) - part(x->type, y->w, i)));
    }
    const double eps = single(x->type) ? FLT_EPSILON : DBL_EPSILON;
    if (!(error <= 20 * (x->m + x->n) * eps * largest))
        fail(x->what, "values differ", error / largest);
}

/* count vectors of `rows`, entry i of vector j at i*step + j*stride. */
static void compare_vectors(const struct call *x, const void *a, const void *b, int rows, int count,
                            int64_t step, int64_t stride)
{
    const double tolerance = single(x->type) ? 1e-3 : 1e-8;
    double worst = 0;
    for (int j = 0; j < count; j++) {
        double _Complex sum = 0;
        double square = 0;
        for (int i = 0; i < rows; i++) {
            const double _Complex y = entry(x->type, b, i * step + j * stride);
            sum += conj(entry(x->type, a, i * step + j * stride)) * y;
            square += creal(y * conj(y));
        }
        worst = fmax(worst, fabs(1 - cabs(sum) / square));
    }
    if (!(worst <= tolerance))
        fail(x->what, "vectors differ", worst);
}

/* Rows below the matrix, and with `triangle` the one that is not named. */
static void compare_rest(const struct call *x, const void *a, const void *b, int ld, int triangle)
{
    const int rows = x->s->svd ? x->m : x->n;
    const size_t size = size_of(x->type);
    int bad = 0;
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < ld; i++)
            if (i >= rows || (triangle && (x->letter[2] == 'L' ? i < j : i > j)))
                bad |= memcmp((const char *)a + (size_t)(i + j * ld) * size,
                              (const char *)b + (size_t)(i + j * ld) * size, size) != 0;
    if (bad)
        fail(x->what, "more was written than LAPACK writes", ld);
}

static void compare_factors(const struct call *x, const struct call *y)
{
    const double eps = single(x->type) ? FLT_EPSILON : DBL_EPSILON;
    double error = 0;
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->n; i++)
            if (x->letter[2] == 'L' ? i >= j : i <= j)
                error = fmax(error, cabs(entry(x->type, x->b, i + j * x->ldb) -
                                         entry(x->type, y->b, i + j * x->ldb)));
    if (!(error <= 20 * x->n * eps))
        fail(x->what, "factors differ", error);
    compare_rest(x, x->b, y->b, x->ldb, 1);
}

static void compare_eigen(const struct call *x, const struct call *y)
{
    const int vectors = x->letter[0] == 'V';
    const int count = !x->s->range || x->letter[1] == 'A' ? x->n
                      : x->letter[1] == 'I'               ? x->iu - x->il + 1
                                                          : y->found;
    compare_values(x, y, count);
    if (x->s->range && (x->found != y->found || x->found != count))
        fail(x->what, "m", x->found);
    if (vectors && x->s->range)
        compare_vectors(x, x->z, y->z, x->n, count, 1, x->ldz);
    else if (vectors)
        compare_vectors(x, x->a, y->a, x->n, count, 1, x->lda);
    compare_rest(x, x->a, y->a, x->lda, !(vectors && !x->s->range));
    if (x->s->b)
        compare_factors(x, y);
    if (vectors && x->s->ifail && memcmp(x->ifail, y->ifail, sizeof x->ifail) != 0)
        fail(x->what, "ifail", x->ifail[0]);
    for (int i = 0; vectors && x->s->range && x->letter[1] != 'V' && !x->s->ifail &&
                    count == x->n && i < count;
         i++)
        if (x->isuppz[2 * i] < 1 || x->isuppz[2 * i + 1] > x->n ||
            x->isuppz[2 * i] > y->isuppz[2 * i] || x->isuppz[2 * i + 1] < y->isuppz[2 * i + 1])
            fail(x->what, "isuppz", x->isuppz[2 * i]);
}

static void compare_svd(const struct call *x, const struct call *y)
{
    const int k = x->m < x->n ? x->m : x->n;
    char left = x->letter[0], right = x->s->svd == 2 ? x->letter[1] : left;
    if (x->s->svd == 1 && left == 'O') {
        left = x->m >= x->n ? 'O' : 'S';
        right = x->m >= x->n ? 'S' : 'O';
    }
    compare_values(x, y, k);
    if (left == 'A' || left == 'S')
        compare_vectors(x, x->u, y->u, x->m, k, 1, x->ldu);
    if (left == 'O')
        compare_vectors(x, x->a, y->a, x->m, k, 1, x->lda);
    if (right == 'A' || right == 'S')
        compare_vectors(x, x->vt, y->vt, x->n, k, x->ldvt, 1);
    if (right == 'O')
        compare_vectors(x, x->a, y->a, x->n, k, x->lda, 1);
    compare_rest(x, x->a, y->a, x->lda, 0);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* The same matrix in two calls; lengths as recommended. */
static void twice(const struct shape *s, char type, int itype, int m, int n, const char *letters,
                  int il, int iu)
{
    struct call x, y;
    const uint64_t seed = state;
    make(&x, s, type, itype, m, n, letters);
    state = seed;
    make(&y, s, type, itype, m, n, letters);
    x.il = y.il = il;
    x.iu = y.iu = iu;
    ask_lengths(&x);
    memcpy(y.length, x.length, sizeof y.length);
    run(&x, x.on);
    run(&y, "1000000");
    if (x.info != 0 || y.info != 0)
        fail(x.what, "info", x.info);
    else if (s->svd)
        compare_svd(&x, &y);
    else
        compare_eigen(&x, &y);
    if (!equal_work(&x, &y))
        fail(x.what, "lengths in work", part(type, x.work[0], 0));
    const int passed = !s->svd && n == 1; /* no work */
    const int more = s->svd && ((letters[0] == 'A' && m > n) ||
                                ((s->svd == 2 ? letters[1] : letters[0]) == 'A' && n > m));
    const int vectors =
        s->svd ? letters[0] != 'N' || (s->svd == 2 && letters[1] != 'N') : letters[0] == 'V';
    const int of_interval = s->range && letters[1] == 'V';
    const int several = s->svd ? m > 1 && n > 1 : of_interval ? x.found > 1 : iu > il;
    expected_taken += !more && !passed;
    const int values = !s->svd && !of_interval && iu - il > 1; /* that were moved */
    expected_caught += !more && !passed && (vectors ? several : s->b || values);
    drop(&x);
    drop(&y);
}

/* Problems 1, 2, 3 in turn. */
static void eigen(const struct shape *s, char type)
{
    int itype = 0;
    static const int orders[] = {1, 2, 17, 65, MOST, 3, 64};
    const size_t count = sizeof orders / sizeof *orders;
    for (size_t i = 0; i < (s->b ? count - 2 : count); i++)
        for (int job = 0; job < 2; job++)
            for (int uplo = 0; uplo < 2; uplo++) {
                const int n = orders[i];
                itype = itype % 3 + 1;
                char letters[4] = {"NV"[job], 'A', "LU"[uplo], 0};
                twice(s, type, itype, n, n, letters, 1, n);
                letters[1] = 'I';
                if (s->range)
                    twice(s, type, itype, n, n, letters, n > 2 ? 2 : 1, n > 3 ? n / 2 + 1 : n);
                letters[1] = 'V';
                if (s->range)
                    twice(s, type, itype, n, n, letters, 1, n);
            }
}

static void svd(const struct shape *s, char type)
{
    static const int sizes[][2] = {{1, 1},   {5, 5},   {17, 9},   {9, 17},
                                   {64, 64}, {70, 31}, {12, MOST}};
    static const char jobs[] = "NSAO";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int u = 0; u < 4; u++)
            for (int vt = 0; vt < (s->svd == 2 ? 4 : 1); vt++) {
                const char letters[4] = {jobs[u], jobs[vt], 'L', 0};
                if (s->svd != 2 || jobs[u] != 'O' || jobs[vt] != 'O')
                    twice(s, type, 0, sizes[i][0], sizes[i][1], letters, 1, 1);
            }
}

/* One wrong argument: an integer or, if `value` is 0, a letter. */
static void refused(const struct shape *s, char type, int place, int value, const char *letters)
{
    struct call c;
    int info[2];
    for (int k = 0; k < 2; k++) {
        static char wrong = 'X';
        int number = value;
        make(&c, s, type, 1, 20, 20, letters);
        c.arg[place] = value ? (void *)&number : &wrong;
        run(&c, k ? "1000000" : c.on);
        info[k] = c.info;
        drop(&c);
    }
    if (info[0] != info[1] || info[0] >= 0)
        fail(c.what, "info of a wrong argument", place);
}

static void wrong_arguments(const struct shape *s, char type)
{
    const char *letters = s->svd ? "SS" : "VIL";
    refused(s, type, s->job, 0, letters);
    if (s->b) {
        refused(s, type, 0, 4, letters);
        refused(s, type, 0, -1, letters);
        refused(s, type, s->ldb, 19, letters);
    }
    if (s->svd == 2)
        refused(s, type, 1, 0, letters);
    refused(s, type, s->n, -3, letters);
    refused(s, type, s->lda, 19, letters);
    for (int k = 0; k < 3 && s->kind[k]; k++)
        if (s->kind[k] >= 'a')
            refused(s, type, s->work[k] + 1, 1, letters);
    if (s->uplo)
        refused(s, type, s->uplo, 0, letters);
    if (s->range) {
        refused(s, type, s->range, 0, letters);
        refused(s, type, s->il, 21, letters);
        refused(s, type, s->iu, 21, letters);
        refused(s, type, s->ldz, 19, letters);
    }
    if (s->svd) {
        refused(s, type, s->m, -2, letters);
        refused(s, type, s->ldu, 19, letters);
        refused(s, type, s->ldvt, 19, letters);
    }
}

/* Not a number anywhere: whatever LAPACK makes of it, nothing waits and nothing ends. */
static void not_finite(const struct shape *s, char type)
{
    struct call c;
    make(&c, s, type, 1, 9, 9, s->svd ? "NN" : "NAL");
    if (single(type))
        ((float *)c.a)[0] = NAN;
    else
        ((double *)c.a)[0] = NAN;
    run(&c, c.on);
    drop(&c);
}

/* The leading minor of order `minor` is the first that is not positive: info is n + minor. */
static void indefinite(const struct shape *s, char type, int itype, int minor, const char *letters)
{
    for (int k = 0; k < 2; k++) {
        struct call c;
        make(&c, s, type, itype, MOST, MOST, letters);
        const int64_t at = (minor - 1) * (int64_t)(c.ldb + 1) * (complex_type(type) ? 2 : 1);
        if (single(type))
            ((float *)c.b)[at] = -1;
        else
            ((double *)c.b)[at] = -1;
        run(&c, k ? "1000000" : c.on);
        if (c.info != MOST + minor)
            fail(c.what, "info of a B that is not positive definite", c.info);
        drop(&c);
    }
}

static int lines_with(FILE *log, const char *words)
{
    char line[512];
    int count = 0;
    rewind(log);
    while (fgets(line, sizeof line, log))
        count += strstr(line, words) != NULL;
    return count;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    FILE *log = tmpfile();
    if (!log || dup2(fileno(log), 2) < 0)
        return 99;
    setenv("ORRERY_LAPACK_LOG", "1", 1);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (const char *type = shapes[k].complex_too ? "cz" : "sd"; *type; type++) {
            if (shapes[k].svd)
                svd(&shapes[k], *type);
            else
                eigen(&shapes[k], *type);
            if (shapes[k].b) {
                indefinite(&shapes[k], *type, 1, 1, "VAL");
                indefinite(&shapes[k], *type, 2, 77, "NAU");
                indefinite(&shapes[k], *type, 3, MOST, "VIL");
            }
            wrong_arguments(&shapes[k], *type);
            if (strcmp(mode, "taken") == 0)
                not_finite(&shapes[k], *type);
        }
    fflush(stderr);
    const int taken = lines_with(log, "taken over"), caught = lines_with(log, "passed on: check:");
    printf("%d calls, %d taken over, %d caught, %d failures\n", calls, taken, caught, failures);
    int want_taken = 0, want_caught = 0;
    if (strcmp(mode, "taken") == 0)
        want_taken = expected_taken;
    if (strcmp(mode, "caught") == 0) {
        want_caught = expected_caught;
        want_taken = expected_taken - expected_caught;
    }
    if (taken != want_taken || caught != want_caught) {
        printf("expected: %d taken over, %d caught\n", want_taken, want_caught);
        failures++;
    }
    return failures != 0;
}
