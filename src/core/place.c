/* Where tasks may run, and how large they are where accelerators take part.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/owner.h"
#include "src/core/internal.h"

/* Tiles of the first stages with accelerators. One device does one task after the other: an H200 took 0.37, 0.33,
 * 0.30 and 0.38 s for heev's values, n = 8192, with eight, five, three and two rows of tiles, and 0.73, 0.65, 0.58
 * and 0.60 s for gesvd's. Fewer tiles are fewer launches, but more of a triangle's products are for nothing, and
 * CPUs that load it are idle. Of several every owner has two columns (codelets/core/owner.h), and eight rows
 * leave a choice; that was not measured. */
enum { MOST_TILE = 8192, LEAST_TILE = 512, ROWS = 8, ROWS_OF_ONE = 3, COLUMNS = 2 };

enum orr_where orr_place_where(const orr_context *ctx, orr_place place)
{
    if (place == ORR_PLACE_GPU)
        return ORR_ON_ACCELERATOR;
    return place == ORR_PLACE_CPU && ctx->info.cpu > 0 ? ORR_ON_CPU : ORR_ANYWHERE;
}

const char *orr_place_told(const orr_context *ctx, orr_place place)
{
    const enum orr_where where = orr_place_where(ctx, place);
    if (where == ORR_ON_ACCELERATOR)
        return "accelerators";
    return where == ORR_ON_CPU || ctx->info.cuda + ctx->info.opencl == 0 ? "cpu" : "any";
}

void orr_place_check(const orr_context *ctx, orr_place place, orr_request *r, const char *who)
{
    const int devices = ctx->info.cuda + ctx->info.opencl;
    if ((place == ORR_PLACE_GPU && devices == 0) ||
        (place == ORR_PLACE_SPLIT && (devices == 0 || ctx->info.cpu == 0)))
        orr_request_fail(r, ORR_E_NOWORKER, who);
}

int orr_place_devices(const orr_context *ctx, orr_place place)
{
    return place != ORR_PLACE_CPU && ctx->info.cuda + ctx->info.opencl > 0;
}

/* Gflop/s of one processor in products of matrices, half of what data sheets say, and of a core. Not
 * measured; they only say what is worth while for a core. */
static const struct device_class {
    int capability;
    double single, twice;
} classes[] = {{0, 50, 3.5}, {80, 90, 90}, {86, 180, 3.5}, {90, 250, 250}, {120, 300, 5}};
static const struct device_class core = {0, 100, 50};

static double rate_of(const struct device_class *c, orr_type type)
{
    return orr_type_real(type) == ORR_D ? c->twice : c->single;
}

double orr_place_processor(int capability, orr_type type)
{
    const struct device_class *c = classes;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (capability >= classes[i].capability)
            c = &classes[i];
    return 1e9 * rate_of(c, type);
}

double orr_place_core(const orr_context *ctx, orr_type type)
{
    const double processors = (double)ctx->device.processors * ctx->info.cuda;
    return 1e9 * rate_of(&core, type) /
           (processors * orr_place_processor(ctx->device.capability, type));
}

int orr_place_alone(const orr_context *ctx, orr_place place, orr_type type)
{
    enum { LITTLE = 4 }; /* of all cores beside the devices: a quarter */
    if (!orr_place_devices(ctx, place))
        return 0;
    return place == ORR_PLACE_GPU || LITTLE * ctx->info.cpu * orr_place_core(ctx, type) < 1;
}

int64_t orr_place_tile(int64_t length, size_t element, int devices, int64_t least)
{
    /* a row of tiles, and what a product has besides, fits a device */
    const int64_t most = orr_accelerator_room() / (2 * (length + 1) * (int64_t)element);
    const int fewest = devices > 1 ? ROWS : ROWS_OF_ONE;
    const int parts = COLUMNS * devices > fewest ? COLUMNS * devices : fewest;
    int64_t rows = (length + parts - 1) / parts;
    rows = devices > 1 && rows < least ? least : rows;
    rows = rows < LEAST_TILE ? LEAST_TILE : rows > MOST_TILE ? MOST_TILE : rows;
    return most > 0 && most < rows ? most : rows; /* where nothing fits, it is CPUs' */
}
