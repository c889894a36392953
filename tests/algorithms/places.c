/* Where StarPU's files go, in a process that has no home: a daemon, a container, another user.
 * StarPU itself ends the process where it cannot write.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orrery/models.h"
#include "orrery/orrery.h"
#include "check.h"

enum { NOBODY = 65534 };

static char root[] = "/tmp/orrery-places-XXXXXX", tmp[128], file[128], closed[128], home[128];

static int entries(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return d ? n : -1;
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* 1: the rights of files hold for this process now, which they do not for root. */
static int give_up_root(void)
{
    return geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

static orr_status open_there(const orr_context_opts *o, orr_context **c, char *message)
{
    orr_context_opts opts = o ? *o : (orr_context_opts){0};
    opts.cpus = 1;
    opts.message = message;
    message[0] = 0;
    return orr_open(&opts, c);
}

static int solves(orr_context *c)
{
    double a[4] = {2, 1, 1, 2}, w[2] = {0, 0};
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = 2, .n = 2, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = 1, .m = 2, .n = 1, .a = w};
    return orr_heevj(c, &A, &W, NULL, NULL, NULL) == ORR_OK && w[0] < 1.0001 && w[1] > 2.9999;
}

/* What is the parent's stays. */
static void closed_in_child(orr_context *c)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(40);
        orr_close(c);
        _exit(0);
    }
    int code = 1;
    waitpid(pid, &code, 0);
    CHECK(code == 0, "a child does not come back from orr_close, status %x", (unsigned)code);
}

/* No place in the cache: a private directory in TMPDIR, which is gone afterwards. */
static void private_one(void)
{
    char message[ORR_MESSAGE], here[160];
    orr_context *c = NULL;
    orr_context_info info;
    struct stat st;
    const orr_status status = open_there(NULL, &c, message);
    CHECK(status == ORR_OK, "%d: %s", status, message);
    if (status != ORR_OK)
        return;
    orr_context_query(c, &info);
    snprintf(here, sizeof here, "%s/orrery-", tmp);
    CHECK(strncmp(info.model_dir, here, strlen(here)) == 0, "models in %s", info.model_dir);
    CHECK(stat(info.model_dir, &st) == 0 && (st.st_mode & 0777) == 0700 && st.st_uid == geteuid(),
          "%s has mode %o", info.model_dir, (unsigned)st.st_mode);
    CHECK(strstr(message, "private directory"), "'%s'", message);
    CHECK(solves(c), "a wrong result");
    closed_in_child(c);
    CHECK(stat(info.model_dir, &st) == 0, "a child removed %s", info.model_dir);
    orr_close(c);
    CHECK(entries(tmp) == 0, "%d files were left in %s", entries(tmp), tmp);
    CHECK(open_there(&(orr_context_opts){.sched = "no-such"}, &c, message) == ORR_E_SCHED &&
              entries(tmp) == 0,
          "%d files were left in %s by what is refused: %s", entries(tmp), tmp, message);
    CHECK(open_there(NULL, &c, message) == ORR_OK && solves(c), "not a second time: %s", message);
    orr_close(c);
    CHECK(entries(tmp) == 0, "%d files were left in %s", entries(tmp), tmp);
}

static void home_is(const char *value)
{
    set("HOME", value);
    private_one();
}

static void cache_is_a_file(const char *unused)
{
    (void)unused;
    set("HOME", home);
    set("XDG_CACHE_HOME", file);
    private_one();
}

static void without_rights(const char *unused)
{
    (void)unused;
    if (!give_up_root())
        return;
    set("HOME", closed);
    private_one();
    set("HOME", home);
    set("XDG_CACHE_HOME", closed);
    private_one();
}

/* What was asked for is refused; nobody is told of another place. */
static void refused(const char *unused)
{
    char message[ORR_MESSAGE];
    orr_context *c = NULL;
    (void)unused;
    set("HOME", home);
    CHECK(open_there(&(orr_context_opts){.model_dir = file}, &c, message) == ORR_E_FILE &&
              strstr(message, file),
          "model_dir is a file: '%s'", message);
    CHECK(open_there(&(orr_context_opts){.model_dir = ""}, &c, message) == ORR_E_FILE,
          "model_dir is empty: '%s'", message);
    set("STARPU_HOME", file);
    CHECK(open_there(NULL, &c, message) == ORR_E_FILE && strstr(message, file),
          "STARPU_HOME is a file: '%s'", message);
    set("STARPU_HOME", NULL);
    if (give_up_root())
        CHECK(open_there(&(orr_context_opts){.model_dir = closed}, &c, message) == ORR_E_FILE &&
                  strstr(message, "Permission"),
              "no rights: '%s'", message);
    CHECK(c == NULL && entries(tmp) == 0, "something was opened or left");
}

