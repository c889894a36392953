/* What the text of an option's value says: a number, a list of sizes, a list of words.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_OPTION_VALUES_H
#define ORR_CLI_OPTION_VALUES_H

#include <stdint.h>

#include <orrery/orrery.h>

typedef struct {
    int64_t *v;
    int64_t n;
} cli_sizes;

typedef struct {
    char **v;
    int64_t n;
} cli_words;

/* 0 when the text is not wholly a number, out of int64_t's range or not an integer. */
int cli_number(const char *text, int64_t *);
/* Decimal, or inf with a sign; 0: it is not, or larger than the largest double. */
int cli_real(const char *text, double *);

/* 8,16,32:64:16 and s,d, in place of what the list has. 0: malformed, or no memory. */
int cli_size_list(const char *text, cli_sizes *);
int cli_word_list(const char *text, cli_words *);
void cli_free_words(cli_words *);

/* The type of a word of --type, -1 if none was given. */
int cli_type_word(const cli_words *, int64_t k);

/* Every combination of several lists: `for (at = {0}; ...; cli_next(at, counts, axes))`.
 * 0 when all have been seen; the last axis moves fastest. */
int cli_next(int64_t *at, const int64_t *counts, int axes);

#endif
