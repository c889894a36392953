/* Models from runs: a spike changes no prediction, curves come out as they were put in, files say
 * what was written, and a damaged file is refused with its line.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <orrery/models.h>

static int failures;
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("FAIL %s:%d: ", __FILE__, __LINE__);                                            \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

enum { SHAPES = 12, RUNS = 13, COUNT = SHAPES * RUNS };

static double noise(uint64_t *state) /* [-1, 1) */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* 0.002 size^0.95 + 3 us, 2 % of noise. */
static double truth(double size) { return 0.002 * pow(size, 0.95) + 3; }

static void runs(orr_sample s[COUNT])
{
    uint64_t state = 5;
    for (int i = 0; i < COUNT; i++) {
        const double size = 1000 * pow(2.3, i / RUNS);
        s[i] = (orr_sample){.model = "made_up_d",
                            .cores = 1,
                            .key = 77u * (uint32_t)(i / RUNS + 1),
                            .size = size,
                            .us = truth(size) * (1 + 0.02 * noise(&state))};
    }
}

static orr_models make(const orr_sample *s)
{
    orr_models m;
    CHECK(orr_models_make(s, COUNT, &m) == ORR_OK && m.count == 1 && m.model[0].parts == 1,
          "one model of one part");
    return m;
}

/* The largest change of a prediction, of the shapes and of sizes between them. */
static double change(const orr_models *a, const orr_models *b)
{
    const orr_model_part *p = &a->model[0].part[0], *q = &b->model[0].part[0];
    double worst = 0;
    for (int i = 0; i < SHAPES; i++) {
        const orr_model_entry *e = &p->entry[i];
        worst = fmax(worst, fabs(q->entry[i].mean / e->mean - 1));
        const double at = orr_model_predict(p, e->size * 1.05, 1);
        worst = fmax(worst, fabs(orr_model_predict(q, e->size * 1.05, 1) / at - 1));
    }
    return worst;
}

/* A run that takes 100 times as long, wherever it is, and three such runs of one shape. */
static void spikes(void)
{
    orr_sample s[COUNT], spoilt[COUNT];
    runs(s);
    orr_models clean = make(s);
    double worst = 0;
    for (int at = 0; at < COUNT; at++) {
        memcpy(spoilt, s, sizeof s);
        spoilt[at].us *= 100;
        orr_models m = make(spoilt);
        worst = fmax(worst, change(&clean, &m));
        orr_models_free(&m);
    }
    printf("one run of 100 times its length: predictions change by at most %.2f %% (limit 5 %%)\n",
           100 * worst);
    CHECK(worst <= 0.05, "a spike changes a prediction by %g", worst);
    memcpy(spoilt, s, sizeof s);
    for (int k = 0; k < 3; k++)
        spoilt[4 * RUNS + k].us *= 100;
    orr_models m = make(spoilt);
    CHECK(change(&clean, &m) <= 0.05, "three of thirteen: %g", change(&clean, &m));
    CHECK(m.model[0].part[0].entry[4].outliers == 3, "three outliers are counted");
    orr_models_free(&m);
    orr_models_free(&clean);
    /* two runs, one disturbed: the shorter one is the measurement */
    memcpy(spoilt, s, 2 * sizeof *s);
    spoilt[0].us *= 100;
    CHECK(orr_models_make(spoilt, 2, &m) == ORR_OK, "two runs");
    const orr_model_entry *two = &m.model[0].part[0].entry[0];
    CHECK(two->mean == s[1].us && two->n == 1 && two->outliers == 1, "mean %g of %g and %g",
          two->mean, spoilt[0].us, s[1].us);
    orr_models_free(&m);
}

