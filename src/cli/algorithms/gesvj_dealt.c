/* See gesvj_dealt.h. A frame goes without waiting, so that rank 0 can always take answers; an answer
 * is waited for by the rank that gives it. Nobody waits for one who waits for him.
 *
 *     0 --> r    head[6]: 1, type, m, n, left, right, then the matrix; head[0] 0: the end
 *     r --> 0    status and record, then s, U and V of a frame; at the end a report
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gesvj_dealt.h"

#include <stdlib.h>
#include <time.h>

#include "src/cli/core/ranks.h"

enum { MORE, TYPE, M, N, LEFT, RIGHT, HEAD };

struct answer {
    orr_status status;
    orr_matrix_info info;
};

/* Of one rank: frames that it has, in the order of the answers. */
struct hand {
    svd_dealt *oldest, *youngest;
    int64_t count;
};

struct svd_dealer {
    int ranks, limit;
    void (*done)(svd_dealt *, const orr_gesvj_result *, void *);
    void *arg;
    struct hand hand[];
};

void svd_nap(void)
{
    const struct timespec nap = {.tv_nsec = 200000};
    nanosleep(&nap, NULL);
}

/* The arrays of a frame's results, in the order of messages. */
static void receive_results(int rank, const svd_data *d, int64_t i)
{
    const orr_gesvj_frame f = svd_frame(d, i);
    const size_t size = orr_type_size(d->type), k = (size_t)d->k;
    cli_ranks_receive(rank, f.s, k * orr_type_size(orr_type_real(d->type)));
    if (d->x)
        cli_ranks_receive(rank, f.u, (size_t)d->n * k * size);
    if (d->y)
        cli_ranks_receive(rank, f.v, (size_t)d->m * k * size);
}

static void send_results(const svd_data *d)
{
    const size_t size = orr_type_size(d->type), k = (size_t)d->k;
    cli_ranks_send(0, d->s, k * orr_type_size(orr_type_real(d->type)));
    if (d->x)
        cli_ranks_send(0, d->x, (size_t)d->n * k * size);
    if (d->y)
        cli_ranks_send(0, d->y, (size_t)d->m * k * size);
}

/* ---- Rank 0 ---------------------------------------------------------------------------------- */

svd_dealer *svd_dealer_open(int limit, void (*done)(svd_dealt *, const orr_gesvj_result *, void *),
                            void *arg)
{
    const int ranks = cli_ranks();
    svd_dealer *s = calloc(1, sizeof *s + (size_t)ranks * sizeof *s->hand);
    if (s) {
        s->ranks = ranks;
        s->limit = limit;
        s->done = done;
        s->arg = arg;
    }
    return s;
}

int svd_dealer_choose(const svd_dealer *s, int64_t own)
{
    int best = 0;
    int64_t least = own;
    if (s->ranks == 1) /* its stream has a limit of its own */
        return 0;
    for (int r = 1; r < s->ranks; r++)
        if (s->hand[r].count < least) {
            best = r;
            least = s->hand[r].count;
        }
    return least < s->limit ? best : -1;
}

void svd_dealer_send(svd_dealer *s, int rank, svd_dealt *frame)
{
    const svd_data *d = frame->d;
    struct hand *hand = &s->hand[rank];
    const size_t bytes = (size_t)(d->m * d->n) * orr_type_size(d->type);
    const int64_t head[HEAD] = {1, d->type, d->m, d->n, d->y != NULL, d->x != NULL};
    for (int k = 0; k < HEAD; k++)
        frame->head[k] = head[k];
    frame->next = NULL;
    *(hand->oldest ? &hand->youngest->next : &hand->oldest) = frame;
    hand->youngest = frame;
    hand->count++;
    cli_ranks_post(rank, frame->head, sizeof frame->head);
    cli_ranks_post(rank, svd_frame(d, frame->index).a, bytes);
}

