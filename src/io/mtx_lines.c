/* Blocks of whole lines from a source of text. Memory is one buffer, whatever the file
 * holds: a partial line at its end moves to the front before the next read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/io/mtx.h"

orr_status orr_lines_open(orr_lines *r, orr_text *text, const char *name, size_t capacity,
                          orr_io_error *err)
{
    *r = (orr_lines){
        .text = text, .capacity = capacity, .line = 1, .limit = INT64_MAX, .name = name};
    r->buffer = malloc(capacity + 1);
    if (!r->buffer)
        return orr_io_fail(err, ORR_E_NOMEM, name, -1, -1, "out of memory");
    return ORR_OK;
}

void orr_lines_close(orr_lines *r)
{
    free(r->buffer);
    r->buffer = NULL;
}

/* Moves what is left to the front and reads until the buffer is full or the text ends. */
static orr_status fill(orr_lines *r, orr_io_error *err)
{
    memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    while (!r->eof && r->end < r->capacity) {
        size_t got;
        orr_status s = orr_text_read(r->text, r->buffer + r->end, r->capacity - r->end, &got, err);
        if (s != ORR_OK)
            return s;
        r->end += got;
        if (r->taken > r->limit - (int64_t)r->end)
            return orr_io_fail(err, ORR_E_FILE, r->name, r->line, -1,
                               "the text goes on beyond %lld bytes: too many comments or blanks",
                               (long long)r->limit);
        if (got == 0) {
            r->eof = 1;
            if (r->end > 0 && r->buffer[r->end - 1] != '\n')
                r->buffer[r->end++] = '\n';
        }
    }
    return ORR_OK;
}

/* The newline that ends the last whole line, or NULL. */
static const char *last_newline(const orr_lines *r)
{
    for (size_t i = r->end; i > r->begin; i--)
        if (r->buffer[i - 1] == '\n')
            return r->buffer + i - 1;
    return NULL;
}

static orr_status too_long(const orr_lines *r, orr_io_error *err)
{
    return orr_io_fail(err, ORR_E_FILE, r->name, r->line, -1, "the line is longer than %d bytes",
                       ORR_MTX_LINE_MAX);
}

/* The buffer holds the beginning of one line: makes room, or drops it if a comment. */
static orr_status long_line(orr_lines *r, int *comment, orr_io_error *err)
{
    size_t n = 0;
    while (n < r->end && (r->buffer[n] == ' ' || r->buffer[n] == '\t'))
        n++;
    int may = r->line > 1; /* the first line is the header, though it begins like one */
    if (*comment || (may && n < r->end && n <= ORR_MTX_LINE_MAX && r->buffer[n] == '%')) {
        *comment = 1;
        r->taken += (int64_t)r->end;
        r->begin = r->end = 0;
        return ORR_OK;
    }
    if (r->end > ORR_MTX_LINE_MAX)
        return too_long(r, err);
    size_t more = r->capacity * 2 + 64;
    char *bigger = realloc(r->buffer, more + 1);
    if (!bigger)
        return orr_io_fail(err, ORR_E_NOMEM, r->name, -1, -1, "out of memory");
    r->buffer = bigger;
    r->capacity = more;
    return ORR_OK;
}

orr_status orr_lines_block(orr_lines *r, const char **first, const char **last, orr_io_error *err)
{
    int comment = 0; /* 1: inside a comment whose beginning is gone */
    *first = *last = r->buffer;
    for (;;) {
        orr_status s = fill(r, err);
        if (s != ORR_OK)
            return s;
        const char *newline = last_newline(r);
        if (newline && comment) {
            const char *end = memchr(r->buffer, '\n', r->end);
            orr_lines_take(r, end + 1, 1);
            comment = 0;
            continue;
        }
        if (newline || r->begin == r->end) {
            r->line += comment; /* it was the last line, and without an end */
            *first = r->buffer + r->begin;
            *last = newline ? newline + 1 : *first;
            return ORR_OK;
        }
        s = long_line(r, &comment, err);
        if (s != ORR_OK)
            return s;
    }
}

void orr_lines_take(orr_lines *r, const char *to, int64_t lines)
{
    size_t at = (size_t)(to - r->buffer);
    r->taken += (int64_t)(at - r->begin);
    r->begin = at;
    r->line += lines;
}

orr_status orr_lines_next(orr_lines *r, const char **line, size_t *n, orr_io_error *err)
{
    const char *first = r->buffer + r->begin;
    const char *newline = memchr(first, '\n', r->end - r->begin);
    *line = NULL;
    *n = 0;
    if (!newline) {
        const char *last;
        orr_status s = orr_lines_block(r, &first, &last, err);
        if (s != ORR_OK || first == last)
            return s;
        newline = memchr(first, '\n', (size_t)(last - first));
    }
    *n = (size_t)(newline - first);
    const char *word = orr_skip_blanks(first);
    if (*n > ORR_MTX_LINE_MAX && (r->line == 1 || *word != '%' || word - first > ORR_MTX_LINE_MAX))
        return too_long(r, err);
    *line = first;
    orr_lines_take(r, newline + 1, 1);
    return ORR_OK;
}
