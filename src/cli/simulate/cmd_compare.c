/* orrery compare: is B slower than A? Records of two files, one verdict a case.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/record.h"
#include "src/cli/simulate/compare.h"

struct args {
    const char *json, *threshold;
    cli_words across;
    int quiet;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"threshold", 0, OPT_TEXT, "X", "what does not matter, e.g. 5% or 0.05 (default: 2%)", NULL,
     AT(threshold)},
    {"across", 0, OPT_WORDS, "WHAT", "need not agree: sched, workers, options", COMPARE_ACROSS,
     AT(across)},
    {"json", 0, OPT_FILE, "FILE", "append a JSON line per case (- is stdout)", NULL, AT(json)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table", NULL, AT(quiet)},
    {.kind = OPT_END},
};

/* "2%" or "0.02"; 0: neither. */
static int parse_threshold(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end != text && *end == '%') {
        *out /= 100;
        end++;
    }
    return end != text && !*end && *out >= 0 && *out < 1;
}

static void put_time(cli_text *t, double s)
{
    if (s < 1e-3)
        cli_put(t, " %7.4g us", s * 1e6);
    else if (s < 1)
        cli_put(t, " %7.4g ms", s * 1e3);
    else
        cli_put(t, " %7.4g s ", s);
}

static void put_row(cli_text *t, const compare_case *c)
{
    char interval[64] = "", units[64];
    cli_plain_text plain;
    if (isfinite(c->ratio.low))
        snprintf(interval, sizeof interval, "[%.3f, %.3f]", c->ratio.low, c->ratio.high);
    snprintf(units, sizeof units, "%d+%d %s", c->units[0], c->units[1],
             c->paired       ? "paired"
             : c->of_records ? "records"
                             : "samples");
    cli_put(t, "%-9s", compare_verdict_name[c->verdict]);
    put_time(t, c->seconds[0]);
    put_time(t, c->seconds[1]);
    cli_put(t, " %6.3f %-16s %-15s  %s%s%s%s\n", c->ratio.middle, interval, units,
            cli_plain(c->a->what, plain), c->note ? " (" : "", c->note ? c->note : "",
            c->note ? ")" : "");
}

static void put_side(cli_text *t, const char *key, double seconds, int units, int records,
                     const compare_record *r)
{
    cli_put(t, ",\"%s\":{\"seconds\":", key);
    cli_put_number(t, seconds);
    cli_put(t, ",\"units\":%d,\"records\":%d,\"line\":%d", units, records, r->line);
    cli_member_json(t, "command", r->command);
    cli_put(t, "}");
}

static void put_json(cli_text *t, const compare_case *c, double threshold)
{
    cli_put(t, "{\"compare\":");
    cli_put_json(t, c->a->what);
    cli_member_json(t, "verdict", compare_verdict_name[c->verdict]);
    cli_member_json(t, "note", c->note);
    cli_member_json(t, "units", c->of_records ? "records" : "samples");
    cli_put(t, ",\"paired\":%s,\"ratio\":{", c->paired ? "true" : "false");
    cli_member_number(t, "median", c->ratio.middle);
    cli_member_number(t, "low", c->ratio.low);
    cli_member_number(t, "high", c->ratio.high);
    cli_put(t, "}");
    cli_member_number(t, "threshold", threshold);
    put_side(t, "a", c->seconds[0], c->units[0], c->records[0], c->a);
    put_side(t, "b", c->seconds[1], c->units[1], c->records[1], c->b);
    cli_put(t, "}\n");
}

/* A line for a case, at its first record. */
static void tell_alone(compare_file *f)
{
    for (int k = 0; k < f->n; k++) {
        int more = 0;
        if (f->v[k].taken)
            continue;
        for (int i = k + 1; i < f->n; i++)
            if (!f->v[i].taken && !strcmp(f->v[i].what, f->v[k].what)) {
                f->v[i].taken = 1;
                more++;
            }
        if (more)
            cli_say("%s:%d: and %d more record%s: only in this file: %s", f->path, f->v[k].line,
                    more, cli_plural(more), f->v[k].what);
        else
            cli_say("%s:%d: only in this file: %s", f->path, f->v[k].line, f->v[k].what);
    }
}

