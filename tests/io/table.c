/* Matrices as text: what Python, NumPy and spreadsheets write is read; bad lines are told with
 * line and column; what is written comes back bit by bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <locale.h>
#include <math.h>

#include "tests/comma.h"
#include "tests/io/check.h"

typedef struct {
    const char *text;
    int64_t rows, cols;
    orr_type type;
    double v[8]; /* the first numbers; pairs if complex */
    int n;
} good_case;

static void good(const good_case *g)
{
    orr_npy a;
    orr_io_error e;
    const orr_status s = orr_table_parse(g->text, strlen(g->text), "a.txt", 0, &a, &e);
    CHECK(s == ORR_OK, "'%.30s': %s", g->text, e.message);
    if (s != ORR_OK)
        return;
    CHECK(a.ndim == 2 && a.shape[0] == g->rows && a.shape[1] == g->cols && a.type == g->type,
          "'%.30s': %lld x %lld", g->text, (long long)a.shape[0], (long long)a.shape[1]);
    for (int k = 0; k < g->n; k++) {
        const double x = ((const double *)a.data)[k];
        CHECK(x == g->v[k] || (isnan(x) && isnan(g->v[k])), "'%.30s'[%d] = %.17g", g->text, k, x);
    }
    orr_npy_free(&a);
    orr_shape shape;
    const char *path = temporary("shape.txt");
    save(path, g->text, strlen(g->text));
    CHECK(orr_shape_read(path, &shape, &e) == ORR_OK && shape.type == g->type && shape.ndim == 2 &&
              shape.shape[0] == g->rows && shape.shape[1] == g->cols && shape.entries == -1,
          "'%.30s' without its numbers: %s", g->text, e.message);
}

static void good_texts(void)
{
    static const good_case t[] = {
        {"1 2\n3 4\n", 2, 2, ORR_D, {1, 2, 3, 4}, 4},
        {"1,2\n3,4", 2, 2, ORR_D, {1, 2, 3, 4}, 4},
        {"  1 ,\t2 \r\n\r\n3, 4 \r\n", 2, 2, ORR_D, {1, 2, 3, 4}, 4},
        {"\xef\xbb\xbf"
         "1 2\n",
         1,
         2,
         ORR_D,
         {1, 2},
         2},
        {"# a\n1 2 # b\n% c\n   # d\n3 4% e", 2, 2, ORR_D, {1, 2, 3, 4}, 4},
        {"7", 1, 1, ORR_D, {7}, 1},
        {"# name: A\n# type: matrix\n1 2\n# name: the second row\n3 4\n",
         2,
         2,
         ORR_D,
         {1, 2, 3, 4},
         4},
        {"# a\r1 2\r\r3 4 % b\r", 2, 2, ORR_D, {1, 2, 3, 4}, 4},
        {"1 2\n%%MatrixMarket matrix\n3 4\n", 2, 2, ORR_D, {1, 2, 3, 4}, 4},
        {"1\n2\n3\n", 3, 1, ORR_D, {1, 2, 3}, 3},
        {"-1.5e-3 +2.E2 .25 1d3", 1, 4, ORR_D, {-1.5e-3, 200, .25, 1000}, 4},
        {"nan -inf Infinity NaN", 1, 4, ORR_D, {NAN, -INFINITY, INFINITY, NAN}, 4},
        {"(1+2j) 3", 1, 2, ORR_Z, {1, 2, 3, 0}, 4},
        {"1 2\n3,4j\n", 2, 2, ORR_Z, {1, 0, 2, 0, 3, 0, 0, 4}, 8},
        {"1+2j,1e-2-3e1J", 1, 2, ORR_Z, {1, 2, 1e-2, -30}, 4},
        {" (  1.0e+00+2.0e+00j) (5)", 1, 2, ORR_Z, {1, 2, 5, 0}, 4},
        {"(1.0+-2.0j) -2i", 1, 2, ORR_Z, {1, -2, 0, -2}, 4},
        {"inf+nanj -infj", 1, 2, ORR_Z, {INFINITY, NAN, 0, -INFINITY}, 4},
        {"1e-400 0.1", 1, 2, ORR_D, {0, 0.1}, 2},
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++)
        good(&t[k]);
}

static void bad(const char *text, size_t n, int64_t line, const char *part)
{
    orr_npy a;
    orr_io_error e;
    const orr_status s = orr_table_parse(text, n, "a.txt", 0, &a, &e);
    CHECK(s == ORR_E_FILE && !a.data && e.line == line && strstr(e.message, part),
          "'%.30s': status %d, line %lld, %s", text, (int)s, (long long)e.line, e.message);
}

