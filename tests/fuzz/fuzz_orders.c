/* libFuzzer: bytes as the table of orders that liborrery_lapack reads within the programs of others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "files.h"
#include "orrery/models.h"
#include "src/models/orders.h"

static int said;
static char where[80];

int orr_models_place(int k, char *path, size_t room)
{
    return k == 0 && (size_t)snprintf(path, room, "%s", where) < room;
}
void orr_machine_query(orr_machine *m)
{
    memset(m, 0, sizeof *m);
    strcpy(m->cpu, "fuzz");
    m->cores = 2;
}

static const char *wrong(const char *key) { return strchr(key, '?') ? "a question" : NULL; }
static void say(const char *path, int line, const char *reason)
{
    if (!path || line < 0 || !*reason)
        abort();
    said++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static orr_orders o;
    char path[600];
    int beyond;
    strcpy(where, fuzz_save("a.lapack", data, n));
    *strrchr(where, '/') = 0;
    said = 0;
    const int found = orr_orders_find(".lapack", wrong, say, &o, path, sizeof path);
    if (found ? said || *o.wrong : o.count || !*o.wrong != !said)
        abort();
    for (int k = 0; k < o.count; k++)
        if (orr_orders_of(&o, o.line[k].key, &beyond) <= 0)
            abort();
    for (const char *c = o.wrong; *c; c++)
        if (*c < ' ' || *c > '~')
            abort();
    return 0;
}
