/* Makes and judges the files that the tests of the command need.
 *
 *   make FILE TYPE BATCH N KIND    Hermitian matrices; KIND random, nan (number 1 has one), lower
 *                                  or upper (only that triangle is right)
 *   shape FILE TYPE DIM...         zeros of that shape
 *   check A W V [L|U]              max over matrices of |A V - V W|_F / (n eps |A|_F),
 *                                  |V'V - I|_F / (n eps) <= 10 and ascending W; matrices of A
 *                                  with a NaN are to have NaN results
 *   json FILE [KEY...]             every line is one JSON object and has these keys
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

static int make(char **v)
{
    orr_npy a = {.ndim = 3};
    const int64_t batch = atoll(v[2]), n = atoll(v[3]);
    const char *kind = v[4];
    if (orr_type_parse(v[1], &a.type) != 0)
        return die("type", v[1]);
    a.shape[0] = batch;
    a.shape[1] = a.shape[2] = n;
    a.data = calloc((size_t)(batch * n * n) + 1, orr_type_size(a.type));
    if (!a.data)
        return die("no memory", NULL);
    for (int64_t k = 0; k < batch; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                const double complex x = draw() + (i == j ? 0 : I * draw());
                set(&a, (k * n + i) * n + j, i > j && !strcmp(kind, "upper") ? 1e9 : x);
                if (i > j)
                    set(&a, (k * n + j) * n + i, strcmp(kind, "lower") ? conj(x) : 1e9);
            }
    if (!strcmp(kind, "nan") && batch > 1)
        set(&a, (n + n / 2) * n, NAN);
    const int code = write_array(v[0], &a);
    free(a.data);
    return code;
}

static int shape(int count, char **v)
{
    orr_npy a = {.ndim = count - 2};
    size_t elements = 1;
    if (orr_type_parse(v[1], &a.type) != 0)
        return die("type", v[1]);
    for (int d = 0; d < a.ndim && d < ORR_NPY_MAXDIM; d++)
        elements *= (size_t)(a.shape[d] = atoll(v[d + 2]));
    a.data = calloc(elements + 1, orr_type_size(a.type));
    const int code = a.data ? write_array(v[0], &a) : die("no memory", NULL);
    free(a.data);
    return code;
}

/* Element (i, j) of Hermitian matrix k, from one triangle. */
static double complex entry(const orr_npy *a, int64_t k, int64_t i, int64_t j, int lower)
{
    const int64_t n = a->shape[a->ndim - 1];
    const int mirror = lower ? i < j : i > j;
    const double complex x = at(a, (k * n + (mirror ? j : i)) * n + (mirror ? i : j));
    return mirror ? conj(x) : i == j ? creal(x) : x;
}

static int check_matrix(const orr_npy *a, const orr_npy *w, const orr_npy *v, int64_t k, int lower,
                        double worst[2])
{
    const int64_t n = a->shape[a->ndim - 1];
    double norm = 0, residual = 0, orthogonality = 0;
    int nan_in = 0, nan_out = 0, descends = 0;
    for (int64_t i = 0; i < n; i++) {
        nan_out += isnan(creal(at(w, k * n + i))) != 0;
        descends |= i > 0 && creal(at(w, k * n + i)) < creal(at(w, k * n + i - 1));
        for (int64_t j = 0; j < n; j++) {
            double complex r = 0, o = i == j ? -1 : 0;
            const double complex x = entry(a, k, i, j, lower);
            nan_in |= isnan(creal(x)) || isnan(cimag(x));
            norm += creal(x * conj(x));
            for (int64_t l = 0; l < n; l++) {
                r += entry(a, k, i, l, lower) * at(v, (k * n + l) * n + j);
                o += conj(at(v, (k * n + l) * n + i)) * at(v, (k * n + l) * n + j);
            }
            r -= at(v, (k * n + i) * n + j) * at(w, k * n + j);
            residual += creal(r * conj(r));
            orthogonality += creal(o * conj(o));
        }
    }
    if (nan_in)
        return nan_out == n;
    const double scale = (double)n * orr_type_eps(a->type);
    residual = norm > 0 ? sqrt(residual / norm) / scale : sqrt(residual);
    orthogonality = n ? sqrt(orthogonality) / scale : 0;
    worst[0] = fmax(worst[0], residual);
    worst[1] = fmax(worst[1], orthogonality);
    return residual <= 10 && orthogonality <= 10 && !nan_out && !descends;
}

