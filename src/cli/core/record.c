/* SPDX-License-Identifier: BSD-3-Clause */
#include "orr_git.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/record.h"
#include "src/cli/core/sorted.h"
#include "src/cli/core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

cli_seconds cli_statistics(const double *v, int runs)
{
    cli_seconds s = CLI_UNMEASURED;
    double *sorted = runs > 0 ? malloc((size_t)runs * sizeof *sorted) : NULL;
    if (!sorted)
        return s;
    memcpy(sorted, v, (size_t)runs * sizeof *sorted);
    cli_sort(sorted, runs);
    s = (cli_seconds){cli_middle(sorted, runs), sorted[0], sorted[runs - 1], runs, v};
    free(sorted);
    return s;
}

const char *cli_machine(void)
{
    static char name[256];
    if (!*name && gethostname(name, sizeof name - 1) != 0)
        strcpy(name, "unknown");
    return name;
}

const char *cli_git(void) { return ORR_GIT; }

const char *cli_utc(char text[32])
{
    const time_t now = time(NULL);
    struct tm tm;
    *text = '\0';
    if (gmtime_r(&now, &tm))
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return text;
}

/* ---- JSON Lines ---------------------------------------------------------------------- */

static void put_seconds(cli_text *t, const char *key, const cli_seconds *s)
{
    cli_put(t, ",\"%s\":{", key);
    cli_member_number(t, "median", s->median);
    cli_member_number(t, "min", s->min);
    cli_member_number(t, "max", s->max);
    cli_put(t, ",\"runs\":%d}", s->runs);
}

static void put_samples(cli_text *t, const cli_seconds *s)
{
    cli_put(t, ",\"samples\":[");
    for (int k = 0; k < s->runs; k++) {
        cli_put(t, k ? "," : "");
        cli_put_number(t, s->samples[k]);
    }
    cli_put(t, "]");
}

static void json_line(cli_text *t, const cli_record *r)
{
    const char type[] = {r->type, '\0'};
    char utc[32];
    cli_put(t, "{");
    cli_member_json(t, "algo", r->algo);
    cli_member_json(t, "type", r->type ? type : NULL);
    cli_member_count(t, "n", r->n);
    cli_member_count(t, "m", r->m);
    cli_member_count(t, "band", r->band);
    cli_member_count(t, "batch", r->batch);
    if (r->n_min >= 0)
        cli_member_count(t, "n_min", r->n_min);
    cli_member_json(t, "sched", r->sched);
    cli_put(t, ",\"workers\":{\"cpu\":%d,\"cuda\":%d,\"opencl\":%d}", r->cpus, r->cudas,
            r->opencls);
    put_seconds(t, "seconds", &r->seconds);
    put_seconds(t, "seconds_graph", &r->seconds_graph);
    put_samples(t, &r->seconds);
    cli_member_number(t, "gflops", r->gflops);
    cli_member_json(t, "status", r->status);
    cli_member_count(t, "sweeps", r->sweeps);
    cli_member_count(t, "tasks", r->tasks);
    cli_put(t, ",\"check\":{");
    cli_member_number(t, "residual", r->residual);
    cli_member_number(t, "orthogonality", r->orthogonality);
    cli_member_number(t, "values", r->values);
    cli_put(t, "},\"ref\":[");
    for (int k = 0; k < r->refs; k++) {
        const cli_reference *ref = &r->ref[k];
        cli_put(t, k ? ",{" : "{");
        cli_member_json(t, "name", ref->name);
        cli_member_count(t, "threads", ref->threads);
        put_seconds(t, "seconds", &ref->seconds);
        put_samples(t, &ref->seconds);
        cli_member_number(t, "ratio", ref->ratio.median);
        cli_member_number(t, "ratio_min", ref->ratio.min);
        cli_member_number(t, "ratio_max", ref->ratio.max);
        cli_member_json(t, "library", ref->library);
        cli_member_json(t, "version", ref->version);
        cli_put(t, "}");
    }
    const orr_analysis *a = r->analysed ? &r->analysis : NULL;
    cli_put(t, "],\"bound\":");
    cli_put_bound(t, a);
    cli_put(t, ",\"trace\":");
    cli_put_trace(t, a);
    cli_put(t, ",\"plan\":{%s}", r->plan ? r->plan : "");
    if (r->extra && *r->extra)
        cli_put(t, ",%s", r->extra);
    if (r->results)
        cli_put(t, ",\"results\":{%s}", r->results);
    cli_put(t, ",\"provenance\":{");
    cli_member_json(t, "version", orr_version());
    cli_member_json(t, "git", cli_git());
    cli_member_json(t, "starpu", r->starpu);
    cli_member_json(t, "blas", r->blas);
    cli_member_json(t, "cuda", r->cuda);
    cli_member_json(t, "machine", cli_machine());
    cli_member_json(t, "command", r->command);
    cli_member_count(t, "seed", r->seed);
    cli_member_json(t, "time", cli_utc(utc));
    cli_put(t, "}}\n");
}

