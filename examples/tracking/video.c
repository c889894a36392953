/* The scene: a texture under light that swells and fades, a slope of light that tips to and fro,
 * and a wave that runs across (leaves, water). Five fixed images span all of it; each of these
 * changes is stronger than the target.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "video.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double TURN = 6.283185307179586;

static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)(*state * 0x2545F4914F6CDD1Dull >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(TURN * uniform(state));
}

static double scene(double x, double y, double t)
{
    const double texture =
        20 * sin(0.31 * x + 0.11 * y) * cos(0.23 * y - 0.07 * x) + 8 * sin(1.3 * x);
    const double light = 1 + 0.3 * sin(TURN * t / 23);
    const double slope = 15 * ((x - WIDTH / 2.0) + 0.6 * (y - HEIGHT / 2.0)) / WIDTH;
    return 100 + texture * light + slope * sin(TURN * t / 13) +
           8 * cos(0.7 * x + 0.3 * y - 0.21 * t);
}

int video_make(video *v, int frames, double contrast, double noise, unsigned seed)
{
    uint64_t state = 0x9E3779B97F4A7C15ull * (seed + 1ull);
    *v = (video){.frames = frames};
    v->pixel = malloc(sizeof *v->pixel * PIXELS * (size_t)frames);
    v->x = malloc(sizeof *v->x * (size_t)frames);
    v->y = malloc(sizeof *v->y * (size_t)frames);
    if (!v->pixel || !v->x || !v->y) {
        video_free(v);
        return -1;
    }
    for (int t = 0; t < frames; t++) {
        v->x[t] = WIDTH / 2.0 + 24 * sin(TURN * t / 173);
        v->y[t] = HEIGHT / 2.0 + 16 * sin(2 * TURN * t / 173 + 0.6);
        for (int i = 0; i < PIXELS; i++) {
            const double x = i % WIDTH, y = i / WIDTH;
            const double far2 = (x - v->x[t]) * (x - v->x[t]) + (y - v->y[t]) * (y - v->y[t]);
            const double target = contrast * exp(-far2 / (2 * TARGET_RADIUS * TARGET_RADIUS));
            v->pixel[(size_t)t * PIXELS + (size_t)i] =
                (float)(scene(x, y, t) + target + noise * normal(&state));
        }
    }
    return 0;
}

void video_free(video *v)
{
    free(v->pixel);
    free(v->x);
    free(v->y);
    *v = (video){0};
}
