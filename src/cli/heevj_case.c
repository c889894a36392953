/* SPDX-License-Identifier: BSD-3-Clause */
#include "heevj_case.h"
#include "progress.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one case works with. */
struct work {
    orr_context       *context;
    const heevj_setup *setup;
    cli_stack         *stack;
    heevj_result      *result;
    orr_report         report;
    int                threads;   /* of the reference */
    void *scratch; /* matrices that a run may destroy; the stack's own if one run is all */
    void              *w_ref;
    unsigned char     *bad;       /* inputs that LAPACK must not see */
    int                have_ref;  /* w_ref is filled */
};

static int wants(const heevj_setup *s, const char *name)
{
    for (int64_t k = 0; s->ref && k < s->ref->n; k++)
        if (!strcmp(s->ref->v[k], name))
            return 1;
    return 0;
}

static int keeps_input(const heevj_setup *s)
{
    return s->warm_up || s->repeat > 1 || s->run->check || (s->ref && s->ref->n > 0);
}

double heevj_case_bytes(const cli_stack *s, const heevj_setup *setup)
{
    const double copies = keeps_input(setup) ? 1 : 0;
    return copies * (double)stack_bytes(s) + 2 * (double)stack_w_bytes(s) +
           (double)s->batch * (sizeof(orr_matrix_info) + 1);
}

/* LAPACK's nominal count for all eigenvectors by reduction to tridiagonal form, 9 n^3 real
 * (4/3 n^3 for values alone) and four times as much complex, whatever Jacobi really spends:
 * rates of different methods can then be compared. */
static double nominal_flops(const cli_stack *s, char jobz)
{
    const double factor = (jobz == 'V' ? 9.0 : 4.0 / 3.0) *
                          (s->type == ORR_C || s->type == ORR_Z ? 4 : 1);
    double flops = 0;
    for (int64_t k = 0; k < s->batch; k++)
        flops += factor * pow((double)s->n[k], 3);
    return flops;
}

static int solve(struct work *t, int check, const char *label, double *seconds)
{
    const heevj_setup *s = t->setup;
    cli_progress progress;
    orr_batch A, w;
    cli_progress_start(&progress, label, s->run->verbose, s->run->quiet);
    const orr_heevj_opts opts = {
        .jobz = s->jobz,
        .uplo = stack_uplo(s->uplo),
        .max_sweeps = s->max_sweeps,
        .tol = s->tol,
        .method = s->method,
        .chunk = s->chunk,
        .check = check && s->jobz == 'V',
        .progress = cli_progress_update,
        .progress_arg = &progress,
    };
    if (t->scratch != t->stack->a)
        memcpy(t->scratch, t->stack->a, stack_bytes(t->stack));
    stack_view(t->stack, t->scratch, t->result->w, &A, &w);
    t->report = (orr_report){ .index = -1 };
    const double start = cli_now();
    const orr_status status = orr_heevj(t->context, &A, &w, &opts, t->result->info, &t->report);
    *seconds = cli_now() - start;
    cli_progress_end(&progress);
    if (status >= 0)
        return CLI_OK;
    cli_say("heevj: %s%s%s%s", orr_strerror(status), t->report.message[0] ? ": " : "",
            t->report.message, t->report.culprit ? " (reported by the library)" : "");
    return cli_exit_code(status, 0);
}

static int lapack(struct work *t, char jobz, double *seconds)
{
    cli_stack *s = t->stack;
    memcpy(t->scratch, s->a, stack_bytes(s));
    const int64_t failed = reference_heevd(s, t->scratch, t->w_ref, jobz,
                                           stack_uplo(t->setup->uplo), t->threads, t->bad, seconds);
    t->have_ref = failed >= 0;
    if (failed < 0)
        cli_say("out of memory for LAPACK's workspaces");
    else if (failed > 0)
        cli_say("LAPACK did not converge for %lld matrices", (long long)failed);
    return failed < 0 ? CLI_MEMORY : CLI_OK;
}