/* ---- CSV ------------------------------------------------------------------------------- */

static const char csv_header[] =
    "algo,type,n,m,band,batch,n_min,sched,workers_cpu,workers_cuda,workers_opencl,"
    "seconds_median,seconds_min,seconds_max,seconds_runs,gflops,status,sweeps,tasks,"
    "check_residual,check_orthogonality,check_values,"
    "ref_name,ref_threads,ref_median,ref_min,ref_max,ref_ratio,"
    "bound_area,bound_critical_path,bound_lp,plan,"
    "version,git,starpu,blas,cuda,machine,command,seed,"
    "seconds_graph_median,seconds_graph_min,seconds_graph_max,samples,"
    "ref_ratio_min,ref_ratio_max,ref_samples,ref_library,ref_version\n";

static void csv_count(cli_text *t, int64_t value)
{
    if (value >= 0)
        cli_put(t, "%lld", (long long)value);
    cli_put(t, ",");
}

static void csv_real(cli_text *t, double value)
{
    if (isfinite(value))
        cli_put(t, "%.9g", value);
    cli_put(t, ",");
}

static void csv_string(cli_text *t, const char *value)
{
    cli_put_csv(t, value);
    cli_put(t, ",");
}

/* One cell: numbers with blanks between. */
static void csv_samples(cli_text *t, const cli_seconds *s)
{
    for (int k = 0; s && k < s->runs; k++)
        cli_put(t, "%s%.9g", k ? " " : "", s->samples[k]);
    cli_put(t, ",");
}

/* One line per reference, so that every line has the same columns. */
static void csv_line(cli_text *t, const cli_record *r, const cli_reference *ref)
{
    const char type[] = {r->type, '\0'};
    csv_string(t, r->algo);
    csv_string(t, type);
    csv_count(t, r->n);
    csv_count(t, r->m);
    csv_count(t, r->band);
    csv_count(t, r->batch);
    csv_count(t, r->n_min);
    csv_string(t, r->sched);
    cli_put(t, "%d,%d,%d,", r->cpus, r->cudas, r->opencls);
    csv_real(t, r->seconds.median);
    csv_real(t, r->seconds.min);
    csv_real(t, r->seconds.max);
    csv_count(t, r->seconds.runs);
    csv_real(t, r->gflops);
    csv_string(t, r->status);
    csv_count(t, r->sweeps);
    csv_count(t, r->tasks);
    csv_real(t, r->residual);
    csv_real(t, r->orthogonality);
    csv_real(t, r->values);
    csv_string(t, ref ? ref->name : "");
    csv_count(t, ref ? ref->threads : -1);
    csv_real(t, ref ? ref->seconds.median : NAN);
    csv_real(t, ref ? ref->seconds.min : NAN);
    csv_real(t, ref ? ref->seconds.max : NAN);
    csv_real(t, ref ? ref->ratio.median : NAN);
    csv_real(t, r->analysed ? r->analysis.area : NAN);
    csv_real(t, r->analysed ? r->analysis.critical_path : NAN);
    csv_real(t, r->analysed ? r->analysis.lp : NAN);
    csv_string(t, r->plan);
    csv_string(t, orr_version());
    csv_string(t, cli_git());
    csv_string(t, r->starpu);
    csv_string(t, r->blas);
    csv_string(t, r->cuda);
    csv_string(t, cli_machine());
    csv_string(t, r->command);
    csv_count(t, r->seed);
    csv_real(t, r->seconds_graph.median);
    csv_real(t, r->seconds_graph.min);
    csv_real(t, r->seconds_graph.max);
    csv_samples(t, &r->seconds);
    csv_real(t, ref ? ref->ratio.min : NAN);
    csv_real(t, ref ? ref->ratio.max : NAN);
    csv_samples(t, ref ? &ref->seconds : NULL);
    csv_string(t, ref ? ref->library : "");
    cli_put_csv(t, ref ? ref->version : "");
    cli_put(t, "\n");
}

/* ---- Table ---------------------------------------------------------------------------- */

static void time_cell(cli_text *t, double s)
{
    if (!isfinite(s))
        cli_put(t, " %9s", "-");
    else if (s < 1e-3)
        cli_put(t, " %6.3g us", s * 1e6);
    else if (s < 1)
        cli_put(t, " %6.3g ms", s * 1e3);
    else
        cli_put(t, " %6.4g s ", s);
}

static void real_cell(cli_text *t, int width, double x)
{
    if (isfinite(x))
        cli_put(t, " %*.3g", width, x);
    else
        cli_put(t, " %*s", width, "-");
}

