/* Finds a small moving target in front of a scene that changes more than the target shines:
 * background subtraction by the singular value decomposition of a sliding window of frames, one
 * window per frame, as a stream (orr_gesvj_stream_*).
 *
 *   frames  t-guard-window .. t-guard-1   as columns:  A = U diag(s) V'
 *   background of frame f_t:  U_r U_r' f_t, r the singular values above the noise
 *   what is left:  f_t - U_r U_r' f_t, smoothed with the target's shape; its brightest pixel
 *
 * The noise level is the threshold of Gavish and Donoho (IEEE Trans. Inf. Theory 60, 2014) for
 * an unknown one: 1.43 + 1.82 b - 0.95 b^2 + 0.56 b^3 times the median singular value, b = n/m.
 * For comparison the same with the window's mean image as the background.
 *
 *   tracking.c            options, the stream, the verdict
 *   tracking/video.c      the scene and the known path     tracking/picture.c   the picture
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <orrery/orrery.h>

#include "tracking/picture.h"

static const char help[] =
    "usage: tracking [options]\n"
    "\n"
    "  --out FILE       the picture, SVG                        (tracking.svg)\n"
    "  --frames N       of the video                            (260)\n"
    "  --window N       frames that make the background         (40)\n"
    "  --guard N        frames between window and present       (6)\n"
    "  --contrast X     light of the target                     (7)\n"
    "  --noise X        standard deviation in a pixel           (2)\n"
    "  --seed N         of the noise                            (1)\n"
    "  --place P        auto, cpu, gpu, pipeline or mirror      (auto)\n"
    "  --in-flight N    windows under way at once               (chosen)\n"
    "  -h, --help       this text\n"
    "\n"
    "exit: 0 found in 95 % of the frames within 2 pixels, 1 not, 2 usage, 3 the picture cannot be\n"
    "written, 5 memory, 6 runtime or no device\n";

typedef struct {
    const char *out;
    int frames, window, guard, seed, in_flight;
    double contrast, noise;
    orr_place place;
} options;

/* Everything that results are judged with. */
typedef struct {
    options o;
    video v;
    track svd, mean;
    int *rank;       /* of the background, per frame */
    float *residual; /* of the frame that is shown */
    int shown, failed;
} tracker;

/* ---- One frame ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* How many singular values, of s descending, stand out of the noise. */
static int signal_rank(int n, const float *s)
{
    const double b = (double)n / PIXELS;
    const double median = n % 2 ? s[n / 2] : 0.5 * ((double)s[n / 2 - 1] + (double)s[n / 2]);
    const double threshold = (1.43 + b * (1.82 + b * (-0.95 + b * 0.56))) * median;
    int r = 0;
    while (r < n && (double)s[r] > threshold)
        r++;
    return r;
}

/* f := f - U_r U_r' f */
static void subtract_subspace(int r, const float *u, float *f)
{
    for (int j = 0; j < r; j++, u += PIXELS) {
        double dot = 0;
        for (int i = 0; i < PIXELS; i++)
            dot += (double)u[i] * (double)f[i];
        for (int i = 0; i < PIXELS; i++)
            f[i] -= (float)dot * u[i];
    }
}

static void subtract_mean(int n, const float *window, float *f)
{
    for (int i = 0; i < PIXELS; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += (double)window[(size_t)j * PIXELS + (size_t)i];
        f[i] -= (float)(sum / n);
    }
}

/* The value at (x,y) of f smoothed with the target's shape. */
static double smoothed(const float *f, int x, int y)
{
    enum { REACH = 4 };
    double sum = 0;
    for (int j = -REACH; j <= REACH; j++)
        for (int i = -REACH; i <= REACH; i++)
            if (x + i >= 0 && x + i < WIDTH && y + j >= 0 && y + j < HEIGHT)
                sum += (double)f[(y + j) * WIDTH + x + i] *
                       exp(-(i * i + j * j) / (2 * TARGET_RADIUS * TARGET_RADIUS));
    return sum;
}

/* Where a parabola through three values has its top, from the middle one. */
static double top_of(double before, double at, double after)
{
    const double bend = before - 2 * at + after;
    return bend < 0 ? 0.5 * (before - after) / bend : 0;
}

