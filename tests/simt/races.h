/* Between the emulator and whoever watches what its threads do (races.cpp).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_RACES_H
#define ORR_SIMT_RACES_H

#include <string>
#include <vector>

#include "simt.h"

namespace simt
{

struct running_thread {
    unsigned block, thread; /* numbers in the grid and in the block */
    const char *stack;
    size_t stack_bytes;
};
/* Who runs; false: no thread of a launch. */
bool running(running_thread *);

/* Ends the launch with this defect. */
void found(const std::string &what);

} // namespace simt

#endif
