/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/heevj_case.h"
#include "src/cli/core/numbers.h"
#include "src/cli/core/progress.h"
#include "src/cli/data/grid.h"
#include "src/cli/peers/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one case works with. */
struct work {
    orr_context *context;
    const heevj_setup *setup;
    cli_stack *stack;
    heevj_result *result;
    orr_report report;
    int threads;   /* of the reference */
    void *scratch; /* matrices that a run may destroy; the stack's own if one run is all */
    void *w_ref;
    unsigned char *bad; /* inputs that LAPACK must not see */
    int have_ref;       /* w_ref is filled, by our own LAPACK */
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
    const double factor = (jobz == 'V' ? 9.0 : 4.0 / 3.0) * number_cost(s->type);
    double flops = 0;
    for (int64_t k = 0; k < s->batch; k++)
        flops += factor * pow((double)s->n[k], 3);
    return flops;
}

static int solve(struct work *t, int check, const char *label, cli_clock *clock)
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
        .accuracy = s->accuracy,
    };
    if (t->scratch != t->stack->a)
        memcpy(t->scratch, t->stack->a, stack_bytes(t->stack));
    stack_view(t->stack, t->scratch, t->result->w, &A, &w);
    t->report = (orr_report){.index = -1};
    cli_clock_start(clock);
    const orr_status status = orr_heevj(t->context, &A, &w, &opts, t->result->info, &t->report);
    cli_clock_stop(clock, t->report.seconds);
    cli_progress_end(&progress);
    if (status >= 0)
        return CLI_OK;
    cli_say("heevj: %s%s%s%s", orr_strerror(status), t->report.message[0] ? ": " : "",
            t->report.message, t->report.culprit ? " (reported by the library)" : "");
    return cli_exit_code(status, 0);
}

static int lapack(struct work *t, const cli_lapack *from, char jobz, double *seconds)
{
    cli_stack *s = t->stack;
    memcpy(t->scratch, s->a, stack_bytes(s));
    const int64_t failed = reference_heevd(from, s, t->scratch, t->w_ref, jobz,
                                           stack_uplo(t->setup->uplo), t->threads, t->bad, seconds);
    t->have_ref = failed >= 0 && !from->handle;
    if (failed < 0)
        cli_say("out of memory for LAPACK's workspaces");
    else if (failed > 0)
        cli_say("LAPACK did not converge for %lld %s", (long long)failed,
                failed == 1 ? "matrix" : "matrices");
    return failed < 0 ? CLI_MEMORY : CLI_OK;
}

/* ---- Verification --------------------------------------------------------------------- */

/* max_i |w_i - w_ref,i| / (n eps |A|_2), |A|_2 being the largest of LAPACK's values; what rounds to
 * subnormals is allowed for. */
static double values_error(const struct work *t, int64_t k)
{
    const cli_stack *s = t->stack;
    const orr_type real = orr_type_real(s->type);
    double difference = 0, norm = 0;
    for (size_t i = s->w_at[k]; i < s->w_at[k + 1]; i++) {
        const double x = number_real(real, t->result->w, (int64_t)i),
                     y = number_real(real, t->w_ref, (int64_t)i);
        if (!isfinite(x - y))
            return INFINITY;
        difference = fmax(difference, fabs(x - y));
        norm = fmax(norm, fabs(y));
    }
    if (difference == 0)
        return 0;
    return difference / ((double)s->n[k] * orr_type_eps(s->type) * norm + cli_grid(s->type));
}

