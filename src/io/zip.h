/* Members of a zip archive, one at a time, as byte sources.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_IO_ZIP_H
#define ORR_IO_ZIP_H

#include <zlib.h>

#include "src/io/internal.h"

enum { ORR_ZIP_MEMBERS = 128, ORR_ZIP_NAME = 128 };

typedef struct {
    char name[ORR_ZIP_NAME];
    int method; /* 0 stored, 8 deflated */
    uint32_t crc;
    int64_t packed, size, header; /* bytes in the file and unpacked; where its header stands */
} orr_zip_member;

typedef struct {
    const char *path;
    int fd, members;
    int64_t size;
    orr_zip_member member[ORR_ZIP_MEMBERS];
} orr_zip;

/* Reads the directory (with the extension for large files). Refused: archives in several
 * parts, encrypted members, methods other than stored and deflated, more than 128 members,
 * sizes that the file cannot hold, two members of one name. */
orr_status orr_zip_open(orr_zip *, const char *path, orr_io_error *);
void orr_zip_close(orr_zip *);
const orr_zip_member *orr_zip_find(const orr_zip *, const char *name); /* or NULL */
int orr_zip_is_array(const orr_zip_member *);                          /* NAME.npy */
/* The array of that name, with its suffix or without; or NULL. */
const orr_zip_member *orr_zip_array(const orr_zip *, const char *name);

typedef struct {
    orr_input input; /* first: read() is given this */
    const orr_zip_member *member;
    int fd;
    int64_t at, end; /* packed bytes not yet read */
    uint32_t crc;
    int damaged, inflating;
    z_stream z;
    char name[256];
    unsigned char raw[1 << 14];
} orr_zip_stream;

orr_status orr_zip_stream_open(orr_zip_stream *, const orr_zip *, const orr_zip_member *,
                               orr_io_error *);
/* What reading made of it (s), or that the member is damaged. */
orr_status orr_zip_stream_close(orr_zip_stream *, orr_status s, orr_io_error *);

#endif
