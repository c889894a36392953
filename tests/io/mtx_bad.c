/* Matrix Market files that must be refused: each with the line the error must name and a
 * part of its message. Each is parsed in one piece and in small blocks by several threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/io/check.h"

#define M "%%MatrixMarket matrix "

static const struct {
    const char *text;
    int64_t line;
    const char *part;
    orr_status status; /* 0: ORR_E_FILE */
} cases[] = {
    /* header */
    {"", 1, "empty", 0},
    {"\n", 1, "does not begin with %%MatrixMarket", 0},
    {"hello\n1 1 1\n", 1, "does not begin", 0},
    {"%MatrixMarket matrix coordinate real general\n", 1, "does not begin", 0},
    {" %%MatrixMarket matrix coordinate real general\n", 1, "does not begin", 0},
    {"%%MatrixMarketx matrix coordinate real general\n", 1, "does not begin", 0},
    {"\x93NUMPY\x01", 1, "NumPy", 0},
    {"BZh9", 1, "bzip2", 0},
    {"\xef\xbb\xbf%%MatrixMarket matrix", 1, "byte order mark", 0},
    {"%%MatrixMarket\n", 1, "names no object", 0},
    {"%%MatrixMarket vector coordinate real general\n", 1, "'vector' is not a known object", 0},
    {M "\n", 1, "names no format", 0},
    {M "dense real general\n", 1, "'dense' is not a known format", 0},
    {M "coordinate\n", 1, "names no field", 0},
    {M "coordinate quaternion general\n", 1, "'quaternion' is not a known field", 0},
    {M "coordinate real\n", 1, "names no symmetry", 0},
    {M "coordinate real \x1b[31mred\n", 1, "'\\x1b[31mred' is not a known symmetry", 0},
    {M "coordinate real general 3\n", 1, "unexpected text after the header", 0},
    {M "array pattern general\n1 1\n", 1, "cannot be a pattern", 0},
    {M "coordinate pattern skew-symmetric\n1 1 0\n", 1, "general or symmetric", 0},
    {M "coordinate real hermitian\n1 1 0\n", 1, "needs the field complex", 0},
    /* sizes */
    {M "coordinate real general\n", 2, "before the line of sizes", 0},
    {M "coordinate real general\n% c\n\n  \n", 5, "before the line of sizes", 0},
    {M "coordinate real general\n% c\n3 3\n", 3, "number of entries is missing", 0},
    {M "coordinate real general\n3\n", 2, "number of columns is missing", 0},
    {M "coordinate real general\n-3 3 1\n", 2, "number of rows '-3' is negative", 0},
    {M "coordinate real general\n3 3.0 1\n", 2, "columns '3.0' is not a whole number", 0},
    {M "coordinate real general\n3 3 x\n", 2, "entries 'x' is not a whole number", 0},
    {M "coordinate real general\n3 3 1 1\n", 2, "unexpected text after the sizes", 0},
    {M "coordinate real general\n3 3 18446744073709551615\n", 2, "does not fit 64 bits", 0},
    {M "coordinate real general\n3 3 9000000000000000000\n", 2, "too short for more than 0", 0},
    {M "coordinate real general\n3 3 4\n1 1 1\n2 2 2\n3 3 3\n", 2, "too short for more than 3", 0},
    {M "coordinate pattern general\n3 3 2\n1 1\n", 2, "too short for more than 1", 0},
    {M "coordinate real symmetric\n3 4 0\n", 2, "not square", 0},
    {M "array real skew-symmetric\n3 4\n", 2, "not square", 0},
    {M "array real general\n4294967296 4294967296\n", 2, "does not fit 64 bits", 0},
    {M "array real symmetric\n2147483648 2147483648\n", 2, "too short for more than 0", 0},
    {M "array real general\n2 2\n1\n2\n", 2, "too short for more than 2", 0},
    {M "array real general\n2 2 4\n1\n2\n3\n4\n", 2, "unexpected text after the sizes", 0},
    /* indices */
    {M "coordinate real general\n3 4 2\n1 1 1\n0 1 1\n", 4, "row index 0 is smaller than 1", 0},
    {M "coordinate real general\n3 4 2\n1 1 1\n1 0 1\n", 4, "column index 0 is smaller", 0},
    {M "coordinate real general\n3 4 1\n-1 1 1\n", 3, "row index -1 is smaller than 1", 0},
    {M "coordinate real general\n3 4 1\n4 1 1\n", 3, "row index 4 is larger than 3", 0},
    {M "coordinate real general\n3 4 1\n3 5 1\n", 3, "column index 5 is larger than 4", 0},
    {M "coordinate real general\n3 4 1\n99999999999999999999 1 1\n", 3, "is larger than 3", 0},
    {M "coordinate real general\n3 4 1\n1.0 1 1\n", 3, "'1.0' is not a row index", 0},
    {M "coordinate real general\n3 4 1\n1 1e0 1\n", 3, "'1e0' is not a column index", 0},
    {M "coordinate real general\n3 4 1\n1,1,1    \n", 3, "'1,1,1' is not a row index", 0},
    {M "coordinate real general\n3 4 1\n1 \n     \n", 3, "the column index is missing", 0},
    {M "coordinate real general\n3 4 1\nx\x07 1 1\n", 3, "'x\\x07' is not a row index", 0},
    /* values */
    {M "coordinate real general\n3 4 1\n1 1     \n", 3, "the value is missing", 0},
    {M "coordinate real general\n3 4 1\n1 1   \r\n", 3, "the value is missing", 0},
    {M "coordinate real general\n3 4 1\n1 1 abc\n", 3, "'abc' is not a number", 0},
    {M "coordinate real general\n3 4 1\n1 1 1.5x\n", 3, "'1.5x' is not a number", 0},
    {M "coordinate real general\n3 4 1\n1 1 1,5\n", 3, "'1,5' is not a number", 0},
    {M "coordinate real general\n3 4 1\n1 1 \xe2\x88\x92"
       "2\n",
     3, "is not a number (it is not plain ASCII", 0},
    {M "coordinate real general\n3 4 1\n1 1 0x10\n", 3, "'0x10' is not a number", 0},
    {M "coordinate real general\n3 4 1\n1 1 nan\n", 3, "'nan' is not finite", 0},
    {M "coordinate real general\n3 4 1\n1 1 -Inf\n", 3, "'-Inf' is not finite", 0},
    {M "coordinate real general\n3 4 1\n1 1 1e999\n", 3, "'1e999' is too large for a double", 0},
    {M "coordinate real general\n3 4 1\n1 1 -1D309\n", 3, "'-1D309' is too large", 0},
    {M "coordinate real general\n3 4 1\n1 1 1 1\n", 3, "text after the entry: '1'", 0},
    {M "coordinate pattern general\n3 4 1\n1 1 1.5 \n", 3, "text after the entry: '1.5'", 0},
    {M "coordinate complex general\n3 4 1\n1 1 1   \n", 3, "imaginary part is missing", 0},
    {M "coordinate complex general\n3 4 1\n1 1 1 2i\n", 3, "'2i' is not a number", 0},
    {M "coordinate complex general\n3 4 1\n1 1 1 nan\n", 3, "'nan' is not finite", 0},
    {M "coordinate integer general\n3 4 1\n1 1 1.5\n", 3, "'1.5' is not an integer", 0},
    {M "coordinate integer general\n3 4 1\n1 1 9007199254740993\n", 3, "beyond 2^53", 0},
    {M "coordinate integer general\n3 4 1\n1 1 -99999999999999999999\n", 3, "beyond 2^53", 0},
    {M "coordinate integer general\n3 4 1\n1 1 18446744073709551617\n", 3, "beyond 2^53", 0},
    {M "coordinate integer general\n3 4 1\n1 1 +\n", 3, "'+' is not a number", 0},
    {M "coordinate integer general\n3 4 1\n1 1 inf\n", 3, "'inf' is not finite", 0},
    {M "coordinate real skew-symmetric\n2 2 1\n2 2 1e-300\n", 3, "symmetric matrix is zero", 0},
    {M "coordinate complex skew-symmetric\n2 2 1\n2 2 0 1e-9\n", 3, "symmetric matrix is zero", 0},
    {M "coordinate complex hermitian\n2 2 1\n2 2 1 1e-9\n", 3, "Hermitian matrix is real", 0},
    {M "array complex hermitian\n2 2\n1 0\n1 1\n1 1\n", 5, "Hermitian matrix is real", 0},
    /* counts */
    {M "coordinate real general\n3 4 3\n1 1 1\n2 2 2  \n% the end, too early\n", 5,
     "ends after 2 of 3 entries", 0},
    {M "coordinate real general\n3 4 1\n1 1 1\n\n2 2 2\n", 5, "more than the 1 entry", 0},
    {M "coordinate real general\n3 4 0\n% no\n1 1 1\n", 4, "more than the 0 entries", 0},
    {M "array real general\n2 1\n1\n2\n3\n", 5, "more than the 2 entries", 0},
    {M "array real general\n2 1\n1 2\n    \n", 3, "text after the entry: '2'", 0},
    /* what comes first is told */
    {M "coordinate real general\n3 4 2\n1 1 1\n2 2 x\n3 3 3\n4 4 4\n", 4, "'x' is not", 0},
    /* limits */
    {M "coordinate real general\n99 99 3\n1 1 1\n1 1 1\n1 1 1\n", 2, "71 bytes allowed",
     ORR_E_NOMEM},
    /* control characters in the middle */
    {M "coordinate real general\n3 4 1\n1 1 1\r1 1 1\n", 3, "unexpected text", 0},
    {M "coordinate real general\n3 4 1\n1 1 \x1b]0;x\x07\n", 3, "'\\x1b]0;x\\x07' is not a", 0},
};

