/* See sparse_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/sparse_case.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"
#include "src/cli/core/units.h"

/* ---- Loading ------------------------------------------------------------------------------- */

typedef enum { MTX, EDGES, NPZ, DENSE } form;

/* By the end of the name, in any case, without .gz. */
static form form_of(const char *path)
{
    static const struct {
        const char *end;
        form form;
    } ends[] = {{".txt", EDGES}, {".tsv", EDGES}, {".edges", EDGES}, {".el", EDGES},
                {".wel", EDGES}, {".npz", NPZ},   {".npy", DENSE}};
    size_t n = strlen(path);
    if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0)
        n -= 3;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t k = strlen(ends[i].end);
        if (n > k && strncasecmp(path + n - k, ends[i].end, k) == 0)
            return ends[i].form;
    }
    return MTX;
}

int sparse_first_node(const char *path) { return path && form_of(path) != MTX ? 0 : 1; }

int sparse_outputs_check(const char *const *outputs, int count, const cli_files *inputs,
                         const char *const *read, int files)
{
    char *no_name = "";
    const cli_files nameless = {&no_name, 1};
    int code = outputs_check(outputs, count, NULL, inputs->n ? inputs : &nameless, 1);
    for (int k = 0; k < files && code == CLI_OK; k++)
        for (int o = 0; read[k] && o < count && code == CLI_OK; o++)
            if (outputs[o] && strcmp(outputs[o], "-"))
                code = output_spares(outputs[o], &(cli_files){(char *[]){(char *)read[k]}, 1});
    return code;
}

static void tell_speed(const char *path, const orr_mtx *m, double seconds)
{
    struct stat st;
    const double bytes = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (double)st.st_size : 0;
    cli_units_text size, time, speed;
    cli_say("%s: %lld %s of %s MB read in %s, %s MB/s", path, (long long)m->entries,
            m->entries == 1 ? "entry" : "entries", cli_units_digits(1e-6 * bytes, 4, size),
            cli_units_seconds(seconds, time), cli_units_digits(1e-6 * bytes / seconds, 4, speed));
}

static int read_file(const cli_run *run, const char *path, orr_mtx *m)
{
    const int64_t most = run->max_memory > 0 ? run->max_memory : 0;
    orr_io_error error = {0};
    cli_progress progress;
    const form f = form_of(path);
    if (f == DENSE && access(path, F_OK) == 0) {
        cli_say("%s: a dense array; sparse matrices are read here: scipy.sparse.save_npz makes one "
                "of it, or scipy.io.mmwrite",
                path);
        return CLI_FILE;
    }
    cli_progress_start(&progress, path, run->verbose, run->quiet);
    const double start = cli_now();
    const orr_status st =
        f == NPZ     ? orr_npz_read(path, most, m, &error)
        : f == EDGES ? orr_edges_read(path, most, cli_progress_update, &progress, m, &error)
                     : orr_mtx_read(path, most, cli_progress_update, &progress, m, &error);
    cli_progress_end(&progress);
    if (st == ORR_OK) {
        if (run->verbose)
            tell_speed(path, m, cli_now() - start);
        return CLI_OK;
    }
    cli_say("%s", error.message[0] ? error.message : orr_strerror(st));
    return cli_exit_code(st, 1);
}

/* Both triangles of the factors, and row, column and value of each entry of the product. */
static double kronecker_bytes(const orr_mtx *a, const orr_mtx *b)
{
    const double ea = (double)a->entries * (a->symmetry == ORR_MTX_GENERAL ? 1 : 2);
    const double eb = (double)b->entries * (b->symmetry == ORR_MTX_GENERAL ? 1 : 2);
    const int parts = !a->val && !b->val                                           ? 0
                      : a->field == ORR_MTX_COMPLEX || b->field == ORR_MTX_COMPLEX ? 2
                                                                                   : 1;
    return 32 * (ea + eb) + 8.0 * (2 + parts) * ea * eb;
}

