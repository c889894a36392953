/* gb2bd: an upper band matrix to upper bidiagonal form, one block of rows at a time.
 *
 * The band is kept by rows, in blocks of D rows. Row i, in reals (floats for s and c, doubles
 * for d and z, halves for h):
 *
 *   offset       0 ....... low ........................ plane ....
 *   column j     i-low     i    i+1 ...  i+b ... i+b+tw           and, if complex, the
 *                                                                 imaginary parts at +plane
 * A block is D*ld reals. Everything outside the matrix and the band is zero and stays zero:
 * kernels work on whole vectors and rely on it. ld-1 is a multiple of the vector length, so
 * that moving down a column keeps the alignment, and an odd one: with an even one of 14, say, a
 * load in double precision would seem to depend on a store 32 rows above (the same last 12 bits).
 *
 * One stage takes bandwidth b to b-tw. In sweep s = 0, 1, ... (row s) step t has a window
 *
 *   W(s,0) = [s, s],   W(s,t) = [s+(t-1)b+1, s+tb]   (cut off at n-1)
 *
 * and reads and writes rows of its window only, and the sweep's carry (the pending
 * reflector). With J(t) = [s+tb-tw, s+tb]:
 *
 *   t = 0   v_1 from row s, columns J(1)
 *   t > 0   columns J(t) of the window times (I - tau v_t v_t'); u_t from the first column of
 *           rows J(t); rows J(t) times (I - tau u_t u_t'); v_{t+1} from the first of these
 *           rows, columns J(t+1), and the others times (I - tau v_{t+1} v_{t+1}')
 *
 * Step t of sweep s+1 must follow step t+1 of sweep s; nothing else must (docs/algorithms/
 * gb2bd.md has the proof, and why two blocks hold what a task needs).
 *
 * h: rows are stored in half precision; a task works in single precision and rounds its rows
 * when it ends. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GB2BD_H
#define ORR_KERNELS_GB2BD_H

#include "kernels/hb2st_apply.h"
#include "kernels/least.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_GB2BD_NTYPES = ORR_NTYPES + 1 };

/* Shape of the rows, for the whole reduction. */
typedef struct {
    int64_t n;     /* columns */
    int64_t rows;  /* rows: n, or more when kl > 0 (then those beyond n are zeroed by qr) */
    int64_t low;   /* where the diagonal is */
    int64_t plane; /* imaginary parts, if complex */
    int64_t ld;    /* reals per row */
} orr_gb2bd_band;

/* For a band of kl subdiagonals and b = kl + ku superdiagonals (kl of them for fill), every
 * stage peeling at most tw. */
static inline orr_gb2bd_band orr_gb2bd_layout(orr_type type, int64_t n, int64_t rows, int64_t kl,
                                              int64_t b, int64_t tw)
{
    const int64_t pad = type == ORR_D || type == ORR_Z ? 8 : 16; /* reals in 64 bytes */
    const int64_t low = ((kl > tw ? kl : tw) + 2 * pad - 1) / pad * pad;
    const int64_t plane = (low + b + tw + 2 * pad) / pad * pad;
    const int64_t planes = orr_is_complex(type) ? 2 : 1;
    return (orr_gb2bd_band){.n = n,
                            .rows = rows,
                            .low = low,
                            .plane = plane,
                            .ld = (planes * plane / pad | 1) * pad + 1};
}

/* Reals that the carry of one sweep takes: tau, 7 reals without use, 8 that CUDA kernels use as
 * they like, and v: at 16 + (its first column modulo orr_gb2bd_carry_lanes), zeros around it. */
static inline int64_t orr_gb2bd_carry(orr_type type, int64_t tw)
{
    const int64_t plane = (tw + 1 + 15) / 16 * 16 + 16;
    return 16 + (orr_is_complex(type) ? 2 : 1) * plane;
}

int orr_gb2bd_carry_lanes(orr_type, int64_t b); /* reals to a vector of this CPU */

/* ---- From and to the user's arrays --------------------------------------------------- */

