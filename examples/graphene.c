/* Orrery's demo: the bands of graphene, its density of states and its ribbons, as batches
 * of small Hermitian matrices, one per k point. Everything computed is held against closed
 * forms and against LAPACK, timed, and drawn (docs/demo.md).
 *
 *   graphene.c          options, the table, the list of checks
 *   graphene/jobs.c     the four batches      graphene/lattice.c  Hamiltonians, closed forms
 *   graphene/stack.c    files                 graphene/solve.c    Orrery and LAPACK
 *   graphene/figures.c  the pictures          graphene/svg_plot.c axes and curves
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graphene/demo.h"

static const char help[] =
    "usage: graphene [options]\n"
    "\n"
    "Bands and density of states of graphene and of its ribbons: batches of Hermitian\n"
    "matrices solved by Orrery, checked, compared with LAPACK and drawn as SVG.\n"
    "\n"
    "  --out DIR          where the pictures go               (./demo)\n"
    "  --t EV             hopping                             (2.7)\n"
    "  --mesh N           k mesh N x N for the density        (600)\n"
    "  --path N           k points on Gamma-K-M-Gamma         (400)\n"
    "  --zigzag N         chains of the zigzag ribbon         (32: matrices of order 64)\n"
    "  --armchair N       dimer lines of the widest armchair  (20: orders 36, 38, 40)\n"
    "  --points M         k points of the zigzag ribbon; the armchair ones take M/4  (1024)\n"
    "  --quick            small sizes, for tests\n"
    "\n"
    "  --stack FILE       bands of your matrices instead: .npy of shape (batch, n, n)\n"
    "  --k FILE           their k: .npy of shape (batch,), or (batch, d) for a path\n"
    "  --write-stack FILE write the zigzag ribbon's matrices as such a file, and stop\n"
    "  --write-k FILE     write its k, and stop\n"
    "\n"
    "  --cpus N           CPU workers, and LAPACK threads     (all)\n"
    "  --no-lapack        do not run LAPACK for comparison\n"
    "  -v                 print what the library chose for every batch\n"
    "  -h, --help         this text\n"
    "\n"
    "exit: 0 ok, 1 a check failed, 2 usage, 3 bad input file, 6 runtime error\n";

/* The share of its cores below which LAPACK's time is not to be compared with. */
#define FAIR_SHARE 0.8

/* ---- the report ---------------------------------------------------------------------- */

static void print_header(const demo *d)
{
    orr_context_info info;
    orr_context_query(d->ctx, &info);
    printf("Orrery %s, StarPU %s, %s", orr_version(), info.starpu, info.blas);
    if (!d->stack)
        printf("; hopping t = %g eV", d->t);
    printf("\n\n");
    printf("%-16s %7s %7s %9s %7s %-13s %8s %8s %9s %9s %7s\n", "job", "n", "batch", "seconds",
           "workers", "method", "residual", "orthog.", "error", "LAPACK s", "speedup");
}

void demo_row(demo *d, const problem *p, double error)
{
    char n[48], workers[48], closed[16] = "-", lapack[16] = "-", ratio[16] = "-";
    if (p->mixed)
        snprintf(n, sizeof n, "%d-%d", (int)p->order[0], (int)p->n);
    else
        snprintf(n, sizeof n, "%d", (int)p->n);
    if (d->cuda_workers)
        snprintf(workers, sizeof workers, "%d+%dgpu", d->cpu_workers, d->cuda_workers);
    else
        snprintf(workers, sizeof workers, "%d", d->cpu_workers);
    if (!isnan(error))
        snprintf(closed, sizeof closed, "%.1f", error);
    if (!isnan(p->lapack)) {
        snprintf(lapack, sizeof lapack, "%.4f", p->lapack);
        /* A loop that did not get its cores measures the load of the machine. */
        const int shared = p->lapack_share < FAIR_SHARE;
        snprintf(ratio, sizeof ratio, "%.2f%s", p->lapack / p->seconds, shared ? "*" : "");
        d->shared += shared;
    }
    if (d->rows++ == 0)
        print_header(d);
    printf("%-16.16s %7s %7lld %9.4f %7s %-13s %8.2g %8.2g %9s %9s %7s\n", p->name, n,
           (long long)p->batch, p->seconds, workers, p->method, p->residual, p->orthogonality,
           closed, lapack, ratio);
    fflush(stdout);
    d->sum += p->seconds;
    d->lapack_sum += p->lapack;
}

