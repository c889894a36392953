/* The small dense problem of a restarted Krylov iteration: Ritz values of H in the order that is
 * wanted, how good they are, and the rotation that keeps the best of the space.
 *
 * Hermitian H: eigenvectors. Otherwise the Schur form, ordered by swaps; a pair of complex
 * eigenvalues of a real H is never split. After the rotation by Q,
 *
 *   H := [ Q'HQ ]   rows 0 .. p-1
 *        [ b'Q  ]   row p: what couples them to the next start vector
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heev_direct.h"
#include "kernels/powm_krylov.h"
#include "powm_lapack.h"

/* Workspace of one problem of order n. */
struct small {
    int32_t n, lda;
    double *T, *Z, *Y;      /* n x n numbers, leading dimension n */
    double *wr, *wi, *norm; /* n */
    double *work;
    double *rwork;
    int32_t lwork;
};

static void *take(char **at, size_t bytes)
{
    void *here = *at;
    *at += (bytes + 63) / 64 * 64;
    return here;
}

/* One allocation for all of it; the caller frees what is returned. */
static void *make(struct small *w, int n, int numbers)
{
    const size_t square = (size_t)n * (size_t)n * (size_t)numbers * 8, line = (size_t)n * 8 + 64;
    const size_t lwork = (size_t)(64 * n + 64);
    const size_t all = 3 * square + 4 * line + lwork * (size_t)numbers * 8 + 1024;
    char *memory = calloc(1, all), *at = memory;
    if (!memory)
        return NULL;
    *w = (struct small){.n = n, .lda = n, .lwork = (int32_t)lwork};
    w->T = take(&at, square);
    w->Z = take(&at, square);
    w->Y = take(&at, square);
    w->wr = take(&at, line);
    w->wi = take(&at, line);
    w->norm = take(&at, line);
    w->work = take(&at, lwork * (size_t)numbers * 8);
    w->rwork = take(&at, line);
    return memory;
}

static double modulus(const struct small *w, int i) { return hypot(w->wr[i], w->wi[i]); }

/* The wanted values are those with the largest ranks. */
static double rank(const orr_krylov_state *s, double re, double im)
{
    return s->which == ORR_KRYLOV_LA ? re : s->which == ORR_KRYLOV_SA ? -re : hypot(re, im);
}

/* Whether by more than rounding. */
static int higher(double rank, double than) { return rank > than + 4 * DBL_EPSILON * fabs(than); }

/* ---- Hermitian ----------------------------------------------------------------------------- */

/* The next of eigenvalues in ascending order, low .. high of which are left. */
static int take_next(const orr_krylov_state *s, const double *value, int *low, int *high)
{
    return rank(s, value[*high], 0) >= rank(s, value[*low], 0) ? (*high)-- : (*low)++;
}

/* T, Z: eigenvectors in Z by falling rank. */
static orr_status solve_hermitian(const orr_krylov_state *s, struct small *w)
{
    const int n = w->n, c = s->complex_numbers ? 2 : 1;
    const orr_heev_direct g = {.type = c == 2 ? ORR_Z : ORR_D,
                               .n = n,
                               .lda = n,
                               .count = n,
                               .ldz = n,
                               .scale = 1,
                               .a = w->T,
                               .w = w->norm,
                               .z = w->Y};
    void *memory = aligned_alloc(64, (orr_heev_direct_bytes(&g) + 63) / 64 * 64);
    const orr_status st = memory ? orr_heev_direct_cpu[g.type](&g, memory) : ORR_E_NOMEM;
    free(memory);
    if (st != ORR_OK)
        return st;
    for (int low = 0, high = n - 1, i = 0; i < n; i++) {
        const int from = take_next(s, w->norm, &low, &high);
        w->wr[i] = w->norm[from];
        w->wi[i] = 0;
        memcpy(w->Z + (size_t)i * n * c, w->Y + (size_t)from * n * c, (size_t)n * c * 8);
    }
    memset(w->T, 0, (size_t)n * (size_t)n * (size_t)c * 8);
    for (int i = 0; i < n; i++)
        w->T[(size_t)c * ((size_t)i * n + i)] = w->wr[i];
    memcpy(w->Y, w->Z, (size_t)n * (size_t)n * (size_t)c * 8);
    return ORR_OK;
}

