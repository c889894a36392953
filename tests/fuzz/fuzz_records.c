/* libFuzzer: bytes as a file of records, of which `orrery compare` reads two. What is accepted has times above
 * zero, and every case that a file has with itself ends with a verdict.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "files.h"
#include "src/cli/core/record.h"
#include "src/cli/simulate/compare.h"

static int said;

void cli_say(const char *format, ...) { said += format != NULL; }
cli_seconds cli_statistics(const double *v, int runs)
{
    return (cli_seconds){.median = v[runs / 2]};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *names[] = {"sched", "options"};
    const cli_words across = {names, n % 3};
    compare_file a, b;
    compare_case c;
    int both = 0;
    const char *path = fuzz_save("a.json", data, n);
    said = 0;
    int code = compare_read(&a, path, &across);
    if (code != CLI_OK && !said)
        abort();
    for (int k = 0; k < a.n; k++)
        for (int i = 0; i < a.v[k].runs; i++)
            if (!(a.v[k].samples[i] > 0 && isfinite(a.v[k].samples[i])))
                abort();
    if (code == CLI_OK && compare_read(&b, path, &across) == CLI_OK) {
        while (compare_next(&a, &b, 0.02, &c, &code))
            both += c.records[0];
        if (code != CLI_OK || both != a.n)
            abort();
        compare_free(&b);
    }
    compare_free(&a);
    return 0;
}
