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

/* ---- Of four types -------------------------------------------------------------------------------
 * The 16 rows of a matrix x are 16 columns of a real matrix or, of a complex one, the real parts of 8 columns
 * and below them the imaginary ones. Factors b are conjugated: x conj(b) = x re(b) + (-i x) im(b). */

template <class T> struct strip {
    static constexpr int parts = scalar<T>::is_complex ? 2 : 1; /* real and imaginary */
    static constexpr int columns = 16 / parts, squares = 2 / parts;
};
template <class T> struct tensor_factor {
    two_of part[strip<T>::parts];
};
/* x, and -i x, turned. */
template <class T> struct tensor_left {
    four_of part[strip<T>::parts];
};
/* A sum of products x conj(b): of x with the real parts, and of x with the imaginary ones. */
template <class T> struct tensor_sum {
    four_of part[strip<T>::parts];
};

/* x with the bits of `zero`, which are 0: a compiler that knew would turn a matrix again for every product. */
ORR_DEV double unknown(double x, uint32_t zero)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= (uint64_t)zero << 32 | zero;
    memcpy(&x, &bits, sizeof x);
    return x;
}
ORR_DEV four_of turned(const four_of &x, uint32_t zero)
{
    return {unknown(x.at[0], zero), unknown(x.at[2], zero), unknown(x.at[1], zero),
            unknown(x.at[3], zero)};
}

template <class T> ORR_DEV tensor_left<T> left_of(const four_of &x, uint32_t zero)
{
    tensor_left<T> y;
    y.part[0] = turned(x, zero);
    if constexpr (scalar<T>::is_complex)
        y.part[1] = turned({x.at[2], x.at[3], -x.at[0], -x.at[1]}, zero);
    return y;
}
template <class T>
ORR_DEV void add_product(four_of &c, const tensor_left<T> &x, const tensor_factor<T> &b)
{
    ORR_UNROLL
    for (int i = 0; i < strip<T>::parts; i++)
        add_product(c, x.part[i], b.part[i]);
}

template <class T> ORR_DEV tensor_sum<T> sum_of(const four_of &c)
{
    tensor_sum<T> s = {};
    s.part[0] = c;
    return s;
}
/* x is turned. */
template <class T>
ORR_DEV void add_product(tensor_sum<T> &s, const four_of &x, const tensor_factor<T> &b)
{
    ORR_UNROLL
    for (int i = 0; i < strip<T>::parts; i++)
        add_product(s.part[i], x, b.part[i]);
}
template <class T> ORR_DEV four_of total(const tensor_sum<T> &s)
{
    four_of c = s.part[0];
    if constexpr (scalar<T>::is_complex) {
        ORR_UNROLL
        for (int k = 0; k < 2; k++) {
            c.at[k] += s.part[1].at[k + 2];
            c.at[k + 2] -= s.part[1].at[k];
        }
    }
    return c;
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

template <class T> ORR_DEV tensor_factor<T> factor_of(const tensor_pair<T> &x)
{
    tensor_factor<T> f;
    f.part[0] = {(double)real(x.at[0]), (double)real(x.at[1])};
    if constexpr (scalar<T>::is_complex)
        f.part[1] = {(double)imag(x.at[0]), (double)imag(x.at[1])};
    return f;
}
template <class T> ORR_DEV tensor_factor<T> load_factor(const T *square, int lane)
{
    return factor_of(load_pair(square, lane));
}

/* The rows of a strip: of a real one columns g and g + 8, of a complex one column g. */
template <class T> struct strip_pairs {
    tensor_pair<T> of[strip<T>::squares];
};
template <class T> ORR_DEV four_of numbers_of(const strip_pairs<T> &x)
{
    if constexpr (scalar<T>::is_complex)
        return {(double)real(x.of[0].at[0]), (double)real(x.of[0].at[1]),
                (double)imag(x.of[0].at[0]), (double)imag(x.of[0].at[1])};
    else
        return {(double)x.of[0].at[0], (double)x.of[0].at[1], (double)x.of[1].at[0],
                (double)x.of[1].at[1]};
}
/* In the type. */
template <class T> ORR_DEV strip_pairs<T> pairs_of(const four_of &x)
{
    typedef real_of<T> R;
    if constexpr (scalar<T>::is_complex)
        return {{{make<T>((R)x.at[0], (R)x.at[2]), make<T>((R)x.at[1], (R)x.at[3])}}};
    else
        return {{{(T)x.at[0], (T)x.at[1]}, {(T)x.at[2], (T)x.at[3]}}};
}

} // namespace orr

#endif
