/* libFuzzer: bytes as the file that says which machine models are of.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "files.h"
#include "orrery/models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char dir[80], message[ORR_MESSAGE] = "", why[ORR_MESSAGE];
    orr_calibration c;
    strcpy(dir, fuzz_save("calibration", data, n));
    *strrchr(dir, '/') = 0;
    const orr_status st = orr_calibration_read(dir, &c, message);
    if (st == ORR_OK) {
        if (!c.name[0] || c.machine.devices < 0 || c.machine.devices > ORR_MACHINE_DEVICES ||
            !orr_machine_same(&c.machine, &c.machine, why))
            if (strcmp(c.machine.cpu, "unknown") != 0)
                abort();
    } else if (!message[0]) {
        abort();
    }
    return 0;
}
