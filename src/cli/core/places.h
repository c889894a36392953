/* Files that come with the command. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_PLACES_H
#define ORR_CLI_PLACES_H

#include <stddef.h>

/* The file of this program; 0: it cannot be told. */
int place_self(char *out, size_t size);

/* The first of PLACE/name that is a file, into out: the environment variable's value is the only
 * place if it is set; else `places` (to NULL), relative to the directory of this program unless they
 * begin with a point. name "": the place itself is the file. 0: there is none. */
int place_find(const char *variable, const char *const *places, const char *name, char *out,
               size_t size);

#endif
