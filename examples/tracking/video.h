/* A synthetic video of a scene that changes and a small target that moves through it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACKING_VIDEO_H
#define TRACKING_VIDEO_H

enum { WIDTH = 64, HEIGHT = 48, PIXELS = WIDTH * HEIGHT };
#define TARGET_RADIUS 1.5 /* standard deviation of the target's light, in pixels */

typedef struct {
    int frames;
    float *pixel;  /* frame t is pixel + t*PIXELS, row by row */
    double *x, *y; /* where the target is in frame t */
} video;

/* contrast: light at the target's centre; noise: standard deviation in every pixel. 0, or -1
 * without memory. */
int video_make(video *, int frames, double contrast, double noise, unsigned seed);
void video_free(video *);

#endif
