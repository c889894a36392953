/* .npy files as they are written: what is written comes back bit by bit, in both orders; streams of
 * several arrays; what writing leaves behind when it fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>

#include "tests/io/npy_made.h"
#include "tests/random.h"

static void fill(unsigned char *p, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t k = 0; k < n; k++)
        p[k] = (unsigned char)next_bits(&x);
}

/* The bytes of element (i...) of a Fortran array. */
static size_t fortran_place(int ndim, const int64_t *shape, int64_t c)
{
    int64_t at[4], k = 0;
    for (int d = ndim - 1; d >= 0; d--) {
        at[d] = c % shape[d];
        c /= shape[d];
    }
    for (int d = ndim - 1; d >= 0; d--)
        k = k * shape[d] + at[d];
    return (size_t)k;
}

static void round_trips(void)
{
    static const int64_t shapes[][5] = {
        {0},          {1, 7},           {1, 0},       {2, 3, 5}, {2, 67, 131}, {3, 4, 33, 35},
        {3, 1, 5, 1}, {4, 3, 2, 5, 37}, {3, 0, 4, 4}, {2, 1, 9}};
    const char *path = temporary("round.npy");
    for (orr_type t = ORR_S; t <= ORR_H; t++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int fortran = 0; fortran < 2; fortran++) {
                int ndim = (int)shapes[k][0];
                const int64_t *shape = shapes[k] + 1;
                size_t size = orr_io_type_size(t), n = 1;
                for (int d = 0; d < ndim; d++)
                    n *= (size_t)shape[d];
                unsigned char *data = malloc(n * size + 1);
                orr_npy a;
                orr_io_error e;
                fill(data, n * size);
                CHECK(orr_npy_write(path, t, ndim, shape, fortran, data, &e) == ORR_OK, "%s",
                      e.message);
                struct stat st;
                CHECK(stat(path, &st) == 0 && ((size_t)st.st_size - n * size) % 64 == 0,
                      "the header is not aligned");
                CHECK(orr_npy_read(path, 0, &a, &e) == ORR_OK, "%s", e.message);
                CHECK(a.type == t && a.ndim == ndim &&
                          memcmp(a.shape, shape, (size_t)ndim * sizeof *shape) == 0,
                      "shape");
                size_t wrong = 0;
                for (size_t c = 0; a.data && c < n; c++)
                    wrong +=
                        memcmp((char *)a.data + c * size,
                               data + size * (fortran ? fortran_place(ndim, shape, (int64_t)c) : c),
                               size) != 0;
                CHECK(wrong == 0, "type %d, shape %d, fortran %d: %zu wrong", t, (int)k, fortran,
                      wrong);
                orr_npy_free(&a);
                free(data);
            }
}

/* ---- streams ---- */

static double stream_data[400000];

static void *feed(void *fd)
{
    FILE *f = fdopen(*(int *)fd, "wb");
    make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (400000,)}", NULL, 0);
    fwrite(file, 1, file_size, f);
    fwrite(stream_data, 8, 400000, f);
    make(3, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", stream_data, 16);
    fwrite(file, 1, file_size, f);
    /* The third claims 2^60 bytes and has 8. */
    make(1, HEAD "(1073741824, 134217728)}", stream_data, 8);
    fwrite(file, 1, file_size, f);
    fclose(f);
    return NULL;
}

