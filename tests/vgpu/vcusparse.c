/* libcusparse for virtual devices: StarPU only makes handles.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
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
