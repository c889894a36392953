/* libFuzzer: bytes as a .npy file. What is accepted must have the data its shape says, and
 * a source without a size must give the same result as one with.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const int64_t most = 1 << 24;
    orr_npy a, b;
    orr_io_error e;
    orr_status s = orr_npy_parse(data, n, "fuzz.npy", most, &a, &e);
    if ((s == ORR_OK) != (e.message[0] == '\0') || (s != ORR_OK && a.data))
        abort();
    int64_t bytes = 0;
    if (s == ORR_OK) {
        bytes = (int64_t)orr_io_type_size(a.type);
        for (int k = 0; k < a.ndim; k++)
            bytes *= a.shape[k];
        volatile unsigned char sum = 0; /* every byte must be there */
        for (int64_t k = 0; k < bytes; k++)
            sum ^= ((unsigned char *)a.data)[k];
        (void)sum;
    }
    FILE *f = n ? fmemopen((void *)data, n, "rb") : NULL; /* no descriptor: no size */
    if (f) {
        int eof;
        orr_status t = orr_npy_read_stream(f, "fuzz", most, &b, &eof, &e);
        if (s == ORR_OK && (t != ORR_OK || memcmp(a.shape, b.shape, sizeof a.shape) != 0 ||
                            memcmp(a.data, b.data, (size_t)bytes) != 0))
            abort();
        orr_npy_free(&b);
        fclose(f);
    }
    orr_npy_free(&a);
    return 0;
}
