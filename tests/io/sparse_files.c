/* Archives of sparse matrices, .npz: what they hold, and what must be refused, with the array or
 * index the message names. They are cut at every length and changed at every byte: an error or the
 * same matrix, never another one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <zlib.h>

#include "tests/io/check.h"

/* ---- Archives ------------------------------------------------------------------------------ */

enum { ROOM = 1 << 13 };

struct archive {
    unsigned char data[ROOM], directory[ROOM];
    size_t n, bytes;
    int members;
};

static void little(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        p[i] = (unsigned char)v;
}

/* large: sizes in the extra field, as numpy writes them. */
static void add(struct archive *z, const char *name, const void *data, size_t n, int deflated,
                int large)
{
    unsigned char packed[ROOM], *e = z->directory + z->bytes;
    const size_t length = strlen(name), extra = large ? 20 : 0, header = z->n;
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
    memcpy(z->data + z->n + 30, name, length);
    memcpy(z->data + z->n + 30 + length, packed, size);
    z->n += 30 + length + size;
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
    if (large) {
        little(e + 46 + length, 1, 2);
        little(e + 48 + length, 16, 2);
        little(e + 50 + length, n, 8);
        little(e + 58 + length, size, 8);
    }
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

static void add_array(struct archive *z, const char *name, const char *type, const char *shape,
                      const void *data, size_t n, int deflated)
{
    unsigned char text[1024];
    add(z, name, text, npy(text, type, shape, data, n), deflated, deflated);
}

/* 0: as it was counted. */
static const char *finished(struct archive *z, const char *name)
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

/* The 3 x 4 matrix [0 1.5 0 0; 0 0 0 0; -2 0 0 4] in some format. */
struct parts {
    const char *format, *string, *type;
    int32_t major[4]; /* indptr, or 3 rows */
    int32_t minor[3];
    int64_t shape[2];
    double data[3];
    int majors, minors, datas;
};
static const struct parts csr = {"csr", "|S3", "<f8", {0, 1, 1, 3}, {1, 0, 3}, {3, 4}, {1.5, -2, 4},
                                 4,     3,     3};

static const char *write_parts(struct archive *z, const struct parts *p, int deflated)
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

/* csc stores the same matrix by columns. */
static int same_matrix(const orr_mtx *m)
{
    double dense[3][4] = {{0}};
    if (m->rows != 3 || m->cols != 4 || m->entries != 3 || !m->val)
        return 0;
    for (int k = 0; k < 3; k++)
        dense[m->row[k]][m->col[k]] += m->val[k];
    return dense[0][1] == 1.5 && dense[2][0] == -2 && dense[2][3] == 4;
}

static void good_archives(void)
{
    const struct parts forms[] = {
        csr,
        {"csr", "|S3", "<f4", {0, 1, 1, 3}, {1, 0, 3}, {3, 4}, {1.5, -2, 4}, 4, 3, 3},
        {"coo", "|S3", "<f8", {2, 0, 2}, {0, 1, 3}, {3, 4}, {-2, 1.5, 4}, 3, 3, 3}};
    struct archive z;
    orr_mtx m;
    orr_io_error e;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int deflated = 0; deflated < 2; deflated++) {
            const orr_status st = orr_npz_read(write_parts(&z, &forms[i], deflated), 0, &m, &e);
            CHECK(st == ORR_OK && same_matrix(&m), "form %zu: %s", i, e.message);
            orr_mtx_free(&m);
        }
    struct parts csc = csr; /* the transposed matrix by its columns */
    csc.format = "csc";
    csc.shape[0] = 4, csc.shape[1] = 3;
    CHECK(orr_npz_read(write_parts(&z, &csc, 1), 0, &m, &e) == ORR_OK && m.rows == 4 &&
              m.row[2] == 3 && m.col[2] == 2 && m.val[2] == 4,
          "csc: %s", e.message);
    orr_mtx_free(&m);
}

static void refuse(const struct parts *p, const char *part)
{
    struct archive z;
    orr_mtx m;
    orr_io_error e;
    const orr_status st = orr_npz_read(write_parts(&z, p, 0), 0, &m, &e);
    CHECK(st == ORR_E_FILE && strstr(e.message, part) && strstr(e.message, "m.npz") && !m.row,
          "'%s', not '%s'", e.message, part);
    orr_mtx_free(&m);
}

