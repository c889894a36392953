/* A .npy file made by hand, in memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_IO_NPY_MADE_H
#define ORR_TESTS_IO_NPY_MADE_H

#include "tests/io/check.h"

#define HEAD "{'descr': '<f8', 'fortran_order': False, 'shape': "

static char file[1 << 17];
static size_t file_size;

static void make(int version, const char *header, const void *data, size_t n)
{
    size_t h = strlen(header), at = 8;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[7] = 0;
    for (size_t b = 0; b < (version == 1 ? 2u : 4u); b++)
        file[at++] = (char)(h >> 8 * b);
    memcpy(file + at, header, h);
    if (n)
        memcpy(file + at + h, data, n);
    file_size = at + h + n;
}

#endif
