/* How a kernel becomes tasks. What a file of codelets declares of each:
 *
 *   static void chase(void **buf, void *arg) { ... }          on CPUs
 *   static void chase_cuda(void **buf, void *arg) { ... }     on CUDA devices, #ifdef ORR_WITH_CUDA
 *   ORR_CODELETS(chase, "gb2bd_chase", ORR_SDCZH, ORR_CPU_CUDA);
 *
 * defines chase_codelet[type], each with a performance model of its own, "gb2bd_chase_s" and so on.
 * Where a task may run is told with its arguments, orr_task_args.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TASK_H
#define ORR_TASK_H

#include "codelets/core/least.h"
#include "codelets/core/submit.h"

/* Address of a buffer that is a StarPU vector. */
#define ORR_PTR(i) ((void *)STARPU_VECTOR_GET_PTR(buf[i]))

static inline size_t orr_element_size(orr_type t)
{
    static const size_t bytes[] = {
        [ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 16, [ORR_H] = 2};
    return bytes[t];
}

/* Of the real and imaginary parts. */
static inline size_t orr_real_size(orr_type t)
{
    return orr_is_complex(t) ? orr_element_size(t) / 2 : orr_element_size(t);
}

/* The request of a task with these arguments fails unless all is well; who: a static string. */
static inline void orr_task_check(const void *args, orr_status st, const char *who)
{
    const struct orr_task *t = args;
    if (st != ORR_OK)
        orr_request_fail(t->req, st, who);
}

/* ---- Codelets ----------------------------------------------------------------------------- */

/* Codelets of f, called `label`, for these types and kinds of processor. The modes of its buffers
 * come last; none: they are told with each task. */
#define ORR_CODELETS(f, label, types, kinds, ...)                                                  \
    static ORR_MODELS(f, label, types);                                                            \
    ORR_CODELETS_LIKE(f, f, label, types, kinds, __VA_ARGS__)

/* The models alone, for codelets in several files. */
#define ORR_MODELS(f, label, types)                                                                \
    struct starpu_perfmodel f##_model[] = {types(ORR_MODEL_ROW, label)}

/* The same with the performance models of `other`, whose tasks are of the same length. */
#define ORR_CODELETS_LIKE(other, f, label, types, kinds, ...)                                      \
    kinds##_ALSO(f) static struct starpu_codelet f##_codelet[] = {                                 \
        types(ORR_CODELET_ROW, label, f, other##_model, kinds, __VA_ARGS__)}

/* A row for each type, and what its model's name ends in. */
#define ORR_SD(row, ...)                                                                           \
    [ORR_S] = row(ORR_S, "_s", __VA_ARGS__), [ORR_D] = row(ORR_D, "_d", __VA_ARGS__)
#define ORR_SDCZ(row, ...)                                                                         \
    ORR_SD(row, __VA_ARGS__), [ORR_C] = row(ORR_C, "_c", __VA_ARGS__),                             \
                              [ORR_Z] = row(ORR_Z, "_z", __VA_ARGS__)
#define ORR_SDCZH(row, ...)   ORR_SDCZ(row, __VA_ARGS__), [ORR_H] = row(ORR_H, "_h", __VA_ARGS__)
#define ORR_UNTYPED(row, ...) row(0, "", __VA_ARGS__) /* one, x_codelet[0] */

#define ORR_MODEL_ROW(t, suffix, label)                                                            \
    {                                                                                              \
        .type = STARPU_NL_REGRESSION_BASED, .symbol = label suffix, .footprint = orr_cost_key,     \
        .size_base = orr_cost_size                                                                 \
    }
#define ORR_CODELET_ROW(t, suffix, label, f, models, kinds, ...)                                   \
    {                                                                                              \
        .name = label, .model = &models[t], .nbuffers = ORR_BUFFERS(__VA_ARGS__),                  \
        .modes = {__VA_ARGS__}, kinds(f).can_execute = orr_can_execute                             \
    }
#define ORR_BUFFERS(...)                                                                           \
    (sizeof((int[]){0, __VA_ARGS__}) > sizeof(int)                                                 \
         ? (int)(sizeof((int[]){0, __VA_ARGS__}) / sizeof(int)) - 1                                \
         : STARPU_VARIABLE_NBUFFERS)

/* ---- Kinds of processor --------------------------------------------------------------------- */

/* A kind says which functions a codelet has, KIND(f), and which of them are made from f, KIND_ALSO(f).
 * In test builds a CPU function also runs on the buffers of an OpenCL device: a second memory node
 * without a GPU. */
#define ORR_CPU(f)        .cpu_funcs = {f},
#define ORR_CPU_OPENCL(f) .cpu_funcs = {f}, ORR_OPENCL_FUNC(f)
#define ORR_CPU_CUDA(f)   .cpu_funcs = {f}, ORR_CUDA_FUNC(f##_cuda) ORR_OPENCL_FUNC(f)
/* The CPU function relies on what lies behind a buffer in main memory. */
#define ORR_CPU_CUDA_ONLY(f) .cpu_funcs = {f}, ORR_CUDA_FUNC(f##_cuda)
#define ORR_CPU_ALSO(f)
#define ORR_CPU_OPENCL_ALSO(f) ORR_OPENCL(f)
#define ORR_CPU_CUDA_ALSO(f)   ORR_OPENCL(f)
#define ORR_CPU_CUDA_ONLY_ALSO(f)

#ifdef ORR_OPENCL_ON_CPU
void orr_opencl_map_and_run(void (*cpu)(void **, void *), void **buf, void *arg);
#define ORR_OPENCL(f)                                                                              \
    static void f##_opencl(void **buf, void *arg) { orr_opencl_map_and_run(f, buf, arg); }
#define ORR_OPENCL_FUNC(f) .opencl_funcs = {f##_opencl},
#else
#define ORR_OPENCL(f)
#define ORR_OPENCL_FUNC(f)
#endif

#ifdef ORR_WITH_CUDA
#include <starpu_cuda.h>
#define ORR_CUDA_FUNC(f) .cuda_funcs = {f}, .cuda_flags = {STARPU_CUDA_ASYNC},
#define ORR_STREAM()     ((orr_stream)starpu_cuda_get_local_stream())
#define ORR_CUDA(f, kernel)                                                                        \
    static void f##_cuda(void **buf, void *arg) { f##_by(buf, arg, kernel, ORR_STREAM()); }
#else
/* The flag alone tells the trace that there is a CUDA function in other builds. */
#define ORR_CUDA_FUNC(f) .cuda_flags = {STARPU_CUDA_ASYNC},
#define ORR_CUDA(f, kernel)
#endif

/* f and f_cuda from f_by(buf, arguments, kernel of each type, stream). */
#define ORR_CPU_AND_CUDA(f, cpu, cuda)                                                             \
    static void f(void **buf, void *arg) { f##_by(buf, arg, cpu, NULL); }                          \
    ORR_CUDA(f, cuda)

#endif
