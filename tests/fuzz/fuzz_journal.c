/* libFuzzer: bytes as the samples of a visit, from the journal of an unfinished calibration, and
 * models of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "src/cli/calibrate/calibrate_journal.h"
#include "src/cli/core/cli.h"

static int said;

void cli_say(const char *format, ...) { said += format != NULL; }
int output_text(const char *path, const cli_text *t) { return path && t ? CLI_OK : CLI_FILE; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static cal_journal j;
    const char *path = fuzz_save("case.1.csv", data, n);
    if (!j.dir[0]) { /* DIR/cases/NAME.PASS.csv; cases leads back to DIR */
        char link[96];
        strcpy(j.dir, path);
        *strrchr(j.dir, '/') = 0;
        snprintf(link, sizeof link, "%s/cases", j.dir);
        if (symlink(".", link) != 0 && errno != EEXIST)
            abort();
    }
    cal_samples s = {0};
    orr_models m = {0};
    said = 0;
    const int code = journal_get(&j, "case", 1, &s);
    if (code != CLI_OK && !said)
        abort();
    for (size_t i = 0; code == CLI_OK && i < s.n; i++)
        if ((unsigned)s.v[i].kind >= ORR_NKINDS || s.v[i].impl < 0 || s.v[i].impl > 1000)
            abort(); /* models of these could not be read again */
    if (code == CLI_OK)
        (void)!orr_models_make(s.v, s.n, &m);
    orr_models_free(&m);
    cal_samples_free(&s);
    return 0;
}