static void brightest(const float *f, double *x, double *y)
{
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < PIXELS; i++) {
        const double value = smoothed(f, i % WIDTH, i / WIDTH);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    const int px = best % WIDTH, py = best / WIDTH;
    *x = px + top_of(smoothed(f, px - 1, py), most, smoothed(f, px + 1, py));
    *y = py + top_of(smoothed(f, px, py - 1), most, smoothed(f, px, py + 1));
}

/* ---- The stream ---------------------------------------------------------------------------- */

/* The present of the window that is result number k. */
static int frame_of(const options *o, int64_t k) { return (int)k + o->window + o->guard; }

static void on_result(const orr_gesvj_result *r, void *arg)
{
    tracker *k = arg;
    const int t = frame_of(&k->o, r->number);
    float f[PIXELS];
    if (r->status == ORR_OK) {
        memcpy(f, k->v.pixel + (size_t)t * PIXELS, sizeof f);
        k->rank[t] = signal_rank(k->o.window, r->frame.s);
        subtract_subspace(k->rank[t], r->frame.u, f);
        brightest(f, &k->svd.x[t], &k->svd.y[t]);
        if (t == k->shown)
            memcpy(k->residual, f, sizeof f);

        memcpy(f, k->v.pixel + (size_t)t * PIXELS, sizeof f);
        subtract_mean(k->o.window, r->frame.a, f);
        brightest(f, &k->mean.x[t], &k->mean.y[t]);
    } else if (!k->failed++) {
        fprintf(stderr, "tracking: frame %d: %s\n", t, orr_strerror(r->status));
    }
    free(r->frame.user);
}

/* The window is a part of the video: nothing is copied. */
static orr_status push_window(orr_gesvj_stream *stream, const tracker *k, int number)
{
    const int n = k->o.window;
    float *room = malloc(sizeof *room * (size_t)n * (PIXELS + 1));
    if (!room)
        return ORR_E_NOMEM;
    const orr_gesvj_frame f = {.type = ORR_S,
                               .m = PIXELS,
                               .n = n,
                               .a = k->v.pixel + (size_t)number * PIXELS,
                               .s = room,
                               .u = room + n,
                               .user = room};
    const orr_status st = orr_gesvj_stream_push(stream, &f);
    if (st != ORR_OK)
        free(room);
    return st;
}

static orr_status run(tracker *k, orr_gesvj_stream_report *report)
{
    orr_context *context;
    orr_gesvj_stream *stream;
    const orr_gesvj_opts opts = {.place = k->o.place};
    orr_status st = orr_open(NULL, &context);
    if (st != ORR_OK)
        return st;
    st = orr_gesvj_stream_open(context, &opts, k->o.in_flight, on_result, k, &stream);
    for (int i = 0; st == ORR_OK && !k->failed && frame_of(&k->o, i) < k->v.frames; i++)
        st = push_window(stream, k, i);
    const orr_status worst = orr_gesvj_stream_close(stream, report);
    orr_close(context);
    return st == ORR_OK ? worst : st;
}

/* ---- The verdict --------------------------------------------------------------------------- */

/* Share of frames in which the target was found within two pixels. */
static double judge(const tracker *k, const track *t, const char *name)
{
    const int first = frame_of(&k->o, 0), count = k->v.frames - first;
    double *error = malloc(sizeof *error * (size_t)count);
    int found = 0;
    if (!error)
        return 0;
    for (int i = 0; i < count; i++) {
        error[i] = hypot(t->x[first + i] - k->v.x[first + i], t->y[first + i] - k->v.y[first + i]);
        found += error[i] <= 2;
    }
    qsort(error, (size_t)count, sizeof *error, by_value);
    printf("%-10s  found in %d of %d frames (%.1f %%), error median %.2f, worst %.2f pixels\n",
           name, found, count, 100.0 * found / count, error[count / 2], error[count - 1]);
    free(error);
    return (double)found / count;
}

static void tell(const tracker *k, const orr_gesvj_stream_report *r)
{
    int low = k->o.window, high = 0;
    for (int t = frame_of(&k->o, 0); t < k->v.frames; t++) {
        low = k->rank[t] < low ? k->rank[t] : low;
        high = k->rank[t] > high ? k->rank[t] : high;
    }
    printf("%d windows of %d frames of %d x %d pixels; %.0f windows/s, latency %.1f ms\n",
           (int)r->frames, k->o.window, WIDTH, HEIGHT, (double)r->frames / r->seconds,
           1e3 * r->latency_median);
    printf("background: rank %d to %d\n", low, high);
}

