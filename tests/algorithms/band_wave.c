/* The replay of a band's wavefront against one that knows nothing of bounds: every column of every
 * sweep is put into its task, all tasks into a list, and each goes to the worker that is free first.
 *
 *   sweep s + i of a group has columns s + i .. n - 1; column c is passed in block
 *   (c + i (b - 1)) / D, or the last one; T(g,m) is the (2 g + m)-th in depth and needs blocks
 *   m - 1 and m;  |seconds / seconds' - 1| <= 1e-12
 *
 * One worker does nothing but work: the sum of all hops. The estimate is within 15 %,
 * 35 % where both kinds of workers have blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/band_wave.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "larger.h"
#include "random.h"

struct task {
    int64_t depth, g, m, columns;
    const struct orr_wave_stage *stage;
};

enum { MOST_TASKS = 100000, MOST_BLOCKS = 600, MOST_WORKERS = 8 };

static int in_order(const void *x, const void *y)
{
    const struct task *a = x, *b = y;
    return a->depth != b->depth ? (a->depth > b->depth) - (a->depth < b->depth)
                                : (a->g > b->g) - (a->g < b->g);
}

/* All tasks that have work. */
static int64_t list(const struct orr_wave *w, int64_t blocks, struct task *task)
{
    int64_t count = 0, g = 0;
    for (int64_t k = 0; k < w->stages; k++)
        for (int64_t s = 0, next; s < w->stage[k].sweeps; s = next, g++) {
            const struct orr_wave_stage *stage = &w->stage[k];
            const int all = w->rest && blocks > 1 && s >= (blocks - 2) * w->D;
            int64_t columns[MOST_BLOCKS] = {0};
            next = all || s + stage->G > stage->sweeps ? stage->sweeps : s + stage->G;
            for (int64_t i = 0; s + i < next; i++)
                for (int64_t c = s + i; c < w->n; c++) {
                    const int64_t m = (c + i * (stage->b - 1)) / w->D;
                    columns[all || m > blocks - 1 ? blocks - 1 : m]++;
                }
            for (int64_t m = 0; m < blocks; m++)
                if (columns[m] > 0)
                    task[count++] = (struct task){2 * g + m, g, m, columns[m], stage};
        }
    qsort(task, (size_t)count, sizeof *task, in_order);
    return count;
}

static double seconds_of(const struct orr_wave *w, double *work)
{
    static struct task task[MOST_TASKS];
    double free[ORR_WAVE_KINDS][MOST_WORKERS] = {{0}}, until[MOST_BLOCKS] = {0}, end = 0;
    int place[MOST_BLOCKS] = {0};
    const int64_t blocks = (w->n + w->D - 1) / w->D, count = list(w, blocks, task);
    *work = 0;
    for (int64_t k = 0; k < count; k++) {
        const struct task *t = &task[k];
        const int kind = t->m < w->split;
        int first = 0;
        for (int i = 1; i < w->workers[kind]; i++)
            first = free[kind][i] < free[kind][first] ? i : first;
        double begin = free[kind][first];
        for (int64_t m = t->m > 0 ? t->m - 1 : 0; m <= t->m; m++)
            begin = fmax(begin, until[m] + (place[m] != kind ? w->move : 0));
        const double took =
            w->overhead + t->stage->hop[kind] * (double)t->columns / (double)t->stage->b;
        for (int64_t m = t->m > 0 ? t->m - 1 : 0; m <= t->m; m++) {
            until[m] = begin + took;
            place[m] = kind;
        }
        free[kind][first] = begin + took;
        *work += took;
    }
    for (int64_t m = 0; m < blocks; m++)
        end = fmax(end, until[m]);
    for (int64_t m = 0; m < blocks; m++)
        end += place[m] ? w->move : 0;
    return end;
}

static int64_t between(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(next_bits(state) % (uint64_t)(most - least + 1));
}

