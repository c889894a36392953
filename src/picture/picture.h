/* Pictures of runs, in the formats of orr_trace_write and of `orrery graph draw`: what they are made of, and who
 * writes them. Of a run that has just ended src/trace fills it, of a graph in a file the command. Knows no StarPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_PICTURE_H
#define ORR_PICTURE_H

#include <stdio.h>

#include "codelets/core/record.h"
#include "orrery/trace.h"
#include "src/graph/bounds.h"

enum { ORR_PICTURE_WORDS = 4096 };

struct orr_picture_worker {
    char name[64]; /* pictures leave out what stands in brackets */
    int kind;      /* an orr_kind */
    int node;      /* its memory, from 0; -1: not known */
};

/* Codelets in order of appearance. The last name, and the last colour, serve all the others. */
enum { ORR_PICTURE_NAMES = 32, ORR_PICTURE_COLOURS = 8 };
struct orr_picture_names {
    const char *name[ORR_PICTURE_NAMES];
    int count;
};

struct orr_picture {
    char command[ORR_PICTURE_WORDS], machine[ORR_PICTURE_WORDS]; /* what ran, and on what */
    const char *begin; /* what happens at time 0: "the first submission" */
    struct orr_picture_worker *worker;
    int workers;
    char (*node)[64]; /* names of memories; data begin in the first */
    int nodes;
    /* Runs follow one another. Of the tasks of a graph `impl` and `parts` are not known, -1. */
    const struct orr_trace_record *record;
    size_t count, lost;
    const struct orr_trace_access *access; /* of data from 1 to `handles` */
    uint64_t handles;
    double t0;                      /* times are written from there */
    struct orr_picture_names names; /* those that come first, though others may appear before them */
    int shown;                      /* the run of pictures that show one */
    const orr_analysis *last;       /* of the tables; NULL: there are none */
    /* If edges follow from more than the accesses: what is known of the only run, and which tasks, by their
     * numbers, are of the longest chain. Else NULL. */
    const orr_analysis *known;
    const char *longest;
};

/* 0: out of memory. */
int orr_picture_svg(FILE *, const struct orr_picture *);
int orr_picture_html(FILE *, const struct orr_picture *);
int orr_picture_paje(FILE *, const struct orr_picture *);
int orr_picture_events(FILE *, const struct orr_picture *); /* Chrome's and Perfetto's */

/* Fills *a, which is zero but for `lost`, from the tasks of a run in the order of their submission; not
 * its links. orr_analyse_times: nor its edges and bounds. */
orr_status orr_analyse(orr_analysis *a, const struct orr_picture_worker *, int workers,
                       const struct orr_trace_record *, size_t tasks,
                       const struct orr_trace_access *);
orr_status orr_analyse_times(orr_analysis *a, const struct orr_picture_worker *, int workers,
                             const struct orr_trace_record *, size_t tasks);

/* orr_graph_edges of a run in the order of its submission. 0: out of memory. */
int orr_record_edges(struct orr_graph *, const struct orr_trace_record *, size_t tasks,
                     const struct orr_trace_access *);

#endif