/* Coordinates as orr_mtx_free frees them. `name`: for messages. Exit code, the reason told. */
static int load(const cli_run *run, const sparse_source *s, orr_mtx *m, const char **name)
{
    char message[256];
    int code = CLI_OK;
    *name = s->file ? s->file : s->generate;
    if (s->file) {
        code = read_file(run, s->file, m);
    } else {
        const orr_status st = orr_generate(s->generate, (uint64_t)run->seed, m, message);
        if (st != ORR_OK) {
            cli_say("--generate: %s", message[0] ? message : orr_strerror(st));
            code = cli_exit_code(st, 0);
        }
    }
    if (code == CLI_OK && s->kron) {
        orr_mtx b, product = {0};
        code = read_file(run, s->kron, &b);
        if (code == CLI_OK) {
            code = cli_check_memory(run, kronecker_bytes(m, &b), "the Kronecker product");
            const orr_status st = code == CLI_OK ? orr_kronecker(m, &b, &product) : ORR_OK;
            if (st != ORR_OK) {
                cli_say("--kron: %s", orr_strerror(st));
                code = cli_exit_code(st, 1);
            }
            orr_mtx_free(&b);
            orr_mtx_free(m);
            *m = product;
        } else {
            orr_mtx_free(m);
        }
    }
    return code;
}

int sparse_work(cli_job *job, const sparse_source *source,
                int (*solve)(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
                             const char *))
{
    orr_mtx m = {0};
    const char *name = source->file ? source->file : source->generate;
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_job_ranks(job, "personal|singular");
    if (code != CLI_OK)
        return code;
    if (cli_rank() == 0)
        code = load(job->run, source, &m, &name);
    code = cli_ranks_code(code);
    if (code == CLI_OK) {
        int64_t size[2] = {m.rows, m.cols};
        cli_ranks_bytes(size, sizeof size); /* the entries stay with rank 0 */
        m.rows = size[0];
        m.cols = size[1];
        code = cli_open(job->run, cli_policy(job->run), &context, &info);
    }
    if (code == CLI_OK) {
        code = solve(job, context, &info, &m, name);
        code = cli_worse(code, cli_close(job->run, context));
    }
    orr_mtx_free(&m);
    cli_ranks_end();
    return code;
}

int sparse_check_memory(const cli_run *run, const orr_mtx *m, const char *name, int graph)
{
    /* coordinates, rows in order, and blocks: each about as large as the next */
    const double entry = 4 + (m->val ? 8 : 0) * (m->field == ORR_MTX_COMPLEX ? 2 : 1);
    const double entries = (double)m->entries * (m->symmetry == ORR_MTX_GENERAL ? 1 : 2);
    int code = CLI_OK;
    if (m->rows < INT32_MAX &&
        m->cols < INT32_MAX) /* beyond that the library has the better reason */
        code = cli_check_memory(run, entries * (graph ? 3.5 : 2.5) * entry + 40.0 * (double)m->rows,
                                name);
    return cli_ranks_code(code);
}

int sparse_build(const cli_run *run, orr_context *context, const orr_mtx *m, const char *name,
                 const orr_sparse_opts *o, orr_sparse **A)
{
    char message[256];
    orr_sparse_info info;
    const int code = sparse_check_memory(run, m, name, o->graph);
    if (code != CLI_OK)
        return code;
    const double start = cli_now();
    const orr_status st = orr_sparse_from_mtx(context, m, o, A, message);
    if (st != ORR_OK) {
        cli_say("%s: %s", name, message[0] ? message : orr_strerror(st));
        return st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, 1);
    }
    orr_sparse_query(*A, &info);
    if (info.duplicates && !run->quiet)
        cli_say("%s: %lld duplicate %s %s", name, (long long)info.duplicates,
                info.duplicates == 1 ? "entry was" : "entries were",
                o->unweighted ? "counted once" : "summed");
    if (run->verbose) {
        char formats[128];
        cli_units_text size, time;
        cli_say("%s: %lld x %lld, %lld %s (%lld stored zero%s dropped), longest row %lld, "
                "%lld row%s empty%s; %lld block%s as %s, values %s, %.4g slots per entry, %s MB, "
                "built in %s",
                name, (long long)info.rows, (long long)info.cols, (long long)info.nnz,
                info.nnz == 1 ? "entry" : "entries", (long long)info.zeros, cli_plural(info.zeros),
                (long long)info.longest_row, (long long)info.empty_rows,
                cli_plural(info.empty_rows),
                info.hermitian   ? ", Hermitian"
                : info.skew      ? ", skew"
                : info.by_degree ? ", nodes by degree"
                                 : "",
                (long long)info.blocks, cli_plural(info.blocks),
                sparse_formats(&info, formats, sizeof formats), sparse_values(&info),
                info.nnz ? (double)info.slots / (double)info.nnz : 1.0,
                cli_units_digits(1e-6 * (double)info.bytes, 4, size),
                cli_units_seconds(cli_now() - start, time));
    }
    return CLI_OK;
}

