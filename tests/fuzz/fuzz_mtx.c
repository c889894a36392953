/* libFuzzer: bytes as a Matrix Market file, parsed as one chunk and as three chunks of
 * small blocks: same status, same line of the error, same entries. Entries are in range.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const orr_mtx *m)
{
    int width = m->field == ORR_MTX_PATTERN ? 0 : m->field == ORR_MTX_COMPLEX ? 2 : 1;
    for (int64_t k = 0; k < m->entries; k++) {
        if (m->row[k] < 0 || m->row[k] >= m->rows || m->col[k] < 0 || m->col[k] >= m->cols)
            abort();
        for (int w = 0; w < width; w++)
            if (!isfinite(m->val[k * width + w]))
                abort();
    }
}

static int differ(const void *a, const void *b, int64_t n)
{
    return n > 0 && memcmp(a, b, (size_t)n * 8) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const int64_t most = 1 << 24;
    orr_mtx a, b;
    orr_io_error e, f;
    orr_status s = orr_mtx_parse(data, n, "fuzz.mtx", most, 1, 0, &a, &e);
    orr_status t = orr_mtx_parse(data, n, "fuzz.mtx", most, 3, 48, &b, &f);
    int gzip = n > 1 && data[0] == 0x1f && data[1] == 0x8b;
    /* Damage in compressed data is seen a block earlier or later. */
    if ((s == ORR_OK) != (t == ORR_OK) || (!gzip && (s != t || e.line != f.line)))
        abort();
    if (s == ORR_OK) {
        check(&a);
        if (a.entries != b.entries || differ(a.row, b.row, a.entries) ||
            differ(a.col, b.col, a.entries) ||
            (a.val && differ(a.val, b.val, a.entries * (1 + (a.field == ORR_MTX_COMPLEX)))))
            abort();
    } else if (a.row || a.col || a.val || e.message[0] == '\0') {
        abort();
    }
    orr_mtx_free(&a);
    orr_mtx_free(&b);
    return 0;
}
