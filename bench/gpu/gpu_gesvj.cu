/* gpu_gesvj: singular value decompositions of a batch on one GPU, ours against cuSOLVER.
 *
 *   gpu_gesvj [--type s,d,c,z] [--n 8,16,...] [--batch COUNT] [--bundle K,...] [--runs R]
 *             [--json FILE]
 *
 * One JSON object per (type, n), above n = 64 per (type, n, bundle), on stdout or in FILE, with the
 * keys of docs and `orrery --json`. Square Gaussian matrices, U and V computed by all. References:
 * gesvdjBatched (n <= 32), and gesvdj and gesvd in a loop over the first matrices, their time
 * scaled to the batch. Everybody works on data in device memory. Up to n = 64 we have one kernel.
 * Above, matrices go in bundles of K, one after the other: start, sweeps until all of them have
 * converged, the measure of each sweep read back, finish; plan says what of the seconds start and
 * finish took. K: what fills the device, unless told otherwise.
 *
 * `check`: the worst |A - U S V'|_F / (n eps |A|_F) and orthogonality / (n eps) over a few
 * matrices, by the CPU. gflops counts 12 n^3 operations per matrix (48 n^3 if complex) for every
 * sweep that was made.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvj.h"
#include "measure.h"
#include "svd_batch.h"

struct settings {
    std::string types = "s,d,c,z";
    std::vector<int> orders = {8, 16, 24, 32, 33, 48, 64, 96, 128, 256, 512};
    std::vector<int> bundles = {0}; /* 0: what fills the device */
    int batch = 0, runs = 5;
};

/* A scalar type as cuSOLVER and we know it. */
template <class T> struct kind;
#define KIND(T, real_, type_, letter_, L)                                                          \
    template <> struct kind<T> {                                                                   \
        typedef real_ real;                                                                        \
        typedef L library;                                                                         \
        static constexpr orr_type type = type_;                                                    \
        static constexpr auto jacobi_size = cusolverDn##letter_##gesvdj_bufferSize;                \
        static constexpr auto jacobi = cusolverDn##letter_##gesvdj;                                \
        static constexpr auto batched_size = cusolverDn##letter_##gesvdjBatched_bufferSize;        \
        static constexpr auto batched = cusolverDn##letter_##gesvdjBatched;                        \
        static constexpr auto qr_size = cusolverDn##letter_##gesvd_bufferSize;                     \
        static constexpr auto qr = cusolverDn##letter_##gesvd;                                     \
    }
KIND(float, float, ORR_S, S, float);
KIND(double, double, ORR_D, D, double);
KIND(std::complex<float>, float, ORR_C, C, cuComplex);
KIND(zz, double, ORR_Z, Z, cuDoubleComplex);
static const char letters[] = "sdcz";

template <class T> struct problem : svd_batch<T, typename kind<T>::real> {
    orr_gesvj_args g = {};
    problem(int n_, int count_) : svd_batch<T, typename kind<T>::real>(n_, count_)
    {
        g.m = g.n = g.ld = g.lds = g.ldu = g.ldv = n_;
        g.stride = g.strideu = g.stridev = (int64_t)this->square;
        g.count = count_;
        g.left = g.right = g.precondition = 1;
        g.nb = n_ > 64 ? 32 : 16;
    }
};

/* The worst figures of a few of the first `have` matrices. */
template <class T> void judge(const problem<T> &p, int have, outcome *out)
{
    const int samples = std::min(have, p.n > 128 ? 2 : 8);
    std::vector<T> u(p.square), v(p.square);
    std::vector<typename kind<T>::real> s((size_t)p.n);
    orr_gesvj_args g = p.g;
    g.count = 1;
    for (int i = 0; i < samples; i++) {
        const size_t k = (size_t)i * (size_t)(have - 1) / (size_t)std::max(samples - 1, 1);
        orr_matrix_info info = {};
        move_bytes(u.data(), (const T *)p.u.p + k * p.square, p.square * sizeof(T));
        move_bytes(v.data(), (const T *)p.v.p + k * p.square, p.square * sizeof(T));
        move_bytes(s.data(), (const char *)p.s.p + k * p.n * sizeof s[0], s.size() * sizeof s[0]);
        need(orr_gesvj_check_cpu[kind<T>::type](&g, &p.host[k * p.square], s.data(), u.data(),
                                                v.data(), &info) == ORR_OK,
             "check");
        out->residual = worse(out->residual, info.residual);
        out->orthogonality = worse(out->orthogonality, info.orthogonality);
    }
}