/* ---- Verification --------------------------------------------------------------------- */

static double value(const void *w, orr_type real, size_t k)
{
    return real == ORR_S ? (double)((const float *)w)[k] : ((const double *)w)[k];
}

/* max_i |w_i - w_ref,i| / (n eps |A|_2), |A|_2 being the largest of LAPACK's values. */
static double values_error(const struct work *t, int64_t k)
{
    const cli_stack *s = t->stack;
    const orr_type real = orr_type_real(s->type);
    double difference = 0, norm = 0;
    for (size_t i = s->w_at[k]; i < s->w_at[k + 1]; i++) {
        const double x = value(t->result->w, real, i), y = value(t->w_ref, real, i);
        if (!isfinite(x - y))
            return INFINITY;
        difference = fmax(difference, fabs(x - y));
        norm = fmax(norm, fabs(y));
    }
    if (difference == 0)
        return 0;
    return difference / ((double)s->n[k] * orr_type_eps(s->type) * norm);
}

/* NaN, which fmax would hide, is the worst. */
static double worse(double a, double b) { return a > b || isnan(a) ? a : b; }

static int verify(struct work *t)
{
    cli_record *r = &t->result->record;
    const int vectors = t->setup->jobz == 'V';
    int64_t wrong = 0, first = -1;
    double values = 0, residual = 0, orthogonality = 0;
    for (int64_t k = 0; k < t->stack->batch; k++) {
        const orr_matrix_info *info = &t->result->info[k];
        int good = (info->status == ORR_NONFINITE) == (t->bad[k] != 0);
        if (info->status == ORR_OK && !t->bad[k] && t->stack->n[k] > 0) {
            const double error = values_error(t, k);
            values = worse(values, error);
            good = good && error <= heevj_check_limit;
            if (vectors) {
                residual = worse(residual, info->residual);
                orthogonality = worse(orthogonality, info->orthogonality);
                good = good && info->residual <= heevj_check_limit &&
                       info->orthogonality <= heevj_check_limit;
            }
        }
        if (!good && wrong++ == 0)
            first = k;
    }
    r->values = values;
    r->residual = vectors ? residual : NAN;
    r->orthogonality = vectors ? orthogonality : NAN;
    if (!wrong)
        return CLI_OK;
    cli_say("check failed for %lld of %lld matrices, first number %lld: residual %.3g, "
            "orthogonality %.3g, values %.3g (limit %g)", (long long)wrong,
            (long long)t->stack->batch, (long long)first, t->result->info[first].residual,
            t->result->info[first].orthogonality, t->bad[first] ? NAN : values_error(t, first),
            heevj_check_limit);
    return CLI_CHECK;
}

static void count_statuses(heevj_result *r, int64_t batch)
{
    r->first_noconv = r->first_nonfinite = -1;
    for (int64_t k = 0; k < batch; k++) {
        if (r->info[k].status == ORR_NOCONV && r->noconv++ == 0)
            r->first_noconv = k;
        if (r->info[k].status == ORR_NONFINITE && r->nonfinite++ == 0)
            r->first_nonfinite = k;
    }
}

/* ---- The record ----------------------------------------------------------------------- */

static const char *method_name(const heevj_result *r, int64_t batch)
{
    static const char *const name[ORR_NMETHODS] = { "none", "jacobi", "block", "lapack" };
    int method = ORR_METHOD_AUTO;
    for (int64_t k = 0; k < batch; k++) {
        if (r->info[k].status == ORR_NONFINITE)
            continue; /* screened, not computed */
        if (method != ORR_METHOD_AUTO && method != r->info[k].method)
            return "mixed";
        method = r->info[k].method;
    }
    return method >= 0 && method < ORR_NMETHODS ? name[method] : "unknown";
}

