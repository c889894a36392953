/* Whether there is code for a device: of the compute capabilities that CMAKE_CUDA_ARCHITECTURES named, or of an
 * older one as PTX, which the driver compiles.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_CODE_H
#define ORR_KERNELS_CODE_H

#ifdef __cplusplus
extern "C" {
#endif

int orr_cuda_has_code(void); /* for the current device of the calling thread */

#ifdef __cplusplus
}
#endif
#endif
