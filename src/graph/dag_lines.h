/* Lines of a file that may be compressed by gzip, their words, and numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GRAPH_DAG_LINES_H
#define ORR_GRAPH_DAG_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct orr_dag_lines {
    const char *path;
    gzFile file; /* which reads what is not compressed as it is */
    char *line;  /* the last one, to be freed */
    size_t room, number;
};

/* Tells on stderr what is wrong with a file, in a line if number is not 0. Returns 3. */
int orr_dag_tell(const char *path, size_t number, const char *what);
/* Likewise, in the line that was read last. */
int orr_dag_wrong(const struct orr_dag_lines *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* 0, or 3. */
int orr_dag_next(struct orr_dag_lines *);
/* What follows the last line does not count, but the sum that gzip keeps is behind it. 0, or 3. */
int orr_dag_end(struct orr_dag_lines *);

/* The next word of *at, which may be NULL, cut off there; NULL: none is left. */
char *orr_dag_word(char **at);
/* 1: s is such a number, and nothing else. Those that are real are decimal. */
int orr_dag_integer(const char *s, int64_t least, int64_t most, int64_t *out);
int orr_dag_real(const char *s, double *out);

#endif
