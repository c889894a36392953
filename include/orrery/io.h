/* Matrix files: NumPy .npy and .npz, text (.txt, .csv), Matrix Market .mtx (.mtx.gz), edge lists
 * and .npz of scipy.sparse.
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

/* What was wrong with a file; line and offset -1 and message "" after ORR_OK and ORR_E_ARG.
 * Every function takes NULL for it. Control characters of names and contents are escaped, so
 * the message may go to a terminal. */
typedef struct {
    int64_t line;      /* 1-based line of a text file, or -1 */
    int64_t offset;    /* byte offset in a binary file, or -1 */
    char message[256]; /* "graph.mtx:17: column index 12 is larger than 10" */
} orr_io_error;

/* ---- NumPy arrays ------------------------------------------------------------------ */

#define ORR_NPY_MAXDIM 4

/* An array in memory, always C-contiguous in the order of `shape` after reading (Fortran
 * order in the file is transposed while reading), native byte order. */
typedef struct {
    orr_type type;
    int ndim;
    int64_t shape[ORR_NPY_MAXDIM];
    void *data; /* malloc'ed; orr_npy_free */
} orr_npy;

/* dtypes f2 f4 f8 c8 c16, little or big endian; versions 1 to 3; integers i1..i8, u1..u8
 * and bool are read as double (beyond 2^53: an error). NaN and infinity are kept. The file
 * must hold this one array and nothing else. "-" is stdin.
 *
 * max_bytes bounds the array in memory; 0: no limit but the file's own size. Changing
 * Fortran order takes as much again for a while. After an error *a is empty.
 * ORR_E_FILE: not a file of this form; ORR_E_NOMEM: larger than max_bytes or than memory. */
ORR_API orr_status orr_npy_read(const char *path, int64_t max_bytes, orr_npy *, orr_io_error *);
/* The same from an open stream (stdin), one array; what follows is left for the next call.
 * At the end of the stream *eof := 1, the array is empty and the status ORR_OK. Of a pipe
 * the size is not known: memory is asked for as data arrive, not as the header claims.
 * Offsets in errors count from the beginning of the file, in a pipe of the array. */
ORR_API orr_status orr_npy_read_stream(void *FILE_ptr, const char *name, int64_t max_bytes,
                                       orr_npy *, int *eof, orr_io_error *);
/* Writes to a temporary name beside path (PATH.orr-tmp-...) and renames it when complete:
 * the file is either the old one or the whole new one, and a new one keeps the permissions
 * of the old. A symbolic link is followed, also to a file that is yet to be made; pipes and devices
 * are written directly. A file that may not be written is not replaced: ORR_E_FILE.
 * fortran 1: data is in Fortran order (first index fastest) and the file says so. path "-"
 * is stdout. ORR_E_ARG: negative or too large shape, no data. */
ORR_API orr_status orr_npy_write(const char *path, orr_type, int ndim, const int64_t *shape,
                                 int fortran, const void *data, orr_io_error *);
ORR_API void orr_npy_free(orr_npy *);

/* An array of a .npz archive as numpy.savez and savez_compressed write it: `member`, with or
 * without .npy, or NULL if it holds one only. The archive must be a file, not a pipe. */
ORR_API orr_status orr_npz_array(const char *path, const char *member, int64_t max_bytes, orr_npy *,
                                 orr_io_error *);
ORR_API int orr_npz_arrays(const char *path); /* how many it holds; -1: not readable */
/* What of a path names an array of an archive: x of a.npz:x, the empty end of a.npz; NULL: nothing, it is no
 * archive. x may have colons, too: the archive's name ends at the first .npz: before which there is a
 * file or, if there is none, at the last. */
ORR_API const char *orr_npz_member(const char *path);
/* 1: the archive is a matrix of scipy.sparse, for orr_npz_read. */
ORR_API int orr_npz_is_sparse(const char *path);

/* What a file would be read as, by its header alone: .npy, the one array of a dense .npz or
 * the array x of a.npz:x, .mtx and .mtx.gz. Text has none: all of it is read, and nothing kept. */
typedef struct {
    orr_type type;
    int ndim;
    int64_t shape[ORR_NPY_MAXDIM];
    int64_t entries; /* of a sparse matrix, as they stand in the file; -1: dense */
} orr_shape;
ORR_API orr_status orr_shape_read(const char *path, orr_shape *, orr_io_error *);

/* ---- Text ---------------------------------------------------------------------------- */

