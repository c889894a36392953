/* simt_shapes: with which grid, block and shared memory the launchers start every kernel at the
 * sizes that count, for scripts/gpu-audit. Nothing is run: the launchers of kernels/cuda are
 * called as in codelets, and each launch is a line
 *
 *   mangled name of the kernel   what for   blocks in x   in y   in z   threads per block
 *   bytes of dynamic shared memory   blocks of a cluster
 *
 *   simt_shapes [KIB]    shared memory that a thread block may have; 227, which devices with clusters have.
 *                        Ends with 1 if a launch has more
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

#include "kernels/gb2bd.h"
#include "kernels/ge2gb.h"
#include "kernels/gesvd_merge.h"
#include "kernels/gesvj.h"
#include "kernels/he2hb.h"
#include "kernels/heev_merge.h"
#include "kernels/heevj_block.h"
#include "kernels/hb2st_apply.h"
#include "kernels/hb2st_chase.h"
#include "kernels/panel.h"
#include "kernels/powm_scalars.h"
#include "simt.h"

static std::string purpose;
static int too_large;
static const char letters[] = "sdczh";

static void print_launch(const void *kernel, dim3 grid, dim3 block, size_t shared, unsigned cluster)
{
    Dl_info where = {};
    if (!dladdr(kernel, &where) || where.dli_saddr != kernel)
        return; /* static: a list, a sum */
    std::printf("%s\t%s\t%u\t%u\t%u\t%u\t%zu\t%u\n", where.dli_sname, purpose.c_str(), grid.x,
                grid.y, grid.z, block.x * block.y * block.z, shared, cluster);
    if (shared > simt::config.max_shared) {
        std::fprintf(stderr, "%s for %s: %zu bytes of shared memory\n", where.dli_sname,
                     purpose.c_str(), shared);
        too_large = 1;
    }
}

/* Of a task of the given type; a launcher that refuses says nothing. */
template <class F> static void types(const std::string &what, int count, F go)
{
    for (int t = 0; t < count; t++) {
        purpose = what + " " + letters[t];
        (void)go((orr_type)t);
    }
}

static void heevj()
{
    for (const int64_t n : {4, 8, 16, 32, 64}) {
        orr_heevj_args g = {};
        g.n = g.ld = g.ldw = n;
        g.stride = n * n;
        g.count = 10000;
        g.vectors = 1;
        types("heevj n=" + std::to_string(n), ORR_NTYPES, [&](orr_type t) {
            return orr_heevj_jacobi_cuda[t](nullptr, &g, nullptr, nullptr, nullptr);
        });
    }
    for (const int64_t n : {128, 512}) {
        orr_heevj_args g = {};
        g.n = g.ld = g.ldw = n;
        g.stride = n * n;
        g.count = 200;
        g.vectors = 1;
        types("heevj n=" + std::to_string(n), ORR_NTYPES, [&](orr_type t) {
            (void)orr_heevj_block_start_cuda[t](nullptr, &g, nullptr, nullptr, nullptr, nullptr,
                                                nullptr, nullptr);
            (void)orr_heevj_block_sweep_cuda[t](nullptr, &g, nullptr, nullptr, nullptr, nullptr);
            return orr_heevj_block_finish_cuda[t](nullptr, &g, nullptr, nullptr, nullptr, nullptr,
                                                  nullptr, nullptr);
        });
    }
}

static void heevj_lanes()
{
    for (const int64_t n : {16, 32, 64, 128, 256, 512}) {
        orr_heevj_args g = {};
        const orr_heevj_rounds rounds = orr_heevj_lanes_rounds(n);
        g.n = g.ld = g.ldw = n;
        g.stride = n * n;
        g.count = 1056;
        g.vectors = 1;
        types("heevj lanes n=" + std::to_string(n), ORR_NTYPES, [&](orr_type t) {
            return orr_heevj_lanes_cuda[t](nullptr, &g, &rounds, nullptr, nullptr, nullptr,
                                           nullptr);
        });
    }
}

static int64_t shared_of_block() { return (int64_t)simt::config.max_shared; }

