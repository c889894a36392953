/* libcublasLt for virtual devices: StarPU from 1.4 on only makes handles.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);

int cublasLtCreate(void **handle)
{
    *handle = handle;
    return 0;
}
int cublasLtDestroy(void *handle)
{
    (void)handle;
    return 0;
}
