/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "src/cli/core/simd.h"
#include "src/cli/core/start.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cli_simd_level cli_simd(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    /* The kernels for AVX-512 need all four; the first processors with AVX-512 lack two. */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return CLI_SIMD_AVX512;
    return __builtin_cpu_supports("avx2")  ? CLI_SIMD_AVX2
           : __builtin_cpu_supports("avx") ? CLI_SIMD_AVX
                                           : CLI_SIMD_SSE;
#elif defined(__aarch64__)
    return CLI_SIMD_NEON;
#else
    return CLI_SIMD_UNKNOWN;
#endif
}

const char *cli_simd_name(cli_simd_level level)
{
    static const char *const name[] = {"unknown", "NEON", "SSE2", "AVX", "AVX2", "AVX-512"};
    return name[level];
}

const char *cli_blas_core(void)
{
    char *(*core)(void);
    *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    return core ? core() : "";
}

/* The names of OpenBLAS 0.3, `driver/others/dynamic.c`; an ARM processor's is not among them. */
cli_simd_level cli_blas_core_simd(const char *core)
{
    /* clang-format off */
    static const struct { const char *names; cli_simd_level level; } table[] = {
        { "|Katmai|Coppermine|Northwood|Prescott|Banias|Atom|Core2|Penryn|Dunnington|Nehalem|"
          "Athlon|Opteron|Opteron_SSE3|Barcelona|Nano|Bobcat|Generic|", CLI_SIMD_SSE },
        { "|Sandybridge|Bulldozer|Piledriver|Steamroller|", CLI_SIMD_AVX },
        { "|Haswell|Excavator|Zen|", CLI_SIMD_AVX2 },
        { "|SkylakeX|Cooperlake|SapphireRapids|", CLI_SIMD_AVX512 },
    };
    /* clang-format on */
    char word[64];
    snprintf(word, sizeof word, "|%s|", core);
    for (size_t k = 0; *core && k < sizeof table / sizeof *table; k++)
        if (strstr(table[k].names, word))
            return table[k].level;
    return CLI_SIMD_UNKNOWN;
}

int cli_blas_core_is_narrow(const char *core)
{
    const cli_simd_level uses = cli_blas_core_simd(core);
    return uses != CLI_SIMD_UNKNOWN && uses < cli_simd();
}

const char *cli_blas_core_for(cli_simd_level level)
{
    static const char *const type[] = {
        [CLI_SIMD_AVX] = "SANDYBRIDGE", [CLI_SIMD_AVX2] = "HASWELL", [CLI_SIMD_AVX512] = "SKYLAKEX"};
    return type[level];
}

int cli_blas_core_choice(void)
{
    char *(*config)(void);
    *(void **)&config = dlsym(RTLD_DEFAULT, "openblas_get_config");
    return config && strstr(config(), "DYNAMIC_ARCH") != NULL;
}

void cli_blas_core_mend(char **argv)
{
    const cli_simd_level has = cli_simd();
    const char *core = cli_blas_core();
    char self[4096]; /* not the link: the process would be called "exe" */
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || cli_blas_core_simd(core) != CLI_SIMD_SSE || has < CLI_SIMD_AVX2 ||
        !cli_blas_core_choice() || getenv(OPENBLAS_CORETYPE))
        return;
    self[length] = '\0';
    if (setenv(OPENBLAS_CORETYPE, cli_blas_core_for(has), 1) == 0 &&
        setenv(CLI_BLAS_CORE_WAS, core, 1) == 0)
        execv(self, argv);
    unsetenv(OPENBLAS_CORETYPE); /* where that fails, it is only slow */
    unsetenv(CLI_BLAS_CORE_WAS);
}
