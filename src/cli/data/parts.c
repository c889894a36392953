/* See parts.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/parts.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/ranks.h"

/* Of orders up to SMALL, so many at least are MANY to all choices of heevj and gesvj. */
enum { SMALL = 128, MANY = 16 };

/* ---- Who gets which ------------------------------------------------------------------------ */

struct place {
    int64_t order, k;
};

static int descending(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order) - (x->order > y->order)
                                : (x->k > y->k) - (x->k < y->k);
}

static int least_loaded(const double *load, int ranks)
{
    int best = 0;
    for (int r = 1; r < ranks; r++)
        if (load[r] < load[best])
            best = r;
    return best;
}

/* Matrices of one order: equal shares, each to who has least to do. */
static void deal(cli_parts *p, const struct place *first, int64_t count, double *load)
{
    const double order = (double)first->order;
    const int64_t most = first->order <= SMALL ? count / MANY : count;
    const int64_t shares = most < 1 ? 1 : most < cli_ranks() ? most : cli_ranks();
    for (int64_t i = 0, k = 0; i < shares; i++) {
        const int64_t end = (i + 1) * count / shares;
        const int rank = least_loaded(load, cli_ranks());
        load[rank] += (double)(end - k) * (order * order * order + 1);
        for (; k < end; k++)
            p->owner[first[k].k] = rank;
    }
}

int cli_parts_make(cli_parts *p, int64_t batch, const int64_t *order)
{
    struct place *sorted = malloc(((size_t)batch + 1) * sizeof *sorted);
    double *load = calloc((size_t)cli_ranks(), sizeof *load);
    *p = (cli_parts){.batch = batch, .owner = calloc((size_t)batch + 1, sizeof *p->owner)};
    const int good = sorted && load && p->owner;
    for (int64_t k = 0; good && k < batch; k++)
        sorted[k] = (struct place){order[k], k};
    if (good)
        qsort(sorted, (size_t)batch, sizeof *sorted, descending);
    for (int64_t first = 0, end; good && first < batch; first = end) {
        for (end = first; end < batch && sorted[end].order == sorted[first].order;)
            end++;
        deal(p, sorted + first, end - first, load);
    }
    for (int64_t k = 0; good && k < batch; k++)
        p->mine += p->owner[k] == cli_rank();
    free(sorted);
    free(load);
    if (!good)
        cli_parts_free(p);
    return good ? CLI_OK : CLI_MEMORY;
}

void cli_parts_free(cli_parts *p)
{
    free(p->owner);
    *p = (cli_parts){0};
}

/* ---- Data ------------------------------------------------------------------------------------ */

static size_t place_of(const size_t *at, int64_t k) { return at ? at[k] : (size_t)k; }

/* Neighbours of one owner go together. `home`: to rank 0, else from it. */
static void move(const cli_parts *p, const size_t *at, size_t element, char *all, char *mine,
                 int home)
{
    const int me = cli_rank();
    for (int64_t k = 0, end; k < p->batch; k = end) {
        for (end = k; end < p->batch && p->owner[end] == p->owner[k];)
            end++;
        const int owner = p->owner[k];
        const size_t first = place_of(at, k) * element;
        const size_t bytes = place_of(at, end) * element - first;
        if (bytes && owner == me && me == 0)
            memcpy(home ? all + first : mine, home ? mine : all + first, bytes);
        else if (owner == me && home)
            cli_ranks_send(0, mine, bytes);
        else if (owner == me)
            cli_ranks_receive(0, mine, bytes);
        else if (me == 0 && home)
            cli_ranks_receive(owner, all + first, bytes);
        else if (me == 0)
            cli_ranks_send(owner, all + first, bytes);
        if (owner == me)
            mine += bytes;
    }
}

void cli_parts_scatter(const cli_parts *p, const size_t *at, size_t element, const void *all,
                       void *mine)
{
    move(p, at, element, (char *)all, mine, 0);
}

void cli_parts_gather(const cli_parts *p, const size_t *at, size_t element, void *all,
                      const void *mine)
{
    move(p, at, element, all, (char *)mine, 1);
}

/* ---- Figures --------------------------------------------------------------------------------- */

struct figures {
    double residual, orthogonality, values;
    int64_t tasks;
};

/* NaN is the worst. */
static double worse(double a, double b) { return a > b || isnan(a) ? a : b; }

void cli_parts_record(cli_record *r, cli_turns *t)
{
    const int samples = 2 * t->repeat; /* of calls, then of graphs */
    struct figures f = {r->residual, r->orthogonality, r->values, r->tasks};
    if (cli_rank() > 0) {
        cli_ranks_send(0, &f, sizeof f);
        for (int k = 0; k < samples; k++)
            cli_ranks_send(0, &t->call[k], sizeof t->call[k]);
        return;
    }
    for (int rank = 1; rank < cli_ranks(); rank++) {
        cli_ranks_receive(rank, &f, sizeof f);
        r->residual = worse(r->residual, f.residual);
        r->orthogonality = worse(r->orthogonality, f.orthogonality);
        r->values = worse(r->values, f.values);
        r->tasks += f.tasks;
        for (int k = 0; k < samples; k++) {
            double theirs;
            cli_ranks_receive(rank, &theirs, sizeof theirs);
            t->call[k] = worse(t->call[k], theirs);
        }
    }
    r->seconds = cli_statistics(t->call, t->repeat);
    r->seconds_graph = cli_statistics(t->graph, t->repeat);
}
