/* gpu_powm: one product y := A x on one GPU, in every format of kernels/powm_spmv.h and by every
 * algorithm of cuSPARSE (after its preprocessing), against the device's own speed of copying.
 *
 *   gpu_powm [--type s,d] [--laplace N,...] [--random ROWS,MEAN] [--runs R] [--json FILE]
 *
 * Matrices: the 7-point Laplacian on N^3 points, and one with rows of geometrically distributed
 * length of the given mean, columns at random. One JSON object per (matrix, type, format) on stdout
 * or in FILE. bytes: the block, x once, y once; `fraction`: of the bandwidth of a device copy in
 * the same run. `ref` has the seconds of cuSPARSE's algorithms and the ratio of each to ours
 * (above 1: we are faster). check: the largest error of y against the CPU kernel over
 * eps sum |a||x|; above 100 the product is wrong, and status is "failed". "refused": the format
 * cannot have the matrix, or has more than three times as much padding as entries. `step` is the
 * time of a whole fused step of power iteration.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cfloat>
#include <cmath>
#include <cstring>
#include <cusparse.h>
#include <random>

#include "kernels/powm_scalars.h"
#include "program.h"

/* Seconds of `go`: the median of `runs`, each of as many calls as take about a millisecond. */
static double seconds_of(int runs, const std::function<void()> &go)
{
    cudaEvent_t a, b;
    std::vector<double> t;
    int calls = 1;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int r = -2; r < runs; r++) {
        float ms = 0;
        cudaEventRecord(a);
        for (int i = 0; i < calls; i++)
            go();
        cudaEventRecord(b);
        need(cudaEventSynchronize(b) == cudaSuccess, "a kernel");
        cudaEventElapsedTime(&ms, a, b);
        if (r >= 0)
            t.push_back(1e-3 * ms / calls);
        else
            calls = std::max(1, std::min(1000, (int)(calls / std::max(ms, 1e-3f))));
    }
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

struct matrix {
    std::string name;
    int64_t n;
    std::vector<int64_t> ptr = {0};
    std::vector<int32_t> index;
    std::vector<double> val;
    orr_powm_rows rows() const
    {
        orr_powm_rows r = {};
        r.rows = r.cols = n;
        r.ptr = ptr.data();
        r.index = index.data();
        r.val = val.data();
        return r;
    }
};

static matrix laplacian(int64_t k)
{
    matrix m;
    m.name = "laplace3d:" + std::to_string(k);
    m.n = k * k * k;
    for (int64_t i = 0; i < m.n; i++) {
        const int64_t x = i % k, y = i / k % k, z = i / k / k;
        const int64_t at[7] = {
            z > 0 ? i - k * k : -1, y > 0 ? i - k : -1,     x > 0 ? i - 1 : -1,        i,
            x + 1 < k ? i + 1 : -1, y + 1 < k ? i + k : -1, z + 1 < k ? i + k * k : -1};
        for (int64_t j : at)
            if (j >= 0) {
                m.index.push_back((int32_t)j);
                m.val.push_back(j == i ? 6.1 : -1 + 1e-9 * (double)j);
            }
        m.ptr.push_back((int64_t)m.index.size());
    }
    return m;
}

static matrix random_rows(int64_t n, int mean)
{
    std::mt19937_64 random(1);
    std::geometric_distribution<int> length(1.0 / (mean + 1));
    std::vector<int32_t> row;
    matrix m;
    m.name = "random:" + std::to_string(n) + ":" + std::to_string(mean);
    m.n = n;
    for (int64_t i = 0; i < n; i++) {
        row.clear();
        for (int k = length(random); k > 0; k--)
            row.push_back((int32_t)(random() % (uint64_t)n));
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        for (int32_t j : row) {
            m.index.push_back(j);
            m.val.push_back((double)(random() >> 11) * 0x1p-53 - 0.4);
        }
        m.ptr.push_back((int64_t)m.index.size());
    }
    return m;
}

struct result {
    std::string name;
    double seconds;
};

