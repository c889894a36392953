/* What the files of src/models share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_MODELS_INTERNAL_H
#define ORR_MODELS_INTERNAL_H

#include <stdio.h>

#include "orrery/models.h"

/* Writes the message, unless it is NULL, and returns the status: return orr_refuse(message, ORR_E_FILE, ...). */
orr_status orr_refuse(char message[ORR_MESSAGE], orr_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* ORR_E_ARG, for the argument of this name, which is NULL. */
orr_status orr_missing(char message[ORR_MESSAGE], const char *name);

/* A file that appears under its name only when complete: open writes NAME.part; close makes sure
 * that all of it is on the disk and renames, or removes it and says why not. */
FILE *orr_part_open(const char *path, char message[ORR_MESSAGE]);
orr_status orr_part_close(FILE *, const char *path, char message[ORR_MESSAGE]);
void orr_part_drop(FILE *, const char *path); /* closed and removed instead */

/* Sorts. */
double orr_median(double *x, int64_t n);

/* s[0..n): tasks of one shape, by group and run; n > 0. Fills the entry; ORR_E_NOMEM. */
orr_status orr_model_reduce(const orr_sample *s, int64_t n, orr_model_entry *);

/* Fills median, worst and r2 of a fit whose a, b, c are known. */
orr_status orr_model_judge(orr_model_part *);

/* mkdir -p; 0 if the directory is there afterwards, else errno is set. */
int orr_make_path(const char *path);

/* A directory and all that is in it; links are removed, not followed. */
void orr_remove_tree(const char *path);

/* The file's checksum and length; ORR_E_FILE with errno set. */
orr_status orr_file_sum(const char *path, unsigned long *crc, long long *bytes);

/* How StarPU calls this machine: $STARPU_HOSTNAME, else the first part of its name. */
void orr_hostname(char *name, size_t room);

/* Where models live inside a directory as StarPU wants it. */
#define ORR_MODELS_CODELETS "codelets/45"

/* ---- use.c: the models that orr_open gives to StarPU ---------------------------------------- */

struct orr_models_use {
    char dir[512];    /* StarPU's "sampling" directory, in which it can write */
    int temporary;    /* 1: dir is private and the caller's to remove, see orr_remove_tree */
    char source[512]; /* the frozen directory of which dir is a copy; "": none, StarPU learns */
    char machine[64]; /* its machine */
    char note[ORR_MESSAGE]; /* a frozen directory that was passed over, and why */
};

/* wanted: a directory, or NULL: searched; learn: 1: not a frozen one. Where the user has no place
 * for files of a cache it is a private directory that nobody else can write to. ORR_E_FILE with the
 * reason in note: what was wanted cannot be used, or there is no place at all. */
orr_status orr_models_choose(const char *wanted, int learn, struct orr_models_use *);

/* ---- bus.c: StarPU's files of this machine's links ------------------------------------------ */

/* A full disk or a kill leaves them empty or cut, and StarPU ends each process that finds them so. Then they are
 * removed, so that it measures anew. Nobody starts StarPU meanwhile. */
void orr_models_mend_bus(const char *dir);

#endif
