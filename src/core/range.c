/* Results that are beyond the range of their type: a matrix whose entries are near its end may have
 * eigenvalues or singular values above it. They come out infinite, and are not passed off as done.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "src/core/range.h"

static int is_single(orr_type real) { return real == ORR_S || real == ORR_H; }

int64_t orr_beyond(orr_type real, int64_t count, const void *x)
{
    for (int64_t i = 0; i < count; i++)
        if (is_single(real) ? !isfinite(((const float *)x)[i]) : !isfinite(((const double *)x)[i]))
            return i;
    return -1;
}

orr_status orr_judge_range(struct orr_operation *op, orr_type real, int64_t count, const void *x,
                           const char *what)
{
    const int64_t first = op->request.plan ? -1 : orr_beyond(real, count, x);
    if (first < 0)
        return ORR_OK;
    op->index = first;
    snprintf(op->message, sizeof op->message,
             "number %lld of %s is beyond the range of %s precision; scale the matrix",
             (long long)first, what, is_single(real) ? "single" : "double");
    return ORR_RANGE;
}

int orr_judge_looks(const orr_batch *x, const orr_matrix_info *info)
{
    const double greatest = is_single(x->type) ? FLT_MAX : DBL_MAX;
    return info->status == ORR_OK && !(info->norm <= greatest / 2); /* no value is larger */
}

void orr_judge_batch(const orr_batch *x, int64_t k, int64_t count, orr_matrix_info *info)
{
    if (!orr_judge_looks(x, info))
        return;
    const char *values =
        x->as ? x->as[k] : (const char *)x->a + (size_t)(k * x->stride) * orr_type_size(x->type);
    if (orr_beyond(x->type, count, values) >= 0)
        info->status = ORR_RANGE;
}

orr_status orr_judge_all(struct orr_operation *op, const orr_matrix_info *info, int64_t batch)
{
    static const char *const what[] = {[ORR_NOCONV] = "did not converge",
                                       [ORR_NONFINITE] = "have NaN or infinite entries",
                                       [ORR_RANGE] = "have values beyond the range of their type"};
    int64_t bad[ORR_RANGE + 1] = {0}, first[ORR_RANGE + 1] = {0};
    orr_status st = ORR_OK;
    for (int64_t k = 0; k < batch && !op->request.plan; k++)
        if (info[k].status > 0 && info[k].status <= ORR_RANGE && bad[info[k].status]++ == 0)
            first[info[k].status] = k;
    for (int i = ORR_NOCONV; i <= ORR_RANGE; i++) /* the gravest one is reported; info has all */
        if (bad[i]) {
            st = (orr_status)i;
            op->index = first[i];
            snprintf(op->message, sizeof op->message,
                     "%lld of %lld matrices %s, the first is number %lld", (long long)bad[i],
                     (long long)batch, what[i], (long long)first[i]);
        }
    return st;
}
