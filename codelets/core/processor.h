/* What the CPUs have. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_PROCESSOR_H
#define ORR_CODELETS_PROCESSOR_H

/* Whether the CPUs have AVX-512: OpenBLAS and our kernels are at least twice as fast with it, and the
 * memory is not. */
int orr_has_avx512(void);
/* Whether its vectors are two of AVX2's to them (AMD's Zen 4). Kernels ask by lanes_halved, which is theirs. */
int orr_halves_avx512(void);

#endif