static void curve(void)
{
    orr_sample s[COUNT];
    runs(s);
    orr_models m = make(s);
    const orr_model_part *p = &m.model[0].part[0];
    const orr_model_fit *f = &p->fit;
    CHECK(f->valid && f->r2 > 0.99, "valid %d, R2 %g", f->valid, f->r2);
    for (double size = f->minx; size < f->maxx; size *= 1.3) {
        const double e = f->a * pow(size, f->b) + f->c;
        CHECK(fabs(e / truth(size) - 1) < 0.03, "size %g: %g, not %g", size, e, truth(size));
    }
    CHECK(isnan(orr_model_predict(p, 3 * f->maxx, 1)), "nothing is said beyond the sizes");
    CHECK(orr_model_predict(p, 3 * f->maxx, p->entry[2].key) == p->entry[2].mean,
          "a known shape has its mean");
    orr_models_free(&m);
}

/* Time that does not follow the size: no curve. */
static void no_curve(void)
{
    orr_sample s[COUNT];
    runs(s);
    for (int i = 0; i < COUNT; i++)
        s[i].us *= i / RUNS % 2 ? 4 : 1;
    orr_models m = make(s);
    const orr_model_part *p = &m.model[0].part[0];
    CHECK(!p->fit.valid, "a curve through two branches");
    CHECK(orr_model_predict(p, p->entry[3].size, p->entry[3].key) == p->entry[3].mean,
          "then the shape decides");
    orr_models_free(&m);
}

/* Tasks of a few us scatter by more than their size says; a curve is near enough. */
static void short_tasks(void)
{
    orr_sample s[COUNT];
    runs(s);
    for (int i = 0; i < COUNT; i++)
        s[i].us = (i / RUNS % 2 ? 4 : 1) * (1 + 0.02 * sin(i));
    orr_models m = make(s);
    const orr_model_part *p = &m.model[0].part[0];
    const double t = orr_model_predict(p, 2 * p->fit.minx, 1);
    CHECK(p->fit.valid && t > 0.5 && t < 6, "a curve through tasks of 1 and 4 us: %g", t);
    CHECK(p->fit.near > 0.6, "its relative error is told as it is: %g", p->fit.near);
    orr_models_free(&m);
}

/* No exponent above 1.6: near where times are known, it could mean anything beyond them. */
static void steep(void)
{
    orr_sample s[COUNT];
    runs(s);
    for (int i = 0; i < COUNT; i++) {
        s[i].size = 1000 * pow(1.07, i / RUNS);
        s[i].us = 1e-4 * s[i].size * s[i].size * (1 + 0.02 * sin(i));
    }
    orr_models m = make(s);
    const orr_model_part *p = &m.model[0].part[0];
    CHECK(p->fit.valid && fabs(p->fit.b - 1.6) < 1e-12 && p->fit.worst < 0.25,
          "valid %d, exponent %g, error %g", p->fit.valid, p->fit.b, p->fit.worst);
    orr_models_free(&m);
}

/* One run of each of `count` times at sizes 1000, 2000, ..., `each` times; the model's only part. */
static orr_models planted(int count, int each, const double *us, double step)
{
    orr_sample s[COUNT];
    orr_models m;
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < each; k++)
            s[n++] = (orr_sample){.model = "planted",
                                  .cores = 1,
                                  .key = (uint32_t)i,
                                  .run = k,
                                  .size = 1000 * pow(step, i),
                                  .us = us[i]};
    CHECK(orr_models_make(s, (size_t)n, &m) == ORR_OK && m.count == 1, "%d tasks", n);
    return m;
}

