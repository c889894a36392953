/* libcusparse for virtual devices. StarPU only makes handles; bench/gpu asks for products, too, which are not supported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
enum { NOT_SUPPORTED = 10 };

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseSetStream(void *handle, void *stream);

int cusparseCreate(void **handle)
{
    *handle = handle;
    return 0;
}
int cusparseDestroy(void *handle)
{
    (void)handle;
    return 0;
}
int cusparseSetStream(void *handle, void *stream)
{
    (void)handle, (void)stream;
    return 0;
}

#define ANSWER(name, status)                                                                       \
    int cusparse##name(void);                                                                      \
    int cusparse##name(void) { return status; }

ANSWER(CreateCsr, 0)
ANSWER(CreateCoo, 0)
ANSWER(CreateSlicedEll, 0)
ANSWER(CreateDnVec, 0)
ANSWER(DestroySpMat, 0)
ANSWER(DestroyDnVec, 0)
ANSWER(SpMV_bufferSize, NOT_SUPPORTED)
ANSWER(SpMV_preprocess, NOT_SUPPORTED)
ANSWER(SpMV, NOT_SUPPORTED)
