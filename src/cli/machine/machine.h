/* What this machine is (hwloc), what StarPU makes of it (a probe in a child process), and
 * which performance models lie about. Shared by info and doctor.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_MACHINE_H
#define ORR_CLI_MACHINE_H

#include "src/cli/core/run.h"
#include <orrery/models.h>

/* --json, all that info and doctor take. */
typedef struct {
    int json;
} machine_args;
extern const cli_option machine_options[];

typedef struct {
    char cpu[128], hwloc[32];
    int packages, numa, cores, pus;
    int allowed_cores, allowed_pus; /* in this process's binding */
    int64_t memory;                 /* bytes */
    struct {
        int level, count;
        int64_t bytes;
    } cache[4];
    int caches;
} cli_topology;

int cli_topology_read(cli_topology *); /* 0: hwloc failed */

typedef struct {
    int finished;          /* 0: the child died or hung */
    orr_status opened;     /* not ORR_OK: StarPU did not start */
    char how[ORR_MESSAGE]; /* why, of both */
    orr_context_info info;
    orr_status solved; /* of a batch of small matrices with known eigenvalues */
    double residual, orthogonality, values; /* in n eps |A| */
    double open_seconds, solve_seconds;
    double idle; /* CPUs busy while nothing is to be done */
} cli_probe;

/* Opens the library with default options in a child, and with solve computes a little. */
void cli_probe_run(cli_probe *, int solve);

typedef struct {
    int mine, others; /* model files of this host, of other hosts */
    cli_text names;   /* of mine, spaces between, the first ones */
} cli_models;

/* model_dir as in orr_context_info. */
void cli_models_scan(cli_models *, const char *model_dir);

/* orrery --version: what this command is made of and runs with; starts nothing. */
void cli_version(FILE *);

int cli_file_line(const char *path, char *line, size_t size); /* the first line; 0: none */
double cli_cgroup_cpus(void);                                 /* the quota in CPUs, or NaN */

#endif
