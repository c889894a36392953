/* A locale whose numbers have a comma, for tests: the C library's own with another point, since none
 * that has a comma needs to be installed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_COMMA_H
#define ORR_TESTS_COMMA_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* setlocale(LC_NUMERIC) to it; 0: it cannot be made here. */
static inline int comma_locale(void)
{
    char dir[] = "/tmp/orrery-locale-XXXXXX", comma[64], file[80];
    int c;
    if (!mkdtemp(dir))
        return 0;
    snprintf(comma, sizeof comma, "%s/comma", dir);
    snprintf(file, sizeof file, "%s/LC_NUMERIC", comma);
    mkdir(comma, 0700);
    FILE *from = fopen("/usr/lib/locale/C.utf8/LC_NUMERIC", "rb"), *to = fopen(file, "wb");
    while (from && to && (c = getc(from)) != EOF)
        putc(c == '.' ? ',' : c, to);
    if (from)
        fclose(from);
    if (to)
        fclose(to);
    setenv("LOCPATH", dir, 1);
    const int made = setlocale(LC_NUMERIC, "comma") && localeconv()->decimal_point[0] == ',';
    unsetenv("LOCPATH");
    unlink(file);
    rmdir(comma);
    rmdir(dir);
    printf("locale: %s\n", made ? "one with a comma" : "C, none with a comma can be made here");
    return made;
}

#endif
