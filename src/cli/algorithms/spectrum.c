/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/spectrum.h"

#include "src/cli/core/answer.h"
#include "src/cli/data/band.h"

/* The library saw transposed matrices, which are the conjugates: so are its vectors. */
static void user_vectors(const spectrum *s)
{
    const int64_t count = s->n * s->count;
    for (int64_t k = 0; s->type == ORR_C && k < count; k++)
        ((float *)s->x)[2 * k + 1] *= -1;
    for (int64_t k = 0; s->type == ORR_Z && k < count; k++)
        ((double *)s->x)[2 * k + 1] *= -1;
}

int spectrum_deliver(const cli_job *job, const spectrum *s, cli_text *results)
{
    FILE *out = job->table;
    char what[64];
    const answer_values w = {.what = what,
                             .order = "ascending",
                             .type = orr_type_real(s->type),
                             .count = 1,
                             .columns = s->count,
                             .v = s->w};
    selection_name(s->part, what, sizeof what);
    answer_print(out, job->run, job->files.v[0], &w);
    answer_json(results, job->run, "eigenvalues", &w, 1);
    if (s->part->interval)
        cli_put(results, ",\"found\":%lld,\"first\":%lld", (long long)s->count,
                (long long)s->first + 1);
    int code = band_write(out, "eigenvalues", s->values, w.type, 1, s->count, 1, s->w);
    if (s->vectors && code == CLI_OK) {
        user_vectors(s);
        code = band_write(out, "eigenvectors", s->vectors, s->type, 2, s->n, s->count, s->x);
    }
    return code;
}