static void streams(void)
{
    int ends[2], eof = 7;
    pthread_t thread;
    orr_npy a;
    orr_io_error e;
    for (int k = 0; k < 400000; k++)
        stream_data[k] = k;
    CHECK(pipe(ends) == 0, "pipe");
    pthread_create(&thread, NULL, feed, &ends[1]);
    FILE *f = fdopen(ends[0], "rb");
    CHECK(orr_npy_read_stream(f, "pipe", 0, &a, &eof, &e) == ORR_OK && !eof, "%s", e.message);
    CHECK(a.shape[0] == 400000 && memcmp(a.data, stream_data, sizeof stream_data) == 0, "data");
    orr_npy_free(&a);
    CHECK(orr_npy_read_stream(f, "pipe", 0, &a, &eof, &e) == ORR_OK && !eof && a.ndim == 2, "%s",
          e.message);
    orr_npy_free(&a);
    CHECK(orr_npy_read_stream(f, "pipe", 0, &a, &eof, &e) == ORR_E_FILE && !eof && !a.data &&
              strstr(e.message, "ends in the data"),
          "%s", e.message);
    CHECK(orr_npy_read_stream(f, "pipe", 0, &a, &eof, &e) == ORR_OK && eof && !a.data, "eof");
    pthread_join(thread, NULL);
    fclose(f);

    /* Two arrays in a file: fine as a stream, an error as a file. */
    const char *path = temporary("two.npy");
    make(1, HEAD "(2, 3)}", stream_data, 48);
    f = fopen(path, "wb");
    fwrite(file, 1, file_size, f);
    fwrite(file, 1, file_size, f);
    fclose(f);
    f = fopen(path, "rb");
    for (int k = 0; k < 3; k++) {
        CHECK(orr_npy_read_stream(f, "two", 48, &a, &eof, &e) == ORR_OK && eof == (k == 2), "%s",
              e.message);
        orr_npy_free(&a);
    }
    fclose(f);
    CHECK(orr_npy_read(path, 0, &a, &e) == ORR_E_FILE && e.offset == (int64_t)file_size &&
              strstr(e.message, "bytes follow the array"),
          "%s", e.message);
    CHECK(orr_npy_read("/tmp", 0, &a, &e) == ORR_E_FILE && strstr(e.message, "directory"), "%s",
          e.message);
    if (access("/proc/self/mem", R_OK) == 0) /* its first page cannot be read */
        CHECK(orr_npy_read("/proc/self/mem", 0, &a, &e) == ORR_E_FILE &&
                  strstr(e.message, "cannot read"),
              "%s", e.message);
    CHECK(orr_npy_read(NULL, 0, &a, &e) == ORR_E_ARG, "NULL path");
    CHECK(orr_npy_read("-", 0, NULL, &e) == ORR_E_ARG, "NULL array");
    CHECK(orr_npy_read_stream(NULL, "x", 0, &a, &eof, &e) == ORR_E_ARG, "NULL stream");
    orr_npy_free(NULL);
    CHECK(orr_npy_read("/dev/zero", 0, &a, &e) == ORR_E_FILE && strstr(e.message, "not a .npy"),
          "%s", e.message);
}

/* "-" is stdin and stdout: both are lent to a pipe. */
static void standard_streams(void)
{
    static const double v[2] = {1, 2};
    const int64_t two[] = {2};
    int ends[2], saved_in = dup(0), saved_out = dup(1);
    orr_npy a;
    orr_io_error e;
    fflush(stdout);
    CHECK(pipe(ends) == 0 && dup2(ends[1], 1) == 1, "pipe");
    orr_status first = orr_npy_write("-", ORR_D, 1, two, 0, v, &e);
    orr_status second = orr_npy_write("-", ORR_D, 1, two, 0, v, &e);
    dup2(saved_out, 1);
    close(ends[1]);
    CHECK(first == ORR_OK && second == ORR_OK, "%s", e.message);
    dup2(ends[0], 0);
    CHECK(orr_npy_read("-", 0, &a, &e) == ORR_E_FILE && e.offset == 144 && !a.data &&
              strstr(e.message, "standard input: byte 144: more data follow"),
          "%s", e.message);
    dup2(saved_in, 0);
    close(ends[0]);
    close(saved_in);
    close(saved_out);
}

/* ---- writing ---- */

