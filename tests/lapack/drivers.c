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
#include "lapack/drivers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int expected_taken, expected_caught;

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

/* Divide and conquer with vectors recommends no more than it needs, but for small matrices. */
static void short_lengths(const struct shape *s, char type)
{
    for (int less = 0; less < 3 && s->kind[less]; less++) {
        int info[2];
        for (int k = 0; k < 2; k++) {
            struct call c;
            make(&c, s, type, 1, MOST, MOST, "VAL");
            ask_lengths(&c);
            c.length[less]--;
            run(&c, k ? "1000000" : c.on);
            info[k] = c.info;
            if (info[0] != info[k] || c.info >= 0)
                fail(c.what, "info of too short a workspace", less);
            drop(&c);
        }
    }
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
    for (size_t k = 0; k < shapes_count; k++)
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
            if (strstr(shapes[k].stem, "evd") || strstr(shapes[k].stem, "gvd"))
                short_lengths(&shapes[k], *type);
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
