/* Tables of text, plain or compressed: CSV with a head (RFC 4180), and recutils, whose records are
 * lines "Key: value" and end with an empty line.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_TABLE_H
#define ORR_CLI_GRAPH_TABLE_H

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

enum { TABLE_COLUMNS = 64 };

typedef struct {
    const char *path;
    gzFile file;
    size_t line; /* of what was read last */
    size_t row;  /* the line on which the present row began */
    int recutils;
    char *key[TABLE_COLUMNS], *value[TABLE_COLUMNS];
    int columns;
    char *text, *head; /* what values and keys point into */
    size_t room;
} table;

/* CLI_OK, or CLI_FILE with the reason told, or CLI_MEMORY. */
int table_open(table *, const char *path);
int table_next(table *); /* 1: a row; 0: the end; -1: wrong, and told; -2: no memory */
const char *table_get(const table *, const char *key); /* "" if the row has none */
int table_has(const table *, const char *key);         /* a column of that name (CSV) */
int table_wrong(const table *, const char *what, const char *value); /* told; CLI_FILE */
void table_close(table *);

#endif
