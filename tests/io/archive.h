/* Archives of arrays, .npz, made byte by byte, so that any of them may be wrong.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_IO_ARCHIVE_H
#define ORR_TESTS_IO_ARCHIVE_H

#include "tests/io/check.h"

enum { ROOM = 1 << 13 };

struct archive {
    unsigned char data[ROOM], directory[ROOM];
    size_t n, bytes;
    int members;
};

void little(unsigned char *, uint64_t, int bytes);
/* A member; large: sizes in an extra field, behind another one, here and in the directory. */
void add(struct archive *, const char *name, const void *data, size_t n, int deflated, int large);
/* The same of a .npy file; shape: "2, 3". */
void add_array(struct archive *, const char *name, const char *type, const char *shape,
               const void *data, size_t n, int deflated);
/* Writes it to a temporary file of this name, which is returned. */
const char *finished(struct archive *, const char *name);

/* The 3 x 4 matrix [0 1.5 0 0; 0 0 0 0; -2 0 0 4] in some format. */
struct parts {
    const char *format, *string, *type;
    int32_t major[4]; /* indptr, or 3 rows */
    int32_t minor[3];
    int64_t shape[2];
    double data[3];
    int majors, minors, datas;
};
static const struct parts csr = {"csr", "|S3", "<f8", {0, 1, 1, 3}, {1, 0, 3}, {3, 4}, {1.5, -2, 4},
                                 4,     3,     3};
const char *write_parts(struct archive *, const struct parts *, int deflated);
int same_matrix(const orr_mtx *);

#endif
