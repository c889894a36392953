/* orrery graph: files of task graphs: what they are, where they come from.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/record.h"
#include "src/cli/simulate/graph_args.h"
#include "src/cli/simulate/graph_draw.h"
#include "src/cli/simulate/graph_import.h"
#include "src/cli/simulate/graph_info.h"
#include "src/cli/simulate/graph_show.h"
#include "src/cli/simulate/graph_times.h"

#define AT(field) .at = offsetof(struct graph_args, field)

/* clang-format off */
static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Options" },
    { "output", 'o', OPT_FILE, "FILE", "graph (default: stdout), or the picture of draw", NULL, AT(output) },
    { "time", 0, OPT_WORDS, "TIMES", "import, make: CODELET=[US][:US], CPU and GPU", NULL, AT(time) },
    { "sync", 0, OPT_WORDS, "CODELETS", "import, make: accelerators wait for these tasks", NULL, AT(sync) },
    { "cpus", 0, OPT_INT, "N", "info, make: CPU workers (default: recorded; 1)", NULL, AT(cpus), 0, 1000000 },
    { "gpus", 0, OPT_INT, "N", "info, make: CUDA devices (default: recorded; 0)", NULL, AT(gpus), 0, 1000000 },
    { "json", 0, OPT_FILE, "FILE", "append a JSON object (- is stdout)", NULL, AT(json) },
    { "quiet", 'q', OPT_FLAG, NULL, "no table, no remarks", NULL, AT(quiet) },
    { .kind = OPT_GROUP, .help = "Options of make" },
    { "size", 0, OPT_INT, "N", "tasks, tiles or blocks of a row (default: 10)", NULL, AT(size), 1, ORR_DAG_MOST_TASKS },
    { "depth", 0, OPT_INT, "N", "layers, stages or sweeps (default: 10; jacobi 2)", NULL, AT(depth), 1, ORR_DAG_MOST_TASKS },
    { "degree", 0, OPT_INT, "N", "layered: tasks that each waits for (default: 2)", NULL, AT(degree), 1, 1000 },
    { "seed", 0, OPT_INT, "K", "of edges and of --cv (default: 1)", NULL, AT(seed), 0, INT64_MAX },
    { "tile", 0, OPT_INT, "N", "order of a tile (default: 256)", NULL, AT(tile), 1, 1000000 },
    { "type", 't', OPT_CHOICE, "T", "of tiles: s, d, c or z (default: d)", "s|d|c|z", AT(type) },
    { "bytes", 0, OPT_INT, "N", "of each piece of data (default: a tile; or 0)", NULL, AT(bytes), 0, INT64_MAX },
    { "gflops", 0, OPT_TEXT, "C[:G]", "of a CPU and a GPU: times of tasks on tiles", NULL, AT(gflops) },
    { "model", 0, OPT_WORDS, "MODELS", "CODELET=FILE[@SIZE]: times by models of StarPU", NULL, AT(model) },
    { "cv", 0, OPT_REAL, "X", "spread of times, lognormal (default: 0)", NULL, AT(cv), 0, 10 },
    { .kind = OPT_END },
};
/* clang-format on */

int graph_check_outputs(const struct graph_args *a, const cli_files *inputs)
{
    const char *const names[] = {a->output ? a->output : "-", a->json};
    return outputs_check_files(names, 2, inputs);
}

int graph_check_graph(const struct graph_args *a, const cli_files *inputs)
{
    const int code = a->output ? output_is_graph("--output", a->output) : CLI_OK;
    return code == CLI_OK ? graph_check_outputs(a, inputs) : code;
}

int graph_tell(const struct graph_args *a, cli_text *t)
{
    cli_sink sink = {0};
    int code = CLI_OK;
    if (a->json) {
        code = cli_sink_open(&sink, a->json, NULL, !a->output || !strcmp(a->output, "-"), 1);
        if (code == CLI_OK)
            code = cli_sink_line(&sink, t);
        cli_sink_close(&sink);
    }
    cli_text_free(t);
    return code;
}

/* ---- info -------------------------------------------------------------------------------- */

static int info(void *args, const cli_files *files)
{
    const struct graph_args *a = args;
    cli_sink sink = {0};
    int code = CLI_OK;
    if (!files->n)
        return cli_usage("graph info", "a FILE.graph is needed");
    if (a->json && strcmp(a->json, "-"))
        code = output_spares(a->json, files);
    if (code == CLI_OK)
        code = cli_sink_open(&sink, a->json, NULL, 0, a->quiet);
    if (code != CLI_OK)
        return code;
    for (int k = 0; k < files->n && code != CLI_MEMORY; k++)
        code = cli_worse(code, graph_show(files->v[k], a->cpus, a->gpus, &sink));
    cli_sink_close(&sink);
    return code;
}

