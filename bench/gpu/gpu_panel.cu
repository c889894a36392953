/* gpu_panel: Householder QR of panels on one GPU, by thread blocks that tell each other through memory and by one
 * cluster (kernels/panel.h).
 *
 *   gpu_panel [--type s,d,c,z] [--m 8192,4096,1024] [--b 64,32] [--runs R] [--json FILE]
 *
 * Two JSON objects per (type, m, b), `method` apart and cluster; n is the panel's rows, band its columns, and the `ref`
 * of the second is the first. Random panels in device memory, restored between runs outside the clock. `check`:
 * `residual` is |Q (R; 0) - A|_F and `orthogonality` |Q' A - (R; 0)|_F, both over (m + b) eps |A|_F. `plan` says how
 * it was cut, and what a column takes, in microseconds. gflops counts 2 m b^2 operations (8 m b^2 if complex). Status
 * "refused": the panel does not fit, or the device has no clusters.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cmath>
#include <limits>
#include <random>

#include "kernels/panel.h"
#include "kinds.h"
#include "program.h"

struct settings {
    std::string types = "d";
    std::vector<int> rows = {8192, 4096, 1024}, columns = {64, 32};
    int runs = 20;
};

static const struct form {
    const char *name;
    orr_panel_fn *const *panel;
    orr_panel_cut_fn *const *cut;
} forms[] = {{"apart", orr_panel_cuda_apart, orr_panel_cuda_apart_cut},
             {"cluster", orr_panel_cuda_cluster, orr_panel_cuda_cluster_cut}};

typedef std::vector<zz> columns; /* of a matrix, one after the other */

/* x - V S V' x, or with the adjoint of S; V is m x w, x m x b. */
static columns reflected(const columns &v, const columns &s, int64_t m, int64_t w, columns x,
                         int64_t b, bool adjoint)
{
    for (int64_t c = 0; c < b; c++) {
        std::vector<zz> y((size_t)w), z((size_t)w);
        zz *const column = &x[(size_t)(c * m)];
        for (int64_t k = 0; k < w; k++)
            for (int64_t i = k; i < m; i++)
                y[(size_t)k] += std::conj(v[(size_t)(i + k * m)]) * column[i];
        for (int64_t k = 0; k < w; k++)
            for (int64_t l = 0; l < w; l++)
                z[(size_t)k] +=
                    (adjoint ? std::conj(s[(size_t)(l + k * w)]) : s[(size_t)(k + l * w)]) *
                    y[(size_t)l];
        for (int64_t k = 0; k < w; k++)
            for (int64_t i = k; i < m; i++)
                column[i] -= v[(size_t)(i + k * m)] * z[(size_t)k];
    }
    return x;
}

static double distance(const columns &x, const columns &y)
{
    double sum = 0;
    for (size_t i = 0; i < x.size(); i++)
        sum += std::norm(x[i] - y[i]);
    return std::sqrt(sum);
}

template <class T> static columns copy_of(const memory &x, int64_t count)
{
    std::vector<T> some((size_t)count);
    move_bytes(some.data(), x.p, (size_t)count * sizeof(T));
    return columns(some.begin(), some.end());
}

template <class T>
static outcome measure(const settings &set, const form &by, const std::vector<T> &a, int64_t m,
                       int64_t b)
{
    const int64_t w = std::min<int64_t>(m, b);
    const memory start(a.data(), a.size() * sizeof(T)), q(a.size() * sizeof(T));
    const memory r((size_t)(b * b) * sizeof(T)), s((size_t)(w * w) * sizeof(T));
    const auto restore = [&] { move_bytes(q.p, start.p, a.size() * sizeof(T)); };
    outcome found = timed(set.runs, restore, [&] {
        return by.panel[kind<T>::type](nullptr, m, b, q.p, r.p, s.p) == ORR_OK;
    });
    if (!found.ok)
        return found;
    const columns was(a.begin(), a.end()), v = copy_of<T>(q, m * w), S = copy_of<T>(s, w * w);
    const columns R = copy_of<T>(r, b * b);
    columns below((size_t)(m * b)); /* (R; 0) */
    for (int64_t j = 0; j < b; j++)
        for (int64_t i = 0; i <= std::min<int64_t>(j, w - 1); i++)
            below[(size_t)(i + j * m)] = R[(size_t)(i + j * b)];
    const double unit = (double)(m + b) * std::numeric_limits<typename kind<T>::real>::epsilon() *
                        distance(was, columns(was.size()));
    found.residual = distance(reflected(v, S, m, w, below, b, false), was) / unit;
    found.orthogonality = distance(reflected(v, S, m, w, was, b, true), below) / unit;
    return found;
}

template <class T> static void bench(const settings &set, FILE *file, const std::string &origin)
{
    for (const int m : set.rows)
        for (const int b : set.columns) {
            std::mt19937_64 random(1);
            std::uniform_real_distribution<double> uniform(-1, 1);
            std::vector<T> a((size_t)m * (size_t)b);
            for (T &x : a)
                if constexpr (is_complex<T>)
                    x = T((typename kind<T>::real)uniform(random),
                          (typename kind<T>::real)uniform(random));
                else
                    x = (T)uniform(random);
            outcome first;
            for (const form &by : forms) {
                const orr_panel_cut c = by.cut[kind<T>::type](m, b);
                const outcome o = measure(set, by, a, m, b);
                const bool good = o.ok && o.residual <= 4 && o.orthogonality <= 4;
                const double operations = (is_complex<T> ? 8.0 : 2.0) * m * b * b;
                std::fprintf(
                    file,
                    "{\"algo\":\"panel\",\"method\":\"%s\",\"type\":\"%c\",\"n\":%d,\"m\":null,"
                    "\"band\":%d,\"batch\":1,\"sched\":null,\"workers\":{\"cpu\":0,\"cuda\":1},"
                    "\"seconds\":%s,\"gflops\":%.5g,\"status\":\"%s\",\"sweeps\":null,"
                    "\"check\":%s,\"ref\":[%s],\"plan\":{\"launches\":%d,\"blocks\":%d,"
                    "\"rows\":%d,\"columns\":%d,\"column_us\":%.4g},\"provenance\":%s}\n",
                    by.name, "sdcz"[kind<T>::type], m, b,
                    o.ok ? json_seconds(o, set.runs).c_str() : "null",
                    o.ok ? operations / o.median / 1e9 : 0.0,
                    !o.ok  ? "refused"
                    : good ? "ok"
                           : "failed",
                    o.ok ? json_check(o).c_str() : "null",
                    first.ok && o.ok ? json_ref(forms[0].name, first, o, set.runs).c_str() : "",
                    (int)c.launches, (int)c.blocks, (int)c.rows, (int)c.columns,
                    o.ok ? 1e6 * o.median / (double)std::min<int64_t>(m, b) : 0.0, origin.c_str());
                std::fflush(file);
                if (!first.ok)
                    first = o;
            }
        }
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv, "[--type s,d,c,z] [--m 8192,4096,1024] [--b 64,32] [--runs R]",
                      {text_option("--type", &set.types), list_option("--m", &set.rows),
                       list_option("--b", &set.columns), number_option("--runs", &set.runs)});
    const std::string origin = provenance_of(run.command, "");
    for_each_type(set.types, [&](auto zero) { bench<decltype(zero)>(set, run.file, origin); });
    return 0;
}
