/* gpu_svd_peers: what cuSOLVER has besides for the decompositions that gpu_gesvj times, on one GPU.
 *
 *   gpu_svd_peers [--type s,d,c,z] [--n 32,64,...] [--batch COUNT] [--runs R] [--json FILE]
 *
 *   Xgesvd                 QR iteration, 64-bit interface, looped
 *   Xgesvdp                polar decomposition, looped
 *   gesvdaStridedBatched   by the eigenvalues of A'A, all at once; loses digits of small values
 *
 * Square Gaussian matrices in device memory, U and V computed, one warm-up, medians; of a batch
 * whose matrices are looped over the first 64 are timed, and the time is scaled. The same matrices
 * and numbers of them as in gpu_gesvj. One JSON object for each on stdout or in FILE: "peer" is
 * its name, and scripts/gpu-report puts it beside the row of ours with this algo, type, n, batch.
 * check: the worst error of a singular value over n eps |A|_F against LAPACK, of two matrices;
 * above 100 the status is "failed", and the row is not counted as a peer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cfloat>
#include <cmath>

#include "measure.h"
#include "svd_batch.h"

extern "C" {
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, int *);
void zgesdd_(const char *, const int *, const int *, zz *, const int *, double *, zz *, const int *,
             zz *, const int *, zz *, const int *, double *, int *, int *);
}

struct settings {
    std::string types = "s,d";
    std::vector<int> orders = {32, 64, 128, 512};
    int batch = 0, runs = 3;
};

template <class T> struct kind;
#define KIND(T, R_, letter_, data_, real_, wide_, L, lower_)                                       \
    template <> struct kind<T> {                                                                   \
        typedef R_ real;                                                                           \
        typedef L library;                                                                         \
        typedef wide_ wide;                                                                        \
        static constexpr cudaDataType data = data_, values = real_;                                \
        static constexpr auto size = cusolverDn##letter_##gesvdaStridedBatched_bufferSize;         \
        static constexpr auto solve = cusolverDn##letter_##gesvdaStridedBatched;                   \
        static constexpr char letter = lower_;                                                     \
    }
KIND(float, float, S, CUDA_R_32F, CUDA_R_32F, double, float, 's');
KIND(double, double, D, CUDA_R_64F, CUDA_R_64F, double, double, 'd');
KIND(std::complex<float>, float, C, CUDA_C_32F, CUDA_R_32F, zz, cuComplex, 'c');
KIND(zz, double, Z, CUDA_C_64F, CUDA_R_64F, zz, cuDoubleComplex, 'z');

template <class T> struct problem : svd_batch<T, typename kind<T>::real> {
    memory info;
    problem(int n_, int count_)
        : svd_batch<T, typename kind<T>::real>(n_, count_), info((size_t)count_ * sizeof(int))
    {
    }
};

static void values_of(std::vector<double> a, int n, double *s)
{
    const int words = 8 * n * 8 + 64;
    int info = 0, one = 1;
    std::vector<double> work((size_t)words), none(1);
    std::vector<int> iwork((size_t)(8 * n));
    dgesdd_("N", &n, &n, a.data(), &n, s, none.data(), &one, none.data(), &one, work.data(), &words,
            iwork.data(), &info);
    need(info == 0, "dgesdd");
}
static void values_of(std::vector<zz> a, int n, double *s)
{
    const int words = 8 * n * 8 + 64;
    int info = 0, one = 1;
    std::vector<zz> work((size_t)words), none(1);
    std::vector<double> rwork((size_t)(7 * n));
    std::vector<int> iwork((size_t)(8 * n));
    zgesdd_("N", &n, &n, a.data(), &n, s, none.data(), &one, none.data(), &one, work.data(), &words,
            rwork.data(), iwork.data(), &info);
    need(info == 0, "zgesdd");
}

/* Of the first and the last of `have` matrices. */
template <class T> static double worst_value(const problem<T> &p, int have)
{
    typedef typename kind<T>::real R;
    const double eps = sizeof(R) == 4 ? FLT_EPSILON : DBL_EPSILON;
    double worst = 0;
    for (const int k : {0, have - 1}) {
        const T *const first = p.host.data() + (size_t)k * p.square;
        std::vector<typename kind<T>::wide> a(first, first + p.square);
        std::vector<double> want((size_t)p.n);
        std::vector<R> s((size_t)p.n);
        double square = 0;
        move_bytes(s.data(), p.values(k), s.size() * sizeof(R));
        values_of(a, p.n, want.data());
        for (const double x : want)
            square += x * x;
        for (int i = 0; i < p.n; i++) {
            const double x =
                std::fabs((double)s[(size_t)i] - want[(size_t)i]) / (p.n * eps * std::sqrt(square));
            worst = worse(worst, x);
        }
    }
    return worst;
}

/* solve(0) .. solve(calls-1) on fresh input. */
template <class T, class Solve>
static outcome looped(const problem<T> &p, int runs, int calls, Solve solve)
{
    return timed(
        runs, [&] { p.reset(); },
        [&] {
            bool good = true;
            for (int k = 0; k < calls && good; k++)
                good = solve(k) == CUSOLVER_STATUS_SUCCESS;
            return good;
        });
}

