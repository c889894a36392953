/* The parts of the Matrix Market reader: lines out of a source (mtx_lines.c, mtx_source.c), the entries of
 * a block of lines (mtx_entries.c), and the reader around them (mtx.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_IO_MTX_H
#define ORR_IO_MTX_H

#include <string.h>

#include "src/io/internal.h"

/* A line that is no comment is not longer than this, so a block always holds whole lines. */
#define ORR_MTX_LINE_MAX 65536

/* ---- lines ---- */

typedef struct {
    orr_text *text;
    char *buffer; /* [capacity + 1]: room for a newline at the end */
    size_t capacity;
    size_t begin, end; /* text not yet taken */
    int64_t line;      /* number of the line at begin */
    int64_t taken;     /* bytes of text before begin */
    int64_t limit;     /* more bytes of text than this are an error */
    int eof;           /* the source has ended, and the text with a newline */
    const char *name;
} orr_lines;

orr_status orr_lines_open(orr_lines *, orr_text *, const char *name, size_t capacity,
                          orr_io_error *);
void orr_lines_close(orr_lines *);
/* Fills the buffer and gives all whole lines of it: [*first, *last), ending in a newline;
 * empty at the end of the text. A comment too long for the buffer is left out. */
orr_status orr_lines_block(orr_lines *, const char **first, const char **last, orr_io_error *);
/* Takes what stands before `to`, which held so many lines. */
void orr_lines_take(orr_lines *, const char *to, int64_t lines);
/* The next line, without its end; *line NULL at the end of the text. */
orr_status orr_lines_next(orr_lines *, const char **line, size_t *n, orr_io_error *);

/* The first byte that is not a blank. */
static inline const char *orr_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* p: the first byte of a line that is not a blank. 1: the line holds an entry. */
static inline int orr_line_counts(const char *p)
{
    return *p != '%' && *p != '\n' && !(*p == '\r' && p[1] == '\n');
}

/* ---- entries ---- */

typedef struct {
    int coordinate; /* 1: "i j value", 0: values in column order */
    orr_mtx_symmetry symmetry;
    orr_mtx_field field;
    int64_t rows, cols, entries;
    locale_t c; /* the locale "C" */
    const char *name;
} orr_mtx_layout;

enum { ORR_MTX_CHUNKS = 64 };

typedef struct {
    const char *begin, *end;
    int64_t lines, found; /* lines, and those that hold an entry */
    int64_t line, first;  /* numbers of its first line and entry */
    int fault;            /* what was wrong first, where, and in which line */
    const char *at;
    int64_t fault_line;
} orr_mtx_chunk;

typedef struct {
    int n;
    int64_t lines, found;
    orr_mtx_chunk chunk[ORR_MTX_CHUNKS];
} orr_mtx_block;

/* Cuts the whole lines [p, last) into at most `threads` chunks and counts. The first line
 * has the number `line`, the first entry the number `first`. Lines that begin with `comment`
 * (or with %) hold no entry. */
void orr_mtx_cut(orr_mtx_block *, const char *p, const char *last, int64_t line, int64_t first,
                 int threads, char comment);
/* Parses them into m, whose arrays must hold the entries before first + found or all that
 * the header announces, whichever is less. */
orr_status orr_mtx_entries(const orr_mtx_layout *, orr_mtx_block *, orr_mtx *m, orr_io_error *);

/* ---- a source of lines, for the readers of .mtx files and of lists of edges ---- */

typedef struct {
    orr_input *in;
    orr_lines lines;
    locale_t c; /* the locale "C" */
    int threads;
    int64_t max_bytes;
    void (*progress)(int64_t done, int64_t size, void *arg);
    void *arg;
    orr_mtx *m;
    orr_io_error *err;
} orr_mtx_source;

/* Fills m. */
typedef orr_status orr_mtx_reader(orr_mtx_source *);
/* Has `read` read a file, or memory by blocks of so many bytes (0: a choice); threads 0: a choice, too. m
 * is empty if that fails. */
orr_status orr_mtx_from_file(orr_mtx_reader *read, const char *path, int64_t max_bytes,
                             void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *m,
                             orr_io_error *);
orr_status orr_mtx_from_memory(orr_mtx_reader *read, const void *data, size_t n, const char *name,
                               int64_t max_bytes, int threads, size_t block, orr_mtx *m,
                               orr_io_error *);
/* The next block, as orr_mtx_cut makes it; *last is where it ends, or NULL: there are no more lines. */
orr_status orr_mtx_next(orr_mtx_source *, int64_t first, char comment, orr_mtx_block *,
                        const char **last);

#endif
