/* dsyevd in the four forms of its name, with integers of 32 and 64 bits: taken over, passed on, and
 * refused, each by the definition of that form (forms_originals.c). The library is preloaded.
 *
 * The matrix is tridiagonal, 2 and -1: w_k = 2 - 2 cos(k pi / (n + 1)) to 4 n eps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "larger.h"

enum { N = 50, LENGTH = 2000 };

typedef void narrow_call(const char *, const char *, int32_t *, double *, int32_t *, double *,
                         double *, int32_t *, int32_t *, int32_t *, int32_t *);
typedef void wide_call(const char *, const char *, int64_t *, double *, int64_t *, double *,
                       double *, int64_t *, int64_t *, int64_t *, int64_t *);

static int64_t call(const char *name, int wide, int64_t n, double *a, double *w)
{
    static double work[LENGTH];
    static int64_t iwork[LENGTH];
    void *symbol = dlsym(RTLD_DEFAULT, name);
    int64_t n64[] = {n, N, LENGTH, LENGTH, -99};
    int32_t n32[] = {(int32_t)n, N, LENGTH, LENGTH, -99};
    narrow_call *narrow;
    wide_call *broad;
    memcpy(&narrow, &symbol, sizeof narrow);
    memcpy(&broad, &symbol, sizeof broad);
    if (wide)
        broad("N", "L", &n64[0], a, &n64[1], w, work, &n64[2], iwork, &n64[3], &n64[4]);
    else
        narrow("N", "L", &n32[0], a, &n32[1], w, work, &n32[2], (int32_t *)iwork, &n32[3], &n32[4]);
    return wide ? n64[4] : n32[4];
}

/* How often the log has these words. */
static int said(FILE *log, const char *name, const char *words)
{
    char line[512];
    int count = 0;
    rewind(log);
    while (fgets(line, sizeof line, log)) {
        const char *at = strstr(line, name);
        count += at && at == line + strlen("orrery: ") && strstr(line, words);
    }
    return count;
}

static int check(FILE *log, const char *name, int wide, const char *from, const char *words)
{
    double a[N * N] = {0}, w[N], error = 0;
    char prefix[64];
    for (int i = 0; i < N; i++) {
        a[i + i * N] = 2;
        if (i + 1 < N)
            a[i + 1 + i * N] = -1;
    }
    setenv("ORRERY_LAPACK_MIN", from, 1);
    snprintf(prefix, sizeof prefix, "%s ", name);
    const int before = said(log, prefix, words);
    const int64_t info = call(name, wide, N, a, w);
    for (int k = 0; k < N; k++)
        error = larger(error, fabs(w[k] - (2 - 2 * cos((k + 1) * acos(-1) / (N + 1)))));
    const int times = said(log, prefix, words) - before;
    const int bad = info != 0 || !(error <= 4 * N * DBL_EPSILON) || times != 1;
    printf("%s, %s: info %lld, error %g, said %d times\n", name, words, (long long)info, error,
           times);
    return bad;
}

int main(void)
{
    static const char *const name[] = {"dsyevd_", "scipy_dsyevd_", "dsyevd_64_",
                                       "scipy_dsyevd_64_"};
    FILE *log = tmpfile();
    int bad = 0;
    if (!log || dup2(fileno(log), 2) < 0)
        return 99;
    setenv("ORRERY_LAPACK_LOG", "1", 1);
    for (int k = 0; k < 4; k++) {
        double a[1] = {0}, w[1];
        bad += check(log, name[k], k >= 2, "1", "taken over");
        bad += check(log, name[k], k >= 2, "1000", "passed on");
        const int64_t info = call(name[k], k >= 2, -1, a, w);
        printf("%s, n = -1: info %lld\n", name[k], (long long)info);
        bad += info != -3;
    }
    return bad != 0;
}
