/* See svg.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/picture/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/utf8.h"

double orr_svg_width(const char *s, double size)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return 0.63 * size * (double)n;
}

/* 1: XML allows the character of n bytes. */
static int is_allowed(const char *s, size_t n)
{
    static const char *const none[] = {"\xef\xbf\xbe", "\xef\xbf\xbf"}; /* U+FFFE, U+FFFF */
    return n > 0 && (unsigned char)*s >= 0x20 && *s != 0x7f &&
           !(n == 3 && (!strncmp(s, none[0], n) || !strncmp(s, none[1], n)));
}

static size_t letter(const char *s)
{
    const size_t n = orr_utf8_length(s);
    return n ? n : 1;
}

static void put_escaped(FILE *f, const char *s, size_t n)
{
    for (const char *const end = s + n; s < end; s += letter(s))
        switch (*s) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default:
            if (is_allowed(s, orr_utf8_length(s)))
                fwrite(s, 1, letter(s), f);
            else
                fputc('?', f);
        }
}

static void text(const struct orr_svg *s, double x, double y, const char *how, const char *words,
                 size_t n)
{
    fprintf(s->f, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, how);
    put_escaped(s->f, words, n);
    fputs("</text>\n", s->f);
}

void orr_svg_label(const struct orr_svg *s, double x, double y, const char *anchor,
                   const char *words)
{
    char how[48];
    snprintf(how, sizeof how, " text-anchor=\"%s\"", anchor);
    text(s, x, y, how, words, strlen(words));
}

void orr_svg_name(const struct orr_svg *s, double x, double y, const char *name)
{
    const size_t most = (size_t)((ORR_SVG_WIDTH - ORR_SVG_EDGE - x) / (0.63 * ORR_SVG_FONT));
    size_t n = 0, cut = 0;
    for (size_t k = 0; k < most && name[n]; k++) {
        n += letter(name + n);
        cut = k + 3 < most ? n : cut;
    }
    fprintf(s->f, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    put_escaped(s->f, name, name[n] ? cut : n);
    fputs(name[n] ? "...</text>\n" : "</text>\n", s->f);
}

/* Bytes of as many letters, or up to the last blank of their second half, if the words go on. */
static size_t line_of(const char *words, size_t most)
{
    size_t n = 0, blank = 0;
    for (size_t k = 0; k < most && words[n]; k++) {
        if (words[n] == ' ' && k > most / 2)
            blank = n;
        n += letter(words + n);
    }
    return blank && words[n] && words[n] != ' ' ? blank : n;
}

void orr_svg_paragraph(struct orr_svg *s, const char *words, int bold)
{
    const size_t most =
        (size_t)((ORR_SVG_WIDTH - 2 * ORR_SVG_EDGE) / ((bold ? 0.7 : 0.63) * ORR_SVG_FONT));
    while (*words) {
        const size_t n = line_of(words, most);
        s->y += ORR_SVG_LINE;
        text(s, ORR_SVG_EDGE, s->y - 4, bold ? " font-weight=\"bold\"" : "", words, n);
        for (words += n; *words == ' '; words++)
            ;
    }
}

double orr_svg_at(const struct orr_svg *s, double us)
{
    return s->left + (us - s->x->begin) * s->scale;
}

/* ---- Many tasks, one path for each colour --------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const struct orr_svg_bar *a = x, *b = y;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static void put_bar(FILE *f, const struct orr_svg_bar *b)
{
    const double w = b->to - b->from, gap = w > 2 ? 0.4 : 0;
    fprintf(f, "M%.2f %.1fh%.2fv%.1fh-%.2fz", b->from, b->y, fmax(w - gap, 0.08), b->height,
            fmax(w - gap, 0.08));
}

void orr_svg_bars(const struct orr_svg *s, struct orr_svg_bar *b, size_t n)
{
    qsort(b, n, sizeof *b, by_place);
    for (int c = 0; c < ORR_PICTURE_COLOURS; c++) {
        struct orr_svg_bar last = {0};
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
                fprintf(s->f, "<path fill=\"%s\" d=\"", orr_picture_palette[c]);
            last = b[i];
            open = 1;
        }
        if (open) {
            put_bar(s->f, &last);
            fputs("\"/>\n", s->f);
        }
    }
}

void orr_svg_frame(const struct orr_svg *s, double y, double height)
{
    fprintf(s->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f2f2f2\"/>\n",
            s->left, y, s->span * s->scale, height);
}