static int prepare(tracker *k)
{
    const size_t n = (size_t)k->o.frames;
    double *all = malloc(4 * n * sizeof *all);
    k->rank = calloc(n, sizeof *k->rank);
    k->residual = calloc(PIXELS, sizeof *k->residual);
    if (!all || !k->rank || !k->residual ||
        video_make(&k->v, k->o.frames, k->o.contrast, k->o.noise, (unsigned)k->o.seed) != 0)
        return -1;
    for (size_t i = 0; i < 4 * n; i++)
        all[i] = NAN;
    k->svd = (track){all, all + n};
    k->mean = (track){all + 2 * n, all + 3 * n};
    k->shown = (frame_of(&k->o, 0) + k->o.frames) / 2;
    return 0;
}

/* ---- The command line ---------------------------------------------------------------------- */

static int number(const char *text, double low, double high, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= low && *out <= high;
}

static int integer(const char *text, int low, int high, int *out)
{
    double x;
    const int good = number(text, low, high, &x) && x == floor(x);
    *out = good ? (int)x : 0;
    return good;
}

static int place(const char *text, orr_place *out)
{
    static const char *const names[ORR_NPLACES] = {"auto", "cpu", "gpu", "pipeline", "mirror"};
    for (int i = 0; i < ORR_NPLACES; i++)
        if (!strcmp(text, names[i])) {
            *out = (orr_place)i;
            return 1;
        }
    return 0;
}

static int parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        const int good = !strcmp(name, "--out")         ? (o->out = value, *value != 0)
                         : !strcmp(name, "--frames")    ? integer(value, 3, 100000, &o->frames)
                         : !strcmp(name, "--window")    ? integer(value, 2, 500, &o->window)
                         : !strcmp(name, "--guard")     ? integer(value, 0, 500, &o->guard)
                         : !strcmp(name, "--seed")      ? integer(value, 0, 1 << 30, &o->seed)
                         : !strcmp(name, "--in-flight") ? integer(value, 1, 10000, &o->in_flight)
                         : !strcmp(name, "--contrast")  ? number(value, 0, 1e6, &o->contrast)
                         : !strcmp(name, "--noise")     ? number(value, 0, 1e6, &o->noise)
                         : !strcmp(name, "--place")     ? place(value, &o->place)
                                                        : 0;
        if (!good) {
            fprintf(stderr, "tracking: %s %s is not an option; --help lists them\n", name, value);
            return 0;
        }
    }
    if (o->frames <= o->window + o->guard) {
        fprintf(stderr, "tracking: %d frames are too few for a window of %d and a guard of %d\n",
                o->frames, o->window, o->guard);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    tracker k = {.o = {.out = "tracking.svg",
                       .frames = 260,
                       .window = 40,
                       .guard = 6,
                       .seed = 1,
                       .contrast = 7,
                       .noise = 2}};
    orr_gesvj_stream_report report;
    if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
        fputs(help, stdout);
        return 0;
    }
    if (!parse(&k.o, argc, argv))
        return 2;
    int code = prepare(&k) == 0 ? 0 : 5;
    const orr_status st = code == 0 ? run(&k, &report) : ORR_E_NOMEM;
    if (st != ORR_OK) {
        fprintf(stderr, "tracking: %s\n", orr_strerror(st));
        code = st == ORR_E_NOMEM ? 5 : 6;
    }
    if (code == 0) {
        tell(&k, &report);
        const double found = judge(&k, &k.svd, "subspace");
        judge(&k, &k.mean, "mean image");
        if (picture_write(k.o.out, &k.v, &k.svd, &k.mean, k.shown,
                          k.v.pixel + (size_t)k.shown * PIXELS, k.residual) != 0) {
            fprintf(stderr, "tracking: %s cannot be written\n", k.o.out);
            code = 3;
        } else if (found < 0.95) {
            code = 1;
        }
    }
    video_free(&k.v);
    free(k.svd.x);
    free(k.rank);
    free(k.residual);
    return code;
}
