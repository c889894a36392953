/* libFuzzer: bytes as the plan of a study, in JSON. What is accepted has all that a study needs, and as many
 * runs as are allowed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "files.h"
#include "src/cli/core/cli.h"
#include "src/cli/core/options.h"
#include "src/cli/study/effects.h"
#include "src/cli/study/identity.h"
#include "src/cli/study/plan.h"
#include "src/cli/study/points.h"

static int said;

void cli_say(const char *format, ...) { said += format != NULL; }

/* Of options and looks that reading a plan does not need. */
int cli_usage(const char *command, const char *message) { return command && message; }
void cli_help(const cli_command *c, FILE *f) { said += c && f; }
int cli_is_library(const char *word) { return !word; }
int orr_type_parse(const char *word, orr_type *t) { return word && t; }
int program_find(const study_plan *p, const char *name, char out[IDENTITY_PATH])
{
    snprintf(out, IDENTITY_PATH, "/bin/%.*s", p ? 20 : 0, name);
    return 1;
}
int effects_count(const study_plan *p) { return p->compare; }
study_effect *effects_make(const study_plan *p, const study_rows *r)
{
    (void)p, (void)r;
    return NULL;
}

static void check(const study_plan *p)
{
    if (!p->name || !p->run.n || !p->factors || p->factors > STUDY_FACTORS || !p->measure)
        abort();
    if (p->blocks < 1 || p->looks > STUDY_LOOKS || p->compare >= p->factors)
        abort();
    for (int k = 0; k < p->factors; k++)
        if (!p->factor[k].name || p->factor[k].label.n < 1 ||
            p->factor[k].label.n != p->factor[k].value.n)
            abort();
    if ((double)p->blocks * points_count(p) > STUDY_RUNS)
        abort();
    for (int k = 0; k < p->published_n; k++)
        for (int f = 0; f < p->factors; f++)
            if (p->published[k].at[f] >= p->factor[f].label.n)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    study_plan p;
    said = 0;
    const int code = plan_read(&p, fuzz_save("a.plan", data, n));
    if (code == CLI_OK) {
        check(&p);
        plan_free(&p);
    } else if (!said) {
        abort();
    }
    return 0;
}
