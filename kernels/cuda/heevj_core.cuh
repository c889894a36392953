/* Two-sided Jacobi on one Hermitian matrix in shared memory, by a team of threads: the core of
 * heevj_jacobi.cuh (whole small matrices) and of heevj_block.cuh and gesvj_pair.cuh (the
 * 2nb x 2nb matrices H).
 *
 * The n = 2m indices (one is padding if the order is odd) sit at positions of the Round-Robin
 * table, pair k at positions 2k and 2k+1, and after every round all but position 0 move on:
 *
 *      0 -> 0    2 -> 4 -> 6 .. -> 2m-2          A round rotates all m pairs, so A, seen as
 *               /                   |            2 x 2 blocks (pair k, pair l), needs one read
 *      1 <- 3 <- 5 ..    <-      2m-1            and one write per block: B := Jk' B Jl.
 *
 * Only one of the blocks (k,l) and (l,k) is kept, which halves both traffic and work; that is
 * what counts, as shared memory is the bottleneck. The writes go to where the entries belong
 * in the next round, so that pairs are always neighbours; these targets are the same in every
 * round and are looked up in a table (the plan) that all teams of a thread block share. Block
 * (k, k+delta mod m) has number (delta-1) m + k: then both reads and writes of neighbouring
 * threads are neighbours in memory, free of bank conflicts but for the ends of rows.
 *
 * V is either in shared memory, in the original order: a thread owns rows of it, and looks up who
 * is in pair k (shared_vectors); or in registers, by position, where its columns move on after
 * every round (register_vectors): more than half of the traffic of shared memory was V's.
 *
 * Rotations are Rutishauser's (Numer. Math. 9, 1966), beta = 1 - c, sigma = s a_pq / |a_pq|:
 *      p' = p - (beta p + conj(sigma) q),    q' = q + (sigma p - beta q).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_CORE_CUH
#define ORR_CUDA_HEEVJ_CORE_CUH

#include "kernels/cuda/scalar.cuh"

namespace orr
{

/* Team threads work on one matrix: part of a warp, a warp, or the whole thread block. Parts of
 * one warp run in step, so that a barrier is always that of the warp. */
template <int Threads> struct team {
    static constexpr int size = Threads;
    static_assert((Threads & (Threads - 1)) == 0, "a power of two");
    ORR_DEV int rank() { return (int)threadIdx.x % Threads; }
    ORR_DEV void sync()
    {
        if (Threads <= 32)
            __syncwarp();
        else
            __syncthreads();
    }
    /* Does any team that runs in step with this one go on? */
    ORR_DEV bool any(bool x) { return Threads <= 32 ? __any_sync(0xffffffffu, x) : x; }
};

template <class T> struct alignas(sizeof(T) < 8 ? 8 : 16) rotation {
    T sigma;
    real_of<T> beta;
};

struct alignas(16) plan_entry {
    uint16_t to[4]; /* 2 * target + (1: conjugate) of the entries tt, tb, bt, bb */
    uint16_t k, l;  /* the pairs that own the rows and the columns */
};

/* Sum over a thread block of Threads, in a fixed order; everybody gets it. */
template <int Threads, class R> ORR_DEV R block_sum(R x)
{
    ORR_SHARED(R, part, Threads);
    part[threadIdx.x] = x;
    for (int half = Threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + (unsigned)half];
    }
    __syncthreads();
    const R sum = part[0];
    __syncthreads();
    return sum;
}

/* Sizes and places for order n. */
struct round_robin {
    int n, m, blocks; /* blocks: off-diagonal 2 x 2 blocks that are kept */

    __host__ __device__ explicit round_robin(int n_)
        : n(n_), m((n_ + 1) / 2), blocks(m * (m - 1) / 2)
    {
    }
    __host__ __device__ int entries() const { return 4 * blocks + m; }
    __host__ __device__ int rounds() const { return 2 * m - 1; }