static void replayed(void)
{
    uint64_t state = 17;
    for (int k = 0; k < 1500; k++) {
        struct orr_wave_stage stage[3];
        struct orr_wave w = {.n = between(&state, 1, 300),
                             .stages = between(&state, 1, 3),
                             .rest = k % 2,
                             .workers = {(int)between(&state, 1, 4), (int)between(&state, 1, 3)},
                             .overhead = k % 3 ? 2e-6 * fabs(next_uniform(&state)) : 0,
                             .move = k % 5 ? 3e-6 * fabs(next_uniform(&state)) : 0,
                             .stage = stage};
        int64_t b = between(&state, 2, 24), G = 1;
        w.D = between(&state, b, 5 * b);
        for (int64_t i = 0; i<w.stages; i++, b = b> 3 ? b / 2 : 2) {
            G = between(&state, 1, 1 + w.D / b);
            stage[i] = (struct orr_wave_stage){
                b,
                between(&state, 1, w.n),
                G,
                {1e-6 * (1 + fabs(next_uniform(&state))), 4e-7 * (1 + fabs(next_uniform(&state)))}};
        }
        const int64_t blocks = (w.n + w.D - 1) / w.D;
        w.split = k % 4 ? 0 : between(&state, 0, blocks);
        double work;
        const double want = seconds_of(&w, &work), got = orr_wave_seconds(&w);
        CHECK(fabs(got / want - 1) <= 1e-12,
              "case %d, n %lld D %lld split %lld stages %lld rest %d: %.10g, not %.10g", k,
              (long long)w.n, (long long)w.D, (long long)w.split, (long long)w.stages, w.rest, got,
              want);
        w.split = 0;
        w.workers[ORR_WAVE_CPU] = 1;
        (void)seconds_of(&w, &work);
        CHECK(fabs(orr_wave_seconds(&w) / work - 1) <= 1e-12, "case %d: one worker works %g", k,
              work);
    }
}

/* The part of the columns that a device twice as fast as each of the workers does in their time. */
static int64_t fair_split(int64_t n, int64_t D, int workers)
{
    return (int64_t)((sqrt(2. / (2 + workers)) * (double)n + (double)D / 2) / (double)D);
}

/* Bands as hb2st has them, then in two stages as gb2bd may: on CPUs, on a device, on both. */
static void estimated(void)
{
    static const int64_t sizes[][3] = {{2000, 32, 256}, {4000, 64, 512}, {3000, 16, 128},
                                       {1500, 40, 320}, {600, 32, 640},  {5000, 8, 192}};
    static const double limit[] = {0.15, 0.15, 0.35};
    static struct task task[MOST_TASKS];
    double worst[3] = {0}, count = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int c = 0; c < 24; c++) {
            const int64_t n = sizes[k][0], b = sizes[k][1], D = sizes[k][2];
            const int64_t blocks = (n + D - 1) / D;
            const int workers = 1 << c / 6, where = c / 2 % 3;
            const struct orr_wave_stage stage[] = {
                {b, n - 2, (D - b) / (b - 1) + 1, {1e-6, 5e-7}},
                {b / 2, n - 2, (D - b) / (b - 1) + 1, {6e-7, 3e-7}}};
            const struct orr_wave w = {.n = n,
                                       .D = D,
                                       .split = where == 0   ? 0
                                                : where == 1 ? blocks
                                                             : fair_split(n, D, workers),
                                       .workers = {workers, 1},
                                       .overhead = 1e-5,
                                       .stages = 1 + c % 2,
                                       .stage = stage};
            const struct orr_wave_rough rough = orr_wave_estimate(&w);
            const double tasks = (double)list(&w, blocks, task);
            worst[where] = larger(worst[where], fabs(rough.seconds / orr_wave_seconds(&w) - 1));
            count = larger(count, fabs(rough.tasks / tasks - 1));
        }
    for (int where = 0; where < 3; where++)
        CHECK(worst[where] <= limit[where], "estimates of place %d are off by %g", where,
              worst[where]);
    CHECK(count <= 0.5, "numbers of tasks are off by %g", count);
    printf("estimates are off by %.2g, %.2g, %.2g (limits %g, %g, %g), tasks by %.2g (limit 0.5)\n",
           worst[0], worst[1], worst[2], limit[0], limit[1], limit[2], count);
}

int main(void)
{
    replayed();
    estimated();
    return checked();
}
