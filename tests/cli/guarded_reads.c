/* Reads a byte behind a block, or of one that was freed: with tests/guarded.c preloaded that ends the process.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const int freed = argc > 1 && strcmp(argv[1], "freed") == 0;
    volatile size_t bytes = 100000;
    char *volatile p = calloc(bytes, 1);
    if (!p)
        return 1;
    printf("%d\n", p[bytes - 1]);
    if (freed)
        free(p);
    printf("%d\n", freed ? p[0] : p[bytes]);
    return 0;
}
