/* What the launchers of gb2bd do for half precision: the rows of a task as floats.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GB2BD_HALF_H
#define ORR_CUDA_GB2BD_HALF_H

#include "kernels/cuda/gb2bd_rows.cuh"
#include "kernels/cuda/stream_memory.h"

namespace orr
{

/* work(top, bottom) on the rows of a task as floats, which are rounded when it has been done. */
template <class Work>
orr_status through_float(orr_stream stream, const orr_gb2bd_args *a, void *top, void *bottom,
                         Work work)
{
    const int64_t block = a->count * a->band.ld;
    void *const blocks[2] = {top, bottom};
    const size_t bytes = (size_t)(block * (bottom ? 2 : 1)) * sizeof(float);
    float *const rows = (float *)stream_alloc(stream, bytes);
    if (!rows)
        return ORR_E_NOMEM;
    orr_status st = ORR_OK;
    const shape many = {dim3((unsigned)std::min<int64_t>((block + 255) / 256, 1024)), dim3(256), 0};
    for (int k = 0; k < 2 && blocks[k] && st == ORR_OK; k++)
        st = launch(gb2bd_convert_kernel<float, uint16_t>, many, stream, block,
                    (const uint16_t *)blocks[k], rows + k * block);
    if (st == ORR_OK)
        st = work(rows, bottom ? rows + block : nullptr);
    for (int k = 0; k < 2 && blocks[k] && st == ORR_OK; k++)
        st = launch(gb2bd_convert_kernel<uint16_t, float>, many, stream, block,
                    (const float *)(rows + k * block), (uint16_t *)blocks[k]);
    stream_free(stream, rows);
    return st;
}

} // namespace orr

#endif
