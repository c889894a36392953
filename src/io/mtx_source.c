/* A source of lines, opened and closed; see mtx.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "src/io/mtx.h"

enum {
    BLOCK = 1 << 21, /* text per thread and block: larger than caches gains nothing */
    SMALL = 1 << 16  /* small files: not megabytes */
};

static orr_status read_lines(orr_mtx_reader *read, orr_mtx_source *s, size_t block)
{
    orr_text *text = NULL;
#ifdef _OPENMP
    if (s->threads <= 0)
        s->threads = omp_get_max_threads();
#endif
    s->threads = s->threads < 1 ? 1 : s->threads > ORR_MTX_CHUNKS ? ORR_MTX_CHUNKS : s->threads;
    if (block == 0)
        block = s->in->size >= 0 && s->in->size < SMALL ? SMALL : (size_t)s->threads * BLOCK;
    orr_status st = orr_text_open(&text, s->in, s->err);
    if (st == ORR_OK)
        st = orr_lines_open(&s->lines, text, s->in->name, block, s->err);
    if (st == ORR_OK && !(s->c = newlocale(LC_ALL_MASK, "C", (locale_t)0)))
        st = orr_io_fail(s->err, ORR_E_NOMEM, s->in->name, -1, -1, "out of memory");
    if (st == ORR_OK)
        st = read(s);
    if (st != ORR_OK)
        orr_mtx_free(s->m);
    if (s->c)
        freelocale(s->c);
    orr_lines_close(&s->lines);
    orr_text_close(text);
    return st;
}

orr_status orr_mtx_from_file(orr_mtx_reader *read, const char *path, int64_t max_bytes,
                             void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *m,
                             orr_io_error *err)
{
    orr_input in;
    orr_mtx_source s = {
        .in = &in, .max_bytes = max_bytes, .progress = progress, .arg = arg, .m = m, .err = err};
    if (!orr_io_begin(path, m, sizeof *m, err))
        return ORR_E_ARG;
    orr_status st = orr_input_open(&in, path, err);
    if (st == ORR_OK)
        st = read_lines(read, &s, 0);
    orr_input_close(&in);
    return st;
}

orr_status orr_mtx_from_memory(orr_mtx_reader *read, const void *data, size_t n, const char *name,
                               int64_t max_bytes, int threads, size_t block, orr_mtx *m,
                               orr_io_error *err)
{
    orr_input in;
    orr_mtx_source s = {.in = &in, .threads = threads, .max_bytes = max_bytes, .m = m, .err = err};
    orr_io_clear(err);
    *m = (orr_mtx){0};
    orr_input_memory(&in, data, n, name);
    return read_lines(read, &s, block);
}

orr_status orr_mtx_next(orr_mtx_source *s, int64_t first, char comment, orr_mtx_block *b,
                        const char **last)
{
    const char *begin, *end;
    const orr_status st = orr_lines_block(&s->lines, &begin, &end, s->err);
    *last = NULL;
    if (st != ORR_OK)
        return st;
    if (s->progress)
        s->progress(s->in->pos, s->in->size, s->arg);
    if (begin == end)
        return ORR_OK;
    orr_mtx_cut(b, begin, end, s->lines.line, first, s->threads, comment);
    *last = end;
    return ORR_OK;
}
