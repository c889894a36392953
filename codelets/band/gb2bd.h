/* The tasks of gb2bd: what src/band/gb2bd.c may submit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_GB2BD_H
#define ORR_CODELETS_GB2BD_H

#include "codelets/band/hb2st.h"

/* One reduction: the user's arrays, and the band as it is worked on: by rows, D rows to a
 * handle (a vector of orr_gb2bd_block_reals reals). Must live until the request ends. */
struct orr_gb2bd {
    orr_type type;
    int64_t m, n, kl, ku, ldab; /* the user's band, LAPACK's storage */
    const void *ab;
    void *d, *e;
    int transposed; /* 1: it is the conjugate transpose that is reduced */
    int by_rows;    /* 1: what is reduced is the conjugate transpose of what is in ab */
    double scale;   /* a power of two */

    int64_t order, rows; /* columns and rows of the band that is reduced */
    int64_t low, b;      /* its subdiagonals and, with fill, superdiagonals */
    int64_t tw;          /* the most that a stage peels */
    int64_t D;
    struct orr_gate *launched; /* NULL, or opens when a device has begun to chase */
};

/* Sweeps [sweep, sweep + count) of the stage that takes bandwidth b to b - tw. u, v: where
 * their reflectors from the left and from the right are kept, or NULL; tw = b-1 then, and
 * they are those of a struct orr_hb2st with n = order and the same b. portion: 0, or T(g,m) does
 * all steps of these sweeps, so many of them at a time; on a CPU, and u and v are NULL. */
struct orr_gb2bd_group {
    int64_t number; /* in its stage, from 0 */
    int64_t b, tw, sweep, count, portion;
    starpu_data_handle_t u, v;
};

int64_t orr_gb2bd_block_reals(const struct orr_gb2bd *);
int64_t orr_gb2bd_carry_reals(const struct orr_gb2bd *); /* of one sweep */
size_t orr_gb2bd_band_real(orr_type);                    /* bytes of a real of the band */
orr_type orr_gb2bd_vector_type(orr_type);                /* of reflectors and vectors */
size_t orr_gb2bd_carry_real(orr_type);

/* The largest |real or imaginary part| of the user's band, and (-1, -1) or the position of an
 * entry that is not finite. */
double orr_gb2bd_screen(const struct orr_gb2bd *, int64_t *row, int64_t *column);

/* All of a narrow band's reduction, by LAPACK, not of type h: d and e. On a CPU. No buffers. */
void orr_insert_gb2bd_narrow(struct orr_request *, const struct orr_gb2bd *, int64_t parts);
/* Block m from the user's array, on a CPU. Buffers: H[m] W, after[count] R: what must be in the
 * user's memory first. */
void orr_insert_gb2bd_load(struct orr_request *, int prio, const struct orr_gb2bd *, int64_t m,
                           starpu_data_handle_t H, const starpu_data_handle_t *after, int count);
/* Columns of block m without their subdiagonals. Buffers: H[m] RW, H[m+1] RW (or NULL), u W
 * (or NULL): orr_gb2bd_qr_length entries. */
void orr_insert_gb2bd_qr(struct orr_request *, int prio, const struct orr_gb2bd *, int64_t m,
                         starpu_data_handle_t here, starpu_data_handle_t below,
                         starpu_data_handle_t u, enum orr_where);
int64_t orr_gb2bd_qr_length(const struct orr_gb2bd *);
/* T(g,m): the steps of a group whose last row is in block m, or would be in it for the first
 * sweep of the group; all that are left if m is the last block. Buffers: carry RW (W of the group's first),
 * H[m-1] RW (NULL if m = 0), H[m] RW, u RW and v RW if kept. Counts `parts` as done. */
void orr_insert_gb2bd_chase(struct orr_request *, int prio, const struct orr_gb2bd *,
                            const struct orr_gb2bd_group *, int64_t m, starpu_data_handle_t above,
                            starpu_data_handle_t here, starpu_data_handle_t carry, int64_t parts,
                            enum orr_where);
/* 1: no accelerator can chase such a band, or make it one without subdiagonals. */
int orr_gb2bd_cpu_only(const struct orr_gb2bd *);
/* What the models know of a chase task: the work of a step (less at the band's end), and the key of
 * a shape. */
int64_t orr_gb2bd_step_work(orr_type, int64_t b, int64_t tw);
uint32_t orr_gb2bd_chase_key(int64_t b, int64_t tw, int64_t work, int vectors);
/* d and e of block m to the user's arrays, backwards if transposed, since a lower bidiagonal
 * matrix backwards is an upper one. On a CPU. Buffers: H[m] R, into RW: what stands for d and e,
 * or NULL. */
void orr_insert_gb2bd_store(struct orr_request *, int prio, const struct orr_gb2bd *, int64_t m,
                            starpu_data_handle_t H, starpu_data_handle_t into);

/* For singular vectors. The reflectors of qr on a panel: E RW, u R, on CUDA devices scratch; and, on a
 * CPU, the phases that make block m of a complex bidiagonal matrix real: H[m] R, left RW, right RW.
 * ..._bytes: what a device needs of memory beside E. */
int64_t orr_gb2bd_qr_apply_bytes(const struct orr_gb2bd *, int64_t columns);
void orr_insert_gb2bd_qr_apply(struct orr_request *, int prio, const struct orr_gb2bd *, int64_t m,
                               const struct orr_hb2st_panel *, starpu_data_handle_t u);
void orr_insert_gb2bd_phases(struct orr_request *, int prio, const struct orr_gb2bd *, int64_t m,
                             starpu_data_handle_t H, starpu_data_handle_t left,
                             starpu_data_handle_t right);

#endif
