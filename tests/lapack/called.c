/* called N 40 V 30 ...: dsyevd of orders, values (N) or with vectors (V), of matrices with 2 on the
 * diagonal and -1 beside it. Exits 1 unless each has the largest eigenvalue 2 + 2 cos(pi / (n + 1)).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *,
             const int *, int *, const int *, int *);

static int right(const char *job, int n)
{
    const int lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    double *a = malloc((size_t)(n * n) * sizeof *a), *w = malloc((size_t)n * sizeof *w);
    double *work = malloc((size_t)lwork * sizeof *work);
    int *iwork = malloc((size_t)liwork * sizeof *iwork), info = 1;
    for (int i = 0; i < n * n; i++)
        a[i] = i % (n + 1) == 0 ? 2 : i % (n + 1) == 1 || i % (n + 1) == n ? -1 : 0;
    const double largest = 2 + 2 * cos(acos(-1) / (n + 1));
    dsyevd_(job, "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info);
    const int good = info == 0 && fabs(w[n - 1] - largest) < 1e-14 * n;
    if (!good)
        printf("%s %d: info %d, %g\n", job, n, info, w[n - 1]);
    free(iwork);
    free(work);
    free(w);
    free(a);
    return good;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    for (int k = 1; k + 1 < argc; k += 2)
        wrong += !right(argv[k], atoi(argv[k + 1]));
    return wrong > 0;
}
