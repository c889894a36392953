/* The checks of `orrery doctor`: each is one function and one row of a table. A WARN or FAIL names
 * its remedy.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_DOCTOR_H
#define ORR_CLI_DOCTOR_H

#include "src/cli/machine/machine.h"

enum verdict { OK, WARN, FAIL };

struct check {
    enum verdict verdict;
    char message[400], remedy[300];
};

/* What the checks look at, gathered once. */
struct patient {
    cli_topology machine;
    int topology;
    cli_probe probe;
    cli_models models;
    int nvidia; /* the kernel driver shows a device */
};

typedef struct {
    const char *name; /* NULL ends a table */
    void (*look)(const struct patient *, struct check *);
} doctor_row;

extern const doctor_row doctor_machine[]; /* StarPU, cores, devices */
extern const doctor_row doctor_setup[];   /* BLAS, threads, models, files, environment */

void doctor_say(struct check *, enum verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_remedy(struct check *, const char *format, ...) __attribute__((format(printf, 2, 3)));
int doctor_started(const struct patient *);    /* StarPU, in the probe */
const char *doctor_variable(const char *name); /* of the environment; NULL if unset or empty */

#endif
