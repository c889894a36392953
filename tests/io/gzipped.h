/* A short text as gzip would have it. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_IO_GZIPPED_H
#define ORR_TESTS_IO_GZIPPED_H

#include <string.h>
#include <zlib.h>

/* Returns its bytes, at most `room`. */
static inline size_t gzipped(const char *text, unsigned char *out, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)text,
                  .avail_in = (unsigned)strlen(text),
                  .next_out = out,
                  .avail_out = (unsigned)room};
    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    deflateEnd(&z);
    return z.total_out;
}

#endif
