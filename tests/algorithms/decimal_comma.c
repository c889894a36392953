/* In a program whose numbers have a comma, as German ones do: StarPU's files, plans and traces are
 * the same as elsewhere, and the program keeps its locale.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/models.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"
#include "check.h"
#include "comma.h"

enum { N = 600 };

static char root[] = "/tmp/orrery-comma-XXXXXX", path[128];

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static char *whole_file(const char *name, size_t *n)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 1 << 22);
    *n = f && text ? fread(text, 1, (1 << 22) - 1, f) : 0;
    if (f)
        fclose(f);
    return text;
}

static orr_context *opened(int calibrate)
{
    orr_context *c = NULL;
    const orr_context_opts o = {
        .trace = 1, .calibrate = calibrate, .cpus = 1, .sched = "dmda", .model_dir = root};
    CHECK(orr_open(&o, &c) == ORR_OK);
    return c;
}

static void solve(orr_context *c, char plan[512])
{
    double *a = calloc((size_t)N * N, sizeof *a), *w = calloc(N, sizeof *w);
    orr_report report;
    for (int i = 0; i < N; i++)
        a[i + i * N] = i, a[i == 0 ? 0 : i - 1 + i * N] = a[i == 0 ? 0 : i + (i - 1) * N] = 1e-3;
    const orr_heev_opts two = {.method = ORR_DENSE_TWO_STAGE};
    CHECK(orr_heev(c, ORR_D, 'L', N, a, N, w, NULL, 1, &two, &report) == ORR_OK, "%s",
          report.message);
    memcpy(plan, report.plan, 512);
    free(a);
    free(w);
}

static int commas(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

/* The same, written with and without a comma in the locale. */
static void trace(orr_context *c, const char *name)
{
    size_t n, m;
    CHECK(orr_trace_write(c, in_root(name)) == ORR_OK);
    char *with = whole_file(path, &n);
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    CHECK(orr_trace_write(c, path) == ORR_OK);
    uselocale(LC_GLOBAL_LOCALE);
    char *without = whole_file(path, &m);
    CHECK(n > 0 && n == m && memcmp(with, without, n) == 0, "%s", name);
    free(with);
    free(without);
}

static void model(void)
{
    orr_model_entry entry = {.key = 7, .size = 10, .mean = 1.5, .sd = .25, .n = 12};
    orr_model_part part = {.cores = 1, .entries = 1, .entry = &entry};
    const orr_model written = {.parts = 1, .part = &part};
    orr_model read;
    size_t n;
    char message[ORR_MESSAGE] = "";
    CHECK(orr_model_write(in_root("one.there"), &written, message) == ORR_OK, "%s", message);
    char *text = whole_file(path, &n);
    CHECK(n > 0 && !strstr(text, "1,5") && strstr(text, "1.5"), "%s", text);
    free(text);
    CHECK(orr_model_read(path, &read, message) == ORR_OK && read.part[0].entry[0].mean == 1.5, "%s",
          message);
    orr_model_free(&read);
}

int main(void)
{
    char plan[2][512], message[256];
    orr_mtx m;
    if (!comma_locale())
        return 77;
    CHECK(mkdtemp(root));
    setenv("STARPU_HOME", root, 1);

    orr_context *c = opened(1);
    solve(c, plan[0]);
    trace(c, "t.svg"), trace(c, "t.html"), trace(c, "t.json"), trace(c, "t.paje");
    trace(c, "t.csv"), trace(c, "t.graph");
    orr_close(c); /* writes models, */
    c = opened(0);
    solve(c, plan[0]); /* which are read */
    CHECK(orr_generate("sbm:40:2:1.5:0.5", 1, &m, message) == ORR_OK, "%s", message);
    orr_mtx_free(&m);
    model();
    CHECK(localeconv()->decimal_point[0] == ',', "the program's locale was changed");
    orr_close(c);

    setlocale(LC_NUMERIC, "C");
    c = opened(0); /* the same models */
    solve(c, plan[1]);
    CHECK(commas(plan[0]) == commas(plan[1]), "%s and %s", plan[0], plan[1]);
    orr_close(c);
    snprintf(path, sizeof path, "rm -rf %s", root);
    if (system(path) != 0)
        printf("%s stays\n", root);
    return checked();
}
