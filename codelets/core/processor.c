/* See processor.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/processor.h"

int orr_has_avx512(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
    return 0;
#endif
}

int orr_halves_avx512(void)
{
#ifdef __x86_64__
    return orr_has_avx512() && __builtin_cpu_is("amdfam19h");
#else
    return 0;
#endif
}