static void print_total(const demo *d)
{
    char lapack[16] = "-", ratio[16] = "-";
    if (!isnan(d->lapack_sum)) {
        snprintf(lapack, sizeof lapack, "%.4f", d->lapack_sum);
        snprintf(ratio, sizeof ratio, "%.2f%s", d->lapack_sum / d->sum, d->shared ? "*" : "");
    }
    printf("%-16s %7s %7s %9.4f %7s %-13s %8s %8s %9s %9s %7s\n\n", "total", "", "", d->sum, "", "",
           "", "", "", lapack, ratio);
    printf("seconds: median of %d runs with eigenvectors; LAPACK: zheevd in an OpenMP loop, %d "
           "thread%s\n"
           "residual: |HQ - QL|_F / (n eps |H|_F); orthog.: |Q'Q - I|_F / (n eps); the worst of "
           "the batch\n"
           "error: max |E - closed form| / (eps t); speedup: LAPACK s / seconds\n\n",
           RUNS, d->threads, d->threads == 1 ? "" : "s");
    if (d->shared)
        printf(
            "*: not a measurement. LAPACK's threads had less than %.0f %% of their cores, because "
            "the\n   machine is busy or the batch too small to share out\n\n",
            100 * FAIR_SHARE);
}

void demo_check_at_most(demo *d, const char *job, const char *what, double value, double bound)
{
    if (!(value <= bound)) /* NaN fails */
        d->failed++;
    if (d->checks < MAX_CHECKS) {
        demo_check *c = &d->check[d->checks++];
        snprintf(c->what, sizeof c->what, "%.20s: %s", job, what);
        c->value = value;
        c->bound = bound;
    }
}

static void print_checks(const demo *d)
{
    for (int i = 0; i < d->checks; i++) {
        const demo_check *c = &d->check[i];
        printf("%-70s %9.2g <= %-8.2g %s\n", c->what, c->value, c->bound,
               c->value <= c->bound ? "ok" : "FAILED");
    }
    if (d->note[0])
        printf("\n%s", d->note);
    printf("\n%d checks, %d failed; %.1f s in all\n", d->checks, d->failed, now() - d->start);
}

/* A message on stderr, once the demo has run for two seconds. */
static void demo_say(const demo *d, const char *what)
{
    const double elapsed = now() - d->start;
    if (elapsed > 2)
        fprintf(stderr, "graphene: %.1f s: %s\n", elapsed, what);
}

int demo_memory(void)
{
    fprintf(stderr, "graphene: out of memory\n");
    return EXIT_RUNTIME;
}

char *demo_file(const demo *d, const char *name)
{
    const size_t size = strlen(d->out) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", d->out, name);
    return path;
}

int demo_drawn(char *path, int failed)
{
    if (!path)
        return demo_memory();
    if (failed)
        fprintf(stderr, "graphene: cannot write %s: %s\n", path, strerror(errno));
    else
        fprintf(stderr, "graphene: wrote %s\n", path);
    free(path);
    return failed ? EXIT_RUNTIME : 0;
}

int demo_solve(demo *d, problem *p, double norm)
{
    orr_report report = {.message = ""};
    demo_say(d, p->name);
    const orr_status st = problem_solve(p, d->ctx, d->no_lapack ? 0 : d->threads, RUNS, &report);
    if (st != ORR_OK)
        fprintf(stderr, "graphene: %s: %s%s%s%s%s\n", p->name, report.culprit ? report.culprit : "",
                report.culprit ? ": " : "", orr_strerror(st), report.message[0] ? ": " : "",
                report.message);
    if (st < 0)
        return EXIT_RUNTIME;
    if (d->verbose)
        fprintf(stderr, "graphene: %s: %s\n", p->name, report.plan);
    demo_check_at_most(d, p->name, "residual |HQ - QL|_F / (n eps |H|_F)", p->residual, 10);
    demo_check_at_most(d, p->name, "orthogonality |Q'Q - I|_F / (n eps)", p->orthogonality, 10);
    if (st > 0)
        demo_check_at_most(d, p->name, "not converged", st, 0);
    if (d->no_lapack)
        return 0;
    demo_check_at_most(d, p->name, "|E - E of LAPACK| / (n eps |H|)",
                       norm > 0 ? p->lapack_diff / (p->n * DBL_EPSILON * norm) : p->lapack_diff,
                       10);
    return 0;
}

/* ---- options --------------------------------------------------------------------------- */

enum kind { FLAG, WHOLE, REAL, TEXT };

typedef struct {
    const char *name;
    enum kind kind;
    void *value;
    double low, high;
} option;

static int usage(const char *what, const char *word)
{
    fprintf(stderr, "graphene: %s: %s (graphene --help)\n", what, word);
    return EXIT_USAGE;
}

static int set(const option *o, const char *text)
{
    char *end = NULL;
    errno = 0;
    if (o->kind == TEXT) {
        *(const char **)o->value = text;
        return *text ? 0 : usage("empty argument", o->name);
    }
    const double value = o->kind == REAL ? strtod(text, &end) : (double)strtoll(text, &end, 10);
    if (end == text || *end || errno || !(value >= o->low && value <= o->high)) {
        fprintf(stderr, "graphene: %s takes a number from %g to %g, not '%s'\n", o->name, o->low,
                o->high, text);
        return EXIT_USAGE;
    }
    if (o->kind == REAL)
        *(double *)o->value = value;
    else
        *(int64_t *)o->value = (int64_t)value;
    return 0;
}

