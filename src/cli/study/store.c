/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "src/cli/study/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/json.h"
#include "src/cli/core/directory.h"
#include "src/cli/core/outputs.h"
#include "src/cli/study/points.h"

static void path_in(const study_store *s, const char *name, char out[IDENTITY_PATH])
{
    snprintf(out, IDENTITY_PATH, "%s/%s", s->dir, name);
}

static int failed(const char *path)
{
    cli_say("%s: %s", path, strerror(errno));
    return CLI_FILE;
}

/* ---- The lock ------------------------------------------------------------------------------- */

/* The next line of *at, or NULL. Lines of files are passed over where they do not matter. */
static char *next_line(char **at, int files)
{
    for (char *line; *at && **at;) {
        line = *at;
        *at += strcspn(*at, "\n");
        if (**at)
            *(*at)++ = '\0';
        if (files || strncmp(line, "\"file ", 6) != 0)
            return line;
    }
    return NULL;
}

/* 1: both say the same; the comma at the end of a line says nothing. */
static int same_line(const char *a, const char *b)
{
    const size_t n = strlen(a) - (*a && a[strlen(a) - 1] == ','),
                 m = strlen(b) - (*b && b[strlen(b) - 1] == ',');
    return n == m && !strncmp(a, b, n);
}

static int same_lock(const study_store *s, const study_plan *p, char *ours, char *theirs, int files)
{
    for (;;) {
        const char *a = next_line(&ours, files), *b = next_line(&theirs, files);
        if (!a && !b)
            return CLI_OK;
        if (a && b && same_line(a, b))
            continue;
        cli_say("%s: not the study that %s/plan.lock says was begun:", p->path, s->dir);
        cli_say("  then: %.300s", b ? b : "(nothing)");
        cli_say("  now:  %.300s", a ? a : "(nothing)");
        cli_say("--out begins another one in another directory");
        return CLI_FILE;
    }
}

static int check_lock(study_store *s, const study_plan *p, int files)
{
    char path[IDENTITY_PATH];
    static char room[1 << 16];
    cli_text old = {0}, ours = {0};
    path_in(s, "plan.lock", path);
    FILE *f = fopen(path, "r");
    if (!f)
        return errno == ENOENT ? CLI_OK : failed(path);
    for (size_t n; (n = fread(room, 1, sizeof room, f)) > 0;)
        cli_put_bytes(&old, room, n);
    int code = ferror(f) ? failed(path) : CLI_OK;
    fclose(f);
    s->begun = 1;
    s->identity = identity_hash(0, old.s ? old.s : "", old.n);
    if (code == CLI_OK)
        code = identity_lock(p, s->dir, files, &ours);
    if (code == CLI_OK)
        code = old.failed || ours.failed ? CLI_MEMORY : same_lock(s, p, ours.s, old.s, files);
    cli_text_free(&old);
    cli_text_free(&ours);
    return code;
}

static int write_lock(study_store *s, const cli_text *lock)
{
    char path[IDENTITY_PATH];
    path_in(s, "plan.lock", path);
    const int code = output_text(path, lock);
    if (code == CLI_OK)
        s->identity = identity_hash(0, lock->s, lock->n);
    s->begun = code == CLI_OK;
    return code;
}

/* ---- Open ----------------------------------------------------------------------------------- */

static int place(study_store *s, const study_plan *p, const char *out)
{
    char here[1024], name[128];
    *s = (study_store){.guard = -1, .results = -1};
    snprintf(name, sizeof name, "%s.study", p->name);
    out = out ? out : name;
    if (*out != '/' && !getcwd(here, sizeof here))
        return failed("the current directory");
    const int n = *out == '/' ? snprintf(s->dir, sizeof s->dir, "%s", out)
                              : snprintf(s->dir, sizeof s->dir, "%s/%s", here, out);
    if (n < (int)sizeof s->dir - 100)
        return CLI_OK;
    cli_say("--out: the name is too long");
    return CLI_USAGE;
}

int store_look(study_store *s, const study_plan *p, const char *out)
{
    const int code = place(s, p, out);
    return code == CLI_OK ? check_lock(s, p, 0) : code;
}

