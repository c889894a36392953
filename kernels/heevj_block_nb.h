/* The shape of heevj_block's column blocks, which the CPU and the CUDA kernels share: nb
 * columns per block, and np, the order of the padded matrices G and Q. Round-Robin pairs
 * blocks, so their number is even.
 *
 * One block size serves all types: with nb = 16 the pair matrix H is 32 x 32, a warp owns
 * one of its rows or columns per lane, and in double complex it takes 16 KB.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEVJ_BLOCK_NB_H
#define ORR_KERNELS_HEEVJ_BLOCK_NB_H

#include <stdint.h>

#define ORR_HEEVJ_NB 16

#ifdef __CUDACC__
#define ORR_HEEVJ_BOTH_SIDES __host__ __device__
#else
#define ORR_HEEVJ_BOTH_SIDES
#endif

/* np: n rounded up to an even number of blocks; 0 for n = 0. */
ORR_HEEVJ_BOTH_SIDES static inline int64_t orr_heevj_block_round_up(int64_t n)
{
    const int64_t pair = 2 * ORR_HEEVJ_NB;
    return (n + pair - 1) / pair * pair;
}

#endif