    /* The position of an index before the first round, and who is there in round r. */
    __device__ int position(int index) const
    {
        const int slot = index - 1;
        return index == 0 ? 0 : slot < m - 1 ? 2 * (slot + 1) : 2 * (2 * m - 2 - slot) + 1;
    }
    __device__ int index(int position, int r) const
    {
        if (position == 0)
            return 0;
        const int k = position / 2;
        const int slot = (position & 1 ? 2 * m - 2 - k : k - 1) - r;
        return 1 + (slot < 0 ? slot + 2 * m - 1 : slot);
    }
    __device__ int next(int position) const
    {
        const int k = position / 2;
        if (m == 1 || position == 0)
            return position;
        if (position & 1)
            return k == 0 ? 2 : position - 2;
        return k == m - 1 ? 2 * m - 1 : position + 2;
    }
    /* Where entry (row, column), given as positions, is kept: 2 * place + (1: conjugate).
     * The entry inside pair k, row 2k and column 2k+1, follows the blocks. */
    __device__ int place(int row, int column) const
    {
        const int k = row / 2, l = column / 2;
        if (k == l)
            return 2 * (4 * blocks + k) + (row & 1);
        const int delta = l > k ? l - k : l - k + m;
        if (2 * delta < m || (2 * delta == m && k < l))
            return 2 * ((2 * (row & 1) + (column & 1)) * blocks + (delta - 1) * m + k);
        return 2 * ((2 * (column & 1) + (row & 1)) * blocks + (m - delta - 1) * m + l) + 1;
    }
    __device__ plan_entry plan(int block) const
    {
        plan_entry e;
        const int k = block % m, l = (k + block / m + 1) % m;
        e.k = (uint16_t)k;
        e.l = (uint16_t)l;
        for (int c = 0; c < 4; c++)
            e.to[c] = (uint16_t)place(next(2 * k + c / 2), next(2 * l + c % 2));
        return e;
    }
};

/* The shared memory of a team. x and d have two copies: rounds read one, write the other. */
template <class T> struct jacobi_memory {
    typedef real_of<T> R;
    static constexpr int partials = 32;

    T *x0;              /* entries(), twice; not an array of pointers, which would be indexed */
    R *d0;              /* the diagonal, by position: 2m, twice */
    int x_step, d_step; /* from one copy to the other, in elements */
    rotation<T> *rot;   /* m */
    T *v;               /* shared_vectors, or what register_vectors hand on */
    R *scratch;         /* max(partials, threads of the team) */
    int *rank;          /* 2m */
    int *rotated;       /* 1 */
    int *indefinite;    /* 1: a pair with a_pp a_qq < |a_pq|^2 was seen */

    static __host__ __device__ size_t round16(size_t x) { return (x + 15) / 16 * 16; }
    static __host__ __device__ size_t scratch_bytes(int threads)
    {
        return round16(sizeof(R) * (size_t)(threads > partials ? threads : partials));
    }
    static __host__ __device__ size_t bytes(round_robin o, int v_entries, int threads)
    {
        return 2 * round16(sizeof(T) * (size_t)o.entries()) +
               2 * round16(sizeof(R) * 2 * (size_t)o.m) +
               round16(sizeof(rotation<T>) * (size_t)o.m) + round16(sizeof(T) * (size_t)v_entries) +
               scratch_bytes(threads) + round16(sizeof(int) * (2 * (size_t)o.m + 2));
    }
    __device__ jacobi_memory(unsigned char *p, round_robin o, int v_entries, int threads)
    {
        x0 = (T *)p;
        x_step = (int)(round16(sizeof(T) * (size_t)o.entries()) / sizeof(T));
        p += 2 * round16(sizeof(T) * (size_t)o.entries());
        /* Sizes are rounded, not addresses: of a pointer that was a number the compiler does not
         * know that it is to shared memory. */
        rot = (rotation<T> *)p;
        p += round16(sizeof(rotation<T>) * (size_t)o.m);
        d0 = (R *)p;
        d_step = (int)(round16(sizeof(R) * 2 * (size_t)o.m) / sizeof(R));
        p += 2 * round16(sizeof(R) * 2 * (size_t)o.m);
        v = (T *)p;
        p += round16(sizeof(T) * (size_t)v_entries);
        scratch = (R *)p;
        p += scratch_bytes(threads);
        rank = (int *)p;
        rotated = rank + 2 * o.m;
        indefinite = rotated + 1;
    }
    __device__ T *x(int copy) const { return x0 + copy * x_step; }
    __device__ R *d(int copy) const { return d0 + copy * d_step; }
};