/* LAPACK's storage of a general band: entry (i,j) of the m x n matrix, j-ku <= i <= j+kl, is
 * ab[j*ldab + ku + i - j]. */
typedef struct {
    const void *ab;
    int64_t m, n, kl, ku, ldab;
    int32_t transposed; /* 1: rows of the band are those of the conjugate transpose */
    int32_t unused;
    double scale; /* a power of two that the entries are multiplied by */
} orr_gb2bd_source;

typedef struct {
    double largest;      /* largest |real or imaginary part| */
    int64_t row, column; /* of an entry that is NaN or infinite; -1: there is none */
} orr_gb2bd_screened;
typedef orr_gb2bd_screened orr_gb2bd_screen_fn(const orr_gb2bd_source *);
extern orr_gb2bd_screen_fn *const orr_gb2bd_screen_cpu[ORR_GB2BD_NTYPES];

/* Rows [first, first + count) of the band, from the source; block W. */
typedef void orr_gb2bd_load_fn(const orr_gb2bd_band *, const orr_gb2bd_source *, int64_t first,
                               int64_t count, void *block);
extern orr_gb2bd_load_fn *const orr_gb2bd_load_cpu[ORR_GB2BD_NTYPES];

/* d[i] := (i,i) / scale and e[i] := (i,i+1) / scale, rows [first, first + count) below n; the
 * absolute values if complex, which only changes phases of singular vectors. d and e are
 * arrays of all n and n-1 entries: real type, float for h. backwards: d[n-1-i] and e[n-2-i].
 * block R. */
typedef void orr_gb2bd_store_fn(const orr_gb2bd_band *, double scale, int backwards, int64_t first,
                                int64_t count, const void *block, void *d, void *e);
extern orr_gb2bd_store_fn *const orr_gb2bd_store_cpu[ORR_GB2BD_NTYPES];

/* The phases that make a complex bidiagonal B real, B = diag(left) |B| diag(right)', n entries
 * each: those of rows [first, first + count), and right one further, from those before. c, z.
 * block R; left and right RW. */
typedef void orr_gb2bd_phases_fn(const orr_gb2bd_band *, int64_t first, int64_t count,
                                 const void *block, void *left, void *right);
extern orr_gb2bd_phases_fn *const orr_gb2bd_phases_cpu[ORR_GB2BD_NTYPES]; /* NULL: real */

/* ---- The work ------------------------------------------------------------------------ */

typedef struct {
    orr_gb2bd_band band;
    int64_t first, count;  /* rows of top: [first, first+count); of bottom: the next count */
    int64_t b, tw;         /* chase: this stage goes from b to b-tw. qr: kl, ku */
    int64_t sweep, sweeps; /* chase: the group of sweeps. qr: columns [sweep, sweep+sweeps) */
    int64_t from, to;      /* chase: in sweep number i of the group, the steps with
                              from < s+tb + i(b-1) <= to */
    /* NULL, or where reflectors are kept, columns with tau in the place of their leading 1 (of
     * floats for h). chase, tw = b-1: u_t and v_t of sweep s, packed like hop t-1 of
     * kernels/hb2st.h, sweep number i behind number i-1. qr: kl+1 entries per column in u. */
    void *u, *v;
} orr_gb2bd_args;

/* Where the kept reflector of sweep s that begins in row or column j is, in entries. */
ORR_BOTH static inline int64_t orr_gb2bd_kept(const orr_gb2bd_args *g, int64_t s, int64_t j)
{
    orr_hb2st_shape a;
    a.n = g->band.n;
    a.b = g->b;
    return orr_hb2st_v_offset(&a, s) - orr_hb2st_v_offset(&a, g->sweep) + j - s - 1;
}

/* Steps of a group of sweeps, in the order of sweeps. top and bottom (or NULL) RW; carry RW:
 * sweeps times orr_gb2bd_carry reals (float for h). All of a stage: one block of all rows,
 * from -1 to INT64_MAX/2. Rows of the two blocks need not be adjacent in memory (they are
 * copied then).
 * ORR_E_NOMEM is the only failure. */
