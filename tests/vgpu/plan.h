/* What the environment asks of the virtual devices, and what they have to say.
 *
 *   VGPU_DEVICES   how many (2)
 *   VGPU_MEMORY    MiB of each (256)
 *   VGPU_ORDER     fifo | eager | random | lazy | copies-late | kernels-late   (fifo)
 *   VGPU_SEED      of random (1)
 *   VGPU_SIMT      order of a kernel's threads: friendly | reverse | random | adversarial
 *   VGPU_EXACT     1: each buffer of StarPU is a block of its own, open to the tasks that name it
 *                  (the stand-in must be preloaded)
 *   VGPU_PEER      0: devices do not reach each other's memory
 *   VGPU_SMS       multiprocessors (4)
 *   VGPU_SM        compute capability, as in sm_86 (90): what a thread block may have of shared memory
 *   VGPU_SLOW      device:factor, that device takes so many times as long
 *   VGPU_FAIL      name:k[,name:k]: the k-th call of name fails; kernel:k: that kernel does, later
 *   VGPU_LOSE      codelet: its kernels do nothing, and nobody says so; -: those of no codelet
 *   VGPU_DRY       1: nothing is computed or copied, only counted; memory that nobody touches takes none
 *   VGPU_RECORD    file: what was launched and copied is appended when the process ends
 *   VGPU_LOG       1: every call is told
 *
 * A process that saw a defect ends with 98, one whose fault never came with 99, whatever the
 * program says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_PLAN_H
#define ORR_VGPU_PLAN_H

#include "vgpu.h"

namespace vgpu
{

enum { most_devices = 8 };
enum class order { fifo, eager, random, lazy, copies_late, kernels_late };

struct plan {
    int devices;
    size_t memory; /* bytes */
    order how;
    unsigned seed;
    bool exact, peers, log, dry;
    int slow_device;
    double slow_factor;
    const char *lost; /* codelets, with commas between; "-" is none of them */
};
const plan &asked();

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a call of `name`; true if this one is to fail. */
bool told_to_fail(const char *name);

/* What the process must end with: 0 if nothing was wrong. */
int verdict();

} // namespace vgpu
#endif
