/* Which frozen models there are, and those of one machine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_MODELS_FIND_H
#define ORR_CLI_MODELS_FIND_H

#include <orrery/models.h>

/* Calls visit for each frozen directory of the places until it returns 1; what the last call said. */
int models_each(int (*visit)(const char *dir, const char *place, void *), void *);

/* The directory of a machine's name, of a directory, or of this machine (NULL); 0 and told if there
 * is none. */
int models_find(const char *name, char dir[1024]);

/* Its models, unchanged since they were frozen. Exit code, the reason told; free the models. */
int models_load(const char *name, orr_calibration *, orr_models *);

/* NULL and told if there is none of this name. */
const orr_model *models_named(const orr_models *, const char *name);

#endif