/* ---- General ------------------------------------------------------------------------------- */

static void read_real_schur(struct small *w)
{
    const int n = w->n;
    for (int i = 0; i < n; i++) {
        const double *t = w->T + (size_t)i * n + i;
        w->wr[i] = *t;
        w->wi[i] = 0;
        if (i + 1 < n && t[1] != 0) { /* standardised: equal diagonal, opposite signs beside it */
            w->wr[i + 1] = *t;
            w->wi[i] = sqrt(fabs(t[1])) * sqrt(fabs(t[n]));
            w->wi[i + 1] = -w->wi[i];
            i++;
        }
    }
}

static orr_status solve_real(const orr_krylov_state *s, struct small *w)
{
    const int n = w->n;
    int32_t info, sdim, m, mm = n;
    dgees_("V", "N", NULL, &w->n, w->T, &w->lda, &sdim, w->wr, w->wi, w->Z, &w->lda, w->work,
           &w->lwork, NULL, &info);
    if (info)
        return ORR_NOCONV;
    read_real_schur(w);
    for (int to = 0; to < n;) {
        int best = to;
        for (int i = to; i < n; i += w->wi[i] != 0 ? 2 : 1)
            if (higher(rank(s, w->wr[i], w->wi[i]), rank(s, w->wr[best], w->wi[best])))
                best = i;
        if (best != to) {
            int32_t first = best + 1, last = to + 1;
            dtrexc_("V", &w->n, w->T, &w->lda, w->Z, &w->lda, &first, &last, w->work, &info);
            if (info)
                break; /* too close to swap: the order is good enough */
            read_real_schur(w);
        }
        to += w->wi[to] != 0 ? 2 : 1;
    }
    memcpy(w->Y, w->Z, (size_t)n * (size_t)n * 8);
    dtrevc_("R", "B", NULL, &w->n, w->T, &w->lda, NULL, &w->lda, w->Y, &w->lda, &mm, &m, w->work,
            &info);
    return info ? ORR_NOCONV : ORR_OK;
}

static double rank_of_diagonal(const orr_krylov_state *s, double complex t)
{
    return rank(s, creal(t), cimag(t));
}

static orr_status solve_complex(const orr_krylov_state *s, struct small *w)
{
    const int n = w->n;
    double complex *T = (double complex *)w->T, *Z = (double complex *)w->Z;
    double complex *lambda = (double complex *)w->Y;
    int32_t info, sdim, m, mm = n;
    zgees_("V", "N", NULL, &w->n, T, &w->lda, &sdim, lambda, Z, &w->lda, (double complex *)w->work,
           &w->lwork, w->rwork, NULL, &info);
    if (info)
        return ORR_NOCONV;
    for (int to = 0; to < n; to++) {
        int best = to;
        for (int i = to; i < n; i++)
            if (higher(rank_of_diagonal(s, T[(size_t)i * n + i]),
                       rank_of_diagonal(s, T[(size_t)best * n + best])))
                best = i;
        if (best != to) {
            const int32_t first = best + 1, last = to + 1;
            ztrexc_("V", &w->n, T, &w->lda, Z, &w->lda, &first, &last, &info);
        }
    }
    for (int i = 0; i < n; i++) {
        w->wr[i] = creal(T[(size_t)i * n + i]);
        w->wi[i] = cimag(T[(size_t)i * n + i]);
    }
    memcpy(w->Y, w->Z, (size_t)n * (size_t)n * 16);
    ztrevc_("R", "B", NULL, &w->n, T, &w->lda, NULL, &w->lda, (double complex *)w->Y, &w->lda, &mm,
            &m, (double complex *)w->work, w->rwork, &info);
    return info ? ORR_NOCONV : ORR_OK;
}

/* ---- What follows from it ------------------------------------------------------------------ */

/* 1 if i and i+1 are a complex pair of a real problem. */
static int pair(const orr_krylov_state *s, const struct small *w, int i)
{
    return !s->complex_numbers && !s->hermitian && i + 1 < w->n && w->wi[i] > 0;
}

/* Scales eigenvector i (of a pair: columns i and i+1) to length 1; returns the length of its
 * last entry. */