static void try_one(const char *text, size_t n, int64_t line, const char *part, orr_status status)
{
    static const int threads[] = {1, 1, 2, 5};
    static const size_t blocks[] = {0, 16, 40, 100};
    for (int k = 0; k < 4; k++) {
        orr_mtx m;
        orr_io_error e;
        int64_t most = status == ORR_E_NOMEM ? 71 : 0; /* 3 entries have 72 bytes */
        orr_status s = orr_mtx_parse(text, n, "bad.mtx", most, threads[k], blocks[k], &m, &e);
        CHECK(s == status && e.line == line && strstr(e.message, part) && !m.row && !m.val,
              "%.60s...: status %d, line %lld, %s (wanted line %lld, %s)", text, s,
              (long long)e.line, e.message, (long long)line, part);
    }
}

/* No more memory than is allowed, but as much. */
static void limit(void)
{
    static const char text[] = M "coordinate real general\n9 9 3\n1 1 1\n1 1 1\n1 1 1\n";
    orr_mtx m;
    orr_io_error e;
    CHECK(orr_mtx_parse(text, sizeof text - 1, "m.mtx", 72, 1, 0, &m, &e) == ORR_OK, "%s",
          e.message);
    orr_mtx_free(&m);
}

/* A file long enough that the error stands in the middle of a block parsed in parallel. */
static void deep(void)
{
    enum { N = 200000, AT = 123456 };
    char *text = malloc(N * 24 + 100);
    for (int what = 0; what < 4; what++) {
        size_t n = (size_t)sprintf(text, "%scoordinate real general\n%% c\n%d %d %d\n", M, N, N, N);
        for (int k = 1; k <= N; k++) {
            if (k % 1000 == 0)
                n += (size_t)sprintf(text + n, k % 2000 ? "\n" : "%% comment\n");
            n += (size_t)sprintf(text + n, "%d %d ", k, N + 1 - k);
            int wrong = k == AT || k == AT + 50000; /* the first of two is told */
            n += (size_t)sprintf(text + n, !wrong      ? "1.25\n"
                                           : what == 0 ? "1.25 junk\n"
                                           : what == 1 ? "nan\n"
                                           : what == 2 ? "\n"
                                                       : "1.25\n0 1 1\n");
        }
        int64_t line = 3 + AT + AT / 1000 + (what == 3);
        static const char *const parts[] = {"junk", "'nan'", "missing", "row index 0"};
        for (int threads = 1; threads <= 7; threads += 2) {
            orr_mtx m;
            orr_io_error e;
            orr_status s = orr_mtx_parse(text, n, "deep.mtx", 0, threads, 0, &m, &e);
            CHECK(s == ORR_E_FILE && e.line == line && strstr(e.message, parts[what]),
                  "%s, wanted line %lld", e.message, (long long)line);
        }
    }
    free(text);
}