static void bad_texts(void)
{
    static const struct {
        const char *text;
        int64_t line;
        const char *part;
    } t[] = {
        {"", -1, "holds no numbers"},
        {"# only this\n\n", -1, "holds no numbers"},
        {"1 2\n3\n", 2, "1 number, where the lines before have 2"},
        {"1\n\n2 3\n", 3, "2 numbers, where the lines before have 1"},
        {"x,y\n1,2\n", 1,
         "column 1: 'x' is not a number (a line of names begins with #, a column of names is not read)"},
        {"1 2\n3 four\n", 2, "column 2: 'four' is not a number"},
        {"1,,2\n", 1, "column 2: a number is missing"},
        {"1,2,\n", 1, "column 3: a number is missing"},
        {",1\n", 1, "column 1: a number is missing"},
        {"1\n2,", 2, "column 2: a number is missing"},
        {"1;2\n", 1,
         "'1;2' is not a number (blanks or a comma separate numbers, decimals have a point)"},
        {"1 2 3 4\r\n4,5\t1,0\n", 2, "column 3: commas and blanks both separate numbers"},
        {"1\r2 x\r3 4\r", 2, "column 2: 'x'"},
        {"# name: A\n# type: matrix\n 1 2\n\n\n# name: B\n# type: matrix\n 3 4\n", 7,
         "second variable"},
        {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 5\n", 1,
         "a Matrix Market file: its name should end in .mtx"},
        {"\xef\xbb\xbf%%matrixmarket matrix array real general\r\n1 1\r\n5\r\n", 1,
         "a Matrix Market file"},
        {"\"1\"\n", 1, "is not a number"},
        {"1.5.2", 1, "is not a number"},
        {"0x10", 1, "is not a number"},
        {"1e999", 1, "column 1: '1e999' is larger than the largest double"},
        {"1+2", 1, "is not a number"},
        {"1+2jj", 1, "is not a number"},
        {"j", 1, "is not a number"},
        {"1 +2j\n3 4+\n", 2, "column 2: '4+' is not a number"},
        {"(1+2j", 1, "lacks its closing parenthesis"},
        {"1 (2+3j\n4 5)\n", 1, "column 2"},
        {"(1)2", 1, "is not a number"},
        {"()", 1, "is not a number"},
        {"infinite", 1, "is not a number"},
        {"1 \xe2\x88\x92"
         "2",
         1, "is not a number (it is not plain ASCII: a minus sign"},
        {"1\xc2\xa0"
         "2 3",
         1, "'1\\xc2\\xa02' is not a number (it is not plain ASCII"},
        {"Gr\xc3\xb6\xc3\x9f"
         "e x\n1 2\n",
         1, "is not a number (a line of names begins with #, a column of names is not read)"},
        {"\xff\xfe"
         "1 2",
         1, "UTF-16"},
        {"\x93NUMPY\x01", -1, "its name should end in .npy"},
        {"1 \x1b[2J", 1, "\\x1b"},
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++)
        bad(t[k].text, strlen(t[k].text), t[k].line, t[k].part);
    bad("1 \0 2", 5, 1, "column 2: '\\x00' is not a number");
    bad("1 2\0\n", 5, 1, "column 2: '2\\x00' is not a number");
    char *digits = malloc(100001);
    memset(digits, '1', 100000);
    digits[100000] = '\0';
    bad(digits, 100000, 1, "too long for a number");
    free(digits);
}

/* Gives rows of numbers, then fails. */
static int64_t rows_then_fail(orr_input *in, void *to, size_t n)
{
    enum { WHOLE = 1 << 18 };
    const size_t left = WHOLE - (size_t)in->pos, some = n < left ? n : left;
    if (some == 0) {
        in->error = EIO;
        return -1;
    }
    for (size_t k = 0; k < some; k++)
        ((char *)to)[k] = "1 2\n"[(in->pos + (int64_t)k) % 4];
    in->pos += (int64_t)some;
    return (int64_t)some;
}

/* What was read before a failure is not taken for all there is. */
static void failing(void)
{
    orr_input in = {.read = rows_then_fail, .name = "failing", .size = -1, .fd = -1};
    orr_shape shape;
    orr_io_error e;
    CHECK(orr_table_shape(&in, &shape, &e) == ORR_E_FILE && strstr(e.message, "cannot read"), "%s",
          e.message);
}

