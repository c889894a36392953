/* A run as a picture for documents: what ran on each worker under lines of the bounds, how many
 * tasks were ready, what moved between memories, and the same tasks by the place where they worked,
 * in which a wavefront or a pipeline is seen. All under one axis of time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/trace_run.h"

enum {
    WIDTH = 960,
    EDGE = 12,
    RIGHT = 76,
    FONT = 12,
    LINE = 16,
    ROWS = 230,
    STRIP = 40,
    LINK = 22,
    LINKS = 8,
    TEXT = 4096
};

struct svg {
    FILE *f;
    const struct orr_trace_run *x;
    struct orr_trace_names names;
    int *colour;              /* [n] of the codelet */
    double left, scale, span; /* us */
    double y;                 /* what is drawn next begins here */
    int failed;               /* memory ran out */
    double merge;             /* gaps below it, in px, are not drawn between tasks of one colour */
};

/* Of the widest usual fonts. */
static double width_of(const char *s, double size)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return 0.63 * size * (double)n;
}

static void put_escaped(FILE *f, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (s[i]) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc((unsigned char)s[i] < 0x20 || s[i] == 0x7f ? '?' : s[i], f);
        }
}

static void text(const struct svg *s, double x, double y, const char *how, const char *words,
                 size_t n)
{
    fprintf(s->f, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, how);
    put_escaped(s->f, words, n);
    fputs("</text>\n", s->f);
}

static void label(const struct svg *s, double x, double y, const char *anchor, const char *words)
{
    char how[48];
    snprintf(how, sizeof how, " text-anchor=\"%s\"", anchor);
    text(s, x, y, how, words, strlen(words));
}

/* Lines as wide as the picture, broken at blanks, or within a word that is longer. */
static void paragraph(struct svg *s, const char *words, int bold)
{
    const size_t most = (size_t)((WIDTH - 2 * EDGE) / ((bold ? 0.7 : 0.63) * FONT));
    for (size_t left = strlen(words); left;) {
        size_t n = left;
        if (n > most)
            for (n = most; n > most / 2 && words[n] != ' '; n--)
                ;
        if (n < left && words[n] != ' ')
            n = most;
        s->y += LINE;
        text(s, EDGE, s->y - 4, bold ? " font-weight=\"bold\"" : "", words, n);
        for (words += n, left -= n; left && *words == ' '; words++)
            left--;
    }
}

static double at(const struct svg *s, double us) { return s->left + (us - s->x->begin) * s->scale; }

/* ---- Many tasks, one path for each colour ------------------------------------------------- */

struct bar {
    double from, to, y, height;
    int colour;
};