/* 0, an exit code, or -1: the help was asked for. */
static int parse(int argc, char **argv, demo *d)
{
    int64_t cpus = 0;
    int quick = 0;
    const option options[] = {
        {"--out", TEXT, &d->out, 0, 0},
        {"--stack", TEXT, &d->stack, 0, 0},
        {"--k", TEXT, &d->k, 0, 0},
        {"--write-stack", TEXT, &d->write_stack, 0, 0},
        {"--write-k", TEXT, &d->write_k, 0, 0},
        {"--t", REAL, &d->t, 1e-3, 1e3},
        {"--mesh", WHOLE, &d->mesh, 60, 4000},
        {"--path", WHOLE, &d->path, 10, 100000},
        {"--zigzag", WHOLE, &d->zigzag, 4, 512},
        {"--armchair", WHOLE, &d->armchair, 5, 512},
        {"--points", WHOLE, &d->points, 16, 100000},
        {"--cpus", WHOLE, &cpus, 1, 1024},
        {"--quick", FLAG, &quick, 0, 0},
        {"--no-lapack", FLAG, &d->no_lapack, 0, 0},
        {"-v", FLAG, &d->verbose, 0, 0},
    };
    enum { OPTIONS = sizeof options / sizeof *options };

    /* --quick only changes the defaults, wherever it stands. */
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--quick")) {
            d->mesh = 90;
            d->path = 60;
            d->zigzag = 8;
            d->armchair = 8;
            d->points = 64;
        }
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return -1;
        const size_t length = strcspn(argv[i], "=");
        int o = 0, rc = 0;
        while (o < OPTIONS &&
               (strlen(options[o].name) != length || strncmp(options[o].name, argv[i], length)))
            o++;
        if (o == OPTIONS)
            return usage("unknown option", argv[i]);
        if (options[o].kind == FLAG) {
            if (argv[i][length])
                return usage("takes no argument", options[o].name);
            *(int *)options[o].value = 1;
        } else if (argv[i][length]) {
            rc = set(&options[o], argv[i] + length + 1);
        } else if (i + 1 < argc) {
            rc = set(&options[o], argv[++i]);
        } else {
            return usage("missing argument", argv[i]);
        }
        if (rc)
            return rc;
    }
    if (d->k && !d->stack)
        return usage("only with --stack", "--k");
    d->cpus = (int)cpus;
    /* k = 0 must be a point of the armchair ribbons: that is where they have their gap. */
    d->points = (d->points + 7) / 8 * 8;
    return 0;
}

/* ---- main -------------------------------------------------------------------------------- */

/* The directory and those above it. */
static int make_directory(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return demo_memory();
    for (char *p = copy + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(copy, 0777); /* what is wrong with it shows below */
            *p = '/';
        }
    struct stat info;
    mkdir(copy, 0777);
    const int failed = stat(copy, &info) || !S_ISDIR(info.st_mode);
    if (failed)
        fprintf(stderr, "graphene: cannot make the directory %s\n", path);
    free(copy);
    return failed ? EXIT_RUNTIME : 0;
}

static int start(demo *d)
{
    const orr_context_opts opts = {.cpus = d->cpus};
    const orr_status st = orr_open(&opts, &d->ctx);
    if (st != ORR_OK) {
        fprintf(stderr, "graphene: %s\n", orr_strerror(st));
        return EXIT_RUNTIME;
    }
    orr_context_info info;
    orr_context_query(d->ctx, &info);
    d->cpu_workers = info.cpu;
    d->cuda_workers = info.cuda;
    d->threads = info.cpu > 0 ? info.cpu : omp_get_num_procs();
    return 0;
}

int main(int argc, char **argv)
{
    demo d = {.out = "demo",
              .t = 2.7,
              .mesh = 600,
              .path = 400,
              .zigzag = 32,
              .armchair = 20,
              .points = 1024,
              .start = now()};
    int rc = parse(argc, argv, &d);
    if (rc < 0) {
        fputs(help, stdout);
        return 0;
    }
    if (!rc && (d.write_stack || d.write_k))
        return job_write_stack(&d);
    if (!rc)
        rc = make_directory(d.out);
    if (!rc)
        rc = start(&d);
    if (!rc && d.stack) {
        rc = job_stack(&d);
    } else if (!rc) {
        rc = job_bulk(&d);
        if (!rc)
            rc = job_ribbons(&d);
    }
    orr_close(d.ctx);
    if (rc)
        return rc;
    print_total(&d);
    print_checks(&d);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "graphene: cannot write to stdout\n");
        return EXIT_RUNTIME;
    }
    return d.failed ? EXIT_CHECK : 0;
}