/* ---- import ------------------------------------------------------------------------------------ */

static int write_found(const struct graph_args *a, const struct orr_dag *d,
                       const graph_found *found)
{
    cli_text t = {0};
    int code = graph_write(d, a->output ? a->output : "-");
    if (code != CLI_OK)
        return code;
    if (!a->quiet)
        cli_say(
            "%zu tasks, %zu data; of %zu edges in the files %zu follow from accesses, %zu are explicit",
            d->tasks, d->all_data, found->edges, found->implied, found->edges - found->implied);
    cli_put(&t, "{\"format\":");
    cli_put_json(&t, found->format);
    cli_put(&t, ",\"tasks\":%zu,\"data\":%zu,\"edges\":%zu,\"implied\":%zu,\"explicit\":%zu}\n",
            d->tasks, d->all_data, found->edges, found->implied, found->edges - found->implied);
    return graph_tell(a, &t);
}

static int import(void *args, const cli_files *files)
{
    const struct graph_args *a = args;
    struct orr_dag d;
    graph_found found;
    if (!files->n)
        return cli_usage("graph import", "a file to import is needed");
    int code = graph_check_graph(a, files);
    if (code == CLI_OK)
        code = graph_import(&d, files, &found);
    if (code != CLI_OK)
        return code;
    code = graph_set_times(&d, &a->time);
    if (code == CLI_OK)
        code = graph_set_sync(&d, &a->sync);
    if (code == CLI_OK)
        code = write_found(a, &d, &found);
    orr_dag_free(&d);
    return code;
}

/* ---- The command ---------------------------------------------------------------------------------- */

static const cli_action actions[] = {
    {"info", info, "cpus|gpus|json|quiet"},
    {"import", import, "output|time|sync|json|quiet"},
    {"draw", graph_draw_action, "output"},
    {"make", graph_make_action,
     "output|time|sync|cpus|gpus|json|quiet|size|depth|degree|seed|tile|type|bytes|gflops|model|cv"},
    {0}};

static int run(const cli_command *command, int argc, char **argv)
{
    struct graph_args a = {.cpus = -1,
                           .gpus = -1,
                           .size = -1,
                           .depth = -1,
                           .degree = -1,
                           .seed = -1,
                           .tile = -1,
                           .bytes = -1,
                           .cv = -1,
                           .type = -1};
    return cli_act(command, argc, argv, &a, actions, NULL);
}

const cli_command cmd_graph = {
    .name = "graph",
    .summary = "task graphs in files: describe, draw, import or make them",
    .synopsis = "info|draw FILE.graph|import FILE...|make FAMILY [options]",
    .files = "graph",
    .about =
        "info: tasks, edges, lower bounds of the time on some workers, and the times of each "
        "codelet. draw: the run that was recorded, or replayed, as a picture (-o FILE.svg), a page to zoom in "
        "(FILE.html), for Perfetto (FILE.json) or ViTE (FILE.paje), or all tasks and edges for Graphviz (FILE.dot). import: a graph from StarPU's tasks.rec, from StarVZ's rec.tasks.csv with dag.csv "
        "and rec.data_handles.csv (also compressed, .gz), from a WfFormat JSON file, or from a FILE.graph, to give "
        "its tasks other times; the kind of a file is seen from its contents. make: a graph of one of the families chain, independent, fork-join, "
        "layered, cholesky, lu, qr, bulge (hb2st, gb2bd) and jacobi (gesvj); times are 1 ms unless options say "
        "otherwise, and equal options give equal bytes. A file that is damaged is refused with its line, exit "
        "status 3. docs/simulation.md describes the format of graphs.",
    .options = options,
    .examples = "orrery graph import rec.tasks.csv.gz dag.csv.gz -o qr.graph\n"
                "orrery graph import tasks.rec -o run.graph\n"
                "orrery graph import run.graph --time gemm=:8,syrk=:6 -o gpu.graph\n"
                "orrery graph make cholesky --size 20 --gflops 40:4000 -o chol.graph\n"
                "orrery graph draw run.graph -o run.html\n"
                "orrery graph info qr.graph --cpus 10 --json -",
    .run = run,
    .words = "info|draw|import|make",
};
