/* Products of small matrices in double precision by the tensor cores, a warp for each: from sm_90 on by one
 * instruction, on sm_80 by four.
 *
 * Lane 4g + t of a 16 x 8 matrix has rows g and g + 8, columns 2t and 2t + 1; of an 8 x 8 one row g, columns 2t
 * and 2t + 1. The instruction wants the inner index k of its factors elsewhere, but it is the same for both: what
 * it takes for t and t + 4 is 2t and 2t + 1 here. So a product is a factor of the next one as it is.
 *
 * Source: PTX ISA, mma.m16n8k8 and mma.m8n8k4 with .f64.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_TENSOR_CUH
#define ORR_CUDA_TENSOR_CUH

#include "kernels/cuda/scalar.cuh"

namespace orr
{

/* A lane's numbers: of a 8 x 8 matrix; of a 16 x 8, row g first. */
struct two_of {
    double at[2];
};
struct four_of {
    double at[4];
};

/* c := c + a b', all lanes of the warp together; a is turned: the first numbers of both rows come first, as the
 * instruction has them in its registers. */
#ifdef ORR_SIMT
ORR_DEV void add_product(four_of &c, const four_of &a, const two_of &b)
{
    const int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    for (int k = 0; k < 8; k++) {
        const two_of from = {a.at[k % 2 * 2], a.at[k % 2 * 2 + 1]};
        const two_of rows = __shfl_sync(0xffffffffu, from, 4 * g + k / 2);
        const double even = __shfl_sync(0xffffffffu, b.at[k % 2], 8 * t + k / 2);
        const double odd = __shfl_sync(0xffffffffu, b.at[k % 2], 8 * t + 4 + k / 2);
        for (int i = 0; i < 2; i++) {
            c.at[2 * i] = std::fma(rows.at[i], even, c.at[2 * i]);
            c.at[2 * i + 1] = std::fma(rows.at[i], odd, c.at[2 * i + 1]);
        }
    }
}
#elif __CUDA_ARCH__ >= 900
ORR_DEV void add_product(four_of &c, const four_of &a, const two_of &b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c.at[0]), "+d"(c.at[1]), "+d"(c.at[2]), "+d"(c.at[3])
        : "d"(a.at[0]), "d"(a.at[1]), "d"(a.at[2]), "d"(a.at[3]), "d"(b.at[0]), "d"(b.at[1]));
}
#else
ORR_DEV void add_product(four_of &c, const four_of &a, const two_of &b)
{
    ORR_UNROLL
    for (int k = 0; k < 2; k++) {
        ORR_UNROLL
        for (int i = 0; i < 2; i++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(c.at[2 * i]), "+d"(c.at[2 * i + 1])
                : "d"(a.at[2 * k + i]), "d"(b.at[k]));
    }
}
#endif

/* The same of matrices of four types, their numbers in double precision; b is conjugated. */
template <class T> struct tensor {
    static constexpr int parts = scalar<T>::is_complex ? 2 : 1;
    four_of part[parts];
};
template <class T> struct tensor_factor {
    two_of part[tensor<T>::parts];
};

template <class T>
ORR_DEV void add_product(tensor<T> &c, const tensor<T> &a, const tensor_factor<T> &b)
{
    add_product(c.part[0], a.part[0], b.part[0]);
    if constexpr (scalar<T>::is_complex) {
        const two_of minus = {-b.part[1].at[0], -b.part[1].at[1]};
        add_product(c.part[1], a.part[1], b.part[0]);
        add_product(c.part[0], a.part[1], b.part[1]);
        add_product(c.part[1], a.part[0], minus);
    }
}

/* s x, turned. */
template <class T> ORR_DEV tensor<T> turned(double s, const tensor<T> &x)
{
    tensor<T> y;
    ORR_UNROLL
    for (int i = 0; i < tensor<T>::parts; i++)
        y.part[i] = {s * x.part[i].at[0], s * x.part[i].at[2], s * x.part[i].at[1],
                     s * x.part[i].at[3]};
    return y;
}

template <class T> ORR_DEV tensor<T> sum(const tensor<T> &x, const tensor<T> &y)
{
    tensor<T> z;
    ORR_UNROLL
    for (int i = 0; i < tensor<T>::parts; i++) {
        ORR_UNROLL
        for (int k = 0; k < 4; k++)
            z.part[i].at[k] = x.part[i].at[k] + y.part[i].at[k];
    }
    return z;
}

/* ---- In memory -----------------------------------------------------------------------------------
 * A square of 8 x 8, in the order of lanes: two numbers of each, or, where a number has 16 bytes, the
 * first ones of all lanes and then the second ones. One instruction moves a word. */

constexpr int tensor_square = 64;

template <class T> struct alignas(sizeof(T) < 16 ? 2 * sizeof(T) : 16) tensor_pair {
    T at[2];
};

/* Lane's pair of a square in shared memory := two numbers that follow each other in global memory, some
 * time later. */
template <class T> ORR_DEV void copy_pair_async(T *square, int lane, const T *from)
{
    if constexpr (sizeof(T) == 16) {
        copy_async<16>(square + lane, from);
        copy_async<16>(square + 32 + lane, from + 1);
    } else {
        copy_async<2 * sizeof(T)>(square + 2 * lane, from);
    }
}
template <class T> ORR_DEV tensor_pair<T> load_pair(const T *square, int lane)
{
    if constexpr (sizeof(T) == 16)
        return {square[lane], square[32 + lane]};
    else
        return ((const tensor_pair<T> *)square)[lane];
}
template <class T> ORR_DEV void store_pair(T *square, int lane, const tensor_pair<T> &x)
{
    if constexpr (sizeof(T) == 16) {
        square[lane] = x.at[0];
        square[32 + lane] = x.at[1];
    } else {
        ((tensor_pair<T> *)square)[lane] = x;
    }
}

template <class T> ORR_DEV tensor_factor<T> load_factor(const T *square, int lane)
{
    const tensor_pair<T> x = load_pair(square, lane);
    tensor_factor<T> f;
    f.part[0] = {(double)real(x.at[0]), (double)real(x.at[1])};
    if constexpr (scalar<T>::is_complex)
        f.part[1] = {(double)imag(x.at[0]), (double)imag(x.at[1])};
    return f;
}
/* Of two squares, one below the other. */
template <class T> ORR_DEV tensor<T> load_tensor(const T *squares, int lane)
{
    const tensor_factor<T> low = load_factor(squares, lane);
    const tensor_factor<T> high = load_factor(squares + tensor_square, lane);
    tensor<T> x;
    ORR_UNROLL
    for (int i = 0; i < tensor<T>::parts; i++)
        x.part[i] = {low.part[i].at[0], low.part[i].at[1], high.part[i].at[0], high.part[i].at[1]};
    return x;
}
/* Row g of it, or row g + 8, in the type. */
template <class T> ORR_DEV tensor_pair<T> pair_of(const tensor<T> &x, bool high)
{
    typedef real_of<T> R;
    constexpr int im = tensor<T>::parts - 1;
    const int k = high ? 2 : 0;
    return {make<T>((R)x.part[0].at[k], (R)x.part[im].at[k]),
            make<T>((R)x.part[0].at[k + 1], (R)x.part[im].at[k + 1])};
}

} // namespace orr

#endif
