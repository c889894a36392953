/* libcusolver for virtual devices. StarPU from 1.4 on only makes handles; bench/gpu asks for solvers, of which there is
 * none: each says that it is not supported, as a library may that lacks a routine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
enum { NOT_SUPPORTED = 9 };

#define HANDLE(kind)                                                                               \
    int cusolver##kind##Create(void **handle);                                                     \
    int cusolver##kind##Destroy(void *handle);                                                     \
    int cusolver##kind##SetStream(void *handle, void *stream);                                     \
    int cusolver##kind##Create(void **handle)                                                      \
    {                                                                                              \
        *handle = handle;                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    int cusolver##kind##Destroy(void *handle)                                                      \
    {                                                                                              \
        (void)handle;                                                                              \
        return 0;                                                                                  \
    }                                                                                              \
    int cusolver##kind##SetStream(void *handle, void *stream)                                      \
    {                                                                                              \
        (void)handle, (void)stream;                                                                \
        return 0;                                                                                  \
    }

HANDLE(Dn)
HANDLE(Rf)
HANDLE(Sp)

#define PARAMETERS(kind)                                                                           \
    int cusolverDnCreate##kind(void **p);                                                          \
    int cusolverDnDestroy##kind(void *p);                                                          \
    int cusolverDnCreate##kind(void **p)                                                           \
    {                                                                                              \
        *p = p;                                                                                    \
        return 0;                                                                                  \
    }                                                                                              \
    int cusolverDnDestroy##kind(void *p)                                                           \
    {                                                                                              \
        (void)p;                                                                                   \
        return 0;                                                                                  \
    }

PARAMETERS(Params)
PARAMETERS(SyevjInfo)
PARAMETERS(GesvdjInfo)

int cusolverGetProperty(int which, int *value);
int cusolverGetProperty(int which, int *value)
{
    (void)which;
    *value = 0;
    return 0;
}

/* A routine and the one that asks for its workspace. */
#define SOLVER(name)                                                                               \
    int cusolverDn##name##_bufferSize(void);                                                       \
    int cusolverDn##name(void);                                                                    \
    int cusolverDn##name##_bufferSize(void) { return NOT_SUPPORTED; }                              \
    int cusolverDn##name(void) { return NOT_SUPPORTED; }
#define SOLVERS(t, ev)                                                                             \
    SOLVER(ev##evjBatched)                                                                         \
    SOLVER(t##gesvd) SOLVER(t##gesvdj) SOLVER(t##gesvdjBatched) SOLVER(t##gesvdaStridedBatched)

SOLVERS(S, Ssy)
SOLVERS(D, Dsy)
SOLVERS(C, Che)
SOLVERS(Z, Zhe)
SOLVER(XsyevBatched)
SOLVER(Xgesvd)
SOLVER(Xgesvdp)