template <class T> struct traits;
template <> struct traits<float> {
    static constexpr orr_type type = ORR_S;
    static constexpr cudaDataType cuda = CUDA_R_32F;
    static constexpr double eps = FLT_EPSILON;
};
template <> struct traits<double> {
    static constexpr orr_type type = ORR_D;
    static constexpr cudaDataType cuda = CUDA_R_64F;
    static constexpr double eps = DBL_EPSILON;
};

/* What cuSPARSE takes for A in the form that an algorithm wants; the descriptor is destroyed here.
 */
template <class T>
static void time_cusparse(cusparseHandle_t h, cusparseSpMatDescr_t A, cusparseSpMVAlg_t alg,
                          const char *name, int64_t n, void *x, void *y, int runs,
                          std::vector<result> &out)
{
    const T one = 1, zero = 0;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseDnVecDescr_t vx, vy;
    size_t bytes = 0;
    need(cusparseCreateDnVec(&vx, n, x, traits<T>::cuda) == CUSPARSE_STATUS_SUCCESS &&
             cusparseCreateDnVec(&vy, n, y, traits<T>::cuda) == CUSPARSE_STATUS_SUCCESS,
         "cusparseCreateDnVec");
    if (cusparseSpMV_bufferSize(h, plain, &one, A, vx, &zero, vy, traits<T>::cuda, alg, &bytes) ==
        CUSPARSE_STATUS_SUCCESS) {
        memory buffer(bytes);
        bool good = true;
        if (cusparseSpMV_preprocess(h, plain, &one, A, vx, &zero, vy, traits<T>::cuda, alg,
                                    buffer.p) != CUSPARSE_STATUS_SUCCESS)
            good = cusparseSpMV(h, plain, &one, A, vx, &zero, vy, traits<T>::cuda, alg, buffer.p) ==
                   CUSPARSE_STATUS_SUCCESS;
        if (good) {
            const double seconds = seconds_of(runs, [&] {
                good &= cusparseSpMV(h, plain, &one, A, vx, &zero, vy, traits<T>::cuda, alg,
                                     buffer.p) == CUSPARSE_STATUS_SUCCESS;
            });
            if (good)
                out.push_back({name, seconds});
        }
    }
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
    cusparseDestroySpMat(A);
}

template <class T>
static std::vector<result> cusparse_times(const matrix &m, void *x, void *y, int runs)
{
    const cusparseIndexType_t i32 = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    const int64_t nnz = (int64_t)m.index.size();
    std::vector<result> out;
    std::vector<int32_t> ptr(m.ptr.begin(), m.ptr.end()), row((size_t)nnz);
    std::vector<T> val(m.val.begin(), m.val.end());
    for (int64_t i = 0; i < m.n; i++)
        std::fill(row.begin() + m.ptr[(size_t)i], row.begin() + m.ptr[(size_t)i + 1], (int32_t)i);
    cusparseHandle_t h;
    need(cusparseCreate(&h) == CUSPARSE_STATUS_SUCCESS, "cusparseCreate");
    memory dptr(ptr.data(), ptr.size() * 4), drow(row.data(), row.size() * 4);
    memory dindex(m.index.data(), (size_t)nnz * 4), dval(val.data(), (size_t)nnz * sizeof(T));
    cusparseSpMatDescr_t A;
    for (auto alg : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
        need(cusparseCreateCsr(&A, m.n, m.n, nnz, dptr.p, dindex.p, dval.p, i32, i32, base,
                               traits<T>::cuda) == CUSPARSE_STATUS_SUCCESS,
             "cusparseCreateCsr");
        time_cusparse<T>(h, A, alg,
                         alg == CUSPARSE_SPMV_CSR_ALG1 ? "cusparse csr 1" : "cusparse csr 2", m.n,
                         x, y, runs, out);
    }
    for (auto alg : {CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2}) {
        need(cusparseCreateCoo(&A, m.n, m.n, nnz, drow.p, dindex.p, dval.p, i32, base,
                               traits<T>::cuda) == CUSPARSE_STATUS_SUCCESS,
             "cusparseCreateCoo");
        time_cusparse<T>(h, A, alg,
                         alg == CUSPARSE_SPMV_COO_ALG1 ? "cusparse coo 1" : "cusparse coo 2", m.n,
                         x, y, runs, out);
    }
    /* slices of 32 rows in the given order, padding column -1 */
    enum { C = 32 };
    std::vector<int32_t> offset = {0}, column;
    std::vector<T> value;
    for (int64_t c = 0; c < m.n; c += C) {
        int64_t width = 0;
        for (int64_t i = c; i < std::min(c + C, m.n); i++)
            width = std::max(width, m.ptr[(size_t)i + 1] - m.ptr[(size_t)i]);
        for (int64_t k = 0; k < width; k++)
            for (int64_t i = c; i < c + C; i++) {
                const bool has = i < m.n && k < m.ptr[(size_t)i + 1] - m.ptr[(size_t)i];
                column.push_back(has ? m.index[(size_t)(m.ptr[(size_t)i] + k)] : -1);
                value.push_back(has ? (T)m.val[(size_t)(m.ptr[(size_t)i] + k)] : 0);
            }
        offset.push_back((int32_t)column.size());
    }
    memory doffset(offset.data(), offset.size() * 4), dcolumn(column.data(), column.size() * 4);
    memory dvalue(value.data(), value.size() * sizeof(T));
    if (cusparseCreateSlicedEll(&A, m.n, m.n, nnz, (int64_t)column.size(), C, doffset.p, dcolumn.p,
                                dvalue.p, i32, i32, base,
                                traits<T>::cuda) == CUSPARSE_STATUS_SUCCESS)
        time_cusparse<T>(h, A, CUSPARSE_SPMV_SELL_ALG1, "cusparse sell 1", m.n, x, y, runs, out);
    cusparseDestroy(h);
    return out;
}

