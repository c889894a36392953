/* The formats of orr_trace_write, and what they share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TRACE_WRITE_H
#define ORR_TRACE_WRITE_H

#include <stdio.h>

#include "orrery/trace.h"
#include "src/core/internal.h"

struct orr_trace_view {
    const struct orr_trace *trace;
    double t0;                /* the first submission; times are written from there */
    const orr_analysis *last; /* NULL: no run was analysed */
    const orr_context_info *info;
};

/* Codelets in order of appearance. The last name, and the last colour, serve all the others. */
enum { ORR_TRACE_NAMES = 32, ORR_TRACE_COLOURS = 8 };
struct orr_trace_names {
    const char *name[ORR_TRACE_NAMES];
    int count;
};
extern const char *const orr_trace_palette[ORR_TRACE_COLOURS];
int orr_trace_name(struct orr_trace_names *, const char *name);
static inline int orr_trace_colour(int name)
{
    return name < ORR_TRACE_COLOURS ? name : ORR_TRACE_COLOURS - 1;
}

/* trace_page.c: lines, NULL at the end. */
extern const char *const orr_trace_page[];
extern const char *const orr_trace_script[];

/* 0: out of memory. */
int orr_trace_write_svg(FILE *, const struct orr_trace_view *);
int orr_trace_write_html(FILE *, const struct orr_trace_view *);
int orr_trace_write_paje(FILE *, const struct orr_trace_view *);
int orr_trace_write_graph(FILE *, const struct orr_trace_view *);

#endif
