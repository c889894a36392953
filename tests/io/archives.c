/* Archives, .npz, as such: their directories and ends, also of large ones, and their arrays, by
 * names.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/io/archive.h"

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

/* As long as there can be, behind everything else. */
static void comment(void)
{
    enum { LONGEST = 65535 };
    static const double v[] = {1, 2, 3, 4};
    static unsigned char data[ROOM + LONGEST];
    struct archive z = {.n = 0};
    orr_npy a;
    orr_io_error e;
    add_array(&z, "x.npy", "<f8", "4,", v, 32, 0);
    const char *path = finished(&z, "comment.npz");
    memset(data, 'c', sizeof data);
    memcpy(data, z.data, z.n);
    little(data + z.n - 2, LONGEST, 2);
    save(path, data, z.n + LONGEST);
    CHECK(orr_npz_array(path, NULL, 0, &a, &e) == ORR_OK && ((double *)a.data)[3] == 4, "%s",
          e.message);
    orr_npy_free(&a);
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

int main(void)
{
    bad_entries();
    bad_ends();
    large_archives();
    comment();
    one_array();
    names_of_arrays();
    return checked();
}
