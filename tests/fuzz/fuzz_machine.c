/* libFuzzer: bytes as the description of a node to simulate, and what StarPU is given of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "files.h"
#include "src/cli/core/cli.h"
#include "src/cli/core/options.h"
#include "src/cli/simulate/node.h"

static int said;

void cli_say(const char *format, ...) { said += format != NULL; }
int cli_worse(int a, int b) { return a ? a : b; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    node x;
    said = 0;
    const int code = node_read(&x, fuzz_save("a.machine", data, n));
    if (code != CLI_OK && !said)
        abort();
    if (code != CLI_OK)
        return 0;
    cli_text t = {0};
    node_put_json(&t, &x);
    for (int k = 0; k < NODE_VALUES; k++)
        if (t.failed || !isfinite(x.v[k].value))
            abort();
    cli_text_free(&t);
    return 0;
}