/* A runner that was killed while it wrote leaves a piece of a line, of a run that is done again. */
static int cut(int fd, const char *path)
{
    char c = '\n';
    const off_t size = lseek(fd, 0, SEEK_END);
    off_t end = size;
    while (end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n')
        end--;
    if (end == size)
        return CLI_OK;
    cli_say("%s: the last line was not whole (%lld bytes): its run is done again", path,
            (long long)(size - end));
    return ftruncate(fd, end) == 0 ? CLI_OK : failed(path);
}

static int open_results(study_store *s)
{
    char path[IDENTITY_PATH];
    path_in(s, "results.jsonl", path);
    s->results = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    return s->results < 0 ? failed(path) : cut(s->results, path);
}

static int open_guard(study_store *s)
{
    char path[IDENTITY_PATH];
    path_in(s, "runner", path);
    s->guard = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->guard < 0)
        return failed(path);
    if (cli_lock(s->guard) == 0)
        return CLI_OK;
    if (errno != EWOULDBLOCK)
        return failed(path);
    cli_say("%s: another 'orrery study run' is at work here", s->dir);
    return CLI_RUNTIME;
}

enum { FILES = 12, BEFORE = 2 }; /* BEFORE: those that may be there before a study is begun */
static const char *const part[FILES] = {
    "plan.lock",   "runner",      "results.jsonl", "runs",       "prepared",   "samples.csv",
    "report.html", "effects.svg", "effects.csv",   "points.svg", "points.csv", "drift.svg"};

/* Files of a study are written over and its runs removed: where none was begun they are somebody else's. */
static int check_free(const study_store *s)
{
    char path[IDENTITY_PATH], lock[IDENTITY_PATH];
    path_in(s, "plan.lock", lock);
    for (int k = BEFORE; k < FILES; k++) {
        path_in(s, part[k], path);
        if (access(path, F_OK) == 0 && access(lock, F_OK) != 0) { /* which is written first */
            cli_say("%s is there, but no study was begun in this directory; --out names another",
                    path);
            return CLI_FILE;
        }
    }
    return CLI_OK;
}

int store_spares(const study_plan *p, const char *out, const char *name)
{
    char path[IDENTITY_PATH];
    study_store s;
    const int code = place(&s, p, out);
    for (int k = 0; code == CLI_OK && k < FILES; k++) {
        path_in(&s, part[k], path);
        if (output_same(name, path)) {
            cli_say("%s is a file of the study and would be overwritten", name);
            return CLI_USAGE;
        }
    }
    return code;
}

int store_open(study_store *s, const study_plan *p, const char *out)
{
    char runs[IDENTITY_PATH];
    cli_text lock = {0};
    int code = place(s, p, out);
    path_in(s, "runs", runs);
    if (code == CLI_OK) /* refused before anything is made */
        code = check_lock(s, p, 1);
    if (code == CLI_OK && !s->begun)
        code = check_free(s);
    if (code == CLI_OK && !s->begun)
        code = identity_lock(p, s->dir, 1, &lock);
    if (code == CLI_OK)
        code = cli_make_directory(s->dir);
    if (code == CLI_OK)
        code = open_guard(s);
    if (code == CLI_OK && !s->begun) /* another runner may have been faster */
        code = check_lock(s, p, 1);
    if (code == CLI_OK && !s->begun)
        code = write_lock(s, &lock);
    cli_text_free(&lock);
    if (code == CLI_OK)
        code = open_results(s);
    if (code == CLI_OK && cli_remove_tree(runs) != 0)
        code = failed(runs);
    if (code == CLI_OK)
        code = cli_make_directory(runs);
    return code;
}

