/* Archives of sparse matrices, .npz: what they hold, and what must be refused, with the array or
 * index the message names. They are cut at every length and changed at every byte: an error or the
 * same matrix, never another one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/io/archive.h"

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

/* csr, with such values. */
static const char *write_complex(const char *type, const void *data, size_t n)
{
    struct archive z = {.n = 0};
    add_array(&z, "indices.npy", "<i4", "3,", csr.minor, 12, 0);
    add_array(&z, "indptr.npy", "<i4", "4,", csr.major, 16, 0);
    add_array(&z, "format.npy", "|S3", "", "csr", 3, 0);
    add_array(&z, "shape.npy", "<i8", "2,", csr.shape, 16, 0);
    add_array(&z, "data.npy", type, "3,", data, n, 0);
    return finished(&z, "m.npz");
}

static void complex_archives(void)
{
    double wide[] = {1.5, -1, -2, 0.5, 4, 3};
    const float narrow[] = {1.5f, -1, -2, 0.5f, 4, 3};
    orr_mtx m;
    orr_io_error e;
    for (int single = 0; single < 2; single++) {
        const char *path = single ? write_complex("<c8", narrow, sizeof narrow)
                                  : write_complex("<c16", wide, sizeof wide);
        CHECK(orr_npz_read(path, 0, &m, &e) == ORR_OK && m.field == ORR_MTX_COMPLEX &&
                  m.entries == 3 && memcmp(m.val, wide, sizeof wide) == 0,
              "complex, %s: %s", single ? "single" : "double", e.message);
        orr_mtx_free(&m);
    }
    wide[3] = strtod("inf", NULL);
    CHECK(orr_npz_read(write_complex("<c16", wide, sizeof wide), 0, &m, &e) == ORR_E_FILE &&
              !m.val && strstr(e.message, "data.npy[1] is inf"),
          "%s", e.message);
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
    p.format = "csrx";
    p.string = "|S4";
    refuse(&p, "format 'csrx' is not read");
    p = csr;
    p.major[1] = 9;
    refuse(&p, "indptr.npy[1] is 9");
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
    complex_archives();
    bad_archives();
    bad_arrays();
    damaged(0);
    damaged(1);
    return checked();
}