static void describe(struct work *t, const orr_context_info *context, int code)
{
    const cli_stack *s = t->stack;
    heevj_result *r = t->result;
    cli_record *record = &r->record;
    int64_t on_cuda = 0, jacobi = 0, sweeps = 0;
    for (int64_t k = 0; k < s->batch; k++) {
        on_cuda += r->info[k].device != 0;
        jacobi += r->info[k].sweeps > 0;
        sweeps = r->info[k].sweeps > sweeps ? r->info[k].sweeps : sweeps;
    }
    cli_describe(record, "heevj", context, t->setup->command, t->setup->seed);
    record->type = orr_type_letter(s->type);
    record->n = s->n_max;
    record->n_min = s->n_min == s->n_max ? -1 : s->n_min;
    record->batch = s->batch;
    record->sweeps = jacobi ? sweeps : -1;
    record->tasks = t->report.tasks;
    record->gflops = record->seconds.median > 0
                         ? nominal_flops(s, t->setup->jobz) / record->seconds.median * 1e-9 : NAN;
    snprintf(r->status, sizeof r->status, "%s", code == CLI_CHECK ? "check failed"
             : r->noconv ? "not converged" : r->nonfinite ? "not finite" : "ok");
    record->status = r->status;
    snprintf(r->plan, sizeof r->plan, "%s", t->report.plan);
    record->plan = r->plan;
    snprintf(r->extra, sizeof r->extra,
             "\"jobz\":\"%c\",\"uplo\":\"%c\",\"method\":\"%s\",\"matrices\":{\"cpu\":%lld,"
             "\"cuda\":%lld,\"not_converged\":%lld,\"not_finite\":%lld}",
             t->setup->jobz, t->setup->uplo, method_name(r, s->batch),
             (long long)(s->batch - on_cuda), (long long)on_cuda, (long long)r->noconv,
             (long long)r->nonfinite);
    record->extra = r->extra;
}

/* ---- The case ------------------------------------------------------------------------- */

/* The peers, and one timed run of each. */
enum peer { LAPACK, CUSOLVER_JACOBI, CUSOLVER_ANY, PEERS };

static int run_peer(struct work *t, enum peer peer, double *seconds)
{
    const heevj_setup *s = t->setup;
    if (peer == LAPACK)
        return lapack(t, s->jobz, seconds);
    memcpy(t->scratch, t->stack->a, stack_bytes(t->stack));
    *seconds = reference_cusolver(t->stack, t->scratch, t->result->w, s->jobz,
                                  stack_uplo(s->uplo), peer == CUSOLVER_ANY, t->bad);
    return CLI_OK;
}

static int wanted(const heevj_setup *s, enum peer peer)
{
    return wants(s, peer == LAPACK ? "lapack" : "cusolver");
}

static int measure(struct work *t, double *ours, double *theirs[PEERS])
{
    const heevj_setup *s = t->setup;
    double unused;
    int code = CLI_OK;
    cli_before_run(s->run, t->context, 0);
    if (s->warm_up)
        code = solve(t, 0, "warm-up", &unused);
    for (enum peer p = 0; p < PEERS; p++)
        if (s->warm_up && wanted(s, p) && code == CLI_OK)
            code = run_peer(t, p, &unused);
    for (int64_t k = 0; k < s->repeat && code == CLI_OK; k++) {
        char label[64];
        snprintf(label, sizeof label, "run %lld of %lld", (long long)k + 1, (long long)s->repeat);
        /* The peers first: what stays in scratch, w and info is ours. */
        for (enum peer p = 0; p < PEERS; p++)
            if (wanted(s, p) && code == CLI_OK)
                code = run_peer(t, p, &theirs[p][k]);
        cli_before_run(s->run, t->context, k == s->repeat - 1);
        if (code == CLI_OK)
            code = solve(t, 0, s->repeat > 1 ? label : s->what, &ours[k]);
    }
    if (code == CLI_OK)
        cli_after_run(s->run, t->context, &t->result->record);
    return code;
}

