/* orr_gb2bd_qr_apply_cuda: the reflectors of the band QR applied to a matrix E from the left
 * (kernels/gb2bd.h), as products of matrices.
 *
 * w neighbouring columns, the group j, make a parallelogram V of kl + w rows, the first one in row jw:
 *
 *     | 0 |                    Q = (I - V0 S0 V0') (I - V1 S1 V1') ...   so the last group first:
 *     | 0  1 |
 *       | 1  2 |                   W := V' E        E := E - (V S) W     on the rows of the group
 *          | 2 |
 *
 * A group meets the next one in kl rows, so they follow each other; only V, S and V S of many groups are made by
 * the same launches. What a group reaches below E is cut off.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/diamonds.cuh"
#include "kernels/gb2bd.h"

using namespace orr;

/* Columns from .. of a task, in groups. */
template <class T> struct qr_groups {
    typedef T number;
    int64_t below, kl, from, count; /* below: rows of E from that of the task's first column on */
    const T *u;
    int width;
    T *V, *S;

    __host__ __device__ int64_t rows() const { return orr_gb2bd_qr_apply_rows(kl, width); }
    __device__ int64_t above(int64_t) const { return 0; }
    __device__ const T *reflector(int64_t d, int q, int64_t &length) const
    {
        const int64_t j = from + d * width + q;
        if (j >= count)
            return nullptr;
        length = orr_least(kl + 1, below - j);
        const T *const v = u + j * (kl + 1);
        return is_zero(v[0]) ? nullptr : v;
    }
};

template <class T>
static orr_status gb2bd_qr_apply(orr_stream stream, int64_t rows, int64_t kl, int64_t first,
                                 int64_t count, const void *u, int64_t k, void *e_, int64_t lde,
                                 void *work)
{
    if (count == 0 || k == 0)
        return ORR_OK;
    const int64_t w = orr_least(count, ORR_GB2BD_QR_WIDTH), all = (count + w - 1) / w;
    const int64_t room = orr_least(all, ORR_GB2BD_QR_AT_ONCE);
    qr_groups<T> a = {rows - first, kl, 0, count, (const T *)u, (int)w, (T *)work, nullptr};
    const int64_t of = a.rows() * w; /* elements of a V */
    T *const VS = a.V + orr_hb2st_apply_lines(room * of);
    a.S = VS + orr_hb2st_apply_lines(room * of);
    T *const W = a.S + orr_hb2st_apply_lines(room * w * w), *const e = (T *)e_ + first;
    blas<T> on(stream);
    orr_status st = on.status;
    for (int64_t g = (all - 1) / room * room; g >= 0 && st == ORR_OK; g -= room) {
        const int64_t some = orr_least(room, all - g);
        a.from = g * w;
        st = make_diamonds(stream, on, a, some, 0, VS);
        for (int64_t j = some - 1; j >= 0 && st == ORR_OK; j--) {
            const int64_t row = (g + j) * w, m = orr_least(kl + w, a.below - row);
            on.multiply('C', 'N', w, k, m, 1, a.V + j * of, a.rows(), e + row, lde, 0, W, w);
            on.multiply('N', 'N', m, k, w, -1, VS + j * of, a.rows(), W, w, 1, e + row, lde);
            st = on.status;
        }
    }
    return st;
}

extern "C" {
orr_gb2bd_qr_apply_cuda_fn *const orr_gb2bd_qr_apply_cuda[ORR_NTYPES] = ORR_FOUR(gb2bd_qr_apply);
}