static void long_lines(void)
{
    static const char head[] = M "coordinate real general\n1 1 1\n1 1 ";
    size_t n = sizeof head - 1, most = 200000;
    char *text = malloc(n + most + 1);
    for (int k = 0; k < 5; k++) {
        memcpy(text, head, n);
        memset(text + n, k % 2 ? ' ' : '1', most);
        if (k == 2)
            memset(text, '%', n + most); /* a first line without an end */
        if (k == 3)                      /* blanks behind an entry */
            text[n] = '1';
        if (k == 4) { /* and before a comment */
            memset(text + n - 4, ' ', most + 4);
            text[n + most / 2] = '%';
        }
        text[n + most] = '\n';
        try_one(text, n + most + 1, k == 2 ? 1 : 3, "longer than 65536", ORR_E_FILE);
    }
    /* A last line that is a comment, and does not end, is counted. */
    n = (size_t)sprintf(text, "%scoordinate real general\n1 1 1\n%%", M);
    const size_t whole = 27 * 7200 - 1; /* with the mark a multiple of every size of the buffer */
    memset(text + n, 'c', whole);
    try_one(text, n + whole, 3, "ends after 0 of 1", ORR_E_FILE);
    n = sizeof head - 1;
    /* A number of 3000 digits is not read. */
    memcpy(text, head, n);
    memset(text + n, '1', 3000);
    text[n + 3000] = '\n';
    try_one(text, n + 3001, 3, "is not a number", ORR_E_FILE);
    free(text);
}