static void add_peer(struct work *t, enum peer peer, double *seconds)
{
    const orr_type type = t->stack->type;
    cli_record *record = &t->result->record;
    cli_reference *ref = &record->ref[record->refs];
    *ref = (cli_reference){ .threads = peer == LAPACK ? t->threads : 1,
                            .seconds = cli_statistics(seconds, (int)t->setup->repeat) };
    if (peer != LAPACK && !isfinite(ref->seconds.max)) {
        cli_say("cuSOLVER's %s refused this batch", peer == CUSOLVER_ANY ? "XsyevBatched"
                                                                         : "evjBatched");
        return;
    }
    record->refs++;
    if (peer == LAPACK)
        snprintf(ref->name, sizeof ref->name, "lapack %s", reference_heevd_name(type));
    else if (peer == CUSOLVER_ANY)
        snprintf(ref->name, sizeof ref->name, "cusolver XsyevBatched");
    else
        snprintf(ref->name, sizeof ref->name, "cusolver %c%sevjBatched", orr_type_letter(type),
                 type == ORR_C || type == ORR_Z ? "he" : "sy");
}

static int run_case(struct work *t)
{
    const heevj_setup *s = t->setup;
    cli_record *record = &t->result->record;
    double *ours = malloc((size_t)s->repeat * sizeof *ours);
    double *all = malloc((size_t)s->repeat * PEERS * sizeof *all);
    double *theirs[PEERS];
    for (enum peer p = 0; p < PEERS; p++)
        theirs[p] = all + (size_t)p * (size_t)s->repeat;
    int code = ours && all ? measure(t, ours, theirs) : CLI_MEMORY;
    if (code == CLI_OK) {
        record->seconds = cli_statistics(ours, (int)s->repeat);
        for (enum peer p = 0; p < PEERS; p++)
            if (wanted(s, p))
                add_peer(t, p, theirs[p]);
    }
    double unused;
    if (code == CLI_OK && s->run->check) {
        if (!t->have_ref)
            code = lapack(t, 'N', &unused);
        if (code == CLI_OK)
            code = solve(t, 1, "check", &unused);
        if (code == CLI_OK)
            code = verify(t);
    }
    free(ours);
    free(all);
    return code;
}

int heevj_case(orr_context *context, const orr_context_info *info, const heevj_setup *setup,
               cli_stack *stack, heevj_result *result)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *result = (heevj_result){ .record = CLI_RECORD, .own_q = keeps_input(setup) };
    struct work t = { .context = context, .setup = setup, .stack = stack, .result = result,
                      .threads = info->cpu > 0 ? info->cpu : cores > 0 ? (int)cores : 1 };
    t.scratch = result->own_q ? malloc(stack_room(stack)) : stack->a;
    result->q = t.scratch;
    result->w = malloc(stack_w_bytes(stack) + 1);
    result->info = calloc((size_t)stack->batch + 1, sizeof *result->info);
    t.w_ref = malloc(stack_w_bytes(stack) + 1);
    t.bad = calloc((size_t)stack->batch + 1, 1);
    int code = CLI_MEMORY;
    if (t.scratch && result->w && result->info && t.w_ref && t.bad) {
        stack_screen(stack, stack->a, setup->uplo, t.bad);
        code = run_case(&t);
    } else {
        cli_say("out of memory");
    }
    if (code == CLI_OK || code == CLI_CHECK) {
        count_statuses(result, stack->batch);
        describe(&t, info, code);
        if (result->noconv)
            code = cli_worse(code, CLI_NOCONV);
        if (result->nonfinite)
            code = cli_worse(code, CLI_FILE);
    } else {
        heevj_result_free(result);
    }
    free(t.w_ref);
    free(t.bad);
    return code;
}

void heevj_result_free(heevj_result *r)
{
    if (r->own_q)
        free(r->q);
    free(r->w);
    free(r->info);
    *r = (heevj_result){ 0 };
}