typedef orr_status orr_gb2bd_fn(const orr_gb2bd_args *, void *top, void *bottom, void *carry);
extern orr_gb2bd_fn *const orr_gb2bd_chase_cpu[ORR_GB2BD_NTYPES];

/* Columns of a band with kl > 0 subdiagonals made upper triangular by reflectors of length
 * kl+1 from the left, which lets the upper bandwidth grow to kl+ku. carry is not used. */
extern orr_gb2bd_fn *const orr_gb2bd_qr_cpu[ORR_GB2BD_NTYPES];

/* E := H_first H_first+1 ... E for `count` columns' reflectors of qr, which are kept in u. E:
 * `rows` rows of k columns. ORR_E_NOMEM is the only failure. Not for h (NULL), whose
 * reflectors are those of s. */
typedef orr_status orr_gb2bd_qr_apply_fn(int64_t rows, int64_t kl, int64_t first, int64_t count,
                                         const void *u, int64_t k, void *e, int64_t lde);
extern orr_gb2bd_qr_apply_fn *const orr_gb2bd_qr_apply_cpu[ORR_NTYPES];

/* ---- CUDA: pointers into device memory; returns when the work is on the stream ------- */

/* The same task, and also all sweeps of a stage in one launch, with a carry for each. ORR_E_NOMEM
 * (h only), ORR_E_DEVICE. Results differ from the CPU's in the last bits, and do not depend on
 * how a stage is cut into tasks (h: it does) nor on the device's schedule. */
typedef orr_status orr_gb2bd_cuda_fn(orr_stream, const orr_gb2bd_args *, void *top, void *bottom,
                                     void *carry);
extern orr_gb2bd_cuda_fn *const orr_gb2bd_chase_cuda[ORR_GB2BD_NTYPES];
/* The same, bit for bit, without the kernels that are for one b and tw: to compare them with. */
extern orr_gb2bd_cuda_fn *const orr_gb2bd_chase_cuda_any_b[ORR_GB2BD_NTYPES];
extern orr_gb2bd_cuda_fn *const orr_gb2bd_qr_cuda[ORR_GB2BD_NTYPES];
/* Any device has the shared memory for stages of so large a tw, and for qr of so many diagonals; beyond, ORR_E_ARG
 * on some. */
int64_t orr_gb2bd_chase_cuda_max_tw(orr_type);
int orr_gb2bd_qr_cuda_fits(orr_type, int64_t kl, int64_t ku);

/* A device combines the reflectors of so many columns, I - V S V', and so many groups of these at a time. */
enum { ORR_GB2BD_QR_WIDTH = ORR_HB2ST_MOST_DIAMOND, ORR_GB2BD_QR_AT_ONCE = 64 };
/* Rows of a V: of its reflectors, and so many that columns are aligned. */
ORR_BOTH static inline int64_t orr_gb2bd_qr_apply_rows(int64_t kl, int64_t width)
{
    return (kl + width + 7) / 8 * 8;
}
/* Elements of the workspace of qr_apply: V and V S of each group, S, and V'E. */
static inline int64_t orr_gb2bd_qr_apply_work(int64_t kl, int64_t count, int64_t k)
{
    const int64_t w = orr_least(count, ORR_GB2BD_QR_WIDTH);
    const int64_t groups = w > 0 ? orr_least((count + w - 1) / w, ORR_GB2BD_QR_AT_ONCE) : 0;
    return 2 * orr_hb2st_apply_lines(groups * orr_gb2bd_qr_apply_rows(kl, w) * w) +
           orr_hb2st_apply_lines(groups * w * w) + w * k;
}
/* The result of a column may depend on those beside it. */
typedef orr_status orr_gb2bd_qr_apply_cuda_fn(orr_stream, int64_t rows, int64_t kl, int64_t first,
                                              int64_t count, const void *u, int64_t k, void *e,
                                              int64_t lde, void *work);
extern orr_gb2bd_qr_apply_cuda_fn *const orr_gb2bd_qr_apply_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
