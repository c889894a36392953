/* orrery gesvj --stream: arrays from standard input, results of each to standard output. Over several
 * ranks the first one reads and writes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/algorithms/gesvj_dealt.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"

enum { LOOK_EVERY = 1 /* ms, for results, while no input comes */ };

/* One array of the input. When all frames of it and of those before it are done it is written. */
struct arrival {
    struct arrival *next;
    svd_data d;
    svd_dealt *frame; /* [d.count] */
    int batch;
    int64_t number, left; /* of the array; frames of it that are not done */
};

struct sink {
    const struct svd_args *args;
    orr_gesvj_stream *stream;
    svd_dealer *dealer;
    struct arrival *oldest, *youngest;
    cli_progress progress;
    int code;
    int failed;        /* a frame could not be worked on: nothing is written any more */
    int64_t own, gone; /* frames: in the stream of this rank, done */
    int64_t sweeps;
    orr_status status;   /* of the frames, as a record tells it */
    unsigned char types; /* of the frames: bit t for type t */
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
    free(x->frame);
    free(x);
}

static void leave_in_order(struct sink *sink)
{
    while (sink->oldest && sink->oldest->left == 0) {
        struct arrival *x = sink->oldest;
        sink->oldest = x->next;
        leave(x, sink);
    }
}

static void on_done(svd_dealt *f, const orr_gesvj_result *r, void *arg)
{
    struct arrival *x = f->array;
    struct sink *sink = arg;
    x->d.info[f->index] = r->info;
    sink->sweeps = r->info.sweeps > sink->sweeps ? r->info.sweeps : sink->sweeps;
    sink->status = svd_first_status(sink->status, r->info.status);
    cli_progress_update(++sink->gone, 0, &sink->progress);
    if (r->status < 0 && !sink->failed) {
        cli_say("standard input, array %lld: %s", (long long)x->number,
                r->status == ORR_E_ARG ? "a matrix is too large" : orr_strerror(r->status));
        sink->code = cli_worse(sink->code, cli_exit_code(r->status, 1));
        sink->failed = 1;
    }
    x->left--;
    leave_in_order(sink);
}

static void on_result(const orr_gesvj_result *r, void *arg)
{
    struct sink *sink = arg;
    sink->own--;
    on_done(r->frame.user, r, arg);
}

/* Takes results that are there; 0: none. */
static int attend(struct sink *sink)
{
    const int own = orr_gesvj_stream_pop(sink->stream, 0, NULL);
    return svd_dealer_take(sink->dealer) + own;
}

/* Until input comes, results that are ready leave: whoever sends may be waiting for them. */
static void wait_for_input(struct sink *sink)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (sink->own + svd_dealer_under_way(sink->dealer) > 0 && poll(&input, 1, LOOK_EVERY) == 0)
        attend(sink);
}

/* 1: the frame is this rank's; 0: another one has it. */
static int deal(struct sink *sink, svd_dealt *frame)
{
    int rank;
    while ((rank = svd_dealer_choose(sink->dealer, sink->own)) < 0)
        if (!attend(sink))
            svd_nap();
    if (rank > 0)
        svd_dealer_send(sink->dealer, rank, frame);
    return rank == 0;
}