static void count_cell(cli_text *t, int width, int64_t x)
{
    if (x >= 0)
        cli_put(t, " %*lld", width, (long long)x);
    else
        cli_put(t, " %*s", width, "-");
}

enum { RATIO_WIDTH = 22 };

static int peer_width(const cli_reference *ref)
{
    const int length = (int)strlen(ref->name);
    return length > 15 ? length : 15;
}

/* "1.32x [1.10, 1.51]": the median of the ratios of neighbouring runs, their least and most; with a
 * tilde before it where these lie on both sides of 1, so that nobody was faster. */
static void ratio_cell(cli_text *t, const cli_seconds *ratio)
{
    char text[64];
    if (ratio->runs > 1)
        snprintf(text, sizeof text, "%s%.2fx [%.2f, %.2f]",
                 ratio->min <= 1 && ratio->max >= 1 ? "~" : " ", ratio->median, ratio->min,
                 ratio->max);
    else
        snprintf(text, sizeof text, " %.2fx (one run)", ratio->median);
    cli_put(t, " %-*s", RATIO_WIDTH, text);
}

/* Columns that no run of this algorithm fills (m, band) are left out. */
static void table_header(cli_text *t, const cli_record *r)
{
    cli_put(t, "%-7s %1s", "algo", "t");
    if (r->m >= 0)
        cli_put(t, " %6s", "m");
    cli_put(t, " %9s", "n");
    if (r->band >= 0)
        cli_put(t, " %5s", "band");
    cli_put(t, " %7s %-10s %7s %9s %9s %9s %8s", "batch", "sched", "workers", "median", "min",
            "max", "Gflop/s");
    cli_put(t, " %6s %6s %6s %6s", "sweeps", "resid", "orth", "values");
    for (int k = 0; k < r->refs; k++)
        cli_put(t, "  %*s %-*s", peer_width(&r->ref[k]), r->ref[k].name, RATIO_WIDTH, " ratio");
    cli_put(t, "  status\n");
}

static void table_line(cli_text *t, const cli_record *r)
{
    char n[48], workers[48];
    if (r->n_min >= 0)
        snprintf(n, sizeof n, "%lld..%lld", (long long)r->n_min, (long long)r->n);
    else
        snprintf(n, sizeof n, "%lld", (long long)r->n);
    snprintf(workers, sizeof workers, r->cudas ? "%dc+%dg" : "%dc", r->cpus, r->cudas);
    cli_put(t, "%-7s %c", r->algo, r->type ? r->type : '-');
    if (r->m >= 0)
        count_cell(t, 6, r->m);
    cli_put(t, " %9s", r->n >= 0 ? n : "-");
    if (r->band >= 0)
        count_cell(t, 5, r->band);
    count_cell(t, 7, r->batch);
    cli_put(t, " %-10.10s %7s", r->sched ? r->sched : "-", workers);
    time_cell(t, r->seconds.median);
    time_cell(t, r->seconds.min);
    time_cell(t, r->seconds.max);
    real_cell(t, 8, r->gflops);
    count_cell(t, 6, r->sweeps);
    real_cell(t, 6, r->residual);
    real_cell(t, 6, r->orthogonality);
    real_cell(t, 6, r->values);
    for (int k = 0; k < r->refs; k++) {
        cli_put(t, "  %*s", peer_width(&r->ref[k]) - 10, "");
        time_cell(t, r->ref[k].seconds.median);
        ratio_cell(t, &r->ref[k].ratio);
    }
    cli_put(t, "  %s\n", r->status ? r->status : "-");
}

/* ---- Sinks ---------------------------------------------------------------------------- */

/* Not for ever: whoever has it may be stopped. */
static void lock(int fd)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int k = 0; k < 2000 && lockf(fd, F_TLOCK, 0) != 0 && (errno == EACCES || errno == EAGAIN);
         k++)
        nanosleep(&pause, NULL);
}

/* All of it: the place in the file has moved. */
static void unlock(int fd)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)fcntl(fd, F_SETLK, &all);
}

/* A pipe, whose reader is to be waited for, is only written, and so is a file that may not be read. */
static int open_to_append(const char *path, int *made)
{
    const int flags = O_APPEND | O_CLOEXEC;
    struct stat st;
    const int pipe = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    int fd =
        pipe ? open(path, O_WRONLY | flags) : open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0666);
    *made = !pipe && fd >= 0;
    if (!pipe && fd < 0) /* it is there, or a link that leads nowhere yet */
        fd = open(path, O_RDWR | O_CREAT | flags, 0666);
    return fd < 0 && errno == EACCES && !pipe ? open(path, O_WRONLY | flags) : fd;
}

