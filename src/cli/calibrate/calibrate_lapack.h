/* `orrery calibrate lapack`: from which orders on liborrery_lapack is faster than the LAPACK of this
 * machine, for each routine, values and vectors apart. The file is read by that library.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_LAPACK_H
#define ORR_CLI_CALIBRATE_LAPACK_H

#include "src/cli/calibrate/calibrate_job.h"

int cal_lapack_run(const cal_job *); /* PLACE/MACHINE.lapack */

#endif
