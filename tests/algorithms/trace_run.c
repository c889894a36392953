/* A recorded run whose times are known, and all that is said of it: sums, the longest chain, copies of
 * data, the graph, tables and timelines. With the argument "opencl" one task ran on a second memory node.
 *
 *        us 0    5   10   15   20   25   30   35   40   45   50   55   60   65   70
 *   short      s=====#########                                                         CPU
 *   long        s...............====########################                           CPU
 *   short                                                            s.=#######        CPU or device
 *
 * s: ready; =: has it, and waits for data; #: runs. The first submission is not the first record.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/open.h"
#include "check.h"
#include "codelets/core/trace.h"
#include "src/core/internal.h"
#include "src/graph/dag.h"
#include "src/picture/run.h"
#include "src/trace/trace_picture.h"

enum { TASKS = 3, LATER = 1000 }; /* us of StarPU's clock at the first submission */

static const struct orr_trace_access access_of[] = {
    {1, STARPU_W, 64}, {1, STARPU_RW, 64}, {3, STARPU_R, 8}, {2, STARPU_W, 8}};

static int worker_of(enum starpu_worker_archtype type)
{
    return starpu_worker_get_by_type(type, 0);
}

/* In the order in which they ended, as a trace has them, but the last submission first. */
static void fill(struct orr_trace *t, int cpu, int last)
{
    static const char *const name[] = {"short", "long", "short"};
    static const double times[TASKS][6] = {
        {0, 1, 3, 4, 5, 15}, {0, 2, 16, 18, 20, 50}, {55, 60, 62, 62, 62, 70}};
    static const size_t first[] = {0, 1, 3}, uses[] = {1, 2, 1};
    t->record = calloc(TASKS, sizeof *t->record);
    t->access = malloc(sizeof access_of);
    if (!t->record || !t->access)
        exit(99);
    memcpy(t->access, access_of, sizeof access_of);
    t->count = t->room = TASKS;
    t->accesses = t->access_room = sizeof access_of / sizeof *access_of;
    t->handles = 3;
    t->analysed = -1;
    for (int i = 0; i < TASKS; i++) {
        const double *x = times[i];
        t->record[TASKS - 1 - i] = (struct orr_trace_record){.name = name[i],
                                                             .worker = i == 2 ? last : cpu,
                                                             .symbol = name[i],
                                                             .number = i,
                                                             .cpu_only = i == 1,
                                                             .accel_only = i == 2,
                                                             .first = first[i],
                                                             .accesses = (unsigned)uses[i],
                                                             .submit = LATER + x[0],
                                                             .ready = LATER + x[1],
                                                             .acquire = LATER + x[2],
                                                             .acquired = LATER + x[3],
                                                             .start = LATER + x[4],
                                                             .end = LATER + x[5]};
    }
}

struct view {
    const struct orr_trace *trace;
    const orr_analysis *last;
    const orr_context_info *info;
};

static int drawn(int (*draw)(FILE *, const struct orr_picture *), FILE *f, const struct view *v)
{
    struct orr_picture p;
    const int ok = orr_trace_picture(&p, v->trace, v->info, v->last) && draw(f, &p);
    orr_trace_picture_free(&p);
    return ok;
}

static int made(struct orr_picture_run *x, const struct view *v)
{
    struct orr_picture p;
    const int ok =
        orr_trace_picture(&p, v->trace, v->info, v->last) && orr_picture_run_make(x, &p, 0);
    orr_trace_picture_free(&p);
    return ok;
}

static void near(const char *what, double us, double want)
{
    CHECK(fabs(us - want) <= 1e-6 * fabs(want) + 1e-9, "%s: %.10g, not %g", what, us, want);
}

static void sums(const orr_analysis *a, int device)
{
    const orr_analysis_kind *cpu = &a->kind[ORR_KIND_CPU], *other = &a->kind[ORR_KIND_OPENCL];
    near("makespan", 1e6 * a->makespan, 70);
    near("busy", 1e6 * cpu->busy, device ? 40 : 48);
    near("stalled", 1e6 * cpu->stalled, 6);
    near("unserved", 1e6 * cpu->unserved, 5);
    near("starved", 1e6 * cpu->starved, device ? 19 : 11);
    near("the longest chain", 1e6 * a->critical_path, device ? 38 : 40);
    near("the area", 1e6 * a->area, device ? 30 : 48);
    CHECK(a->codelets == 2 && !strcmp(a->codelet[0].name, "long"), "first of %d codelets: %s",
          a->codelets, a->codelet[0].name);
    near("wait of long", 1e6 * a->codelet[0].wait, 18);
    near("wait of short", 1e6 * a->codelet[1].wait, 3);
    near("stall of long", 1e6 * a->codelet[0].stall, 2);
    near("stall of short", 1e6 * a->codelet[1].stall, 0.5);
    CHECK(isnan(a->codelet[0].factor) && isnan(a->codelet[1].factor) == !device,
          "factors %g and %g", a->codelet[0].factor, a->codelet[1].factor);
    if (!device)
        return;
    near("busy there", 1e6 * other->busy, 8);
    near("unserved there", 1e6 * other->unserved, 17);
    near("starved there", 1e6 * other->starved, 45);
    near("factor", a->codelet[1].factor, 10. / 8);
}

