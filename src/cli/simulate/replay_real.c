/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/replay_real.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/core/places.h"
#include "src/cli/core/run.h"

int real_find(char *path, size_t size)
{
    static const char *const places[] = {"/orrery-real", ORR_MODULES "/orrery-real", NULL};
    if (place_find("ORRERY_REAL", places, "", path, size))
        return CLI_OK;
    cli_say(
        "replay: there is no orrery-real in $ORRERY_REAL or, if that is not set, near this orrery");
    return CLI_SKIPPED;
}

/* 0: that is not what orrery-real prints. */
static int read_result(FILE *f, int64_t repeat, real_result *r)
{
    int64_t runs = 0;
    if (fscanf(f, "workers %d starpu %31s\n", &r->workers, r->starpu) != 2)
        return 0;
    while (runs < repeat && fscanf(f, "run %lf %lf\n", &r->makespan[runs], &r->busy[runs]) == 2)
        runs++;
    return runs == repeat && fscanf(f, "joules %lf %511[^\n]", &r->joules, r->energy) == 2 &&
           fgetc(f) == '\n' && fgetc(f) == EOF;
}

int real_replay(const char *program, const char *graph, const char *sched, int cpus, int64_t repeat,
                const char *kernel, const truth_args *truth, uint64_t seed, real_result *r)
{
    enum { OWN = 6, TRUTHS = 3 + ORR_TRUTH_BIASES };
    char numbers[3][32], texts[TRUTHS][128], copies[4][4096];
    char *words[OWN + TRUTHS + 2] = {copies[0],  copies[1],  copies[2],
                                     numbers[0], numbers[1], copies[3]};
    const char *const given[] = {program, graph, sched, kernel};
    int ends[2], status = 0, n = OWN;
    for (int k = 0; k < 4; k++)
        if (snprintf(copies[k], sizeof copies[k], "%s", given[k]) >= (int)sizeof copies[k]) {
            cli_say("replay: %.80s...: the name is too long", given[k]);
            return CLI_USAGE;
        }
    snprintf(numbers[0], sizeof numbers[0], "%d", cpus);
    snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)repeat);
    snprintf(numbers[2], sizeof numbers[2], "seed=%llu", (unsigned long long)seed);
    for (int k = 0; k < TRUTHS && truth_word(truth, k, texts[k], sizeof texts[k]); k++)
        words[n++] = texts[k];
    words[n] = numbers[2];
    if (pipe(ends) != 0) {
        cli_say("replay: pipe: %s", strerror(errno));
        return CLI_RUNTIME;
    }
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        if (!cli_end_with(parent, SIGKILL))
            _exit(CLI_RUNTIME);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(words[0], words);
        cli_say("%s: %s", words[0], strerror(errno));
        _exit(CLI_RUNTIME);
    }
    if (pid < 0)
        cli_say("replay: fork: %s", strerror(errno));
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    const int good = f && pid > 0 && read_result(f, repeat, r);
    if (f)
        fclose(f);
    else
        close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    const int code = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CLI_RUNTIME;
    if (code == CLI_OK && !good)
        cli_say("%s: it did not say what it did", program);
    else if (pid > 0 && WIFSIGNALED(status))
        cli_say("%s: ended by signal %d", program, WTERMSIG(status));
    return code == CLI_OK && !good ? CLI_RUNTIME : code;
}
