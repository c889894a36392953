/* Files PLACE/MACHINE.SUFFIX of orders that were measured, which the libraries read by themselves, and
 * what their measurements share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_ORDERS_FILE_H
#define ORR_CLI_ORDERS_FILE_H

#include <orrery/orrery.h>

#include "src/cli/calibrate/calibrate_job.h"
#include "src/cli/core/text.h"

enum { CAL_PATH = 1100 };

/* Before anything is measured: the path, its directory made. An exit code, the reason told: it is there
 * already, or cannot be written. */
int cal_orders_path(const cal_job *, const char *suffix, char path[CAL_PATH]);
/* Says that other programs run, if they do. */
void cal_orders_busy(const cal_job *);
/* "format = 1" and the lines that say of which machine. */
void cal_orders_head(cli_text *, const cal_job *);
/* Random numbers from -1 to 1, all parts of complex ones. */
void cal_fill(orr_type, void *x, int64_t count, uint64_t state);
/* 1: --type names it, or nothing. */
int cal_type_wanted(const cli_words *types, orr_type);
/* Writes and frees the text. An exit code. */
int cal_orders_write(const char *path, cli_text *);

#endif
