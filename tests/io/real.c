/* Real matrices, if their directory (the argument) is there: sizes, field and symmetry as
 * their index says, the same from several threads; prints the speed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <sys/stat.h>
#include <time.h>

#include "tests/io/check.h"
#include "tests/random.h"

static const struct {
    const char *name;
    int64_t rows, cols, entries;
    int field, symmetry;
} t[] = {
    {"bcsstk13.mtx.gz", 2003, 2003, 42943, ORR_MTX_REAL, ORR_MTX_SYMMETRIC},
    {"1138_bus.mtx", 1138, 1138, 2596, ORR_MTX_REAL, ORR_MTX_SYMMETRIC},
    {"Si2.mtx", 769, 769, 9285, ORR_MTX_REAL, ORR_MTX_SYMMETRIC},
    {"wing.mtx.gz", 62032, 62032, 121544, ORR_MTX_PATTERN, ORR_MTX_SYMMETRIC},
    {"west0479.mtx", 479, 479, 1910, ORR_MTX_REAL, ORR_MTX_GENERAL},
    {"cryg2500.mtx", 2500, 2500, 12349, ORR_MTX_REAL, ORR_MTX_GENERAL},
    {"rajat01.mtx", 6833, 6833, 43250, ORR_MTX_PATTERN, ORR_MTX_GENERAL},
    {"cavity14.mtx.gz", 2597, 2597, 76367, ORR_MTX_REAL, ORR_MTX_GENERAL},
    {"zenios.mtx", 2873, 2873, 15032, ORR_MTX_REAL, ORR_MTX_SYMMETRIC},
    {"wb-cs-stanford.mtx", 9914, 9914, 36854, ORR_MTX_PATTERN, ORR_MTX_GENERAL},
    {"wiki-Vote.mtx.gz", 8297, 8297, 103689, ORR_MTX_PATTERN, ORR_MTX_GENERAL},
    {"email-Enron.mtx.gz", 36692, 36692, 183831, ORR_MTX_PATTERN, ORR_MTX_SYMMETRIC},
    {"mhd1280b.mtx", 1280, 1280, 12029, ORR_MTX_COMPLEX, ORR_MTX_HERMITIAN},
    {"plskz362.mtx", 362, 362, 880, ORR_MTX_REAL, ORR_MTX_SKEW},
    {"as20graph.mtx", 65105, 65105, 13895, ORR_MTX_PATTERN, ORR_MTX_SYMMETRIC},
    {"cage5.mtx", 37, 37, 233, ORR_MTX_REAL, ORR_MTX_GENERAL},
    {"arrow.mtx.gz", 46500, 46500, 139498, ORR_MTX_INTEGER, ORR_MTX_GENERAL},
    {"msc01050.mtx", 1050, 1050, 15103, ORR_MTX_REAL, ORR_MTX_SYMMETRIC},
    {"lp_e226.mtx", 223, 472, 2768, ORR_MTX_REAL, ORR_MTX_GENERAL},
};

/* A file of N random lines, parsed from memory. */
static void speed(void)
{
    enum { N = 400000 };
    char *text = malloc(N * 48 + 100);
    uint64_t x = 88172645463325252u;
    size_t n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n",
                               N, N, N);
    for (int k = 0; k < N; k++) {
        next_bits(&x);
        n += (size_t)sprintf(text + n, "%d %d %.16e\n", (int)(x % N) + 1, (int)(x / N % N) + 1,
                             (double)(int64_t)x / 0x1p63);
    }
    double best = 1e9;
    for (int k = 0; k < 5; k++) {
        struct timespec a, b;
        orr_mtx m;
        orr_io_error e;
        clock_gettime(CLOCK_MONOTONIC, &a);
        CHECK(orr_mtx_parse(text, n, "speed", 0, 1, 0, &m, &e) == ORR_OK, "%s", e.message);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        best = s < best ? s : best;
        orr_mtx_free(&m);
    }
    printf("%.1f MB of text at %.0f MB/s by one thread\n", (double)n / 1e6, (double)n / best / 1e6);
    free(text);
}

static int equal(const void *a, const void *b, int64_t n)
{
    return n == 0 || memcmp(a, b, (size_t)n * 8) == 0;
}

int main(int argc, char **argv)
{
    struct stat st;
    speed();
    if (argc < 2 || stat(argv[1], &st)) {
        printf("skipped: no directory of matrices\n");
        return failures ? 1 : 77;
    }
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        char path[1024];
        orr_mtx m, p;
        orr_io_error e;
        snprintf(path, sizeof path, "%s/%s", argv[1], t[k].name);
        if (stat(path, &st))
            continue;
        orr_status s = orr_mtx_read(path, 0, NULL, NULL, &m, &e);
        CHECK(s == ORR_OK && m.rows == t[k].rows && m.cols == t[k].cols &&
                  m.entries == t[k].entries && (int)m.field == t[k].field &&
                  (int)m.symmetry == t[k].symmetry,
              "%s %s", t[k].name, e.message);
        FILE *f = fopen(path, "rb");
        char *data = malloc((size_t)st.st_size);
        CHECK(f && fread(data, 1, (size_t)st.st_size, f) == (size_t)st.st_size, "%s", path);
        fclose(f);
        s = orr_mtx_parse(data, (size_t)st.st_size, t[k].name, 0, 4, 10007, &p, &e);
        int width = m.field == ORR_MTX_COMPLEX ? 2 : 1;
        CHECK(s == ORR_OK && equal(m.row, p.row, m.entries) && equal(m.col, p.col, m.entries) &&
                  (!m.val || equal(m.val, p.val, m.entries * width)),
              "%s in blocks", t[k].name);
        free(data);
        orr_mtx_free(&m);
        orr_mtx_free(&p);
    }
    return checked();
}
