/* Forget what powm_kinds.inc.c defined. SPDX-License-Identifier: BSD-3-Clause */
#undef ACC
#undef SIMD_UNLESS_COMPLEX
#undef TIMES
#undef NARROW