/* When a pair is rotated, and how far from diagonal it is: ratio() is compared with tol, where
 * `relative` says that no pair seen so far spoke against a definite matrix. rotated() is told
 * of every rotation. Here: |a_pq| against sqrt |a_pp a_qq|; once A is known not to be definite,
 * at least the absolute measure, and for all pairs alike: pairs of rounding errors that are
 * held to a relative test would keep on mixing those that are not. */
template <class R> struct hermitian_rule {
    R tol, absolute, floor;

    __device__ R scale(R app, R aqq, bool relative) const
    {
        const R product = std::fabs(app * aqq);
        const R mean = product > machine<R>::safmin / machine<R>::eps
                           ? std::sqrt(product)
                           : std::sqrt(std::fabs(app)) * std::sqrt(std::fabs(aqq));
        return relative ? mean : std::fmax(mean, absolute);
    }
    __device__ bool rotates(R size, R app, R aqq, bool relative) const
    {
        return size > std::fmax(tol * scale(app, aqq, relative), floor);
    }
    __device__ R ratio(R size, R app, R aqq, bool relative) const
    {
        return size > floor ? size / scale(app, aqq, relative) : (R)0;
    }
    template <class T> __device__ void rotated(const rotation<T> &) {}
};

/* a_pp a_qq < |a_pq|^2, also where the squares underflow. */
template <class R> ORR_DEV bool indefinite(R size, R app, R aqq)
{
    if (size * size > machine<R>::safmin)
        return app * aqq < size * size;
    const bool opposite = app < 0 ? aqq > 0 : app > 0 && aqq < 0;
    return opposite || std::sqrt(std::fabs(app)) * std::sqrt(std::fabs(aqq)) < size;
}

/* The rotation that annihilates a_pq; the diagonal is updated. sign(0) = +1: a pair with equal
 * diagonal entries turns by 45 degrees. */
template <class T> ORR_DEV rotation<T> annihilate(T apq, real_of<T> &app, real_of<T> &aqq)
{
    typedef real_of<T> R;
    T unit;
    const R h = modulus(apq, unit), x = 2 * h, gap = aqq - app, y = std::fabs(gap);
    /* t = x / (y + sqrt(y^2 + x^2)), divided through by the larger one. */
    const bool wide = y >= x;
    const R ratio = wide ? x / y : y / x, root = std::sqrt(std::fma(ratio, ratio, (R)1));
    const R size = (wide ? ratio : (R)1) / (wide ? (R)1 + root : ratio + root);
    const R t = gap < 0 ? -size : size;
    const R c = (R)1 / std::sqrt(std::fma(t, t, (R)1)), s = t * c;
    app = std::fma(-t, h, app);
    aqq = std::fma(t, h, aqq);
    rotation<T> r;
    r.sigma = make<T>(s * real(unit), s * imag(unit));
    r.beta = s * (s / (1 + c));
    return r;
}

/* (x, y) := (x, y) J and (x, y)' := J' (x, y)'. */
template <class T> ORR_DEV void rotate_columns(const rotation<T> &r, T &x, T &y)
{
    const T p = x, q = y;
    x = nmad_conj(r.sigma, q, mad_real(-r.beta, p, p));
    y = mad(r.sigma, p, mad_real(-r.beta, q, q));
}
template <class T> ORR_DEV void rotate_rows(const rotation<T> &r, T &x, T &y)
{
    const T p = x, q = y;
    x = nmad_conj(conj(r.sigma), q, mad_real(-r.beta, p, p));
    y = mad_conj(r.sigma, p, mad_real(-r.beta, q, q));
}

/* Entry (i,j) of the matrix goes in before the first round; i != j, or the real diagonal. */
template <class T>
ORR_DEV void put(const jacobi_memory<T> &w, const round_robin &o, int i, int j, T a)
{
    if (i == j) {
        w.d(0)[o.position(i)] = real(a);
        return;
    }
    const int to = o.place(o.position(i), o.position(j));
    w.x(0)[to >> 1] = to & 1 ? conj(a) : a;
}

