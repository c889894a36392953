/* What the commands for one large dense matrix share: options of the reduction.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SINGLE_H
#define ORR_CLI_SINGLE_H

#include "src/cli/algorithms/family.h"

/* --jobz, --method, --band, --tile, --place */
typedef struct {
    int jobz, method, place; /* indices into their choices; jobz -1: not given */
    cli_sizes band, tile;
} single_shape;
extern const cli_option single_options[];

/* --band and --tile, in the table of a family. */
#define SINGLE_AXES                                                                                \
    {"band", offsetof(family_case, shape[0]), 0, 0},                                               \
    {                                                                                              \
        "tile", offsetof(family_case, shape[1]), 0, 0                                              \
    }

/* NULL, or what is wrong: tiles that are no multiples of bands, a band without two stages. */
const char *single_wrong(const single_shape *);
orr_dense_method single_method(const single_shape *);

#endif
