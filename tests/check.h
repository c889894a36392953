/* Counts checks and tells of those that fail. `return checked();` ends a main.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_CHECK_H
#define ORR_TESTS_CHECK_H

#include <stdio.h>

/* The address sanitizer makes everything ten times as slow: tests with many cases take a part of them. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* One of each for all files of a program. */
__attribute__((weak)) int failures, checks;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("FAILED %s:%d  %s  ", __FILE__, __LINE__, #condition);                          \
            printf(" " __VA_ARGS__);                                                               \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

static inline int checked(void)
{
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}

#endif
