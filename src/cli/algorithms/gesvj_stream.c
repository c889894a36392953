/* orrery gesvj --stream: arrays from standard input, results of each to standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/cli/algorithms/gesvj_job.h"
#include "src/cli/core/progress.h"

enum { LOOK_EVERY = 1 /* ms, for results, while no input comes */ };

/* One array of the input; its frames leave one after the other, then it is written whole. */
struct arrival {
    svd_data d;
    int batch;
    int64_t number, left; /* of the array; frames of it that have not left */
};

struct sink {
    const struct svd_args *args;
    orr_gesvj_stream *stream;
    cli_progress progress;
    int code;
    int failed;              /* a frame could not be worked on: nothing is written any more */
    int64_t under_way, gone; /* frames */
    int64_t sweeps;
};

static void name_of(int64_t number, char *name, size_t size)
{
    snprintf(name, size, "standard input, array %lld", (long long)number);
}

static int write_results(const struct arrival *x, const struct svd_args *a)
{
    int code = CLI_OK;
    if (a->values)
        code = cli_worse(code, svd_write(NULL, &x->d, 's', x->batch, "-"));
    if (a->left)
        code = cli_worse(code, svd_write(NULL, &x->d, 'u', x->batch, "-"));
    if (a->right)
        code = cli_worse(code, svd_write(NULL, &x->d, 'v', x->batch, "-"));
    return fflush(stdout) == 0 ? code : cli_worse(code, CLI_FILE);
}

static void leave(struct arrival *x, struct sink *sink)
{
    char name[64];
    name_of(x->number, name, sizeof name);
    if (!sink->failed) {
        sink->code = cli_worse(sink->code, svd_statuses(x->d.info, x->d.count, name));
        sink->code = cli_worse(sink->code, write_results(x, sink->args));
    }
    svd_free(&x->d);
    free(x);
}

static void on_result(const orr_gesvj_result *r, void *arg)
{
    struct arrival *x = r->frame.user;
    struct sink *sink = arg;
    x->d.info[x->d.count - x->left] = r->info;
    sink->sweeps = r->info.sweeps > sink->sweeps ? r->info.sweeps : sink->sweeps;
    sink->under_way--;
    cli_progress_update(++sink->gone, 0, &sink->progress);
    if (r->status < 0 && !sink->failed) {
        cli_say("standard input, array %lld: %s", (long long)x->number, orr_strerror(r->status));
        sink->code = cli_worse(sink->code, cli_exit_code(r->status, 1));
        sink->failed = 1;
    }
    if (--x->left == 0)
        leave(x, sink);
}

/* Until input comes, results that are ready leave: whoever sends may be waiting for them. */
static void wait_for_input(struct sink *sink)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (sink->under_way > 0 && poll(&input, 1, LOOK_EVERY) == 0)
        orr_gesvj_stream_pop(sink->stream, 0, NULL);
}

static int push_frames(struct sink *sink, struct arrival *x, const char *name)
{
    const svd_data d = x->d; /* x goes with its last frame */
    x->left = d.count;
    if (d.count == 0) {
        while (orr_gesvj_stream_pop(sink->stream, 1, NULL))
            ;
        leave(x, sink);
    }
    for (int64_t l = 0; l < d.count; l++) {
        orr_gesvj_frame f = svd_frame(&d, l);
        f.user = x;
        sink->under_way++;
        const orr_status status = orr_gesvj_stream_push(sink->stream, &f);
        if (status == ORR_OK)
            continue;
        sink->under_way--;
        sink->failed = 1;
        cli_say("%s: %s", name,
                status == ORR_E_ARG ? "a matrix is too large" : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    return CLI_OK;
}

/* Reads array `number` and sends its frames off. *end: nothing came any more. */
static int push_array(struct sink *sink, int64_t number, int *end)
{
    const struct svd_args *a = sink->args;
    orr_npy array;
    orr_io_error error = {0};
    char name[64];
    const int64_t most = a->run.max_memory > 0 ? a->run.max_memory : 0;
    name_of(number, name, sizeof name);
    wait_for_input(sink);
    orr_status status = orr_npy_read_stream(stdin, "standard input", most, &array, end, &error);
    if (status != ORR_OK) {
        cli_say("%s: %s", name, error.message[0] ? error.message : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    if (*end)
        return CLI_OK;
    struct arrival *x = calloc(1, sizeof *x);
    if (!x) {
        orr_npy_free(&array);
        return CLI_MEMORY;
    }
    x->number = number;
    x->batch = array.ndim == 3;
    const int type = svd_type_of(&a->type, 0);
    int code = svd_check_memory(&a->run, &array, name, type, a->left != NULL, a->right != NULL);
    if (code != CLI_OK)
        orr_npy_free(&array);
    else
        code = svd_adopt(&x->d, &array, name, type, a->left != NULL, a->right != NULL);
    if (code == CLI_OK)
        return push_frames(sink, x, name);
    free(x);
    return code;
}

static int report(cli_job *job, const struct sink *sink, const orr_context_info *info,
                  orr_context *context, orr_gesvj_stream_report *rep, const cli_clock *clock,
                  int input)
{
    cli_record r = CLI_RECORD;
    char extra[512];
    svd_data none = {.type = ORR_D, .m = -1, .n = -1, .count = rep->frames};
    none.info = calloc((size_t)rep->frames + 1, sizeof *none.info);
    if (!none.info)
        return CLI_MEMORY;
    cli_after_run(job->run, context, &r);
    svd_put_stream(extra, sizeof extra, rep, clock->call);
    r.seconds = cli_statistics(&clock->call, 1);
    r.seconds_graph = cli_statistics(&clock->graph, 1);
    r.extra = extra;
    r.plan = rep->plan;
    r.tasks = rep->tasks;
    svd_describe(&r, job, &none, info, sink->code);
    if (input != CLI_OK && !sink->failed)
        r.status = "bad input";
    r.sweeps = sink->sweeps;
    free(none.info);
    return svd_report(job, &r);
}

int svd_serve(cli_job *job)
{
    struct svd_args *a = job->args;
    struct sink sink = {.args = a};
    orr_context *context = NULL;
    orr_context_info info;
    if (!a->values && !a->left && !a->right)
        a->values = "-";
    int code = cli_open(&a->run, cli_policy(&a->run), &context, &info);
    if (code != CLI_OK)
        return code;
    const orr_gesvj_opts o = svd_options(a, 0);
    cli_clock clock;
    cli_before_run(&a->run, context, 1);
    cli_clock_start(&clock);
    if (orr_gesvj_stream_open(context, &o, (int)a->in_flight, on_result, &sink, &sink.stream) !=
        ORR_OK)
        return cli_worse(CLI_MEMORY, cli_close(&a->run, context));
    cli_progress_start(&sink.progress, "frames", a->run.verbose, a->run.quiet);
    int end = 0;
    for (int64_t number = 0; !end && code == CLI_OK && !sink.failed; number++)
        code = push_array(&sink, number, &end);
    orr_gesvj_stream_report rep;
    orr_gesvj_stream_close(sink.stream, &rep);
    cli_clock_stop(&clock, rep.seconds);
    cli_progress_end(&sink.progress);
    code = cli_worse(code, report(job, &sink, &info, context, &rep, &clock, code));
    code = cli_worse(code, sink.code);
    return cli_worse(code, cli_close(&a->run, context));
}