static void run(const struct view *v, int device)
{
    struct orr_picture_run x;
    CHECK(made(&x, v) && x.n == TASKS, "the run");
    sums(&x.bounds, device);
    CHECK(x.critical[0] && x.critical[1] && !x.critical[2], "the longest chain: %d%d%d",
          x.critical[0], x.critical[1], x.critical[2]);
    CHECK(x.data[0] == 0 && x.data[1] == 0 && x.data[2] == 1, "data %d %d %d", (int)x.data[0],
          (int)x.data[1], (int)x.data[2]);
    CHECK(x.moves == 0, "%zu copies of what was never where it was not", x.moves);
    orr_picture_run_free(&x);
}

/* Tasks of one cost on both kinds: means, as there may be more of one kind. */
static void factor(const struct orr_trace *t, int cpu, int device)
{
    struct orr_trace_record r[TASKS];
    orr_analysis a = {0};
    int workers;
    struct orr_picture_worker *worker = orr_trace_workers(&workers);
    for (int i = 0; i < TASKS; i++) {
        r[i] = t->record[TASKS - 1 - i];
        r[i].name = r[i].symbol = "one";
        r[i].worker = i == 2 ? device : cpu;
    }
    CHECK(worker && orr_analyse(&a, worker, workers, r, TASKS, t->access) == ORR_OK &&
              a.codelets == 1,
          "%d codelets", a.codelets);
    free(worker);
    near("factor of two and one", a.codelet[0].factor, (10. + 30) / 2 / 8);
}

static void has(const char *text, const char *words);
static char *text_of(FILE *f);

/* There and back: 72 bytes, then 64. */
static void drawn_copies(const struct view *v, int cpu, int device)
{
    static const struct orr_trace_access uses[] = {
        {1, STARPU_W, 64}, {1, STARPU_RW, 64}, {3, STARPU_R, 8}, {1, STARPU_R, 64}};
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[TASKS];
    struct orr_trace_access access[sizeof uses / sizeof *uses];
    char there[160], back[160], move[96], from[64], to[64], name[64];
    memcpy(r, t.record, sizeof r);
    memcpy(access, uses, sizeof access);
    r[2].worker = cpu, r[1].worker = device, r[0].worker = cpu;
    t.record = r;
    t.access = access;
    const int node = (int)starpu_worker_get_memory_node((unsigned)device);
    const struct view w = {&t, NULL, v->info};
    starpu_memory_node_get_name(STARPU_MAIN_RAM, name, sizeof name);
    orr_picture_plain(from, name);
    starpu_memory_node_get_name((unsigned)node, name, sizeof name);
    orr_picture_plain(to, name);
    snprintf(there, sizeof there, ">%s to %s<", from, to);
    snprintf(back, sizeof back, ">%s to %s<", to, from);
    FILE *f = tmpfile();
    CHECK(f && drawn(orr_picture_svg, f, &w), "svg");
    const char *text = text_of(f);
    const char *first = strstr(text, there), *second = strstr(text, back);
    CHECK(first && second && first < second, "'%s' before '%s'", there, back);
    has(first ? first : "", ">7.2e-05 MB<");
    has(second ? second : "", ">6.4e-05 MB<");
    f = tmpfile();
    CHECK(f && drawn(orr_picture_html, f, &w), "html");
    text = text_of(f);
    snprintf(move, sizeof move, "[0,%d,16.0,18.0,64]", node);
    has(text, move);
    snprintf(move, sizeof move, "[%d,0,62.0,62.0,64]", node);
    has(text, move);
}

