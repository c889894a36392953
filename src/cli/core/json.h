/* Reads one JSON text (RFC 8259), such as a line of a record. Strict: what is not JSON is refused, with
 * the place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_JSON_H
#define ORR_CLI_JSON_H

#include <stddef.h>

typedef enum {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind kind;
    const char *key;  /* of a member of an object; else NULL */
    const char *text; /* of a string, decoded; of all others where they begin in the text */
    size_t length;
    double number;
    struct json_value *first, *next; /* members or elements; its neighbour */
} json_value;

typedef struct {
    char *text; /* strings are decoded in place */
    json_value *pool;
    const char *error; /* what is wrong; NULL: nothing */
    size_t column;     /* where, from 1 */
} json_text;

/* Takes a copy of the text. NULL: j->error and j->column say why. */
const json_value *json_read(json_text *j, const char *text);
void json_free(json_text *);
/* A member of an object, or NULL. */
const json_value *json_member(const json_value *, const char *key);
/* Of a member that is a string, else ""; of a member that is a number, else NaN. */
const char *json_text_of(const json_value *object, const char *key);
double json_number_of(const json_value *object, const char *key);

#endif
