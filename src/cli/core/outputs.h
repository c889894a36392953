/* Names of output files: patterns for several inputs, and refusal of what would destroy
 * something.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_OUTPUTS_H
#define ORR_CLI_OUTPUTS_H

#include "src/cli/core/options.h"
#include "src/cli/core/text.h"

/* "w-{}.npy" for input "dir/a.npy" number 3: {} -> a, {i} -> 3. 0 if it does not fit. */
int output_name(char *name, size_t size, const char *pattern, const char *input, int number);

/* patterns[count] are of arrays, one output for each `together` inputs, the files of one problem,
 * of which the first gives {} its name; `single` is one output for all; NULL ones are ignored.
 * CLI_USAGE if two outputs would have one name, if one is an input, if several problems share a
 * pattern without {}, or if the suffix of a pattern is no format of arrays; CLI_FILE if a directory
 * is missing or not writable, or a file that is there. The reason is told. */
int outputs_check(const char *const *patterns, int count, const char *single,
                  const cli_files *inputs, int together);

/* Likewise of files that are no arrays: none twice, none an input, all can be written. */
int outputs_check_files(const char *const *names, int count, const cli_files *inputs);

/* One name, or two names of one file, which need not exist yet. */
int output_same(const char *a, const char *b);
/* CLI_OK, or CLI_USAGE with the reason told: it is one of the inputs. */
int output_spares(const char *path, const cli_files *inputs);
/* CLI_OK, or CLI_FILE with the reason told: a directory, in one that cannot be written, or a file or
 * device that cannot. */
int output_check(const char *path);

/* CLI_OK, also for "-"; CLI_USAGE with the reason told: a picture by this name would be no SVG. */
int output_is_svg(const char *option, const char *path);

/* CLI_OK, also for "-"; CLI_USAGE with the reason told: the name is that of a picture, records or an array. */
int output_is_graph(const char *option, const char *path);

/* Where the links at the end of path lead, whether or not something is there: to be freed. NULL: errno
 * says why. */
char *output_target(const char *path);

/* Writes a text to a file that appears only when complete; "-" is stdout. A pipe or device is
 * written as it is, a link followed. */
int output_text(const char *path, const cli_text *);

#endif
