/* The record of one run, and the three places it can go: a table on stdout for people,
 * JSON Lines and CSV for programs. The keys are those of docs/cli.md; they may be extended,
 * never renamed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_RECORD_H
#define ORR_CLI_RECORD_H

#include <math.h>

#include "src/cli/core/analysis.h"
#include "src/cli/core/cli.h"

enum { CLI_MAX_REFS = 12 };

typedef struct {
    double median, min, max; /* NaN: not measured */
    int runs;
    const double *samples; /* [runs], in the order they were measured in */
} cli_seconds;

/* Of v, which stays as it is and must live as long as the result; NaN without memory. */
cli_seconds cli_statistics(const double *v, int runs);

typedef struct {
    const char *name; /* "lapack dsyevd" */
    int threads;
    cli_seconds seconds;
    cli_seconds ratio; /* no seconds: theirs over ours, of the runs next to each other */
    const char *library, *version; /* the file, and what it says that it is; NULL or "": unknown */
} cli_reference;

/* What a number can be besides a number: -1 in m, n, band, batch, sweeps and NaN in reals
 * are null. CLI_RECORD says so for all of them. */
typedef struct {
    const char *algo;
    char type; /* 's', 'd', 'c', 'z', 'h' */
    int64_t n, m, band, batch;
    int64_t n_min; /* mixed sizes: the smallest, n is the largest; else -1 */
    const char *sched;
    int cpus, cudas, opencls;  /* workers */
    cli_seconds seconds;       /* of the call: clock.h */
    cli_seconds seconds_graph; /* of its tasks */
    double gflops;
    const char *status;
    int64_t sweeps, tasks;
    double residual, orthogonality, values; /* in units of n eps |A| */
    cli_reference ref[CLI_MAX_REFS];
    int refs;
    orr_analysis analysis;
    int analysed;        /* 0: there is no analysis */
    const char *plan;    /* members of a JSON object, as orr_report.plan; NULL: none */
    const char *extra;   /* more members of the record itself, or NULL */
    const char *results; /* members of the object "results", or NULL: none are kept */
    /* provenance */
    const char *starpu, *blas, *cuda, *command;
    int64_t seed;
} cli_record;

#define CLI_UNMEASURED                                                                             \
    {                                                                                              \
        NAN, NAN, NAN, 0, NULL                                                                     \
    }
#define CLI_RECORD                                                                                 \
    ((cli_record){.n = -1,                                                                         \
                  .m = -1,                                                                         \
                  .band = -1,                                                                      \
                  .batch = -1,                                                                     \
                  .n_min = -1,                                                                     \
                  .sweeps = -1,                                                                    \
                  .tasks = -1,                                                                     \
                  .seconds = CLI_UNMEASURED,                                                       \
                  .seconds_graph = CLI_UNMEASURED,                                                 \
                  .gflops = NAN,                                                                   \
                  .residual = NAN,                                                                 \
                  .orthogonality = NAN,                                                            \
                  .values = NAN,                                                                   \
                  .seed = -1})

/* A file of lines. */
typedef struct {
    const char *path;   /* NULL: none */
    int fd, made;       /* made: it was not there */
    const char *before; /* what its first line needs before it; NULL: the file is not open */
} cli_lines;

typedef struct {
    cli_lines json, csv;
    FILE *table; /* NULL: none */
    char header[512];
} cli_sink;

/* json, csv: file names, "-" for stdout, or NULL. Files are appended to. stdout_taken: some
 * other data goes there. The table goes to stdout, or to stderr if stdout is taken; quiet
 * suppresses it. CLI_OK, CLI_FILE or CLI_USAGE, and the reason told; files are made by the first
 * record. */
int cli_sink_open(cli_sink *, const char *json, const char *csv, int stdout_taken, int quiet);
int cli_sink_write(cli_sink *, const cli_record *); /* CLI_OK or CLI_FILE */
/* A line of JSON as it stands, where JSON is wanted; the text is freed. CLI_MEMORY if it is incomplete. */
int cli_sink_line(cli_sink *, cli_text *);
void cli_sink_close(cli_sink *);

const char *cli_machine(void);      /* the host's name */
const char *cli_git(void);          /* commit this was built from, or "" */
const char *cli_utc(char text[32]); /* now, "2026-01-31T12:00:00Z" */

#endif
