/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/progress.h"
#include "src/cli/core/cli.h"

#include <math.h>
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

/* What tasks of a codelet do, in words; the longest of the prefixes counts. In the order in which
 * a run comes by, though stages overlap. */
static const struct {
    const char *codelet, *words;
} stages[] = {
    {"he2hb_", "dense to band"},
    {"ge2gb_", "dense to band"},
    {"hb2st_", "band to tridiagonal"},
    {"gb2bd_", "band to bidiagonal"},
    {"heev_", "tridiagonal solver"},
    {"gesvd_", "bidiagonal solver"},
    {"heev_reduce", "dense to tridiagonal"},
    {"heev_place", "vectors"},
    {"heev_back", "vectors"},
    {"gesvd_place", "vectors"},
    {"gesvd_side", "vectors"},
    {"hb2st_apply", "vectors"},
    {"he2hb_join", "vectors"},
    {"he2hb_apply", "vectors"},
    {"ge2gb_join", "vectors"},
    {"ge2gb_apply", "vectors"},
};
enum { STAGES = sizeof stages / sizeof *stages }; /* cli_progress.seen has room for 16 */

static int stage_of(const char *codelet)
{
    int found = -1;
    for (int k = 0; k < STAGES; k++)
        if (!strncmp(codelet, stages[k].codelet, strlen(stages[k].codelet)))
            found = k;
    return found;
}

/* ---- The line, as a function of what is known ------------------------------------------------ */

enum { STEADY = 8 };              /* seconds over which the estimate is smoothed */
static const double EARLY = 0.02; /* of the work: too early to say when */
static const double JUMP = 1.25;  /* it only grows if it was wrong by this and 2 s */

double cli_progress_left(cli_estimate *e, int64_t done, int64_t total, double spent)
{
    if (total <= 0 || (double)done < EARLY * (double)total)
        return -1;
    const double now = spent * (double)(total > done ? total - done : 0) / (double)done;
    const double since = spent - e->at, expected = fmax(e->left - since, 0);
    if (!e->known)
        *e = (cli_estimate){.known = 1, .left = now, .shown = now, .at = spent};
    e->left = expected + fmin(since / STEADY, 1) * (now - expected);
    if (since <= 0)
        e->left = e->shown;
    e->at = spent;
    if (e->left <= e->shown || e->left > JUMP * e->shown + 2)
        e->shown = e->left;
    return e->shown;
}

/* "40 s", "3 min", "2 h 10 min": no finer than it is known. */
static void duration(char *text, size_t room, double seconds)
{
    const long minutes = lround(seconds / 60);
    if (seconds < 20)
        snprintf(text, room, "%.0f s", ceil(seconds));
    else if (seconds < 90)
        snprintf(text, room, "%.0f s", 5 * ceil(seconds / 5));
    else if (minutes < 100)
        snprintf(text, room, "%ld min", minutes);
    else
        snprintf(text, room, "%ld h %ld min", minutes / 60, minutes % 60 / 10 * 10);
}

void cli_progress_render(char *line, size_t room, const char *label, const char *stage,
                         int64_t done, int64_t total, double spent, double left)
{
    char time[48];
    const double share = total > 0 ? (double)(done < total ? done : total) / (double)total : 0;
    int at = snprintf(line, room, "%s:%s%s", label, *stage ? " " : "", stage);
    if (total > 0)
        at += snprintf(line + at, room - (size_t)at, "%s %.0f %%", *stage ? "," : "",
                       floor(100 * share));
    duration(time, sizeof time, left >= 0 ? left : spent);
    snprintf(line + at, room - (size_t)at, "%s %s%s", *stage || total > 0 ? "," : "", time,
             left >= 0 ? " left" : "");
}

/* ---- Where it is shown ----------------------------------------------------------------------- */

static int on_terminal(void) { return isatty(STDERR_FILENO) && !dumb(); }

int cli_progress_shown(int verbose, int quiet) { return !quiet && (verbose || on_terminal()); }

void cli_progress_start(cli_progress *p, const char *label, int verbose, int quiet)
{
    *p = (cli_progress){.busy = ATOMIC_FLAG_INIT};
    snprintf(p->label, sizeof p->label, "%s", label);
    p->start = p->last = cli_now();
    p->terminal = !quiet && on_terminal();
    p->plain = !p->terminal && cli_progress_shown(verbose, quiet);
}

/* Stages overlap: the first of those that had a task within the last second. */
static const char *stage_now(cli_progress *p, double spent)
{
    const int stage = stage_of(orr_progress_stage());
    if (stage >= 0)
        p->seen[stage] = spent;
    for (int k = 0; k < STAGES; k++)
        if (p->seen[k] > 0 && spent - p->seen[k] < 1)
            return stages[k].words;
    return "";
}

void cli_progress_update(int64_t done, int64_t total, void *progress)
{
    cli_progress *p = progress;
    /* A worker that finds another one printing goes on computing. */
    if (!(p->terminal || p->plain) || atomic_flag_test_and_set(&p->busy))
        return;
    const double now = cli_now(), spent = now - p->start;
    const char *stage = stage_now(p, spent);
    total = p->open ? 0 : total;
    if (now - p->measured > redraw) {
        p->left = cli_progress_left(&p->estimate, done, total, spent);
        p->measured = now;
    }
    if (spent > patience && now - p->last > (p->plain && p->shown ? plain_every : redraw)) {
        char text[160];
        cli_progress_render(text, sizeof text, p->label, stage, done, total, spent, p->left);
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