/* Bytes per second of a device copy, read and write. */
static double copy_speed(int runs)
{
    const size_t bytes = (size_t)1 << 28;
    memory a(bytes), b(bytes);
    const double s =
        seconds_of(runs, [&] { (void)cudaMemcpyAsync(b.p, a.p, bytes, cudaMemcpyDeviceToDevice); });
    return 2.0 * (double)bytes / s;
}

struct settings {
    std::string types = "d,s", origin;
    std::vector<int> laplace = {100, 200};
    int runs = 9;
    FILE *file = stdout;
};

template <class T>
static void run_format(const settings &o, const matrix &m, orr_format format, const char *name,
                       const std::vector<T> &x, void *dx, const memory &dy, double copy,
                       const std::vector<result> &refs)
{
    const orr_type t = traits<T>::type;
    const orr_powm_rows r = m.rows();
    orr_powm_form form = {};
    orr_powm_block head;
    form.format = format;
    form.long_row = format == ORR_FORMAT_SELL ? 512 : 0;
    const double most = 4 * (double)m.index.size() * (sizeof(T) + sizeof(int32_t));
    if (orr_powm_plan(&r, t, &form, &head) != ORR_OK || (double)head.bytes > most) {
        std::fprintf(o.file,
                     "{\"algo\":\"powm_spmv\",\"matrix\":\"%s\",\"type\":\"%c\",\"format\":\"%s\","
                     "\"status\":\"refused\"}\n",
                     m.name.c_str(), "sd"[t], name);
        return;
    }
    char *block = (char *)std::aligned_alloc(64, (size_t)head.bytes);
    need(block && orr_powm_pack(&r, &head, block) == ORR_OK, "packing");
    memory dblock(block, (size_t)head.bytes), sums(sizeof(orr_powm_partial));
    orr_powm_scalars before;
    orr_powm_scalars_start(&before, 10);
    memory scalars(&before, sizeof before);
    const void *at[1] = {dx};
    const int64_t first[1] = {0}, count[1] = {m.n};
    const orr_powm_pieces pieces = {1, at, first, count};
    orr_powm_memory between = {};
    const orr_powm_there there = {nullptr, &head, dblock.p, &between};
    bool good = true;
    dy.spoil();
    const double seconds = seconds_of(
        o.runs, [&] { good &= orr_powm_product_cuda[t](&there, 1, &pieces, dy.p) == ORR_OK; });
    need(good, "the product");
    std::vector<T> y((size_t)m.n), want((size_t)m.n);
    move_bytes(y.data(), dy.p, y.size() * sizeof(T));
    orr_powm_product_cpu[t](1, block, x.data(), want.data());
    double worst = 0;
    for (int64_t i = 0; i < m.n; i++) {
        double size = DBL_MIN;
        for (int64_t k = m.ptr[(size_t)i]; k < m.ptr[(size_t)i + 1]; k++)
            size += std::fabs(m.val[(size_t)k] * (double)x[(size_t)m.index[(size_t)k]]);
        worst = worse(worst, std::fabs((double)y[(size_t)i] - (double)want[(size_t)i]) /
                                 (traits<T>::eps * size));
    }
    std::free(block);
    const double step = seconds_of(o.runs, [&] {
        (void)orr_powm_step_cuda[t](&there, 0, scalars.p, &pieces, dy.p,
                                    (orr_powm_partial *)sums.p);
    });
    orr_powm_memory_end(&between);
    const double bytes = (double)head.bytes + 2.0 * (double)m.n * sizeof(T);
    std::fprintf(o.file,
                 "{\"algo\":\"powm_spmv\",\"matrix\":\"%s\",\"type\":\"%c\",\"n\":%lld,"
                 "\"nnz\":%lld,\"format\":\"%s\",\"status\":\"%s\",\"seconds\":%.6g,"
                 "\"step\":%.6g,\"bytes\":%.0f,\"gbs\":%.6g,\"copy_gbs\":%.6g,\"fraction\":%.4f,"
                 "\"check\":%s,\"ref\":[",
                 m.name.c_str(), "sd"[t], (long long)m.n, (long long)m.index.size(), name,
                 worst <= 100 ? "ok" : "failed", seconds, step, bytes, 1e-9 * bytes / seconds,
                 1e-9 * copy, bytes / seconds / copy, json_number(worst).c_str());
    for (size_t i = 0; i < refs.size(); i++)
        std::fprintf(o.file, "%s{\"name\":\"%s\",\"seconds\":%.6g,\"ratio\":%.4f}", i ? "," : "",
                     refs[i].name.c_str(), refs[i].seconds, refs[i].seconds / seconds);
    std::fprintf(o.file, "],\"provenance\":%s}\n", o.origin.c_str());
    std::fflush(o.file);
}

