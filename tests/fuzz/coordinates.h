/* What the fuzzers of readers of sparse matrices check. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_FUZZ_COORDINATES_H
#define ORR_FUZZ_COORDINATES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int numbers(const orr_mtx *m)
{
    return m->field == ORR_MTX_PATTERN ? 0 : m->field == ORR_MTX_COMPLEX ? 2 : 1;
}

/* Accepted: entries in range, values finite. Refused: nothing kept, and a reason. */
static inline void fuzz_check(orr_status s, const orr_mtx *m, const orr_io_error *e)
{
    if (s != ORR_OK) {
        if (m->row || m->col || m->val || e->message[0] == '\0')
            abort();
        return;
    }
    for (int64_t k = 0; k < m->entries; k++) {
        if (m->row[k] < 0 || m->row[k] >= m->rows || m->col[k] < 0 || m->col[k] >= m->cols)
            abort();
        for (int w = 0; w < numbers(m); w++)
            if (!isfinite(m->val[k * numbers(m) + w]))
                abort();
    }
}

static inline int fuzz_differ(const void *a, const void *b, int64_t n)
{
    return n > 0 && memcmp(a, b, (size_t)n * 8) != 0;
}

typedef orr_status fuzz_parser(const void *data, size_t n, const char *name, int64_t max_bytes,
                               int threads, size_t block, orr_mtx *, orr_io_error *);

/* Parsed as one chunk and as three chunks of small blocks: same status, same line of the error,
 * same entries. */
static inline void fuzz_both_ways(fuzz_parser *parse, const char *name, const uint8_t *data,
                                  size_t n)
{
    const int64_t most = 1 << 24;
    orr_mtx a, b;
    orr_io_error e, f;
    const orr_status s = parse(data, n, name, most, 1, 0, &a, &e);
    const orr_status t = parse(data, n, name, most, 3, 48, &b, &f);
    const int gzip = n > 1 && data[0] == 0x1f && data[1] == 0x8b;
    /* Damage in compressed data is seen a block earlier or later. */
    if ((s == ORR_OK) != (t == ORR_OK) || (!gzip && (s != t || e.line != f.line)))
        abort();
    fuzz_check(s, &a, &e);
    if (s == ORR_OK &&
        (a.entries != b.entries || a.rows != b.rows || a.cols != b.cols || a.field != b.field ||
         fuzz_differ(a.row, b.row, a.entries) || fuzz_differ(a.col, b.col, a.entries) ||
         (a.val && fuzz_differ(a.val, b.val, a.entries * numbers(&a)))))
        abort();
    orr_mtx_free(&a);
    orr_mtx_free(&b);
}

#endif
