/* Stands in for the BLAS libraries that are not installed: their numbers of threads, by their names and types.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>

static int mkl = 4, flexiblas = 4;
static int64_t blis = 4;

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int MKL_Get_Max_Threads(void);
EXPORTED void MKL_Set_Num_Threads(int);
EXPORTED int flexiblas_get_num_threads(void);
EXPORTED void flexiblas_set_num_threads(int);
EXPORTED int64_t bli_thread_get_num_threads(void);
EXPORTED void bli_thread_set_num_threads(int64_t);

int MKL_Get_Max_Threads(void) { return mkl; }
void MKL_Set_Num_Threads(int n) { mkl = n; }
int flexiblas_get_num_threads(void) { return flexiblas; }
void flexiblas_set_num_threads(int n) { flexiblas = n; }
int64_t bli_thread_get_num_threads(void) { return blis; }
void bli_thread_set_num_threads(int64_t n) { blis = n; }