/* A matrix as text, a row per line, as numpy.savetxt writes it: numbers separated by blanks or one
 * comma, # or % before comments, plain or gzip; "-" is stdin. Two dimensions, also of one row or
 * column; type ORR_D, or ORR_Z if a number is complex: (1+2j), 1+2j or 2j. NaN and infinity are
 * kept. Errors tell line and column, both from 1. max_bytes as above; what is not known beforehand
 * grows with the numbers read. */
ORR_API orr_status orr_table_read(const char *path, int64_t max_bytes, orr_npy *, orr_io_error *);
/* The same from an open stream, to its end. */
ORR_API orr_status orr_table_read_stream(void *FILE_ptr, const char *name, int64_t max_bytes,
                                         orr_npy *, orr_io_error *);

/* The suffix of path decides: .txt (blanks between numbers), .csv (commas), in any case of the
 * letters; otherwise, and for "-", it is a .npy file. Each number has as few digits as give it
 * back. More than two dimensions: the last two, one matrix after the other, in .txt with a comment
 * "# [k]" before each. Otherwise as orr_npy_write; ORR_E_ARG also for text of ORR_H. */
ORR_API orr_status orr_array_write(const char *path, orr_type, int ndim, const int64_t *shape,
                                   int fortran, const void *data, orr_io_error *);

/* x in as few digits as give it back, whatever the locale: at most 17, of ORR_S 9. */
enum { ORR_NUMBER_TEXT = 32 };
ORR_API const char *orr_number_text(char out[ORR_NUMBER_TEXT], orr_type real, double x);

/* ---- Matrix Market ------------------------------------------------------------------- */

typedef enum {
    ORR_MTX_GENERAL,
    ORR_MTX_SYMMETRIC,
    ORR_MTX_SKEW,
    ORR_MTX_HERMITIAN
} orr_mtx_symmetry;
typedef enum { ORR_MTX_REAL, ORR_MTX_INTEGER, ORR_MTX_COMPLEX, ORR_MTX_PATTERN } orr_mtx_field;

/* Coordinates as they stand in the file (0-based here; symmetric files keep their one
 * triangle). Duplicates are kept. An `array` file gives all its entries, column by column.
 *
 * The standard stores the lower triangle of a symmetric matrix. Entries above the diagonal
 * are accepted and kept where they stand: (i,j) and (j,i) in one file are two entries of
 * the same pair, to be treated like duplicates. All values are finite. */
typedef struct {
    int64_t rows, cols, entries;
    orr_mtx_symmetry symmetry;
    orr_mtx_field field;
    int64_t *row, *col; /* [entries] */
    double *val;        /* [entries], 2*entries if complex (re, im), NULL if pattern */
} orr_mtx;

/* Plain or compressed with gzip, told by content; "-" is stdin. Parsed by as many threads as
 * OpenMP offers; neither result nor error depends on their number. progress may be NULL; it
 * is called from the calling thread with bytes read (of a compressed file: of that) and
 * total (-1: not known). max_bytes bounds the arrays in memory (16 bytes per entry, and 8
 * per number); 0: no limit but what the file's size vouches for. After an error *m is empty.
 * ORR_E_FILE, ORR_E_NOMEM as above. The sizes may be anything up to 2^63 whatever the
 * number of entries: check them before making a dense matrix. */
ORR_API orr_status orr_mtx_read(const char *path, int64_t max_bytes,
                                void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *,
                                orr_io_error *);
ORR_API void orr_mtx_free(orr_mtx *);

/* ---- Graphs and sparse matrices of other programs ------------------------------------------ */

/* An edge list: lines "from to [weight]", node numbers from 0 and kept (gaps are nodes without
 * links), # or % before comments; plain or gzip; "-" is stdin. A general matrix with entry
 * (from, to); a pattern if no edge has a weight, else a missing weight is 1. Parallel and
 * checked like orr_mtx_read; max_bytes bounds 24 bytes per edge. */
ORR_API orr_status orr_edges_read(const char *path, int64_t max_bytes,
                                  void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *,
                                  orr_io_error *);
/* What scipy.sparse.save_npz writes of formats csr, csc and coo, compressed or not; values f4 f8
 * c8 c16, integers or bool. max_bytes bounds each array. Errors name array and index. */
ORR_API orr_status orr_npz_read(const char *path, int64_t max_bytes, orr_mtx *, orr_io_error *);

#ifdef __cplusplus
}
#endif
#endif