/* A lock that another user put in /tmp for us, and holds, is not waited for. */
static void lock_of_another(const char *unused)
{
    char path[64], other[640], message[ORR_MESSAGE];
    orr_context *c = NULL;
    orr_context_info info;
    (void)unused;
    if (geteuid() != 0)
        return; /* there is nobody to be another user */
    snprintf(path, sizeof path, "/tmp/orrery-start-%d.lock", NOBODY);
    unlink(path);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666),
              ready = fd >= 0 && !fchmod(fd, 0666);
    CHECK(ready && lockf(fd, F_TLOCK, 0) == 0, "no lock to stand in the way");
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(40); /* a start waits for a lock up to a minute */
        CHECK(give_up_root(), "root is kept");
        set("HOME", home);
        CHECK(open_there(NULL, &c, message) == ORR_OK && solves(c), "%s", message);
        orr_context_query(c, &info);
        snprintf(other, sizeof other, "%s/orrery-start.lock", info.model_dir);
        CHECK(access(other, F_OK) == 0, "not locked by %s", other);
        orr_close(c);
        _exit(checked());
    }
    int code = 1;
    waitpid(pid, &code, 0);
    CHECK(code == 0, "the other user waited, status %x", (unsigned)code);
    unlink(path);
}

/* Another process is starting StarPU, and stays at that until somebody is told of it. */
static struct holder {
    pid_t pid;
    char path[64];
    int told;
} holder;

static void told(const char *what, void *arg)
{
    struct holder *h = arg;
    char number[32];
    snprintf(number, sizeof number, "process %ld,", (long)h->pid);
    CHECK(strstr(what, number) && strstr(what, h->path), "'%s'", what);
    h->told++;
    kill(h->pid, SIGKILL);
}

static void hold(int ready)
{
    const int fd = open(holder.path, O_RDWR | O_CREAT, 0600);
    alarm(60);
    if (fd >= 0 && lockf(fd, F_LOCK, 0) == 0 && write(ready, "", 1) == 1)
        pause();
    _exit(1);
}

static void waited_for(const char *unused)
{
    char message[ORR_MESSAGE], byte;
    int ready[2], code;
    orr_context *c = NULL;
    (void)unused;
    set("HOME", home);
    snprintf(holder.path, sizeof holder.path, "/tmp/orrery-start-%lu.lock",
             (unsigned long)geteuid());
    CHECK(pipe(ready) == 0, "no pipe");
    holder.pid = fork();
    if (holder.pid == 0)
        hold(ready[1]);
    close(ready[1]);
    CHECK(read(ready[0], &byte, 1) == 1, "%s is not locked", holder.path);
    orr_on_wait(told, &holder);
    CHECK(open_there(NULL, &c, message) == ORR_OK && solves(c), "%s", message);
    CHECK(holder.told == 1, "told %d times", holder.told);
    waitpid(holder.pid, &code, 0);
    const pid_t pid = fork(); /* a lock of one's own is not seen */
    if (pid == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        const int fd = open(holder.path, O_RDWR);
        _exit(fd < 0 || fcntl(fd, F_GETLK, &lock) != 0 ||
              (lock.l_type != F_UNLCK && lock.l_pid == getppid()));
    }
    waitpid(pid, &code, 0);
    CHECK(code == 0, "the lock is kept, status %x", (unsigned)code);
    orr_close(c);
}

/* In a process of its own, which knows nothing of StarPU's directories. */
static void apart(const char *name, void (*test)(const char *), const char *value)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        static const char *const unset[] = {"STARPU_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
                                            "ORRERY_PERFMODELS", "STARPU_PERF_MODEL_DIR"};
        for (size_t k = 0; k < sizeof unset / sizeof *unset; k++)
            unsetenv(unset[k]);
        set("TMPDIR", tmp);
        test(value);
        fflush(NULL);
        _exit(checked());
    }
    int code = 1;
    waitpid(pid, &code, 0);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0, "%s: %s %d", name,
          WIFSIGNALED(code) ? "signal" : "exit code",
          WIFSIGNALED(code) ? WTERMSIG(code) : WEXITSTATUS(code));
}

int main(void)
{
    CHECK(mkdtemp(root) && chmod(root, 0755) == 0, "no directory in /tmp");
    snprintf(tmp, sizeof tmp, "%s/tmp", root);
    snprintf(file, sizeof file, "%s/file", root);
    snprintf(closed, sizeof closed, "%s/closed", root);
    snprintf(home, sizeof home, "%s/home", root);
    CHECK(mkdir(tmp, 0777) == 0 && chmod(tmp, 0777) == 0 && mkdir(home, 0777) == 0 &&
              chmod(home, 0777) == 0 && mkdir(closed, 0) == 0,
          "no directories in %s", root);
    const int fd = open(file, O_CREAT | O_WRONLY, 0644);
    CHECK(fd >= 0 && close(fd) == 0, "no %s", file);

    apart("HOME is a file", home_is, file);
    apart("HOME is not set", home_is, NULL);
    apart("HOME is empty", home_is, "");
    apart("HOME is relative", home_is, "here");
    apart("the cache is a file", cache_is_a_file, NULL);
    apart("without rights", without_rights, NULL);
    apart("refused", refused, NULL);
    apart("a lock of another user", lock_of_another, NULL);
    apart("a process that starts", waited_for, NULL);

    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    CHECK(system(command) == 0, "%s is left", root);
    return checked();
}