/* As much memory as one number needs. */
static void least_memory(void)
{
    orr_npy a;
    orr_io_error e;
    for (int parts = 1; parts <= 2; parts++)
        for (int less = 0; less < 2; less++) {
            const char *text = parts == 1 ? "7" : "7j";
            const orr_status s =
                orr_table_parse(text, strlen(text), "a.txt", 8 * parts - less, &a, &e);
            CHECK(s == (less ? ORR_E_NOMEM : ORR_OK), "%s: %s", text, e.message);
            orr_npy_free(&a);
        }
}

/* A row of a megabyte and a comment of another, from a file and through a limit of memory. */
static void long_lines(void)
{
    enum { N = 150001 };
    char *text = malloc(3 << 20);
    size_t n = 1 << 20;
    memset(text, '#', n);
    text[n++] = '\n';
    for (int row = 0; row < 2; row++)
        for (int k = 0; k < N; k++)
            n += (size_t)sprintf(text + n, "%d%s", k, k < N - 1 ? "," : "\r\n");
    text = realloc(text, n);
    const char *path = temporary("long.csv");
    save(path, text, n);
    orr_npy a;
    orr_io_error e;
    CHECK(orr_table_read(path, 0, &a, &e) == ORR_OK && a.shape[0] == 2 && a.shape[1] == N, "%s",
          e.message);
    CHECK(a.data && ((double *)a.data)[2 * N - 1] == N - 1, "the last number");
    orr_npy_free(&a);
    CHECK(orr_table_read(path, 16 * N, &a, &e) == ORR_OK, "%s", e.message);
    orr_npy_free(&a);
    CHECK(orr_table_read(path, 16 * N - 1, &a, &e) == ORR_E_NOMEM && !a.data && e.line == 3, "%s",
          e.message);
    text[n - 3] = 'j'; /* the last number becomes complex: twice the memory */
    save(path, text, n);
    CHECK(orr_table_read(path, 16 * N, &a, &e) == ORR_E_NOMEM && !a.data, "%s", e.message);
    CHECK(orr_table_read(path, 32 * N, &a, &e) == ORR_OK && a.type == ORR_Z, "%s", e.message);
    orr_npy_free(&a);
    free(text);
}

static const double awkward[] = {
    0.1, -1.0 / 3,  1e300, 5e-324,    1.7976931348623157e308, -0.0, 123456789012345680.0, 2,
    NAN, -INFINITY, 1e-5,  1058976960}; /* the last one needs nine digits in single precision */
enum { AWKWARD = sizeof awkward / sizeof *awkward };

static void compare(const char *path, const void *want, orr_type type, int64_t rows, int64_t cols)
{
    orr_npy a;
    orr_io_error e;
    CHECK(orr_table_read(path, 0, &a, &e) == ORR_OK && a.shape[0] == rows && a.shape[1] == cols,
          "%s: %lld x %lld %s", path, (long long)a.shape[0], (long long)a.shape[1], e.message);
    const int parts = type == ORR_C || type == ORR_Z ? 2 : 1;
    const int single = type == ORR_S || type == ORR_C;
    CHECK(a.type == (parts == 2 ? ORR_Z : ORR_D), "type %d", (int)a.type);
    for (int64_t k = 0; a.data && k < parts * rows * cols; k++) {
        const double x = ((double *)a.data)[k];
        const double y = single ? (double)((const float *)want)[k] : ((const double *)want)[k];
        CHECK((isnan(x) && isnan(y)) ||
                  (single ? (float)x == (float)y : memcmp(&x, &y, sizeof x) == 0),
              "%s[%lld]: %.17g, not %.17g", path, (long long)k, x, y);
    }
    orr_npy_free(&a);
}

