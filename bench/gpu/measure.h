/* Measurements beside cuSOLVER.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BENCH_CUSOLVER_H
#define ORR_BENCH_CUSOLVER_H

#include <cusolverDn.h>

#include "program.h"

static inline std::string provenance(const std::string &command)
{
    int solver[3] = {};
    cusolverGetProperty(MAJOR_VERSION, &solver[0]);
    cusolverGetProperty(MINOR_VERSION, &solver[1]);
    cusolverGetProperty(PATCH_LEVEL, &solver[2]);
    return provenance_of(command, " cusolver " + std::to_string(solver[0]) + "." +
                                      std::to_string(solver[1]) + "." + std::to_string(solver[2]));
}

/* bench(T{}, cuSOLVER, file, provenance) for each of the types. */
template <typename F> void beside_cusolver(const program &run, const std::string &types, F bench)
{
    cusolverDnHandle_t h;
    need(cusolverDnCreate(&h) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    const std::string origin = provenance(run.command);
    for_each_type(types, [&](auto zero) { bench(zero, h, run.file, origin); });
    cusolverDnDestroy(h);
}

#endif
