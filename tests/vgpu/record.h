/* What a process launched and copied, appended to VGPU_RECORD when it ends, a line each:
 *   launch <device> <codelet> <model> <implementation> <kernel> <times> <CPU seconds> <thread blocks>
 *   link <from> <to> <bytes> <copies>       host or the number of a device
 *   handle <device> <codelet> <times>       handles of cuBLAS that were made; -: outside of tasks
 *   pageable <from> <to> <bytes> <copies> <longest>   those of them that kept their thread
 * fields apart by tabs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_RECORD_H
#define ORR_VGPU_RECORD_H

#include <cstddef>

#include "task.h"

namespace vgpu
{

/* Where a launch is counted: stays valid. task NULL: outside of one. */
struct tally {
    long times = 0;
    size_t blocks = 0;
    double seconds = 0;
};
tally *launches_of(int device, const vgpu_task *, const char *kernel);
void count_copy(int from, int to, size_t bytes, bool locked); /* -1: the host */
size_t carried(bool home); /* all bytes so far between the host and devices, one way */
void count_handle(int device, const vgpu_task *);
void write_record();

} // namespace vgpu
#endif