static double normalise(const orr_krylov_state *s, struct small *w, int i)
{
    const int c = s->complex_numbers ? 2 : 1, columns = pair(s, w, i) ? 2 : 1;
    double *y = w->Y + (size_t)i * w->n * c, sum = 0, last = 0;
    const int64_t all = (int64_t)columns * w->n * c;
    for (int64_t k = 0; k < all; k++)
        sum += y[k] * y[k];
    for (int64_t k = 0; k < all; k++)
        y[k] /= sqrt(sum);
    for (int col = 0; col < columns; col++)
        for (int k = 0; k < c; k++) {
            const double e = y[((int64_t)col * w->n + w->n - 1) * c + k];
            last += e * e;
        }
    return sqrt(last);
}

/* The last m of columns that do not split a pair: at most `count` + 1. */
static int whole_pairs(const orr_krylov_state *s, const struct small *w, int count)
{
    int i = 0;
    while (i < count)
        i += pair(s, w, i) ? 2 : 1;
    return i;
}

/* H := rotated H with p columns, and the row that couples them to the next vector. */
static void rotate(orr_krylov_state *s, const struct small *w, int p)
{
    const int n = w->n, c = s->complex_numbers ? 2 : 1, ld = s->m + 1;
    double *H = orr_krylov_array(s, s->H), *Q = orr_krylov_array(s, s->Q);
    memset(H, 0, (size_t)ld * (size_t)s->m * (size_t)c * 8);
    for (int j = 0; j < p; j++) {
        memcpy(H + (size_t)j * ld * c, w->T + (size_t)j * n * c, (size_t)p * c * 8);
        for (int k = 0; k < c; k++) /* row p: |y| times the last row of Q */
            H[((size_t)j * ld + p) * c + k] = s->last * w->Z[((size_t)j * n + n - 1) * c + k];
        memcpy(Q + (size_t)j * s->m * c, w->Z + (size_t)j * n * c, (size_t)n * c * 8);
    }
}

static void answer(orr_krylov_state *s, const struct small *w, int columns)
{
    const int n = w->n, c = s->complex_numbers ? 2 : 1;
    double *Q = orr_krylov_array(s, s->Q);
    s->done = 1;
    s->columns = columns;
    for (int j = 0; j < columns; j++)
        memcpy(Q + (size_t)j * s->m * c, w->Y + (size_t)j * n * c, (size_t)n * c * 8);
}

/* Whether there is nothing to hope for from a vector orthogonal to what was found: the last one
 * brought no value that belongs among the wanted. */
static int settled(orr_krylov_state *s, const struct small *w)
{
    double *before = orr_krylov_array(s, s->before);
    const int all = s->converged >= s->k, first = s->closed++ == 0 || s->converged_before < s->k;
    int better = 0;
    s->converged_before = s->converged;
    for (int i = 0; i < s->k && all; i++) {
        const double now = rank(s, w->wr[i], w->wi[i]);
        const double scale = s->which == ORR_KRYLOV_LM ? before[i] : s->largest;
        better |= now > before[i] + 1e-8 * scale;
        before[i] = now;
    }
    return all && (s->k == 1 || (!first && !better));
}

/* What a residual is divided by: the modulus, but no less than rounding; of LA and SA, whose
 * values may be 0, the largest modulus. */
static double size_of(const orr_krylov_state *s, const struct small *w, int i)
{
    return fmax(modulus(w, i), s->which == ORR_KRYLOV_LM ? DBL_EPSILON * s->largest : s->largest);
}

/* Hermitian: the first value that is not wanted lies below the last that is, and in its vector there
 * is nothing of another that would not lie there: times the gap that would be in the residual.
 * Random vectors seldom have less of one eigenvector than a thousandth of what they have of
 * another, and steps make more of the outer one. */
static int apart(const orr_krylov_state *s, const struct small *w, const double *estimate)
{
    const double least_part = 1e-3;
    const int next = s->k;
    if (!s->hermitian || next >= w->n)
        return 0;
    const double gap = rank(s, w->wr[next - 1], 0) - rank(s, w->wr[next], 0);
    return estimate[next] * size_of(s, w, next) <= least_part * gap;
}

