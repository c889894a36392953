/* See orders_file.h. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* getloadavg */
#include "src/cli/calibrate/orders_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <orrery/models.h>

#include "src/cli/core/directory.h"
#include "src/cli/core/numbers.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/run.h"

int cal_orders_path(const cal_job *o, const char *suffix, char path[CAL_PATH])
{
    if ((size_t)snprintf(path, CAL_PATH, "%s/%s%s", o->place, o->machine, suffix) >= CAL_PATH) {
        cli_say("%s: the path is too long", o->place);
        return CLI_FILE;
    }
    if (!o->force && access(path, F_OK) == 0) {
        cli_say("%s is there already; --force replaces it", path);
        return CLI_FILE;
    }
    const int code = cli_make_directory(o->place);
    return code == CLI_OK ? output_check(path) : code;
}

void cal_orders_busy(const cal_job *o)
{
    double load;
    if (!o->quiet && getloadavg(&load, 1) == 1 && load > 1 &&
        load > 0.5 * (double)sysconf(_SC_NPROCESSORS_ONLN))
        cli_say("this machine is busy (load %.1f): a quiet one may have other orders", load);
}

void cal_orders_head(cli_text *t, const cal_job *o)
{
    char date[32];
    orr_machine here;
    orr_machine_query(&here);
    cli_put(t, "format = 1\ncpu = %s\ncores = %d\ndevices = %d\n", here.cpu, here.cores,
            here.devices);
    cli_put(t, "orrery = %s %s\ndate = %s\ncommand = %s\n", orr_version(), cli_git(), cli_utc(date),
            o->command);
}

void cal_fill(orr_type t, void *x, int64_t count, uint64_t state)
{
    count *= (int64_t)(orr_type_size(t) / orr_type_size(orr_type_real(t)));
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        number_put(orr_type_real(t), x, i, (double)(state >> 11) * 0x1p-52 - 1);
    }
}

int cal_type_wanted(const cli_words *types, orr_type t)
{
    for (int64_t k = 0; k < types->n; k++)
        if (types->v[k][0] == orr_type_letter(t))
            return 1;
    return types->n == 0;
}

int cal_orders_write(const char *path, cli_text *t)
{
    const int code = t->failed ? CLI_MEMORY : output_text(path, t);
    cli_text_free(t);
    return code;
}
