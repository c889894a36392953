/* A run as a picture for documents: what ran on each worker under lines of the bounds, how many
 * tasks were ready, what moved between memories, and the same tasks by the place where they worked,
 * in which a wavefront or a pipeline is seen. All under one axis of time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/picture/svg.h"

enum { RIGHT = 76, ROWS = 230, STRIP = 40, LINK_ROOM = 22, LINKS = 8 };

/* ---- Parts of the picture ----------------------------------------------------------------- */

static void head(struct orr_svg *s)
{
    char words[256];
    orr_svg_paragraph(s, s->p->command, 1);
    orr_svg_paragraph(s, s->p->machine, 0);
    orr_picture_verdict(s->x, words, sizeof words);
    orr_svg_paragraph(s, words, 0);
}

static void legend(struct orr_svg *s)
{
    double x = ORR_SVG_EDGE;
    s->y += ORR_SVG_LINE + 4;
    for (int i = 0; i < s->names.count && i < ORR_PICTURE_COLOURS; i++) {
        const int others = i == ORR_PICTURE_COLOURS - 1 && s->names.count > ORR_PICTURE_COLOURS;
        const char *name = others ? "others" : s->names.name[i];
        const double wide = 16 + orr_svg_width(name, ORR_SVG_FONT) + 14;
        if (x > ORR_SVG_EDGE && x + wide > ORR_SVG_WIDTH - ORR_SVG_EDGE) {
            x = ORR_SVG_EDGE;
            s->y += ORR_SVG_LINE;
        }
        fprintf(s->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x,
                s->y - 13, orr_picture_palette[i]);
        orr_svg_name(s, x + 16, s->y - 3, name);
        x += wide;
    }
}

static void bound_labels(struct orr_svg *s, const struct orr_picture_line *line, int n)
{
    s->y += 6;
    for (int i = 0; i < n; i++) {
        char words[96], ms[ORR_PICTURE_DIGITS];
        snprintf(words, sizeof words, "%s %s ms", line[i].name,
                 orr_picture_digits(ms, 1e-3 * line[i].us));
        const double x = orr_svg_at(s, s->x->begin + line[i].us), wide = orr_svg_width(words, 11);
        const int fits = x + 4 + wide < ORR_SVG_WIDTH - ORR_SVG_EDGE;
        s->y += 14;
        fprintf(s->f, "<g font-size=\"11\" fill=\"#a00000\">");
        orr_svg_label(s, fits ? x + 4 : x - 4, s->y - 3, fits ? "start" : "end", words);
        fprintf(s->f, "</g>");
    }
}

static void bound_strokes(struct orr_svg *s, const struct orr_picture_line *line, int n, double top,
                          double bottom)
{
    for (int i = 0; i < n; i++) {
        const double x = orr_svg_at(s, s->x->begin + line[i].us);
        fprintf(s->f, "<path stroke=\"#a00000\" stroke-dasharray=\"5 3\" d=\"M%.1f %.1fV%.1f\"/>\n",
                x, top + 6 + 14 * i + 2, bottom);
    }
}

static void workers(struct orr_svg *s, struct orr_svg_bar *bar)
{
    const int count = s->p->workers;
    const double lane = count > 12 ? 15 : 26, height = lane - 5;
    size_t n = 0;
    for (int w = 0; w < count; w++) {
        char name[ORR_PICTURE_NAME];
        orr_picture_plain(name, s->p->worker[w].name);
        orr_svg_frame(s, s->y + w * lane, height);
        orr_svg_label(s, s->left - 8, s->y + w * lane + height / 2 + 4, "end", name);
    }
    for (size_t i = 0; i < s->x->n; i++) {
        const struct orr_trace_record *r = &s->x->r[i];
        if (r->worker >= 0)
            bar[n++] = (struct orr_svg_bar){orr_svg_at(s, r->start), orr_svg_at(s, r->end),
                                            s->y + r->worker * lane, height,
                                            orr_picture_colour(s->colour[i])};
    }
    orr_svg_bars(s, bar, n);
    s->y += count * lane;
}

struct event {
    double us;
    int step;
};

