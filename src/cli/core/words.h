/* Lists of words in one text, '|' between them: "auto|jacobi|lapack".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_WORDS_H
#define ORR_CLI_WORDS_H

#include <stddef.h>

/* The k-th word of a list into buffer; 0 after the last. */
int cli_bar_word(const char *list, int k, char *buffer, size_t size);
/* Which one it is, or -1. */
int cli_word_index(const char *word, const char *list);

/* The one nearest to a mistyped word, or NULL. */
const char *cli_nearest(const char *word, const char *list, char *buffer, size_t size);
/* "; did you mean 'lapack'?" to end a message with, or "". A word with dashes is an option. */
typedef char cli_guess_text[128];
const char *cli_guess(const char *word, const char *list, cli_guess_text);

#endif