static int check(char **path, int lower)
{
    orr_npy x[3];
    double worst[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        orr_io_error e = {0};
        if (orr_npy_read(path[k], 0, &x[k], &e) != ORR_OK)
            return die(path[k], e.message);
    }
    int64_t batch = 1, wrong = 0;
    for (int d = 0; d + 2 < x[0].ndim; d++)
        batch *= x[0].shape[d];
    int good = x[1].ndim == x[0].ndim - 1 && x[2].ndim == x[0].ndim;
    for (int d = 0; good && d < x[0].ndim; d++)
        good = x[2].shape[d] == x[0].shape[d] && (d == x[1].ndim || x[1].shape[d] == x[0].shape[d]);
    if (!good || x[2].type != x[0].type || x[1].type != orr_type_real(x[0].type))
        return die("wrong shape or type of the results", NULL);
    for (int64_t k = 0; k < batch; k++)
        wrong += !check_matrix(&x[0], &x[1], &x[2], k, lower, worst);
    printf("%lld of %lld matrices wrong; |AV - VW|/(n eps |A|) = %.3g, |V'V - I|/(n eps) = %.3g, "
           "limit 10\n",
           (long long)wrong, (long long)batch, worst[0], worst[1]);
    for (int k = 0; k < 3; k++)
        orr_npy_free(&x[k]);
    return wrong ? 1 : 0;
}

/* ---- JSON (RFC 8259) ---------------------------------------------------------------------- */

static const char *value(const char *s);

static const char *space(const char *s) { return s ? s + strspn(s, " \t\r\n") : NULL; }

static const char *string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s != '\\')
            continue;
        s++;
        if (*s == 'u') {
            if (strspn(s + 1, "0123456789abcdefABCDEF") < 4)
                return NULL;
            s += 4;
        } else if (!*s || !strchr("\"\\/bfnrt", *s)) {
            return NULL;
        }
    }
    return s + 1;
}

static const char *number(const char *s)
{
    s += *s == '-';
    const size_t digits = strspn(s, "0123456789");
    if (digits == 0 || (digits > 1 && *s == '0'))
        return NULL;
    s += digits;
    if (*s == '.') {
        const size_t more = strspn(++s, "0123456789");
        if (!more)
            return NULL;
        s += more;
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        const size_t more = strspn(s, "0123456789");
        return more ? s + more : NULL;
    }
    return s;
}

/* An object or an array: members between brackets. */
static const char *members(const char *s, char close)
{
    s = space(s + 1);
    if (*s == close)
        return s + 1;
    for (;;) {
        if (close == '}') {
            s = string(s);
            s = space(s);
            if (!s || *s++ != ':')
                return NULL;
        }
        s = space(value(space(s)));
        if (!s || (*s != ',' && *s != close))
            return NULL;
        if (*s++ == close)
            return s;
        s = space(s);
    }
}

static const char *value(const char *s)
{
    static const char *const words[] = {"null", "true", "false"};
    if (*s == '{')
        return members(s, '}');
    if (*s == '[')
        return members(s, ']');
    if (*s == '"')
        return string(s);
    for (int k = 0; k < 3; k++)
        if (!strncmp(s, words[k], strlen(words[k])))
            return s + strlen(words[k]);
    return number(s);
}

static int json(const char *path, char **keys)
{
    static char line[1 << 20];
    FILE *f = fopen(path, "r");
    int lines = 0, wrong = 0;
    if (!f)
        return die(path, "cannot be read");
    while (fgets(line, sizeof line, f)) {
        const size_t n = strlen(line);
        const char *end = line[0] == '{' && line[n - 1] == '\n' ? space(value(line)) : NULL;
        lines++;
        if (!end || *end) {
            printf("%s:%d: not a JSON object on a line: %.60s\n", path, lines, line);
            wrong++;
        }
        for (char **key = keys; *key; key++) {
            char quoted[128];
            snprintf(quoted, sizeof quoted, "\"%s\":", *key);
            if (!strstr(line, quoted)) {
                printf("%s:%d: no %s\n", path, lines, quoted);
                wrong++;
            }
        }
    }
    fclose(f);
    printf("%d lines\n", lines);
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (!strcmp(command, "make") && argc == 7)
        return make(argv + 2);
    if (!strcmp(command, "shape") && argc >= 4 && argc <= 4 + ORR_NPY_MAXDIM)
        return shape(argc - 2, argv + 2);
    if (!strcmp(command, "check") && argc >= 5)
        return check(argv + 2, argc < 6 || argv[5][0] == 'L');
    if (!strcmp(command, "json") && argc >= 3)
        return json(argv[2], argv + 3);
    return die("unknown command", command);
}