/* ---- Runs ---------------------------------------------------------------------------------- */

struct repeated {
    const cli_run *run;
    const char *algo, *name;
    sparse_call *call;
    void *arg;
    sparse_runs *runs;
};

static int turn(void *arg, int k, cli_clock *clock)
{
    const struct repeated *r = arg;
    orr_report *report = &r->runs->report;
    cli_progress progress;
    (void)k;
    cli_progress_start(&progress, r->algo, r->run->verbose, r->run->quiet);
    progress.open = 1;
    cli_clock_start(clock);
    const orr_status st = r->runs->status = r->call(r->arg, &progress, report);
    cli_clock_stop(clock, report->seconds);
    cli_progress_end(&progress);
    if (st >= 0)
        return CLI_OK;
    cli_say("%s: %s", r->name, report->message[0] ? report->message : orr_strerror(st));
    return cli_exit_code(st, 1);
}

int sparse_repeat(cli_job *job, orr_context *context, const char *algo, const char *name,
                  sparse_call *call, void *arg, sparse_runs *runs, cli_record *rec)
{
    const cli_run *run = job->run;
    struct repeated r = {
        .run = run, .algo = algo, .name = name, .call = call, .arg = arg, .runs = runs};
    *runs = (sparse_runs){.turns = {.run = run,
                                    .context = context,
                                    .repeat = run->repeat > 0 ? (int)run->repeat : 1,
                                    .ours = turn,
                                    .arg = &r}};
    cli_units_text time;
    const int code = cli_turns_run(&runs->turns, rec);
    if (code == CLI_OK && run->verbose)
        cli_say("plan: {%s}", runs->report.plan);
    if (code == CLI_OK && (run->repeat > 1 || run->verbose))
        cli_say("%s: %s", name, cli_units_seconds(rec->seconds.median, time));
    return code;
}

const char *sparse_formats(const orr_sparse_info *o, char *text, size_t room)
{
    size_t at = 0;
    text[0] = 0;
    for (int f = 0; f < ORR_NFORMATS; f++)
        if (o->by_format[f] && at < room)
            at += (size_t)snprintf(text + at, room - at, "%s%s", at ? "," : "",
                                   orr_format_name((orr_format)f));
    return text;
}

const char *sparse_values(const orr_sparse_info *o)
{
    return o->pattern ? "pattern" : o->narrow ? "half" : "full";
}

void sparse_record(cli_record *c, cli_text *extra, const cli_job *job, const char *algo,
                   const orr_context_info *ci, const orr_sparse_info *info, const char *what,
                   const char *name, const orr_report *report)
{
    char formats[128];
    cli_describe(c, algo, ci, job->command, job->run->seed);
    c->type = orr_type_letter(info->type);
    c->status = report->status == ORR_OK ? "ok" : "not converged";
    c->tasks = report->tasks;
    c->plan = report->plan;
    cli_put(extra, "\"%s\":", what);
    cli_put_json(extra, name);
    cli_put(extra, ",\"ranks\":%d,\"nnz\":%lld,\"format\":\"%s\",\"stored\":\"%s\"", ci->ranks,
            (long long)info->nnz, sparse_formats(info, formats, sizeof formats),
            sparse_values(info));
}
