/* Calls of drivers by their names: see drivers.h. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "lapack/drivers.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void fortran(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *);

int failures, calls;

uint64_t state = 1;
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

void fail(const char *name, const char *what, double found)
{
    if (failures++ < 20)
        printf("%s: %s (%g)\n", name, what, found);
}

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
const struct shape shapes[] = {
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
const size_t shapes_count = sizeof shapes / sizeof *shapes;

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

void make(struct call *c, const struct shape *s, char type, int itype, int m, int n,
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

void drop(struct call *c)
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

void run(struct call *c, const char *from)
{
    void *symbol = dlsym(RTLD_DEFAULT, c->name), **a = c->arg;
    fortran *f;
    memcpy(&f, &symbol, sizeof f);
    setenv("ORRERY_LAPACK_MIN", from, 1);
    f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
      a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26]);
    calls++;
}

int told_length(const struct call *c, int k)
{
    return c->s->kind[k] == 'i' ? *(int *)c->work[k] : (int)part(c->type, c->work[k], 0);
}

/* The least that LAPACK accepts is not told; what it recommends is. */
void ask_lengths(struct call *c)
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
