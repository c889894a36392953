/* A graph of tasks with times, as a file holds it: docs/simulation.md describes the format. Made by
 * runs of Orrery (src/trace/trace_graph.c), by the recorder of any StarPU program (src/record), by
 * imports and generators of the command. Knows no StarPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GRAPH_DAG_H
#define ORR_GRAPH_DAG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "codelets/core/access.h"
#include "src/graph/bounds.h"

enum orr_dag_kind { ORR_DAG_CPU, ORR_DAG_CUDA, ORR_DAG_OPENCL, ORR_DAG_HIP, ORR_DAG_COUNT };
extern const char *const orr_dag_kind_name[ORR_DAG_COUNT];

enum orr_wants { ORR_WANTS_ANY, ORR_WANTS_CPU, ORR_WANTS_ACCELERATOR };

struct orr_dag_task {
    const char *name, *model; /* the codelet's, without blanks; of its performance model, or "-" */
    uint64_t footprint;       /* tasks of one name, model and footprint cost the same */
    int phase, priority;      /* a phase begins when all tasks of the one before have ended */
    unsigned where;           /* bits 1 << kind; 0: runs nowhere, only joins others */
    /* those of them where its worker waits for it: StarPU's flag ..._ASYNC is not set */
    unsigned sync;
    enum orr_wants wants;
    int owner; /* the device, from 0, that has what it writes, and runs it; -1: any */
    int kind, worker, rank, node;     /* where it ran; -1: not known */
    double submit, ready, start, end; /* us; NaN: not known */
    double t[ORR_DAG_COUNT];          /* us; NaN: not known */
    double flops, joules;             /* NaN: not known */
    double pause; /* us that the program took between the phase before and this task */
    size_t first; /* accesses: access[first .. first + accesses) */
    unsigned accesses;
    size_t after; /* tasks that it waits for besides: before[after .. after + afters) */
    unsigned afters;
    size_t group; /* orr_dag_group: tasks of equal cost */
    size_t line;  /* in the file it was read from; 0: none */
};

struct orr_dag_data {
    size_t bytes;
};

struct orr_dag_names;

struct orr_dag {
    char host[64];
    int workers[ORR_DAG_COUNT]; /* where it was recorded */
    struct orr_dag_task *task;
    size_t tasks, task_room;
    struct orr_trace_access *access; /* data are numbered from 1 */
    size_t accesses, access_room;
    struct orr_dag_data *data; /* of number k: data[k - 1] */
    size_t all_data, data_room;
    uint32_t *before;
    size_t befores, before_room;
    struct orr_dag_names *names;
    int failed; /* memory ran out: what was made is incomplete */
};

enum { ORR_DAG_MOST_TASKS = 1 << 24, ORR_DAG_MOST_DATA = 1 << 24, ORR_DAG_MOST_ACCESSES = 100000 };

/* ---- Making one. Failure is remembered in `failed`; calls after it do nothing. ----------------- */

void orr_dag_init(struct orr_dag *);
void orr_dag_free(struct orr_dag *);
/* The text, kept once, blanks and control characters made '_'; "-" if it is empty. */
const char *orr_dag_name(struct orr_dag *, const char *text);
uint64_t orr_dag_data(struct orr_dag *, size_t bytes); /* the number of a new piece of data */
/* A new task with nothing known of it, or NULL. Accesses and edges are added to the last one. */
struct orr_dag_task *orr_dag_task(struct orr_dag *, const char *name, const char *model);
void orr_dag_access(struct orr_dag *, uint64_t data, int mode, size_t bytes);
void orr_dag_after(struct orr_dag *, size_t task);
/* The same of any task, if `after` of it is set and edges of one task are added in a row. */
void orr_dag_after_of(struct orr_dag *, size_t task, size_t before);

/* ---- What follows from it -------------------------------------------------------------------- */

/* Numbers the groups of tasks of equal cost, in the order of their first tasks; how many, or
 * SIZE_MAX without memory. */
size_t orr_dag_group(struct orr_dag *);

/* Numbers the names of tasks in the order of their first uses, of[tasks]; how many, or SIZE_MAX without memory. */
size_t orr_dag_number_names(const struct orr_dag *, size_t *of);

/* Edges of accesses and explicit ones, each once, sorted; the tasks are put in an order in which
 * none waits for a later one, which is that of submission where that is one. 0; 3 if there is a
 * cycle, which is then told in `why`; 5. */
int orr_dag_edges(struct orr_dag *, struct orr_graph *, char *why, size_t room);
/* Those of accesses alone; the order must be one already. 0: no memory. */
int orr_dag_access_edges(const struct orr_dag *, struct orr_graph *);

/* us on each kind of worker, for every task: its own where it ran or was given one, else the mean
 * of its group, else INFINITY; 0 for those that run nowhere. [tasks][ORR_DAG_COUNT], to be freed. */
double *orr_dag_times(struct orr_dag *);

/* Where a task wants to run. A graph that was recorded without accelerators does not say: there was no choice. */
enum orr_wants orr_dag_wants(const struct orr_dag *, const struct orr_dag_task *);
/* Of the kinds on which it could run, bits 1 << kind, those where it does: where it wants to, if one of
 * them is there, else all. */
unsigned orr_wanted(enum orr_wants, unsigned possible);

/* ---- Schedules ------------------------------------------------------------------------------- */

/* When and where a task ran; us, NaN: not known. Of what runs nowhere, when it was over. */
struct orr_dag_place {
    double submit, ready, start, end;
    double took;      /* end - start to the last digit; 0: it ran nowhere */
    int kind, worker; /* its number among those of the kind; -1: nowhere */
};

/* Puts a schedule, place[tasks] on so many workers of each kind, in place of the recorded run: as if it had been
 * recorded, on a machine where each accelerator is a memory node. */
void orr_dag_schedule(struct orr_dag *, const struct orr_dag_place *place,
                      const int workers[ORR_DAG_COUNT]);
/* Names who made the schedule, "replay:heft", and where, NULL: of the graph that was recorded there. Both stand in
 * `host`, with '@' between them. */
void orr_dag_schedule_by(struct orr_dag *, const char *by, const char *where);

/* ---- Files ----------------------------------------------------------------------------------- */

/* 0, or 3 with the reason told on stderr ("orrery: FILE:LINE: ..."), or 5. Versions 1 and 2. "-" is stdin. */
int orr_dag_read(struct orr_dag *, const char *path);
/* Of a file: how long something takes, 30 years at most; when it is, from 30 000 years ago on and as far ahead. */
static inline int orr_dag_is_time(double us) { return us < 1e15; }
static inline int orr_dag_is_clock(double us) { return us > -1e18 && us < 1e18; }
/* The first task, from 1, with times that could not be read again; 0: none. */
size_t orr_dag_beyond(const struct orr_dag *);
/* 0: cannot be written. Version 2. */
int orr_dag_write(const struct orr_dag *, FILE *);

#endif
