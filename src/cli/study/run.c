/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cli/core/directory.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/start.h"
#include "src/cli/core/units.h"
#include "src/cli/study/identity.h"
#include "src/cli/study/looks.h"
#include "src/cli/study/points.h"
#include "src/cli/study/row.h"
#include "src/cli/study/runner.h"
#include "src/cli/study/store.h"
#include "src/cli/study/work.h"

struct session {
    const study_plan *p;
    const study_how *how;
    study_store store;
    study_rows rows;
    char here[IDENTITY_PATH]; /* the plan's directory */
    cli_text provenance;
    struct orr_energy *energy;
    int runs, bad;          /* of this call */
    int decided;            /* after so many blocks; 0: not yet */
    double start, children; /* seconds */
};

static int said_no_memory(void)
{
    cli_say("out of memory");
    return CLI_MEMORY;
}

/* ---- One process ---------------------------------------------------------------------------- */

struct files {
    char dir[IDENTITY_PATH], record[IDENTITY_PATH + 16], out[IDENTITY_PATH + 16],
        err[IDENTITY_PATH + 16];
};

static int make_files(const struct session *s, const char *name, struct files *f)
{
    snprintf(f->dir, sizeof f->dir, "%s/runs/%s", s->store.dir, name);
    snprintf(f->record, sizeof f->record, "%s/record.jsonl", f->dir);
    snprintf(f->out, sizeof f->out, "%s/stdout", f->dir);
    snprintf(f->err, sizeof f->err, "%s/stderr", f->dir);
    if (mkdir(f->dir, 0777) == 0)
        return CLI_OK;
    cli_say("%s: %s", f->dir, strerror(errno));
    return CLI_FILE;
}

/* CLI_OK: the process has ended, however. */
static int spawn(const struct session *s, const study_words *words, const struct files *f,
                 runner_result *r)
{
    char program[IDENTITY_PATH];
    if (!program_find(s->p, words->v[0], program)) {
        cli_say("%s: no program that can be run", words->v[0]);
        return CLI_FILE;
    }
    const runner_job job = {.program = program,
                            .words = words,
                            .env = &s->p->env,
                            .dir = s->here,
                            .out = f->out,
                            .err = f->err,
                            .timeout = s->p->timeout,
                            .energy = s->energy};
    runner_run(&job, r);
    return r->started ? CLI_OK : CLI_RUNTIME;
}

/* ---- What has to be there first ------------------------------------------------------------- */

static void tell_said(const char *path)
{
    char line[512];
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        cli_say("  %s", line);
    }
    if (f)
        fclose(f);
}

static int prepare_one(struct session *s, const study_words *words, const char *mark)
{
    struct files f;
    runner_result r;
    cli_text t = {0};
    int code = make_files(s, "prepare", &f);
    if (code == CLI_OK)
        code = spawn(s, words, &f, &r);
    if (code == CLI_OK && r.interrupted)
        runner_die(r.interrupted);
    if (code == CLI_OK && (r.exit != 0 || r.late)) {
        tell_said(f.err);
        cli_say("prepare: '%s ...' ended with exit code %d", words->v[0], r.exit);
        cli_remove_tree(f.dir);
        return CLI_RUNTIME;
    }
    for (int k = 0; k < words->n; k++) {
        cli_put(&t, "%s", k ? " " : "");
        cli_put_shell(&t, words->v[k]);
    }
    cli_put(&t, "\n");
    if (code == CLI_OK)
        code = output_text(mark, &t);
    cli_text_free(&t);
    cli_remove_tree(f.dir);
    return code;
}

/* Each command once, however many points ask for it. */
static int prepare(struct session *s)
{
    char dir[IDENTITY_PATH], mark[IDENTITY_PATH + 32];
    const points_place place = {"", "", s->store.dir, 0};
    const int points = s->p->prepare.n ? points_count(s->p) : 0;
    snprintf(dir, sizeof dir, "%s/prepared", s->store.dir);
    int code = points ? cli_make_directory(dir) : CLI_OK;
    for (int k = 0; k < points && code == CLI_OK; k++) {
        study_words words = {0};
        uint64_t sum = 0;
        if (!points_words(s->p, &s->p->prepare, k, &place, &words))
            code = said_no_memory();
        for (int i = 0; i < words.n; i++)
            sum = identity_hash(sum, words.v[i], strlen(words.v[i]) + 1);
        snprintf(mark, sizeof mark, "%s/%016llx", dir, (unsigned long long)sum);
        if (code == CLI_OK && words.n && access(mark, F_OK) != 0)
            code = prepare_one(s, &words, mark);
        words_free(&words);
    }
    return code;
}