void store_close(study_store *s)
{
    if (s->results >= 0)
        close(s->results);
    if (s->guard >= 0)
        close(s->guard);
    s->results = s->guard = -1;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

void store_id(const study_store *s, const study_plan *p, int point, int block, char id[STORE_ID])
{
    char text[32];
    cli_text t = {0};
    points_label(&t, p, point, -1);
    snprintf(text, sizeof text, "\n%d", block);
    const uint64_t h =
        identity_hash(identity_hash(s->identity, t.s ? t.s : "", t.n), text, strlen(text));
    snprintf(id, STORE_ID, "%016llx", (unsigned long long)h);
    cli_text_free(&t);
}

int store_append(study_store *s, const cli_text *line)
{
    char path[IDENTITY_PATH];
    path_in(s, "results.jsonl", path);
    if (cli_text_write(line, s->results) != 0 || fsync(s->results) != 0)
        return failed(path);
    return CLI_OK;
}

/* NULL, or what is wrong with it. */
static const char *fill(const study_store *s, const study_plan *p, const json_value *v,
                        study_row *r)
{
    char id[STORE_ID];
    const double block = json_number_of(v, "block"), point = json_number_of(v, "point"),
                 points = points_count(p);
    if (!(block >= 1 && block <= STUDY_BLOCKS && block == floor(block)))
        return "no \"block\"";
    if (!(point >= 0 && point < points && point == floor(point)))
        return "no \"point\" of this plan";
    r->block = (int)block;
    r->point = (int)point;
    r->order = (int)fmax(0, fmin(json_number_of(v, "order"), 1e9));
    r->value = json_number_of(v, "value");
    r->wall = json_number_of(v, "wall");
    r->other = json_number_of(v, "other");
    r->rss = json_number_of(v, "rss");
    snprintf(r->status, sizeof r->status, "%.47s", json_text_of(v, "status"));
    r->ok = !strcmp(r->status, "ok") && r->value > 0;
    store_id(s, p, r->point, r->block, id);
    return strcmp(id, json_text_of(v, "id")) ? "the \"id\" is not that of this run in this study"
                                             : NULL;
}

static int add_row(const study_store *s, const study_plan *p, const char *path, char *line,
                   int number_of, int keep, study_rows *all)
{
    json_text j;
    study_row r = {.line = number_of, .bytes = strlen(line)};
    const json_value *v = json_read(&j, line);
    const char *why = v ? fill(s, p, v, &r) : j.error;
    const int column = v ? 1 : (int)j.column, points = points_count(p);
    json_free(&j);
    const size_t at = (size_t)(r.block - 1) * (size_t)points + (size_t)r.point;
    if (!why && r.block <= p->blocks && all->done[at])
        why = "this run was there before";
    if (why) {
        cli_say("%s:%d:%d: %s", path, number_of, column, why);
        return CLI_FILE;
    }
    if (r.block > p->blocks) /* the plan has fewer now */
        return CLI_OK;
    study_row *rows = realloc(all->v, ((size_t)all->n + 1) * sizeof *rows);
    all->v = rows ? rows : all->v;
    char **text = keep && rows ? realloc(all->text, ((size_t)all->n + 1) * sizeof *text) : NULL;
    all->text = text ? text : all->text;
    if (!rows || (keep && (!text || !(text[all->n] = strdup(line)))))
        return CLI_MEMORY;
    rows[all->n++] = r;
    all->done[at] = 1;
    return CLI_OK;
}

int store_rows(const study_store *s, const study_plan *p, int keep_text, study_rows *all)
{
    char path[IDENTITY_PATH], *line = NULL;
    size_t room = 0;
    int code = CLI_OK, n = 0;
    *all = (study_rows){.done = calloc((size_t)p->blocks * (size_t)points_count(p), 1)};
    path_in(s, "results.jsonl", path);
    FILE *f = fopen(path, "r");
    if (!all->done)
        code = CLI_MEMORY;
    else if (!f && errno != ENOENT)
        code = failed(path);
    for (ssize_t got; f && code == CLI_OK && (got = getline(&line, &room, f)) >= 0;) {
        n++;
        if (line[got - 1] != '\n')
            cli_say("%s:%d: the last line is not whole: a run is writing it, or was killed", path,
                    n);
        else if (strlen(line) < (size_t)got)
            cli_say("%s:%d: a byte of zero", path, n), code = CLI_FILE;
        else
            code = add_row(s, p, path, line, n, keep_text, all);
    }
    if (f && code == CLI_OK && ferror(f))
        code = failed(path);
    if (f)
        fclose(f);
    free(line);
    return code;
}

int store_whole(const study_plan *p, const study_rows *all)
{
    const size_t points = (size_t)points_count(p);
    int n = 0;
    for (int b = 0; b < p->blocks; b++)
        n += !memchr(all->done + (size_t)b * points, 0, points);
    return n;
}

int store_bad(const study_rows *all)
{
    int n = 0;
    for (int k = 0; k < all->n; k++)
        n += !all->v[k].ok;
    return n;
}

void store_rows_free(study_rows *all)
{
    for (int k = 0; all->text && k < all->n; k++)
        free(all->text[k]);
    free(all->text);
    free(all->done);
    free(all->v);
    *all = (study_rows){0};
}
