/* NumPy arrays to files. SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/io/internal.h"

enum { HEADER = 256, ALIGN = 64 };

/* Magic, version 1.0 and dictionary, padded to a multiple of 64; at most 4 dimensions of
 * 19 digits always fit. Returns its length. */
static size_t make_header(char *out, orr_type type, int ndim, const int64_t *shape, int fortran)
{
    static const char *const names[] = {
        [ORR_S] = "f4", [ORR_D] = "f8", [ORR_C] = "c8", [ORR_Z] = "c16", [ORR_H] = "f2"};
    char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
    size_t n = 10;
    n += (size_t)snprintf(out + n, HEADER - n, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                          order, names[type], fortran ? "True" : "False");
    for (int k = 0; k < ndim; k++)
        n += (size_t)snprintf(out + n, HEADER - n, "%s%" PRId64 "%s", k ? " " : "", shape[k],
                              k < ndim - 1 || ndim == 1 ? "," : "");
    n += (size_t)snprintf(out + n, HEADER - n, "), }");
    size_t length = (n + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out + n, ' ', length - n - 1);
    out[length - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((length - 10) & 0xff);
    out[9] = (char)((length - 10) >> 8);
    return length;
}

orr_status orr_io_cannot(orr_io_error *err, const char *name, const char *what, int error)
{
    char why[96];
    return orr_io_fail(err, error == ENOMEM ? ORR_E_NOMEM : ORR_E_FILE,
                       strcmp(name, "-") ? name : "standard output", -1, -1, "cannot %s: %s", what,
                       orr_io_strerror(why, sizeof why, error ? error : EIO));
}

orr_status orr_io_writable(const char *path, orr_type type, int ndim, const int64_t *shape,
                           const void *data, int64_t *count)
{
    if (!path || (int)type < 0 || type > ORR_H || ndim < 0 || ndim > ORR_NPY_MAXDIM ||
        (ndim > 0 && !shape))
        return ORR_E_ARG;
    *count = 1;
    for (int k = 0; k < ndim; k++)
        if (shape[k] < 0)
            return ORR_E_ARG;
    if (orr_io_product(ndim, shape, (int64_t)orr_io_type_size(type)) < 0)
        return ORR_E_ARG;
    for (int k = 0; k < ndim; k++)
        *count *= shape[k];
    return *count > 0 && !data ? ORR_E_ARG : ORR_OK;
}

orr_status orr_npy_write(const char *path, orr_type type, int ndim, const int64_t *shape,
                         int fortran, const void *data, orr_io_error *err)
{
    char header[HEADER + ALIGN];
    int64_t count;
    orr_io_clear(err);
    if (orr_io_writable(path, type, ndim, shape, data, &count) != ORR_OK)
        return ORR_E_ARG;
    const size_t bytes = (size_t)count * orr_io_type_size(type);
    const size_t n = make_header(header, type, ndim, shape, fortran);

    orr_output out;
    int error = orr_output_open(&out, path);
    if (!error) {
        errno = 0;
        if (fwrite(header, 1, n, out.file) != n ||
            (bytes && fwrite(data, 1, bytes, out.file) != bytes))
            error = errno ? errno : EIO;
        const int closed = orr_output_close(&out);
        error = error ? error : closed;
    }
    return error ? orr_io_cannot(err, path, out.doing, error) : ORR_OK;
}
