/* One run of a trace, made ready to be drawn.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TRACE_RUN_H
#define ORR_TRACE_RUN_H

#include <stdio.h>

#include "src/trace/trace_write.h"

/* Data that a task found on another memory node. Not measured: where the data were follows from the
 * accesses of all tasks of the run before it, which begins with everything in main memory. */
struct orr_trace_move {
    int from, to; /* memory nodes */
    double begin, end;
    size_t bytes;
};

/* What the rows of a picture are. */
enum orr_trace_rows { ORR_ROWS_MATRIX_ROWS, ORR_ROWS_TAGS, ORR_ROWS_DATA };

struct orr_trace_run {
    int number;
    struct orr_trace_record *r; /* in the order of their submission */
    size_t n;
    double begin, end;       /* us: the first submission, the last end */
    unsigned char *critical; /* [n] 1: on the longest chain, with the times of this run */
    int64_t *data; /* [n] the first data it writes, numbered from 0 by first use; -1: none */
    struct orr_trace_move *move;
    size_t moves;
    orr_analysis bounds;
    enum orr_trace_rows rows; /* what most tasks have */
};

/* The bounds, to be drawn as lines, in the order of their times: a line that another makes needless
 * (the LP of one kind of worker) is left out. How many there are. */
enum { ORR_TRACE_LINES = 3 };
struct orr_trace_line {
    const char *name;
    double us;
};
int orr_trace_lines(const struct orr_trace_run *, struct orr_trace_line[ORR_TRACE_LINES]);

/* 0: out of memory. `number` of the run. */
int orr_trace_run_make(struct orr_trace_run *, const struct orr_trace_view *, int number);
void orr_trace_run_free(struct orr_trace_run *);
/* The run that was analysed last, or the last one. */
int orr_trace_run_shown(const struct orr_trace *);

/* "CPU 0": the worker's name, without the device's in brackets. */
void orr_trace_worker(int worker, char *out, size_t room);
void orr_trace_node(int node, char *out, size_t room);
/* The command line of this process, its directory left out. */
void orr_trace_command(char *out, size_t room);
/* "on HOST, 2 CPU workers, policy lws, StarPU 1.3.10" */
void orr_trace_machine(const struct orr_trace_view *, char *out, size_t room);
/* In four digits, or all that are before the point: people read no exponents. */
enum { ORR_TRACE_DIGITS = 40 };
const char *orr_trace_digits(char out[ORR_TRACE_DIGITS], double x);
/* "15 tasks in 3.2 ms, 1.3 times the bound" */
void orr_trace_verdict(const struct orr_trace_run *, char *out, size_t room);

#endif
