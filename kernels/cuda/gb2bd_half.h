/* What the launchers of gb2bd do for half precision: the rows of a task as floats.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GB2BD_HALF_H
#define ORR_CUDA_GB2BD_HALF_H

#include <cstdlib>

#include "kernels/cuda/gb2bd_rows.cuh"

namespace orr
{

/* Memory that comes and goes in the order of the stream. */
#ifdef ORR_SIMT
inline float *floats_take(orr_stream, size_t bytes)
{
    return (float *)std::malloc(bytes);
}
inline void floats_give(orr_stream, float *p)
{
    std::free(p);
}
#else
inline float *floats_take(orr_stream stream, size_t bytes)
{
    void *p = nullptr;
    if (cudaMallocAsync(&p, bytes, (cudaStream_t)stream) == cudaSuccess)
        return (float *)p;
    (void)cudaGetLastError();
    return nullptr;
}
inline void floats_give(orr_stream stream, float *p)
{
    (void)cudaFreeAsync(p, (cudaStream_t)stream);
}
#endif

/* work(top, bottom) on the rows of a task as floats, which are rounded when it has been done. */
template <class Work>
orr_status through_float(orr_stream stream, const orr_gb2bd_args *a, void *top, void *bottom,
                         Work work)
{
    const int64_t block = a->count * a->band.ld;
    void *const blocks[2] = {top, bottom};
    float *const rows = floats_take(stream, (size_t)(block * (bottom ? 2 : 1)) * sizeof(float));
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
    floats_give(stream, rows);
    return st;
}

} // namespace orr

#endif
