/* See family_alone.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/family_alone.h"

#include <stdlib.h>
#include <string.h>

static int parse(family_alone *one, const char *words)
{
    enum { MOST = 32 };
    char *argv[MOST] = {(char *)one->command->name}, *rest = one->line;
    int argc = 1, code;
    snprintf(one->line, sizeof one->line, "%s", words);
    for (char *word; argc < MOST && (word = strtok_r(rest, " ", &rest));)
        argv[argc++] = word;
    cli_parse(one->command, argc, argv, one->job.args, &one->job.files, &code);
    one->job.files = (cli_files){0};
    return code;
}

int family_alone_make(family_alone *one, const cli_command *command, const char *words,
                      uint64_t seed)
{
    const cli_family *f = command->family;
    *one = (family_alone){.command = command};
    int code = family_begin(&one->job, command);
    if (code == CLI_OK)
        code = parse(one, words);
    if (code == CLI_OK)
        code = family_case_begin(&one->c, &one->job, family_first);
    if (code != CLI_OK)
        return code;
    one->c.keeps = 1;
    code = f->random(&one->c, seed);
    return code == CLI_OK ? f->make(&one->c) : code;
}

orr_status family_alone_run(family_alone *one, orr_context *context)
{
    const cli_family *f = one->command->family;
    orr_report report = {0};
    one->c.context = context;
    if (f->prepare)
        f->prepare(&one->c);
    return f->call(&one->c, NULL, &report);
}

void family_alone_free(family_alone *one)
{
    if (one->c.job)
        family_case_end(&one->c);
    if (one->job.args)
        cli_release(one->command, one->job.args);
    free(one->job.args);
    *one = (family_alone){0};
}
