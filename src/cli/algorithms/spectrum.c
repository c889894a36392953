/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/spectrum.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/band.h"

#define AT(field) .at = offsetof(spectrum_args, field)

const spectrum_args spectrum_defaults = {
    .kind = -1, .shape = {.jobz = -1}, .hermitian = {.uplo = -1}};

const cli_option spectrum_outputs[] = {
    {"values", 'w', OPT_FILE, "FILE", "write the eigenvalues: .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (n, values)", NULL,
     AT(vectors)},
    {.kind = OPT_END},
};

const char *spectrum_wrong(cli_job *job)
{
    spectrum_args *a = job->args;
    if (a->vectors && a->shape.jobz == 0)
        return "--vectors contradicts --jobz N";
    const char *part = selection_parse(&a->part);
    return part ? part : single_wrong(&a->shape);
}

void spectrum_options(family_case *c)
{
    const spectrum_args *a = c->job->args;
    c->vectors = c->complete = a->vectors || a->shape.jobz == 1;
}

/* ---- Matrices ------------------------------------------------------------------------------ */

int64_t spectrum_wanted(const family_case *c)
{
    return selection_count(&((const spectrum_args *)c->job->args)->part, c->n);
}

double spectrum_columns(const family_case *c)
{
    return c->vectors ? (double)spectrum_wanted(c) : 0;
}

int spectrum_random(family_case *c, int kind, int64_t matrices, uint64_t seed)
{
    return stack_random(&((spectrum *)c->state)->s, c->type, matrices, c->n, kind, seed);
}

int spectrum_fits(const family_case *c)
{
    const spectrum_args *a = c->job->args;
    const cli_family *f = c->job->of->family;
    return selection_fits(&a->part, c->n, f->files > 1 ? "matrices have" : "matrix has");
}

int spectrum_make(family_case *c, int copies)
{
    const spectrum_args *a = c->job->args;
    spectrum *m = c->state;
    const int64_t n = c->n;
    m->first = selection_before(&a->part);
    m->count = spectrum_wanted(c);
    c->columns = n;
    m->work = copies ? malloc(stack_bytes(&m->s) + 1) : m->s.a;
    m->w = malloc((size_t)n * sizeof(double) + 1);
    m->x = c->vectors ? malloc((size_t)n * (size_t)m->count * orr_type_size(c->type) + 1) : NULL;
    return m->work && m->w && (m->x || !c->vectors) ? CLI_OK : CLI_MEMORY;
}

void spectrum_prepare(family_case *c)
{
    spectrum *m = c->state;
    if (m->work != m->s.a)
        memcpy(m->work, m->s.a, stack_bytes(&m->s));
}

void spectrum_drop(family_case *c)
{
    spectrum *m = c->state;
    if (m->work != m->s.a)
        free(m->work);
    free(m->w);
    free(m->x);
    stack_free(&m->s);
}

/* ---- A run --------------------------------------------------------------------------------- */

char spectrum_uplo(const family_case *c)
{
    return stack_uplo(hermitian_uplo(&((const spectrum_args *)c->job->args)->hermitian));
}

orr_heev_opts spectrum_opts(family_case *c, cli_progress *progress)
{
    const spectrum_args *a = c->job->args;
    spectrum *m = c->state;
    return (orr_heev_opts){.band = c->shape[0],
                           .tile = c->shape[1],
                           .place = family_place(a->shape.place),
                           .method = single_method(&a->shape),
                           .il = a->part.il,
                           .iu = a->part.iu,
                           .vl = a->part.vl,
                           .vu = a->part.vu,
                           .found = c->planned ? NULL : m->found,
                           .progress = progress ? cli_progress_update : NULL,
                           .progress_arg = progress};
}

void spectrum_found(family_case *c)
{
    spectrum *m = c->state;
    m->first = m->found[0] - 1;
    m->count = m->found[1] - m->first;
}

/* ---- Results ------------------------------------------------------------------------------- */

/* The library saw transposed matrices, which are the conjugates: so are its vectors. */
static void user_vectors(const family_case *c)
{
    const spectrum *m = c->state;
    const int64_t count = c->n * m->count;
    for (int64_t k = 0; number_is_complex(c->type) && k < count; k++)
        number_put(c->type, m->x, k, conj(number_get(c->type, m->x, k)));
}

int spectrum_deliver(const family_case *c, cli_text *results)
{
    const spectrum_args *a = c->job->args;
    const spectrum *m = c->state;
    int code = selection_deliver(&a->part, c->job, orr_type_real(c->type), m->first, m->count, m->w,
                                 a->values, results);
    if (a->vectors && code == CLI_OK) {
        user_vectors(c);
        code =
            band_write(c->job->table, "eigenvectors", a->vectors, c->type, 2, c->n, m->count, m->x);
    }
    return code;
}
