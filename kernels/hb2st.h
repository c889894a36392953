/* hb2st: the data that its kernels share. A Hermitian band matrix of order n and bandwidth
 * b >= 1 becomes tridiagonal by sweeps s = 0, 1, ..., each a chain of hops t = 0, 1, ... Hop
 * (s,t) owns the columns J(s,t) = s+1+tb .. min(s+(t+1)b, n-1), and its reflector
 * H(s,t) = I - tau v v', v = (1, ...), acts on the rows of the same numbers.
 *
 * The band. Lower, columns of 2b rows, because a bulge fills the second half; they are cut
 * into blocks of D columns:
 *
 *     A(i,j), j <= i < j+2b    h[lead + (j - mD)*ldh + i - j]     in block m = j / D
 *
 * A block has lead + D*ldh elements, and behind them, if late, slots. What lies between columns
 * (ldh > 2b) is zero and stays zero: kernels may read and rewrite it, so that they can work on whole
 * vectors. ldh - 1 is a multiple of 64 bytes, so that a row of the matrix has one alignment in all
 * columns if D is one too and blocks begin at 64 bytes; correctness and the last bit of the results
 * depend on neither.
 *
 * Late. Hop (s,t) may leave its updates to hop (s+1,t) (hb2st_chase.h). What that needs is in slot
 * t mod orr_hb2st_slots of the block where (s+1,t) begins: four vectors, aligned as rows are, and two
 * scalars. No two hops share a slot: those that have left something in a block are consecutive, and
 * begin b-1 or b columns apart.
 *
 * The carry of group g: its sweeps' pending reflectors, G times b+1 elements: v, then tau.
 *
 * The reflectors of group g: column s has n-1-s elements, for rows s+1 .. n-1, which hold
 * the vectors of hops 0, 1, ... one below the other, each with tau in the place of its
 * leading 1; columns gG .. gG+G-1 follow each other. That is the strict lower triangle of a
 * matrix, packed. (b = 1: see hb2st_chase.h; a column is one element.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HB2ST_H
#define ORR_KERNELS_HB2ST_H

#include "kernels/kernel.h"
#include "kernels/least.h"

typedef struct {
    int64_t n, b;
    int64_t D, G;      /* columns of a block, sweeps of a group; D >= (G-1)(b-1) + b */
    int64_t ldh, lead; /* orr_hb2st_ldh, orr_hb2st_lead */
    int64_t sweeps;    /* orr_hb2st_sweeps */
    int64_t rest;      /* so many of them, the last ones, are one group; 0: none is */
    int late;      /* 1, b > 1: blocks have slots, where hops may leave updates; on CPUs alone */
    int64_t first; /* late: the first sweep */
} orr_hb2st_shape;

ORR_BOTH static inline int64_t orr_hb2st_lead(size_t element) { return 64 / (int64_t)element; }

ORR_BOTH static inline int64_t orr_hb2st_ldh(size_t element, int64_t b)
{
    const int64_t line = 64 / (int64_t)element; /* room for line-1 zeros between columns */
    return (2 * b + line - 2 + line - 1) / line * line + 1;
}

ORR_BOTH static inline int64_t orr_hb2st_slots(const orr_hb2st_shape *a)
{
    return (a->D - 1) / (a->b - 1) + 1;
}

/* Elements of a vector in a slot, of a slot, of a block before its slots, of a block. `lead`
 * elements are a cache line. */
ORR_BOTH static inline int64_t orr_hb2st_slot_vector(const orr_hb2st_shape *a)
{
    return (a->b + 2 * a->lead - 2) / a->lead * a->lead;
}

ORR_BOTH static inline int64_t orr_hb2st_slot(const orr_hb2st_shape *a)
{
    return 4 * orr_hb2st_slot_vector(a) + a->lead;
}

ORR_BOTH static inline int64_t orr_hb2st_slots_at(const orr_hb2st_shape *a)
{
    return (a->lead + a->D * a->ldh + a->lead - 1) / a->lead * a->lead;
}

ORR_BOTH static inline int64_t orr_hb2st_elements(const orr_hb2st_shape *a)
{
    return a->late ? orr_hb2st_slots_at(a) + orr_hb2st_slots(a) * orr_hb2st_slot(a)
                   : a->lead + a->D * a->ldh;
}

/* A real matrix is tridiagonal when only the last two columns are left; a complex one needs
 * one more reflector, of length 1, to make the last off-diagonal entry real. */
ORR_BOTH static inline int64_t orr_hb2st_sweeps(int is_complex, int64_t n, int64_t b)
{
    const int64_t s = b == 0 || (b == 1 && !is_complex) ? 0 : is_complex ? n - 1 : n - 2;
    return s > 0 ? s : 0;
}

ORR_BOTH static inline int64_t orr_hb2st_hops(const orr_hb2st_shape *a, int64_t s)
{
    return a->b == 1 ? 1 : (a->n - 1 - s + a->b - 1) / a->b;
}

ORR_BOTH static inline int64_t orr_hb2st_blocks(const orr_hb2st_shape *a)
{
    return (a->n + a->D - 1) / a->D;
}
/* Groups of G sweeps, and one of the rest, whose first sweep is a multiple of G. */
ORR_BOTH static inline int64_t orr_hb2st_groups(const orr_hb2st_shape *a)
{
    return (a->sweeps - a->rest + a->G - 1) / a->G + (a->rest > 0);
}

/* The first sweep that is not in group g any more. */
ORR_BOTH static inline int64_t orr_hb2st_group_end(const orr_hb2st_shape *a, int64_t g)
{
    const int64_t in_groups = a->sweeps - a->rest;
    return g * a->G < in_groups ? orr_least((g + 1) * a->G, in_groups) : a->sweeps;
}

ORR_BOTH static inline int64_t orr_hb2st_block_columns(const orr_hb2st_shape *a, int64_t m)
{
    return orr_least(a->D, a->n - m * a->D);
}

/* How many hops of sweep s are done when task T(g,m) is, g = s / G: those whose last column
 * is at most (m+1)D - 1 - i(b-1), i = s - gG; all of them in the last block, and those of the
 * rest nowhere else. */
ORR_BOTH static inline int64_t orr_hb2st_done(const orr_hb2st_shape *a, int64_t s, int64_t m)
{
    const int64_t i = s % a->G, bound = (m + 1) * a->D - 1 - i * (a->b - 1);
    const int64_t hops = orr_hb2st_hops(a, s);
    if (m >= orr_hb2st_blocks(a) - 1)
        return hops;
    if (s >= a->sweeps - a->rest)
        return 0;
    if (bound >= a->n - 1)
        return hops;
    return bound < s ? 0 : orr_least((bound - s) / a->b, hops);
}

/* Elements of the packed reflectors of all sweeps before s. */
ORR_BOTH static inline int64_t orr_hb2st_v_offset(const orr_hb2st_shape *a, int64_t s)
{
    return a->b == 1 ? s : s * (a->n - 1) - s * (s - 1) / 2;
}

#endif
