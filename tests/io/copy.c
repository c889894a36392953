/* copy IN.npy OUT.npy f|c: reads, writes in the order asked for. For with_numpy.py.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/io/check.h"

int main(int argc, char **argv)
{
    orr_npy a;
    orr_io_error e;
    if (argc != 4)
        return 2;
    orr_status s = orr_npy_read(argv[1], 0, &a, &e);
    if (s == ORR_OK && argv[3][0] == 'f') { /* in memory the order of dimensions is turned */
        int64_t shape[ORR_NPY_MAXDIM];
        for (int k = 0; k < a.ndim; k++)
            shape[k] = a.shape[a.ndim - 1 - k];
        s = orr_npy_write(argv[2], a.type, a.ndim, shape, 1, a.data, &e);
    } else if (s == ORR_OK) {
        s = orr_npy_write(argv[2], a.type, a.ndim, a.shape, 0, a.data, &e);
    }
    if (s != ORR_OK)
        fprintf(stderr, "%s\n", e.message);
    orr_npy_free(&a);
    return s != ORR_OK;
}
