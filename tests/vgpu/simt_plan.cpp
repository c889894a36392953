/* The order of an emulated kernel's threads, how many of its blocks are resident, and their memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "simt.h"

#include <cstdlib>

static const bool read_once = [] {
    static const char *const names[] = {"friendly", "reverse", "random", "adversarial"};
    const char *s = std::getenv("VGPU_SIMT");
    for (int i = 0; s && i < 4; i++)
        if (!std::strcmp(s, names[i]))
            simt::config.how = (simt::order)i;
    simt::config.resident = (unsigned)vgpu_processors();
    simt::config.max_shared = vgpu_most_shared();
    return true;
}();
