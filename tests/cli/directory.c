/* Directories that the command makes and removes, and how long it waits for a lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/directory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/cli/core/cli.h"
#include "tests/check.h"

static char told[2000];

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(told, sizeof told, format, args);
    va_end(args);
}

static int is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void write_file(const char *path)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs("x\n", f) >= 0 && fclose(f) == 0, "no file %s", path);
}

static void makes(const char *root)
{
    char path[1400];
    CHECK(cli_make_directory("a") == CLI_OK && is_directory("a"), "a: %s", told);
    CHECK(cli_make_directory("b/c//d/") == CLI_OK && is_directory("b/c/d"), "b/c//d/: %s", told);
    CHECK(cli_make_directory("b/c/e") == CLI_OK && is_directory("b/c/e"), "b/c/e: %s", told);
    CHECK(cli_make_directory("a") == CLI_OK, "a once more: %s", told);
    CHECK(cli_make_directory("./b/../f") == CLI_OK && is_directory("f"), "f: %s", told);
    snprintf(path, sizeof path, "%s/g/h", root);
    CHECK(cli_make_directory(path) == CLI_OK && is_directory("g/h"), "%s: %s", path, told);
    CHECK(cli_make_directory("/") == CLI_OK, "/: %s", told);

    write_file("file");
    CHECK(cli_make_directory("file/x") == CLI_FILE && !strncmp(told, "file/x: ", 8), "'%s'", told);
    CHECK(cli_make_directory("") == CLI_FILE && strstr(told, "no name"), "'%s'", told);
    CHECK(cli_make_directory("/proc/none/x") == CLI_FILE && !strncmp(told, "/proc/none: ", 12),
          "'%s'", told);
    /* as long as a name may be, and one more */
    memset(path, '/', sizeof path);
    memcpy(path, "long", 4);
    path[1023] = 0;
    CHECK(cli_make_directory(path) == CLI_OK && is_directory("long"), "1023 characters: %s", told);
    path[1023] = '/', path[1024] = 0;
    CHECK(cli_make_directory(path) == CLI_FILE && strstr(told, "no name"), "1024 characters: %s",
          told);
}

/* All below it, but not what links lead to. */
static void removes(void)
{
    CHECK(cli_make_directory("keep") == CLI_OK && cli_make_directory("tree/x/y") == CLI_OK, "%s",
          told);
    write_file("keep/precious"), write_file("tree/x/y/z"), write_file("tree/w");
    CHECK(symlink("../keep", "tree/link") == 0, "no link");
    CHECK(cli_remove_tree("tree") == 0 && access("tree", F_OK) != 0, "tree stays");
    CHECK(access("keep/precious", F_OK) == 0, "a link was followed");
    CHECK(cli_remove_tree("tree") == 0, "what is not there cannot be removed");
    CHECK(cli_remove_tree("keep/precious") == 0 && cli_remove_tree("keep") == 0, "a file stays");
    CHECK(cli_remove_tree("/proc/self/status") == -1, "a file of the system was removed");
}

/* ---- Locks: the C library's calls are stood in for --------------------------------------------- */

static int busy, tries, asked, why; /* a lock is had after so many tries, which fail with `why` */
static double slept;

#pragma GCC visibility push(default)
int flock(int fd, int how)
{
    asked = how;
    tries++;
    if (busy-- <= 0)
        return 0;
    errno = fd == 7 && tries == 2 ? EINTR : why;
    return -1;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    slept += (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
    errno = 0;
    return 0;
}
#pragma GCC visibility pop

static int lock_of(int fails, int with)
{
    busy = fails, why = with, tries = 0, slept = 0;
    return cli_lock(7);
}

/* A lock that another has is waited for, two seconds at most; other failures are at once. */
static void locks(void)
{
    CHECK(lock_of(0, 0) == 0 && tries == 1 && slept == 0 && asked == (LOCK_EX | LOCK_NB),
          "a lock that nobody has: %d tries, %g s", tries, slept);
    CHECK(lock_of(5, EWOULDBLOCK) == 0 && tries == 6 && slept > 0 && slept < 2,
          "a lock that is given back: %d tries, %g s", tries, slept);
    CHECK(lock_of(1000000, EWOULDBLOCK) == -1 && errno == EWOULDBLOCK && slept > 1.9 && slept < 2.1,
          "a lock that another keeps: %d tries, %g s, %s", tries, slept, strerror(errno));
    CHECK(lock_of(1000000, EWOULDBLOCK) == -1 && tries > 20, "%d tries", tries);
    busy = 1000000, why = ENOLCK, tries = 0, slept = 0;
    CHECK(cli_lock(8) == -1 && errno == ENOLCK && tries == 1 && slept == 0,
          "no locks there: %d tries, %s", tries, strerror(errno));
}

int main(void)
{
    char root[] = "/tmp/orrery-directory-XXXXXX", command[64];
    CHECK(mkdtemp(root) && chdir(root) == 0, "no directory in /tmp");
    makes(root);
    removes();
    locks();
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(chdir("/") == 0 && system(command) == 0, "%s stays", root);
    return checked();
}