/* The row and column of an odd order's padding. No barrier inside. */
template <class T, class Team>
ORR_DEV void put_padding(Team team, const jacobi_memory<T> &w, const round_robin &o)
{
    if (o.n == 2 * o.m)
        return;
    for (int i = team.rank(); i <= o.n; i += Team::size)
        put(w, o, i, o.n, make<T>(0));
}

/* V in shared memory, V(i,j) = v[j*rows + i]; rows 0: no vectors. Consecutive threads take
 * consecutive rows of V; what is left of the team, pairs. */
template <class T, class Team> struct shared_vectors {
    static constexpr bool full = false; /* of registers */

    T *v;
    int rows, row_threads, first_row, first_pair, pair_step;

    __device__ shared_vectors(Team team, T *v_, int rows_, const round_robin &o)
        : v(v_), rows(rows_), row_threads(1)
    {
        while (row_threads < rows && row_threads < Team::size)
            row_threads *= 2;
        first_row = team.rank() % row_threads;
        first_pair = team.rank() / row_threads;
        pair_step = Team::size / row_threads;
        for (int e = team.rank(); e < rows * o.n; e += Team::size)
            v[e] = make<T>(e % rows == e / rows);
    }
    __device__ void arrive(const round_robin &) {}
    __device__ void rotate(const rotation<T> *__restrict__ rot, const round_robin &o, int round)
    {
        ORR_UNROLL_BY(4)
        for (int k = first_pair; rows > 0 && k < o.m; k += pair_step) {
            const rotation<T> jk = rot[k];
            const int p = o.index(2 * k, round), q = o.index(2 * k + 1, round);
            /* beta is 0 too for a tiny rotation, sigma is not. */
            if (max_part(jk.sigma) == 0)
                continue;
            for (int i = first_row; i < rows; i += row_threads) {
                T a = v[p * rows + i], b = v[q * rows + i];
                rotate_columns(jk, a, b);
                v[p * rows + i] = a;
                v[q * rows + i] = b;
            }
        }
    }
};

/* V in registers, for orders up to Rows, with a row per thread: group g of Rows threads has the
 * columns at the positions of `pairs` neighbouring pairs. After a round they move on: at the ends
 * of a group through `mail`, written by rotate() and read by arrive(), with a barrier between each
 * and the next. After a sweep every column is where it was before. */
template <class T, class Team, int Rows> struct register_vectors {
    static constexpr int groups = Team::size / Rows, pairs = Rows / 2 / groups;
    static constexpr bool full = 2 * pairs * sizeof(T) > 128;
    static_assert(groups * Rows == Team::size && pairs >= 2, "a row per thread, two pairs or more");

    T top[pairs], bottom[pairs]; /* the columns at 2k and 2k+1 */
    T *mail;                     /* of each thread what moves right, then what moves left */
    int row, group;
    bool wanted;

    static __host__ __device__ int mail_entries() { return groups > 1 ? 2 * Team::size : 0; }

    __device__ register_vectors(Team team, T *mail_, bool wanted_, const round_robin &o)
        : mail(mail_), row(team.rank() % Rows), group(team.rank() / Rows), wanted(wanted_)
    {
        ORR_UNROLL
        for (int k = 0; k < pairs; k++) {
            top[k] = make<T>(row == o.index(2 * (group * pairs + k), 0));
            bottom[k] = make<T>(row == o.index(2 * (group * pairs + k) + 1, 0));
        }
    }
    __device__ void arrive(const round_robin &o)
    {
        if (groups == 1 || !wanted || o.m == 1)
            return;
        if (group > 0)
            top[0] = mail[(group - 1) * Rows + row];
        if (group + 1 < groups && (group + 1) * pairs < o.m)
            bottom[pairs - 1] = mail[Team::size + (group + 1) * Rows + row];
    }
    __device__ void rotate(const rotation<T> *__restrict__ rot, const round_robin &o, int)
    {
        if (!wanted)
            return;
        ORR_UNROLL
        for (int k = 0; k < pairs; k++)
            if (group * pairs + k < o.m) {
                const rotation<T> jk = rot[group * pairs + k];
                if (max_part(jk.sigma) != 0)
                    rotate_columns(jk, top[k], bottom[k]);
            }
        if (o.m == 1)
            return;
        const T left = bottom[0];
        if (groups > 1) {
            mail[group * Rows + row] = top[pairs - 1];
            mail[Team::size + group * Rows + row] = left;
        }
        ORR_UNROLL
        for (int k = 0; k < pairs; k++)
            bottom[k] = group * pairs + k == o.m - 1 ? top[k] : bottom[k + 1 < pairs ? k + 1 : k];
        ORR_UNROLL
        for (int k = pairs - 1; k > 1; k--)
            top[k] = top[k - 1];
        top[1] = group == 0 ? left : top[0];
    }
    /* write(i, j, V(i,j)) for the entries of this thread, between sweeps. */
    template <class Write> __device__ void give(const round_robin &o, Write write) const
    {
        ORR_UNROLL
        for (int c = 0; c < 2 * pairs; c++) {
            const int position = 2 * group * pairs + c;
            if (position < 2 * o.m && row < o.n && o.index(position, 0) < o.n)
                write(row, o.index(position, 0), c & 1 ? bottom[c / 2] : top[c / 2]);
        }
    }
};

