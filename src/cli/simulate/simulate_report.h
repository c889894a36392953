/* A call of orrery simulate, and how its points are told: a table, JSON lines, a picture.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SIMULATE_REPORT_H
#define ORR_CLI_SIMULATE_REPORT_H

#include "src/cli/core/json.h"
#include "src/cli/core/options.h"
#include "src/cli/core/record.h"
#include "src/cli/simulate/node.h"
#include "src/cli/simulate/simulate_plot.h"
#include "src/cli/simulate/truth.h"

enum { PATH_SIZE = 4096 };

struct simulate_args {
    const char *machine, *json, *plot, *output;
    cli_sizes cpus, gpus;
    cli_words sched;
    int recorded, cold, quiet;
    truth_args truth;
};

struct simulate_job {
    struct simulate_args args;
    struct orr_truth truth; /* its seed is that of the point */
    node node;
    char self[PATH_SIZE], program[PATH_SIZE]; /* orrery, orrery-sim */
    char dir[PATH_SIZE];                      /* for the files of this call */
    char graph[PATH_SIZE];
    const char *command;
    cli_sink sink; /* its lines of JSON and its table */
    double first;  /* makespan of the first point */
    int models;    /* there are calibrated models of the machine */
    struct point *point;
    int points;    /* simulated so far */
    int idle_gpus; /* 1: a point had GPUs on which no task could run */
};

/* A point, which is the last of job->point: its row of the table, its line of JSON, made of the object
 * that orrery-sim printed on a line. */
void simulate_table_head(const struct simulate_job *);
void simulate_table_row(struct simulate_job *, const json_value *, const struct point *);
int simulate_json_line(struct simulate_job *, const char *line, const struct point *);

/* The picture of all points. */
int simulate_picture(const struct simulate_job *);

#endif