static void bad_archives(void)
{
    struct parts p = csr;
    p.minor[1] = 4;
    refuse(&p, "indices.npy[1] is 4, not a whole number from 0 to 3");
    p.minor[1] = -1;
    refuse(&p, "indices.npy[1] is -1");
    p = csr;
    p.major[1] = 2, p.major[2] = 1;
    refuse(&p, "indptr.npy[2] is 1");
    p = csr;
    p.major[3] = 2;
    refuse(&p, "indptr.npy[3] is 2");
    p = csr;
    p.majors = 3;
    refuse(&p, "indptr.npy has 3 elements instead of 4");
    p.shape[0] = 2;
    p.majors = 4;
    refuse(&p, "indptr.npy has 4 elements instead of 3");
    p = csr;
    p.major[0] = 1;
    refuse(&p, "indptr.npy[0] is 1");
    p = csr;
    p.datas = 2;
    refuse(&p, "data.npy has 2 elements for 3");
    p = csr;
    p.major[3] = p.minors = 2;
    refuse(&p, "data.npy has 3 elements for 2");
    p = csr;
    p.data[2] = strtod("nan", NULL);
    refuse(&p, "data.npy[2] is nan");
    p = csr;
    p.shape[0] = -1;
    refuse(&p, "two sizes");
    p = csr;
    p.format = "dia";
    refuse(&p, "format 'dia' is not read");
    p = csr;
    p.shape[0] = (int64_t)1 << 52;
    refuse(&p, "elements instead of");

    struct archive z = {.n = 0};
    orr_mtx m;
    orr_io_error e;
    add(&z, "a.npy", "x", 1, 0, 0);
    CHECK(orr_npz_read(finished(&z, "a.npz"), 0, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "it has no format.npy"),
          "%s", e.message);
    save(temporary("text.npz"), "no archive\n", 11);
    CHECK(orr_npz_read(temporary("text.npz"), 0, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "no zip archive"),
          "%s", e.message);
    CHECK(orr_npz_read(temporary("absent.npz"), 0, &m, &e) == ORR_E_FILE, "%s", e.message);
    CHECK(orr_npz_read(write_parts(&z, &csr, 1), 8, &m, &e) == ORR_E_NOMEM, "%s", e.message);
}

/* The archive of csr with another array of that name; type NULL: the member is these bytes. */
static void refuse_with(const char *name, const char *type, const char *shape, const void *data,
                        size_t n, const char *part)
{
    static const struct {
        const char *name, *type, *shape;
        const void *data;
        size_t n;
    } whole[] = {{"indices.npy", "<i4", "3,", csr.minor, 12},
                 {"indptr.npy", "<i4", "4,", csr.major, 16},
                 {"format.npy", "|S3", "", "csr", 3},
                 {"shape.npy", "<i8", "2,", csr.shape, 16},
                 {"data.npy", "<f8", "3,", csr.data, 24}};
    struct archive z = {.n = 0};
    orr_mtx m;
    orr_io_error e;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(whole[i].name, name) != 0)
            add_array(&z, whole[i].name, whole[i].type, whole[i].shape, whole[i].data, whole[i].n,
                      0);
        else if (type)
            add_array(&z, name, type, shape, data, n, 0);
        else
            add(&z, name, data, n, 0, 0);
    const orr_status st = orr_npz_read(finished(&z, "m.npz"), 0, &m, &e);
    CHECK(st == ORR_E_FILE && strstr(e.message, part) && !m.row && !m.val, "'%s', not '%s'",
          e.message, part);
    orr_mtx_free(&m);
}