/* Runs in any order, some of nothing: a part for each kind, device and implementation, its shapes by size. */
static void parts(void)
{
    static const struct {
        orr_kind kind;
        int device, impl;
    } place[] = {
        {ORR_KIND_CUDA, 1, 0}, {ORR_KIND_CPU, 0, 1}, {ORR_KIND_CUDA, 0, 0}, {ORR_KIND_CPU, 0, 0}};
    enum { PLACES = 4, KEYS = 3 };
    orr_sample s[PLACES * KEYS + 2];
    orr_models m;
    size_t n = 0;
    for (int k = 0; k < KEYS; k++)
        for (int i = 0; i < PLACES; i++)
            s[n++] = (orr_sample){.model = "parts",
                                  .cores = 1,
                                  .kind = place[i].kind,
                                  .device = place[i].device,
                                  .impl = place[i].impl,
                                  .key = (uint32_t)(9 - k),
                                  .size = 100 * (k + 1),
                                  .us = 10 * (i + 1) + k};
    s[n] = s[0], s[n++].us = 0;
    s[n] = s[0], s[n++].size = 0;
    CHECK(orr_models_make(s, n, &m) == ORR_OK && m.count == 1 && m.model[0].parts == PLACES,
          "%d parts", (int)m.model[0].parts);
    for (int i = 0; i < PLACES; i++) {
        const int anywhere = place[i].kind == ORR_KIND_CPU ? 5 : place[i].device;
        const orr_model_part *p =
            orr_model_part_of(&m.model[0], place[i].kind, anywhere, place[i].impl);
        CHECK(p && p->entries == KEYS, "part %d", i);
        for (int k = 0; p && k < KEYS; k++)
            CHECK(p->entry[k].mean == 10 * (i + 1) + k && p->entry[k].size == 100 * (k + 1) &&
                      p->entry[k].n == 1,
                  "part %d, shape %d: %g us of size %g", i, k, p->entry[k].mean, p->entry[k].size);
    }
    CHECK(!orr_model_part_of(&m.model[0], ORR_KIND_CUDA, 2, 0), "a device that is not there");
    orr_models_free(&m);
}

