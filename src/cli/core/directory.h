/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_DIRECTORY_H
#define ORR_CLI_DIRECTORY_H

int cli_make_directory(const char *path); /* and those above it; CLI_OK, or told */
int cli_remove_tree(const char *path);    /* rm -r; 0 if it is gone */

/* For itself what FD is open on; 0, or -1 with errno as of flock. A child of a command that was killed holds its
 * locks until it, too, is gone: that is waited for, two seconds at most. */
int cli_lock(int fd);

#endif
