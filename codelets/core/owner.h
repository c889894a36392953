/* Who has what where there are several accelerators: each tile column of a matrix belongs to the
 * memory of one of them, and so do the tasks that write it. Without owners a policy moves tiles to
 * whoever is free.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_OWNER_H
#define ORR_CODELETS_OWNER_H

#include <stdint.h>

enum { ORR_MOST_OWNERS = 16 };

/* The memories of accelerators, as StarPU numbers its nodes, and whose the tile columns are, which
 * repeats. */
struct orr_owners {
    int count;
    int node[ORR_MOST_OWNERS];
    int period;
    signed char column[2 * ORR_MOST_OWNERS];
    double unit[ORR_MOST_OWNERS]; /* microseconds for a unit of work; 0: nobody knows */
};

/* All there are, with equally many columns each. None: without accelerators. */
struct orr_owners orr_owners_look(void);
/* If they are alike: no more than this many of them. */
void orr_owners_limit(struct orr_owners *, int64_t most);
/* Forth and back, 0 1 1 0 0 1 1 0, so that a triangle, or what a reduction has left of one, is shared
 * equally, and neighbours belong together. */
void orr_owners_deal(struct orr_owners *);
/* In proportion to how fast they are: us[i] is what owner i takes for a unit of work, 0 if nobody
 * knows. Nothing changes unless one takes a quarter longer than another; one that takes too long for
 * a column in 16 owns nothing, and leaves. */
void orr_owners_share(struct orr_owners *, const double *us);

/* 1: there are some, and each has as much as another. */
static inline int orr_owners_alike(const struct orr_owners *o)
{
    return o->count == 1 || (o->count > 0 && o->period == 2 * o->count);
}
/* 1: besides columns of equal rank have one owner, and those of one owner are the ranks that differ in their
 * last bits only: there are 1, 2, 4, 8 or 16. */
static inline int orr_owners_even(const struct orr_owners *o)
{
    return orr_owners_alike(o) && (o->count & (o->count - 1)) == 0;
}

/* Whose tile column j is. */
static inline int orr_owner_of(const struct orr_owners *o, int64_t j)
{
    return o->column[j % o->period];
}
/* The part of all tile columns that this owner has. */
static inline double orr_owner_share(const struct orr_owners *o, int owner)
{
    int columns = 0;
    for (int j = 0; j < o->period; j++)
        columns += o->column[j] == owner;
    return (double)columns / o->period;
}
/* The first tile column of this owner from j on. */
static inline int64_t orr_owner_first(const struct orr_owners *o, int owner, int64_t j)
{
    while (orr_owner_of(o, j) != owner)
        j++;
    return j;
}

/* A place for each tile column in a sum over them, 0 .. 15: columns of one owner follow each other
 * if there are 1, 2, 4, 8 or 16, or they are shared by rates, and the order is the same for any
 * owners. */
static inline int orr_owner_rank(int64_t j)
{
    int64_t at = j % (2 * ORR_MOST_OWNERS);
    int rank = 0;
    for (int half = ORR_MOST_OWNERS, bit = 0; half > 0; half /= 2, bit = bit ? 2 * bit : 1) {
        rank += at >= half ? bit : 0;
        at = at < half ? at : 2 * half - 1 - at;
    }
    return rank;
}

#endif