static int by_place(const void *x, const void *y)
{
    const struct bar *a = x, *b = y;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static void put_bar(FILE *f, const struct bar *b)
{
    const double w = b->to - b->from, gap = w > 2 ? 0.4 : 0;
    fprintf(f, "M%.2f %.1fh%.2fv%.1fh-%.2fz", b->from, b->y, fmax(w - gap, 0.08), b->height,
            fmax(w - gap, 0.08));
}

/* Those of one place and colour that nearly touch become one, if they are too narrow to be told
 * apart. */
static void put_bars(const struct svg *s, struct bar *b, size_t n)
{
    qsort(b, n, sizeof *b, by_place);
    for (int c = 0; c < ORR_TRACE_COLOURS; c++) {
        struct bar last = {0};
        int open = 0;
        for (size_t i = 0; i < n; i++) {
            if (b[i].colour != c)
                continue;
            const int thin = b[i].to - b[i].from < 2 && last.to - last.from < 2000;
            if (open && last.y == b[i].y && thin && b[i].from - last.to < s->merge) {
                last.to = fmax(last.to, b[i].to);
                continue;
            }
            if (open)
                put_bar(s->f, &last);
            else
                fprintf(s->f, "<path fill=\"%s\" d=\"", orr_trace_palette[c]);
            last = b[i];
            open = 1;
        }
        if (open) {
            put_bar(s->f, &last);
            fputs("\"/>\n", s->f);
        }
    }
}

static void frame(const struct svg *s, double y, double height)
{
    fprintf(s->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f2f2f2\"/>\n",
            s->left, y, s->span * s->scale, height);
}

/* ---- Parts of the picture ----------------------------------------------------------------- */

static void head(struct svg *s, const struct orr_trace_view *v)
{
    char words[TEXT];
    orr_trace_command(words, sizeof words);
    paragraph(s, words, 1);
    orr_trace_machine(v, words, sizeof words);
    paragraph(s, words, 0);
    orr_trace_verdict(s->x, words, sizeof words);
    paragraph(s, words, 0);
}

static void legend(struct svg *s)
{
    double x = EDGE;
    s->y += LINE + 4;
    for (int i = 0; i < s->names.count && i < ORR_TRACE_COLOURS; i++) {
        const int others = i == ORR_TRACE_COLOURS - 1 && s->names.count > ORR_TRACE_COLOURS;
        const char *name = others ? "others" : s->names.name[i];
        const double wide = 16 + width_of(name, FONT) + 14;
        if (x > EDGE && x + wide > WIDTH - EDGE) {
            x = EDGE;
            s->y += LINE;
        }
        fprintf(s->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x,
                s->y - 13, orr_trace_palette[i]);
        label(s, x + 16, s->y - 3, "start", name);
        x += wide;
    }
}

static void bound_labels(struct svg *s, const struct orr_trace_line *line, int n)
{
    s->y += 6;
    for (int i = 0; i < n; i++) {
        char words[96], ms[ORR_TRACE_DIGITS];
        snprintf(words, sizeof words, "%s %s ms", line[i].name,
                 orr_trace_digits(ms, 1e-3 * line[i].us));
        const double x = at(s, s->x->begin + line[i].us), wide = width_of(words, 11);
        const int fits = x + 4 + wide < WIDTH - EDGE;
        s->y += 14;
        fprintf(s->f, "<g font-size=\"11\" fill=\"#a00000\">");
        label(s, fits ? x + 4 : x - 4, s->y - 3, fits ? "start" : "end", words);
        fprintf(s->f, "</g>");
    }
}

static void bound_strokes(struct svg *s, const struct orr_trace_line *line, int n, double top,
                          double bottom)
{
    for (int i = 0; i < n; i++) {
        const double x = at(s, s->x->begin + line[i].us);
        fprintf(s->f, "<path stroke=\"#a00000\" stroke-dasharray=\"5 3\" d=\"M%.1f %.1fV%.1f\"/>\n",
                x, top + 6 + 14 * i + 2, bottom);
    }
}

static void workers(struct svg *s, struct bar *bar)
{
    const unsigned count = starpu_worker_get_count();
    const double lane = count > 12 ? 15 : 26, height = lane - 5;
    size_t n = 0;
    for (unsigned w = 0; w < count; w++) {
        char name[64];
        orr_trace_worker((int)w, name, sizeof name);
        frame(s, s->y + w * lane, height);
        label(s, s->left - 8, s->y + w * lane + height / 2 + 4, "end", name);
    }
    for (size_t i = 0; i < s->x->n; i++) {
        const struct orr_trace_record *r = &s->x->r[i];
        if (r->worker >= 0)
            bar[n++] = (struct bar){at(s, r->start), at(s, r->end), s->y + r->worker * lane, height,
                                    orr_trace_colour(s->colour[i])};
    }
    put_bars(s, bar, n);
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
static void ready(struct svg *s)
{
    const size_t n = s->x->n;
    struct event *e = malloc((2 * n + 1) * sizeof *e);
    enum { COLUMNS = WIDTH };
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
        for (; i < 2 * n && at(s, e[i].us) < s->left + (double)c + 1; i++) {
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
    frame(s, s->y, STRIP);
    label(s, s->left - 8, s->y + STRIP / 2 + 4, "end", "ready tasks");
    label(s, s->left + s->span * s->scale + 4, s->y + 9, "start", words);
    label(s, s->left + s->span * s->scale + 4, s->y + STRIP, "start", "0");
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

static int find_links(const struct orr_trace_run *x, struct link *link, int most)
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

static void link_name(const struct link *l, char *out, size_t room)
{
    char from[64], to[64];
    orr_trace_node(l->from, from, sizeof from);
    orr_trace_node(l->to, to, sizeof to);
    snprintf(out, room, "%s to %s", from, to);
}

static void links(struct svg *s, const struct link *link, int n, struct bar *bar)
{
    for (int k = 0; k < n; k++) {
        char words[160];
        size_t bars = 0;
        s->y += 6;
        frame(s, s->y, LINK - 6);
        link_name(&link[k], words, sizeof words);
        label(s, s->left - 8, s->y + 12, "end", words);
        for (size_t i = 0; i < s->x->moves; i++) {
            const struct orr_trace_move *m = &s->x->move[i];
            if (m->from == link[k].from && m->to == link[k].to)
                bar[bars++] = (struct bar){
                    at(s, m->begin), fmax(at(s, m->end), at(s, m->begin) + 1), s->y, LINK - 6, 4};
        }
        put_bars(s, bar, bars);
        snprintf(words, sizeof words, "%.3g MB", 1e-6 * link[k].bytes);
        label(s, s->left + s->span * s->scale + 4, s->y + 12, "start", words);
        s->y += LINK - 6;
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

static double place_of(const struct orr_trace_run *x, size_t i)
{
    switch (x->rows) {
    case ORR_ROWS_MATRIX_ROWS: return x->r[i].span > 0 ? (double)x->r[i].row : -1;
    case ORR_ROWS_TAGS: return (double)x->r[i].tag;
    default: return (double)x->data[i];
    }
}

/* The same tasks by place. Tasks of one matrix may run side by side: each worker has its part of
 * the row. */
static void places(struct svg *s, struct bar *bar)
{
    static const char *const what[] = {"row of the matrix", "matrix", "data, by first use"};
    const struct orr_trace_run *x = s->x;
    const int tags = x->rows == ORR_ROWS_TAGS, workers = (int)starpu_worker_get_count();
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
    s->y += LINE + 8;
    label(s, s->left, s->y - 5, "start", words);
    frame(s, s->y, ROWS);
    for (size_t i = 0; i < x->n; i++) {
        const struct orr_trace_record *r = &x->r[i];
        const double p = place_of(x, i),
                     size = x->rows == ORR_ROWS_MATRIX_ROWS ? (double)r->span : 1;
        if (p < 0)
            continue;
        const int colour = !groups    ? orr_trace_colour(s->colour[i])
                           : r->group ? (int)((r->group - 1) % (ORR_TRACE_COLOURS - 1))
                                      : ORR_TRACE_COLOURS - 1;
        bar[n++] = (struct bar){
            at(s, r->start), at(s, r->end), s->y + (p - low) * unit + (tags ? r->worker * part : 0),
            fmax((tags ? part : size * unit) - (unit > 4 ? 0.6 : 0), 0.6), colour};
    }
    put_bars(s, bar, n);
    for (double p = low + 1; tags && unit > 8 && p < high; p++)
        fprintf(s->f, "<path stroke=\"#ffffff\" stroke-width=\"3\" d=\"M%.1f %.1fh%.1f\"/>\n",
                s->left, s->y + (p - low) * unit, s->span * s->scale);
    const double step = fmax(1, nice_step(high - low, tags ? 16 : 6));
    for (double p = ceil(low / step) * step; p < high; p += step) {
        const double middle = x->rows == ORR_ROWS_MATRIX_ROWS ? 0 : unit / 2;
        snprintf(words, sizeof words, "%.0f", p - (tags ? low : 0));
        label(s, s->left - 8, s->y + (p - low) * unit + middle + 4, "end", words);
    }
    s->y += ROWS;
}

static void time_axis(struct svg *s, double top)
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
        label(s, x, s->y + 12, "middle", words);
    }
    snprintf(words, sizeof words, "%s from the first submission", units[u].name);
    s->y += LINE + 14;
    label(s, s->left + s->span * s->scale / 2, s->y - 4, "middle", words);
}

/* Room on the left for the widest label there. */
static double margin(const struct link *link, int n)
{
    double wide = width_of("ready tasks", FONT);
    char words[160];
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        orr_trace_worker((int)w, words, sizeof words);
        wide = fmax(wide, width_of(words, FONT));
    }
    for (int k = 0; k < n; k++) {
        link_name(&link[k], words, sizeof words);
        wide = fmax(wide, width_of(words, FONT));
    }
    return fmin(EDGE + wide + 8, WIDTH / 2.0);
}

static void draw(struct svg *s, const struct orr_trace_view *v, struct bar *bar)
{
    struct link link[LINKS];
    struct orr_trace_line line[ORR_TRACE_LINES];
    const int n = find_links(s->x, link, LINKS), lines = orr_trace_lines(s->x, line);
    s->span = s->x->end > s->x->begin ? s->x->end - s->x->begin : 1;
    s->left = margin(link, n);
    s->scale = (WIDTH - RIGHT - s->left) / s->span;
    s->merge = s->x->n > 5000 ? 0.5 : 0.1;
    s->y = EDGE;
    head(s, v);
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

int orr_trace_write_svg(FILE *f, const struct orr_trace_view *v)
{
    struct orr_trace_run x;
    if (!orr_trace_run_make(&x, v, orr_trace_run_shown(v->trace)))
        return 0;
    char *body = NULL;
    size_t size = 0;
    struct svg s = {
        .f = open_memstream(&body, &size), .x = &x, .colour = malloc((x.n + 1) * sizeof *s.colour)};
    struct bar *bar = malloc((x.n + x.moves + 1) * sizeof *bar);
    int ok = s.f && s.colour && bar;
    for (size_t i = 0; ok && i < x.n; i++)
        s.colour[i] = orr_trace_name(&s.names, x.r[i].name);
    if (ok)
        draw(&s, v, bar);
    if (s.f)
        ok = fclose(s.f) == 0 && ok && !s.failed;
    if (ok)
        fprintf(f,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
                "font-family=\"sans-serif\" font-size=\"%d\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n%s</svg>\n",
                WIDTH, s.y + EDGE, FONT, body);
    free(body);
    free(bar);
    free(s.colour);
    orr_trace_run_free(&x);
    return ok;
}
