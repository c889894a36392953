/* gpu_heevj: batched Hermitian eigenproblems on one GPU, our three methods against cuSOLVER's two.
 *
 *   gpu_heevj [--type s,d,c,z] [--n 4,8,...] [--batch COUNT] [--runs R] [--json FILE]
 *
 * Without --batch the number of matrices falls with n. One JSON object per (type, n, method) on
 * stdout or in FILE, with the keys of docs and `orrery --json`; the references are
 * cusolverDn<t>{sy,he}evjBatched and cusolverDnXsyevBatched with default parameters, vectors
 * computed by all. Times are of the solver on data in device memory: the input is restored
 * between runs, outside the clock. The block method's time includes reading the number of
 * active matrices after every sweep. `check` holds the worst figures over a few matrices, in
 * units of n eps |A|_F (residual) and n eps (orthogonality), computed on the CPU in double; above
 * 20 the status is "failed".
 * gflops counts 9 n^3 operations per matrix (36 n^3 if complex), whatever was done.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cfloat>
#include <cmath>
#include <random>

#include "kernels/heevj.h"
#include "kernels/heevj_block.h"
#include "kernels/heevj_block_nb.h"
#include "measure.h"

struct settings {
    std::string types = "s,d,c,z";
    std::vector<int> orders = {4, 8, 16, 24, 32, 33, 48, 64, 96, 128, 192, 256, 384, 512};
    int batch = 0, runs = 5;
};

/* A scalar type as cuSOLVER and we know it. */
template <class T> struct kind;
template <> struct kind<float> {
    typedef float real;
    static constexpr orr_type type = ORR_S;
    static constexpr char letter = 's';
    static constexpr cudaDataType data = CUDA_R_32F, values = CUDA_R_32F;
    static constexpr auto size = cusolverDnSsyevjBatched_bufferSize;
    static constexpr auto solve = cusolverDnSsyevjBatched;
    typedef float library;
    static float from(double re, double) { return (float)re; }
};
template <> struct kind<double> {
    typedef double real;
    static constexpr orr_type type = ORR_D;
    static constexpr char letter = 'd';
    static constexpr cudaDataType data = CUDA_R_64F, values = CUDA_R_64F;
    static constexpr auto size = cusolverDnDsyevjBatched_bufferSize;
    static constexpr auto solve = cusolverDnDsyevjBatched;
    typedef double library;
    static double from(double re, double) { return re; }
};
template <> struct kind<std::complex<float>> {
    typedef float real;
    static constexpr orr_type type = ORR_C;
    static constexpr char letter = 'c';
    static constexpr cudaDataType data = CUDA_C_32F, values = CUDA_R_32F;
    static constexpr auto size = cusolverDnCheevjBatched_bufferSize;
    static constexpr auto solve = cusolverDnCheevjBatched;
    typedef cuComplex library;
    static std::complex<float> from(double re, double im) { return {(float)re, (float)im}; }
};
template <> struct kind<zz> {
    typedef double real;
    static constexpr orr_type type = ORR_Z;
    static constexpr char letter = 'z';
    static constexpr cudaDataType data = CUDA_C_64F, values = CUDA_R_64F;
    static constexpr auto size = cusolverDnZheevjBatched_bufferSize;
    static constexpr auto solve = cusolverDnZheevjBatched;
    typedef cuDoubleComplex library;
    static zz from(double re, double im) { return {re, im}; }
};

template <class T> struct problem {
    typedef typename kind<T>::real R;
    int n, count;
    size_t entries;
    std::vector<T> host;
    memory input, a, w, info;

    problem(int n_, int count_)
        : n(n_), count(count_), entries((size_t)n_ * n_ * count_), host(entries),
          input(entries * sizeof(T)), a(entries * sizeof(T)), w((size_t)n_ * count_ * sizeof(R)),
          info((size_t)count_ * sizeof(orr_matrix_info))
    {
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        for (int k = 0; k < count; k++)
            for (int j = 0; j < n; j++)
                for (int i = j; i < n; i++) {
                    const double re = normal(random), im = i == j ? 0 : normal(random);
                    T *const m = &host[(size_t)k * n * n];
                    m[(size_t)j * n + i] = kind<T>::from(re, im);
                    m[(size_t)i * n + j] = kind<T>::from(re, -im);
                }
        move_bytes(input.p, host.data(), entries * sizeof(T));
    }
};

