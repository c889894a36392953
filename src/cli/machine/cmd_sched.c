/* orrery sched: the scheduling policies that --sched accepts, one line each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "src/cli/core/options.h"
#include "src/cli/core/text.h"

struct args {
    int own, json;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"own", 0, OPT_FLAG, NULL, "only those that come with Orrery", NULL, AT(own)},
    {"json", 0, OPT_FLAG, NULL, "a JSON object per line instead of text", NULL, AT(json)},
    {.kind = OPT_END},
};

static int widest_name(void)
{
    int width = 0;
    orr_policy_info p;
    for (int k = 0; orr_policy(k, &p); k++)
        if ((int)strlen(p.name) > width)
            width = (int)strlen(p.name);
    return width;
}

static void text(cli_text *t, const orr_policy_info *p)
{
    cli_put(t, "%-*s %-7s %s%s\n", widest_name(), p->name, p->own ? "Orrery" : "StarPU",
            p->refused ? "not usable: " : "", p->refused ? p->refused : p->about);
}

static void json(cli_text *t, const orr_policy_info *p)
{
    cli_put(t, "{\"name\":");
    cli_put_json(t, p->name);
    cli_put(t, ",\"from\":\"%s\",\"about\":", p->own ? "orrery" : "starpu");
    cli_put_json(t, p->about);
    cli_put(t, ",\"refused\":");
    cli_put_json(t, p->refused);
    cli_put(t, "}\n");
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {0};
    int code;
    if (!cli_parse_alone(command, argc, argv, &args, &code))
        return code;
    cli_text t = {0};
    orr_policy_info p;
    for (int k = 0; orr_policy(k, &p); k++)
        if (p.own || !args.own)
            (args.json ? json : text)(&t, &p);
    return cli_text_print(&t);
}

const cli_command cmd_sched = {
    .name = "sched",
    .summary = "the scheduling policies that --sched accepts",
    .synopsis = "[--own] [--json]",
    .about = "Name, origin and one line of each policy; docs/schedulers.md has more.",
    .options = options,
    .examples = "orrery sched --own\n"
                "orrery hb2st --n 4096 --band 64 --sched affine,lws",
    .run = run,
};
