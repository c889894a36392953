/* Thread blocks of a CUDA kernel that waited for each other too long: 2 seconds. The first that has
 * waits no longer: it writes a record here and traps, so that the kernel, and every later call of
 * the device, fails. The record stays, in main memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_STALL_H
#define ORR_KERNELS_STALL_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

enum {
    ORR_STALL_HB2ST_CHASE = 1,
    ORR_STALL_HB2ST_NUMBERED,
    ORR_STALL_GB2BD_CHASE,
    ORR_STALL_GB2BD_QR,
    ORR_STALL_PANEL,
    ORR_STALL_GESVJ_QR
};

typedef struct {
    int32_t taken;      /* by the first one */
    int32_t kernel;     /* ORR_STALL_...; 0: nobody waited too long */
    int32_t block;      /* of threads */
    int32_t need, seen; /* half-steps (gb2bd_qr: reflectors; panel, gesvj_qr: meetings) that there
                           should be, and were */
    int32_t unused;
    int64_t first, offset, apart; /* whose word: sweep (gb2bd_qr: strip of columns; panel and
                                     gesvj_qr: thread block) first + offset / apart; the next one
                                     waited for it */
} orr_stall;

/* The record of this process; NULL: there is no memory that devices can write to. */
orr_stall *orr_stall_record(void);
/* 1: what it says, in a sentence; 0: nobody waited too long. */
int orr_stall_text(char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
