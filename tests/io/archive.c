/* See archive.h. SPDX-License-Identifier: BSD-3-Clause */
#include "tests/io/archive.h"

#include <zlib.h>

void little(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        p[i] = (unsigned char)v;
}

/* Of the time, as other programs write it; then the sizes, as numpy does. */
enum { TIMES = 17, SIZES = 20 };
static void put_extra(unsigned char *p, size_t n, size_t size)
{
    memcpy(p, "UT\15\0\7", 5);
    memset(p + 5, 1, 12);
    little(p + TIMES, 1, 2);
    little(p + TIMES + 2, 16, 2);
    little(p + TIMES + 4, n, 8);
    little(p + TIMES + 12, size, 8);
}

void add(struct archive *z, const char *name, const void *data, size_t n, int deflated, int large)
{
    unsigned char packed[ROOM], *e = z->directory + z->bytes;
    const size_t length = strlen(name), extra = large ? TIMES + SIZES : 0, header = z->n;
    size_t size = n;
    memcpy(packed, data, n);
    if (deflated) {
        z_stream s = {.next_in = (unsigned char *)data,
                      .avail_in = (uInt)n,
                      .next_out = packed,
                      .avail_out = sizeof packed};
        deflateInit2(&s, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
        deflate(&s, Z_FINISH);
        deflateEnd(&s);
        size = s.total_out;
    }
    memset(z->data + z->n, 0, 30);
    memcpy(z->data + z->n, "PK\3\4", 4);
    little(z->data + z->n + 26, length, 2);
    little(z->data + z->n + 28, extra, 2);
    memcpy(z->data + z->n + 30, name, length);
    if (large)
        put_extra(z->data + z->n + 30 + length, n, size);
    memcpy(z->data + z->n + 30 + length + extra, packed, size);
    z->n += 30 + length + extra + size;
    memset(e, 0, 46);
    memcpy(e, "PK\1\2", 4);
    little(e + 10, deflated ? 8 : 0, 2);
    little(e + 16, crc32(0, data, (uInt)n), 4);
    little(e + 20, large ? UINT32_MAX : size, 4);
    little(e + 24, large ? UINT32_MAX : n, 4);
    little(e + 28, length, 2);
    little(e + 30, extra, 2);
    little(e + 42, header, 4);
    memcpy(e + 46, name, length);
    if (large)
        put_extra(e + 46 + length, n, size);
    z->bytes += 46 + length + extra;
    z->members++;
}

static size_t npy(unsigned char *to, const char *type, const char *shape, const void *data,
                  size_t n)
{
    char text[120];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type,
             shape);
    memset(to, ' ', 128);
    memcpy(to, "\x93NUMPY\1\0", 8);
    little(to + 8, 118, 2);
    memcpy(to + 10, text, strlen(text));
    to[127] = '\n';
    memcpy(to + 128, data, n);
    return 128 + n;
}

void add_array(struct archive *z, const char *name, const char *type, const char *shape,
               const void *data, size_t n, int deflated)
{
    unsigned char text[1024];
    add(z, name, text, npy(text, type, shape, data, n), deflated, deflated);
}

const char *finished(struct archive *z, const char *name)
{
    const char *path = temporary(name);
    unsigned char *end = z->data + z->n;
    memcpy(end, z->directory, z->bytes);
    memset(end + z->bytes, 0, 22);
    memcpy(end + z->bytes, "PK\5\6", 4);
    little(end + z->bytes + 10, (uint64_t)z->members, 2);
    little(end + z->bytes + 12, z->bytes, 4);
    little(end + z->bytes + 16, z->n, 4);
    z->n += z->bytes + 22;
    save(path, z->data, z->n);
    return path;
}

const char *write_parts(struct archive *z, const struct parts *p, int deflated)
{
    const int coo = strcmp(p->format, "coo") == 0;
    char shape[3][16];
    float narrow[3];
    memset(z, 0, sizeof *z);
    snprintf(shape[0], sizeof shape[0], "%d,", p->minors);
    snprintf(shape[1], sizeof shape[1], "%d,", p->majors);
    snprintf(shape[2], sizeof shape[2], "%d,", p->datas);
    for (int k = 0; k < 3; k++)
        narrow[k] = (float)p->data[k];
    add_array(z, coo ? "col.npy" : "indices.npy", "<i4", shape[0], p->minor, 4 * (size_t)p->minors,
              deflated);
    add_array(z, coo ? "row.npy" : "indptr.npy", "<i4", shape[1], p->major, 4 * (size_t)p->majors,
              deflated);
    add_array(z, "format.npy", p->string, "", p->format, strlen(p->format), deflated);
    add_array(z, "shape.npy", "<i8", "2,", p->shape, 16, deflated);
    if (strcmp(p->type, "<f8") == 0)
        add_array(z, "data.npy", p->type, shape[2], p->data, 8 * (size_t)p->datas, deflated);
    else
        add_array(z, "data.npy", p->type, shape[2], narrow, 4 * (size_t)p->datas, deflated);
    return finished(z, "m.npz");
}

int same_matrix(const orr_mtx *m)
{
    double dense[3][4] = {{0}};
    if (m->rows != 3 || m->cols != 4 || m->entries != 3 || !m->val)
        return 0;
    for (int k = 0; k < 3; k++)
        dense[m->row[k]][m->col[k]] += m->val[k];
    return dense[0][1] == 1.5 && dense[2][0] == -2 && dense[2][3] == 4;
}
