/* Files of models: parts of several devices and implementations come back as they were, with the sums that
 * StarPU reads; what StarPU would take for something else, or end the process on, is refused. Of which machine
 * they are, and the file that says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/models.h>

#include "check.h"

static const char path[] = "parts_d.test";

/* ---- What comes back ------------------------------------------------------------------------- */

static const struct {
    orr_kind kind;
    int device, cores, impl;
} place[] = {{ORR_KIND_CPU, 0, 1, 2}, /* implementations 0 and 1 did not run */
             {ORR_KIND_CPU, 0, 4, 0},
             {ORR_KIND_CUDA, 0, 0, 0},
             {ORR_KIND_CUDA, 1, 0, 0},
             {ORR_KIND_CUDA, 1, 0, 1}};
enum { PLACES = sizeof place / sizeof *place, SHAPES = 5, RUNS = 6 };

/* 3 us and a time that grows with the size, by twice, three times ... of it; every other run by 1 % more. */
static orr_models several(void)
{
    orr_sample s[PLACES * SHAPES * RUNS];
    orr_models m;
    size_t n = 0;
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < SHAPES; k++)
            for (int r = 0; r < RUNS; r++) {
                const double size = 1000 * pow(3, k);
                s[n++] = (orr_sample){.model = "parts_d",
                                      .kind = place[i].kind,
                                      .device = place[i].device,
                                      .cores = place[i].cores,
                                      .impl = place[i].impl,
                                      .key = (uint32_t)(10 * i + k + 1),
                                      .run = r,
                                      .size = size,
                                      .us = (3 + 0.01 * (i + 1) * size) * (1 + 0.01 * (r % 2))};
            }
    CHECK(orr_models_make(s, n, &m) == ORR_OK && m.count == 1 && m.model[0].parts == PLACES,
          "%d parts", (int)m.model[0].parts);
    return m;
}

static int near(double x, double y) { return fabs(x - y) <= 2e-6 * fabs(y); }

static void compare(const orr_model_part *p, const orr_model_part *q, int part)
{
    CHECK(p->kind == q->kind && p->device == q->device && p->cores == q->cores &&
              p->impl == q->impl && p->entries == q->entries,
          "part %d: %s %d, %d cores, %d of %d entries", part, orr_kind_name(q->kind), q->device,
          q->cores, q->impl, (int)q->entries);
    CHECK(p->fit.valid && q->fit.valid && near(q->fit.a, p->fit.a) && near(q->fit.b, p->fit.b) &&
              near(q->fit.c, p->fit.c) && p->fit.c > 1 && q->fit.minx == p->fit.minx &&
              q->fit.maxx == p->fit.maxx,
          "part %d: %g size^%g + %g", part, q->fit.a, q->fit.b, q->fit.c);
    for (int64_t i = 0; i < p->entries && i < q->entries; i++) {
        const orr_model_entry *x = &p->entry[i], *y = &q->entry[i];
        CHECK(x->key == y->key && x->n == y->n && x->size == y->size && near(y->mean, x->mean) &&
                  x->sd > 0 && near(y->sd, x->sd),
              "part %d, entry %d", part, (int)i);
    }
}

/* StarPU goes on from the sums of an entry: of the times, and of their squares. */
static void judge_sums(const orr_model_part *p)
{
    char line[512];
    double x[7];
    unsigned key;
    int found = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strspn(line, "0123456789abcdef") == 8 &&
            sscanf(line, "%8x %lf %lf %lf %lf %lf %lf %lf", &key, x, x + 1, x + 2, x + 3, x + 4,
                   x + 5, x + 6) == 8)
            for (int64_t i = 0; i < p->entries; i++)
                if (p->entry[i].key == key) {
                    const orr_model_entry *e = &p->entry[i];
                    const double n = (double)e->n;
                    found++;
                    CHECK(near(x[4], n * e->mean) && x[6] == n &&
                              near(x[5], n * (e->mean * e->mean + e->sd * e->sd)) &&
                              fabs(x[5] / (n * e->mean * e->mean) - 1) > 1e-5,
                          "sums %g and %g of %g tasks", x[4], x[5], x[6]);
                }
    if (f)
        fclose(f);
    CHECK(found == SHAPES, "%d entries", found);
}

static void round_trip(void)
{
    char message[ORR_MESSAGE] = "";
    orr_models m = several();
    orr_model back;
    CHECK(orr_model_write(path, &m.model[0], message) == ORR_OK, "%s", message);
    CHECK(orr_model_read(path, &back, message) == ORR_OK, "%s", message);
    int there = 0, empty = 0;
    for (int64_t i = 0; i < back.parts; i++)
        if (back.part[i].entries == 0)
            empty++;
        else if (there < m.model[0].parts)
            compare(&m.model[0].part[there], &back.part[i], there), there++;
    CHECK(there == PLACES && empty == 2 && !back.part[0].fit.valid, "%d parts, and %d empty", there,
          empty);
    for (int i = 0; i < PLACES; i++)
        judge_sums(&m.model[0].part[i]);
    orr_model_free(&back);
    orr_models_free(&m);
}

