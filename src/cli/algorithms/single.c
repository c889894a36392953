/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/single.h"

#define AT(field) .at = offsetof(single_shape, field)

const cli_option single_options[] = {
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only (default), or vectors too", "N|V", AT(jobz)},
    {"method", 'm', OPT_CHOICE, "M", "auto: the faster; two-stage; lapack: directly",
     "auto|two-stage|lapack", AT(method)},
    {"band", 'b', OPT_SIZES, "B", "bandwidth between the stages (default: chosen)", NULL, AT(band),
     2, 4096},
    {"tile", 0, OPT_SIZES, "T", "rows of a tile, a multiple of B (default: chosen)", NULL, AT(tile),
     16, 65536},
    {"place", 0, OPT_CHOICE, "P", "auto (default): GPUs too; cpu; gpu: all it can", "auto|cpu|gpu",
     AT(place)},
    {.kind = OPT_END},
};

const char *single_wrong(const single_shape *s)
{
    for (int64_t i = 0; i < s->tile.n; i++)
        for (int64_t k = 0; k < s->band.n; k++)
            if (s->tile.v[i] % s->band.v[k])
                return "--tile is a multiple of --band";
    if (single_method(s) == ORR_DENSE_LAPACK &&
        (s->band.n || family_place(s->place) == ORR_PLACE_GPU))
        return "--method lapack has no --band, and runs on a CPU";
    return s->tile.n && !s->band.n ? "--tile needs --band" : NULL;
}

orr_dense_method single_method(const single_shape *s) { return family_method(s->method); }
