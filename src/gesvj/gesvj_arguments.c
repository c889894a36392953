/* gesvj: what the caller may ask for. SPDX-License-Identifier: BSD-3-Clause */
#include "src/gesvj/gesvj.h"

#include "codelets/core/least.h"

enum { MAX_K = 8192 }; /* of min(m,n) */

/* rows: of a matrix of mixed sizes whose ms is not given. */
struct orr_view orr_view_of(const orr_batch *b, int64_t k, int64_t rows)
{
    if (!b->as)
        return (struct orr_view){(char *)b->a + (size_t)(k * b->stride) * orr_type_size(b->type),
                                 b->m, b->n, b->ld};
    int64_t m = b->ms ? b->ms[k] : rows;
    return (struct orr_view){b->as[k], m, b->ns ? b->ns[k] : -1, b->lds ? b->lds[k] : m};
}

/* null: what to say if there is no array. */
static const char *check_uniform(const orr_batch *b, int64_t rows, int64_t cols, const char *null)
{
    int64_t ld = b->ld ? b->ld : rows, one, all;
    if (b->m != rows || b->n != cols)
        return "an array does not have the shape that A's asks for";
    if (ld < rows || __builtin_mul_overflow(ld, cols, &one))
        return "leading dimension is smaller than the number of rows, or far too large";
    int64_t stride = b->stride ? b->stride : one;
    if (b->batch > 1 && stride < one)
        return "stride is smaller than one matrix";
    if (__builtin_mul_overflow(stride, b->batch, &all) || all > INT64_MAX / 16)
        return "the batch is larger than the address space";
    if (one > UINT32_MAX)
        return "one matrix spans more than 2^32 elements";
    return b->a || all == 0 ? NULL : null;
}

static const char *check_shape(int64_t m, int64_t n)
{
    if (m < 0 || n < 0)
        return "a matrix has a negative size";
    if (orr_least(m, n) > MAX_K || m > INT32_MAX || n > INT32_MAX || (n > 0 && m > INT32_MAX / n))
        return "a matrix is larger than min(m,n) = 8192 or m*n = 2^31";
    return NULL;
}

static const char *check_mixed(const orr_batch *A, const orr_batch *s, const orr_batch *U,
                               const orr_batch *V)
{
    for (int64_t k = 0; k < A->batch; k++) {
        struct orr_view a = orr_view_of(A, k, -1);
        const char *wrong = check_shape(a.m, a.n);
        if (wrong)
            return wrong;
        int64_t l = orr_least(a.m, a.n);
        if (l == 0)
            continue;
        if (a.ld < a.m)
            return "a matrix has too small a leading dimension";
        if (!a.a || !s->as[k])
            return a.a ? "an array of s.as is NULL" : "an array of A.as is NULL";
        if (a.ld > UINT32_MAX / a.n)
            return "one matrix spans more than 2^32 elements";
        const orr_batch *vectors[2] = {U, V};
        const int64_t rows[2] = {a.m, a.n};
        for (int i = 0; i < 2; i++) {
            if (!vectors[i])
                continue;
            struct orr_view x = orr_view_of(vectors[i], k, rows[i]);
            if (!x.a)
                return i ? "an array of V.as is NULL" : "an array of U.as is NULL";
            if (x.m != rows[i] || x.ld < rows[i] || x.ld > UINT32_MAX / l)
                return "U or V has a matrix of a wrong shape";
        }
    }
    return NULL;
}

const char *orr_gesvj_wrong_options(const orr_gesvj_opts *o)
{
    if (o->max_sweeps < 0 || o->chunk < 0 || !(o->tol >= 0) || o->tol >= 1)
        return "max_sweeps, chunk or tol is out of range";
    if (o->block != 0 && o->block != 16 && o->block != 32 && o->block != 64)
        return "block is not 16, 32 or 64";
    if (o->bundle < 0 || o->bundle > ORR_GESVJ_MAX_BUNDLE)
        return "bundle is not 0 to 64";
    if ((int)o->place < 0 || o->place >= ORR_NPLACES)
        return "no such place";
    return NULL;
}

const char *orr_gesvj_wrong(const orr_batch *A, const orr_batch *s, const orr_batch *U,
                            const orr_batch *V, const orr_gesvj_opts *o)
{
    if (!A || !s)
        return A ? "s is NULL" : "A is NULL";
    if ((int)A->type < 0 || A->type >= ORR_NTYPES)
        return "A has no type of s, d, c, z";
    if (s->type != orr_type_real(A->type))
        return "s is not of the real type of A";
    if ((U && U->type != A->type) || (V && V->type != A->type))
        return "U or V is not of the type of A";
    if (A->batch < 0 || s->batch != A->batch || (U && U->batch != A->batch) ||
        (V && V->batch != A->batch))
        return "the arrays are not batches of the same size";
    const char *option = orr_gesvj_wrong_options(o);
    if (option)
        return option;
    if (o->check && !(U && V))
        return "check needs U and V";
    if (A->batch > 0 && (!A->as != !s->as || (U && !A->as != !U->as) || (V && !A->as != !V->as)))
        return "the arrays are not all of mixed sizes";
    if (A->as && A->batch > 0)
        return !A->ms ? "A.ms is NULL" : !A->ns ? "A.ns is NULL" : check_mixed(A, s, U, V);
    const char *wrong = check_shape(A->m, A->n);
    int64_t l = orr_least(A->m, A->n);
    if (!wrong)
        wrong = check_uniform(A, A->m, A->n, "A.a is NULL");
    if (!wrong)
        wrong = check_uniform(s, l, 1, "s.a is NULL");
    if (!wrong && U)
        wrong = check_uniform(U, A->m, l, "U.a is NULL");
    if (!wrong && V)
        wrong = check_uniform(V, A->n, l, "V.a is NULL");
    return wrong;
}