static void bad_arrays(void)
{
    const double huge[] = {1e300, 4}, beyond[] = {3, 0x1p63}, broken[] = {1, 0.5, 3};
    const double square[] = {3, 4}, endless[] = {strtod("inf", NULL), 4};
    const float narrow[] = {1, 0, 3};
    char text[1100];
    memset(text, 'x', sizeof text);
    refuse_with("shape.npy", "<f8", "2,", huge, 16, "shape.npy is not two sizes");
    refuse_with("shape.npy", "<f8", "2,", beyond, 16, "shape.npy is not two sizes");
    refuse_with("shape.npy", "<f8", "2,", endless, 16, "shape.npy is not two sizes");
    refuse_with("shape.npy", "<f8", "1, 2", square, 16,
                "shape.npy has 2 dimensions instead of one");
    refuse_with("indices.npy", "<f8", "3,", broken, 24, "indices.npy[1] is 0.5");
    refuse_with("indices.npy", "<f4", "3,", narrow, 12, "indices.npy holds no integers");
    refuse_with("indptr.npy", "<f4", "3,", narrow, 12, "indptr.npy");
    refuse_with("data.npy", "<f2", "3,", "\0\0\0\0\0", 6, "half precision values are not read");
    refuse_with("data.npy", "<f8", "3, 1", broken, 24, "data.npy has 2 dimensions");
    refuse_with("format.npy", NULL, "", text, 9, "format.npy is no short string");
    refuse_with("format.npy", NULL, "", text, sizeof text, "format.npy is no short string");
    refuse_with("format.npy", NULL, "", text, 20, "format.npy is no string");

    struct parts p = {"coo", "|S3", "<f8", {2, 0, 2}, {0, 1, 3}, {3, 4}, {-2, 1.5, 4}, 3, 2, 3};
    refuse(&p, "row.npy and col.npy are not of one length");
}

/* An array whose entry in the directory is changed, `bytes` bytes at `at`. */
static void refuse_entry(size_t at, uint64_t value, int bytes, int deflated, const char *part)
{
    static const double v[] = {1, 2, 3, 4};
    struct archive z = {.n = 0};
    orr_npy a;
    orr_io_error e;
    add(&z, "notes.txt", "hello", 5, 0, 0);
    const size_t last = z.bytes;
    add(&z, "x.npy", v, sizeof v, deflated, 0);
    little(z.directory + last + at, value, bytes);
    CHECK(orr_npz_array(finished(&z, "entry.npz"), NULL, 0, &a, &e) == ORR_E_FILE &&
              strstr(e.message, part),
          "byte %zu: '%s', not '%s'", at, e.message, part);
}

static void bad_entries(void)
{
    refuse_entry(8, 1, 2, 0, "encrypted");
    refuse_entry(10, 9, 2, 0, "compression method 9");
    refuse_entry(24, 33, 4, 0, "the sizes of a member are wrong");
    refuse_entry(24, 1 << 20, 4, 1, "the sizes of a member are wrong");
    refuse_entry(20, 1 << 20, 4, 1, "the sizes of a member are wrong");
    refuse_entry(42, 1 << 20, 4, 1, "the sizes of a member are wrong");
    refuse_entry(20, 160, 4, 1, "ends beyond the file");
    refuse_entry(32, 4, 2, 0, "the directory of the archive is damaged");
}

/* What the record at the end of an archive says, changed likewise. */
static void refuse_end(size_t at, uint64_t value, const char *part)
{
    struct archive z = {.n = 0};
    orr_npy a;
    orr_io_error e;
    add(&z, "x.npy", "x", 1, 0, 0);
    const char *path = finished(&z, "end.npz");
    little(z.data + z.n - 22 + at, value, 2);
    save(path, z.data, z.n);
    CHECK(orr_npz_array(path, NULL, 0, &a, &e) == ORR_E_FILE && strstr(e.message, part),
          "byte %zu: '%s', not '%s'", at, e.message, part);
}

static void bad_ends(void)
{
    refuse_end(4, 1, "in several parts");
    refuse_end(10, 129, "more than 128 members");
    refuse_end(10, 2, "the directory of the archive is damaged");
}

/* The directory of an archive above 4 GiB, which the end record only points to; `at`: of its own
 * end record, where the locator looks for it, 0: where it is. */
static const char *finished_large(struct archive *z, const char *name, uint64_t at)
{
    const char *path = temporary(name);
    unsigned char *end = z->data + z->n + z->bytes;
    memcpy(z->data + z->n, z->directory, z->bytes);
    memset(end, 0, 56 + 20);
    memset(end + 76, 0xff, 22);
    memcpy(end, "PK\6\6", 4);
    little(end + 32, (uint64_t)z->members, 8);
    little(end + 40, z->bytes, 8);
    little(end + 48, z->n, 8);
    memcpy(end + 56, "PK\6\7", 4);
    little(end + 56 + 8, at ? at : z->n + z->bytes, 8);
    memcpy(end + 76, "PK\5\6", 4);
    save(path, z->data, z->n + z->bytes + 98);
    return path;
}

