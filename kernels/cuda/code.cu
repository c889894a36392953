/* See kernels/code.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/code.h"

#include "kernels/cuda/device.cuh"

static __global__ void code_kernel() {}

extern "C" int orr_cuda_has_code() { return orr::has_code(code_kernel); }
