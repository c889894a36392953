/* Small files with large claims: refused at once, in an address space that could not hold
 * what they claim; a decompression bomb in bounded memory; a full disk leaves the old file,
 * and so does a target that became a directory; a file that cannot be read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "tests/io/check.h"

#define M "%%MatrixMarket matrix "
#define NPY(shape)                                                                                 \
    "\x93NUMPY\x01\x00\x4c\x00{'descr': '<f8', 'fortran_order': False, 'shape': " shape

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    const char *path, *data;
    size_t n;
} pipe_data;

static void *feed(void *arg)
{
    pipe_data *p = arg;
    FILE *f = fopen(p->path, "wb");
    if (f) {
        fwrite(p->data, 1, p->n, f);
        fclose(f);
    }
    return NULL;
}

/* Reads data as a file, and through a pipe, which has no size. */
static void claim(const char *data, size_t n, const char *file_part, const char *pipe_part)
{
    int npy = data[0] == '\x93';
    const char *path = temporary("claim"), *fifo = temporary("claim-fifo");
    save(path, data, n);
    mkfifo(fifo, 0600);
    for (int k = 0; k < 2; k++) {
        orr_mtx m = {0};
        orr_npy a = {0};
        orr_io_error e;
        pthread_t thread;
        pipe_data p = {fifo, data, n};
        double t = now();
        if (k)
            pthread_create(&thread, NULL, feed, &p);
        const char *from = k ? fifo : path;
        orr_status s =
            npy ? orr_npy_read(from, 0, &a, &e) : orr_mtx_read(from, 0, NULL, NULL, &m, &e);
        t = now() - t;
        CHECK(s < 0 && strstr(e.message, k ? pipe_part : file_part) && t < 1, "%s (%g s)",
              e.message, t);
        if (k)
            pthread_join(thread, NULL);
    }
}

