/* See zip.h. Format: APPNOTE.TXT of PKWARE, sections 4.3.7 to 4.3.16.
 *
 *   local header, data | local header, data | ... | directory | [end64, locator] | end
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/io/zip.h"

enum {
    END = 22,
    END64 = 56,
    LOCATOR = 20,
    ENTRY = 46,
    LOCAL = 30,
    COMMENT = 65535,
    DIRECTORY_MAX = 1 << 20,
    DEFLATE_RATIO = 1032
};

static uint64_t little(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static orr_status bad(const orr_zip *z, int64_t at, const char *what, orr_io_error *err)
{
    return orr_io_fail(err, ORR_E_FILE, z->path, -1, at, "%s", what);
}

/* n bytes at `at`; 0 if they are not there. */
static int read_at(int fd, int64_t at, void *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got = pread(fd, (char *)to + done, n - done, at + (int64_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        done += (size_t)got;
    }
    return 1;
}

struct directory {
    uint64_t at, bytes, members;
};

/* The end record, and the one for large files where the first refers to it. */
static orr_status find_directory(const orr_zip *z, struct directory *d, orr_io_error *err)
{
    const int64_t room = z->size < END + COMMENT + LOCATOR ? z->size : END + COMMENT + LOCATOR;
    unsigned char *tail = malloc((size_t)room + 1), *end = NULL, big[END64];
    orr_status s = ORR_OK;
    if (!tail)
        return orr_io_fail(err, ORR_E_NOMEM, z->path, -1, -1, "out of memory");
    if (!read_at(z->fd, z->size - room, tail, (size_t)room))
        s = bad(z, z->size - room, "cannot read", err);
    for (int64_t i = room - END; s == ORR_OK && !end && i >= 0; i--)
        if (memcmp(tail + i, "PK\5\6", 4) == 0)
            end = tail + i;
    if (s == ORR_OK && !end)
        s = bad(z, z->size, "this is no zip archive (.npz), or its end is missing", err);
    if (s == ORR_OK) {
        *d = (struct directory){little(end + 16, 4), little(end + 12, 4), little(end + 10, 2)};
        if (little(end + 4, 2) != 0 && little(end + 4, 2) != 0xffff)
            s = bad(z, z->size, "the archive is in several parts", err);
    }
    if (s == ORR_OK && end - tail >= LOCATOR && memcmp(end - LOCATOR, "PK\6\7", 4) == 0) {
        const uint64_t at = little(end - LOCATOR + 8, 8);
        if (at > (uint64_t)z->size || !read_at(z->fd, (int64_t)at, big, END64) ||
            memcmp(big, "PK\6\6", 4) != 0)
            s = bad(z, z->size, "the directory of the archive is damaged", err);
        else
            *d = (struct directory){little(big + 48, 8), little(big + 40, 8), little(big + 32, 8)};
    }
    free(tail);
    if (s == ORR_OK && d->members > ORR_ZIP_MEMBERS)
        s = bad(z, z->size, "the archive has more than 128 members", err);
    if (s == ORR_OK && (d->bytes > DIRECTORY_MAX || d->at > (uint64_t)z->size ||
                        d->bytes > (uint64_t)z->size - d->at))
        s = bad(z, z->size, "the directory of the archive is damaged", err);
    return s;
}

/* Sizes that do not fit 32 bits stand in extra field 1, in this order. */
static void read_extra(const unsigned char *p, size_t n, orr_zip_member *m)
{
    int64_t *const field[] = {&m->size, &m->packed, &m->header};
    for (; n >= 4 && little(p + 2, 2) <= n - 4;
         n -= 4 + little(p + 2, 2), p += 4 + little(p + 2, 2)) {
        size_t at = 4, end = 4 + (size_t)little(p + 2, 2);
        for (int f = 0; little(p, 2) == 1 && f < 3; f++)
            if (*field[f] == UINT32_MAX && at + 8 <= end) {
                *field[f] = (int64_t)(little(p + at, 8) & INT64_MAX);
                at += 8;
            }
    }
}

static orr_status check_member(const orr_zip *z, const orr_zip_member *m, int flags, int64_t at,
                               orr_io_error *err)
{
    if (flags & 1)
        return bad(z, at, "a member of the archive is encrypted", err);
    if (m->method != 0 && m->method != 8)
        return orr_io_fail(err, ORR_E_FILE, z->path, -1, at,
                           "compression method %d of the archive is not known", m->method);
    if (m->packed > z->size || m->header > z->size - LOCAL ||
        (m->method == 0 ? m->size != m->packed
                        : m->size / DEFLATE_RATIO > m->packed + 1)) /* more than deflate can do */
        return bad(z, at, "the sizes of a member are wrong", err);
    return ORR_OK;
}

static orr_status twice(const orr_zip *z, const char *name, int64_t at, orr_io_error *err)
{
    char shown[48];
    orr_io_quote(shown, sizeof shown, name, strlen(name));
    return orr_io_fail(err, ORR_E_FILE, z->path, -1, at, "the archive holds '%s' twice", shown);
}

static orr_status read_directory(orr_zip *z, const struct directory *d, orr_io_error *err)
{
    unsigned char *all = malloc((size_t)d->bytes + 1);
    size_t at = 0;
    orr_status s = all ? ORR_OK : orr_io_fail(err, ORR_E_NOMEM, z->path, -1, -1, "out of memory");
    if (s == ORR_OK && !read_at(z->fd, (int64_t)d->at, all, (size_t)d->bytes))
        s = bad(z, (int64_t)d->at, "the directory of the archive is damaged", err);
    for (uint64_t k = 0; s == ORR_OK && k < d->members; k++) {
        const unsigned char *e = all + at;
        const size_t left = (size_t)d->bytes - at;
        const int64_t where = (int64_t)(d->at + at);
        size_t name = left < ENTRY ? 0 : (size_t)little(e + 28, 2);
        const size_t extra = left < ENTRY ? 0 : (size_t)little(e + 30, 2);
        const size_t whole = left < ENTRY ? left : ENTRY + name + extra + little(e + 32, 2);
        if (left < ENTRY || memcmp(e, "PK\1\2", 4) != 0 || whole > left) {
            s = bad(z, where, "the directory of the archive is damaged", err);
            break;
        }
        orr_zip_member *m = &z->member[z->members];
        *m = (orr_zip_member){.method = (int)little(e + 10, 2),
                              .crc = (uint32_t)little(e + 16, 4),
                              .packed = (int64_t)little(e + 20, 4),
                              .size = (int64_t)little(e + 24, 4),
                              .header = (int64_t)little(e + 42, 4)};
        read_extra(e + ENTRY + name, extra, m);
        s = check_member(z, m, (int)little(e + 8, 2), where, err);
        const int cut = name > ORR_ZIP_NAME - 1;
        name = cut ? ORR_ZIP_NAME - 1 : name;
        memcpy(m->name, e + ENTRY, name);
        if (s == ORR_OK && !cut && orr_zip_find(z, m->name))
            s = twice(z, m->name, where, err);
        z->members++;
        at += whole;
    }
    free(all);
    return s;
}

orr_status orr_zip_open(orr_zip *z, const char *path, orr_io_error *err)
{
    orr_input in;
    struct directory d = {0};
    *z = (orr_zip){.path = path, .fd = -1};
    orr_status s = orr_input_open(&in, path, err);
    if (s != ORR_OK)
        return s;
    if (in.size < 0 || in.fd < 0) {
        orr_input_close(&in);
        return bad(z, -1, "an archive is read from its end: it must be a file, not a pipe", err);
    }
    z->fd = in.fd;
    z->size = in.size;
    s = find_directory(z, &d, err);
    if (s == ORR_OK)
        s = read_directory(z, &d, err);
    if (s != ORR_OK)
        orr_zip_close(z);
    return s;
}

void orr_zip_close(orr_zip *z)
{
    if (z->fd >= 0)
        close(z->fd);
    z->fd = -1;
}

const orr_zip_member *orr_zip_find(const orr_zip *z, const char *name)
{
    for (int k = 0; k < z->members; k++)
        if (strcmp(z->member[k].name, name) == 0)
            return &z->member[k];
    return NULL;
}

int orr_zip_is_array(const orr_zip_member *m)
{
    const size_t n = strlen(m->name);
    return n > 4 && strcmp(m->name + n - 4, ".npy") == 0;
}

const orr_zip_member *orr_zip_array(const orr_zip *z, const char *name)
{
    const orr_zip_member *m = orr_zip_find(z, name);
    char member[ORR_ZIP_NAME];
    if (m && orr_zip_is_array(m))
        return m;
    return (size_t)snprintf(member, sizeof member, "%s.npy", name) < sizeof member
               ? orr_zip_find(z, member)
               : NULL;
}

/* ---- Streams ------------------------------------------------------------------------------- */

/* Up to n packed bytes. */
static size_t read_packed(orr_zip_stream *s, void *to, size_t n)
{
    if ((int64_t)n > s->end - s->at)
        n = (size_t)(s->end - s->at);
    if (n > 0 && !read_at(s->fd, s->at, to, n))
        n = 0;
    s->at += (int64_t)n;
    return n;
}

static int64_t inflate_some(orr_zip_stream *s, void *to, size_t n)
{
    s->z.next_out = to;
    s->z.avail_out = n < (size_t)1 << 30 ? (uInt)n : (uInt)1 << 30;
    const uInt asked = s->z.avail_out;
    while (s->z.avail_out == asked && s->inflating) {
        if (s->z.avail_in == 0) {
            s->z.next_in = s->raw;
            s->z.avail_in = (uInt)read_packed(s, s->raw, sizeof s->raw);
        }
        const int r = inflate(&s->z, Z_NO_FLUSH);
        if (r == Z_STREAM_END)
            s->inflating = 0;
        else if (r != Z_OK)
            return -1; /* damaged, or the data end early */
    }
    return (int64_t)(asked - s->z.avail_out);
}

static int64_t read_member(orr_input *in, void *to, size_t n)
{
    orr_zip_stream *s = (orr_zip_stream *)in;
    int64_t got;
    if ((int64_t)n > in->size - in->pos)
        n = (size_t)(in->size - in->pos);
    if (n == 0)
        return 0;
    got = s->member->method == 0 ? (int64_t)read_packed(s, to, n) : inflate_some(s, to, n);
    if (got <= 0) {
        s->damaged = 1;
        in->error = EIO;
        return -1;
    }
    for (int64_t done = 0; done < got; done += 1 << 30)
        s->crc = (uint32_t)crc32(s->crc, (const unsigned char *)to + done,
                                 got - done < 1 << 30 ? (uInt)(got - done) : (uInt)1 << 30);
    in->pos += got;
    return got;
}

orr_status orr_zip_stream_open(orr_zip_stream *s, const orr_zip *z, const orr_zip_member *m,
                               orr_io_error *err)
{
    unsigned char local[LOCAL];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%.100s/%s", z->path, m->name);
    s->input = (orr_input){.read = read_member, .name = s->name, .size = m->size, .fd = -1};
    s->member = m;
    s->fd = z->fd;
    if (!read_at(z->fd, m->header, local, LOCAL) || memcmp(local, "PK\3\4", 4) != 0)
        return bad(z, m->header, "a member of the archive is not where its directory says", err);
    s->at = m->header + LOCAL + (int64_t)(little(local + 26, 2) + little(local + 28, 2));
    s->end = s->at + m->packed;
    if (s->end > z->size)
        return bad(z, s->at, "a member of the archive ends beyond the file", err);
    if (m->method == 8) {
        if (inflateInit2(&s->z, -15) != Z_OK)
            return orr_io_fail(err, ORR_E_NOMEM, z->path, -1, -1, "out of memory");
        s->inflating = 1;
    }
    return ORR_OK;
}

orr_status orr_zip_stream_close(orr_zip_stream *s, orr_status st, orr_io_error *err)
{
    if (s->member->method == 8)
        inflateEnd(&s->z);
    if (s->damaged || (st == ORR_OK && s->crc != s->member->crc))
        return orr_io_fail(err, ORR_E_FILE, s->name, -1, -1,
                           s->damaged ? "the compressed data are damaged or end early"
                                      : "the check sum is wrong: the data are damaged");
    return st;
}