/* ---- One run -------------------------------------------------------------------------------- */

/* The last lines of a text, each with a prefix. */
static void tell_last(const char *text, int lines)
{
    const char *from = text + strlen(text);
    while (from > text && from[-1] == '\n')
        from--;
    for (const char *end = from; lines > 0 && from > text; from--)
        if (from[-1] == '\n' && from < end && --lines == 0)
            break;
    for (size_t n; *from; from += n + (from[n] == '\n')) {
        n = strcspn(from, "\n");
        if (n)
            cli_say("  %.*s", (int)n, from);
    }
}

/* The first run of this call that went wrong: who waits for hours for the others wants to know at once. */
static void tell_bad(const struct session *s, const row_place *place, const runner_result *r,
                     const char *status)
{
    int at[STUDY_FACTORS];
    cli_text t = {0};
    points_at(s->p, place->point, at);
    for (int k = 0; k < s->p->factors; k++)
        cli_put(&t, ", %s=%s", s->p->factor[k].name, s->p->factor[k].label.v[at[k]]);
    cli_put(&t, ": %s", status);
    if (!strcmp(status, "failed"))
        cli_put(&t, ", exit code %d", r->exit);
    if (!strcmp(status, "signal"))
        cli_put(&t, " %d", r->signal);
    for (int k = 0; k < place->words->n; k++) {
        cli_put(&t, "%s", k ? " " : ": ");
        cli_put_shell(&t, place->words->v[k]);
    }
    char *said = row_said(place, status == ROW_UNMATCHED);
    if (!t.failed)
        cli_say("%s: block %d%s", s->p->name, place->block, t.s);
    if (said)
        tell_last(said, 5);
    free(said);
    cli_text_free(&t);
}

static int keep(struct session *s, const row_place *place, const runner_result *r)
{
    cli_text line = {0};
    const char *status = row_make(s->p, place, r, &line);
    const int code = line.failed ? said_no_memory() : store_append(&s->store, &line);
    const int bad = strcmp(status, "ok") != 0;
    cli_text_free(&line);
    if (bad && !s->bad && !s->how->quiet)
        tell_bad(s, place, r, status);
    s->runs++;
    s->bad += bad;
    s->children += r->wall;
    return code;
}