static void large_archives(void)
{
    static const double v[] = {1, 2, 3, 4};
    struct archive z = {.n = 0};
    orr_npy a;
    orr_io_error e;
    add_array(&z, "x.npy", "<f8", "4,", v, 32, 1);
    CHECK(orr_npz_array(finished_large(&z, "large.npz", 0), NULL, 0, &a, &e) == ORR_OK &&
              ((double *)a.data)[3] == 4,
          "%s", e.message);
    orr_npy_free(&a);
    const uint64_t wrong[] = {1, z.n + z.bytes + 90, UINT64_MAX};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        CHECK(orr_npz_array(finished_large(&z, "large.npz", wrong[k]), NULL, 0, &a, &e) ==
                      ORR_E_FILE &&
                  strstr(e.message, "the directory of the archive is damaged"),
              "%s", e.message);
    CHECK(orr_npz_array("/dev/null", NULL, 0, &a, &e) == ORR_E_FILE &&
              strstr(e.message, "it must be a file, not a pipe"),
          "%s", e.message);
}

/* The same without the numbers. */
static void shapes(void)
{
    static const double v[] = {3, 4, 5, 6};
    struct archive z;
    orr_shape s;
    orr_io_error e;
    CHECK(orr_shape_read(write_parts(&z, &csr, 1), &s, &e) == ORR_OK && s.shape[0] == 3 &&
              s.shape[1] == 4 && s.entries == 3,
          "%s", e.message);
    for (int arrays = 1; arrays <= 2; arrays++) {
        z = (struct archive){.n = 0};
        add(&z, "notes.txt", "hello", 5, 0, 0);
        add_array(&z, "x.npy", "<f8", "2, 2", v, 32, 0);
        if (arrays == 2)
            add_array(&z, "y.npy", "<f8", "4,", v, 32, 0);
        const orr_status st = orr_shape_read(finished(&z, "some.npz"), &s, &e);
        CHECK(arrays == 1 ? st == ORR_OK && s.ndim == 2 && s.shape[1] == 2
                          : st == ORR_E_FILE && strstr(e.message, "exactly one array"),
              "%d arrays: %s", arrays, e.message);
    }
    z = (struct archive){.n = 0};
    add_array(&z, "shape.npy", "<f8", "3,", v, 24, 0);
    add_array(&z, "data.npy", "<f8", "4,", v, 32, 0);
    CHECK(orr_shape_read(finished(&z, "three.npz"), &s, &e) == ORR_E_FILE &&
              strstr(e.message, "not two sizes"),
          "%s", e.message);
}

/* One array of an archive, chosen by its name where there are several. */
static void one_array(void)
{
    static const double v[] = {1, 2, 3, 4};
    struct archive z = {.n = 0};
    orr_npy a;
    orr_io_error e;
    const char *path;
    add_array(&z, "x.npy", "<f8", "2, 2", v, 32, 0);
    add(&z, "notes.txt", "hello", 5, 0, 0);
    path = finished(&z, "dense.npz");
    CHECK(orr_npz_array(path, NULL, 0, &a, &e) == ORR_OK && a.ndim == 2 &&
              ((double *)a.data)[3] == 4 && !orr_npz_is_sparse(path),
          "%s", e.message);
    orr_npy_free(&a);
    CHECK(orr_npz_array(path, "notes.txt", 0, &a, &e) == ORR_E_FILE &&
              strstr(e.message, "holds no array 'notes.txt', but x"),
          "%s", e.message);
    CHECK(orr_npz_array(path, "x", 31, &a, &e) == ORR_E_NOMEM && !a.data, "%s", e.message);
    z = (struct archive){.n = 0};
    add_array(&z, "x.npy", "<f8", "2, 2", v, 32, 1);
    add_array(&z, "y.npy", "<f8", "4,", v, 32, 1);
    path = finished(&z, "two.npz");
    CHECK(orr_npz_array(path, NULL, 0, &a, &e) == ORR_E_FILE && !a.data &&
              orr_npz_arrays(path) == 2 &&
              strstr(e.message, "two.npz: holds 2 arrays; name one of them: x, y"),
          "%s", e.message);
    for (int k = 0; k < 2; k++) {
        CHECK(orr_npz_array(path, k ? "y.npy" : "y", 0, &a, &e) == ORR_OK && a.ndim == 1, "%s",
              e.message);
        orr_npy_free(&a);
    }
    CHECK(orr_npz_array(path, "z", 0, &a, &e) == ORR_E_FILE &&
              strstr(e.message, "holds no array 'z', but x, y"),
          "%s", e.message);
    z = (struct archive){.n = 0};
    add(&z, "notes.txt", "hello", 5, 0, 0);
    CHECK(orr_npz_array(finished(&z, "none.npz"), NULL, 0, &a, &e) == ORR_E_FILE &&
              strstr(e.message, "holds no array"),
          "%s", e.message);
    CHECK(orr_npz_is_sparse(write_parts(&z, &csr, 0)), "sparse");
    shapes();
    CHECK(orr_npz_arrays("no such file") == -1, "arrays of nothing");
    CHECK(orr_npz_array(NULL, NULL, 0, &a, &e) == ORR_E_ARG, "no path");
}

