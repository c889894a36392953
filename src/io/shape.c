/* Shapes without numbers: as much of a file as says how large the matrix is. Of text that is all of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "src/io/internal.h"
#include "src/io/zip.h"

static int ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n >= m && !strcasecmp(path + n - m, suffix);
}

static orr_status fail(const char *path, orr_io_error *err, const char *what)
{
    return orr_io_fail(err, ORR_E_FILE, path, -1, -1, "%s", what);
}

/* ---- Archives --------------------------------------------------------------------------------- */

static orr_status header_of(const orr_zip *z, const orr_zip_member *m, orr_shape *s,
                            orr_io_error *err)
{
    orr_zip_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return ORR_E_NOMEM;
    orr_status st = orr_zip_stream_open(stream, z, m, err);
    if (st == ORR_OK) {
        st = orr_npy_shape(&stream->input, s, err);
        orr_zip_stream_close(stream, ORR_OK, NULL); /* its end was not read */
    }
    free(stream);
    return st;
}

/* scipy.sparse: the shape is an array of its own. */
static orr_status read_sparse(const orr_zip *z, orr_shape *s, orr_io_error *err)
{
    orr_npy sizes = {0};
    orr_shape data;
    orr_zip_stream *stream = calloc(1, sizeof *stream);
    orr_status st =
        stream ? orr_zip_stream_open(stream, z, orr_zip_find(z, "shape.npy"), err) : ORR_E_NOMEM;
    if (st == ORR_OK)
        st = orr_zip_stream_close(stream, orr_npy_from(&stream->input, 4096, &sizes, err), err);
    free(stream);
    if (st == ORR_OK)
        st = header_of(z, orr_zip_find(z, "data.npy"), &data, err);
    if (st == ORR_OK && (sizes.type != ORR_D || sizes.ndim != 1 || sizes.shape[0] != 2))
        st = fail(z->path, err, "shape.npy is not two sizes");
    if (st == ORR_OK)
        *s = (orr_shape){
            .type = data.type,
            .ndim = 2,
            .shape = {(int64_t)((double *)sizes.data)[0], (int64_t)((double *)sizes.data)[1]},
            .entries = data.shape[0]};
    orr_npy_free(&sizes);
    return st;
}

/* NULL: there is none, or several. Other members count for nothing. */
static const orr_zip_member *only_array(const orr_zip *z)
{
    const orr_zip_member *one = NULL;
    int arrays = 0;
    for (int k = 0; k < z->members; k++)
        if (orr_zip_is_array(&z->member[k]) && ++arrays)
            one = &z->member[k];
    return arrays == 1 ? one : NULL;
}

/* name "": there is one array only. */
static orr_status read_archive(const char *path, const char *name, orr_shape *s, orr_io_error *err)
{
    orr_zip z;
    const orr_zip_member *one;
    orr_status st = orr_zip_open(&z, path, err);
    if (st != ORR_OK)
        return st;
    if (*name)
        st = (one = orr_zip_array(&z, name)) ? header_of(&z, one, s, err)
                                             : fail(path, err, "the archive has no such array");
    else if (orr_zip_find(&z, "shape.npy") && orr_zip_find(&z, "data.npy"))
        st = read_sparse(&z, s, err);
    else if ((one = only_array(&z)))
        st = header_of(&z, one, s, err);
    else
        st = fail(path, err, "the archive does not hold exactly one array");
    orr_zip_close(&z);
    return st;
}

/* Is there something that is no directory, of the first n letters as its name? */
static int is_file(const char *path, size_t n)
{
    struct stat st;
    char *name = strndup(path, n);
    const int is = name && stat(name, &st) == 0 && !S_ISDIR(st.st_mode);
    free(name);
    return is;
}

const char *orr_npz_member(const char *path)
{
    const size_t n = path ? strlen(path) : 0;
    const char *last = NULL;
    if (n && ends_in(path, ".npz") && is_file(path, n))
        return path + n;
    for (const char *colon = n ? strchr(path, ':') : NULL; colon; colon = strchr(colon + 1, ':')) {
        if (colon - path < 4 || strncasecmp(colon - 4, ".npz", 4))
            continue;
        if (is_file(path, (size_t)(colon - path)))
            return colon + 1;
        last = colon + 1;
    }
    return n && ends_in(path, ".npz") ? path + n : last;
}

/* ---- Any file --------------------------------------------------------------------------------- */

orr_status orr_shape_read(const char *path, orr_shape *s, orr_io_error *err)
{
    orr_input in;
    orr_io_clear(err);
    if (!path || !s)
        return ORR_E_ARG;
    *s = (orr_shape){0};
    if (!strcmp(path, "-"))
        return fail(path, err, "standard input can only be read once; name a file");
    const char *member = orr_npz_member(path);
    if (member) {
        char *archive = strndup(path, (size_t)(member - path) - (*member != 0));
        const orr_status found = archive ? read_archive(archive, member, s, err) : ORR_E_NOMEM;
        free(archive);
        return found;
    }
    orr_status st = orr_input_open(&in, path, err);
    if (st == ORR_OK && (ends_in(path, ".mtx") || ends_in(path, ".mtx.gz")))
        st = orr_mtx_shape(&in, s, err);
    else if (st == ORR_OK && (ends_in(path, ".txt") || ends_in(path, ".csv") ||
                              ends_in(path, ".txt.gz") || ends_in(path, ".csv.gz")))
        st = orr_table_shape(&in, s, err);
    else if (st == ORR_OK)
        st = orr_npy_shape(&in, s, err);
    orr_input_close(&in);
    return st;
}