template <class T> void check(const problem<T> &p, outcome *out)
{
    typedef typename kind<T>::real R;
    const int n = p.n, samples = std::min(p.count, n > 128 ? 2 : 8);
    const double eps = sizeof(R) == 4 ? FLT_EPSILON : DBL_EPSILON;
    std::vector<T> q((size_t)n * n);
    std::vector<R> w((size_t)n);
    for (int s = 0; s < samples; s++) {
        const size_t k = (size_t)s * (size_t)(p.count - 1) / (size_t)std::max(samples - 1, 1);
        move_bytes(q.data(), (const T *)p.a.p + k * n * n, q.size() * sizeof(T));
        move_bytes(w.data(), (const R *)p.w.p + k * n, w.size() * sizeof(R));
        const T *const a = &p.host[k * n * n];
        double norm = 0, residual = 0, orthogonality = 0;
        for (int e = 0; e < n * n; e++)
            norm += std::norm((zz)a[e]);
        for (int j = 0; j < n; j++) {
            std::vector<zz> y((size_t)n);
            for (int l = 0; l < n; l++)
                for (int i = 0; i < n; i++)
                    y[i] += (zz)a[(size_t)l * n + i] * (zz)q[(size_t)j * n + l];
            for (int i = 0; i < n; i++) {
                residual += std::norm(y[i] - (double)w[j] * (zz)q[(size_t)j * n + i]);
                zz g = i == j ? -1 : 0;
                for (int l = 0; l < n; l++)
                    g += std::conj((zz)q[(size_t)i * n + l]) * (zz)q[(size_t)j * n + l];
                orthogonality += std::norm(g);
            }
        }
        out->residual = worse(out->residual, std::sqrt(residual / norm) / (n * eps));
        out->orthogonality = worse(out->orthogonality, std::sqrt(orthogonality) / (n * eps));
    }
}

/* solve() on fresh input, and the check of what it left. */
template <class T>
outcome measure(const problem<T> &p, int runs, const std::function<bool()> &solve)
{
    const auto prepare = [&] {
        move_bytes(p.a.p, p.input.p, p.entries * sizeof(T));
        p.w.spoil();
    };
    outcome out = timed(runs, prepare, solve);
    if (out.ok)
        check(p, &out);
    return out;
}

template <class T> orr_heevj_args arguments(const problem<T> &p)
{
    orr_heevj_args args = {};
    args.n = args.ld = args.ldw = p.n;
    args.count = p.count;
    args.stride = (int64_t)p.n * p.n;
    args.vectors = 1;
    return args;
}

template <class T> void read_sweeps(const problem<T> &p, outcome *out)
{
    std::vector<orr_matrix_info> info((size_t)p.count);
    move_bytes(info.data(), p.info.p, info.size() * sizeof info[0]);
    for (const orr_matrix_info &i : info) {
        out->sweeps = std::max(out->sweeps, i.sweeps);
        out->ok = out->ok && i.status == ORR_OK;
    }
}

template <class T> outcome ours_jacobi(const problem<T> &p, int runs)
{
    const orr_heevj_args args = arguments(p);
    outcome out = measure(p, runs, [&] {
        return orr_heevj_jacobi_cuda[kind<T>::type](nullptr, &args, p.a.p, p.w.p,
                                                    (orr_matrix_info *)p.info.p) == ORR_OK;
    });
    read_sweeps(p, &out);
    return out;
}

template <class T> outcome ours_block(const problem<T> &p, int runs)
{
    const orr_heevj_args args = arguments(p);
    constexpr orr_type type = kind<T>::type;
    const size_t np = (size_t)orr_heevj_block_round_up(p.n);
    memory G(sizeof(T) * np * np * (size_t)p.count), Q(sizeof(T) * np * np * (size_t)p.count);
    memory scale(sizeof(double) * (size_t)p.count);
    memory words(sizeof(int32_t) * (size_t)orr_heevj_active_words(p.count));
    orr_matrix_info *const info = (orr_matrix_info *)p.info.p;
    double *const scales = (double *)scale.p;
    int32_t *const active = (int32_t *)words.p;
    outcome out = measure(p, runs, [&] {
        orr_status s =
            orr_heevj_block_start_cuda[type](nullptr, &args, p.a.p, G.p, Q.p, scales, active, info);
        int32_t left = 1;
        while (s == ORR_OK && left > 0) {
            s = orr_heevj_block_sweep_cuda[type](nullptr, &args, G.p, Q.p, active, info);
            if (s == ORR_OK)
                s = orr_heevj_block_compact_cuda[type](nullptr, &args, active, info);
            if (cudaMemcpy(&left, active, sizeof left, cudaMemcpyDeviceToHost) != cudaSuccess)
                return false;
        }
        return s == ORR_OK && orr_heevj_block_finish_cuda[type](nullptr, &args, G.p, Q.p, scales,
                                                                p.a.p, p.w.p, info) == ORR_OK;
    });
    read_sweeps(p, &out);
    return out;
}

template <class T> outcome ours_lanes(const problem<T> &p, int runs)
{
    const orr_heevj_args args = arguments(p);
    const orr_heevj_rounds rounds = orr_heevj_lanes_rounds(p.n);
    memory work((size_t)orr_heevj_lanes_cuda_work(kind<T>::type, &args, &rounds));
    outcome out = measure(p, runs, [&] {
        return orr_heevj_lanes_cuda[kind<T>::type](nullptr, &args, &rounds, p.a.p, p.w.p,
                                                   (orr_matrix_info *)p.info.p, work.p) == ORR_OK;
    });
    read_sweeps(p, &out);
    return out;
}