/* ---- cuSOLVER ------------------------------------------------------------------------------- */

template <class T> outcome cusolver_batched(cusolverDnHandle_t h, const problem<T> &p, int runs)
{
    typedef kind<T> K;
    typedef typename K::library L;
    typedef typename K::real R;
    gesvdjInfo_t params;
    outcome out;
    int words = 0;
    if (p.n > 32)
        return out;
    need(cusolverDnCreateGesvdjInfo(&params) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    if (K::batched_size(h, CUSOLVER_EIG_MODE_VECTOR, p.n, p.n, (L *)p.a.p, p.n, (R *)p.s.p,
                        (L *)p.u.p, p.n, (L *)p.v.p, p.n, &words, params,
                        p.count) == CUSOLVER_STATUS_SUCCESS) {
        memory work(sizeof(T) * (size_t)words), info(sizeof(int) * (size_t)p.count);
        out = timed(
            runs, [&] { p.reset(); },
            [&] {
                return K::batched(h, CUSOLVER_EIG_MODE_VECTOR, p.n, p.n, (L *)p.a.p, p.n,
                                  (R *)p.s.p, (L *)p.u.p, p.n, (L *)p.v.p, p.n, (L *)work.p, words,
                                  (int *)info.p, params, p.count) == CUSOLVER_STATUS_SUCCESS;
            });
        if (out.ok)
            judge(p, p.count, &out);
    }
    cusolverDnDestroyGesvdjInfo(params);
    return out;
}

static void scale(outcome *out, double factor)
{
    out->median *= factor;
    out->min *= factor;
    out->max *= factor;
}

template <class T> outcome cusolver_jacobi(cusolverDnHandle_t h, const problem<T> &p, int runs)
{
    typedef kind<T> K;
    typedef typename K::library L;
    typedef typename K::real R;
    gesvdjInfo_t params;
    outcome out;
    int words = 0;
    const int have = svd_looped(p.count);
    need(cusolverDnCreateGesvdjInfo(&params) == CUSOLVER_STATUS_SUCCESS, "cusolver");
    if (K::jacobi_size(h, CUSOLVER_EIG_MODE_VECTOR, 1, p.n, p.n, (L *)p.a.p, p.n, (R *)p.s.p,
                       (L *)p.u.p, p.n, (L *)p.v.p, p.n, &words,
                       params) == CUSOLVER_STATUS_SUCCESS) {
        memory work(sizeof(T) * (size_t)words), info(sizeof(int));
        out = timed(
            runs, [&] { p.reset(); },
            [&] {
                bool good = true;
                for (int k = 0; good && k < have; k++) {
                    const size_t at = (size_t)k * p.square;
                    good = K::jacobi(h, CUSOLVER_EIG_MODE_VECTOR, 1, p.n, p.n, (L *)p.a.p + at, p.n,
                                     (R *)p.s.p + k * p.n, (L *)p.u.p + at, p.n, (L *)p.v.p + at,
                                     p.n, (L *)work.p, words, (int *)info.p,
                                     params) == CUSOLVER_STATUS_SUCCESS;
                }
                return good;
            });
        if (out.ok)
            judge(p, have, &out);
        scale(&out, (double)p.count / have);
    }
    cusolverDnDestroyGesvdjInfo(params);
    return out;
}

/* Its V comes transposed, so it is not judged. */
template <class T> outcome cusolver_qr(cusolverDnHandle_t h, const problem<T> &p, int runs)
{
    typedef kind<T> K;
    typedef typename K::library L;
    typedef typename K::real R;
    outcome out;
    int words = 0;
    const int have = svd_looped(p.count);
    if (K::qr_size(h, p.n, p.n, &words) != CUSOLVER_STATUS_SUCCESS)
        return out;
    memory work(sizeof(T) * (size_t)words), info(sizeof(int)), real_work(sizeof(R) * (size_t)p.n);
    out = timed(
        runs, [&] { p.reset(); },
        [&] {
            bool good = true;
            for (int k = 0; good && k < have; k++) {
                const size_t at = (size_t)k * p.square;
                good = K::qr(h, 'S', 'S', p.n, p.n, (L *)p.a.p + at, p.n, (R *)p.s.p + k * p.n,
                             (L *)p.u.p + at, p.n, (L *)p.v.p + at, p.n, (L *)work.p, words,
                             (R *)real_work.p, (int *)info.p) == CUSOLVER_STATUS_SUCCESS;
            }
            return good;
        });
    scale(&out, (double)p.count / have);
    return out;
}

/* ---- Ours -------------------------------------------------------------------------------------
 */

template <class T> outcome ours_whole(const problem<T> &p, int runs)
{
    const orr_type t = kind<T>::type;
    memory work((size_t)orr_gesvj_cuda_work(t, &p.g));
    memory records((size_t)p.count * sizeof(orr_matrix_info));
    outcome out = timed(
        runs, [&] { p.reset(); },
        [&] {
            return orr_gesvj_cuda[t](nullptr, &p.g, p.input.p, p.s.p, p.u.p, p.v.p, work.p,
                                     (orr_matrix_info *)records.p) == ORR_OK;
        });
    std::vector<orr_matrix_info> info((size_t)p.count);
    move_bytes(info.data(), records.p, info.size() * sizeof info[0]);
    for (const orr_matrix_info &i : info) {
        out.sweeps = std::max(out.sweeps, i.sweeps);
        out.ok = out.ok && i.status == ORR_OK;
    }
    if (out.ok)
        judge(p, p.count, &out);
    return out;
}

/* Room for a bundle. X, J, rotations and records of its matrices lie one after the other. */
template <class T> struct bundle {
    const problem<T> &p;
    orr_gesvj_args g;
    orr_gesvj_shape s;
    int64_t size, pairs;
    size_t x_size, j_size, factors_size, head_size, turn_size; /* elements; of the last, bytes */
    memory factors, X, J, head, info, rotations, seen, work;
    std::vector<int32_t> heads;
    std::vector<int> sweeps;
    std::vector<char> settled, done;
    double start_seconds = 0, finish_seconds = 0;

    bundle(const problem<T> &p_, int64_t size_)
        : p(p_), g(p_.g), s(orr_gesvj_shape_of(&p_.g)), size(size_), pairs(s.blocks / 2),
          x_size((size_t)(s.blocks * s.rows * g.nb)), j_size((size_t)(s.blocks * s.small * g.nb)),
          factors_size((size_t)orr_gesvj_factors(&g)),
          head_size((size_t)(ORR_GESVJ_PIVOTS + s.small)),
          turn_size((size_t)(pairs * orr_gesvj_rotation_bytes(g.nb, (int64_t)sizeof(T)))),
          factors((size_t)size * factors_size * sizeof(T)), X((size_t)size * x_size * sizeof(T)),
          J((size_t)size * j_size * sizeof(T)), head((size_t)size * head_size * sizeof(int32_t)),
          info((size_t)size * sizeof(orr_matrix_info)), rotations((size_t)size * turn_size),
          seen((size_t)(size * pairs) * sizeof(orr_gesvj_seen)),
          work((size_t)(size * orr_gesvj_cuda_member_work(kind<T>::type, &g))),
          heads((size_t)size * head_size), sweeps((size_t)size), settled((size_t)size),
          done((size_t)size)
    {
        g.count = 1;
    }
    std::vector<orr_gesvj_member> members(int64_t first, int64_t count) const
    {
        std::vector<orr_gesvj_member> all((size_t)count);
        for (size_t k = 0; k < all.size(); k++) {
            const size_t at = (size_t)first + k;
            orr_gesvj_member &m = all[k];
            m = {};
            m.a = (const T *)p.input.p + at * p.square;
            m.factors = (T *)factors.p + k * factors_size;
            m.X = (T *)X.p + k * x_size;
            m.J = (T *)J.p + k * j_size;
            m.head = (int32_t *)head.p + k * head_size;
            m.info = (orr_matrix_info *)info.p + k;
            m.s = (typename kind<T>::real *)p.s.p + at * (size_t)p.n;
            m.u = (T *)p.u.p + at * p.square;
            m.v = (T *)p.v.p + at * p.square;
            m.sweeps = sweeps[k];
        }
        return all;
    }
    /* One of the matrices that have not converged. */
    bool sweep(int64_t count)
    {
        const orr_type t = kind<T>::type;
        std::vector<orr_gesvj_pointers> x, j;
        std::vector<size_t> in;
        for (size_t k = 0; k < (size_t)count; k++) {
            if (done[k])
                continue;
            T *const of[2] = {(T *)X.p + k * x_size, (T *)J.p + k * j_size};
            char *const G = (char *)rotations.p + k * turn_size;
            x.push_back({of[0], of[0] + s.rows * g.nb, nullptr, G,
                         (orr_gesvj_seen *)seen.p + k * (size_t)pairs});
            if (heads[k * head_size + ORR_GESVJ_ACCUMULATES])
                j.push_back({of[1], of[1] + s.small * g.nb, nullptr, G, nullptr});
            in.push_back(k);
        }
        for (int64_t r = 0; r < s.blocks - 1; r++) {
            const orr_gesvj_list lx = {(int64_t)x.size(), s.blocks, r, x.data()},
                                 lj = {(int64_t)j.size(), s.blocks, r, j.data()};
            if (orr_gesvj_angle_cuda[t](nullptr, &g, r == 0, &lx) != ORR_OK ||
                orr_gesvj_rotate_cuda[t](nullptr, &g, s.rows, &lx) != ORR_OK ||
                orr_gesvj_rotate_cuda[t](nullptr, &g, s.small, &lj) != ORR_OK)
                return false;
        }
        measure(in);
        return true;
    }
    void measure(const std::vector<size_t> &in)
    {
        std::vector<orr_gesvj_seen> each((size_t)(size * pairs));
        move_bytes(each.data(), seen.p, each.size() * sizeof each[0]);
        for (const size_t k : in) {
            orr_gesvj_seen all = {0, 0, 0};
            for (size_t i = 0; i < (size_t)pairs; i++)
                orr_gesvj_join(&all, &each[k * (size_t)pairs + i]);
            sweeps[k] += all.rotated > 0;
            done[k] = settled[k] || all.rotated == 0 || sweeps[k] >= 30;
            settled[k] |= orr_gesvj_settled(&all, s.small, orr_gesvj_tolerance(kind<T>::type, &g));
        }
    }
    /* Matrices first .. first+count of the problem. */
    bool solve(int64_t first, int64_t count)
    {
        const orr_type t = kind<T>::type;
        std::fill(sweeps.begin(), sweeps.end(), 0);
        std::fill(settled.begin(), settled.end(), 0);
        std::fill(done.begin(), done.end(), 0);
        double begin = now();
        if (orr_gesvj_start_cuda[t](nullptr, &g, count, members(first, count).data(), work.p) !=
            ORR_OK)
            return false;
        move_bytes(heads.data(), head.p, heads.size() * sizeof heads[0]); /* waits */
        start_seconds += now() - begin;
        while (std::count(done.begin(), done.begin() + count, 0) > 0)
            if (!sweep(count))
                return false;
        begin = now();
        const bool good = orr_gesvj_finish_cuda[t](nullptr, &g, count, members(first, count).data(),
                                                   work.p) == ORR_OK;
        need(cudaDeviceSynchronize() == cudaSuccess, "finish");
        finish_seconds += now() - begin;
        return good && std::count(settled.begin(), settled.begin() + count, 0) == 0;
    }
};

/* *size: of bundles; 0 becomes what fills the device. */
template <class T>
outcome ours_blocks(const problem<T> &p, int runs, int *size, double *start_seconds,
                    double *finish_seconds)
{
    const int64_t pairs = orr_gesvj_shape_of(&p.g).blocks / 2;
    if (*size == 0)
        *size = (int)std::min<int64_t>((orr_gesvj_cuda_pairs() + pairs - 1) / pairs, 64);
    *size = std::min(*size, p.count);
    bundle<T> b(p, *size);
    int most = 0;
    const auto prepare = [&] {
        p.reset();
        b.start_seconds = b.finish_seconds = 0;
    };
    outcome out = timed(runs, prepare, [&] {
        for (int first = 0; first < p.count; first += *size) {
            if (!b.solve(first, std::min(*size, p.count - first)))
                return false;
            most = std::max(most, *std::max_element(b.sweeps.begin(), b.sweeps.end()));
        }
        return true;
    });
    *start_seconds = b.start_seconds; /* of the last run */
    *finish_seconds = b.finish_seconds;
    out.sweeps = most;
    if (out.ok)
        judge(p, p.count, &out);
    return out;
}

/* ---- Records ------------------------------------------------------------------------------------
 */

static int64_t shared_of_block()
{
    int device = 0, bytes = 0;
    need(cudaGetDevice(&device) == cudaSuccess &&
             cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
                 cudaSuccess,
         "shared memory");
    return bytes;
}

template <class T>
void bench(cusolverDnHandle_t h, const settings &set, FILE *file, const std::string &origin)
{
    for (const int n : set.orders) {
        const int count = svd_count(n, set.batch);
        const problem<T> p(n, count);
        const outcome refs[] = {cusolver_batched(h, p, set.runs), cusolver_jacobi(h, p, set.runs),
                                cusolver_qr(h, p, set.runs)};
        static const char *const names[] = {"gesvdjBatched", "gesvdj", "gesvd"};
        const bool whole = n <= orr_gesvj_cuda_max_small(kind<T>::type, shared_of_block());
        for (int size : whole ? std::vector<int>{0} : set.bundles) {
            double start = 0, finish = 0;
            const outcome o =
                whole ? ours_whole(p, set.runs) : ours_blocks(p, set.runs, &size, &start, &finish);
            std::string list;
            for (int i = 0; i < 3; i++)
                list += (i ? "," : "") +
                        json_ref(std::string("cusolver ") + letters[kind<T>::type] + names[i],
                                 refs[i], o, set.runs);
            const bool good = o.ok && o.residual <= 20 && o.orthogonality <= 20;
            const double flops = 12.0 * (sizeof(T) == sizeof(typename kind<T>::real) ? 1 : 4) * n *
                                 n * n * count * std::max(o.sweeps, 1);
            std::fprintf(
                file,
                "{\"algo\":\"gesvj\",\"method\":\"%s\",\"type\":\"%c\",\"n\":%d,\"m\":%d,"
                "\"band\":null,\"batch\":%d,\"sched\":null,\"workers\":{\"cpu\":0,\"cuda\":1},"
                "\"seconds\":%s,\"gflops\":%.5g,\"status\":\"%s\",\"sweeps\":%d,\"check\":%s,"
                "\"ref\":[%s],\"bound\":{},\"plan\":{\"bundle\":%d,\"start_seconds\":%.4g,"
                "\"finish_seconds\":%.4g},\"provenance\":%s}\n",
                whole ? "whole" : "block", letters[kind<T>::type], n, n, count,
                json_seconds(o, set.runs).c_str(), o.median > 0 ? flops / o.median / 1e9 : 0.0,
                good ? "ok" : "failed", o.sweeps, json_check(o).c_str(), list.c_str(), size, start,
                finish, origin.c_str());
            std::fflush(file);
        }
    }
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv,
                      "[--type s,d,c,z] [--n 8,16,...] [--batch COUNT] [--bundle K,...] [--runs R]",
                      {text_option("--type", &set.types), list_option("--n", &set.orders),
                       number_option("--batch", &set.batch), list_option("--bundle", &set.bundles),
                       number_option("--runs", &set.runs)});
    beside_cusolver(run, set.types,
                    [&](auto zero, cusolverDnHandle_t h, FILE *file, const std::string &origin) {
                        bench<decltype(zero)>(h, set, file, origin);
                    });
    return 0;
}
