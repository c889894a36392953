/* Matrix Market files that must be read: every format, field and symmetry, in the shapes
 * people write them; plain, compressed, through pipes; the same for any number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "tests/io/check.h"
#include "tests/io/gzipped.h"

#define M "%%MatrixMarket matrix "

typedef struct {
    const char *text;
    int64_t rows, cols, entries;
    int symmetry, field;
    int64_t row[6], col[6];
    double val[6];
} sample;

/* clang-format off */
static const sample samples[] = {
    {M "coordinate real general\n3 4 3\n1 1 1.5\n3 4 -2e-3\n2 2 1D+00\n", 3, 4, 3,
     ORR_MTX_GENERAL, ORR_MTX_REAL, {0, 2, 1}, {0, 3, 1}, {1.5, -2e-3, 1}},
    {"%%matrixmarket MATRIX Coordinate REAL General\n3 4 0", 3, 4, 0, ORR_MTX_GENERAL,
     ORR_MTX_REAL, {0}, {0}, {0}},
    {M "coordinate double general\r\n% c\r\n\r\n  2 2 2  \r\n\t1 1\t7 \r\n\r\n"
       "% mid\r\n 2 2 .5\r\n\r\n",
     2, 2, 2, ORR_MTX_GENERAL, ORR_MTX_REAL, {0, 1}, {0, 1}, {7, 0.5}},
    {M "coordinate integer symmetric\n2 2 3\n1 1 4\n2 1 -5\n1 2 +6", 2, 2, 3, ORR_MTX_SYMMETRIC,
     ORR_MTX_INTEGER, {0, 1, 0}, {0, 0, 1}, {4, -5, 6}}, /* upper too, kept */
    {M "coordinate integer general\n1 1 2\n1 1 9007199254740992\n1 1 -9007199254740992\n", 1, 1, 2,
     ORR_MTX_GENERAL, ORR_MTX_INTEGER, {0, 0}, {0, 0}, {9007199254740992., -9007199254740992.}},
    {M "coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n  % end\n", 3, 3, 2, ORR_MTX_SYMMETRIC,
     ORR_MTX_PATTERN, {2, 1}, {0, 1}, {0}},
    {M "coordinate complex Hermitian\n2 2 2\n1 1 3 0\n2 1 1 -1\n", 2, 2, 2, ORR_MTX_HERMITIAN,
     ORR_MTX_COMPLEX, {0, 1}, {0, 0}, {3, 0, 1, -1}},
    {M "coordinate real Skew-Symmetric\n2 2 2\n1 1 0\n2 1 9\n", 2, 2, 2, ORR_MTX_SKEW,
     ORR_MTX_REAL, {0, 1}, {0, 0}, {0, 9}},
    {M "array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3, 6, ORR_MTX_GENERAL, ORR_MTX_REAL,
     {0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 2, 2}, {1, 2, 3, 4, 5, 6}},
    {M "array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3, 6, ORR_MTX_SYMMETRIC,
     ORR_MTX_INTEGER, {0, 1, 2, 1, 2, 2}, {0, 0, 0, 1, 1, 2}, {1, 2, 3, 4, 5, 6}},
    {M "array real skew-symmetric\n4 4\n1\n2\n3\n4\n5\n6", 4, 4, 6, ORR_MTX_SKEW, ORR_MTX_REAL,
     {1, 2, 3, 2, 3, 3}, {0, 0, 0, 1, 1, 2}, {1, 2, 3, 4, 5, 6}},
    {M "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", 2, 2, 3, ORR_MTX_HERMITIAN,
     ORR_MTX_COMPLEX, {0, 1, 1}, {0, 0, 1}, {1, 0, 2, 3, 4, 0}},
    {M "array real skew-symmetric\n0 0\n", 0, 0, 0, ORR_MTX_SKEW, ORR_MTX_REAL, {0}, {0}, {0}},
    {M "array real skew-symmetric\n1 1\n", 1, 1, 0, ORR_MTX_SKEW, ORR_MTX_REAL, {0}, {0}, {0}},
    {M "array real general\n0 5\n%\n", 0, 5, 0, ORR_MTX_GENERAL, ORR_MTX_REAL, {0}, {0}, {0}},
};
/* clang-format on */

