/* What a calibration reports: hold-out runs against predictions, equal devices side by side, and
 * models.json.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_REPORT_H
#define ORR_CLI_CALIBRATE_REPORT_H

#include <orrery/models.h>

#include "src/cli/core/text.h"

/* Of runs that the models were not made from: each shape's time, reduced from its tasks as those of
 * the models were, against its prediction. */
typedef struct {
    char name[64];
    orr_kind kind;
    int device, impl;
    int64_t shapes, unpredicted;
    double median, worst;       /* |predicted / measured - 1| over the shapes */
    double predicted, measured; /* us, times tasks, of shapes that have a prediction */
} verify_row;

typedef struct {
    verify_row *row;
    int64_t n, shapes, unpredicted;
    double median, near, worst; /* of all shapes; near: of nine tenths */
    double predicted, measured;
    double as_run; /* us of the same tasks as they ran, with what disturbed them */
} verification;

/* 0: no memory */
int verify(const orr_models *, const orr_sample *held_out, size_t n, verification *);
void verify_print(const verification *);
void verify_free(verification *);

/* Devices of one kind and name, each against the first: the median of the ratios of their means. */
void devices_print(const orr_models *);

void models_json(cli_text *, const orr_calibration *, const orr_models *, const verification *);

#endif
