/* Tridiagonalisation and Q Z of matrices of small order, in registers; heevj_lanes.cuh says for what.
 *
 * A matrix has half a warp or a warp, its team. To reduce it a thread has a row of A, all of it, and for
 * Q Z a column of Z. What threads have to know of each other's is in shared memory or goes by shuffles,
 * and there is no barrier of a block.
 *
 * Registers have no index at run time. So the row of thread i begins with column k, which step k takes to
 * a multiple of e_1, and the update moves it on:
 *
 *      x_j  :=  x_j+1 - u_i conj(q_j) - q_i conj(u_j),        x_0 = A(i,k) at the beginning of step k
 *
 * Reflectors end at the last row of A, so that is where a column of Z begins. Loops over j are compiled
 * for 8, 16, 24 and 32 entries; those past the end are zero, as are rows past n.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_ROWS_CUH
#define ORR_CUDA_HEEVJ_LANES_ROWS_CUH

#include "kernels/cuda/heevj_lanes_vectors.cuh"

namespace orr
{

constexpr int lanes_rows_threads = 64; /* of a block */

/* Blocks that a processor shall hold: 255, 168 or 128 registers per thread. */
template <class T, int Team> constexpr int lanes_rows_resident()
{
    constexpr int bytes = Team * (int)sizeof(T); /* of a row */
    return bytes > 256 ? 4 : bytes > 128 ? 6 : 8;
}

/* Shared memory of a team: a square, for transposition, and three vectors; and some more, so that
 * two teams of a warp do not read from the same banks. */
template <int Team> constexpr int lanes_pitch = Team + 1;
template <class T, int Team>
constexpr int lanes_rows_entries = Team *lanes_pitch<Team> + 3 * Team + 16 / (int)sizeof(T);

template <class T, int Team> shape lanes_rows_shape(const orr_heevj_args &g)
{
    constexpr int teams = lanes_rows_threads / Team;
    return {dim3((unsigned)lanes_slices(g.count, teams)), dim3(lanes_rows_threads),
            sizeof(T) * (size_t)(teams * lanes_rows_entries<T, Team>)};
}

/* x of a thread of the team. */
template <int Team, class R> ORR_DEV R lanes_from(R x, int rank)
{
    return __shfl_sync(0xffffffffu, x, rank, Team);
}
template <int Team, class R> ORR_DEV complex<R> lanes_from(complex<R> x, int rank)
{
    const R re = __shfl_sync(0xffffffffu, x.re, rank, Team);
    return {re, __shfl_sync(0xffffffffu, x.im, rank, Team)};
}

/* ---- The reduction --------------------------------------------------------------------------- */

