/* libFuzzer: bytes as a Matrix Market file. SPDX-License-Identifier: BSD-3-Clause */
#include "coordinates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_both_ways(orr_mtx_parse, "fuzz.mtx", data, n);
    return 0;
}
