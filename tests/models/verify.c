/* Hold-out runs against predictions, on a machine that is disturbed in most of them: the models are
 * those of a quiet machine, and must not be called too fast.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "src/cli/calibrate/calibrate_report.h"

enum { SHAPES = 8, RUNS = 5, TASKS = 6, COUNT = SHAPES * RUNS * TASKS };
static const double LIMIT = 0.01, SLOWER = 1.5;

static int failures;
#define CHECK(x, ...)                                                                              \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            failures++;                                                                            \
            printf("FAIL %s:%d: %s: ", __FILE__, __LINE__, #x);                                    \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

static double truth(double size) { return 20 + 0.01 * size; }

/* Shapes of sizes first, 2 first, 4 first, ...; of the first `quiet` runs no task is disturbed. */
static void plant(orr_sample s[COUNT], uint32_t key, double first, int quiet, const char *model)
{
    for (int i = 0; i < COUNT; i++) {
        const int shape = i / (RUNS * TASKS), run = i / TASKS % RUNS;
        const double size = first * pow(2, shape);
        s[i] = (orr_sample){.model = model,
                            .cores = 1,
                            .key = key + (uint32_t)shape,
                            .size = size,
                            .run = run + 1,
                            .us = truth(size) * (run < quiet ? 1 : SLOWER)};
    }
}

int main(void)
{
    orr_sample grid[COUNT], held[COUNT + 1];
    orr_models m;
    verification v;
    plant(grid, 1, 1000, RUNS, "made_up_d");
    CHECK(orr_models_make(grid, COUNT, &m) == ORR_OK, "models");
    plant(held, 100, 1400, 1, "made_up_d");
    held[COUNT] = held[0];
    held[COUNT].model = "unknown_d";
    CHECK(verify(&m, held, COUNT + 1, &v), "memory");
    const double quiet = v.predicted / v.measured, as_run = v.predicted / v.as_run;
    const double wanted = RUNS / (1 + (RUNS - 1) * SLOWER);
    printf("one run of %d is quiet, the others take %g times as long: predicted over measured %.4f "
           "(1 +- %g), over all tasks %.4f (%.4f +- %g)\n",
           RUNS, SLOWER, quiet, LIMIT, as_run, wanted, LIMIT);
    CHECK(fabs(quiet - 1) <= LIMIT, "%g", quiet);
    CHECK(fabs(as_run - wanted) <= LIMIT, "%g", as_run);
    /* the last size is beyond 1.1 times the largest of the grid */
    CHECK(v.n == 2 && v.shapes == SHAPES + 1 && v.unpredicted == 2, "%lld shapes, %lld unknown",
          (long long)v.shapes, (long long)v.unpredicted);
    CHECK(v.worst <= LIMIT && v.row[1].unpredicted == 1, "worst %g", v.worst);
    verify_print(&v);
    verify_free(&v);
    orr_models_free(&m);
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
