/* A call of an operation (heev, powm, ...), from its entry to its request or to why there is none.
 *
 * An operation has one function that takes the arguments and a call; orr_x and orr_submit_x are
 * that function with and without waiting. What a call is refused for is written where it is found.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_OPERATION_H
#define ORR_OPERATION_H

#include "codelets/core/request.h"
#include "orrery/orrery.h"

/* What orr_wait needs to know of a request besides struct orr_request. */
struct orr_operation {
    orr_request request; /* first: an orr_request * is an orr_operation * */
    orr_context *ctx;
    struct orr_guest *guests; /* of orr_call_home */
    int left;                 /* the context was left when the last task ended */
    char plan[512];
    int64_t index;     /* set by finish: the first part with a status, or -1 */
    char message[256]; /* set by finish */
};

static inline struct orr_operation *orr_operation_of(orr_request *r)
{
    return (struct orr_operation *)r;
}

struct orr_call {
    orr_context *ctx;
    const char *who;   /* "heev" */
    int waits;         /* the caller waits for it */
    unsigned entered;  /* of orr_context_entered */
    orr_status status; /* of orr_call_refuse */
    int64_t index;     /* of the part that is wrong, or -1 */
    char message[256];
    struct orr_guest *guests;
};

/* An array of the caller's. */
enum { ORR_IN = 1, ORR_OUT = 2 };
struct orr_array {
    void **at;           /* where the operation has its address */
    size_t bytes;        /* from its first element to its last */
    size_t column, step; /* bytes of a column, and from one to the next; 0: there is one */
    size_t element;
    int how; /* ORR_IN, ORR_OUT or both */
    int *on; /* NULL, or it may stay on a device: see orr_call_home */
};
/* A matrix by columns; what lies between its columns is kept. */
struct orr_array orr_array(void **at, int64_t rows, int64_t columns, int64_t ld, size_t element,
                           int how);
/* The same array, which the operation uses where it is if `stays`. */
static inline struct orr_array orr_stays(struct orr_array x, int stays, int *on)
{
    x.on = stays ? on : NULL;
    return x;
}

struct orr_call orr_call_enter(orr_context *, const char *who);
struct orr_call orr_call_enter_and_wait(orr_context *, const char *who);
/* Returns the status. format NULL: what the status says. */
orr_status orr_call_refuse(struct orr_call *, orr_status, int64_t index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* For the entry in this row and column, which is element `index` of its array, is NaN or infinite. */
orr_status orr_call_refuse_entry(struct orr_call *, int64_t index, int64_t row, int64_t column);
/* What every call is asked first; wrong: NULL, or what is wrong with its arguments. 1: refused. There is no request
 * yet: *out becomes NULL. */
int orr_call_refused(struct orr_call *, orr_request **out, const char *wrong);
/* After orr_call_refused. 1: refused, an array of results and another one share an element. */
int orr_call_overlaps(struct orr_call *, const struct orr_array *, int count);
/* The same of batches, `how` of each; NULL: there is none. Those of mixed sizes are not looked at. */
int orr_call_batches_overlap(struct orr_call *, const orr_batch *const *, const int *how,
                             int count);
/* After orr_call_refused, of arrays that are in the memory of a device. If it may stay there, *on is made
 * StarPU's number of that memory, and handles are made of it there (orr_request_vector_on, _matrix_on); it
 * stays 0 of an array in main memory, and in a plan. Any other array gets a copy in main memory, whose address
 * is put in its place, until the operation is waited for: its results are then brought back. 1: refused, no
 * memory or no such device, or one that would be used where it is does not begin at a multiple of its elements' size,
 * which stops a device. */
int orr_call_home(struct orr_call *, const struct orr_array *, int count);
/* After orr_call_refused, of batches (NULL: there is none) and their records. 1: refused, matrices of mixed
 * sizes or the records are in the memory of a device. */
int orr_call_batches_there(struct orr_call *, const orr_batch *const *, int count,
                           const orr_matrix_info *);
/* Zeros in a uniform batch's layout become what they mean; and such a batch, laid out, as an array: nothing
 * where there is none, or where its sizes are mixed. */
orr_batch orr_laid_out(const orr_batch *);
struct orr_array orr_array_of(orr_batch *, int how);
/* Of a call that makes no request: results are brought to where they belong. ORR_E_DEVICE: they are not. */
orr_status orr_call_deliver(struct orr_call *);
/* A request with the submitter's hold, and its state: `size` bytes, zero, which `finish` frees.
 * NULL: refused. */
void *orr_call_begin(struct orr_call *, size_t size, orr_status (*finish)(orr_request *),
                     orr_request **);
/* All tasks are submitted. Workers begin, unless the caller waits next, which wakes them (orr_request_end). */
void orr_call_submitted(const struct orr_call *, orr_request *);
/* Of the call that waits: the status of its submission, the request if that is ORR_OK. */
orr_status orr_call_end(const struct orr_call *, orr_status, orr_request *const *, orr_report *);

/* A call without a request; why NULL: what the status says. */
orr_status orr_refused(orr_status, const char *who, const char *why, orr_report *);
const char *orr_why(orr_status); /* orr_strerror, which does not know of orr_barred */

#endif
