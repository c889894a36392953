/* libFuzzer: bytes as an edge list. SPDX-License-Identifier: BSD-3-Clause */
#include "coordinates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_both_ways(orr_edges_parse, "fuzz.txt", data, n);
    return 0;
}