static int one(struct session *s, int block, int order, int point)
{
    char id[STORE_ID];
    struct files f;
    runner_result r;
    study_words words = {0};
    store_id(&s->store, s->p, point, block, id);
    int code = make_files(s, id, &f);
    const points_place where = {f.dir, f.record, s->store.dir, block};
    if (code == CLI_OK && !points_words(s->p, &s->p->run, point, &where, &words))
        code = said_no_memory();
    if (code == CLI_OK)
        code = spawn(s, &words, &f, &r);
    if (code == CLI_OK && r.interrupted) {
        cli_remove_tree(f.dir);
        cli_say("%s: ended in block %d; the same command goes on from there", s->p->name, block);
        runner_die(r.interrupted);
    }
    const row_place place = {.id = id,
                             .record = f.record,
                             .out = f.out,
                             .err = f.err,
                             .point = point,
                             .block = block,
                             .order = order,
                             .provenance = s->provenance.s,
                             .words = &words};
    if (code == CLI_OK)
        code = keep(s, &place, &r);
    words_free(&words);
    cli_remove_tree(f.dir);
    return code;
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void tell_block(const struct session *s, int block, int left)
{
    char time[32], rest[64] = "";
    const double spent = cli_now() - s->start;
    if (s->how->quiet || !s->runs)
        return;
    if (left)
        snprintf(rest, sizeof rest, "; about %s left",
                 study_duration(left * spent / s->runs, time));
    cli_say("%s: block %d of %d; %d run%s in this call, %d not ok%s", s->p->name, block,
            s->p->blocks, s->runs, cli_plural(s->runs), s->bad, rest);
}

static int left_from(const struct session *s, int block)
{
    const int points = points_count(s->p);
    int n = 0;
    for (int k = (block - 1) * points; k < s->p->blocks * points; k++)
        n += !s->rows.done[k];
    return n;
}

static int run_block(struct session *s, int block, int *order)
{
    const int points = points_count(s->p), before = s->runs;
    int code = CLI_OK, signal_number;
    points_order(s->p, block, order);
    for (int k = 0; k < points && code == CLI_OK; k++) {
        if (s->rows.done[(block - 1) * points + order[k]])
            continue;
        if (s->how->most && s->runs == s->how->most)
            return CLI_OK;
        if ((signal_number = runner_pending()) != 0)
            runner_die(signal_number);
        code = one(s, block, k, order[k]);
        s->rows.done[(block - 1) * points + order[k]] = 1;
    }
    if (code == CLI_OK && s->runs > before)
        tell_block(s, block, left_from(s, block + 1));
    return code;
}

/* After the blocks that the plan says the study ends where everything is decided. */
static int look(struct session *s, int block)
{
    study_rows rows = {0};
    int planned = 0;
    for (int k = 0; k + 1 < s->p->looks; k++)
        planned |= looks_blocks(s->p, k) == block;
    const int code = planned ? store_rows(&s->store, s->p, 0, &rows) : CLI_OK;
    if (planned && code == CLI_OK)
        s->decided = looks_decided(s->p, &rows);
    store_rows_free(&rows);
    return s->decided < 0 ? said_no_memory() : code;
}

static int run_all(struct session *s)
{
    int *order = malloc((size_t)points_count(s->p) * sizeof *order),
        code = order ? CLI_OK : said_no_memory();
    s->start = cli_now();
    for (int b = 1; b <= s->p->blocks && code == CLI_OK && !s->decided; b++) {
        code = run_block(s, b, order);
        if (code == CLI_OK)
            code = look(s, b);
    }
    free(order);
    return code;
}

static void tell_end(const struct session *s)
{
    const double spent = cli_now() - s->start;
    const int left = left_from(s, 1);
    char end[96] = "", all[32], runs[32];
    const int bad = s->bad + store_bad(&s->rows);
    if (s->decided)
        snprintf(end, sizeof end,
                 ", which need not be made: everything is decided after %d block%s", s->decided,
                 cli_plural(s->decided));
    if (!s->how->quiet)
        cli_say(
            "%s: %d run%s in this call, %d left%s, %d of all not ok; %s s, of which the runs took %s s; %s",
            s->p->name, s->runs, cli_plural(s->runs), left, end, bad,
            cli_units_digits(spent, 3, all), cli_units_digits(s->children, 3, runs), s->store.dir);
}

int study_run(const study_plan *p, const study_how *how)
{
    struct session s = {.p = p, .how = how};
    cli_blas_core_forget();
    plan_directory(p, s.here);
    int code = identity_energy(p, &s.energy);
    identity_provenance(p, s.energy, &s.provenance);
    if (code == CLI_OK)
        code = s.provenance.failed ? said_no_memory() : store_open(&s.store, p, how->out);
    if (code == CLI_OK)
        code = store_rows(&s.store, p, 0, &s.rows);
    if (code == CLI_OK && s.rows.n && !how->quiet)
        cli_say("%s: %d of %d runs are there", p->name, s.rows.n, p->blocks * points_count(p));
    runner_prepare();
    if (code == CLI_OK && left_from(&s, 1))
        code = prepare(&s);
    if (code == CLI_OK)
        code = run_all(&s);
    if (code == CLI_OK) {
        tell_end(&s);
        code = s.bad ? CLI_CHECK : CLI_OK;
    }
    store_close(&s.store);
    store_rows_free(&s.rows);
    cli_text_free(&s.provenance);
    orr_energy_close(s.energy);
    return code;
}
