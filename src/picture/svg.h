/* What the picture of a run is drawn with: words, and bars of time in the colours of tasks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_PICTURE_SVG_H
#define ORR_PICTURE_SVG_H

#include "src/picture/run.h"

/* Of the picture, in pixels. */
enum { ORR_SVG_WIDTH = 960, ORR_SVG_EDGE = 12, ORR_SVG_FONT = 12, ORR_SVG_LINE = 16 };

struct orr_svg {
    FILE *f;
    const struct orr_picture *p;
    const struct orr_picture_run *x;
    struct orr_picture_names names;
    int *colour;              /* [n] of the codelet */
    double left, scale, span; /* where time begins, pixels of a us, and us */
    double y;                 /* what is drawn next begins here */
    int failed;               /* memory ran out */
    double merge;             /* gaps below it, in px, are not drawn between tasks of one colour */
};

/* Pixels of words in the widest usual fonts. */
double orr_svg_width(const char *words, double size);
/* anchor: "start", "middle" or "end" of the words is at x. */
void orr_svg_label(const struct orr_svg *, double x, double y, const char *anchor,
                   const char *words);
/* From x on, the end left out if it would be beyond the picture. */
void orr_svg_name(const struct orr_svg *, double x, double y, const char *name);
/* Lines as wide as the picture, broken at blanks, or within a word that is longer. */
void orr_svg_paragraph(struct orr_svg *, const char *words, int bold);
/* Where a time is, in pixels from the left. */
double orr_svg_at(const struct orr_svg *, double us);
/* The background of bars, as long as the run. */
void orr_svg_frame(const struct orr_svg *, double y, double height);

struct orr_svg_bar {
    double from, to, y, height;
    int colour;
};

/* Sorts them. Those of one place and colour that nearly touch become one, if they are too narrow to be told
 * apart. */
void orr_svg_bars(const struct orr_svg *, struct orr_svg_bar *, size_t n);

#endif
