/* Text that may be compressed with gzip, known by its first two bytes, not by its name.
 * Members of a gzip file follow one another as gzip itself reads them; anything else
 * behind the last one is an error, and so is an end before the check sum.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "src/io/internal.h"

enum { RAW = 1 << 16 };

struct orr_text {
    orr_input *in;
    int gzip;
    int inside;   /* 1: a member has begun and not ended */
    int64_t left; /* bytes that may still come */
    int banner; /* so many characters of a Matrix Market file's first word have come; -1: it is none */
    size_t raw_begin; /* bytes of raw not yet taken */
    size_t raw_end;
    z_stream z;
    unsigned char raw[RAW];
};

static orr_status refill(orr_text *t, orr_io_error *err)
{
    char why[96];
    int64_t got = t->in->read(t->in, t->raw, RAW);
    if (got < 0)
        return orr_io_fail(err, ORR_E_FILE, t->in->name, -1, t->in->pos, "cannot read: %s",
                           orr_io_strerror(why, sizeof why, t->in->error));
    t->raw_begin = 0;
    t->raw_end = (size_t)got;
    return ORR_OK;
}

orr_status orr_text_open(orr_text **text, orr_input *in, orr_io_error *err)
{
    orr_text *t = *text = malloc(sizeof *t);
    if (!t)
        return orr_io_fail(err, ORR_E_NOMEM, in->name, -1, -1, "out of memory");
    t->in = in;
    t->gzip = t->inside = 0;
    t->left = INT64_MAX;
    t->banner = -1;
    t->raw_begin = t->raw_end = 0;
    memset(&t->z, 0, sizeof t->z);
    orr_status s = refill(t, err);
    if (s == ORR_OK && t->raw_end == 1) { /* a pipe may give one byte at first */
        int64_t got = in->read(in, t->raw + 1, RAW - 1);
        t->raw_end += got > 0 ? (size_t)got : 0;
    }
    if (s == ORR_OK && t->raw_end >= 2 && t->raw[0] == 0x1f && t->raw[1] == 0x8b) {
        if (inflateInit2(&t->z, 15 + 16) == Z_OK)
            t->gzip = t->inside = 1;
        else
            s = orr_io_fail(err, ORR_E_NOMEM, in->name, -1, -1, "out of memory");
    }
    if (s != ORR_OK) {
        free(t);
        *text = NULL;
    }
    return s;
}

void orr_text_close(orr_text *t)
{
    if (t && t->gzip)
        inflateEnd(&t->z);
    free(t);
}

void orr_text_expect(orr_text *t, int64_t bytes) { t->left = bytes; }

void orr_text_no_mtx(orr_text *t) { t->banner = 0; }

int orr_text_compressed(const orr_text *t) { return t->gzip; }

static orr_status bad_gzip(orr_text *t, orr_io_error *err, const char *what)
{
    int64_t at = t->in->pos - (int64_t)(t->raw_end - t->raw_begin);
    return orr_io_fail(err, ORR_E_FILE, t->in->name, -1, at, "%s", what);
}

static orr_status gunzip(orr_text *t, char *to, size_t n, size_t *got, orr_io_error *err)
{
    t->z.next_out = (unsigned char *)to;
    t->z.avail_out = (uInt)n;
    while (t->z.avail_out == n) {
        if (t->raw_begin == t->raw_end) {
            orr_status s = refill(t, err);
            if (s != ORR_OK)
                return s;
            if (t->raw_end == 0) {
                if (t->inside)
                    return bad_gzip(t, err, "the compressed data end early");
                break;
            }
        }
        if (!t->inside) {
            if (t->raw[t->raw_begin] != 0x1f || inflateReset(&t->z) != Z_OK)
                return bad_gzip(t, err, "unexpected bytes after the compressed data");
            t->inside = 1;
        }
        t->z.next_in = t->raw + t->raw_begin;
        t->z.avail_in = (uInt)(t->raw_end - t->raw_begin);
        int r = inflate(&t->z, Z_NO_FLUSH);
        t->raw_begin = t->raw_end - t->z.avail_in;
        if (r == Z_STREAM_END)
            t->inside = 0;
        else if (r == Z_MEM_ERROR)
            return orr_io_fail(err, ORR_E_NOMEM, t->in->name, -1, -1, "out of memory");
        else if (r != Z_OK && r != Z_BUF_ERROR)
            return bad_gzip(t, err, "the compressed data are damaged");
    }
    *got = n - t->z.avail_out;
    t->left -= (int64_t)*got;
    if (t->left < 0)
        return bad_gzip(t, err, "the text goes on without numbers: too many comments or blanks");
    return ORR_OK;
}

/* Its first word begins a comment of other texts, which would hide it. A byte order mark may stand before. */
static orr_status look_for_banner(orr_text *t, const char *p, size_t n, orr_io_error *err)
{
    static const char word[] = "%%matrixmarket";
    for (size_t i = 0; i < n && t->banner >= 0; i++) {
        if (t->banner == 0 && p[i] && strchr("\xef\xbb\xbf", p[i]))
            continue;
        t->banner = tolower((unsigned char)p[i]) == word[t->banner] ? t->banner + 1 : -1;
        if (t->banner == (int)strlen(word))
            return orr_io_fail(
                err, ORR_E_FILE, t->in->name, 1, -1,
                "this is a Matrix Market file: its name should end in .mtx or .mtx.gz");
    }
    return ORR_OK;
}

static orr_status read_some(orr_text *t, char *to, size_t n, size_t *got, orr_io_error *err)
{
    char why[96];
    *got = 0;
    if (t->gzip)
        return gunzip(t, to, n < RAW * 16 ? n : RAW * 16, got, err);
    if (t->raw_begin < t->raw_end) {
        size_t left = t->raw_end - t->raw_begin;
        n = n < left ? n : left;
        memcpy(to, t->raw + t->raw_begin, n);
        t->raw_begin += n;
        *got = n;
        return ORR_OK;
    }
    int64_t r = t->in->read(t->in, to, n);
    if (r < 0)
        return orr_io_fail(err, ORR_E_FILE, t->in->name, -1, t->in->pos, "cannot read: %s",
                           orr_io_strerror(why, sizeof why, t->in->error));
    *got = (size_t)r;
    return ORR_OK;
}

orr_status orr_text_read(orr_text *t, char *to, size_t n, size_t *got, orr_io_error *err)
{
    const orr_status s = read_some(t, to, n, got, err);
    return s == ORR_OK && t->banner >= 0 ? look_for_banner(t, to, *got, err) : s;
}