/* Opens for appending. `first` begins a file that is empty: of several programs that append to it only one
 * does so, until it has ended its write. A last line that an interrupted program left unfinished is ended, so
 * that the next record stands on its own line. */
static int open_lines(cli_lines *l, const char *first)
{
    if (!l->path || l->before)
        return CLI_OK;
    const int out = !strcmp(l->path, "-");
    l->fd = out ? STDOUT_FILENO : open_to_append(l->path, &l->made);
    if (l->fd < 0) {
        cli_say("%s: %s", l->path, strerror(errno));
        return CLI_FILE;
    }
    char last = '\n';
    struct stat st;
    l->before = first;
    if (!out && fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode)) {
        lock(l->fd);
        if (fstat(l->fd, &st) == 0 && st.st_size > 0)
            l->before = pread(l->fd, &last, 1, st.st_size - 1) == 1 && last != '\n' ? "\n" : "";
    }
    return CLI_OK;
}

/* Appends in one write, and forgets the text. A new file for which there was no room is removed. */
static int put_lines(cli_lines *l, cli_text *t, const char *first)
{
    int code = open_lines(l, first);
    if (code == CLI_OK) {
        cli_text all = {0};
        struct stat st;
        cli_put(&all, "%s%s", l->before, t->s ? t->s : "");
        all.failed |= t->failed;
        const int good = cli_text_write(&all, l->fd) == 0;
        if (good)
            l->before = "";
        else
            cli_say("%s: cannot write: %s", strcmp(l->path, "-") ? l->path : "standard output",
                    strerror(errno));
        if (!good && l->made && fstat(l->fd, &st) == 0 && st.st_size == 0)
            unlink(l->path);
        if (strcmp(l->path, "-"))
            unlock(l->fd);
        code = good ? CLI_OK : CLI_FILE;
        cli_text_free(&all);
    }
    cli_text_free(t);
    return code;
}

static void close_lines(cli_lines *l)
{
    if (l->before && l->fd > STDERR_FILENO)
        close(l->fd);
    *l = (cli_lines){0};
}

/* Before work begins: a file that will not be written is told now. */
static int check_append(const char *path)
{
    if (!path || !strcmp(path, "-"))
        return CLI_OK;
    if (access(path, F_OK) != 0)
        return output_check(path);
    struct stat st;
    const int directory = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (!directory && access(path, W_OK) == 0)
        return CLI_OK;
    cli_say("%s: cannot be written: %s", path, strerror(directory ? EISDIR : errno));
    return CLI_FILE;
}

int cli_sink_open(cli_sink *sink, const char *json, const char *csv, int stdout_taken, int quiet)
{
    *sink = (cli_sink){.json.path = json, .csv.path = csv};
    const int users = stdout_taken + (json && !strcmp(json, "-")) + (csv && !strcmp(csv, "-"));
    if (users > 1) {
        cli_say("only one output can go to standard output ('-')");
        return CLI_USAGE;
    }
    sink->table = quiet ? NULL : users ? stderr : stdout;
    const int code = check_append(json);
    return code == CLI_OK ? check_append(csv) : code;
}

static int table_write(cli_sink *sink, const cli_record *r)
{
    cli_text header = {0}, t = {0};
    table_header(&header, r);
    if (header.s && strcmp(header.s, sink->header) != 0) {
        snprintf(sink->header, sizeof sink->header, "%s", header.s);
        cli_put(&t, "%s", header.s);
    }
    table_line(&t, r);
    cli_text_free(&header);
    int code = CLI_MEMORY;
    if (!t.failed) {
        fputs(t.s, sink->table);
        code = cli_flush(sink->table);
    }
    cli_text_free(&t);
    return code;
}

int cli_sink_write(cli_sink *sink, const cli_record *r)
{
    cli_text t = {0};
    int code = CLI_OK;
    if (sink->table)
        code = table_write(sink, r);
    if (sink->json.path) {
        json_line(&t, r);
        code = cli_worse(code, put_lines(&sink->json, &t, ""));
    }
    if (sink->csv.path) {
        csv_line(&t, r, r->refs ? &r->ref[0] : NULL);
        for (int k = 1; k < r->refs; k++)
            csv_line(&t, r, &r->ref[k]);
        code = cli_worse(code, put_lines(&sink->csv, &t, csv_header));
    }
    return code;
}

int cli_sink_line(cli_sink *sink, cli_text *line)
{
    if (sink->json.path && !line->failed)
        return put_lines(&sink->json, line, "");
    const int code = sink->json.path ? CLI_MEMORY : CLI_OK;
    cli_text_free(line);
    return code;
}

void cli_sink_close(cli_sink *sink)
{
    close_lines(&sink->json);
    close_lines(&sink->csv);
}