static void gesvj()
{
    orr_gesvj_args g = {};
    g.left = g.right = 1;
    for (const int64_t n : {32, 64}) {
        g.m = g.n = g.ld = g.lds = g.ldu = g.ldv = n;
        g.count = 1000;
        types("gesvj n=" + std::to_string(n), ORR_NTYPES, [&](orr_type t) {
            if (n > orr_gesvj_cuda_max_small(t, shared_of_block()))
                return ORR_E_ARG;
            return orr_gesvj_cuda[t](nullptr, &g, nullptr, nullptr, nullptr, nullptr, nullptr,
                                     nullptr);
        });
    }
    g.m = g.n = g.ld = g.lds = g.ldu = g.ldv = 512;
    g.count = 1;
    for (const int nb : {16, 32}) {
        g.nb = nb;
        orr_gesvj_pointers pairs[16] = {};
        types("gesvj n=512 nb=" + std::to_string(nb), ORR_NTYPES, [&](orr_type t) {
            if (nb > orr_gesvj_cuda_max_nb(t, shared_of_block()))
                return ORR_E_ARG;
            const orr_gesvj_list list = {512 / nb / 2, 2, 0, pairs};
            (void)orr_gesvj_gram_cuda[t](nullptr, &g, 1, &list);
            (void)orr_gesvj_angle_cuda[t](nullptr, &g, 1, &list);
            return orr_gesvj_rotate_cuda[t](nullptr, &g, 512, &list);
        });
    }
    g.left = g.right = g.precondition = 1;
    static const orr_gesvj_member member[33] = {};
    for (const int64_t count : {1, 33})
        types("gesvj ends n=512 x " + std::to_string(count), ORR_NTYPES, [&](orr_type t) {
            (void)orr_gesvj_start_cuda[t](nullptr, &g, count, member, nullptr);
            return orr_gesvj_finish_cuda[t](nullptr, &g, count, member, nullptr);
        });
}

static void hb2st()
{
    static const int64_t n = 32768;
    for (const int64_t b : {32, 64, 128, 256})
        types("hb2st b=" + std::to_string(b), ORR_NTYPES, [&](orr_type t) {
            const size_t element = t == ORR_S ? 4 : t == ORR_Z ? 16 : 8;
            orr_hb2st_shape a = {};
            a.n = a.D = n;
            a.b = b;
            a.ldh = orr_hb2st_ldh(element, b);
            a.lead = orr_hb2st_lead(element);
            a.sweeps = a.G = orr_hb2st_sweeps(t == ORR_C || t == ORR_Z, n, b);
            (void)orr_hb2st_chase_cuda[t](nullptr, &a, 0, 0, nullptr, nullptr, nullptr, nullptr,
                                          nullptr);
            (void)orr_hb2st_chase_cuda_any_b[t](nullptr, &a, 0, 0, nullptr, nullptr, nullptr,
                                                nullptr, nullptr);
            (void)orr_hb2st_chase_cuda_numbered[t](nullptr, &a, 0, 0, nullptr, nullptr, nullptr,
                                                   nullptr, nullptr);
            a.G = b;
            (void)orr_hb2st_unit_cuda[t](nullptr, n, 0, 1, nullptr, n, nullptr, n);
            const void *v[1] = {nullptr};
            const orr_hb2st_blocking by = {orr_least(b, ORR_HB2ST_MOST_DIAMOND), 8,
                                           ORR_HB2ST_PRODUCTS};
            return orr_hb2st_apply_cuda[t](nullptr, &a, 0, 1, v, 0, 4096, nullptr, n, &by, nullptr);
        });
}

static void hb2st_fused()
{
    for (const int64_t b : {32, 64, 128, 256})
        for (const int64_t n : {8192, 16384})
            types("hb2st fused n=" + std::to_string(n) + " b=" + std::to_string(b), ORR_NTYPES,
                  [&](orr_type t) {
                      const bool complex = t == ORR_C || t == ORR_Z;
                      orr_hb2st_shape a = {};
                      a.n = n;
                      a.b = a.G = b;
                      a.sweeps = orr_hb2st_sweeps(complex, n, b);
                      const void *v[1] = {nullptr};
                      for (const orr_hb2st_blocking &by :
                           {orr_hb2st_blocking{complex ? 32 : 64, 16, ORR_HB2ST_HELD},
                            orr_hb2st_blocking{64, 16, ORR_HB2ST_FUSED}})
                          (void)orr_hb2st_apply_cuda[t](nullptr, &a, 0, 1, v, 0, n, nullptr, n, &by,
                                                        nullptr);
                      return ORR_OK;
                  });
}