static int by_time(const void *x, const void *y)
{
    const struct event *a = x, *b = y;
    if (a->us != b->us)
        return a->us < b->us ? -1 : 1;
    return a->step - b->step;
}

/* The most in each pixel, as an area. */
static void ready(struct orr_svg *s)
{
    const size_t n = s->x->n;
    struct event *e = malloc((2 * n + 1) * sizeof *e);
    enum { COLUMNS = ORR_SVG_WIDTH };
    int most[COLUMNS + 1] = {0}, now = 0, peak = 1;
    const int columns = (int)(s->span * s->scale);
    for (size_t i = 0; e && i < n; i++) {
        e[2 * i] = (struct event){s->x->r[i].ready, 1};
        e[2 * i + 1] = (struct event){fmax(s->x->r[i].acquire, s->x->r[i].ready), -1};
    }
    if (e)
        qsort(e, 2 * n, sizeof *e, by_time);
    for (size_t i = 0, c = 0; e && c <= (size_t)columns; c++) {
        most[c] = now;
        for (; i < 2 * n && orr_svg_at(s, e[i].us) < s->left + (double)c + 1; i++) {
            now += e[i].step;
            most[c] = now > most[c] ? now : most[c];
        }
        peak = most[c] > peak ? most[c] : peak;
    }
    s->failed |= e == NULL;
    free(e);
    char words[64];
    snprintf(words, sizeof words, "%d", peak);
    s->y += 10;
    orr_svg_frame(s, s->y, STRIP);
    orr_svg_label(s, s->left - 8, s->y + STRIP / 2 + 4, "end", "ready tasks");
    orr_svg_label(s, s->left + s->span * s->scale + 4, s->y + 9, "start", words);
    orr_svg_label(s, s->left + s->span * s->scale + 4, s->y + STRIP, "start", "0");
    fprintf(s->f, "<path fill=\"#555555\" d=\"M%.1f %.1f", s->left, s->y + STRIP);
    for (int c = 0; c < columns; c++)
        if (c == 0 || most[c] != most[c - 1] || c + 1 == columns)
            fprintf(s->f, "H%.1fV%.1f", s->left + c, s->y + STRIP - (double)STRIP * most[c] / peak);
    fprintf(s->f, "H%.1fV%.1fz\"/>\n", s->left + columns, s->y + STRIP);
    s->y += STRIP;
}

struct link {
    int from, to;
    double bytes;
};

