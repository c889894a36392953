/* What is told of a block of a sparse matrix is what the block says of itself, whichever of the formats that
 * were tried is the fastest, and that one is kept:
 *
 *   seconds[kept] <= seconds[f]    of all formats f that were tried, two at least; tiles, which only CPUs have,
 *                                  are not among them where there are devices
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "codelets/sparse/powm.h"
#include "kernels/powm_spmv.h"

enum { ROWS = 60000, COLS = ROWS, MOST = 9 };

static int64_t ptr[ROWS + 1];
static int32_t column[ROWS * MOST];
static double value[ROWS * MOST];

/* Rows of 9 entries that lie together in blocks, on diagonals, or anywhere; or of 1 to 9 entries. */
enum shape { BLOCKS, DIAGONALS, ANYWHERE, RAGGED, SHAPES };

static void make(enum shape shape)
{
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t n = shape == RAGGED ? 1 + i * 7919 % MOST : MOST, gap = COLS / MOST;
        const int64_t first = shape == BLOCKS      ? i / 3 * 3 % (COLS - MOST) / 3 * 3
                              : shape == DIAGONALS ? (i < COLS - MOST ? i : COLS - MOST)
                                                   : i * 7919 % gap;
        ptr[i + 1] = ptr[i] + n;
        for (int64_t k = 0; k < n; k++) {
            const int64_t at = first + (shape >= ANYWHERE ? k * gap : k);
            column[ptr[i] + k] = (int32_t)at;
            value[ptr[i] + k] = 1.0 / (double)(1 + i + k);
        }
    }
}

static void told(enum shape shape, orr_format format, const void *x, int devices)
{
    const struct orr_powm_source s = {
        .rows = ROWS, .cols = COLS, .ptr = ptr, .index = column, .val = value};
    struct orr_powm_built out = {0};
    const orr_status st = orr_powm_build(&s, ORR_D, format, ORR_VALUES_FULL, x, devices, &out);
    CHECK(st == ORR_OK && out.block, "shape %d: status %d", (int)shape, (int)st);
    if (st != ORR_OK)
        return;
    const orr_powm_block *b = out.block;
    CHECK(out.bytes == b->bytes && out.slots == b->slots && (int)out.format == b->format &&
              out.values == b->values,
          "shape %d: %lld bytes, %lld slots, format %d, not %lld, %lld, %d", (int)shape,
          (long long)out.bytes, (long long)out.slots, (int)out.format, (long long)b->bytes,
          (long long)b->slots, b->format);
    int tried = 0;
    for (int f = 0; f < ORR_NFORMATS; f++) {
        tried += out.seconds[f] > 0;
        CHECK(out.seconds[f] == 0 || out.seconds[out.format] <= out.seconds[f],
              "shape %d: format %d takes %g s, %d takes %g s", (int)shape, (int)out.format,
              out.seconds[out.format], f, out.seconds[f]);
    }
    CHECK(x ? tried >= 2 && out.seconds[out.format] > 0 : tried == 0, "shape %d: %d were tried",
          (int)shape, tried);
    CHECK(!devices || (out.format != ORR_FORMAT_TILES && out.seconds[ORR_FORMAT_TILES] == 0),
          "shape %d: tiles on a device", (int)shape);
    free(out.block);
}

int main(void)
{
    double *x = calloc(COLS + ORR_POWM_VECTOR_PAD, sizeof *x);
    if (!x)
        return 99;
    for (int shape = 0; shape < SHAPES; shape++) {
        make((enum shape)shape);
        for (int devices = 0; devices < 2; devices++) {
            told((enum shape)shape, ORR_FORMAT_AUTO, x, devices);
            told((enum shape)shape, ORR_FORMAT_AUTO, NULL, devices);
        }
        for (int f = ORR_FORMAT_CSR; f < ORR_NFORMATS; f++)
            told((enum shape)shape, (orr_format)f, NULL, 0);
    }
    free(x);
    return checked();
}