static void claims(void)
{
    static const char *const texts[] = {
        M "coordinate real general\n1 1 1152921504606846976\n1 1 1\n",
        M "coordinate pattern general\n1 1 1125899906842624\n1 1\n",
        M "coordinate complex general\n1 1 10000000000\n1 1 1 1\n",
        M "array real general\n1073741824 1048576\n1\n",
        M "array real symmetric\n1048576 1048576\n1\n",
        M "array complex skew-symmetric\n1048576 1048576\n1 2\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        claim(texts[k], strlen(texts[k]), "too short", k == 0 ? "need more" : "ends after 1 of");
    char npy[] = NPY("(1073741824, 134217728), }                ") "12345678";
    npy[8] = (char)(sizeof npy - 1 - 8 - 10);
    claim(npy, sizeof npy - 1, "ends early", "ends in the data");
}

/* 300 MB of blank lines in 300 kB, and 300 MB of zeros in one line, or one comment. */
static void bombs(void)
{
    static char blank[1 << 20];
    const char *path = temporary("bomb.mtx.gz");
    static const char *const texts[] = {M "coordinate real general\n9 9 5\n",
                                        M "coordinate real general\n", "",
                                        M "coordinate real general\n%"};
    static const char *const parts[] = {"goes on beyond", "goes on beyond", "longer than 65536",
                                        "goes on beyond"};
    for (int k = 0; k < 4; k++) {
        orr_mtx m;
        orr_io_error e;
        gzFile gz = gzopen(path, "wb1");
        memset(blank, k < 2 ? '\n' : 0, sizeof blank);
        gzputs(gz, texts[k]);
        for (int i = 0; i < 300; i++)
            gzwrite(gz, blank, sizeof blank);
        gzclose(gz);
        double t = now();
        orr_status s = orr_mtx_read(path, 0, NULL, NULL, &m, &e);
        printf("bomb %d: %.2f s: %s\n", k, now() - t, e.message);
        CHECK(s == ORR_E_FILE && strstr(e.message, parts[k]), "%s", e.message);
    }
}

/* Long lines are no bomb if each holds an entry. */
static void wide_entries(void)
{
    enum { N = 30000, LINE = 1000 };
    char line[LINE + 1];
    const char *path = temporary("wide.mtx.gz");
    orr_mtx m;
    orr_io_error e;
    gzFile gz = gzopen(path, "wb1");
    gzprintf(gz, "%s%d\n", M "coordinate real general\n9 9 ", N);
    snprintf(line, sizeof line, "2 3 4%*s\n", LINE - 6, "");
    for (int i = 0; i < N; i++)
        gzwrite(gz, line, LINE);
    gzclose(gz);
    CHECK(orr_mtx_read(path, 0, NULL, NULL, &m, &e) == ORR_OK && m.entries == N, "%s", e.message);
    orr_mtx_free(&m);
}

/* Comments without end, which no header bounds: an edge list and a table. A number now and then
 * lets them go on. */
static void comments(void)
{
    static char line[1 << 20];
    memset(line, 'c', sizeof line);
    line[0] = '#';
    line[sizeof line - 1] = '\n';
    for (int k = 0; k < 4; k++) {
        const char *path = temporary(k % 2 ? "comments.txt.gz" : "comments.el.gz");
        orr_mtx m;
        orr_npy a;
        orr_io_error e;
        gzFile gz = gzopen(path, "wb1");
        for (int i = 0; i < 70; i++) {
            gzwrite(gz, line, sizeof line);
            if (k >= 2 && i % 30 == 0)
                gzputs(gz, "1 2\n");
        }
        gzclose(gz);
        const orr_status s =
            k % 2 ? orr_table_read(path, 0, &a, &e) : orr_edges_read(path, 0, NULL, NULL, &m, &e);
        CHECK(s == (k < 2 ? ORR_E_FILE : ORR_OK) && (k >= 2 || strstr(e.message, "too many")),
              "%d: %s", k, e.message);
        if (s == ORR_OK && k % 2)
            orr_npy_free(&a);
        else if (s == ORR_OK)
            orr_mtx_free(&m);
    }
}

static void full_disk(void)
{
    enum { N = 100000 };
    const int64_t shape[] = {N};
    double *data = calloc(N, sizeof *data);
    orr_io_error e;
    char path[128], old[4] = "";
    mkdir(temporary("disk"), 0700);
    strcpy(path, temporary("disk/a.npy"));
    save(path, "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {65536, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    orr_status s = orr_npy_write(path, ORR_D, 1, shape, 0, data, &e);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(s == ORR_E_FILE && strstr(e.message, "File too large"), "%s", e.message);
    FILE *f = fopen(path, "rb");
    CHECK(f && fread(old, 1, 4, f) == 3 && memcmp(old, "old", 3) == 0, "the old file is gone");
    fclose(f);
    DIR *d = opendir(temporary("disk"));
    int n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    CHECK(n == 3, "%d entries: a temporary file is left", n);
    free(data);
}

/* A file that can be opened, but not read, is not taken for one that ends early. */
static void unreadable(void)
{
    static const char path[] = "/proc/self/mem"; /* nothing is at its beginning */
    orr_io_error e = {0};
    orr_npy a;
    orr_mtx m;
    if (access(path, R_OK) != 0) {
        printf("no %s: reading was not made to fail\n", path);
        return;
    }
    CHECK(orr_npy_read(path, 0, &a, &e) == ORR_E_FILE && strstr(e.message, "cannot read: In"),
          "npy: %s", e.message);
    CHECK(orr_table_read(path, 0, &a, &e) == ORR_E_FILE && strstr(e.message, "cannot read: In"),
          "table: %s", e.message);
    CHECK(orr_mtx_read(path, 0, NULL, NULL, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "cannot read: In"),
          "mtx: %s", e.message);
    CHECK(orr_edges_read(path, 0, NULL, NULL, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "cannot read: In"),
          "edges: %s", e.message);
    FILE *f = fopen(path, "rb");
    CHECK(f && orr_table_read_stream(f, NULL, 0, &a, &e) == ORR_E_FILE &&
              strstr(e.message, "(stream)") && strstr(e.message, "cannot read: In"),
          "stream: %s", e.message);
    int eof = 0; /* this is not the end of a stream of arrays */
    CHECK(f && orr_npy_read_stream(f, NULL, 0, &a, &eof, &e) == ORR_E_FILE && !eof &&
              strstr(e.message, "cannot read: In"),
          "arrays: %s", e.message);
    if (f)
        fclose(f);
}

/* A target that cannot be replaced any more, nor can the file beside it be left. */
static void not_replaced(void)
{
    char path[128];
    orr_output o;
    mkdir(temporary("replaced"), 0700);
    strcpy(path, temporary("replaced/a.npy"));
    CHECK(orr_output_open(&o, path) == 0, "open");
    fputs("new", o.file);
    CHECK(mkdir(path, 0700) == 0, "mkdir");
    const int error = orr_output_close(&o);
    CHECK(error == EISDIR || error == ENOTEMPTY || error == EEXIST, "error %d", error);
    DIR *d = opendir(temporary("replaced"));
    int n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    CHECK(n == 3, "%d entries: a temporary file is left", n);
}

int main(void)
{
/* The shadows of sanitizers need more address space than this. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    struct rlimit space = {(rlim_t)512 << 20, (rlim_t)512 << 20};
    CHECK(setrlimit(RLIMIT_AS, &space) == 0, "setrlimit");
#endif
    claims();
    bombs();
    wide_entries();
    comments();
    full_disk();
    unreadable();
    not_replaced();
    return checked();
}
