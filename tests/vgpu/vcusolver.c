/* libcusolver for virtual devices: StarPU from 1.4 on only makes handles.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
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
