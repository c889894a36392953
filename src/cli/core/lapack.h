/* The LAPACK libraries that Orrery is compared with (--ref): the one that this process is linked
 * with, and others by the path of their file, loaded beside it so that neither takes the other's
 * routines.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_LAPACK_H
#define ORR_CLI_LAPACK_H

#include "src/cli/core/options.h"

typedef struct {
    void *handle;      /* NULL: the one this process is linked with */
    char label[32];    /* "lapack"; "libmkl_rt" of libmkl_rt.so.2: how its peers are called */
    char path[512];    /* the file its routines are in, "" if that cannot be told */
    char version[256]; /* as the library tells it */
} cli_lapack;

enum { CLI_MAX_LAPACKS = 4 };
typedef struct {
    cli_lapack one[CLI_MAX_LAPACKS];
    int count;
} cli_lapacks;

/* Whether a word of --ref means a file: it has a '/' or ".so" in it. */
int cli_is_library(const char *word);

/* Opens every "lapack" and every file among the words; others are no matter of this. An exit code,
 * the reason told: CLI_FILE for what is no library, no LAPACK, or has 64-bit integers. Call in
 * the process that computes: libraries may start threads, which a fork would lose. */
int cli_lapacks_open(cli_lapacks *, const cli_words *ref);
void cli_lapacks_close(cli_lapacks *);

/* The linked one. */
const cli_lapack *cli_own_lapack(void);

/* By its name, "dsyevd", because not every LAPACK has the newer ones; NULL: this one has not. To be
 * cast to the type it has. */
typedef void cli_routine(void);
cli_routine *cli_lapack_routine(const cli_lapack *, const char *name);

/* Of its BLAS. 0: it cannot be told how many to use. */
int cli_lapack_threads(const cli_lapack *, int threads);

#endif