template <class T> static void run_type(const settings &o, const matrix &m, double copy)
{
    static const struct {
        orr_format format;
        const char *name;
    } formats[] = {{ORR_FORMAT_CSR, "csr"},   {ORR_FORMAT_MERGE, "merge"},
                   {ORR_FORMAT_ELL, "ell"},   {ORR_FORMAT_GPU_ELL, "gpu-ell"},
                   {ORR_FORMAT_SELL, "sell"}, {ORR_FORMAT_BSR, "bsr"}};
    std::vector<T> x((size_t)(m.n + ORR_POWM_PAD));
    for (int64_t i = 0; i < m.n; i++)
        x[(size_t)i] = (T)(1 + (double)(i % 13) / 16);
    memory dx(x.data(), x.size() * sizeof(T)), dy((size_t)m.n * sizeof(T));
    const std::vector<result> refs = cusparse_times<T>(m, dx.p, dy.p, o.runs);
    for (const auto &f : formats)
        run_format<T>(o, m, f.format, f.name, x, dx.p, dy, copy, refs);
}

static void run_matrix(const settings &o, const matrix &m, double copy)
{
    if (o.types.find('d') != std::string::npos)
        run_type<double>(o, m, copy);
    if (o.types.find('s') != std::string::npos)
        run_type<float>(o, m, copy);
}

int main(int argc, char **argv)
{
    settings o;
    std::vector<int> random = {2000000, 10};
    const program run(argc, argv, "[--type s,d] [--laplace N,...] [--random ROWS,MEAN] [--runs R]",
                      {text_option("--type", &o.types),
                       list_option("--laplace", &o.laplace),
                       number_option("--runs", &o.runs),
                       {"--random", [&](const std::string &s) {
                            return numbers(s, &random) && random.size() == 2;
                        }}});
    o.file = run.file;
    o.origin = provenance_of(run.command, "");
    const double copy = copy_speed(o.runs);
    for (int k : o.laplace)
        run_matrix(o, laplacian(k), copy);
    run_matrix(o, random_rows(random[0], random[1]), copy);
    return 0;
}
