/* Our decimal parser against strtod: equal bits for every number. Random digits of every
 * length and exponent, halfway cases (17-digit neighbours, 2^53 + 1, long tails), limits
 * of the three ways, subnormals; in a locale with a decimal comma.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <math.h>

#include "tests/comma.h"
#include "tests/io/check.h"
#include "tests/random.h"

static locale_t c;
static uint64_t state = 88172645463325252u;

static uint64_t next(void) { return next_bits(&state); }

static void same(const char *text)
{
    char copy[4096];
    const char *p = copy;
    double ours = -1, theirs;
    snprintf(copy, sizeof copy, "%s\n", text);
    uselocale(LC_GLOBAL_LOCALE);
    orr_number_status s = orr_number_parse(&p, &ours, c);
    uselocale(c);
    theirs = strtod(text, NULL);
    if (isinf(theirs))
        CHECK(s == ORR_NUMBER_HUGE, "'%s' gives %d", text, s);
    else
        CHECK(s == ORR_NUMBER_OK && *p == '\n' && memcmp(&ours, &theirs, 8) == 0,
              "'%s' gives %.17g, strtod %.17g", text, ours, theirs);
}

static void refused(const char *text, orr_number_status want)
{
    char copy[128];
    const char *p = copy;
    double v;
    snprintf(copy, sizeof copy, "%s\n", text);
    orr_number_status s = orr_number_parse(&p, &v, c);
    CHECK(s == want || (want == ORR_NUMBER_BAD && *p != '\n'), "'%s' gives %d", text, s);
}

static void random_numbers(int n)
{
    char text[256];
    for (int k = 0; k < n; k++) {
        int digits = 1 + (int)(next() % 25), at = 0;
        int point = (int)(next() % (uint64_t)(digits + 1));
        if (next() & 1)
            text[at++] = '-';
        for (int i = 0; i < digits; i++) {
            if (i == point)
                text[at++] = '.';
            text[at++] = (char)('0' + next() % 10);
        }
        text[at] = '\0';
        int span = next() & 1 ? 60 : 700;
        if (next() % 4)
            snprintf(text + at, 16, "e%d", (int)(next() % (uint64_t)span) - span / 2);
        same(text);
    }
}

static void random_bits(int n)
{
    char text[64];
    for (int k = 0; k < n; k++) {
        uint64_t bits = next();
        double v;
        if (next() & 1) /* near 1: the exact way */
            bits = (bits & 0x800fffffffffffff) | (uint64_t)(1023 - 30 + next() % 60) << 52;
        memcpy(&v, &bits, 8);
        if (!isfinite(v))
            continue;
        snprintf(text, sizeof text, "%.17g", v);
        same(text);
        snprintf(text, sizeof text, "%.16e", v);
        same(text);
    }
}

/* The decimal expansion of the middle between two doubles, and that a little off. */
static void halfway(int n)
{
    char text[1200];
    for (int k = 0; k < n; k++) {
        uint64_t m = ((uint64_t)1 << 53) | next() >> 11;
        int e = (int)(next() % 60) - 50 - 53;
        long double middle = ldexpl((long double)m + 0.5L, e); /* 55 bits: exact */
        snprintf(text, sizeof text, "%.120Lf", middle);
        same(text);
        size_t n1 = strlen(text);
        strcpy(text + n1, "000000000000000000001");
        same(text);
    }
}

int main(void)
{
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    comma_locale();
    uselocale(c); /* of the texts that are made here */

    /* clang-format off */
    static const char *const good[] = {
        "0", "-0", "0.0", "-0e5", "1", "+1", "1.", ".5", "-.5e1", "007", "1e5", "1E+05", "1e-05",
        "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.0000000001",
        "18014398509481985", "1e22", "1e23", "8.5e22", "1e-22", "1e-23", "1e27", "1e28", "1e-27",
        "1e-28", "9999999999999999999", "99999999999999999999", "18446744073709551615e27",
        "18446744073709551616", "18446744073709551615e-27", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "1e99999999999", "-1e309",
        "4.9e-324", "2.4e-324", "2.5e-324", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "1e-400", "-1e-400", "0e99999999", "0.1", "0.10000000000000000000000000000000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "0.000000000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000", NULL};
    /* clang-format on */
    for (int k = 0; good[k]; k++)
        same(good[k]);
    static const char *const bad[] = {"",      "-",   "+",   ".",        "-.",    "e5",   "1e",
                                      "1e+",   "1d",  "--1", "+-1",      "1.2.3", "0x10", "1,5",
                                      "1e5.5", "abc", "1_0", "\xd9\xa1", NULL};
    for (int k = 0; bad[k]; k++)
        refused(bad[k], ORR_NUMBER_BAD);
    static const char *const nonfinite[] = {"nan",  "NaN", "-nan",   "inf",      "+Inf",
                                            "-INF", "NAN", "nan(1)", "infinity", NULL};
    for (int k = 0; nonfinite[k]; k++)
        refused(nonfinite[k], ORR_NUMBER_NONFINITE);

    const char *p = "1.25D+02\n", *q = "-5d-1\n", *r = "1.0000000000000001d-300\n";
    double v = 0;
    CHECK(orr_number_parse(&p, &v, c) == ORR_NUMBER_OK && v == 125.0, "%g", v);
    CHECK(orr_number_parse(&q, &v, c) == ORR_NUMBER_OK && v == -0.5, "%g", v);
    CHECK(orr_number_parse(&r, &v, c) == ORR_NUMBER_OK && v == 1.0000000000000001e-300, "%g", v);

    char long_one[4096];
    memset(long_one, '7', sizeof long_one);
    memcpy(long_one, "0.", 2);
    long_one[1500] = '\0';
    same(long_one);
    /* the longest that is read, and one more */
    memset(long_one, '7', sizeof long_one);
    long_one[2047] = '\n';
    p = long_one;
    CHECK(orr_number_parse(&p, &v, c) == ORR_NUMBER_HUGE, "2047 digits");
    long_one[2047] = '7';
    long_one[2048] = '\n';
    p = long_one;
    CHECK(orr_number_parse(&p, &v, c) == ORR_NUMBER_BAD, "2048 digits");

    /* exponents beyond those of doubles, and as many zeros as undo them or nearly so */
    for (int zeros = 900; zeros <= 1100; zeros += 100)
        for (int large = 0; large < 2; large++) {
            memset(long_one, '0', sizeof long_one);
            memcpy(long_one, large ? "1" : "0.", large ? 1 : 2);
            snprintf(long_one + zeros, 32, large ? "e-%d" : "1e%d", 1005);
            same(long_one);
        }
    memset(long_one, '0', 100);
    memcpy(long_one, "0.", 2);
    strcpy(long_one + 100, "1e1005");
    same(long_one);

    random_numbers(400000);
    random_bits(400000);
    halfway(20000);
    return checked();
}