/* What the device writes comes back; what it only writes did not go there. */
static void copies(struct view *v, int cpu, int device)
{
    struct orr_picture_run x;
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[TASKS];
    memcpy(r, t.record, sizeof r);
    r[2].worker = device; /* the first writes, only, */
    r[1].worker = cpu;    /* the second reads it */
    r[0].worker = cpu;
    t.record = r;
    const struct view w = {&t, NULL, v->info};
    CHECK(made(&x, &w) && x.moves == 1, "%zu copies", x.moves);
    if (x.moves == 1)
        CHECK(x.move[0].to == STARPU_MAIN_RAM && x.move[0].from != STARPU_MAIN_RAM &&
                  x.move[0].bytes == 64 && x.move[0].begin == LATER + 16,
              "%zu bytes from %d to %d at %g", x.move[0].bytes, x.move[0].from, x.move[0].to,
              x.move[0].begin);
    orr_picture_run_free(&x);
}

/* The last task was submitted when all others had ended: a phase of its own. */
static void graph(const struct view *v, int device)
{
    char path[] = "trace_run.XXXXXX";
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    struct orr_dag g;
    CHECK(f && orr_trace_write_graph(f, v->trace), "written");
    fclose(f);
    CHECK(orr_dag_read(&g, path) == 0 && g.tasks == TASKS, "%zu tasks", g.tasks);
    unlink(path);
    if (g.tasks == TASKS) {
        CHECK(g.task[0].phase == 0 && g.task[1].phase == 0 && g.task[2].phase == 1 &&
                  g.task[0].wants == ORR_WANTS_ANY && g.task[1].wants == ORR_WANTS_CPU &&
                  g.task[2].wants == ORR_WANTS_ACCELERATOR,
              "phases %d %d %d, wants %d %d %d", g.task[0].phase, g.task[1].phase, g.task[2].phase,
              (int)g.task[0].wants, (int)g.task[1].wants, (int)g.task[2].wants);
        near("pause", g.task[2].pause, 5);
        near("submission", g.task[2].submit, 55);
        near("duration", g.task[2].t[device ? ORR_DAG_OPENCL : ORR_DAG_CPU], 8);
    }
    orr_dag_free(&g);
}

static char *written(orr_context *c, const char *suffix)
{
    char path[64];
    static char text[65536];
    snprintf(path, sizeof path, "trace_run.%d%s", (int)getpid(), suffix);
    CHECK(orr_trace_write(c, path) == ORR_OK, "%s", path);
    FILE *f = fopen(path, "r");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    unlink(path);
    return text;
}

static void files(orr_context *c)
{
    const char *csv = written(c, ".csv");
    CHECK(strstr(csv, ",0.0,16.0,20.0,50.0,2.0,18.0,2.0,1,"), "%s", csv);
    CHECK(strstr(csv, ",55.0,62.0,62.0,70.0,60.0,2.0,0.0,2,"), "%s", csv);
    const char *json = written(c, ".json");
    CHECK(strstr(json, "\"ts\":20.0,\"dur\":30.0,") && strstr(json, "\"wait\":18.0,\"stall\":2.0}"),
          "%s", json);
}

/* A task that begins to wait when another ends: a worker is not idle then. */
static void timeline(const struct view *v, int cpu)
{
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[TASKS];
    char text[65536] = "", ends[64], waits[64];
    FILE *f = tmpfile();
    memcpy(r, t.record, sizeof r);
    r[1].acquire = r[2].end;
    t.record = r;
    CHECK(f && drawn(orr_picture_paje, f, &(struct view){&t, NULL, v->info}), "paje");
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    snprintf(ends, sizeof ends, "4 0.0000150 S w%d I\n", cpu);
    snprintf(waits, sizeof waits, "4 0.0000150 S w%d D\n", cpu);
    const char *end = strstr(text, ends);
    CHECK(end && strstr(end, waits) == end + strlen(ends), "%s", text);
}

