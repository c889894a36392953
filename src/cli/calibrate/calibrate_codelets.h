/* `orrery calibrate`: every codelet at the sizes that it really meets, and the models made from that.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_CODELETS_H
#define ORR_CLI_CALIBRATE_CODELETS_H

#include "src/cli/calibrate/calibrate_job.h"

int cal_codelets_run(const cal_job *); /* PLACE/MACHINE, a directory */

#endif
