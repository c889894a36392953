/* See band_form.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/band_form.h"

#include <stdlib.h>

#include "src/cli/core/answer.h"
#include "src/cli/data/band.h"
#include "src/cli/data/band_values.h"

int band_form_deliver(const cli_job *job, const band_form *f, cli_text *results)
{
    FILE *out = job->table;
    const int64_t n = f->n, off = n > 0 ? n - 1 : 0;
    const answer_values d = {.type = f->type, .count = 1, .columns = n, .v = f->d};
    const answer_values e = {.type = f->type, .count = 1, .columns = off, .v = f->e};
    answer_values values = {0};
    int code = f->values_path ? band_values(f->singular, f->type, n, f->d, f->e, &values) : CLI_OK;
    if (code == CLI_OK && f->values_path) {
        answer_print(out, job->run, job->files.v[0], &values);
        answer_json(results, job->run, f->key, &values, 1);
        code = band_write(out, f->values, f->values_path, f->type, 1, n, 1, values.v);
    } else {
        answer_print_pairs(out, job->run, job->files.v[0], f->what, f->type, n, f->d, f->e);
    }
    free((void *)values.v);
    answer_json(results, job->run, "diagonal", &d, 1);
    answer_json(results, job->run, "off_diagonal", &e, 1);
    code = cli_worse(code, band_write(out, "diagonal", f->diag_path, f->type, 1, n, 1, f->d));
    return cli_worse(code,
                     band_write(out, "off-diagonal", f->offdiag_path, f->type, 1, off, 1, f->e));
}