static int show(cli_sink *sink, const compare_case *c, double threshold)
{
    cli_text row = {0}, line = {0};
    put_row(&row, c);
    put_json(&line, c, threshold);
    int code = row.failed || line.failed ? CLI_MEMORY : CLI_OK;
    if (code == CLI_OK && sink->table)
        fputs(row.s, sink->table);
    if (code == CLI_OK)
        code = cli_sink_line(sink, &line);
    cli_text_free(&row);
    cli_text_free(&line);
    return code;
}

static int compare_files(compare_file *a, compare_file *b, double threshold, cli_sink *sink)
{
    compare_case c;
    cli_plain_text first, second;
    int cases = 0, machines = 0, single = 0, code = CLI_OK, worst = CLI_OK;
    while (worst != CLI_MEMORY && compare_next(a, b, threshold, &c, &code)) {
        if (!cases++ && sink->table)
            fprintf(sink->table,
                    "A is %s, B is %s; ratio: seconds of B over A, with its 95 %% interval; SAME: "
                    "within %.3g %%\n%-9s %10s %10s %6s %-16s %-15s  %s\n",
                    cli_plain(a->path, first), cli_plain(b->path, second), 100 * threshold,
                    "verdict", "A", "B", "ratio", "interval", "of", "case");
        machines |= strcmp(c.a->machine, c.b->machine) != 0;
        single += !c.of_records && !c.paired;
        worst = cli_worse(worst, show(sink, &c, threshold));
        if (c.verdict == COMPARE_SLOWER)
            worst = cli_worse(worst, CLI_CHECK);
    }
    tell_alone(a);
    tell_alone(b);
    if (machines)
        cli_say("A and B come from machines with different names");
    if (single)
        cli_say("%d of %d cases have one record in each file: two processes of one program may "
                "differ as much; 6 or more records of each, taken in turn, tell programs apart",
                single, cases);
    if (!cases && code == CLI_OK) {
        cli_say("no case is in both files; --across tells what need not agree");
        code = CLI_FILE;
    }
    return cli_worse(worst, code);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {.threshold = "2%"};
    cli_files rest;
    cli_sink sink = {0};
    compare_file a = {0}, b = {0};
    double threshold = 0;
    int code;
    if (!cli_parse(command, argc, argv, &args, &rest, &code))
        return code;
    if (rest.n != 2)
        code = cli_usage("compare", "two files of records are needed: A.jsonl B.jsonl");
    else if (!parse_threshold(args.threshold, &threshold))
        code = cli_usage("compare", "--threshold: a share below 1, e.g. 2% or 0.02");
    else if (!strcmp(rest.v[0], "-") && !strcmp(rest.v[1], "-"))
        code = cli_usage("compare", "only one of the files can be standard input");
    else if (args.json && strcmp(args.json, "-"))
        code = output_spares(args.json, &rest);
    if (code == CLI_OK)
        code = cli_sink_open(&sink, args.json, NULL, 0, args.quiet);
    if (code == CLI_OK)
        code = compare_read(&a, rest.v[0], &args.across);
    if (code == CLI_OK)
        code = compare_read(&b, rest.v[1], &args.across);
    if (code == CLI_OK)
        code = compare_files(&a, &b, threshold, &sink);
    compare_free(&a);
    compare_free(&b);
    cli_sink_close(&sink);
    cli_release(command, &args);
    return code;
}

const cli_command cmd_compare = {
    .name = "compare",
    .summary = "compare the times in two files of records: faster, slower or the same?",
    .synopsis = "[options] A.jsonl B.jsonl",
    .files = "jsonl",
    .about =
        "Compares what --json wrote. Records belong together if algorithm, type, sizes, policy, "
        "workers and options agree. Of each case the ratio of the times, its 95 % interval and "
        "a verdict are printed: SLOWER or FASTER if the whole interval is beyond the threshold, "
        "SAME if it is wholly within, else UNDECIDED. The exit status is 1 if a case is SLOWER, "
        "3 if a line is no record or no case is in both files. docs/compare.md tells what an "
        "interval covers.",
    .options = options,
    .examples = "orrery hb2st --n 2000 --band 32 --repeat 20 --json before.jsonl\n"
                "orrery compare before.jsonl after.jsonl\n"
                "orrery compare before.jsonl after.jsonl --threshold 5% --json -\n"
                "orrery compare lws.jsonl dmdas.jsonl --across sched",
    .run = run,
};