/* ---- What is refused ------------------------------------------------------------------------- */

/* A model of one entry: the numbers of its line, its curve, and the entry. */
static void read_text(const char *line, const char *curve, const char *entry, const char *words,
                      int valid)
{
    char message[ORR_MESSAGE] = "";
    orr_model m;
    FILE *f = fopen(path, "w");
    CHECK(f != NULL, "%s", path);
    fprintf(f, "45\n1\n1\n0\n0\n1\n1\n1\n0 0 0 0 1 1 %s\n%s\n0\n%s\n", line, curve, entry);
    fclose(f);
    const orr_status st = orr_model_read(path, &m, message);
    if (words)
        CHECK(st == ORR_E_FILE && strstr(message, words) && !m.part, "'%s', not '%s'", message,
              words);
    else
        CHECK(st == ORR_OK && m.part[0].fit.valid == valid && m.part[0].entry[0].key == 0x1f,
              "%s: valid %d, %s", line, st == ORR_OK && m.part[0].fit.valid, message);
    orr_model_free(&m);
}

static void texts(void)
{
    static const char line[] = "10 100 200", curve[] = "1 1 2", good[] = "1f 150 0 8 1 80 800 10";
    static const struct {
        const char *entry, *words;
    } bad[] = {{"10000001f 150 0 8 1 80 800 10", "eight hexadecimal digits"},
               {"1g 150 0 8 1 80 800 10", "eight hexadecimal digits"},
               {"1f 150 0 8 1 80 800", "an entry has eight numbers"},
               {"1f 150 0 8 1 80 800 10 5", "an entry has eight numbers"},
               {"1f 150 0 8 1 81 800 10", "the sum is not n times the mean"},
               {"1f 150 0 -8 1 80 800 10", "not negative"},
               {"1f 150 0 nan 1 80 800 10", "are finite"},
               {"1f 150 0 8 1 84 800 10.5", "are finite"}};
    read_text(line, curve, good, NULL, 1);
    read_text("9 100 200", curve, good, NULL, 0); /* StarPU uses no curve of fewer runs, */
    read_text("10 100 112", curve, good, NULL, 1);
    read_text("10 100 111", curve, good, NULL, 0); /* or of sizes so near to each other */
    read_text(line, "nan nan nan", good, NULL, 0);
    read_text(line, "1 1 2 3", good, "the curve a b c should be here", 0);
    read_text(line, "1 1", good, "the curve a b c should be here", 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        read_text(line, curve, bad[i].entry, bad[i].words, 0);
}

/* Runs of two groups in turn, half of one group's disturbed: each group is judged by itself. */
static void groups(void)
{
    enum { RUNS_OF_EACH = 20 };
    orr_sample s[2 * RUNS_OF_EACH];
    orr_models m;
    for (int i = 0; i < 2 * RUNS_OF_EACH; i++)
        s[i] = (orr_sample){.model = "groups",
                            .cores = 1,
                            .key = 1,
                            .group = i % 2,
                            .run = i / 2,
                            .size = 1,
                            .us = i % 2       ? 300
                                  : i / 2 % 2 ? 140
                                              : 100};
    CHECK(orr_models_make(s, 2 * RUNS_OF_EACH, &m) == ORR_OK &&
              m.model[0].part[0].entry[0].mean == 200,
          "mean %g, not 200", m.model[0].part[0].entry[0].mean);
    orr_models_free(&m);
}

/* ---- Of which machine -------------------------------------------------------------------------- */

static const orr_machine two = {.cpu = "Abacus",
                                .cores = 6,
                                .devices = 2,
                                .device = {"cuda 0 Slide rule", "cuda 1 Slide rule"}};

/* All of it counts, and a processor that nobody knows is no other's like. */
static void machines(void)
{
    static const struct {
        orr_machine there;
        const char *words;
    } others[] = {
        {{"Abacu", 6, 2, {"cuda 0 Slide rule", "cuda 1 Slide rule"}}, "its processor is 'Abacu'"},
        {{"Abacus", 5, 2, {"cuda 0 Slide rule", "cuda 1 Slide rule"}},
         "it has 5 cores, here are 6"},
        {{"Abacus", 6, 1, {"cuda 0 Slide rule"}}, "it has 1 CUDA devices, here are 2"},
        {{"Abacus", 6, 3, {"cuda 0 Slide rule", "cuda 1 Slide rule", "cuda 2 x"}}, "it has 3 CUDA"},
        {{"Abacus", 6, 2, {"cuda 0 Slide rule", "cuda 1 Slide rul"}}, "'cuda 1 Slide rul'"}};
    char why[ORR_MESSAGE] = "";
    CHECK(orr_machine_same(&two, &two, why), "%s", why);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!orr_machine_same(&two, &others[i].there, why) && strstr(why, others[i].words),
              "'%s', not '%s'", why, others[i].words);
    const orr_machine unknown = {.cpu = "unknown", .cores = 6};
    CHECK(!orr_machine_same(&unknown, &unknown, why), "two that are unknown");
}