/* Whether a vector that was added to what was found may yet bring a value that belongs among the
 * wanted: until one value more has converged than there were, nobody knows the first. */
static int hides(const orr_krylov_state *s, const struct small *w, const double *estimate)
{
    int seen = 0;
    for (int i = 0; i < w->n; i++)
        seen += estimate[i] * size_of(s, w, i) <= s->tol * size_of(s, w, s->k - 1);
    return s->closed > 0 && seen <= s->known && !apart(s, w, estimate);
}

/* How many columns of an invariant space are kept, so that there is room for another. */
static int kept(const orr_krylov_state *s, const struct small *w, int wanted)
{
    const int room = s->m == s->n ? 1 : (s->m - wanted + 1) / 2, most = s->m - room;
    const int p = whole_pairs(s, w, w->n < most ? w->n : most);
    return p > most ? whole_pairs(s, w, most - 1) : p;
}

static orr_status solve_small(const orr_krylov_state *s, struct small *w)
{
    /* Of a restarted column only the coupling row is there: its mirror is Hermitian. */
    return s->hermitian         ? solve_hermitian(s, w)
           : s->complex_numbers ? solve_complex(s, w)
                                : solve_real(s, w);
}

orr_status orr_krylov_rayleigh(int columns, int last, orr_krylov_state *s)
{
    const int early = s->stop < columns, n = s->stop = early ? s->stop : columns;
    const int ends = last == 2 || (last == 1 && !early);
    const int c = s->complex_numbers ? 2 : 1;
    struct small w;
    if (s->done)
        return ORR_OK;
    void *memory = make(&w, n, c);
    if (!memory)
        return ORR_E_NOMEM;
    const double *H = orr_krylov_array(s, s->H);
    for (int j = 0; j < n; j++)
        memcpy(w.T + (size_t)j * n * c, H + (size_t)j * (s->m + 1) * c, (size_t)n * c * 8);
    const orr_status st = isfinite(s->last) ? solve_small(s, &w) : ORR_NOCONV;
    if (st != ORR_OK) {
        free(memory);
        s->done = 1;
        s->columns = s->converged = 0;
        return st < 0 ? st : ORR_OK;
    }
    double *values = orr_krylov_array(s, s->values), *estimate = orr_krylov_array(s, s->estimates);
    int in_a_row = 1;
    for (int i = 0; i < n; i++)
        s->largest = fmax(s->largest, modulus(&w, i));
    s->converged = 0;
    for (int i = 0; i < n; i++) {
        const int both = pair(s, &w, i);
        const double e = s->last * normalise(s, &w, i);
        const double relative = e == 0 ? 0 : e / fmax(size_of(s, &w, i), DBL_MIN);
        for (int k = i; k <= i + both; k++) {
            values[2 * k] = w.wr[k];
            values[2 * k + 1] = w.wi[k];
            estimate[k] = relative;
            in_a_row = in_a_row && relative <= s->tol;
            s->converged += in_a_row && k < s->k;
        }
        i += both;
    }
    const int wanted = whole_pairs(s, &w, s->k < n ? s->k : n);
    const int closed = s->last == 0 && n < s->n;
    const int found = !closed && s->converged >= s->k && !hides(s, &w, estimate);
    s->fresh = (closed || (found && s->hermitian && n < s->n)) && !settled(s, &w);
    if (ends || n == s->n || ((closed || found) && !s->fresh)) {
        answer(s, &w, wanted);
    } else if (found) { /* copies of what was found would be orthogonal to it */
        s->last = 0;
        s->start = s->known = wanted;
        rotate(s, &w, wanted);
    } else if (closed) {
        s->start = s->known = kept(s, &w, wanted);
        rotate(s, &w, s->start);
    } else {
        int p = wanted + (s->converged < (n - wanted) / 2 ? s->converged : (n - wanted) / 2);
        if (p < n / 3)
            p = n / 3;
        p = whole_pairs(s, &w, p < n - 1 ? p : n - 1);
        if (p >= n)
            p = whole_pairs(s, &w, n - 2);
        rotate(s, &w, p);
        s->start = p;
        s->known = p < s->known ? p : s->known;
    }
    free(memory);
    return ORR_OK;
}