/* |A|_F, summed in an order that does not depend on the size of the team. */
template <class T, class Team>
ORR_DEV real_of<T> frobenius(Team team, const jacobi_memory<T> &w, const round_robin &o)
{
    typedef real_of<T> R;
    constexpr int partials = jacobi_memory<T>::partials;
    for (int c = team.rank(); c < partials; c += Team::size) {
        R sum = 0;
        for (int e = c; e < o.entries(); e += partials) {
            const T a = w.x(0)[e];
            sum = std::fma(real(a), real(a), std::fma(imag(a), imag(a), sum));
        }
        sum *= 2;
        for (int e = c; e < 2 * o.m; e += partials)
            sum = std::fma(w.d(0)[e], w.d(0)[e], sum);
        w.scratch[c] = sum;
    }
    team.sync();
    R sum = 0;
    for (int c = 0; c < partials; c++)
        sum += w.scratch[c];
    team.sync();
    return std::sqrt(sum);
}

/* The largest ratio of a pair; everybody gets it. Between sweeps only. */
template <class T, class Team, class Rule>
ORR_DEV real_of<T> off_diagonal(Team team, const jacobi_memory<T> &w, const round_robin &o, int now,
                                const Rule &rule, const plan_entry *plan)
{
    typedef real_of<T> R;
    const bool relative = *w.indefinite == 0;
    R most = 0;
    for (int e = team.rank(); e < o.entries(); e += Team::size) {
        const int c = o.blocks ? e / o.blocks : 4, b = e - c * o.blocks;
        const int p = c == 4 ? 2 * b : 2 * plan[b].k + c / 2;
        const int q = c == 4 ? 2 * b + 1 : 2 * plan[b].l + c % 2;
        T unit;
        if (max_part(w.x(now)[e]) == 0)
            continue;
        const R size = modulus(w.x(now)[e], unit);
        const R ratio = rule.ratio(size, w.d(now)[p], w.d(now)[q], relative);
        most = ratio > most ? ratio : most;
    }
    w.scratch[team.rank()] = most;
    team.sync();
    for (int c = 0; c < Team::size; c++)
        most = w.scratch[c] > most ? w.scratch[c] : most;
    team.sync();
    return most;
}

/* Sweeps until nothing rotates, by the rule, or max_sweeps are done. Returns the number of
 * sweeps that rotated, negative if the last allowed one did; *now is the copy of x and d that
 * holds the result, in the order of round 0. V := V J.
 * Teams in step call it together; those with `active` false only keep step. */