static int files_in(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void writing(void)
{
    static const double v[2] = {1, 2};
    const int64_t two[] = {2}, minus[] = {-2}, huge[] = {1ll << 40, 1ll << 40};
    orr_io_error e;
    orr_npy a;
    struct stat st;
    char target[128], link_path[128];

    CHECK(orr_npy_write("x", ORR_D, 1, minus, 0, v, &e) == ORR_E_ARG, "negative");
    CHECK(orr_npy_write("x", ORR_D, 2, huge, 0, v, &e) == ORR_E_ARG, "huge");
    CHECK(orr_npy_write("x", ORR_D, 5, two, 0, v, &e) == ORR_E_ARG, "5 dimensions");
    CHECK(orr_npy_write("x", ORR_D, 1, two, 0, NULL, &e) == ORR_E_ARG, "no data");
    CHECK(orr_npy_write("x", 9, 1, two, 0, v, &e) == ORR_E_ARG, "no type");

    mkdir(temporary("w"), 0700);
    strcpy(target, temporary("w/old.npy"));
    save(target, "old", 3);
    chmod(target, 0640);
    CHECK(orr_npy_write(target, ORR_D, 1, two, 0, v, &e) == ORR_OK, "%s", e.message);
    CHECK(stat(target, &st) == 0 && (st.st_mode & 0777) == 0640, "mode %o", st.st_mode & 0777);
    /* A link stays, what it points to is replaced, or made where nothing is yet. */
    strcpy(link_path, temporary("w/link.npy"));
    save(target, "old", 3);
    CHECK(symlink("old.npy", link_path) == 0, "symlink");
    CHECK(orr_npy_write(link_path, ORR_D, 1, two, 0, v, &e) == ORR_OK, "%s", e.message);
    CHECK(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode), "the link is gone");
    CHECK(orr_npy_read(target, 0, &a, &e) == ORR_OK && a.shape[0] == 2, "%s", e.message);
    orr_npy_free(&a);
    CHECK(files_in(temporary("w")) == 2, "a temporary file is left");
    remove(target);
    CHECK(orr_npy_write(link_path, ORR_D, 1, two, 0, v, &e) == ORR_OK, "%s", e.message);
    CHECK(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode), "the link is gone");
    CHECK(files_in(temporary("w")) == 2 && stat(target, &st) == 0, "the link's file is not there");
    remove(target);
    remove(link_path);
    CHECK(symlink("link.npy", link_path) == 0, "symlink");
    CHECK(orr_npy_write(link_path, ORR_D, 1, two, 0, v, &e) == ORR_E_FILE &&
              strstr(e.message, "Too many levels"),
          "%s", e.message);
    remove(link_path);
    CHECK(symlink("absent/a.npy", link_path) == 0, "symlink");
    CHECK(orr_npy_write(link_path, ORR_D, 1, two, 0, v, &e) == ORR_E_FILE &&
              strstr(e.message, "No such file"),
          "%s", e.message);
    CHECK(files_in(temporary("w")) == 1, "a temporary file is left");
    remove(link_path);
    CHECK(symlink(temporary("w/made.npy"), link_path) == 0, "symlink");
    CHECK(orr_npy_write(link_path, ORR_D, 1, two, 0, v, &e) == ORR_OK &&
              stat(temporary("w/made.npy"), &st) == 0,
          "%s", e.message);
    remove(temporary("w/made.npy"));

    /* What its owner has protected is not replaced, though the directory would let it be. */
    save(target, "old", 3);
    chmod(target, 0444);
    chmod(temporary("w"), 0777);
    chmod(temporary("."), 0755);
    const int root = geteuid() == 0, other = root && seteuid(65534) == 0; /* root may write all */
    if (!root || other) {
        CHECK(orr_npy_write(target, ORR_D, 1, two, 0, v, &e) == ORR_E_FILE &&
                  strstr(e.message, "cannot write: Permission denied"),
              "%s", e.message);
        CHECK(files_in(temporary("w")) == 2 && stat(target, &st) == 0 && st.st_size == 3,
              "a protected file was replaced");
    }
    if (other)
        CHECK(seteuid(0) == 0, "seteuid");

    /* The longest name there can be, beside which nothing is longer. */
    char longest[400];
    const int at = snprintf(longest, sizeof longest, "%s/", temporary("."));
    memset(longest + at, 'a', 255);
    strcpy(longest + at + 251, ".npy");
    CHECK(orr_npy_write(longest, ORR_D, 1, two, 0, v, &e) == ORR_OK, "%s", e.message);

    CHECK(orr_npy_write("/dev/null", ORR_D, 1, two, 0, v, &e) == ORR_OK, "%s", e.message);
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode), "/dev/null is gone");
    if (stat("/dev/full", &st) == 0)
        CHECK(orr_npy_write("/dev/full", ORR_D, 1, two, 0, v, &e) == ORR_E_FILE &&
                  strstr(e.message, "No space left"),
              "%s", e.message);
    CHECK(orr_npy_write(temporary("absent/a.npy"), ORR_D, 1, two, 0, v, &e) == ORR_E_FILE &&
              strstr(e.message, "No such file"),
          "%s", e.message);
    CHECK(orr_npy_write(temporary("w"), ORR_D, 1, two, 0, v, &e) == ORR_E_FILE &&
              strstr(e.message, "directory"),
          "%s", e.message);
}

int main(void)
{
    round_trips();
    streams();
    writing();
    standard_streams();
    return checked();
}