static void round_trip(void)
{
    static const char *const names[] = {"w.txt", "w.csv", "W.TXT"};
    float single[AWKWARD], turned[AWKWARD];
    for (int k = 0; k < AWKWARD; k++)
        single[k] = (float)awkward[k];
    for (int k = 0; k < AWKWARD; k++) /* 3 x 4 in Fortran order */
        turned[k % 4 * 3 + k / 4] = single[k];
    const int64_t vector[] = {AWKWARD}, matrix[] = {3, 4}, stack[] = {3, 2, 2}, pairs[] = {2, 3};
    for (int k = 0; k < 3; k++) {
        const char *path = temporary(names[k]);
        orr_io_error e;
        CHECK(orr_array_write(path, ORR_D, 1, vector, 0, awkward, &e) == ORR_OK, "%s", e.message);
        compare(path, awkward, ORR_D, AWKWARD, 1);
        CHECK(orr_array_write(path, ORR_S, 2, matrix, 1, turned, &e) == ORR_OK, "%s", e.message);
        compare(path, single, ORR_S, 3, 4);
        CHECK(orr_array_write(path, ORR_D, 3, stack, 0, awkward, &e) == ORR_OK, "%s", e.message);
        compare(path, awkward, ORR_D, 6, 2);
        CHECK(orr_array_write(path, ORR_Z, 2, pairs, 0, awkward, &e) == ORR_OK, "%s", e.message);
        compare(path, awkward, ORR_Z, 2, 3);
        CHECK(orr_array_write(path, ORR_C, 2, pairs, 0, single, &e) == ORR_OK, "%s", e.message);
        compare(path, single, ORR_C, 2, 3);
        CHECK(orr_array_write(path, ORR_H, 1, vector, 0, awkward, &e) == ORR_E_ARG, "half");
        CHECK(orr_array_write(path, ORR_D, 1, vector, 0, NULL, &e) == ORR_E_ARG, "no data");
        CHECK(orr_array_write(path, ORR_D, 3, stack, 1, awkward, &e) == ORR_E_ARG, "columns first");
    }
    orr_npy a;
    orr_io_error e;
    const char *path = temporary("w.dat"); /* no text */
    CHECK(orr_array_write(path, ORR_D, 1, vector, 0, awkward, &e) == ORR_OK, "%s", e.message);
    CHECK(orr_npy_read(path, 0, &a, &e) == ORR_OK && a.shape[0] == AWKWARD, "%s", e.message);
    orr_npy_free(&a);
    if (access("/dev/full", W_OK) == 0 && symlink("/dev/full", temporary("full.txt")) == 0)
        CHECK(orr_array_write(temporary("full.txt"), ORR_D, 1, vector, 0, awkward, &e) ==
                      ORR_E_FILE &&
                  strstr(e.message, "full.txt: cannot write: No space"),
              "%s", e.message);
}

static void written(const char *name, orr_type type, int ndim, const int64_t *shape,
                    const char *wanted)
{
    static const double v[] = {1, -2, -3, 4};
    const char *path = temporary(name);
    char text[64] = "";
    orr_io_error e;
    CHECK(orr_array_write(path, type, ndim, shape, 0, v, &e) == ORR_OK, "%s", e.message);
    FILE *f = fopen(path, "rb");
    CHECK(f && fread(text, 1, sizeof text - 1, f) == strlen(wanted) && !strcmp(text, wanted),
          "'%s', not '%s'", text, wanted);
    if (f)
        fclose(f);
}

/* Matrices of a stack have their number before them, where lines of text may be comments. */
static void texts(void)
{
    const int64_t two[] = {2, 2}, stack[] = {2, 1, 2}, none[] = {0, 3};
    written("pairs.csv", ORR_Z, 2, (const int64_t[]){1, 2}, "(1-2j),(-3+4j)\n");
    written("two.txt", ORR_D, 2, two, "1 -2\n-3 4\n");
    written("stack.txt", ORR_D, 3, stack, "# [0]\n1 -2\n# [1]\n-3 4\n");
    written("stack.csv", ORR_D, 3, stack, "1,-2\n-3,4\n");
    written("none.txt", ORR_D, 2, none, "");
    written("one.txt", ORR_D, 0, none, "1\n");
}

/* As few digits as give the number back, in any locale. */
static void spelling(void)
{
    char out[ORR_NUMBER_TEXT];
    for (int comma = 0; comma < 2; comma++) {
        if (comma && !comma_locale())
            break;
        CHECK(!strcmp(orr_number_text(out, ORR_D, 0.1), "0.1"), "%s", out);
        CHECK(!strcmp(orr_number_text(out, ORR_S, (float)0.1), "0.1"), "%s", out);
        CHECK(!strcmp(orr_number_text(out, ORR_D, 2), "2"), "%s", out);
        CHECK(!strcmp(orr_number_text(out, ORR_D, 0.1 + 0.2), "0.30000000000000004"), "%s", out);
        CHECK(!strcmp(orr_number_text(out, ORR_D, 1e22 / 3), "3.3333333333333335e+21"), "%s", out);
        CHECK(!strcmp(orr_number_text(out, ORR_S, (float)16777217.0), "16777216"), "%s", out);
        CHECK(!strcmp(orr_number_text(out, ORR_D, -NAN), "nan"), "%s", out);
    }
    setlocale(LC_ALL, "C");
}

int main(void)
{
    good_texts();
    bad_texts();
    failing();
    least_memory();
    long_lines();
    round_trip();
    texts();
    spelling();
    return checked();
}