/* When there is a curve, and for which sizes. */
static void limits(void)
{
    double us[12], flat[12], three[12];
    for (int i = 0; i < 12; i++) {
        us[i] = 100 * pow(2, i);
        flat[i] = 500;
        three[i] = us[i] * (i % 3 == 0 ? 0.65 : i % 3 == 1 ? 1 : 1.35);
    }
    const struct {
        const char *what;
        int count, each, valid;
        const double *us;
        double step;
    } cases[] = {{"time as size", 12, 5, 1, us, 2},
                 {"three sizes", 3, 4, 1, us, 2},
                 {"nine tasks", 3, 3, 0, us, 2},
                 {"two sizes", 2, 12, 0, us, 2},
                 {"sizes too near", 3, 12, 0, flat, 1.04},
                 {"sizes that are not", 3, 12, 1, flat, 1.08},
                 {"a third more or less", 12, 5, 0, three, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        orr_models m = planted(cases[k].count, cases[k].each, cases[k].us, cases[k].step);
        const orr_model_part *p = &m.model[0].part[0];
        CHECK(p->fit.valid == cases[k].valid, "%s: valid %d, median %g, nine of ten %g",
              cases[k].what, p->fit.valid, p->fit.median, p->fit.near);
        if (k == 0) {
            CHECK(fabs(p->fit.b - 1) < 1e-6 && fabs(p->fit.c) < 1 && p->fit.median < 1e-6,
                  "exponent %g, offset %g", p->fit.b, p->fit.c);
            CHECK(!isnan(orr_model_predict(p, 901, 99)) && isnan(orr_model_predict(p, 899, 99)) &&
                      !isnan(orr_model_predict(p, 1.09 * 1000 * 2048, 99)) &&
                      isnan(orr_model_predict(p, 1.11 * 1000 * 2048, 99)),
                  "a tenth beyond the sizes, no more");
        }
        if (cases[k].us == flat && cases[k].valid)
            CHECK(fabs(p->fit.b - 0.5) < 1e-12, "exponent %g, not 0.5", p->fit.b);
        orr_models_free(&m);
    }
    /* means of a shape are believed from ten tasks on */
    for (int each = 9; each <= 10; each++) {
        orr_models m = planted(1, each, us, 2);
        const double t = orr_model_predict(&m.model[0].part[0], 1000, 0);
        CHECK(each < 10 ? isnan(t) : t == us[0], "%d tasks: %g", each, t);
        orr_models_free(&m);
    }
}

/* One shape that takes five times as long hardly moves the curve, and is the worst; nine of ten are near. */
static void one_apart(void)
{
    double us[12];
    for (int i = 0; i < 12; i++)
        us[i] = (i == 8 ? 5 : 1) * 100 * pow(2, i);
    orr_models m = planted(12, 5, us, 2);
    const orr_model_part *p = &m.model[0].part[0];
    CHECK(p->fit.valid && p->fit.near < 0.05 && fabs(p->fit.worst - 0.8) < 0.02,
          "valid %d, nine of ten %g, worst %g", p->fit.valid, p->fit.near, p->fit.worst);
    orr_models_free(&m);
}

static void same(const orr_model *a, const orr_model *b)
{
    CHECK(a->parts == b->parts && strcmp(a->name, b->name) == 0, "parts and name");
    for (int64_t k = 0; k < a->parts && k < b->parts; k++) {
        const orr_model_part *p = &a->part[k], *q = &b->part[k];
        CHECK(p->kind == q->kind && p->impl == q->impl && p->entries == q->entries, "part");
        CHECK(p->fit.valid == q->fit.valid && fabs(p->fit.b - q->fit.b) < 1e-5, "curve");
        for (int64_t i = 0; i < p->entries && i < q->entries; i++)
            CHECK(p->entry[i].key == q->entry[i].key && p->entry[i].n == q->entry[i].n &&
                      fabs(p->entry[i].mean / q->entry[i].mean - 1) < 1e-5,
                  "entry %lld", (long long)i);
    }
}

static void files(void)
{
    char message[ORR_MESSAGE] = "", text[65536];
    const char *path = "made_up_d.test";
    orr_sample s[COUNT];
    orr_model back;
    runs(s);
    orr_models m = make(s);
    CHECK(orr_model_write(path, &m.model[0], message) == ORR_OK, "%s", message);
    CHECK(orr_model_read(path, &back, message) == ORR_OK, "%s", message);
    same(&m.model[0], &back);
    orr_model_free(&back);
    FILE *f = fopen(path, "r");
    const size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    /* cut anywhere: refused with the line, or (only trailing blank lines are gone) read whole */
    int refused = 0;
    for (size_t cut = 0; cut < n; cut += 7) {
        f = fopen(path, "w");
        fwrite(text, 1, cut, f);
        fclose(f);
        message[0] = 0;
        if (orr_model_read(path, &back, message) == ORR_OK) {
            same(&m.model[0], &back);
            orr_model_free(&back);
        } else {
            CHECK(strncmp(message, "made_up_d.test:", 15) == 0 && atoi(message + 15) > 0,
                  "cut at %zu: '%s'", cut, message);
            refused++;
        }
    }
    CHECK(refused > (int)(n / 7) - 3, "only %d of %zu cuts are refused", refused, n / 7);
    /* one character replaced: never a crash; letters in numbers are refused */
    for (size_t at = 0; at < n; at += 11) {
        char was = text[at];
        text[at] = 'x';
        f = fopen(path, "w");
        fwrite(text, 1, n, f);
        fclose(f);
        if (orr_model_read(path, &back, message) == ORR_OK)
            orr_model_free(&back);
        text[at] = was;
    }
    remove(path);
    orr_models_free(&m);
    CHECK(orr_model_read("no/such.file", &back, message) == ORR_E_FILE, "a missing file");
}

/* What StarPU predicts from the files is what orr_model_predict says. */
static void starpu_agrees(void)
{
    enum { N = 24, BATCH = 200 };
    static double a[N * N * BATCH], w[N * BATCH];
    char dir[] = "/tmp/orrery-models.XXXXXX", host[64], message[ORR_MESSAGE] = "";
    const orr_batch A = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = w};
    const orr_heevj_opts o = {.method = ORR_METHOD_JACOBI, .chunk = 10};
    uint64_t state = 3;
    orr_context *c;
    orr_sample *s;
    orr_models m, back;
    size_t n;
    snprintf(host, sizeof host, "%s", getenv("STARPU_HOSTNAME") ? getenv("STARPU_HOSTNAME") : "");
    CHECK(mkdtemp(dir) && *host, "STARPU_HOSTNAME names the files");
    for (int predict = 0; predict < 2; predict++) {
        const orr_context_opts opts = {
            .sched = "lws", .model_dir = dir, .samples = 1 + predict, .cudas = -1};
        CHECK(orr_open(&opts, &c) == ORR_OK, "open");
        for (int i = 0; i < N * N * BATCH; i++)
            a[i] = noise(&state);
        CHECK(orr_heevj(c, &A, &W, &o, NULL, NULL) == ORR_OK, "heevj");
        CHECK(orr_samples_take(c, &s, &n) == ORR_OK && n >= BATCH / 10, "%zu samples", n);
        if (!predict) {
            CHECK(orr_models_make(s, n, &m) == ORR_OK, "models");
            CHECK(orr_models_write(dir, host, &m, message) == ORR_OK, "%s", message);
        } else {
            CHECK(orr_models_read(dir, host, &back, message) == ORR_OK, "%s", message);
            int64_t asked = 0;
            for (size_t i = 0; i < n; i++) {
                const orr_model *model = orr_models_find(&back, s[i].model);
                const orr_model_part *p = orr_model_part_of(model, ORR_KIND_CPU, 0, s[i].impl);
                const double ours = orr_model_predict(p, s[i].size, s[i].key);
                asked += !isnan(ours);
                CHECK(isnan(ours) || fabs(s[i].predicted / ours - 1) < 1e-4, "%s: %g, not %g",
                      s[i].model, s[i].predicted, ours);
            }
            CHECK(asked > 0, "nothing was predicted");
            orr_models_free(&back);
            orr_models_free(&m);
        }
        free(s);
        orr_close(c);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK(system(command) == 0, "rm");
}

/* What is NULL is refused, but for the message, and what is to be freed. */
static void missing(void)
{
    const char *none = "/dev/null/none";
    char message[ORR_MESSAGE] = "";
    orr_models all = {0};
    orr_model one = {0};
    orr_calibration c = {0};
    const orr_status refused[] = {
        orr_models_make(NULL, 0, NULL),
        orr_models_make(NULL, 1, &all),
        orr_model_read(NULL, &one, message),
        orr_model_read(none, NULL, message),
        orr_model_write(NULL, &one, message),
        orr_model_write(none, NULL, message),
        orr_models_read(NULL, "host", &all, message),
        orr_models_read(none, NULL, &all, message),
        orr_models_read(none, "host", NULL, message),
        orr_models_write(NULL, "host", &all, message),
        orr_models_write(none, NULL, &all, message),
        orr_models_write(none, "host", NULL, message),
        orr_calibration_read(NULL, &c, message),
        orr_calibration_read(none, NULL, message),
        orr_calibration_write(NULL, &c, message),
        orr_calibration_write(none, NULL, message),
        orr_calibration_check(NULL, message),
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(refused[i] == ORR_E_ARG, "%zu: status %d", i, refused[i]);
    CHECK(strstr(message, "NULL"), "%s", message);
    const orr_status without[] = {
        orr_model_read(none, &one, NULL),       orr_model_write(none, &one, NULL),
        orr_models_read(none, "h", &all, NULL), orr_models_write(none, "h", &all, NULL),
        orr_calibration_read(none, &c, NULL),   orr_calibration_write(none, &c, NULL),
        orr_calibration_check(none, NULL),
    };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        CHECK(without[i] == ORR_E_FILE, "%zu: status %d", i, without[i]);
    orr_models_free(NULL);
    orr_model_free(NULL);
}

int main(void)
{
    spikes();
    curve();
    no_curve();
    short_tasks();
    steep();
    parts();
    limits();
    one_apart();
    files();
    missing();
    starpu_agrees();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