static void compare(const sample *w, orr_status s, const orr_mtx *m, const orr_io_error *e)
{
    CHECK(s == ORR_OK && e->message[0] == '\0' && e->line == -1, "%s: %s", w->text, e->message);
    CHECK(m->rows == w->rows && m->cols == w->cols && m->entries == w->entries &&
              (int)m->symmetry == w->symmetry && (int)m->field == w->field,
          "%s: sizes", w->text);
    CHECK((m->val != NULL) == (w->field != ORR_MTX_PATTERN), "%s: values", w->text);
    int width = w->field == ORR_MTX_PATTERN ? 0 : w->field == ORR_MTX_COMPLEX ? 2 : 1;
    for (int64_t k = 0; s == ORR_OK && k < m->entries; k++) {
        CHECK(m->row[k] == w->row[k] && m->col[k] == w->col[k], "%s: entry %d", w->text, (int)k);
        for (int64_t v = k * width; v < (k + 1) * width; v++)
            CHECK(m->val[v] == w->val[v], "%s: value %d is %g", w->text, (int)v, m->val[v]);
    }
}

static void small(void)
{
    static const int threads[] = {1, 1, 2, 5};
    static const size_t blocks[] = {0, 16, 40, 100};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *w = &samples[i];
        size_t n = strlen(w->text);
        orr_mtx m;
        orr_io_error e;
        for (int k = 0; k < 4; k++) {
            orr_status s = orr_mtx_parse(w->text, n, "good", 1000, threads[k], blocks[k], &m, &e);
            compare(w, s, &m, &e);
            orr_mtx_free(&m);
        }
        const char *path = temporary("good.mtx");
        save(path, w->text, n);
        orr_status s = orr_mtx_read(path, 0, NULL, NULL, &m, &e);
        compare(w, s, &m, &e);
        orr_mtx_free(&m);
        gzFile gz = gzopen(path, "wb"); /* known by its content, not its name */
        gzwrite(gz, w->text, (unsigned)n);
        gzclose(gz);
        s = orr_mtx_read(path, 0, NULL, NULL, &m, &e);
        compare(w, s, &m, &e);
        orr_mtx_free(&m);
        orr_shape shape; /* the header alone */
        CHECK(orr_shape_read(path, &shape, &e) == ORR_OK && shape.ndim == 2 &&
                  shape.shape[0] == w->rows && shape.shape[1] == w->cols &&
                  shape.entries == (strstr(w->text, "array ") ? -1 : w->entries) &&
                  shape.type == (w->field == ORR_MTX_COMPLEX ? ORR_Z : ORR_D),
              "%s: its shape: %s", w->text, e.message);
    }
}

/* ---- a larger one ---- */

static char *big;
static size_t big_size;

static void make_big(void)
{
    enum { N = 150000 };
    big = malloc(N * 64 + 300000);
    big_size = (size_t)sprintf(big, "%scoordinate complex general\n%%", M);
    memset(big + big_size, '#', 200000); /* a comment longer than any block below */
    big_size += 200000;
    big_size += (size_t)sprintf(big + big_size, "\n%d %d %d\n", N, N, N);
    for (int k = 1; k <= N; k++) {
        if (k % 777 == 0)
            big_size += (size_t)sprintf(big + big_size, "%% %d\n\n", k);
        big_size += (size_t)sprintf(big + big_size, "%d %d %.17g %d\n", k, k % 99 + 1, k / 7., -k);
    }
}

static void check_big(const orr_mtx *m, const char *how)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < m->entries; k++)
        wrong += m->row[k] != k || m->col[k] != (k + 1) % 99 ||
                 m->val[2 * k] != (double)(k + 1) / 7. || m->val[2 * k + 1] != (double)-(k + 1);
    CHECK(m->entries == 150000 && wrong == 0, "%s: %d entries wrong", how, (int)wrong);
}

static void *feed(void *path)
{
    FILE *f = fopen(path, "wb");
    size_t half = big_size / 2;
    if (f) {
        fwrite(big, 1, 1, f); /* one byte at first */
        fflush(f);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        fwrite(big + 1, 1, half, f);
        fflush(f);
        fwrite(big + 1 + half, 1, big_size - half - 1, f);
        fclose(f);
    }
    return NULL;
}

