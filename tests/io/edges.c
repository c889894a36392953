/* Edge lists: what they hold, and what must be refused, with the line that the message names. They are
 * parsed in one piece and in small blocks by several threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/io/check.h"
#include "tests/io/gzipped.h"

static void good_edges(const char *text, size_t n)
{
    static const int64_t row[] = {0, 7, 2, 2}, col[] = {2, 2, 0, 2};
    static const double val[] = {1, 2.5, 1, -1e3};
    for (int small = 0; small < 2; small++) {
        orr_mtx m;
        orr_io_error e;
        const orr_status st =
            orr_edges_parse(text, n, "g.txt", 0, small ? 3 : 1, small ? 24 : 0, &m, &e);
        CHECK(st == ORR_OK, "%s", e.message);
        CHECK(m.entries == 4 && m.rows == 8 && m.cols == 8, "%lld edges of %lld nodes",
              (long long)m.entries, (long long)m.rows);
        CHECK(m.field == ORR_MTX_REAL && m.symmetry == ORR_MTX_GENERAL, "field %d", m.field);
        for (int k = 0; k < 4 && m.entries == 4; k++)
            CHECK(m.row[k] == row[k] && m.col[k] == col[k] && m.val[k] == val[k], "edge %d", k);
        orr_mtx_free(&m);
    }
}

static void edges(void)
{
    static const char text[] = "# from to\n0 2\n\n  7\t2 2.5\r\n% c\n2 0  \n#\n2 2 -1e3";
    unsigned char packed[256];
    good_edges(text, sizeof text - 1);
    good_edges((char *)packed, gzipped(text, packed, sizeof packed));

    orr_mtx m;
    orr_io_error e;
    CHECK(orr_edges_parse("3 1\n", 4, "g.txt", 0, 1, 0, &m, &e) == ORR_OK && !m.val &&
              m.field == ORR_MTX_PATTERN,
          "a pattern");
    orr_mtx_free(&m);
    CHECK(orr_edges_parse("0 2147483583\n", 13, "g.txt", 0, 1, 0, &m, &e) == ORR_OK &&
              m.rows == 2147483584,
          "the largest node: %lld rows", (long long)m.rows);
    orr_mtx_free(&m);
    CHECK(orr_edges_parse("-0 1\n", 5, "g.txt", 0, 1, 0, &m, &e) == ORR_OK && m.row[0] == 0, "-0");
    orr_mtx_free(&m);
    CHECK(orr_edges_parse("# no\n", 5, "g.txt", 0, 1, 0, &m, &e) == ORR_OK && m.rows == 0,
          "an empty graph");
    orr_mtx_free(&m);
    CHECK(orr_edges_parse("0 1\n1 2\n", 8, "g.txt", 47, 1, 0, &m, &e) == ORR_E_NOMEM, "max_bytes");
    CHECK(!m.row && e.message[0], "nothing is left");
    CHECK(orr_edges_parse("0 1\n1 2\n", 8, "g.txt", 48, 1, 0, &m, &e) == ORR_OK, "%s", e.message);
    orr_mtx_free(&m);

    static const struct {
        const char *text;
        int64_t line;
        const char *part;
    } bad[] = {{"0 1\n2\n", 2, "two node numbers"},
               {"0 1\n\n# c\nx 1\n", 4, "two node numbers"},
               {"0,1\n", 1, "two node numbers"},
               {"\xef\xbb\xbf"
                "0 1\n",
                1, "a byte order mark stands before the text"},
               {"\xef\xbb\xbf"
                "# c\n0 1\n",
                1, "a byte order mark stands before the text"},
               {"0 1.5\n", 1, "two node numbers"},
               {"0 -1\n", 1, "negative or larger"},
               {"0 2147483647\n", 1, "negative or larger"},
               {"0 2147483584\n", 1, "negative or larger"},
               {"99999999999999999999999 0\n", 1, "negative or larger"},
               {"0 18446744073709551617\n", 1, "negative or larger"},
               {"0 1 2 3\n", 1, "nothing behind it"},
               {"0 1 x\n", 1, "a weight is expected"},
               {"0 1\n0 1 2x\n", 2, "a weight is expected"},
               {"0 1 nan\n", 1, "not finite"},
               {"0 1 -inf\n", 1, "not finite"},
               {"0 1 1e999\n", 1, "not finite"},
               {"# from to\r0 1\r1 2\r", 1, "carriage return in a comment"},
               {"0 1\r\n# c\r\r\n\n%\r1 2", 4, "carriage return in a comment"},
               {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n", 1,
                "a Matrix Market file: its name should end in .mtx"},
               {"\r0 1\n", 1, "two node numbers"},
               {"PK\3\4", 1, "two node numbers"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int small = 0; small < 2; small++) {
            const orr_status st = orr_edges_parse(bad[i].text, strlen(bad[i].text), "g.txt", 0,
                                                  small ? 3 : 1, small ? 8 : 0, &m, &e);
            CHECK(st == ORR_E_FILE && !m.row, "case %zu", i);
            CHECK(e.line == bad[i].line && strstr(e.message, bad[i].part), "case %zu: %s", i,
                  e.message);
        }
}

/* One weight, wherever it stands, and more edges in a block than the first arrays hold. */
static void one_weight(void)
{
    enum { N = 100000, LINE = 12 };
    static char text[N * LINE + 1];
    for (int at = 0; at < N; at += N - 1)
        for (int threads = 1; threads <= 3; threads += 2) {
            orr_mtx m;
            orr_io_error e;
            for (int k = 0; k < N; k++)
                sprintf(text + k * LINE, "%5d %c %s\n", k, '7', k == at ? "2.5" : "   ");
            const orr_status st = orr_edges_parse(text, N * LINE, "g.txt", 0, threads, 0, &m, &e);
            int64_t wrong = 0;
            for (int k = 0; st == ORR_OK && m.val && k < N; k++)
                wrong += m.row[k] != k || m.col[k] != 7 || m.val[k] != (k == at ? 2.5 : 1);
            CHECK(st == ORR_OK && m.entries == N && m.rows == N && m.val && wrong == 0,
                  "%lld of %lld edges are wrong", (long long)wrong, (long long)m.entries);
            orr_mtx_free(&m);
        }
}

int main(void)
{
    edges();
    one_weight();
    return checked();
}
