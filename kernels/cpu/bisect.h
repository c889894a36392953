/* Brackets of values that are found by number, with a count of the values below a point and a function
 * that changes its sign at each: bisection, and false position once a value is alone in its bracket.
 * For heev_bisect.c and gesvd_bisect.c.
 *
 * Source: M. Dowell, P. Jarratt, BIT 11, 168-174, 1971 (false position that halves the end which stays).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_BISECT_H
#define ORR_CPU_BISECT_H

#include <math.h>
#include <stdint.h>

enum { AHEAD = 4 }; /* vectors side by side: a row waits for the one before */

/* lo <= value < hi. p 2^power: the function at an end, 0: not known. */
typedef struct {
    double lo, hi, p_lo, p_hi;
    int64_t power_lo, power_hi, below_lo, below_hi;
    int side, slow; /* the end that moved last; steps in a row that halved nothing */
} bracket;

static void narrow(bracket *b, int64_t k, double x, double p, int64_t power, int64_t below)
{
    if (below > k) {
        b->hi = x, b->p_hi = p, b->power_hi = power, b->below_hi = below;
    } else {
        b->lo = x, b->p_lo = p, b->power_lo = power, b->below_lo = below;
    }
}

static void step_to(bracket *b, int64_t k, double x, double p, int64_t power, int64_t below)
{
    const double width = b->hi - b->lo;
    const int side = below > k ? 1 : -1;
    if (side == b->side)
        *(side > 0 ? &b->power_lo : &b->power_hi) -= 1; /* the other end counts half */
    b->side = side;
    narrow(b, k, x, p, power, below);
    b->slow = b->hi - b->lo > width / 2 ? b->slow + 1 : 0;
}

static double choose(const bracket *b, double tol)
{
    const double width = b->hi - b->lo;
    if (b->below_hi - b->below_lo != 1 || b->p_lo == 0 || b->p_hi == 0 || b->slow > 2)
        return b->lo + width / 2;
    const int64_t power = b->power_lo - b->power_hi;
    const double lo = ldexp(fabs(b->p_lo), power > 60 ? 60 : power < -60 ? -60 : (int)power);
    const double x = b->lo + width * (lo / (lo + fabs(b->p_hi)));
    return fmin(fmax(x, b->lo + tol / 2), b->hi - tol / 2);
}

#endif
