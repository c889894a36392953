/* What the tracker has to show. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACKING_PICTURE_H
#define TRACKING_PICTURE_H

#include "video.h"

/* Where the target was seen in frame t; NaN where nobody looked. */
typedef struct {
    double *x, *y;
} track;

/* A frame, what is left of it without the background, and how far both ways of removing it were
 * from the target. frame, residual: PIXELS. 0, or nonzero where the file could not be written. */
int picture_write(const char *path, const video *, const track *svd, const track *mean, int t,
                  const float *frame, const float *residual);

#endif
