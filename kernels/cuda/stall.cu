/* The record of kernels/stall.h: memory of the host that all devices see.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/stall.h"

#include <cstdio>

#include "kernels/cuda/device.cuh"

#ifdef ORR_SIMT /* virtual devices name a wait without end themselves */
static orr_stall *make_record()
{
#ifdef ORR_VGPU
    return nullptr;
#else
    static orr_stall one;
    return &one;
#endif
}
#else
static orr_stall *make_record()
{
    void *p = nullptr;
    if (cudaHostAlloc(&p, sizeof(orr_stall), cudaHostAllocPortable | cudaHostAllocMapped) !=
        cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    *(orr_stall *)p = orr_stall{};
    return (orr_stall *)p;
}
#endif

extern "C" {
orr_stall *orr_stall_record()
{
    static orr_stall *const record = make_record();
    return record;
}

int orr_stall_text(char *text, size_t room)
{
    static const char *const name[] = {"",         "hb2st_chase", "hb2st_numbered", "gb2bd_chase",
                                       "gb2bd_qr", "panel",       "gesvj_qr"};
    const orr_stall *const r = orr_stall_record();
    if (!r || r->kernel < 1 || r->kernel > ORR_STALL_GESVJ_QR)
        return 0;
    const int64_t word = r->first + r->offset / (r->apart ? r->apart : 1);
    const char *const who = r->kernel == ORR_STALL_GB2BD_QR ? "strip" : "sweep";
    if (r->kernel >= ORR_STALL_PANEL) {
        std::snprintf(text, room,
                      "the CUDA kernel %s stood still: thread block %d waited 2 s for thread block "
                      "%lld to come to meeting %d, and it was at %d",
                      name[r->kernel], r->block, (long long)word, r->need, r->seen);
        return 1;
    }
    std::snprintf(
        text, room,
        "the CUDA kernel %s stood still: %s %lld (thread block %d) waited 2 s for %s %lld "
        "to be at step %d, and it was at %d",
        name[r->kernel], who, (long long)word + 1, r->block, who, (long long)word, r->need,
        r->seen);
    return 1;
}
}