/* First stages as the graph chooses them (src/band/gb2bd.c). */
static void gb2bd()
{
    static const int64_t n = 32768, default_tw[] = {64, 32, 64, 32, 64};
    for (const int64_t b : {32, 64, 128, 256, 512})
        types("gb2bd b=" + std::to_string(b), ORR_GB2BD_NTYPES, [&](orr_type t) {
            orr_gb2bd_args a = {};
            a.b = b;
            a.tw = orr_least(default_tw[t], b - 1);
            a.band = orr_gb2bd_layout(t, n, n, 0, b, a.tw);
            a.count = n;
            a.sweeps = n - 1 - (b - a.tw);
            a.from = -1;
            a.to = INT64_MAX / 2;
            return orr_gb2bd_chase_cuda[t](nullptr, &a, nullptr, nullptr, nullptr);
        });
}

/* With vectors: from kl sub- and superdiagonals to 2 kl of the latter, then one stage. */
static void gb2bd_vectors()
{
    static const int64_t n = 32768, columns = 4096; /* of U or V, to a panel */
    for (const int64_t kl : {16, 64, 256})
        types("gb2bd qr kl=" + std::to_string(kl), ORR_GB2BD_NTYPES, [&](orr_type t) {
            orr_gb2bd_args a = {};
            a.b = a.tw = kl;
            a.band = orr_gb2bd_layout(t, n, n, kl, 2 * kl, 2 * kl - 1);
            a.count = a.sweeps = n;
            (void)orr_gb2bd_qr_cuda[t](nullptr, &a, nullptr, nullptr, nullptr);
            return t == ORR_H ? ORR_OK
                              : orr_gb2bd_qr_apply_cuda[t](nullptr, n, kl, 0, n, nullptr, columns,
                                                           nullptr, n, nullptr);
        });
    for (const int64_t b : {32, 64, 128, 256})
        types("gb2bd vectors b=" + std::to_string(b), ORR_GB2BD_NTYPES, [&](orr_type t) {
            orr_gb2bd_args a = {};
            a.b = b;
            a.tw = b - 1;
            a.band = orr_gb2bd_layout(t, n, n, 0, b, b - 1);
            a.count = n;
            a.sweeps = n - 2;
            a.from = -1;
            a.to = INT64_MAX / 2;
            return orr_gb2bd_chase_cuda[t](nullptr, &a, nullptr, nullptr, nullptr);
        });
}

/* What is not cuBLAS's of a step on tiles of the size that a device is given (src/dense/heev.c). */
static void he2hb()
{
    for (const int64_t b : {32, 64, 128}) {
        const orr_he2hb_step s = {32768, b, 4096, 0, 0}, joined = {32768, b, 4096, 0, 3};
        const void *p[8] = {};
        types("he2hb b=" + std::to_string(b), ORR_NTYPES, [&](orr_type t) {
            void *x[8] = {};
            const orr_he2hb_tile q[8] = {};
            (void)orr_he2hb_spread_cuda[t](nullptr, &s, 0, 8, q, x);
            (void)orr_he2hb_middle_cuda[t](nullptr, &s, p, nullptr, nullptr);
            (void)orr_he2hb_join_cuda[t](nullptr, &joined, q, p, nullptr);
            (void)orr_panel_cuda[t](nullptr, 32768 - b, b, nullptr, nullptr, nullptr);
            return orr_he2hb_factor_cuda[t](nullptr, &s, 1, {}, nullptr, nullptr);
        });
    }
}

/* Panels by a cluster, up to those that are three launches. */
static void panel_cluster()
{
    for (const int64_t m : {1024, 4096, 8192, 16384})
        types("panel " + std::to_string(m) + " x 64", ORR_NTYPES, [&](orr_type t) {
            return orr_panel_cuda_cluster[t](nullptr, m, 64, nullptr, nullptr, nullptr);
        });
}