template <class T, int Team> struct lanes_a_row {
    typedef real_of<T> R;
    static constexpr int pitch = lanes_pitch<Team>;

    team<Team> me;
    int n;
    T *square, *vectors; /* shared */
    T *packed;           /* of lanes_memory, or NULL: nobody wants the reflectors */
    T x[Team];           /* the row */
    R d, e;              /* of T, that step i finds in thread i */
    T phase, D;          /* for column i of Q; of all steps so far */

    /* Screens matrix a and reads the rows, scaled. */
    ORR_MEMBER void load(const orr_heevj_args &g, const T *a, bool present, lanes_state *state,
                         orr_matrix_info *info)
    {
        const int i = me.rank();
        R most = 0;
        ORR_UNROLL
        for (int c = 0; c < Team; c++) {
            const bool stored = present && (g.upper ? i <= c : i >= c) && i < n && c < n;
            const T entry = stored ? a[c * g.ld + i] : make<T>(0);
            x[c] = i == c ? make<T>(real(entry)) : entry;
            const R part = max_part(x[c]);
            most = most > part || most != most ? most : part;
            square[c * pitch + i] = x[c];
        }
        ORR_UNROLL
        for (int far = Team / 2; far > 0; far /= 2) {
            const R other = __shfl_xor_sync(0xffffffffu, most, far);
            most = most > other || most != most ? most : other;
        }
        const bool finite = most <= (R)(sizeof(R) == 4 ? FLT_MAX : DBL_MAX);
        int exponent = 0;
        if (finite)
            (void)std::frexp(most, &exponent);
        exponent = clamp_exponent<R>(exponent);
        const R factor = finite ? scale2((R)1, -exponent) : (R)0;
        double squares = 0;
        me.sync();
        ORR_UNROLL
        for (int c = 0; c < Team; c++) {
            if (g.upper ? i > c : i < c)
                x[c] = conj(square[i * pitch + c]);
            x[c] = finite ? mad_real(factor, x[c], make<T>(0)) : make<T>(0);
            const double re = (double)real(x[c]), im = (double)imag(x[c]);
            squares = std::fma(re, re, std::fma(im, im, squares));
        }
        squares = lanes_warp_sum<Team>(squares);
        if (present && i == 0)
            lanes_begin(state, info, finite, exponent, squares);
    }

    /* What is known of T after the column of step k. */
    ORR_MEMBER void keep(int k, const lanes_reflector<T> &h, T first, bool last)
    {
        const int i = me.rank();
        const R entry = h.entry(first, last, &D);
        e = i == k ? entry : e;
        d = i == k ? real(x[0]) : d;
        phase = i == k + 1 ? D : phase;
    }

    /* Step k, of which n - k <= Columns columns are left. */
    template <int Columns> ORR_MEMBER void step(int k)
    {
        const int i = me.rank(), place = (i - k - 1) & (Team - 1);
        T *const u = vectors + k % 2 * Team, *const q = vectors + 2 * Team;
        const T column = i > k ? x[0] : make<T>(0);
        const R re = real(column), im = imag(column);
        const R squares = lanes_warp_sum<Team>(std::fma(re, re, im * im));
        const T first = lanes_from<Team>(column, k + 1);
        const lanes_reflector<T> h(squares, first);
        keep(k, h, first, false);
        const T ui = i == k + 1 ? h.head : mad_real(h.scale, column, make<T>(0));
        u[place] = ui;
        if (packed && i > k && i < n)
            packed[lanes_column(n, k) + i] = ui;
        me.sync();
        T even = make<T>(0), odd = make<T>(0);
        ORR_UNROLL
        for (int j = 0; j < Columns - 1; j += 2) {
            even = mad(x[j + 1], u[j], even);
            if (j + 2 < Columns)
                odd = mad(x[j + 2], u[j + 1], odd);
        }
        const T y = add(even, odd);
        const R dot = std::fma(real(ui), real(y), imag(ui) * imag(y));
        const R half = (R)-0.5 * lanes_warp_sum<Team>(dot);
        const T qi = i > k ? mad_real(half, ui, y) : make<T>(0);
        q[place] = qi;
        me.sync();
        ORR_UNROLL
        for (int j = 0; j < Columns - 1; j++)
            x[j] = lanes_update(x[j + 1], ui, q[j], qi, u[j]);
        x[Columns - 1] = make<T>(0);
    }

    /* All steps from k on, n - k <= Columns. */
    template <int Columns> ORR_MEMBER void steps(int k)
    {
        for (; k < n - 2 && n - k > Columns - 8; k++)
            step<Columns>(k);
        if constexpr (Columns > 8)
            steps<Columns - 8>(k);
        else if (n > 1)
            last_step(k);
    }

    ORR_MEMBER void last_step(int k)
    {
        const T first = lanes_from<Team>(x[0], k + 1);
        const R re = real(first), im = imag(first);
        keep(k, lanes_reflector<T>(std::fma(re, re, im * im), first), first, true);
        d = me.rank() == k + 1 ? real(x[1]) : d;
    }
};

template <class T, int Team>
__global__ void __launch_bounds__(lanes_rows_threads, (lanes_rows_resident<T, Team>()))
    heevj_lanes_rows_kernel(orr_heevj_args g, orr_heevj_rounds rounds, const T *a,
                            unsigned char *work, orr_matrix_info *info)
{
    ORR_DYN_SHARED(shared);
    const int n = (int)g.n, local = (int)threadIdx.x / Team;
    const int64_t k = (int64_t)blockIdx.x * (lanes_rows_threads / Team) + local;
    const bool present = k < g.count;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, present ? k : 0);
    lanes_a_row<T, Team> row;
    row.n = n;
    row.square = (T *)shared + local * lanes_rows_entries<T, Team>;
    row.vectors = row.square + Team * lanes_pitch<Team>;
    row.packed = present && g.vectors ? m.packed : nullptr;
    row.load(g, a + (present ? k : 0) * g.stride, present, m.state, info + k);
    row.d = real(row.x[0]); /* of order 1 */
    row.e = 0;
    row.phase = row.D = make<T>(1);
    row.template steps<Team>(0);
    const int i = row.me.rank();
    if (!present || i >= n)
        return;
    m.d[n - 1 - i] = row.d;
    m.phase[i] = row.phase;
    if (i < n - 1)
        m.e[n - 2 - i] = row.e;
}

