/* What the files of src/io share: errors that are safe to print, byte sources, numbers,
 * and the entry points in memory that tests and fuzzers use.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_IO_INTERNAL_H
#define ORR_IO_INTERNAL_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/io.h"
#include "src/io/output.h"

/* ---- errors (error.c) ---- */

void orr_io_clear(orr_io_error *);
/* A reader begins: no error yet, and zeros in `to`. 0: there is no `from` or no `to`, ORR_E_ARG. */
int orr_io_begin(const void *from, void *to, size_t size, orr_io_error *);

/* Fills the error (which may be NULL) with "name:line: text" or "name: byte offset: text"
 * and returns s. line, offset: -1 for none. Names and text from files are printed with
 * their control characters escaped: pass such text through orr_io_quote. */
orr_status orr_io_fail(orr_io_error *, orr_status s, const char *name, int64_t line, int64_t offset,
                       const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The n bytes of text as printable UTF-8 with \xNN for the rest, at most cap-1 bytes and
 * ending in "..." if cut. Returns out. */
char *orr_io_quote(char *out, size_t cap, const char *text, size_t n);

/* What to add to "is not a number": a hint if the text has characters that no number has, or "". */
const char *orr_io_not_ascii(const char *text);

/* In place of an errno: the file shrank or grew while it was read. */
enum { ORR_INPUT_CHANGED = -1 };
/* The text of an errno, into out. */
char *orr_io_strerror(char *out, size_t cap, int error);

/* ---- byte sources (input.c) ---- */

typedef struct orr_input orr_input;
struct orr_input {
    int64_t (*read)(orr_input *, void *, size_t); /* one read: bytes, 0 at the end, -1 */
    const char *name;                             /* for messages */
    int64_t size;                                 /* bytes in all, -1: not known */
    int64_t pos;                                  /* bytes before the next one read */
    int error;                                    /* errno after read returned -1 */
    int fd;
    void *file; /* FILE * */
    const unsigned char *memory;
};

/* "-" is stdin. Directories and block devices are refused. */
orr_status orr_input_open(orr_input *, const char *path, orr_io_error *);
void orr_input_stream(orr_input *, void *FILE_ptr, const char *name);
void orr_input_memory(orr_input *, const void *data, size_t n, const char *name);
void orr_input_close(orr_input *);
/* Reads until n bytes, the end, or an error; returns the bytes read. */
size_t orr_input_fill(orr_input *, void *, size_t n);

/* ---- text, perhaps compressed (text.c) ---- */

typedef struct orr_text orr_text;
orr_status orr_text_open(orr_text **, orr_input *, orr_io_error *);
void orr_text_close(orr_text *);
int orr_text_compressed(const orr_text *);
/* From now on a text that begins as Matrix Market files do is an error; before the first read. */
void orr_text_no_mtx(orr_text *);
/* If it is compressed, so many bytes of text more are an error: nothing that counts came in them. */
void orr_text_expect(orr_text *, int64_t bytes);
enum { ORR_TEXT_IDLE = 1 << 26 }; /* what readers allow from one number to the next */
/* Up to n bytes of text; *got 0 at the end only. */
orr_status orr_text_read(orr_text *, char *, size_t n, size_t *got, orr_io_error *);

/* ---- numbers (number.c) ---- */

typedef enum {
    ORR_NUMBER_OK,
    ORR_NUMBER_BAD,       /* not a number */
    ORR_NUMBER_NONFINITE, /* nan, inf */
    ORR_NUMBER_HUGE       /* larger than the largest double */
} orr_number_status;

/* A decimal number at *p, correctly rounded; *p is moved behind it. The text must be
 * ended by a character that is no part of a number. c is the locale "C". */
orr_number_status orr_number_parse(const char **p, double *value, locale_t c);

/* ---- readers on memory ---- */

orr_status orr_npy_parse(const void *data, size_t n, const char *name, int64_t max_bytes, orr_npy *,
                         orr_io_error *);

/* The header alone; of text every line, since nothing else tells the rows and the type. */
orr_status orr_npy_shape(orr_input *, orr_shape *, orr_io_error *);
orr_status orr_mtx_shape(orr_input *, orr_shape *, orr_io_error *);
orr_status orr_table_shape(orr_input *, orr_shape *, orr_io_error *);
/* One array from a source that holds nothing else. */
orr_status orr_npy_from(orr_input *, int64_t max_bytes, orr_npy *, orr_io_error *);

/* threads 0: as OpenMP says. block: bytes of text parsed at once, 0: chosen. The result
 * does not depend on either. */
orr_status orr_mtx_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                         int threads, size_t block, orr_mtx *, orr_io_error *);
orr_status orr_edges_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                           int threads, size_t block, orr_mtx *, orr_io_error *);
orr_status orr_table_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                           orr_npy *, orr_io_error *);

/* ---- .npy headers (npy_header.c) ---- */

typedef struct {
    char kind; /* f c i u b */
    int size;  /* bytes of one element in the file */
    int swap;  /* 1: the other byte order */
    int fortran;
    int ndim;
    int64_t shape[ORR_NPY_MAXDIM];
    int64_t count; /* elements */
} orr_npy_header;

/* The dictionary in text[0..n); base is its offset in the file. */
orr_status orr_npy_header_parse(const char *text, size_t n, int64_t base, const char *name,
                                orr_npy_header *, orr_io_error *);

/* Bytes of an element of every type, ORR_H too. */
size_t orr_io_type_size(orr_type);

/* What orr_npy_write and orr_table_write take: ORR_OK, or ORR_E_ARG. *count: elements. */
orr_status orr_io_writable(const char *path, orr_type, int ndim, const int64_t *shape,
                           const void *data, int64_t *count);
/* "name: cannot ...: why", ORR_E_FILE. error 0: not known. */
orr_status orr_io_cannot(orr_io_error *, const char *name, const char *what, int error);

/* The product of n dimensions and size, where zeros count as ones; -1 if it does not fit. */
int64_t orr_io_product(int n, const int64_t *shape, int64_t size);

#endif
