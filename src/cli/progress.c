/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double patience = 2, redraw = 0.2, plain_every = 5;

static int dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

int cli_colour(int fd)
{
    const char *no = getenv("NO_COLOR");
    return isatty(fd) && !dumb() && !(no && *no);
}

void cli_progress_start(cli_progress *p, const char *label, int verbose, int quiet)
{
    *p = (cli_progress){ .busy = ATOMIC_FLAG_INIT };
    snprintf(p->label, sizeof p->label, "%s", label);
    p->start = p->last = cli_now();
    p->terminal = !quiet && isatty(STDERR_FILENO) && !dumb();
    p->plain = !quiet && !p->terminal && verbose;
}

void cli_progress_update(int64_t done, int64_t total, void *progress)
{
    cli_progress *p = progress;
    /* A worker that finds another one printing goes on computing. */
    if (!(p->terminal || p->plain) || atomic_flag_test_and_set(&p->busy))
        return;
    const double now = cli_now(), spent = now - p->start;
    if (spent > patience && now - p->last > (p->plain && p->shown ? plain_every : redraw)) {
        char text[160];
        if (total > 0 && done < total / 50) /* too early to say when */
            snprintf(text, sizeof text, "%s: %lld of %lld", p->label, (long long)done,
                     (long long)total);
        else if (total > 0 && done > 0)
            snprintf(text, sizeof text, "%s: %3.0f %%, %lld of %lld, %.0f s left", p->label,
                     100.0 * (double)done / (double)total, (long long)done, (long long)total,
                     spent * (double)(total - done) / (double)done);
        else
            snprintf(text, sizeof text, "%s: %lld, %.0f s", p->label, (long long)done, spent);
        fprintf(stderr, p->terminal ? "\r%s\033[K" : "%s\n", text);
        fflush(stderr);
        p->last = now;
        p->shown = 1;
    }
    atomic_flag_clear(&p->busy);
}

void cli_progress_end(cli_progress *p)
{
    if (p->terminal && p->shown)
        fputs("\r\033[K", stderr);
}
