/* In the place of tests/simt/simt.h where emulated kernels run on virtual devices: the same, with
 * CUDA's own types, and start(), which runs a kernel in the process of the stream's device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_SIMT_H
#define ORR_VGPU_SIMT_H

#include <cuda_runtime_api.h>
#undef __global__
#undef __device__
#undef __host__
#undef __forceinline__
#undef __launch_bounds__
#undef __align__
#define SIMT_CUDA_TYPES
#include "../simt/simt.h"

#include <tuple>
#include <type_traits>

#include "vgpu.h"

namespace vgpu
{

/* Arguments are copied as bytes when the kernel is launched. */
template <class... P> struct call {
    std::tuple<P...> arguments;
    void (*kernel)(P...);
    dim3 grid, block;
    size_t shared;
    unsigned cluster;
};

template <class... P> const char *run(void *p)
{
    static std::string wrong;
    const call<P...> *c = (const call<P...> *)p;
    wrong = simt::run(c->grid, c->block, c->shared, c->cluster, simt::config,
                      [c] { std::apply(c->kernel, c->arguments); });
    return wrong.empty() ? nullptr : wrong.c_str();
}

template <class... P, class... A>
cudaError_t start(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, unsigned cluster,
                  cudaStream_t stream, A... arguments)
{
    static_assert((std::is_trivially_copyable_v<P> && ...), "arguments travel as bytes");
    const call<P...> c = {std::tuple<P...>(arguments...), kernel, grid, block, shared, cluster};
    return vgpu_launch(stream, run<P...>, &c, sizeof c, vgpu_kernel_name((const void *)kernel),
                       (size_t)grid.x * grid.y * grid.z);
}

} // namespace vgpu
#endif
