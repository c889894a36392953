/* Whose tile columns are. Of a sum over tiles an owner's terms must follow each other, in the order
 * of orr_owner_rank, and of 32 columns each owner has, but for two, what its rate says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "codelets/core/owner.h"
#include "numbers.h"

enum { PERIOD = 2 * ORR_MOST_OWNERS };

static struct orr_owners equal(int count)
{
    struct orr_owners o = {.count = count};
    for (int i = 0; i < count; i++)
        o.node[i] = i + 1;
    orr_owners_deal(&o);
    return o;
}

/* Columns of each node in a period. */
static void columns_of(const struct orr_owners *o, int *columns)
{
    for (int node = 0; node <= ORR_MOST_OWNERS; node++)
        columns[node] = 0;
    for (int64_t j = 0; j < PERIOD; j++) {
        const int owner = orr_owner_of(o, j);
        CHECK(owner >= 0 && owner < o->count && orr_owner_of(o, j + 5 * PERIOD) == owner,
              "column %lld of %d owners", (long long)j, o->count);
        columns[o->node[owner]]++;
    }
}

/* How often the next term of a sum over tiles is another owner's. */
static int changes(const struct orr_owners *o)
{
    int changes = 0, last = -1;
    for (int rank = 0; rank < ORR_MOST_OWNERS; rank++)
        for (int64_t j = 0; j < PERIOD; j++)
            if (orr_owner_rank(j) == rank) {
                changes += last >= 0 && orr_owner_of(o, j) != last;
                last = orr_owner_of(o, j);
            }
    return changes;
}

static void shared(int count, const double *seconds)
{
    struct orr_owners o = equal(count);
    int columns[ORR_MOST_OWNERS + 1];
    double rates = 0;
    orr_owners_share(&o, seconds);
    columns_of(&o, columns);
    CHECK(changes(&o) == o.count - 1, "%d of %d owners: %d changes", o.count, count, changes(&o));
    for (int i = 0; i < count; i++)
        rates += 1 / seconds[i];
    for (int i = 0; i < count; i++) {
        const double part = PERIOD / seconds[i] / rates;
        CHECK(fabs(columns[i + 1] - part) < 2, "%d of %d owners: %d columns, not %g", i, count,
              columns[i + 1], part);
    }
    for (int i = 0; i < o.count; i++)
        CHECK(columns[o.node[i]] > 0, "owner %d of %d has nothing", i, o.count);
}

/* Some column of this rank. */
static int64_t column_of(int rank)
{
    int64_t j = 0;
    while (orr_owner_rank(j) != rank)
        j++;
    return j;
}

/* Sums of all ranks, each begun by its own owner and taken in turn by exclusive or: no owner comes twice to one, and
 * in no turn to two sums of different owners. */
static void in_turn(int count)
{
    const struct orr_owners o = equal(count);
    const int of_owner = ORR_MOST_OWNERS / count;
    int sum_of[ORR_MOST_OWNERS];
    CHECK(orr_owners_even(&o), "%d owners are not even", count);
    for (int turn = 0; turn < ORR_MOST_OWNERS; turn += of_owner) {
        for (int owner = 0; owner < count; owner++)
            sum_of[owner] = -1;
        for (int own = 0; own < ORR_MOST_OWNERS; own++) {
            const int begins = orr_owner_of(&o, column_of(own));
            const int adds = orr_owner_of(&o, column_of(own ^ turn));
            for (int more = 1; more < of_owner; more++)
                CHECK(orr_owner_of(&o, column_of(own ^ (turn + more))) == adds,
                      "%d owners: turn %d of rank %d is of two", count, turn, own);
            CHECK(sum_of[adds] < 0 || sum_of[adds] == begins, "%d owners: %d adds twice in turn %d",
                  count, adds, turn);
            sum_of[adds] = begins;
        }
    }
}

static void limited(void)
{
    static const double seconds[] = {1, 3};
    struct orr_owners o = equal(8), as_four = equal(4), uneven = equal(2);
    orr_owners_limit(&o, 4);
    CHECK(o.count == 4 && o.period == as_four.period, "%d of 8 owners, not 4", o.count);
    for (int64_t j = 0; j < PERIOD; j++)
        CHECK(orr_owner_of(&o, j) == orr_owner_of(&as_four, j), "column %lld", (long long)j);
    orr_owners_share(&uneven, seconds);
    orr_owners_limit(&uneven, 1);
    CHECK(uneven.count == 2 && !orr_owners_even(&uneven), "two that are not alike are limited");
    CHECK(!orr_owners_even(&(struct orr_owners){0}), "nobody is even");
}

int main(void)
{
    for (int count = 1; count <= ORR_MOST_OWNERS; count *= 2)
        in_turn(count);
    limited();
    static const int expected[] = {0, 1, 1, 0, 0, 1, 1, 0};
    int columns[ORR_MOST_OWNERS + 1];
    struct orr_owners o = equal(2);
    for (int64_t j = 0; j < 8; j++)
        CHECK(orr_owner_of(&o, j) == expected[j], "column %lld of two", (long long)j);
    for (int count = 1; count <= ORR_MOST_OWNERS; count++) {
        o = equal(count);
        CHECK(o.period == 2 * count, "%d owners", count);
        if ((count & (count - 1)) == 0) {
            columns_of(&o, columns);
            CHECK(changes(&o) == count - 1 && columns[count] == PERIOD / count, "%d owners", count);
        }
    }
    /* as good as equal, or not known: nothing changes */
    static const double same[][3] = {{1, 1.2, 1.1}, {1, 0, 5}, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        struct orr_owners p = equal(3);
        orr_owners_share(&p, same[k]);
        CHECK(p.count == 3 && p.period == 6, "case %d", k);
    }
    /* three times as slow as the three others; much too slow */
    static const double four[] = {1, 3, 1, 1}, two[] = {1e-3, 1}, slow_first[] = {1, 1e-3};
    o = equal(4);
    orr_owners_share(&o, four);
    columns_of(&o, columns);
    CHECK(columns[2] == 2 && columns[1] == 10 && columns[3] == 10 && columns[4] == 10,
          "%d columns of the slow one", columns[2]);
    o = equal(2);
    orr_owners_share(&o, two);
    CHECK(o.count == 1 && o.node[0] == 1, "%d owners are left", o.count);
    o = equal(2);
    orr_owners_share(&o, slow_first);
    CHECK(o.count == 1 && o.node[0] == 2 && o.unit[0] == 1e-3, "%d owners are left, of %g s",
          o.count, o.unit[0]);

    uint64_t state = 5;
    for (int k = 0; k < 2000; k++) {
        double seconds[ORR_MOST_OWNERS];
        const int count = 2 + k % (ORR_MOST_OWNERS - 1);
        for (int i = 0; i < count; i++)
            seconds[i] = exp2(3 * next_uniform(&state));
        seconds[k % count] = 20; /* at least twice as slow as any */
        shared(count, seconds);
    }
    return checked();
}