static int by_bytes(const void *x, const void *y)
{
    const struct link *a = x, *b = y;
    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

static int find_links(const struct orr_picture_run *x, struct link *link, int most)
{
    int n = 0;
    for (size_t i = 0; i < x->moves; i++) {
        int k = 0;
        while (k < n && (link[k].from != x->move[i].from || link[k].to != x->move[i].to))
            k++;
        if (k == most)
            continue;
        if (k == n)
            link[n++] = (struct link){x->move[i].from, x->move[i].to, 0};
        link[k].bytes += (double)x->move[i].bytes;
    }
    qsort(link, (size_t)n, sizeof *link, by_bytes);
    return n;
}

static void link_name(const struct orr_svg *s, const struct link *l, char *out, size_t room)
{
    char from[ORR_PICTURE_NAME], to[ORR_PICTURE_NAME];
    snprintf(out, room, "%s to %s", orr_picture_plain(from, s->p->node[l->from]),
             orr_picture_plain(to, s->p->node[l->to]));
}

static void links(struct orr_svg *s, const struct link *link, int n, struct orr_svg_bar *bar)
{
    for (int k = 0; k < n; k++) {
        char words[160];
        size_t bars = 0;
        s->y += 6;
        orr_svg_frame(s, s->y, LINK_ROOM - 6);
        link_name(s, &link[k], words, sizeof words);
        orr_svg_label(s, s->left - 8, s->y + 12, "end", words);
        for (size_t i = 0; i < s->x->moves; i++) {
            const struct orr_picture_move *m = &s->x->move[i];
            if (m->from == link[k].from && m->to == link[k].to)
                bar[bars++] =
                    (struct orr_svg_bar){orr_svg_at(s, m->begin),
                                         fmax(orr_svg_at(s, m->end), orr_svg_at(s, m->begin) + 1),
                                         s->y, LINK_ROOM - 6, 4};
        }
        orr_svg_bars(s, bar, bars);
        snprintf(words, sizeof words, "%.3g MB", 1e-6 * link[k].bytes);
        orr_svg_label(s, s->left + s->span * s->scale + 4, s->y + 12, "start", words);
        s->y += LINK_ROOM - 6;
    }
}

static double nice_step(double span, double most)
{
    double step = pow(10, floor(log10(span / most)));
    static const double factor[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; k++)
        if (span / (step * factor[k]) <= most)
            return step * factor[k];
    return 10 * step;
}

static double place_of(const struct orr_picture_run *x, size_t i)
{
    switch (x->rows) {
    case ORR_ROWS_MATRIX_ROWS: return x->r[i].span > 0 ? (double)x->r[i].row : -1;
    case ORR_ROWS_TAGS: return (double)x->r[i].tag;
    default: return (double)x->data[i];
    }
}

/* The same tasks by place. Tasks of one matrix may run side by side: each worker has its part of
 * the row. */
static void places(struct orr_svg *s, struct orr_svg_bar *bar)
{
    static const char *const what[] = {"row of the matrix", "matrix", "data, by first use"};
    const struct orr_picture_run *x = s->x;
    const int tags = x->rows == ORR_ROWS_TAGS, workers = s->p->workers;
    double low = INFINITY, high = -INFINITY;
    int groups = 0;
    size_t n = 0, elsewhere = 0;
    for (size_t i = 0; i < x->n; i++) {
        const double p = place_of(x, i),
                     size = x->rows == ORR_ROWS_MATRIX_ROWS ? (double)x->r[i].span : 1;
        elsewhere += p < 0;
        if (p < 0)
            continue;
        low = fmin(low, p);
        high = fmax(high, p + size);
        groups |= x->r[i].group > 0;
    }
    if (!(high > low))
        return;
    const double unit = ROWS / (high - low), part = tags ? unit / workers : 0;
    char words[160];
    snprintf(words, sizeof words, "%s; colour: %s", what[x->rows],
             groups ? "group of sweeps (colours repeat), grey: before and after them" : "codelet");
    const size_t said = strlen(words);
    if (elsewhere)
        snprintf(words + said, sizeof words - said, "; %zu tasks have none", elsewhere);
    s->y += ORR_SVG_LINE + 8;
    orr_svg_label(s, s->left, s->y - 5, "start", words);
    orr_svg_frame(s, s->y, ROWS);
    for (size_t i = 0; i < x->n; i++) {
        const struct orr_trace_record *r = &x->r[i];
        const double p = place_of(x, i),
                     size = x->rows == ORR_ROWS_MATRIX_ROWS ? (double)r->span : 1;
        if (p < 0)
            continue;
        const int colour = !groups    ? orr_picture_colour(s->colour[i])
                           : r->group ? (int)((r->group - 1) % (ORR_PICTURE_COLOURS - 1))
                                      : ORR_PICTURE_COLOURS - 1;
        bar[n++] = (struct orr_svg_bar){
            orr_svg_at(s, r->start), orr_svg_at(s, r->end),
            s->y + (p - low) * unit + (tags ? r->worker * part : 0),
            fmax((tags ? part : size * unit) - (unit > 4 ? 0.6 : 0), 0.6), colour};
    }
    orr_svg_bars(s, bar, n);
    for (double p = low + 1; tags && unit > 8 && p < high; p++)
        fprintf(s->f, "<path stroke=\"#ffffff\" stroke-width=\"3\" d=\"M%.1f %.1fh%.1f\"/>\n",
                s->left, s->y + (p - low) * unit, s->span * s->scale);
    const double step = fmax(1, nice_step(high - low, tags ? 16 : 6));
    for (double p = ceil(low / step) * step; p < high; p += step) {
        const double middle = x->rows == ORR_ROWS_MATRIX_ROWS ? 0 : unit / 2;
        snprintf(words, sizeof words, "%.0f", p - (tags ? low : 0));
        orr_svg_label(s, s->left - 8, s->y + (p - low) * unit + middle + 4, "end", words);
    }
    s->y += ROWS;
}

static void time_axis(struct orr_svg *s, double top)
{
    static const struct {
        double us;
        const char *name;
    } units[] = {{1, "us"}, {1e3, "ms"}, {1e6, "s"}};
    int u = 0;
    while (u < 2 && s->span >= 2 * units[u + 1].us)
        u++;
    const double step = nice_step(s->span, 10);
    char words[64];
    s->y += 5;
    for (double t = 0; t <= s->span * 1.0001; t += step) {
        const double x = s->left + t * s->scale;
        fprintf(s->f, "<path stroke=\"#000000\" stroke-opacity=\"0.13\" d=\"M%.1f %.1fV%.1f\"/>\n",
                x, top, s->y);
        snprintf(words, sizeof words, "%.6g", t / units[u].us);
        orr_svg_label(s, x, s->y + 12, "middle", words);
    }
    snprintf(words, sizeof words, "%s from %s", units[u].name, s->p->begin);
    s->y += ORR_SVG_LINE + 14;
    orr_svg_label(s, s->left + s->span * s->scale / 2, s->y - 4, "middle", words);
}

/* Room on the left for the widest label there. */
static double margin(const struct orr_svg *s, const struct link *link, int n)
{
    double wide = orr_svg_width("ready tasks", ORR_SVG_FONT);
    char words[160];
    for (int w = 0; w < s->p->workers; w++) {
        orr_picture_plain(words, s->p->worker[w].name);
        wide = fmax(wide, orr_svg_width(words, ORR_SVG_FONT));
    }
    for (int k = 0; k < n; k++) {
        link_name(s, &link[k], words, sizeof words);
        wide = fmax(wide, orr_svg_width(words, ORR_SVG_FONT));
    }
    return fmin(ORR_SVG_EDGE + wide + 8, ORR_SVG_WIDTH / 2.0);
}

static void draw(struct orr_svg *s, struct orr_svg_bar *bar)
{
    struct link link[LINKS];
    struct orr_picture_line line[ORR_PICTURE_LINES];
    const int n = find_links(s->x, link, LINKS), lines = orr_picture_lines(s->x, line);
    s->span = s->x->end > s->x->begin ? s->x->end - s->x->begin : 1;
    s->left = margin(s, link, n);
    s->scale = (ORR_SVG_WIDTH - RIGHT - s->left) / s->span;
    s->merge = s->x->n > 5000 ? 0.5 : 0.1;
    s->y = ORR_SVG_EDGE;
    head(s);
    legend(s);
    const double top = s->y;
    bound_labels(s, line, lines);
    s->y += 4;
    const double charts = s->y;
    workers(s, bar);
    ready(s);
    links(s, link, n, bar);
    bound_strokes(s, line, lines, top, s->y);
    places(s, bar);
    time_axis(s, charts);
}

int orr_picture_svg(FILE *f, const struct orr_picture *p)
{
    struct orr_picture_run x;
    if (!orr_picture_run_make(&x, p, p->shown))
        return 0;
    char *body = NULL;
    size_t size = 0;
    struct orr_svg s = {.f = open_memstream(&body, &size),
                        .p = p,
                        .x = &x,
                        .names = p->names,
                        .colour = malloc((x.n + 1) * sizeof *s.colour)};
    struct orr_svg_bar *bar = malloc((x.n + x.moves + 1) * sizeof *bar);
    int ok = s.f && s.colour && bar;
    for (size_t i = 0; ok && i < x.n; i++)
        s.colour[i] = orr_picture_name(&s.names, x.r[i].name);
    if (ok)
        draw(&s, bar);
    if (s.f)
        ok = fclose(s.f) == 0 && ok && !s.failed;
    if (ok)
        fprintf(f,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
                "font-family=\"sans-serif\" font-size=\"%d\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n%s</svg>\n",
                ORR_SVG_WIDTH, s.y + ORR_SVG_EDGE, ORR_SVG_FONT, body);
    free(body);
    free(bar);
    free(s.colour);
    orr_picture_run_free(&x);
    return ok;
}
