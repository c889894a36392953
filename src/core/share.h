/* Work that two kinds of processor share, whose speeds nobody knows beforehand: each kind holds a
 * few pieces and is given the next when it has finished one, of a size that follows what each
 * has finished so far. So the division is by measured rates, transfers and disturbances included,
 * and both end together.
 *
 * Source: guided self-scheduling (Polychronopoulos and Kuck, IEEE Trans. Computers 36(12),
 * 1425-1439, 1987), weighted by rate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_SHARE_H
#define ORR_SRC_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "codelets/core/request.h"

enum { ORR_SHARE_DEVICE, ORR_SHARE_CPU, ORR_SHARE_KINDS };

struct orr_share_kind {
    int64_t pieces;  /* that it may hold */
    int64_t most;    /* units of work in a piece */
    int64_t least;   /* likewise, unless no more are left; 0: one */
    int64_t first;   /* likewise, as long as its speed is not known */
    double rate;     /* a guess: units per second of all its workers; 0: none */
    int64_t workers; /* they have pieces of `seconds` each; 0: of any length */
    double seconds;
};

/* Gives `kind` units first..first+count, counted over all that were added. */
typedef void orr_share_hand_fn(void *arg, int kind, int64_t first, int64_t count);
struct orr_share;

/* NULL without memory. chunk > 0: units in every piece. req, if not NULL: nothing is handed out any
 * more when it has failed; it is held. over(arg), if not NULL, is the last that is called. */
struct orr_share *orr_share_open(struct orr_request *req, int64_t chunk,
                                 const struct orr_share_kind[ORR_SHARE_KINDS], orr_share_hand_fn *,
                                 void (*over)(void *arg), void *arg);
/* From any thread: more work; a piece is finished, which may hand out the next; no more work will
 * be added, and the share goes when nobody holds a piece. */
void orr_share_add(struct orr_share *, int64_t count);
void orr_share_done(struct orr_share *, int kind, int64_t count);
void orr_share_close(struct orr_share *);

/* ---- A batch, all of which is there at once --------------------------------------------------- */

enum {
    ORR_SHARE_PER_WORKER = 2, /* pieces that a worker holds: one runs, one waits */
    ORR_SHARE_FIRST = 32      /* a device's first piece is this part of the batch */
};
static const double ORR_SHARE_CPU_SECONDS = 2e-3; /* of a CPU's piece */

/* As orr_share_hand_fn; solved(piece) is to be called once, when the units are done. */
typedef void orr_share_submit_fn(void *arg, int kind, int64_t first, int64_t count,
                                 void (*solved)(void *), void *piece);
/* Shares `count` units of a request that is called `who`, a static string; chunk as above. `arg` is
 * copied, `size` bytes. Without memory the request fails. */
void orr_share_batch(struct orr_request *, const char *who, int64_t chunk,
                     const struct orr_share_kind[ORR_SHARE_KINDS], int64_t count,
                     orr_share_submit_fn *, const void *arg, size_t size);

#endif
