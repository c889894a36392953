/* Main memory that is page-locked while devices may copy it. From any other memory a copy keeps the
 * thread that asked for it, which is the one that launches kernels. Without CUDA devices nothing
 * happens; STARPU_DISABLE_PINNING=1 switches it off.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_PIN_H
#define ORR_CODELETS_PIN_H

#include <stddef.h>
#include <stdint.h>

/* Arrays that are locked together with others, whoever they belong to; NULL: none. */
struct orr_pins;

enum {
    ORR_PIN_USERS =
        1 << 20,           /* bytes: locking a smaller array of the user costs more than it gains */
    ORR_PIN_OURS = 1 << 16 /* CUDA takes what is no longer without keeping the thread */
};

/* Bytes of a matrix by columns, from its first element to its last. */
static inline size_t orr_pin_bytes(int64_t rows, int64_t columns, int64_t ld, size_t element)
{
    if (rows <= 0 || columns <= 0)
        return 0;
    return ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) *
           element; /* plans may have any size */
}

/* Adds an array of at least so many bytes. It may overlap others, and stays as it is where it
 * cannot be locked: because the caller has, because it can only be read, or for lack of memory. Any
 * thread. */
void orr_pin(struct orr_pins **, const void *memory, size_t bytes, size_t least);
/* Those that were added at this address: as they are without orr_pin, unless they belong to others, too. No
 * copy of theirs may be under way. Any thread. */
void orr_unpin_array(struct orr_pins **, const void *memory);
/* All that were added; *pins becomes NULL. StarPU must have no copy of theirs under way. */
void orr_unpin(struct orr_pins **);

#endif
