/* See kernels/cublas.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cublas.h"

#include "kernels/cuda/blas.h"

extern "C" {
void orr_cublas_begin(void *stream)
{
    (void)orr::blas_handle(
        (orr_stream)stream); /* if that fails, so does the product that needs it */
}
void orr_cublas_end() { orr::handles_of_thread().drop(); }
}
