/* Launchers and tables of heevj_block.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/heevj_block.cuh"

using namespace orr;

static shape one_block() { return {dim3(1), dim3(heevj_matrix_threads), 0}; }

template <class T>
static orr_status start(orr_stream s, const orr_heevj_args *args, const void *a, void *G, void *Q,
                        double *scale, int32_t *active, orr_matrix_info *info)
{
    if (args->count > 0) {
        const orr_status status = launch(heevj_block_start_kernel<T>, heevj_block_per_matrix(*args),
                                         s, *args, (const T *)a, (T *)G, (T *)Q, scale, info);
        if (status != ORR_OK)
            return status;
    }
    return launch(heevj_block_list_kernel, one_block(), s, *args, (const double *)scale, active);
}

template <class T>
static orr_status sweep(orr_stream s, const orr_heevj_args *args, void *G, void *Q, int32_t *active,
                        orr_matrix_info *info)
{
    const int rounds = (int)(orr_heevj_block_round_up(args->n) / ORR_HEEVJ_NB) - 1;
    if (args->count == 0 || rounds < 0)
        return ORR_OK;
    orr_status status = launch(heevj_block_begin_kernel<T>, heevj_block_per_matrix(*args), s, *args,
                               (const T *)G, active, info);
    const shape per_pair = heevj_block_round_shape<T>(*args);
    for (int round = 0; status == ORR_OK && round < rounds; round++)
        status = launch(heevj_block_round_kernel<T>, per_pair, s, *args, round, (T *)G, (T *)Q,
                        active, info);
    if (status != ORR_OK)
        return status;
    const unsigned blocks =
        (unsigned)((args->count + heevj_matrix_threads - 1) / heevj_matrix_threads);
    return launch(heevj_block_end_kernel, {dim3(blocks), dim3(heevj_matrix_threads), 0}, s, *args,
                  (const int32_t *)active, info);
}

static orr_status compact(orr_stream s, const orr_heevj_args *args, int32_t *active,
                          orr_matrix_info *info)
{
    return launch(heevj_block_compact_kernel, one_block(), s, *args, active, info);
}

template <class T>
static orr_status finish(orr_stream s, const orr_heevj_args *args, const void *G, const void *Q,
                         const double *scale, void *a, void *w, orr_matrix_info *)
{
    if (args->count == 0 || args->n == 0)
        return ORR_OK;
    return launch(heevj_block_finish_kernel<T>, heevj_block_finish_shape<T>(*args), s, *args,
                  (const T *)G, (const T *)Q, scale, (T *)a, (real_of<T> *)w);
}

extern "C" {
orr_heevj_block_start_cuda_fn *const orr_heevj_block_start_cuda[ORR_NTYPES] = {
    start<float>,
    start<double>,
    start<complex<float>>,
    start<complex<double>>,
};
orr_heevj_block_sweep_cuda_fn *const orr_heevj_block_sweep_cuda[ORR_NTYPES] = {
    sweep<float>,
    sweep<double>,
    sweep<complex<float>>,
    sweep<complex<double>>,
};
orr_heevj_block_compact_cuda_fn *const orr_heevj_block_compact_cuda[ORR_NTYPES] = {
    compact,
    compact,
    compact,
    compact,
};
orr_heevj_block_finish_cuda_fn *const orr_heevj_block_finish_cuda[ORR_NTYPES] = {
    finish<float>,
    finish<double>,
    finish<complex<float>>,
    finish<complex<double>>,
};
}