static int verify(struct work *t)
{
    cli_record *r = &t->result->record;
    const int vectors = t->setup->jobz == 'V';
    int64_t wrong = 0, first = -1;
    double values = 0, residual = 0, orthogonality = 0;
    for (int64_t k = 0; k < t->stack->batch; k++) {
        const orr_matrix_info *info = &t->result->info[k];
        /* where nobody wrote it, as on a device whose kernels did nothing, it is none of them */
        const int known = info->status >= ORR_OK && info->status <= ORR_RANGE;
        int good = known && (info->status == ORR_NONFINITE) == (t->bad[k] != 0);
        if (info->status == ORR_OK && !t->bad[k] && t->stack->n[k] > 0) {
            const double error = values_error(t, k);
            values = cli_larger(values, error);
            good = good && error <= heevj_check_limit;
            if (vectors) {
                residual = cli_larger(residual, info->residual);
                orthogonality = cli_larger(orthogonality, info->orthogonality);
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
            "orthogonality %.3g, values %.3g (limit %g)",
            (long long)wrong, (long long)t->stack->batch, (long long)first,
            t->result->info[first].residual, t->result->info[first].orthogonality,
            t->bad[first] ? NAN : values_error(t, first), heevj_check_limit);
    return CLI_CHECK;
}

static void count_statuses(heevj_result *r, int64_t batch)
{
    r->noconv = r->nonfinite = r->beyond = 0;
    r->first_noconv = r->first_nonfinite = r->first_beyond = -1;
    for (int64_t k = 0; k < batch; k++) {
        if (r->info[k].status == ORR_NOCONV && r->noconv++ == 0)
            r->first_noconv = k;
        if (r->info[k].status == ORR_NONFINITE && r->nonfinite++ == 0)
            r->first_nonfinite = k;
        if (r->info[k].status == ORR_RANGE && r->beyond++ == 0)
            r->first_beyond = k;
    }
}

/* ---- The record ----------------------------------------------------------------------- */

const char *heevj_method_name(int method)
{
    static const char *const name[ORR_NMETHODS] = {"none", "jacobi", "block", "lapack", "lanes"};
    return method >= 0 && method < ORR_NMETHODS ? name[method] : "unknown";
}

static const char *method_of_all(const heevj_result *r, int64_t batch)
{
    int method = ORR_METHOD_AUTO;
    for (int64_t k = 0; k < batch; k++) {
        if (r->info[k].status == ORR_NONFINITE)
            continue; /* screened, not computed */
        if (method != ORR_METHOD_AUTO && method != r->info[k].method)
            return "mixed";
        method = r->info[k].method;
    }
    return heevj_method_name(method);
}

int heevj_outcome(heevj_result *r, const heevj_setup *setup, const cli_stack *s,
                  const orr_context_info *context, int code)
{
    cli_record *record = &r->record;
    int64_t on_cuda = 0, jacobi = 0, sweeps = 0;
    for (int64_t k = 0; k < s->batch; k++) {
        on_cuda += r->info[k].device != 0;
        jacobi += r->info[k].sweeps > 0;
        sweeps = r->info[k].sweeps > sweeps ? r->info[k].sweeps : sweeps;
    }
    r->checked = code;
    count_statuses(r, s->batch);
    cli_describe(record, "heevj", context, setup->command, setup->seed);
    record->type = orr_type_letter(s->type);
    record->n = s->n_max;
    record->n_min = s->n_min == s->n_max ? -1 : s->n_min;
    record->batch = s->batch;
    record->sweeps = jacobi ? sweeps : -1;
    record->gflops = record->seconds.median > 0
                         ? nominal_flops(s, setup->jobz) / record->seconds.median * 1e-9
                         : NAN;
    snprintf(r->status, sizeof r->status, "%s",
             code == CLI_CHECK ? "check failed"
             : r->noconv       ? "not converged"
             : r->nonfinite    ? "not finite"
             : r->beyond       ? "out of range"
                               : "ok");
    record->status = r->status;
    snprintf(r->extra, sizeof r->extra,
             "\"jobz\":\"%c\",\"uplo\":\"%c\",\"method\":\"%s\",\"matrices\":{\"cpu\":%lld,"
             "\"cuda\":%lld,\"not_converged\":%lld,\"not_finite\":%lld}",
             setup->jobz, setup->uplo, method_of_all(r, s->batch), (long long)(s->batch - on_cuda),
             (long long)on_cuda, (long long)r->noconv, (long long)r->nonfinite);
    if (context->ranks > 1)
        snprintf(r->extra + strlen(r->extra), sizeof r->extra - strlen(r->extra), ",\"ranks\":%d",
                 context->ranks);
    record->extra = r->extra;
    if (r->noconv)
        code = cli_worse(code, CLI_NOCONV);
    return r->nonfinite || r->beyond ? cli_worse(code, CLI_FILE) : code;
}

/* ---- The case ------------------------------------------------------------------------- */

/* What is compared with. */
enum peer { LAPACK, CUSOLVER_JACOBI, CUSOLVER_ANY };

/* A cli_peer_run; the problem is a struct work * to work with. */
static double run_peer(const void *problem, const cli_lapack *from, int peer, int threads)
{
    struct work *t = *(struct work *const *)problem;
    const heevj_setup *s = t->setup;
    double seconds = NAN;
    (void)threads;
    if (peer == LAPACK)
        return lapack(t, from, s->jobz, &seconds) == CLI_OK ? seconds : NAN;
    memcpy(t->scratch, t->stack->a, stack_bytes(t->stack));
    return reference_cusolver(t->stack, t->scratch, t->result->w, s->jobz, stack_uplo(s->uplo),
                              peer == CUSOLVER_ANY, t->bad);
}

static int add_peers(struct work *t, cli_turns *turns)
{
    const heevj_setup *s = t->setup;
    const orr_type type = t->stack->type;
    const char *routine = reference_heevd_name(type);
    char name[64];
    int code = CLI_OK;
    for (int k = 0; k < s->lapacks->count && code == CLI_OK; k++) {
        const cli_lapack *l = &s->lapacks->one[k];
        snprintf(name, sizeof name, "%s %s", l->label, routine);
        if (cli_lapack_routine(l, routine)) {
            code = cli_turns_add(turns, l, LAPACK, name, t->threads);
        } else {
            cli_say("%s has no %s_", l->path, routine);
            code = CLI_FILE;
        }
    }
    if (code != CLI_OK || !wants(s, "cusolver"))
        return code;
    snprintf(name, sizeof name, "cusolver %c%sevjBatched", orr_type_letter(type),
             number_is_complex(type) ? "he" : "sy");
    code = cli_turns_add(turns, NULL, CUSOLVER_JACOBI, name, 1);
    return code == CLI_OK ? cli_turns_add(turns, NULL, CUSOLVER_ANY, "cusolver XsyevBatched", 1)
                          : code;
}

/* Run k of ours. The peers ran before it: what stays in scratch, w and info is ours. */
static int turn(void *arg, int k, cli_clock *clock)
{
    struct work *t = arg;
    const heevj_setup *s = t->setup;
    char label[64];
    if (k < 0)
        snprintf(label, sizeof label, "warm-up");
    else if (s->repeat > 1)
        snprintf(label, sizeof label, "run %d of %lld", k + 1, (long long)s->repeat);
    else
        snprintf(label, sizeof label, "%s", s->what);
    return solve(t, 0, label, clock);
}

static int run_case(struct work *t)
{
    const heevj_setup *s = t->setup;
    struct work *const problem = t;
    cli_turns *turns = &t->result->turns;
    *turns = (cli_turns){.run = s->run,
                         .context = t->context,
                         .warm_up = s->warm_up != 0,
                         .repeat = (int)s->repeat,
                         .ours = turn,
                         .arg = t,
                         .peer = run_peer,
                         .problem = &problem};
    int code = add_peers(t, turns);
    if (code == CLI_OK)
        code = cli_turns_run(turns, &t->result->record);
    if (code == CLI_OK && s->run->check) {
        double unused;
        cli_clock none;
        if (!t->have_ref)
            code = lapack(t, cli_own_lapack(), 'N', &unused);
        if (code == CLI_OK)
            code = solve(t, 1, "check", &none);
        if (code == CLI_OK)
            code = verify(t);
    }
    return code;
}

int heevj_case(orr_context *context, const orr_context_info *info, const heevj_setup *setup,
               cli_stack *stack, heevj_result *result)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *result = (heevj_result){.record = CLI_RECORD, .own_q = keeps_input(setup)};
    struct work t = {.context = context,
                     .setup = setup,
                     .stack = stack,
                     .result = result,
                     .threads = info->cpu > 0 ? info->cpu
                                : cores > 0   ? (int)cores
                                              : 1};
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
        result->record.tasks = t.report.tasks;
        snprintf(result->plan, sizeof result->plan, "%s", t.report.plan);
        result->record.plan = result->plan;
        code = heevj_outcome(result, setup, stack, info, code);
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
    cli_turns_free(&r->turns);
    *r = (heevj_result){0};
}
