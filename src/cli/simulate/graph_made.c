/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "src/cli/simulate/graph_args.h"
#include "src/cli/simulate/graph_info.h"
#include "src/cli/simulate/graph_make.h"
#include "src/cli/simulate/graph_times.h"

/* Times: 1 ms, or what --gflops, then --model, then --time say, each more particular than the one before. */
static int make_times(const struct graph_args *a, struct orr_dag *d, int tiles)
{
    double rate[2];
    graph_set_all(d, 1000, NAN);
    if (a->gflops && !tiles)
        return cli_usage("graph make", "--gflops is for families with tiles: cholesky, lu, qr");
    if (a->gflops && !graph_two_numbers(a->gflops, rate)) {
        cli_say("--gflops: '%s' is not C or C:G, above zero", a->gflops);
        return CLI_USAGE;
    }
    if (a->gflops)
        graph_set_rates(d, rate);
    int code = graph_set_models(d, &a->model);
    if (code == CLI_OK)
        code = graph_set_times(d, &a->time);
    if (code != CLI_OK)
        return code;
    graph_spread(d, a->seed, a->cv);
    for (size_t i = 0; i < d->tasks; i++)
        for (int k = 0; k < ORR_DAG_COUNT; k++)
            if (!isnan(d->task[i].t[k]) && !(d->task[i].t[k] > 0 && d->task[i].t[k] < 1e15)) {
                cli_say("graph make: task %zu (%s) would take %g us", i + 1, d->task[i].name,
                        d->task[i].t[k]);
                return CLI_USAGE;
            }
    return CLI_OK;
}

static int write_made(const struct graph_args *a, struct orr_dag *d, const graph_recipe *r,
                      const char *family)
{
    char why[512];
    cli_text t = {0};
    struct orr_graph e = {.kinds = 0};
    int code = graph_write(d, a->output ? a->output : "-");
    if (code != CLI_OK)
        return code;
    if (orr_dag_edges(d, &e, why, sizeof why))
        return CLI_MEMORY; /* there is no cycle */
    const size_t edges = e.before_at[d->tasks];
    orr_graph_free(&e);
    if (!a->quiet)
        cli_say("%s: %zu tasks, %zu data, %zu edges", family, d->tasks, d->all_data, edges);
    cli_put(&t, "{\"family\":");
    cli_put_json(&t, family);
    cli_put(&t, ",\"size\":%lld,\"depth\":%lld,\"degree\":%lld,\"seed\":%lld,\"bytes\":%zu,\"cv\":",
            (long long)r->size, (long long)r->depth, (long long)r->degree, (long long)r->seed,
            r->bytes);
    cli_put_number(&t, a->cv);
    cli_put(&t, ",\"tasks\":%zu,\"data\":%zu,\"edges\":%zu}\n", d->tasks, d->all_data, edges);
    return graph_tell(a, &t);
}

static int make_family(struct graph_args *a, const char *name, int family)
{
    static const int bytes[] = {4, 8, 8, 16}; /* s, d, c, z */
    struct orr_dag d;
    const int tiles = graph_has_tiles(family);
    if (!tiles && (a->tile >= 0 || a->type >= 0))
        return cli_usage("graph make",
                         "--tile and --type are for families with tiles: cholesky, lu, qr");
    const int type = a->type < 0 ? 1 : a->type;
    a->seed = a->seed < 0 ? 1 : a->seed;
    a->cv = a->cv < 0 ? 0 : a->cv;
    graph_recipe r = {.size = a->size,
                      .depth = a->depth,
                      .degree = a->degree,
                      .seed = a->seed,
                      .tile = !tiles        ? 0
                              : a->tile < 0 ? 256
                                            : a->tile,
                      .operations = type < 2 ? 1 : 4};
    r.bytes = a->bytes >= 0 ? (size_t)a->bytes : (size_t)(r.tile * r.tile * bytes[type]);
    const char *const outputs[] = {a->output, a->json};
    int code = graph_check_graph(a, &(cli_files){0});
    for (int k = 0; k < 2 && code == CLI_OK; k++)
        if (outputs[k] && strcmp(outputs[k], "-"))
            code = graph_spares_models(&a->model, outputs[k]);
    if (code == CLI_OK)
        code = graph_make(&d, family, &r);
    if (code != CLI_OK)
        return code;
    d.workers[ORR_DAG_CPU] = a->cpus < 0 ? 1 : (int)a->cpus;
    d.workers[ORR_DAG_CUDA] = a->gpus < 0 ? 0 : (int)a->gpus;
    code = make_times(a, &d, tiles);
    if (code == CLI_OK)
        code = graph_set_sync(&d, &a->sync);
    if (code == CLI_OK)
        code = write_made(a, &d, &r, name);
    orr_dag_free(&d);
    return code;
}

int graph_make_action(void *a, const cli_files *words)
{
    cli_guess_text guess;
    if (words->n != 1)
        return cli_usage("graph make", "one family is needed: " GRAPH_FAMILIES);
    const int family = cli_word_index(words->v[0], GRAPH_FAMILIES);
    if (family >= 0)
        return make_family(a, words->v[0], family);
    cli_say("graph make: '%s' is none of " GRAPH_FAMILIES "%s", words->v[0],
            cli_guess(words->v[0], GRAPH_FAMILIES, guess));
    return CLI_USAGE;
}
