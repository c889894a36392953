/* hegv on a device: the tasks of kernels/cpu/hegv.inc.c with cuBLAS in the place of BLAS, call by
 * call. Diagonal tiles are factored and reduced on a CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hegv.h"

#include "kernels/cuda/blas.h"

using namespace orr;

template <class T>
static orr_status triangle(orr_stream stream, const orr_hegv_factor *f, orr_hegv_tile l,
                           orr_hegv_tile c)
{
    blas<T> on(stream);
    if (f->inverse)
        on.solve_lower(f->side, f->trans, c.rows, c.columns, (const T *)l.a, l.ld, (T *)c.a, c.ld);
    else
        on.times_lower(f->side, f->trans, c.rows, c.columns, (const T *)l.a, l.ld, (T *)c.a, c.ld);
    return on.status;
}

template <class T>
static orr_status multiply(orr_stream stream, char ta, char tb, double alpha, orr_hegv_tile a,
                           orr_hegv_tile b, orr_hegv_tile c)
{
    blas<T> on(stream);
    on.multiply(ta, tb, c.rows, c.columns, ta == 'N' ? a.columns : a.rows, (real_of<T>)alpha,
                (const T *)a.a, a.ld, (const T *)b.a, b.ld, 1, (T *)c.a, c.ld);
    return on.status;
}

template <class T>
static orr_status hermitian(orr_stream stream, char side, double alpha, orr_hegv_tile h,
                            orr_hegv_tile b, orr_hegv_tile c)
{
    blas<T> on(stream);
    on.multiply_hermitian(side, c.rows, c.columns, (real_of<T>)alpha, (const T *)h.a, h.ld,
                          (const T *)b.a, b.ld, 1, (T *)c.a, c.ld);
    return on.status;
}

template <class T>
static orr_status update(orr_stream stream, char trans, double alpha, int diagonal,
                         orr_hegv_tile ai, orr_hegv_tile bi, orr_hegv_tile aj, orr_hegv_tile bj,
                         orr_hegv_tile c)
{
    const char other = trans == 'N' ? 'C' : 'N';
    const int64_t k = trans == 'N' ? ai.columns : ai.rows;
    const real_of<T> al = (real_of<T>)alpha;
    blas<T> on(stream);
    if (diagonal) {
        on.update_hermitian(trans, c.rows, k, al, (const T *)ai.a, ai.ld, (const T *)bi.a, bi.ld,
                            (T *)c.a, c.ld);
        return on.status;
    }
    on.multiply(trans, other, c.rows, c.columns, k, al, (const T *)ai.a, ai.ld, (const T *)bj.a,
                bj.ld, 1, (T *)c.a, c.ld);
    on.multiply(trans, other, c.rows, c.columns, k, al, (const T *)bi.a, bi.ld, (const T *)aj.a,
                aj.ld, 1, (T *)c.a, c.ld);
    return on.status;
}

extern "C" {
orr_hegv_triangle_fn *const orr_hegv_triangle_cuda[ORR_NTYPES] = ORR_FOUR(triangle);
orr_hegv_multiply_fn *const orr_hegv_multiply_cuda[ORR_NTYPES] = ORR_FOUR(multiply);
orr_hegv_hermitian_fn *const orr_hegv_hermitian_cuda[ORR_NTYPES] = ORR_FOUR(hermitian);
orr_hegv_update_fn *const orr_hegv_update_cuda[ORR_NTYPES] = ORR_FOUR(update);
}