/* ---- Q Z ------------------------------------------------------------------------------------- */

template <class T, int Team> struct lanes_z_column {
    team<Team> me;
    int n;
    T *vectors;      /* shared */
    const T *packed; /* of lanes_memory */
    T z[Team];       /* row n-1-t of A is t */
    T next;          /* entry t of the reflector that is next, in thread t */

    /* What this thread keeps of the reflector with so many entries. */
    ORR_MEMBER T reflector(int entries) const
    {
        const int t = me.rank(), k = n - 1 - entries;
        return t < entries && k >= 0 ? packed[lanes_column(n, k) + n - 1 - t] : make<T>(0);
    }

    /* The reflector with so many entries, at most Size. */
    template <int Size> ORR_MEMBER void apply(int entries)
    {
        constexpr int sums = 4;
        T *const u = vectors + entries % 2 * Team;
        u[me.rank()] = next;
        next = reflector(entries + 1);
        me.sync();
        T sum[sums];
        ORR_UNROLL
        for (int s = 0; s < sums; s++)
            sum[s] = make<T>(0);
        ORR_UNROLL
        for (int t = 0; t < Size; t++)
            sum[t % sums] = mad_conj(u[t], z[t], sum[t % sums]);
        const T all = add(add(sum[0], sum[1]), add(sum[2], sum[3]));
        const T minus = make<T>(-real(all), -imag(all));
        if (Size * sizeof(T) > 256)
            me.sync(); /* so that u is read again: registers have no room for it beside z */
        ORR_UNROLL
        for (int t = 0; t < Size; t++)
            z[t] = mad(u[t], minus, z[t]);
    }

    /* Reflectors with so many entries and more. */
    template <int Size> ORR_MEMBER void apply_all(int entries)
    {
        for (; entries < n && entries <= Size; entries++)
            apply<Size>(entries);
        if constexpr (Size < Team)
            apply_all<Size + 8>(entries);
    }
};

template <class T, int Team>
__global__ void __launch_bounds__(lanes_rows_threads, (lanes_rows_resident<T, Team>()))
    heevj_lanes_columns_kernel(orr_heevj_args g, orr_heevj_rounds rounds, unsigned char *work, T *a)
{
    typedef real_of<T> R;
    constexpr int pitch = lanes_pitch<Team>;
    ORR_DYN_SHARED(shared);
    const int n = (int)g.n, local = (int)threadIdx.x / Team;
    const int64_t k = (int64_t)blockIdx.x * (lanes_rows_threads / Team) + local;
    const bool present = k < g.count;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, present ? k : 0);
    const bool finite = present && m.state->finite;
    T *const square = (T *)shared + local * lanes_rows_entries<T, Team>;
    T *const vectors = square + Team * pitch;
    lanes_z_column<T, Team> column;
    const int c = column.me.rank(); /* also a row */
    const bool mine = finite && c < n;
    const int order = mine ? m.order[c] : 0;
    /* A team that has nothing to do is at the same barriers as the other of its warp. */
    column.n = n;
    column.vectors = vectors;
    column.packed = m.packed;
    ORR_UNROLL_BY(8)
    for (int j = 0; j < n; j++) {
        const int source = lanes_from<Team>(order, j) + lanes_wave;
        const R entry = mine ? m.Z[(int64_t)source * m.ldz + c] : (R)0;
        square[j * pitch + c] = make<T>(entry);
    }
    vectors[c] = mine ? m.phase[n - 1 - c] : make<T>(0);
    column.me.sync();
    ORR_UNROLL
    for (int t = 0; t < Team; t++) {
        const R entry = mine ? real(square[c * pitch + t]) : (R)0;
        column.z[t] = mad_real(entry, vectors[t], make<T>(0));
    }
    column.me.sync();
    column.next = column.reflector(2);
    column.template apply_all<8>(2);
    ORR_UNROLL
    for (int t = 0; t < Team; t++)
        if (t < n)
            square[c * pitch + n - 1 - t] = column.z[t];
    column.me.sync();
    a += (present ? k : 0) * g.stride;
    for (int j = 0; mine && j < n; j++)
        a[j * g.ld + c] = square[j * pitch + c];
}

} // namespace orr

#endif
