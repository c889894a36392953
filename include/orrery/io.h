/* Matrix files: NumPy .npy and Matrix Market .mtx (.mtx.gz).
 *
 * Readers trust nothing: every size is checked against the size of the file before memory
 * is asked for, every index and number is checked, and what is wrong is told with the line
 * or byte where it stands. They never execute or unpickle anything.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_IO_H
#define ORR_IO_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was wrong with a file; valid when a function of this header returned not ORR_OK. */
typedef struct {
    int64_t line;         /* 1-based line of a text file, or -1 */
    int64_t offset;       /* byte offset in a binary file, or -1 */
    char    message[256]; /* "graph.mtx:17: column index 12 is larger than 10" */
} orr_io_error;

/* ---- NumPy arrays ------------------------------------------------------------------ */

#define ORR_NPY_MAXDIM 4

/* An array in memory, always C-contiguous in the order of `shape` after reading (Fortran
 * order in the file is transposed while reading), native byte order. */
typedef struct {
    orr_type type;
    int      ndim;
    int64_t  shape[ORR_NPY_MAXDIM];
    void    *data;        /* malloc'ed; orr_npy_free */
} orr_npy;

/* dtypes f2 f4 f8 c8 c16, little or big endian; versions 1 to 3; integers i1..i8, u1..u8
 * and bool are read as double. max_bytes 0: no limit but the file's own size. ORR_E_FILE,
 * ORR_E_NOMEM. */
ORR_API orr_status orr_npy_read(const char *path, int64_t max_bytes, orr_npy *, orr_io_error *);
/* The same from an open stream (stdin), one array; *eof := 1 if the stream ended before it. */
ORR_API orr_status orr_npy_read_stream(void *FILE_ptr, const char *name, int64_t max_bytes,
                                       orr_npy *, int *eof, orr_io_error *);
/* Writes to a temporary name beside path and renames it when complete: the file is either
 * the old one or the whole new one. fortran 1: data is in Fortran order (first index
 * fastest) and the file says so. path "-" is stdout. */
ORR_API orr_status orr_npy_write(const char *path, orr_type, int ndim, const int64_t *shape,
                                 int fortran, const void *data, orr_io_error *);
ORR_API void orr_npy_free(orr_npy *);

/* ---- Matrix Market ------------------------------------------------------------------- */

typedef enum { ORR_MTX_GENERAL, ORR_MTX_SYMMETRIC, ORR_MTX_SKEW, ORR_MTX_HERMITIAN } orr_mtx_symmetry;
typedef enum { ORR_MTX_REAL, ORR_MTX_INTEGER, ORR_MTX_COMPLEX, ORR_MTX_PATTERN } orr_mtx_field;

/* Coordinates as they stand in the file (0-based here; symmetric files keep their one
 * triangle). Duplicates are kept. An `array` file gives all its entries. */
typedef struct {
    int64_t          rows, cols, entries;
    orr_mtx_symmetry symmetry;
    orr_mtx_field    field;
    int64_t         *row, *col; /* [entries] */
    double          *val;       /* [entries], 2*entries if complex (re, im), NULL if pattern */
} orr_mtx;

/* progress may be NULL; it is called with bytes read and total (-1: not known). */
ORR_API orr_status orr_mtx_read(const char *path, int64_t max_bytes,
                                void (*progress)(int64_t, int64_t, void *), void *arg,
                                orr_mtx *, orr_io_error *);
ORR_API void orr_mtx_free(orr_mtx *);

#ifdef __cplusplus
}
#endif
#endif