template <class T> outcome cusolver_jacobi(cusolverDnHandle_t h, const problem<T> &p, int runs)
{
    typedef kind<T> K;
    typedef typename K::library L;
    syevjInfo_t params;
    need(cusolverDnCreateSyevjInfo(&params) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    int words = 0;
    outcome out;
    if (K::size(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p.n, (L *)p.a.p, p.n,
                (typename K::real *)p.w.p, &words, params, p.count) == CUSOLVER_STATUS_SUCCESS) {
        memory work(sizeof(T) * (size_t)words), info(sizeof(int) * (size_t)p.count);
        out = measure(p, runs, [&] {
            return K::solve(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p.n, (L *)p.a.p,
                            p.n, (typename K::real *)p.w.p, (L *)work.p, words, (int *)info.p,
                            params, p.count) == CUSOLVER_STATUS_SUCCESS;
        });
    }
    cusolverDnDestroySyevjInfo(params);
    return out;
}

template <class T> outcome cusolver_any(cusolverDnHandle_t h, const problem<T> &p, int runs)
{
    typedef kind<T> K;
    cusolverDnParams_t params;
    need(cusolverDnCreateParams(&params) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    size_t device = 0, host = 0;
    outcome out;
    if (cusolverDnXsyevBatched_bufferSize(
            h, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p.n, K::data, p.a.p, p.n,
            K::values, p.w.p, K::data, &device, &host, p.count) == CUSOLVER_STATUS_SUCCESS) {
        memory work(device), info(sizeof(int) * (size_t)p.count);
        std::vector<char> host_work(host + 1);
        out = measure(p, runs, [&] {
            return cusolverDnXsyevBatched(
                       h, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p.n, K::data,
                       p.a.p, p.n, K::values, p.w.p, K::data, work.p, device, host_work.data(),
                       host, (int *)info.p, p.count) == CUSOLVER_STATUS_SUCCESS;
        });
    }
    cusolverDnDestroyParams(params);
    return out;
}

template <class T>
void bench(cusolverDnHandle_t h, const settings &set, FILE *file, const std::string &origin)
{
    const bool complex_type = sizeof(T) != sizeof(typename kind<T>::real);
    for (const int n : set.orders) {
        /* About 2^24 entries, at most 32000 matrices (more than cusolverDnXsyevBatched takes). */
        const int count = set.batch > 0 ? set.batch : std::clamp((1 << 24) / (n * n), 64, 32000);
        const problem<T> p(n, count);
        const outcome jacobi_ref = cusolver_jacobi(h, p, set.runs);
        const outcome any_ref = cusolver_any(h, p, set.runs);
        const struct {
            const char *method;
            bool fits;
            outcome (*run)(const problem<T> &, int);
        } ours[] = {{"jacobi", n <= orr_heevj_cuda_max_n(kind<T>::type, 1), ours_jacobi<T>},
                    {"lanes", n >= 8 && n <= ORR_HEEVJ_LANES_CUDA_MAX_N, ours_lanes<T>},
                    {"block", n > 32, ours_block<T>}};
        for (const auto &way : ours) {
            if (!way.fits)
                continue;
            const outcome o = way.run(p, set.runs);
            const bool good = o.ok && o.residual <= 20 && o.orthogonality <= 20; /* NaN is not */
            const double flops = 9.0 * (complex_type ? 4 : 1) * n * n * n * count;
            const std::string name =
                std::string("cusolver ") + kind<T>::letter + (complex_type ? "he" : "sy");
            std::fprintf(
                file,
                "{\"algo\":\"heevj\",\"method\":\"%s\",\"type\":\"%c\",\"n\":%d,\"m\":null,"
                "\"band\":null,\"batch\":%d,\"sched\":null,\"workers\":{\"cpu\":0,\"cuda\":1},"
                "\"seconds\":%s,\"gflops\":%.5g,\"status\":\"%s\",\"sweeps\":%d,\"check\":%s,"
                "\"ref\":[%s,%s],\"bound\":{},\"plan\":{},\"provenance\":%s}\n",
                way.method, kind<T>::letter, n, count, json_seconds(o, set.runs).c_str(),
                o.median > 0 ? flops / o.median / 1e9 : 0.0, good ? "ok" : "failed", o.sweeps,
                json_check(o).c_str(),
                json_ref(name + "evjBatched", jacobi_ref, o, set.runs).c_str(),
                json_ref("cusolver XsyevBatched", any_ref, o, set.runs).c_str(), origin.c_str());
            std::fflush(file);
        }
    }
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv, "[--type s,d,c,z] [--n 4,8,...] [--batch COUNT] [--runs R]",
                      {text_option("--type", &set.types), list_option("--n", &set.orders),
                       number_option("--batch", &set.batch), number_option("--runs", &set.runs)});
    beside_cusolver(run, set.types,
                    [&](auto zero, cusolverDnHandle_t h, FILE *file, const std::string &origin) {
                        bench<decltype(zero)>(h, set, file, origin);
                    });
    return 0;
}
