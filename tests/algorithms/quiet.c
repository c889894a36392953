/* The library writes nothing to standard output and error: by every operation, refused, failing and
 * cancelled ones, where the home cannot be written, in a forked child.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "orrery/models.h"
#include "orrery/sparse.h"

static orr_context *ctx;

static void cancels(int64_t done, int64_t total, void *arg)
{
    (void)done, (void)total, (void)arg;
    orr_cancel(ctx);
}

enum { N = 60 };
static double a[N * N], u[N * N], v[N * N], w[2 * N], band[N * 9];

static void fill(void)
{
    for (int i = 0; i < N * N; i++)
        a[i] = 1.0 / (1 + i % 13) - 0.3;
    for (int i = 0; i < N * 9; i++)
        band[i] = 1.0 / (1 + i % 7);
}

static void operations(void)
{
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = 1, .m = N, .n = 1, .a = w};
    const orr_batch U = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = u};
    char message[256];
    orr_mtx m;
    orr_sparse *S;
    orr_eigenpair pair[2];
    orr_powm_result result;
    fill();
    CHECK(orr_gesvj(ctx, &A, &W, &U, NULL, NULL, NULL, NULL) == ORR_OK);
    CHECK(orr_heevj(ctx, &A, &W, NULL, NULL, NULL) == ORR_OK);
    for (int k = 1; k < ORR_NDENSE; k++) {
        fill();
        CHECK(orr_heev(ctx, ORR_D, 'L', N, a, N, w, u, N,
                       &(orr_heev_opts){.method = (orr_dense_method)k}, NULL) == ORR_OK);
        fill();
        CHECK(orr_gesvd(ctx, ORR_D, N, N, a, N, w, u, N, v, N,
                        &(orr_gesvd_opts){.method = (orr_dense_method)k}, NULL) == ORR_OK);
    }
    CHECK(orr_hb2st(ctx, ORR_D, 'L', N, 8, band, 9, w, w + N, NULL, NULL) == ORR_OK);
    CHECK(orr_gb2bd(ctx, ORR_D, N, N, 2, 6, band, 9, w, w + N, NULL, NULL) == ORR_OK);
    CHECK(orr_generate("laplace3d:5", 1, &m, message) == ORR_OK);
    CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &S, message) == ORR_OK);
    CHECK(orr_powm(ctx, S, NULL, pair, NULL, &result, NULL) == ORR_OK);
    orr_sparse_free(S);
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = 1}, &S, message) == ORR_OK ||
          message[0]);
    orr_sparse_free(S);
    orr_mtx_free(&m);

    fill();
    CHECK(orr_heev(ctx, ORR_D, 'L', N, a, 1, w, u, N, NULL, NULL) == ORR_E_ARG);
    a[7] = NAN;
    CHECK(orr_heev(ctx, ORR_D, 'L', N, a, N, w, u, N, NULL, NULL) == ORR_E_NONFINITE);
    fill();
    CHECK(orr_heev(ctx, ORR_D, 'L', N, a, N, w, u, N,
                   &(orr_heev_opts){.method = ORR_DENSE_TWO_STAGE, .progress = cancels},
                   NULL) == ORR_E_CANCELLED);
}

static void in_child(void)
{
    int status = 1;
    const pid_t pid = fork();
    if (pid == 0) {
        const orr_batch A = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = a};
        const orr_batch W = {.type = ORR_D, .batch = 1, .m = N, .n = 1, .a = w};
        _exit(orr_heevj(ctx, &A, &W, NULL, NULL, NULL) != ORR_E_NOWORKER);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Of StarPU 1.4 in Debian 13; docs/known-problems.md */
static int known(const char *line)
{
    return strstr(line, "[_perf_model_add_dir] Warning: ") != NULL;
}

int main(void)
{
    char line[4096], message[ORR_MESSAGE] = "";
    FILE *written = tmpfile();
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    if (!written || out < 0 || err < 0)
        return 2;
    fflush(NULL);
    dup2(fileno(written), STDOUT_FILENO);
    dup2(fileno(written), STDERR_FILENO);
    unsetenv("STARPU_SILENT");
    unsetenv("STARPU_HOME");
    unsetenv("STARPU_PERF_MODEL_DIR");
    unsetenv("XDG_CACHE_HOME");
    for (int home = 0; home < 2; home++) {
        if (home)
            setenv("HOME", "/proc/no/home", 1); /* nobody can write there */
        CHECK(orr_open(NULL, &ctx) == ORR_OK);
        operations();
        in_child();
        orr_close(ctx);
    }
    CHECK(orr_open(&(orr_context_opts){.model_dir = "/proc/no/models", .message = message}, &ctx) ==
          ORR_E_FILE);
    CHECK(strstr(message, "/proc/no/models"), "%s", message);
    CHECK(orr_open(&(orr_context_opts){.sched = "no-such-policy"}, &ctx) == ORR_E_SCHED);
    const int found = failures; /* what CHECK writes goes there, too */
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    rewind(written);
    while (fgets(line, sizeof line, written)) {
        printf("written: %s", line);
        CHECK(known(line) || found);
    }
    fclose(written);
    return checked();
}
