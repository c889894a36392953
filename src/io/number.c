/* Decimal text to double, correctly rounded, whatever the locale.
 *
 * A number is w * 10^q with w its first 19 significant digits. Three ways, the first that
 * serves is taken:
 *   1. w < 2^53 and |q| <= 22: w and 10^|q| are doubles, one operation rounds once
 *      (Clinger, PLDI 1990).
 *   2. |q| <= 27: 5^|q| fits 64 bits, so w * 5^q is an exact product of 128 bits, or
 *      w / 5^-q an exact quotient of 64 bits with a remainder: round that by hand.
 *   3. strtod in the locale "C".
 * Of more than 19 digits the rest matters only if w and w + 1 round differently.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/internal.h"

__extension__ typedef unsigned __int128 u128;

enum { MAX_DIGITS = 19, LONGEST = 2048, MAX_POWER5 = 27 };

static const double power10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* clang-format off */
static const uint64_t power5[MAX_POWER5 + 1] = {
    1u,                      5u,                     25u,
    125u,                    625u,                   3125u,
    15625u,                  78125u,                 390625u,
    1953125u,                9765625u,               48828125u,
    244140625u,              1220703125u,            6103515625u,
    30517578125u,            152587890625u,          762939453125u,
    3814697265625u,          19073486328125u,        95367431640625u,
    476837158203125u,        2384185791015625u,      11920928955078125u,
    59604644775390625u,      298023223876953125u,    1490116119384765625u,
    7450580596923828125u};
/* clang-format on */

/* m * 2^e rounded to nearest even; m's top bit is set, sticky: there is more below m. */
static double assemble(uint64_t m, int sticky, int e)
{
    uint64_t r = m >> 11, rest = m & 0x7ff, half = 0x400;
    r += rest > half || (rest == half && (sticky || (r & 1)));
    uint64_t bits = (uint64_t)(e + 11 + 1023) << 52; /* 2^(e+11): e stays within +-250 */
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return (double)r * scale;
}

/* w * 10^q for w > 0 and |q| <= 27. */
static double exact(uint64_t w, int q)
{
    if (q >= 0) {
        u128 p = (u128)w * power5[q];
        uint64_t high = (uint64_t)(p >> 64);
        int up = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)p);
        p <<= up;
        return assemble((uint64_t)(p >> 64), (uint64_t)p != 0, q + 64 - up);
    }
    int up = __builtin_clzll(w), updiv = __builtin_clzll(power5[-q]);
    u128 numerator = (u128)(w << up) << 63;
    uint64_t divisor = power5[-q] << updiv;
    uint64_t m = (uint64_t)(numerator / divisor);
    int sticky = (u128)m * divisor != numerator;
    int e = q - 63 - up + updiv;
    if (!(m >> 63)) {
        m <<= 1;
        e--;
    }
    return assemble(m, sticky, e);
}

/* 1 and the value if one of the fast ways serves. more: there is more than the 19 digits of w. */
static int fast(uint64_t w, int64_t q, int more, double *value)
{
    if (w == 0) {
        *value = 0.0;
        return 1;
    }
    if (w < ((uint64_t)1 << 53) && q >= -22 && q <= 22) {
        *value = q < 0 ? (double)w / power10[-q] : (double)w * power10[q];
        return 1;
    }
    if (q < -MAX_POWER5 || q > MAX_POWER5)
        return 0;
    *value = exact(w, (int)q);
    return !more || *value == exact(w + 1, (int)q);
}

static orr_number_status slow(const char *begin, const char *end, double *value, locale_t c)
{
    char copy[LONGEST];
    size_t n = (size_t)(end - begin);
    if (n >= sizeof copy)
        return ORR_NUMBER_BAD;
    for (size_t i = 0; i < n; i++)
        copy[i] = begin[i] == 'd' || begin[i] == 'D' ? 'e' : begin[i];
    copy[n] = '\0';
    locale_t old = uselocale(c);
    *value = strtod(copy, NULL);
    uselocale(old);
    return isinf(*value) ? ORR_NUMBER_HUGE : ORR_NUMBER_OK;
}

static inline int digit(char c) { return (unsigned)c - '0' <= 9; }

static int is_word(const char *p, const char *word)
{
    for (; *word; p++, word++)
        if ((*p | 0x20) != *word)
            return 0;
    return 1;
}

orr_number_status orr_number_parse(const char **at, double *value, locale_t c)
{
    const char *p = *at, *begin = p;
    int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!digit(*p) && *p != '.')
        return is_word(p, "nan") || is_word(p, "inf") ? ORR_NUMBER_NONFINITE : ORR_NUMBER_BAD;

    uint64_t w = 0;
    int64_t q = 0; /* exponent of w's last digit */
    int more = 0;  /* 1: digits other than zero were left out of w */
    int point = 0, any = 0, significant = 0;
    for (;; p++) {
        if (digit(*p)) {
            any = 1;
            if (significant < MAX_DIGITS) {
                w = w * 10 + (uint64_t)(*p - '0');
                significant += w != 0;
                q -= point;
            } else {
                more |= *p != '0';
                q += !point;
            }
        } else if (*p == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    if (!any)
        return ORR_NUMBER_BAD;
    if ((*p | 0x20) == 'e' || (*p | 0x20) == 'd') {
        p++;
        int down = *p == '-';
        if (*p == '-' || *p == '+')
            p++;
        if (!digit(*p))
            return ORR_NUMBER_BAD;
        int64_t e = 0;
        for (; digit(*p); p++)
            if (e < 1000000)
                e = e * 10 + (*p - '0');
        q += down ? -e : e;
    }
    *at = p;
    if (fast(w, q, more, value)) {
        if (negative)
            *value = -*value;
        return ORR_NUMBER_OK;
    }
    return slow(begin, p, value, c);
}