/* A part of the outermost merge, nothing deflated but a column. */
static void heev_merge()
{
    const int64_t n = 32768, wide = 1024, ld[2] = {n, 0};
    orr_merge m = orr_merge_of(1, 0, n);
    orr_merge_columns have = {};
    m.upper = m.n1;
    m.k = n - 1;
    have.width = wide;
    types("heev_merge n=32768", 2, [&](orr_type t) {
        const void *const none[2] = {};
        void *const x[2] = {};
        (void)orr_heev_arrange_apart_cuda[t](nullptr, &m, 0, &have, nullptr, nullptr, nullptr);
        (void)orr_heev_secular_apart_cuda[t](nullptr, &m, n - wide, wide, nullptr, x, ld, nullptr,
                                             nullptr);
        static char ends;
        return orr_heev_product_apart_cuda[t](nullptr, &m, 0, n, n - wide, wide, nullptr, nullptr,
                                              nullptr, none, nullptr, n, nullptr, &ends);
    });
}

static void gesvd_merge()
{
    const int64_t n = 32768, wide = 1024, ld[2] = {n, n};
    orr_merge m = orr_merge_of(2, 0, n);
    const orr_merge_columns have[2] = {};
    m.upper = m.n1;
    m.both = 1;
    m.k = n - 1;
    types("gesvd_merge n=32768", 2, [&](orr_type t) {
        static char some;
        const void *const none[2] = {};
        void *const x[2] = {};
        (void)orr_gesvd_arrange_apart_cuda[t](nullptr, &m, 1, n + 1, have, none, nullptr, nullptr,
                                              x, &some, &some);
        (void)orr_gesvd_secular_apart_cuda[t](nullptr, &m, n - wide, wide, nullptr, x, ld, nullptr,
                                              nullptr);
        return orr_gesvd_product_apart_cuda[t](nullptr, &m, 1, n + 1, n - wide, wide, nullptr,
                                               nullptr, nullptr, none, nullptr, n, nullptr, &some);
    });
}

/* Of matrices that are on a device as they come. */
static void dense()
{
    const int64_t n = 32768, tile = 4096;
    const orr_ge2gb_copy x = {tile, tile, tile, 1, 0, 1};
    const orr_ge2gb_step joined = {n, n, 64, tile, 0, 0, 0, 3};
    const orr_he2hb_loading whole = {n, n, 1, 1, 1};
    const void *const v[4] = {};
    types("dense n=32768", ORR_NTYPES, [&](orr_type t) {
        (void)orr_he2hb_largest_cuda[t](nullptr, n, n, ORR_WHOLE, nullptr, n, nullptr);
        (void)orr_he2hb_load_cuda[t](nullptr, &whole, nullptr, n, nullptr, n);
        (void)orr_ge2gb_join_cuda[t](nullptr, &joined, v, v, nullptr);
        return orr_ge2gb_load_cuda[t](nullptr, &x, {nullptr, n}, {nullptr, tile});
    });
}

/* The step that has the most sums. */
static void powm()
{
    static const char *const formats[] = {"", "csr", "ell", "gpu-ell", "sell", "bsr", "merge"};
    static const int64_t n = 100000;
    orr_powm_scalars s[2];
    orr_powm_memory memory = {};
    for (int f = ORR_FORMAT_CSR; f < ORR_FORMAT_TILES; f++)
        for (int values = 0; values < ORR_NVALUES; values++)
            types(std::string("powm ") + formats[f], ORR_NTYPES, [&](orr_type t) {
                orr_powm_block b = {};
                b.rows = b.cols = b.pieces = b.slices = n;
                b.nnz = 7 * n;
                b.type = t;
                b.format = f;
                b.values = values;
                b.bs = 2;
                const orr_powm_there there = {nullptr, &b, nullptr, &memory};
                const orr_powm_combine_args rule = {0, 1, 0, 0};
                void *const x[2] = {};
                return orr_powm_steps_cuda[t](&there, &rule, 2, s, x, s);
            });
    orr_powm_memory_end(&memory);
}

int main(int argc, char **argv)
{
    const size_t kib = argc > 1 ? (size_t)std::atoi(argv[1]) : 227;
    simt::config.resident = 132; /* processors of an H200 */
    simt::config.max_shared = kib * 1024;
    simt::config.clusters = kib == 227;
    simt::instead_of_run = print_launch;
    heevj();
    heevj_lanes();
    gesvj();
    hb2st();
    hb2st_fused();
    gb2bd();
    gb2bd_vectors();
    he2hb();
    panel_cluster();
    heev_merge();
    gesvd_merge();
    dense();
    powm();
    return too_large;
}
