/* The BLAS of this process: its name, and its threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_BLAS_H
#define ORR_SRC_BLAS_H

#include <stddef.h>

void orr_blas_name(char *out, size_t room); /* "unknown" if it does not say */

/* Looks which there are. This and what follows: any thread. */
void orr_blas_look(void);
/* One thread for each of them, from the first to the last of nested calls; then what each had. */
void orr_blas_alone(void);
void orr_blas_restore(void);

/* OpenBLAS built for OpenMP has as many threads as an OpenMP region that the calling thread would
 * begin, and what it is told itself does not last; BLIS 1 has a number for each thread. Where they may
 * be, each thread that will call them says so for itself, between the two above, since an older BLIS
 * has one number for all threads. */
int orr_blas_asks_threads(void);
void orr_blas_thread_alone(void *unused);

#endif
