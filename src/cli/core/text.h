/* A growing text, and JSON and CSV spelling on it. Allocation failure is remembered in
 * `failed`; the text is then incomplete and must not be written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_TEXT_H
#define ORR_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *s; /* NULL while empty, else NUL-terminated */
    size_t n, capacity;
    int failed;
} cli_text;

void cli_put(cli_text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_put_bytes(cli_text *, const char *, size_t);
/* With quotes and escapes; bytes that are not UTF-8 become U+FFFD. NULL: null. */
void cli_put_json(cli_text *, const char *);
/* JSON has no NaN and no infinity: null. */
void cli_put_number(cli_text *, double);
/* A member of an object, its comma before it where it is not the first. */
void cli_member_json(cli_text *, const char *key, const char *);
void cli_member_number(cli_text *, const char *key, double);
void cli_member_count(cli_text *, const char *key, int64_t); /* negative: null */
/* As RFC 4180 wants it: quotes only where needed. */
void cli_put_csv(cli_text *, const char *);
/* Words in HTML, SVG and other XML. */
void cli_put_html(cli_text *, const char *);
/* A word for a POSIX shell, quoted where needed. */
void cli_put_shell(cli_text *, const char *);
/* The whole text in one write(2), so that a reader or a kill sees all of it or nothing.
 * 0, or -1 with errno. */
int cli_text_write(const cli_text *, int fd);

/* A file's name may hold anything: the name to print, with ? for line feeds and other controls. */
typedef char cli_plain_text[4200];
const char *cli_plain(const char *name, cli_plain_text);
int cli_text_print(cli_text *); /* to standard output, and frees it; CLI_OK or CLI_MEMORY */
void cli_text_free(cli_text *);

#endif
