/* What hb2st and gb2bd print, write and record of a FILE: the tridiagonal or bidiagonal form, or
 * its values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_BAND_FORM_H
#define ORR_CLI_BAND_FORM_H

#include "src/cli/core/job.h"

typedef struct {
    const char *what;   /* "tridiagonal form" */
    const char *values; /* "singular values" */
    const char *key;    /* of them in a record, "singular_values" */
    int singular;
    orr_type type; /* real */
    int64_t n;
    const void *d, *e;                                  /* [n], [n - 1] */
    const char *values_path, *diag_path, *offdiag_path; /* NULL: not wanted */
} band_form;

/* Exit code, the reason told. */
int band_form_deliver(const cli_job *, const band_form *, cli_text *results);

#endif