template <class T>
static outcome xgesvd(cusolverDnHandle_t h, const problem<T> &p, int runs, int have)
{
    typedef kind<T> K;
    const int64_t n = p.n;
    size_t device = 0, host = 0;
    cusolverDnParams_t params;
    outcome out;
    need(cusolverDnCreateParams(&params) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    if (cusolverDnXgesvd_bufferSize(h, params, 'S', 'S', n, n, K::data, p.a.p, n, K::values, p.s.p,
                                    K::data, p.u.p, n, K::data, p.v.p, n, K::data, &device,
                                    &host) == CUSOLVER_STATUS_SUCCESS) {
        memory work(device);
        std::vector<char> host_work(host + 1);
        out = looped(p, runs, have, [&](int k) {
            return cusolverDnXgesvd(h, params, 'S', 'S', n, n, K::data, p.at(p.a, k), n, K::values,
                                    p.values(k), K::data, p.at(p.u, k), n, K::data, p.at(p.v, k), n,
                                    K::data, work.p, device, host_work.data(), host,
                                    (int *)p.info.p);
        });
    }
    cusolverDnDestroyParams(params);
    return out;
}

template <class T>
static outcome xgesvdp(cusolverDnHandle_t h, const problem<T> &p, int runs, int have)
{
    typedef kind<T> K;
    const int64_t n = p.n;
    size_t device = 0, host = 0;
    double error = 0;
    cusolverDnParams_t params;
    outcome out;
    need(cusolverDnCreateParams(&params) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    if (cusolverDnXgesvdp_bufferSize(h, params, CUSOLVER_EIG_MODE_VECTOR, 1, n, n, K::data, p.a.p,
                                     n, K::values, p.s.p, K::data, p.u.p, n, K::data, p.v.p, n,
                                     K::data, &device, &host) == CUSOLVER_STATUS_SUCCESS) {
        memory work(device);
        std::vector<char> host_work(host + 1);
        out = looped(p, runs, have, [&](int k) {
            return cusolverDnXgesvdp(h, params, CUSOLVER_EIG_MODE_VECTOR, 1, n, n, K::data,
                                     p.at(p.a, k), n, K::values, p.values(k), K::data, p.at(p.u, k),
                                     n, K::data, p.at(p.v, k), n, K::data, work.p, device,
                                     host_work.data(), host, (int *)p.info.p, &error);
        });
    }
    cusolverDnDestroyParams(params);
    return out;
}

template <class T> static outcome gesvda(cusolverDnHandle_t h, const problem<T> &p, int runs, int)
{
    typedef kind<T> K;
    typedef typename K::library L;
    const int n = p.n;
    const long long square = (long long)p.square;
    int words = 0;
    outcome out;
    L *const a = (L *)p.a.p, *const u = (L *)p.u.p, *const v = (L *)p.v.p;
    typename K::real *const s = p.values(0);
    if (K::size(h, CUSOLVER_EIG_MODE_VECTOR, n, n, n, a, n, square, s, n, u, n, square, v, n,
                square, &words, p.count) == CUSOLVER_STATUS_SUCCESS) {
        memory work(sizeof(T) * (size_t)words);
        std::vector<double> norms((size_t)p.count);
        out = looped(p, runs, 1, [&](int) {
            return K::solve(h, CUSOLVER_EIG_MODE_VECTOR, n, n, n, a, n, square, s, n, u, n, square,
                            v, n, square, (L *)work.p, words, (int *)p.info.p, norms.data(),
                            p.count);
        });
    }
    return out;
}

template <class T>
static void bench(cusolverDnHandle_t h, const settings &set, FILE *file, const std::string &origin)
{
    typedef outcome peer_fn(cusolverDnHandle_t, const problem<T> &, int, int);
    static const struct {
        const char *name;
        peer_fn *run;
        bool whole; /* the batch at once */
    } peers[] = {{"Xgesvd", xgesvd<T>, false},
                 {"Xgesvdp", xgesvdp<T>, false},
                 {"gesvdaStridedBatched", gesvda<T>, true}};
    for (const int n : set.orders) {
        const int count = svd_count(n, set.batch);
        const problem<T> p(n, count);
        for (const auto &peer : peers) {
            const int have = peer.whole ? count : svd_looped(count);
            outcome o = peer.run(h, p, set.runs, have);
            for (double *const t : {&o.median, &o.min, &o.max})
                *t *= (double)count / have;
            const double worst = o.ok ? worst_value(p, have) : NAN;
            std::fprintf(file,
                         "{\"peer\":\"cusolver %s\",\"algo\":\"gesvj\",\"type\":\"%c\",\"n\":%d,"
                         "\"batch\":%d,\"timed\":%d,\"seconds\":%s,\"status\":\"%s\","
                         "\"check\":{\"values\":%s},\"provenance\":%s}\n",
                         peer.name, kind<T>::letter, n, count, have,
                         o.ok ? json_seconds(o, set.runs).c_str() : "null",
                         !o.ok          ? "refused"
                         : worst <= 100 ? "ok"
                                        : "failed",
                         json_number(worst).c_str(), origin.c_str());
            std::fflush(file);
        }
    }
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv, "[--type s,d,c,z] [--n 32,64,...] [--batch COUNT] [--runs R]",
                      {text_option("--type", &set.types), list_option("--n", &set.orders),
                       number_option("--batch", &set.batch), number_option("--runs", &set.runs)});
    beside_cusolver(run, set.types,
                    [&](auto zero, cusolverDnHandle_t h, FILE *file, const std::string &origin) {
                        bench<decltype(zero)>(h, set, file, origin);
                    });
    return 0;
}
