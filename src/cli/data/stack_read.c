/* Files -> one stack of matrices. A .npy array of shape (..., n, n) is a batch; a .mtx file
 * is one matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/numbers.h"
#include "src/cli/data/dense.h"
#include "src/cli/data/stack.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a matrix takes besides its entries, even one of order 0: places, pointers, a record. */
enum { PER_MATRIX = 7 * sizeof(int64_t) + sizeof(orr_matrix_info) };

/* Is this sparse matrix one that can be computed with? */
static int check_mtx(const char *path, const orr_mtx *m, int64_t max_n)
{
    if (m->rows != m->cols)
        cli_say("%s: the matrix is %lld x %lld, not square", path, (long long)m->rows,
                (long long)m->cols);
    else if (m->rows > max_n)
        cli_say("%s: the matrix has order %lld; at most %lld here", path, (long long)m->rows,
                (long long)max_n);
    else if (m->symmetry == ORR_MTX_SKEW)
        cli_say("%s: the matrix is skew-symmetric, not Hermitian", path);
    else if (m->symmetry == ORR_MTX_SYMMETRIC && m->field == ORR_MTX_COMPLEX)
        cli_say("%s: the matrix is complex symmetric, not Hermitian", path);
    else
        return CLI_OK;
    return CLI_FILE;
}

/* Is this array a batch of square matrices that can be computed with? */
static int check_array(const char *path, const orr_npy *a, int64_t max_n)
{
    if (a->ndim < 2) {
        cli_say("%s: the array has %d dimension%s; a matrix has two", path, a->ndim,
                cli_plural(a->ndim));
        return CLI_FILE;
    }
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    if (m != n) {
        cli_say("%s: the matrices are %lld x %lld, not square", path, (long long)m, (long long)n);
        return CLI_FILE;
    }
    if (a->type == ORR_H) {
        cli_say("%s: half precision (float16); convert it: a.astype('float32')", path);
        return CLI_FILE;
    }
    if (n > max_n) {
        cli_say("%s: the matrices have order %lld; at most %lld here", path, (long long)n,
                (long long)max_n);
        return CLI_FILE;
    }
    return CLI_OK;
}

static int read_one(const char *path, const cli_run *run, int64_t max_n, orr_npy *out)
{
    const int code = dense_read(path, run, check_mtx, max_n, out);
    if (code != CLI_OK)
        return code;
    const int wrong = check_array(path, out, max_n);
    if (wrong != CLI_OK)
        orr_npy_free(out);
    return wrong;
}

static void convert(const void *from, orr_type from_type, void *to, orr_type to_type, size_t count)
{
    if (from_type == to_type) {
        memcpy(to, from, count * orr_type_size(to_type));
        return;
    }
    for (int64_t k = 0; k < (int64_t)count; k++)
        number_put(to_type, to, k, number_get(from_type, from, k));
}

/* The one type of all arrays, or the one asked for. */
static int common_type(const orr_npy *arrays, char **paths, int count, int wanted, orr_type *type)
{
    *type = wanted >= 0 ? (orr_type)wanted : arrays[0].type;
    for (int k = 0; k < count; k++) {
        if (wanted < 0 && arrays[k].type != *type) {
            cli_say("%s holds type %c, %s type %c; --type converts them to one", paths[0],
                    orr_type_letter(*type), paths[k], orr_type_letter(arrays[k].type));
            return CLI_FILE;
        }
        if (wanted >= 0 && number_is_complex(arrays[k].type) && !number_is_complex(*type)) {
            cli_say("%s is complex and cannot be converted to type %c", paths[k],
                    orr_type_letter(*type));
            return CLI_FILE;
        }
    }
    return CLI_OK;
}

static int64_t matrices_in(const orr_npy *a)
{
    int64_t count = 1;
    for (int d = 0; d < a->ndim - 2; d++)
        count *= a->shape[d];
    return count;
}

static int assemble(cli_stack *s, const cli_run *run, orr_npy *arrays, int files, orr_type type,
                    cli_input *inputs)
{
    int64_t batch = 0;
    for (int f = 0; f < files; f++)
        batch += inputs[f].count;
    int64_t *n = calloc((size_t)batch + 1, sizeof *n);
    if (!n)
        return CLI_MEMORY;
    for (int f = 0; f < files; f++)
        for (int64_t k = 0; k < inputs[f].count; k++)
            n[inputs[f].first + k] = inputs[f].shape[inputs[f].ndim - 1];
    int code = stack_layout(s, type, batch, n, batch);
    free(n);
    if (code != CLI_OK)
        return code;
    if (files == 1 && arrays[0].type == type) {
        /* No second copy of a large file, only room at its end. */
        s->a = realloc(arrays[0].data, stack_room(s));
        if (s->a)
            arrays[0].data = NULL;
        else
            stack_free(s);
        return arrays[0].data ? CLI_MEMORY : CLI_OK;
    }
    code = cli_check_memory(run, (double)stack_bytes(s), "joining the files");
    s->a = code == CLI_OK ? malloc(stack_room(s)) : NULL;
    if (!s->a) {
        stack_free(s);
        return CLI_MEMORY;
    }
    for (int f = 0; f < files; f++) {
        const size_t first = s->at[inputs[f].first];
        const size_t count = s->at[inputs[f].first + inputs[f].count] - first;
        convert(arrays[f].data, arrays[f].type, (char *)s->a + first * orr_type_size(type), type,
                count);
    }
    return CLI_OK;
}

int stack_read(cli_stack *s, const cli_run *run, char **paths, int files, int wanted, int64_t max_n,
               cli_input *inputs)
{
    orr_npy *arrays = calloc((size_t)files, sizeof *arrays);
    int code = arrays ? CLI_OK : CLI_MEMORY, have = 0;
    int64_t batch = 0;
    orr_type type = ORR_D;
    *s = (cli_stack){0};
    for (; code == CLI_OK && have < files; have++) {
        code = read_one(paths[have], run, max_n, &arrays[have]);
        if (code != CLI_OK)
            break;
        cli_input *in = &inputs[have];
        *in = (cli_input){.path = paths[have],
                          .first = batch,
                          .count = matrices_in(&arrays[have]),
                          .ndim = arrays[have].ndim};
        memcpy(in->shape, arrays[have].shape, sizeof in->shape);
        code = cli_check_memory(run, (double)(batch + in->count) * PER_MATRIX, paths[have]);
        batch += in->count;
    }
    if (code == CLI_OK)
        code = common_type(arrays, paths, files, wanted, &type);
    if (code == CLI_OK)
        code = assemble(s, run, arrays, files, type, inputs);
    for (int f = 0; f < have; f++)
        orr_npy_free(&arrays[f]);
    free(arrays);
    return code;
}
