/* One run, made ready to be drawn, and what all pictures share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_PICTURE_RUN_H
#define ORR_PICTURE_RUN_H

#include <stdio.h>

#include "src/picture/picture.h"

/* Data that a task found on another memory node. Not measured: where the data were follows from the
 * accesses of all tasks of the run before it, which begins with everything in main memory. */
struct orr_picture_move {
    int from, to; /* memory nodes */
    double begin, end;
    size_t bytes;
};

/* What the rows of a picture are. */
enum orr_picture_rows { ORR_ROWS_MATRIX_ROWS, ORR_ROWS_TAGS, ORR_ROWS_DATA };

struct orr_picture_run {
    int number;
    struct orr_trace_record *r; /* in the order of their submission */
    size_t n;
    double begin, end;       /* us: the first submission, the last end */
    unsigned char *critical; /* [n] 1: on the longest chain, with the times of this run */
    int64_t *data; /* [n] the first data it writes, numbered from 0 by first use; -1: none */
    struct orr_picture_move *move;
    size_t moves;
    orr_analysis bounds;
    enum orr_picture_rows rows; /* what most tasks have */
};

/* The bounds, to be drawn as lines, in the order of their times: a line that another makes needless
 * (the LP of one kind of worker) is left out. How many there are. */
enum { ORR_PICTURE_LINES = 3 };
struct orr_picture_line {
    const char *name;
    double us;
};
int orr_picture_lines(const struct orr_picture_run *, struct orr_picture_line[ORR_PICTURE_LINES]);

/* 0: out of memory. `number` of the run. */
int orr_picture_run_make(struct orr_picture_run *, const struct orr_picture *, int number);
void orr_picture_run_free(struct orr_picture_run *);

/* "CPU 0": a name without what stands in brackets. */
enum { ORR_PICTURE_NAME = 64 };
const char *orr_picture_plain(char out[ORR_PICTURE_NAME], const char *name);
/* In four digits, or all that are before the point: people read no exponents. */
enum { ORR_PICTURE_DIGITS = 40 };
const char *orr_picture_digits(char out[ORR_PICTURE_DIGITS], double x);
/* "15 tasks in 3.2 ms, 1.3 times the bound" */
void orr_picture_verdict(const struct orr_picture_run *, char *out, size_t room);

extern const char *const orr_picture_palette[ORR_PICTURE_COLOURS];
int orr_picture_name(struct orr_picture_names *, const char *name);
static inline int orr_picture_colour(int name)
{
    return name < ORR_PICTURE_COLOURS ? name : ORR_PICTURE_COLOURS - 1;
}

/* In JSON, also within <script>: neither quotes nor the end of the element come through. Bytes that are not UTF-8 become
 * U+FFFD. */
void orr_picture_string(FILE *, const char *);

/* picture_page.c: lines, NULL at the end. */
extern const char *const orr_picture_page[];
extern const char *const orr_picture_script[];

#endif