static void not_files(void)
{
    orr_mtx m;
    orr_io_error e;
    CHECK(orr_mtx_read("absent/a.mtx", 0, NULL, NULL, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "No such file") && e.line == -1,
          "%s", e.message);
    CHECK(orr_mtx_read("/tmp", 0, NULL, NULL, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "is a directory"),
          "%s", e.message);
    CHECK(orr_mtx_read("/dev/zero", 0, NULL, NULL, &m, &e) == ORR_E_FILE, "%s", e.message);
    CHECK(orr_mtx_read("/dev/null", 0, NULL, NULL, &m, &e) == ORR_E_FILE &&
              strstr(e.message, "empty"),
          "%s", e.message);
    if (access("/proc/self/mem", R_OK) == 0) /* its first page cannot be read */
        CHECK(orr_mtx_read("/proc/self/mem", 0, NULL, NULL, &m, &e) == ORR_E_FILE &&
                  strstr(e.message, "cannot read"),
              "%s", e.message);
    CHECK(orr_mtx_read("-", 0, NULL, NULL, NULL, &e) == ORR_E_ARG, "NULL matrix");
    CHECK(orr_mtx_read(NULL, 0, NULL, NULL, &m, &e) == ORR_E_ARG, "NULL path");
    CHECK(orr_mtx_read("/none.mtx", 0, NULL, NULL, &m, NULL) == ORR_E_FILE, "NULL error");
    orr_mtx_read("/\x1b[2J\xc2\x9b\xc3\xa9.mtx", 0, NULL, NULL, &m, &e);
    CHECK(strstr(e.message, "/\\x1b[2J\\xc2\\x9b\xc3\xa9.mtx: cannot open"), "%s", e.message);
    char shown[9] = "xxxxxxx!";
    CHECK(!strcmp(orr_io_quote(shown, 8, "1234567", 7), "1234567"), "%s", shown);
    CHECK(!strcmp(orr_io_quote(shown, 8, "12345678", 8), "1234...") && shown[8] == 0, "%s", shown);
    orr_mtx_free(NULL);
}

int main(void)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        try_one(cases[k].text, strlen(cases[k].text), cases[k].line, cases[k].part,
                cases[k].status ? cases[k].status : ORR_E_FILE);
    limit();
    deep();
    long_lines();
    not_files();
    return checked();
}
