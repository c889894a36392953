/* Vector instructions: what the processor has, and what the BLAS makes of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SIMD_H
#define ORR_CLI_SIMD_H

typedef enum {
    CLI_SIMD_UNKNOWN,
    CLI_SIMD_NEON,
    CLI_SIMD_SSE,
    CLI_SIMD_AVX,
    CLI_SIMD_AVX2,
    CLI_SIMD_AVX512
} cli_simd_level;

cli_simd_level cli_simd(void); /* the widest of this CPU */
const char *cli_simd_name(cli_simd_level);
/* Whose kernels the BLAS uses, "Haswell"; "" if it does not say. */
const char *cli_blas_core(void);
/* What the kernels of that name use; unknown for names of other processors. */
cli_simd_level cli_blas_core_simd(const char *core);
/* OPENBLAS_CORETYPE for such a processor; NULL: none. Whether the BLAS would obey. */
const char *cli_blas_core_for(cli_simd_level);
int cli_blas_core_choice(void);
/* Whether kernels of that name leave instructions of this processor unused. */
int cli_blas_core_is_narrow(const char *core);
/* OpenBLAS takes its kernels when it is loaded, those for SSE where it is older than the processor and
 * does not know it (a fifth of the speed with AVX-512). This process then begins again with OPENBLAS_CORETYPE
 * set, and with CLI_BLAS_CORE_WAS. Nothing happens if the variable is set already. */
void cli_blas_core_mend(char **argv);

#endif