/* Which of two arrays of one name is meant nobody can tell: refused, whichever is asked for. A name with its
 * suffix is that one, not one that has the suffix twice. */
static void names_of_arrays(void)
{
    static const double v[] = {1, 2, 3, 4};
    static const char *const asked[] = {NULL, "x", "x.npy", "y"};
    struct archive z = {.n = 0};
    orr_npy a;
    orr_shape shape;
    orr_io_error e;
    add_array(&z, "x.npy", "<f8", "2, 2", v, 32, 0);
    add_array(&z, "y.npy", "<f8", "2,", v, 16, 0);
    add_array(&z, "x.npy", "<f8", "4,", v, 32, 0);
    const char *path = finished(&z, "twice.npz");
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        CHECK(orr_npz_array(path, asked[k], 0, &a, &e) == ORR_E_FILE && !a.data &&
                  strstr(e.message, "twice.npz: byte") && strstr(e.message, "holds 'x.npy' twice"),
              "%s", e.message);
    CHECK(orr_shape_read(path, &shape, &e) == ORR_E_FILE && strstr(e.message, "twice"), "%s",
          e.message);
    CHECK(!orr_npz_is_sparse(path) && orr_npz_arrays(path) == -1, "an archive that was refused");

    char longer[160], named[256];
    z = (struct archive){.n = 0};
    for (int k = 0; k < 2; k++) { /* of which only the beginnings are the same */
        snprintf(longer, sizeof longer, "%0150d.npy", k);
        add(&z, longer, "", 0, 0, 0);
    }
    add_array(&z, "x.npy.npy", "<f8", "4,", v, 32, 0);
    add_array(&z, "x.npy", "<f8", "2, 2", v, 32, 0);
    path = finished(&z, "suffixes.npz");
    for (int dims = 1; dims <= 2; dims++) {
        const char *name = dims == 1 ? "x.npy.npy" : "x.npy";
        snprintf(named, sizeof named, "%s:%s", path, name);
        CHECK(orr_npz_array(path, name, 0, &a, &e) == ORR_OK && a.ndim == dims, "%s", e.message);
        CHECK(orr_shape_read(named, &shape, &e) == ORR_OK && shape.ndim == dims, "%s: %d, %s", name,
              shape.ndim, e.message);
        orr_npy_free(&a);
    }
}

/* Cut anywhere, and changed anywhere: refused, or what was written. */
static void damaged(int deflated)
{
    struct archive z;
    orr_mtx m;
    orr_io_error e;
    write_parts(&z, &csr, deflated);
    const char *path = temporary("damaged.npz");
    char fixed[128];
    int refused = 0;
    snprintf(fixed, sizeof fixed, "%s", path);
    for (size_t n = 0; n < z.n; n++) {
        save(fixed, z.data, n);
        CHECK(orr_npz_read(fixed, 0, &m, &e) == ORR_E_FILE && e.message[0], "cut at %zu", n);
    }
    for (size_t i = 0; i < z.n; i++) {
        const unsigned char old = z.data[i];
        z.data[i] ^= (unsigned char)(1 << i % 8);
        save(fixed, z.data, z.n);
        const orr_status st = orr_npz_read(fixed, 1 << 20, &m, &e);
        CHECK(st != ORR_OK || same_matrix(&m), "byte %zu changed: another matrix", i);
        refused += st != ORR_OK;
        orr_mtx_free(&m);
        z.data[i] = old;
    }
    CHECK(refused > (int)z.n / 2, "only %d of %zu changes were noticed", refused, z.n);
}

int main(void)
{
    good_archives();
    bad_archives();
    bad_arrays();
    bad_entries();
    bad_ends();
    large_archives();
    one_array();
    names_of_arrays();
    damaged(0);
    damaged(1);
    return checked();
}