int svd_dealer_take(svd_dealer *s)
{
    int taken = 0;
    for (int r = 1; r < s->ranks; r++)
        while (s->hand[r].count && cli_ranks_waiting(r)) {
            svd_dealt *frame = s->hand[r].oldest;
            struct answer a;
            cli_ranks_receive(r, &a, sizeof a);
            if (a.status >= 0)
                receive_results(r, frame->d, frame->index);
            s->hand[r].oldest = frame->next;
            s->hand[r].count--;
            taken++;
            s->done(frame, &(orr_gesvj_result){.status = a.status, .info = a.info}, s->arg);
        }
    return taken;
}

int64_t svd_dealer_under_way(const svd_dealer *s)
{
    int64_t count = 0;
    for (int r = 1; r < s->ranks; r++)
        count += s->hand[r].count;
    return count;
}

static double larger(double a, double b) { return a > b ? a : b; }

void svd_dealer_close(svd_dealer *s, orr_gesvj_stream_report *report)
{
    const int64_t end[HEAD] = {0};
    for (int r = 1; r < s->ranks; r++) {
        orr_gesvj_stream_report theirs;
        cli_ranks_send(r, end, sizeof end);
        cli_ranks_receive(r, &theirs, sizeof theirs);
        report->frames += theirs.frames;
        report->tasks += theirs.tasks;
        report->on_device += theirs.on_device;
        report->seconds = larger(report->seconds, theirs.seconds);
        report->latency_median = larger(report->latency_median, theirs.latency_median);
        report->latency_max = larger(report->latency_max, theirs.latency_max);
    }
    free(s);
}

/* ---- The others ------------------------------------------------------------------------------ */

static void answer(const orr_gesvj_result *r, void *arg)
{
    svd_data *d = r->frame.user;
    const struct answer a = {.status = r->status, .info = r->info};
    (void)arg;
    cli_ranks_send(0, &a, sizeof a);
    if (a.status >= 0)
        send_results(d);
    svd_free(d);
    free(d);
}

/* The matrix of a head. There is no answer to rank 0, which sends it already, but its results. */
static svd_data *receive_matrix(const int64_t head[HEAD])
{
    const orr_type type = (orr_type)head[TYPE];
    const size_t bytes = (size_t)(head[M] * head[N]) * orr_type_size(type);
    svd_data *d = malloc(sizeof *d);
    void *a = malloc(bytes + 1);
    if (!d || !a ||
        svd_allocate(d, type, 1, head[M], head[N], a, (int)head[LEFT], (int)head[RIGHT]) != CLI_OK)
        cli_ranks_abort("out of memory", CLI_MEMORY);
    cli_ranks_receive(0, a, bytes);
    return d;
}

static void push(orr_gesvj_stream *stream, svd_data *d)
{
    orr_gesvj_frame f = svd_frame(d, 0);
    f.user = d;
    const orr_status status = orr_gesvj_stream_push(stream, &f);
    if (status == ORR_OK)
        return;
    while (orr_gesvj_stream_pop(stream, 1, NULL))
        ; /* whose answers come first */
    answer(&(orr_gesvj_result){.frame = f, .status = status}, NULL);
}

int svd_serve_dealt(cli_job *job, orr_context *context)
{
    const struct svd_args *a = job->args;
    const orr_gesvj_opts o = svd_options(a, 0);
    orr_gesvj_stream *stream;
    orr_gesvj_stream_report report;
    int64_t head[HEAD] = {1};
    if (orr_gesvj_stream_open(context, &o, (int)a->in_flight, answer, NULL, &stream) != ORR_OK)
        cli_ranks_abort("out of memory", CLI_MEMORY);
    while (head[MORE])
        if (cli_ranks_waiting(0)) {
            cli_ranks_receive(0, head, sizeof head);
            if (head[MORE])
                push(stream, receive_matrix(head));
        } else if (!orr_gesvj_stream_pop(stream, 0, NULL)) {
            svd_nap();
        }
    orr_gesvj_stream_close(stream, &report);
    cli_ranks_send(0, &report, sizeof report);
    return CLI_OK;
}
