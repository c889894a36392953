/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_START_H
#define ORR_CLI_START_H

#include "orrery/orrery.h"

/* orr_open, without the line that StarPU 1.4 writes to stderr at every start on a machine whose
 * package lacks a directory, Debian 13's for one; STARPU_SILENT does not keep it from that. waits: 1:
 * whom it waits for is told on stderr. Call before there are other threads. */
orr_status cli_start(const orr_context_opts *, int waits, orr_context **);

/* The command may have begun again with kernels of its choice for OpenBLAS (machine.h), which two variables tell. Other
 * programs are to be run as if it had not. */
#define OPENBLAS_CORETYPE "OPENBLAS_CORETYPE"
#define CLI_BLAS_CORE_WAS "ORRERY_OPENBLAS_WAS"
void cli_blas_core_forget(void);

#endif
