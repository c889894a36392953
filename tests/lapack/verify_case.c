/* See verify_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "lapack/verify_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

/* ---- What verify.c takes from the rest of the library ----------------------------------------- */

void ssytrf_(const char *, const int *, void *, const int *, int32_t *, void *, const int *, int *);
void dsytrf_(const char *, const int *, void *, const int *, int32_t *, void *, const int *, int *);
void chetrf_(const char *, const int *, void *, const int *, int32_t *, void *, const int *, int *);
void zhetrf_(const char *, const int *, void *, const int *, int32_t *, void *, const int *, int *);

int orr_do_factor(orr_type t, int64_t n, void *a, int32_t *pivot)
{
    static number work[8192];
    const int n_ = (int)n, length = 4096;
    int info;
    (t == ORR_S   ? ssytrf_
     : t == ORR_D ? dsytrf_
     : t == ORR_C ? chetrf_
                  : zhetrf_)("L", &n_, a, &n_, pivot, work, &length, &info);
    return 1;
}

/* ---- Arrays ----------------------------------------------------------------------------------- */

static const char letter[] = "sdcz";
static uint64_t state = 3;
double next_real(void) { return next_signed(&state); }

void put(orr_type t, void *x, int64_t i, number z)
{
    switch (t) {
    case ORR_S: ((float *)x)[i] = (float)creal(z); break;
    case ORR_D: ((double *)x)[i] = creal(z); break;
    case ORR_C: ((float _Complex *)x)[i] = (float _Complex)z; break;
    default: ((double _Complex *)x)[i] = z;
    }
}

number draw(orr_type t)
{
    const double re = next_real(), im = next_real();
    return is_complex(t) ? re + im * I : re;
}

static void reflect(int64_t n, int64_t columns, number *a, const number *v, double square)
{
    for (int64_t j = 0; j < columns; j++) {
        number sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += conj(v[i]) * a[i + j * n];
        for (int64_t i = 0; i < n; i++)
            a[i + j * n] -= 2 * v[i] * sum / square;
    }
}

void unitary(orr_type t, int64_t n, number *z)
{
    memset(z, 0, (size_t)(n * n) * sizeof *z);
    for (int64_t i = 0; i < n; i++)
        z[i + i * n] = 1;
    for (int k = 0; k < 3; k++) {
        number v[MOST];
        double square = 0;
        for (int64_t i = 0; i < n; i++) {
            v[i] = draw(t);
            square += check_square(v[i]);
        }
        reflect(n, n, z, v, square);
    }
}

void product(int64_t m, int64_t n, int64_t k, const number *x, const double *s, const number *y,
             number *a)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            a[i + j * m] = 0;
            for (int64_t l = 0; l < k; l++)
                a[i + j * m] += x[i + l * m] * s[l] * conj(y[j + l * n]);
        }
}

void *array(orr_type t, int64_t m, int64_t n, const number *a, char uplo, double scale, int64_t *ld)
{
    *ld = m + 3;
    char *x = malloc((size_t)(*ld * n + 1) * orr_bytes(t));
    if (!x)
        exit(99);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < *ld; i++) {
            const int there = i < m && (uplo == 'L' ? i >= j : uplo == 'U' ? i <= j : 1);
            put(t, x, i + j * *ld, there ? scale * a[i + j * m] : NAN);
            if (there && uplo && i == j && is_complex(t)) /* LAPACK does not read it */
                put(t, x, i + j * *ld, scale * creal(a[i + j * m]) + 77 * I);
        }
    return x;
}

void *reals(orr_type t, int64_t n, const double *w, double scale)
{
    void *x = malloc((size_t)(n + 1) * 8);
    if (!x)
        exit(99);
    for (int64_t i = 0; i < n; i++)
        put(real_of(t), x, i, scale * w[i]);
    return x;
}

double norm_of(int64_t count, const number *a)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += check_square(a[i]);
    return sqrt(sum);
}

double for_residual(orr_type t, int64_t n) { return 30 * sqrt((double)n) * check_eps(t); }
double for_sum(orr_type t, int64_t n) { return 30 * (double)n * check_eps(t); }

void judged(const char *what, orr_type t, int64_t n, int wrong, const char *why, const char *words)
{
    CHECK(wrong == (words != NULL) && (!wrong || strstr(why, words)), "%s, %c n %lld: %s, not %s",
          what, letter[t], (long long)n, wrong ? why : "accepted", words ? words : "accepted");
}