static int64_t last_done, last_total, calls;

static void progress(int64_t done, int64_t total, void *arg)
{
    CHECK(done >= last_done && arg == &calls, "progress goes back");
    last_done = done;
    last_total = total;
    calls++;
}

static void large(void)
{
    orr_mtx m;
    orr_io_error e;
    static const size_t blocks[] = {0, 333, 4096, 70000, 1 << 20};
    for (int threads = 1; threads <= 7; threads += threads)
        for (int b = 0; b < 5; b++) {
            orr_status s = orr_mtx_parse(big, big_size, "big", 0, threads, blocks[b], &m, &e);
            CHECK(s == ORR_OK, "%s", e.message);
            check_big(&m, "memory");
            orr_mtx_free(&m);
        }

    const char *path = temporary("big.mtx");
    save(path, big, big_size);
    CHECK(orr_mtx_read(path, 0, progress, &calls, &m, &e) == ORR_OK, "%s", e.message);
    check_big(&m, "file");
    orr_mtx_free(&m);
    CHECK(calls > 1 && last_done == (int64_t)big_size && last_total == last_done,
          "progress ends at %lld of %lld", (long long)last_done, (long long)last_total);

    /* Two gzip members, cut in the middle of a line. */
    gzFile gz = gzopen(path, "wb");
    gzwrite(gz, big, 300001);
    gzclose(gz);
    gz = gzopen(path, "ab");
    gzwrite(gz, big + 300001, (unsigned)(big_size - 300001));
    gzclose(gz);
    CHECK(orr_mtx_read(path, 0, NULL, NULL, &m, &e) == ORR_OK, "%s", e.message);
    check_big(&m, "gzip");
    orr_mtx_free(&m);

    /* The same cut short, damaged, and with something behind it. */
    FILE *f = fopen(path, "rb");
    char *copy = malloc(big_size);
    size_t n = fread(copy, 1, big_size, f);
    fclose(f);
    CHECK(orr_mtx_parse(copy, n - 4, "cut.gz", 0, 2, 0, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "end early"),
          "%s", e.message);
    CHECK(orr_mtx_parse(copy, n / 2, "cut.gz", 0, 2, 0, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "end early"),
          "%s", e.message);
    copy[n - 6] ^= 1; /* the check sum */
    CHECK(orr_mtx_parse(copy, n, "sum.gz", 0, 2, 0, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "damaged") && e.offset > 0,
          "%s", e.message);
    copy[n - 6] ^= 1;
    copy[n] = 'x';
    CHECK(orr_mtx_parse(copy, n + 1, "more.gz", 0, 2, 0, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "unexpected bytes") && e.offset == (int64_t)n,
          "%s", e.message);
    free(copy);

    const char *fifo = temporary("fifo");
    pthread_t thread;
    CHECK(mkfifo(fifo, 0600) == 0, "mkfifo");
    pthread_create(&thread, NULL, feed, (void *)fifo);
    orr_status s = orr_mtx_read(fifo, 0, NULL, NULL, &m, &e);
    pthread_join(thread, NULL);
    CHECK(s == ORR_OK, "%s", e.message);
    check_big(&m, "pipe");
    orr_mtx_free(&m);
}

/* A pipe may give one byte at first; the next one says whether they are compressed. */
static int64_t one_then_all(orr_input *in, void *to, size_t n)
{
    const int64_t left = in->size - in->pos, some = in->pos == 0 ? 1 : left;
    const int64_t got = some < (int64_t)n ? some : (int64_t)n;
    memcpy(to, in->memory + in->pos, (size_t)got);
    in->pos += got;
    return got;
}

static void slow_pipe(void)
{
    static const char text[] = "%%MatrixMarket matrix array real general\n2 3\n";
    unsigned char packed[128];
    orr_shape shape;
    orr_io_error e;
    orr_input in;
    orr_input_memory(&in, packed, gzipped(text, packed, sizeof packed), "slow");
    in.read = one_then_all;
    CHECK(orr_mtx_shape(&in, &shape, &e) == ORR_OK && shape.shape[0] == 2 && shape.shape[1] == 3,
          "%s", e.message);
}

int main(void)
{
    slow_pipe();
    small();
    make_big();
    large();
    free(big);
    return checked();
}