/* The file again, with `text` for what it said of the format and the machine's name, or behind it. */
static void retold(const char *file, const char *rest, const char *text)
{
    FILE *f = fopen(file, "w");
    CHECK(f != NULL, "%s", file);
    fprintf(f, "%s%s", text, rest);
    fclose(f);
}

/* What was written comes back; another format, a machine without a name or cores, more devices than there is
 * room for, and a list that was cut within a line or lacks a file are refused. */
static void calibrations(void)
{
    char dir[] = "calibration.XXXXXX", file[64], listed[64], message[ORR_MESSAGE] = "", all[4096];
    orr_calibration c = {.name = "a", .machine = two, .starpu = "1.4", .command = "x = y # z"},
                    back;
    orr_models m = several();
    CHECK(mkdtemp(dir) != NULL, "%s", dir);
    static const char *const below[] = {"bus", "codelets", "codelets/45"};
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s/%s", dir, below[i]);
        CHECK(mkdir(file, 0777) == 0, "%s", file);
    }
    snprintf(listed, sizeof listed, "%s/codelets/45/parts_d.a", dir);
    CHECK(orr_model_write(listed, &m.model[0], message) == ORR_OK, "%s", message);
    orr_models_free(&m);
    CHECK(orr_calibration_write(dir, &c, message) == ORR_OK &&
              orr_calibration_check(dir, message) == ORR_OK &&
              orr_calibration_read(dir, &back, message) == ORR_OK,
          "%s", message);
    CHECK(!strcmp(back.name, "a") && !strcmp(back.command, "x = y # z") &&
              orr_machine_same(&back.machine, &two, message),
          "%s, %s: %s", back.name, back.command, message);

    snprintf(file, sizeof file, "%s/calibration", dir);
    FILE *f = fopen(file, "r");
    const size_t length = f ? fread(all, 1, sizeof all - 1, f) : 0;
    if (f)
        fclose(f);
    all[length] = '\0';
    const char *const rest = strstr(all, "starpu = "), *const files = strstr(all, "file = ");
    CHECK(rest && files, "%s", all);
    char many[1024] = "format = 1\nmachine = a\ncpu = b\ncores = 2\n";
    for (int i = 0; i <= ORR_MACHINE_DEVICES; i++)
        strcat(many, "device = d\n");
    const struct {
        const char *text, *rest, *words; /* NULL: good */
    } told[] = {
        {"\n \t# of b\nformat\t=\t1\r\nmachine = a\ncpu\t= b\ncores = 2\n", rest, NULL},
        {"format = 2\nmachine = a\ncpu = b\ncores = 2\n", rest, "calibration:1: format 2"},
        {"format = 1\ncpu = b\ncores = 2\n", rest, "machine, cpu or cores is missing"},
        {"format = 1\nmachine = a\ncores = 2\n", rest, "machine, cpu or cores is missing"},
        {"format = 1\nmachine = a\ncpu = b\n", rest, "machine, cpu or cores is missing"},
        {"format = 1\nmachine = a\ncpu = b\ncores = 0\n", rest, "machine, cpu or cores is missing"},
        {"machine = a\ncpu = b\ncores = 2\n", "", "lists 0 of the 1 files"},
        {"machine = a\ncpu = b\ncores = 2\nnothing\n", rest, "not of the form key = value"},
        {"machine = a\ncpu = b\ncores = 2\nfile = bus/x 1\n", rest, "name, checksum and length"},
        {many, rest, "at most 16 devices"}};
    for (size_t i = 0; rest && i < sizeof told / sizeof *told; i++) {
        retold(file, told[i].rest, told[i].text);
        const orr_status st = orr_calibration_check(dir, message);
        CHECK(told[i].words ? st == ORR_E_FILE && strstr(message, told[i].words) : st == ORR_OK,
              "case %zu: %d, %s", i, (int)st, message);
    }
    all[length - 1] = '\0';
    retold(file, "", all);
    CHECK(orr_calibration_check(dir, message) == ORR_E_FILE && strstr(message, "cut off"), "%s",
          message);
    unlink(file);
    unlink(listed);
    for (int i = 2; i >= 0; i--) {
        snprintf(file, sizeof file, "%s/%s", dir, below[i]);
        rmdir(file);
    }
    CHECK(rmdir(dir) == 0, "%s", dir);
}

int main(void)
{
    round_trip();
    texts();
    groups();
    machines();
    calibrations();
    remove(path);
    return checked();
}
