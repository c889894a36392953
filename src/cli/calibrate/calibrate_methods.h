/* `orrery calibrate methods`: below which orders heev and gesvd reduce a matrix directly rather than in
 * two stages. The file is read by liborrery.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_METHODS_H
#define ORR_CLI_CALIBRATE_METHODS_H

#include "src/cli/calibrate/calibrate_job.h"

int cal_methods_run(const cal_job *); /* PLACE/MACHINE.methods */

#endif
