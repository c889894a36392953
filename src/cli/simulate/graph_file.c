/* See graph_file.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_file.h"

#include <string.h>
#include <sys/stat.h>

#include "src/cli/core/cli.h"

int graph_lasts(const char *path)
{
    struct stat st;
    const int pipe =
        strcmp(path, "-") && stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
    if (strcmp(path, "-") && !pipe)
        return CLI_OK;
    cli_say("%s: is read more than once here: it must be a file, not a pipe", path);
    return CLI_FILE;
}