/* x goes when its last frame is done. */
static int push_frames(struct sink *sink, struct arrival *x, const char *name)
{
    const int64_t count = x->d.count;
    x->left = count;
    *(sink->oldest ? &sink->youngest->next : &sink->oldest) = x;
    sink->youngest = x;
    for (int64_t l = 0; l < count; l++) {
        x->frame[l] = (svd_dealt){.d = &x->d, .index = l, .array = x};
        if (!deal(sink, &x->frame[l]))
            continue;
        orr_gesvj_frame f = svd_frame(&x->d, l);
        f.user = &x->frame[l];
        sink->own++;
        const orr_status status = orr_gesvj_stream_push(sink->stream, &f);
        if (status == ORR_OK)
            continue;
        sink->own--;
        sink->failed = 1;
        cli_say("%s: %s", name,
                status == ORR_E_ARG ? "a matrix is too large" : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    leave_in_order(sink); /* an array without frames */
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
    orr_status status = orr_npy_read_stream(stdin, name, most, &array, end, &error);
    if (status != ORR_OK) {
        cli_say("%s", error.message);
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
    const int type = cli_type_word(&a->type, 0);
    int code = svd_check_memory(&a->run, &array, name, type, a->left != NULL, a->right != NULL);
    if (code != CLI_OK)
        orr_npy_free(&array);
    else
        code = svd_adopt(&x->d, &array, name, type, a->left != NULL, a->right != NULL);
    if (code == CLI_OK) {
        sink->types |= (unsigned char)(1 << x->d.type);
        x->frame = calloc((size_t)x->d.count + 1, sizeof *x->frame);
        if (x->frame)
            return push_frames(sink, x, name);
        svd_free(&x->d);
        code = CLI_MEMORY;
    }
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
    if (info->ranks > 1)
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), ",\"ranks\":%d", info->ranks);
    r.seconds = cli_statistics(&clock->call, 1);
    r.seconds_graph = cli_statistics(&clock->graph, 1);
    r.extra = extra;
    r.plan = rep->plan;
    r.tasks = rep->tasks;
    svd_describe(&r, job, &none, info, CLI_OK);
    r.status = sink->failed      ? "failed"
               : input != CLI_OK ? "bad input"
                                 : svd_status_word(CLI_OK, sink->status);
    r.sweeps = sink->sweeps;
    r.type = '\0';
    for (int t = 0; t < ORR_NTYPES; t++)
        if (sink->types == 1 << t) /* all of one type */
            r.type = orr_type_letter((orr_type)t);
    free(none.info);
    return svd_report(job, &r);
}

static int open_streams(struct sink *sink, orr_context *context, const orr_context_info *info)
{
    const struct svd_args *a = sink->args;
    const orr_gesvj_opts o = svd_options(a, 0);
    const int workers = info->cpu + info->cuda + info->opencl;
    const int limit = a->in_flight > 0 ? (int)a->in_flight : workers > 2 ? 2 * workers : 4;
    sink->dealer = svd_dealer_open(limit, on_done, sink);
    return sink->dealer && orr_gesvj_stream_open(context, &o, (int)a->in_flight, on_result, sink,
                                                 &sink->stream) == ORR_OK;
}

/* All that is under way, and what will never be written. */
static void close_streams(struct sink *sink, orr_gesvj_stream_report *rep)
{
    while (svd_dealer_under_way(sink->dealer) > 0)
        if (!attend(sink))
            svd_nap();
    orr_gesvj_stream_close(sink->stream, rep);
    svd_dealer_close(sink->dealer, rep);
    for (struct arrival *x = sink->oldest, *next; x; x = next) {
        next = x->next;
        leave(x, sink);
    }
}

static int serve(cli_job *job, orr_context *context, const orr_context_info *info)
{
    struct svd_args *a = job->args;
    struct sink sink = {.args = a};
    orr_gesvj_stream_report rep;
    cli_clock clock;
    int code = CLI_OK, end = 0;
    if (!a->values && !a->left && !a->right)
        a->values = "-";
    cli_before_run(&a->run, context, 1);
    cli_clock_start(&clock);
    if (!open_streams(&sink, context, info))
        cli_ranks_abort("out of memory", CLI_MEMORY);
    cli_progress_start(&sink.progress, "frames", a->run.verbose, a->run.quiet);
    for (int64_t number = 0; !end && code == CLI_OK && !sink.failed; number++)
        code = push_array(&sink, number, &end);
    close_streams(&sink, &rep);
    cli_clock_stop(&clock, rep.seconds);
    cli_progress_end(&sink.progress);
    code = cli_worse(code, report(job, &sink, info, context, &rep, &clock, code));
    return cli_worse(code, sink.code);
}

static int serve_or_help(cli_job *job, orr_context *context, const orr_context_info *info)
{
    return cli_ranks_code(cli_rank() == 0 ? serve(job, context, info)
                                          : svd_serve_dealt(job, context));
}

int svd_serve(cli_job *job) { return svd_by_ranks(job, serve_or_help); }