static char *text_of(FILE *f)
{
    static char text[262144];
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void has(const char *text, const char *words)
{
    CHECK(strstr(text, words), "'%s' is not in %.4000s", words, text);
}

/* The page's data: every member of a task has a value of its own, and a name is quoted. */
static void page(const struct view *v, int cpu)
{
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[TASKS];
    char line[256];
    FILE *f = tmpfile();
    memcpy(r, t.record, sizeof r);
    for (int i = 0; i < TASKS; i++) {
        r[i].run = 4, r[i].worker = cpu;
        r[i].impl = 21, r[i].parts = 22, r[i].tag = 23, r[i].row = 24, r[i].span = 25;
        r[i].group = 26, r[i].priority = 27;
    }
    r[1].name = r[1].symbol = "a\"b\\</zz";
    t.record = r;
    t.analysed = 4;
    const struct view w = {&t, NULL, v->info};
    CHECK(f && drawn(orr_picture_html, f, &w), "html");
    const char *text = text_of(f);
    snprintf(line, sizeof line, "[0,%d,1.0,3.0,5.0,15.0,21,22,4,23,24,25,26,27,0,1]", cpu);
    has(text, line);
    snprintf(line, sizeof line, "[1,%d,2.0,16.0,20.0,50.0,21,22,4,23,24,25,26,27,0,1]", cpu);
    has(text, line);
    snprintf(line, sizeof line, "[0,%d,60.0,62.0,62.0,70.0,21,22,4,23,24,25,26,27,1,0]", cpu);
    has(text, line);
    has(text, "\"names\":[\"short\",\"a\\u0022b\\u005c\\u003c/zz\"]");
    has(text, "{\"number\":4,\"begin\":0.0,\"end\":70.0,");
    CHECK(!strstr(text, "</zz"), "the end of an element");
}

/* Several runs: each once, and the one in the tables is shown first. */
static void runs(const struct view *v)
{
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[TASKS];
    memcpy(r, t.record, sizeof r);
    for (int i = 0; i < TASKS; i++)
        r[i].run = i;
    t.record = r;
    for (int shown = 0; shown < TASKS; shown++) {
        char line[32];
        FILE *f = tmpfile();
        t.analysed = shown;
        CHECK(f && drawn(orr_picture_html, f, &(struct view){&t, NULL, v->info}), "html");
        const char *text = text_of(f);
        snprintf(line, sizeof line, "\"shown\":%d,", shown);
        has(text, line);
        const char *last = strstr(text, "{\"number\":2,");
        CHECK(last && !strstr(last + 1, "{\"number\":"), "runs of %s", line);
    }
}

/* More codelets than colours, and than names: the last of them are the others. */
static void many_names(const struct view *v, int cpu)
{
    enum { MANY = ORR_PICTURE_NAMES + 5 };
    static char name[MANY][32];
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[MANY];
    for (int i = 0; i < MANY; i++) {
        r[i] = t.record[TASKS - 1];
        snprintf(name[i], sizeof name[i], "codelet %02d", i);
        r[i].name = r[i].symbol = name[i];
        r[i].number = i;
        r[i].worker = cpu;
        r[i].start = r[i].ready = r[i].acquire = r[i].acquired = LATER + 2 * i;
        r[i].end = r[i].start + 1;
    }
    t.record = r;
    t.count = MANY;
    const struct view w = {&t, NULL, v->info};
    FILE *f = tmpfile();
    CHECK(f && drawn(orr_picture_paje, f, &w), "paje");
    const char *text = text_of(f);
    has(text, "2 c30 S codelet 30 ");
    has(text, "2 c31 S others ");
    CHECK(!strstr(text, "codelet 31") && !strstr(text, "c32 "), "%s", text);
    f = tmpfile();
    CHECK(f && drawn(orr_picture_svg, f, &w), "svg");
    text = text_of(f);
    has(text, ">codelet 06<");
    has(text, ">others<");
    CHECK(!strstr(text, ">codelet 07<"), "a codelet that has no colour of its own");
    for (int k = 0; k < ORR_PICTURE_COLOURS; k++) {
        char rect[64], path[64];
        snprintf(rect, sizeof rect, "height=\"11\" fill=\"%s\"", orr_picture_palette[k]);
        snprintf(path, sizeof path, "<path fill=\"%s\"", orr_picture_palette[k]);
        has(text, rect);
        const char *lane = strstr(text, path); /* on the lanes and, by data, below */
        CHECK(lane && strstr(lane + 1, path), "colour %d", k);
    }
}

/* The tables say what the analysis of the run says, each number in its column. */
static void tables(const struct view *v)
{
    static orr_analysis a;
    a = (orr_analysis){.makespan = 0.004,
                       .area = 0.001,
                       .critical_path = 0.002,
                       .lp = 0.003,
                       .links = 1,
                       .codelets = 1};
    a.kind[ORR_KIND_CPU] = (orr_analysis_kind){2, 55, 0.0008, 0.0016, 0.0024, 0.0032};
    a.link[0] = (orr_analysis_link){"here", "there", 7000000, 44};
    a.codelet[0] = (orr_analysis_codelet){.name = "one",
                                          .tasks = {11, 12, 13},
                                          .seconds = {0.021, 0.022, 0.023},
                                          .wait = 31e-6,
                                          .stall = 32e-6,
                                          .factor = NAN};
    FILE *f = tmpfile();
    CHECK(f && drawn(orr_picture_html, f, &(struct view){v->trace, &a, v->info}), "html");
    const char *text = text_of(f);
    has(text, "[\"\",\"4\",\"1\",\"2\",\"3\"]");
    has(text, "[\"CPU\",\"2\",\"55\",\"10.0\",\"20.0\",\"30.0\",\"40.0\"]");
    has(text, "[\"one\",\"11\",\"21\",\"12\",\"22\",\"13\",\"23\",\"31\",\"32\",\"\"]");
    has(text, "[\"here\",\"there\",\"7\",\"44\"]");
}

/* Times of one record more or less: how many tasks were ready at once, and where tasks have no row. */
static void picture(const struct view *v, int cpu)
{
    struct orr_trace t = *v->trace;
    struct orr_trace_record r[TASKS];
    const struct view w = {&t, NULL, v->info};
    static const double ready[][3] = {
        {1, 2, 16}, {2, 2.02, 16}, {1, 10, 16}}; /* us, until, until */
    for (int k = 0; k < 4; k++) {
        memcpy(r, v->trace->record, sizeof r);
        t.record = r;
        for (int i = 0; i < TASKS; i++)
            r[i].worker = cpu;
        r[2].ready = LATER + ready[k % 3][0];
        r[1].ready = LATER + (k == 1 ? 2.01 : ready[k % 3][1]);
        r[2].acquire = r[2].acquired = LATER + (k == 1 ? ready[k][1] : 3);
        r[1].acquire = r[1].acquired = LATER + ready[k % 3][2];
        if (k == 3) /* most have one */
            r[1].span = r[2].span = 5, r[1].row = 10, r[2].row = 15, r[0].end = LATER + 5000;
        FILE *f = tmpfile();
        CHECK(f && drawn(orr_picture_svg, f, &w), "svg");
        const char *text = text_of(f);
        CHECK((strstr(text, ">2<") != NULL) == (k != 2), "case %d: ready tasks in %s", k, text);
        CHECK((strstr(text, "row of the matrix; colour: codelet; 1 tasks have none") != NULL) ==
                  (k == 3),
              "case %d: rows in %s", k, text);
        has(text, k == 3 ? ">ms from the first submission<" : ">us from the first submission<");
    }
}

/* A worker that does not wait is not in that state, and all end with the last of them. */
static void states(const struct view *v, int cpu, int last)
{
    char line[64];
    FILE *f = tmpfile();
    CHECK(f && drawn(orr_picture_paje, f, v), "paje");
    const char *text = text_of(f);
    snprintf(line, sizeof line, "4 0.0000620 S w%d D", last);
    CHECK(!strstr(text, line), "%s", text);
    snprintf(line, sizeof line, "5 0.0000700 W w%d\n", cpu);
    has(text, line);
    has(text, "5 0.0000700 P p\n");
}

static void lines(void)
{
    struct orr_picture_line line[ORR_PICTURE_LINES];
    const struct orr_picture_run x = {.bounds = {.critical_path = 3, .area = 2, .lp = 3.5}};
    CHECK(orr_picture_lines(&x, line) == 3 && line[0].us == 2e6 && line[1].us == 3e6 &&
              line[2].us == 3.5e6,
          "lines at %g, %g, %g", line[0].us, line[1].us, line[2].us);
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    orr_context *c;
    orr_context_info info;
    if (orr_open(&(orr_context_opts){.trace = 1, .cpus = 1, .opencls = opencl}, &c) != ORR_OK)
        return 77;
    orr_context_query(c, &info);
    if (info.opencl < opencl) {
        orr_close(c);
        return 77;
    }
    const int cpu = worker_of(STARPU_CPU_WORKER);
    const int device = opencl ? worker_of(STARPU_OPENCL_WORKER) : cpu;
    fill(c->trace, cpu, device);
    struct view v = {c->trace, NULL, &c->info};
    run(&v, opencl);
    if (opencl) {
        factor(c->trace, cpu, device);
        copies(&v, cpu, device);
        drawn_copies(&v, cpu, device);
    }
    graph(&v, opencl);
    files(c);
    timeline(&v, cpu);
    page(&v, cpu);
    runs(&v);
    many_names(&v, cpu);
    tables(&v);
    picture(&v, cpu);
    states(&v, cpu, device);
    lines();
    orr_close(c);
    return checked();
}