template <class T, class Team, class Vectors, class Rule>
ORR_DEV int jacobi_sweeps(Team team, const jacobi_memory<T> &w, const round_robin &o,
                          const plan_entry *__restrict__ plan, Vectors &vectors, Rule &rule,
                          int max_sweeps, bool active, int *now)
{
    typedef real_of<T> R;
    int sweeps = 0, cur = 0;
    bool rotated = true;
    if (team.rank() == 0)
        *w.indefinite = 0;
    team.sync(); /* for teams that make no sweep, too */
    bool relative = true;
    while (team.any(active)) {
        if (active && team.rank() == 0)
            *w.rotated = 0;
        for (int r = 0; r < o.rounds(); r++) {
            team.sync();
            if (active && r > 0)
                vectors.arrive(o);
            const T *__restrict__ x = w.x(cur);
            T *__restrict__ y = w.x(cur ^ 1);
            for (int k = team.rank(); active && k < o.m; k += Team::size) {
                T apq = x[4 * o.blocks + k];
                R app = w.d(cur)[2 * k], aqq = w.d(cur)[2 * k + 1];
                rotation<T> rot;
                rot.sigma = make<T>(0);
                rot.beta = 0;
                T unit;
                const R size = max_part(apq) > 0 ? modulus(apq, unit) : (R)0;
                if (indefinite(size, app, aqq))
                    *w.indefinite = 1;
                if (rule.rotates(size, app, aqq, relative)) {
                    rot = annihilate(apq, app, aqq);
                    rule.rotated(rot);
                    apq = make<T>(0);
                    *w.rotated = 1;
                }
                w.rot[k] = rot;
                w.d(cur ^ 1)[o.next(2 * k)] = app;
                w.d(cur ^ 1)[o.next(2 * k + 1)] = aqq;
                const int to = o.place(o.next(2 * k), o.next(2 * k + 1));
                y[to >> 1] = to & 1 ? conj(apq) : apq;
            }
            team.sync();
            /* Read where nobody writes it: the next round's test, not this one's, changes. */
            relative = *w.indefinite == 0;
            const rotation<T> *__restrict__ rot = w.rot;
            ORR_UNROLL_BY(
                (Vectors::full || Team::size > 256 ? 1 : 2)) /* 2, if registers allow it */
            for (int b = team.rank(); active && b < o.blocks; b += Team::size) {
                const plan_entry to = plan[b];
                T tt = x[b], tb = x[o.blocks + b], bt = x[2 * o.blocks + b],
                  bb = x[3 * o.blocks + b];
                const rotation<T> jk = rot[to.k], jl = rot[to.l];
                rotate_columns(jl, tt, tb);
                rotate_columns(jl, bt, bb);
                rotate_rows(jk, tt, bt);
                rotate_rows(jk, tb, bb);
                y[to.to[0] >> 1] = to.to[0] & 1 ? conj(tt) : tt;
                y[to.to[1] >> 1] = to.to[1] & 1 ? conj(tb) : tb;
                y[to.to[2] >> 1] = to.to[2] & 1 ? conj(bt) : bt;
                y[to.to[3] >> 1] = to.to[3] & 1 ? conj(bb) : bb;
            }
            if (active)
                vectors.rotate(rot, o, r);
            if (active)
                cur ^= 1;
        }
        team.sync();
        if (active) {
            vectors.arrive(o);
            sweeps++;
            rotated = *w.rotated != 0;
            active = rotated && sweeps < max_sweeps;
        }
        team.sync();
    }
    *now = cur;
    return rotated ? -sweeps : sweeps - 1;
}

/* w.rank[j]: where column j comes when the diagonal is sorted, ascending or descending; equal
 * ones keep their order. Only the first `count` indices take part, the others stay. */
template <class T, class Team>
ORR_DEV void sort_diagonal(Team team, const jacobi_memory<T> &w, const round_robin &o, int now,
                           int count, bool descending)
{
    for (int j = team.rank(); j < o.n; j += Team::size) {
        const real_of<T> dj = w.d(now)[o.position(j)];
        int before = 0;
        for (int i = 0; i < count; i++) {
            const real_of<T> di = w.d(now)[o.position(i)];
            before += (descending ? di > dj : di < dj) || (di == dj && i < j);
        }
        w.rank[j] = j < count ? before : j;
    }
    team.sync();
}

} // namespace orr

#endif
