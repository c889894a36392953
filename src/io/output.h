/* Files that appear when they are complete. The command is linked with its own copy of output.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_IO_OUTPUT_H
#define ORR_IO_OUTPUT_H

typedef struct {
    void *file;        /* FILE *: write to it */
    char *target;      /* what it replaces in the end; NULL: a pipe, device or stdout */
    char *name;        /* until then; free */
    int unnamed;       /* it has no name yet, and will have that one for a moment */
    const char *doing; /* what failed, for "cannot ..." */
} orr_output;

/* "-" is stdout. 0, or an errno and nothing to close: also EACCES of a file that may not be written,
 * though its directory would let it be replaced. */
int orr_output_open(orr_output *, const char *path);
/* Puts the file under its name, or removes it if something failed: 0 or an errno. */
int orr_output_close(orr_output *);
/* Where the links at the end of path lead, whether or not something is there: to be freed. NULL: errno
 * says why. */
char *orr_output_target(const char *path);

#endif
