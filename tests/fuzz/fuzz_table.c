/* libFuzzer: bytes as a matrix of text. What is accepted has a number for every element, and a
 * source without a size, in other pieces, gives the same result.
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
    const orr_status s = orr_table_parse(data, n, "fuzz.txt", most, &a, &e);
    if ((s == ORR_OK) != (e.message[0] == '\0') || (s != ORR_OK && a.data))
        abort();
    const size_t bytes =
        s == ORR_OK ? (size_t)(a.shape[0] * a.shape[1]) * orr_io_type_size(a.type) : 0;
    if (s == ORR_OK && (a.ndim != 2 || bytes == 0))
        abort();
    volatile unsigned char sum = 0; /* every byte must be there */
    for (size_t k = 0; k < bytes; k++)
        sum ^= ((unsigned char *)a.data)[k];
    (void)sum;
    FILE *f = n ? fmemopen((void *)data, n, "rb") : NULL;
    if (f) {
        const orr_status t = orr_table_read_stream(f, "fuzz", most, &b, &e);
        if (s != t || (s == ORR_OK && memcmp(a.data, b.data, bytes) != 0))
            abort();
        orr_npy_free(&b);
        fclose(f);
    }
    orr_npy_free(&a);
    return 0;
}
