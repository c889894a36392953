/* Performance models: how long tasks take, measured once, kept with the machine's name, used by
 * StarPU's schedulers and by simulation. docs/calibration.md describes the files.
 * Part of the API of <orrery/orrery.h>, with the same conventions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_MODELS_H
#define ORR_MODELS_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for a message, which may be NULL: the file, the line, what is wrong. */
enum { ORR_MESSAGE = 512 };

/* ---- Models -------------------------------------------------------------------------------- */

/* Tasks of one shape. */
typedef struct {
    uint32_t key;     /* hash of the shape */
    double size;      /* work */
    double mean, sd;  /* us */
    int64_t n;        /* tasks kept */
    int64_t outliers; /* tasks left out; 0 where read from a file */
} orr_model_entry;

/* time = a size^b + c for minx <= size <= maxx; valid 0: not a good description. */
typedef struct {
    int valid;
    double a, b, c;
    double minx, maxx;
    double r2;                  /* of log time; NaN with fewer than three sizes */
    double median, near, worst; /* |fit / mean - 1|: of half, nine tenths, all of the entries */
} orr_model_fit;

/* One implementation of a codelet on one device. */
typedef struct {
    orr_kind kind;
    int device, cores, impl;
    orr_model_entry *entry; /* by size */
    int64_t entries;
    orr_model_fit fit;
} orr_model_part;

typedef struct {
    char name[64]; /* "hb2st_chase_d" */
    orr_model_part *part;
    int64_t parts;
} orr_model;

typedef struct {
    orr_model *model; /* by name */
    int64_t count;
} orr_models;

/* Each shape's tasks become an entry; then each part is fitted.
 *
 * mean: the tasks of each run are sorted by time, and of every rank the fastest 15 % of the runs of a
 * group count; groups are weighed by their numbers of tasks. Outliers are tasks longer than the median
 * by 4 MAD (scaled to a standard deviation) and by 5 %, or shorter by as much and by half; of fewer
 * than five tasks, those 25 % longer than the shortest. sd and n are without outliers; mean is
 * without the short ones, and without the long ones if there are fewer than five runs. */
ORR_API orr_status orr_models_make(const orr_sample *, size_t count, orr_models *);
ORR_API void orr_models_free(orr_models *);                                     /* NULL is legal */
ORR_API void orr_model_free(orr_model *);                                       /* NULL is legal */
ORR_API const orr_model *orr_models_find(const orr_models *, const char *name); /* or NULL */

/* What StarPU answers from these numbers: the fit where it is valid and the size between 0.9
 * minx and 1.1 maxx, else the mean of this shape if it ran ten times, else NaN. */
ORR_API double orr_model_predict(const orr_model_part *, double size, uint32_t key);
ORR_API const orr_model_part *orr_model_part_of(const orr_model *, orr_kind, int device, int impl);

ORR_API const char *orr_kind_name(orr_kind); /* "cpu", "cuda", "opencl" */

/* ---- Files --------------------------------------------------------------------------------- */

/* StarPU's format, version 45 (1.3 and 1.4). Reading takes nothing but the format and a fit that
 * StarPU would use; message: "FILE:LINE: what is wrong". */
ORR_API orr_status orr_model_read(const char *path, orr_model *, char message[ORR_MESSAGE]);
ORR_API orr_status orr_model_write(const char *path, const orr_model *, char message[ORR_MESSAGE]);

/* All of codelets/45/NAME.host under dir. */
ORR_API orr_status orr_models_read(const char *dir, const char *host, orr_models *,
                                   char message[ORR_MESSAGE]);
ORR_API orr_status orr_models_write(const char *dir, const char *host, const orr_models *,
                                    char message[ORR_MESSAGE]);

/* ---- Machines ------------------------------------------------------------------------------ */

enum { ORR_MACHINE_DEVICES = 16 };
typedef struct {
    char cpu[128];
    int cores; /* online */
    int devices;
    char device[ORR_MACHINE_DEVICES][128]; /* "cuda 0 NVIDIA H200" */
} orr_machine;
ORR_API void orr_machine_query(orr_machine *);
/* 1 if models of one serve the other; else the reason in message. */
ORR_API int orr_machine_same(const orr_machine *here, const orr_machine *there,
                             char message[ORR_MESSAGE]);

/* A directory of frozen models: the file DIR/calibration. */
typedef struct {
    char name[64]; /* of the machine; model files end in it */
    orr_machine machine;
    char starpu[32], orrery[64], blas[128], date[32];
    char command[512];
} orr_calibration;

/* The head of DIR/calibration. ORR_E_FILE: missing, malformed, or it has an unknown key. */
ORR_API orr_status orr_calibration_read(const char *dir, orr_calibration *,
                                        char message[ORR_MESSAGE]);
/* Freezes: writes DIR/calibration with the checksums of all files of bus/ and codelets/. */
ORR_API orr_status orr_calibration_write(const char *dir, const orr_calibration *,
                                         char message[ORR_MESSAGE]);
/* Every file is there, has its checksum, and parses. */
ORR_API orr_status orr_calibration_check(const char *dir, char message[ORR_MESSAGE]);

/* The k-th directory in which machines are looked for: $ORRERY_PERFMODELS, then
 * $XDG_DATA_HOME/orrery/perfmodels (~/.local/share), then share/orrery/perfmodels of the
 * installation. 0 after the last. */
ORR_API int orr_models_place(int k, char *dir, size_t room);

/* ---- Samples -------------------------------------------------------------------------------- */

/* The tasks that ran since the last call, of a context with opts.samples; to be freed. Tasks that
 * had nothing to do are not among them. */
ORR_API orr_status orr_samples_take(orr_context *, orr_sample **, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
