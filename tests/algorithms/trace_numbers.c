/* What stands above a picture of a run, short or long: numbers that people read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "check.h"
#include "src/picture/run.h"

/* A graph of which tasks are lost has no bounds: a chain may have gone through them. */
static void lost(void)
{
    static const struct orr_trace_access access[] = {{1, ORR_ACCESS_W, 8}, {1, ORR_ACCESS_R, 8}};
    static const struct orr_picture_worker worker[] = {{.name = "CPU 0"}};
    static const struct orr_trace_record r[] = {
        {.name = "a", .symbol = "a", .accesses = 1, .end = 5},
        {.name = "b", .symbol = "b", .first = 1, .accesses = 1, .number = 1, .start = 5, .end = 7}};
    for (int n = 0; n < 2; n++) {
        orr_analysis a = {.lost = n};
        CHECK(orr_analyse(&a, worker, 1, r, 2, access) == ORR_OK && a.tasks == 2, "%lld tasks",
              (long long)a.tasks);
        CHECK(n ? isnan(a.lp) && isnan(a.area) && isnan(a.critical_path)
                : fabs(a.critical_path - 7e-6) < 1e-12,
              "%d lost: bounds %g, %g, %g", n, a.critical_path, a.area, a.lp);
    }
}

int main(void)
{
    /* clang-format off */
    static const struct { size_t tasks; double makespan, lp; const char *words; } cases[] = {
        {1, 34.88e-3, 0.02272e-3, "1 task in 34.88 ms, 1535 times the bound of 0.02272 ms"},
        {2, 2e-6, 1e-6, "2 tasks in 0.002 ms, 2 times the bound of 0.001 ms"},
        {15, 3.2e-3, 2.5e-3, "15 tasks in 3.2 ms, 1.28 times the bound of 2.5 ms"},
        {9, 9.999, 9.5, "9 tasks in 9999 ms, 1.05 times the bound of 9500 ms"},
        {108007, 61.8349, 0.147, "108007 tasks in 61835 ms, 421 times the bound of 147 ms"},
        {7, 400000, 100000, "7 tasks in 400000000 ms, 4 times the bound of 100000000 ms"},
        {0, 0, 0, "0 tasks in 0 ms; no bounds"},
    };
    /* clang-format on */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char said[256];
        const struct orr_picture_run x = {
            .n = cases[k].tasks, .bounds = {.makespan = cases[k].makespan, .lp = cases[k].lp}};
        orr_picture_verdict(&x, said, sizeof said);
        CHECK(!strcmp(said, cases[k].words), "'%s', not '%s'", said, cases[k].words);
    }
    lost();
    return checked();
}
