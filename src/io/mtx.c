/* Matrix Market files: the header, then blocks of lines until the announced entries are
 * there.
 *
 *     source -> gunzip? -> lines -> header -> blocks -> entries (parallel)
 *
 * What the header announces is compared with what the file can hold before memory is
 * asked for; where that is not known (a pipe) the arrays grow with the entries read.
 * Format: Boisvert, Pozo, Remington, NISTIR 5935, 1996.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <strings.h>

#include "src/io/mtx.h"

enum {
    SHOWN = 40,
    GROWTH = 1 << 16,     /* entries of the first arrays if the size is not known */
    HEADER_MAX = 1 << 28, /* comments before the sizes */
    HEADER_BLOCK = 1 << 16,
    DEFLATE_RATIO = 1032, /* the most a byte of gzip stands for */
    ENTRY_TEXT = 1024     /* bytes of text per entry that a compressed file may have */
};

typedef struct {
    orr_mtx_source *s;
    int compressed;
    int64_t capacity; /* entries that m's arrays hold */
    orr_mtx_layout layout;
} reader;

static orr_status fail_at(const reader *r, int64_t line, const char *message)
{
    return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, line, -1, "%s", message);
}

/* ---- header ---- */

typedef struct {
    const char *word;
    int value;
} entry;

static const entry formats[] = {{"coordinate", 1}, {"array", 0}, {NULL, 0}};
static const entry fields[] = {{"real", ORR_MTX_REAL},
                               {"double", ORR_MTX_REAL},
                               {"integer", ORR_MTX_INTEGER},
                               {"unsigned-integer", ORR_MTX_INTEGER},
                               {"complex", ORR_MTX_COMPLEX},
                               {"pattern", ORR_MTX_PATTERN},
                               {NULL, 0}};
static const entry symmetries[] = {{"general", ORR_MTX_GENERAL},
                                   {"symmetric", ORR_MTX_SYMMETRIC},
                                   {"skew-symmetric", ORR_MTX_SKEW},
                                   {"hermitian", ORR_MTX_HERMITIAN},
                                   {NULL, 0}};

/* The next word of [*p, end): its length, 0 if there is none. */
static size_t next_word(const char **p, const char *end, const char **word)
{
    while (*p < end && (**p == ' ' || **p == '\t' || **p == '\r'))
        ++*p;
    *word = *p;
    while (*p < end && **p != ' ' && **p != '\t' && **p != '\r')
        ++*p;
    return (size_t)(*p - *word);
}

static orr_status choose(const reader *r, const char **p, const char *end, const entry *table,
                         const char *what, int *value)
{
    char shown[SHOWN];
    const char *word;
    size_t n = next_word(p, end, &word);
    for (const entry *e = table; e->word; e++) {
        if (n == strlen(e->word) && strncasecmp(word, e->word, n) == 0) {
            *value = e->value;
            return ORR_OK;
        }
    }
    if (n == 0)
        return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, 1, -1, "the header names no %s",
                           what);
    return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, 1, -1, "'%s' is not a known %s",
                       orr_io_quote(shown, sizeof shown, word, n), what);
}

static orr_status no_banner(const reader *r, const char *line, size_t n)
{
    static const struct {
        const char *magic;
        const char *what;
    } others[] = {
        {"\x93NUMPY", "this is a NumPy array, which is dense and named .npy, and no sparse matrix"},
        {"PK\x03\x04", "this is a zip archive (one of scipy.sparse is named .npz)"},
        {"BZh", "compressed with bzip2; only gzip is understood"},
        {"\xfd"
         "7zXZ",
         "compressed with xz; only gzip is understood"},
        {"\x28\xb5\x2f\xfd", "compressed with zstd; only gzip is understood"},
        {"\x89HDF", "this is an HDF5 file"},
        {"\xef\xbb\xbf%%", "a byte order mark stands before the header; remove it"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t k = strlen(others[i].magic);
        if (n >= k && memcmp(line, others[i].magic, k) == 0)
            return fail_at(r, 1, others[i].what);
    }
    return fail_at(r, 1,
                   strstr(r->s->in->name, ".mtx")
                       ? "the file does not begin with %%MatrixMarket"
                       : "the file does not begin with %%MatrixMarket; names of edge lists end in "
                         ".txt, .tsv, .edges, .el or .wel");
}

/* "%%MatrixMarket matrix coordinate real general" */
static orr_status read_banner(reader *r)
{
    const char *line, *word;
    size_t n;
    orr_status s = orr_lines_next(&r->s->lines, &line, &n, r->s->err);
    if (s != ORR_OK)
        return s;
    if (!line)
        return fail_at(r, 1, "the file is empty");
    const char *end = line + n, *p = line;
    static const entry objects[] = {{"matrix", 0}, {NULL, 0}};
    orr_mtx_layout *L = &r->layout;
    int object, symmetry = 0, field = 0;
    if (next_word(&p, end, &word) != 14 || word != line ||
        strncasecmp(word, "%%MatrixMarket", 14) != 0)
        return no_banner(r, line, n);
    s = choose(r, &p, end, objects, "object (only \"matrix\" is)", &object);
    if (s == ORR_OK)
        s = choose(r, &p, end, formats, "format", &L->coordinate);
    if (s == ORR_OK)
        s = choose(r, &p, end, fields, "field", &field);
    if (s == ORR_OK)
        s = choose(r, &p, end, symmetries, "symmetry", &symmetry);
    if (s != ORR_OK)
        return s;
    L->field = field;
    L->symmetry = symmetry;
    if (next_word(&p, end, &word))
        return fail_at(r, 1, "unexpected text after the header");
    if (field == ORR_MTX_PATTERN && !L->coordinate)
        return fail_at(r, 1, "an array cannot be a pattern: it would hold nothing");
    if (field == ORR_MTX_PATTERN && symmetry != ORR_MTX_GENERAL && symmetry != ORR_MTX_SYMMETRIC)
        return fail_at(r, 1, "a pattern is general or symmetric");
    if (symmetry == ORR_MTX_HERMITIAN && field != ORR_MTX_COMPLEX)
        return fail_at(r, 1, "hermitian needs the field complex; for real matrices: symmetric");
    return ORR_OK;
}

static orr_status read_size(const reader *r, int64_t line, const char **p, const char *end,
                            const char *what, int64_t *size)
{
    char shown[SHOWN];
    const char *word;
    size_t n = next_word(p, end, &word);
    int64_t v = 0;
    const char *wrong = n == 0 ? "is missing" : NULL;
    for (size_t i = 0; i < n && !wrong; i++) {
        if ((unsigned)word[i] - '0' > 9)
            wrong = word[0] == '-' ? "is negative" : "is not a whole number";
        else if (v > (INT64_MAX - 9) / 10)
            wrong = "does not fit 64 bits";
        else
            v = v * 10 + (word[i] - '0');
    }
    *size = v;
    if (!wrong)
        return ORR_OK;
    return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, line, -1, "the number of %s%s%s%s %s",
                       what, n ? " '" : "", orr_io_quote(shown, sizeof shown, word, n),
                       n ? "'" : "", wrong);
}

/* Entries of an array file, -1 if not a number of 64 bits. */
static int64_t array_entries(const orr_mtx_layout *L)
{
    __extension__ typedef unsigned __int128 u128;
    u128 m = (u128)L->rows, n = (u128)L->cols, k = m * n;
    if (L->symmetry == ORR_MTX_SKEW)
        k = m * (m - 1) / 2;
    else if (L->symmetry != ORR_MTX_GENERAL)
        k = m * (m + 1) / 2;
    return k <= INT64_MAX ? (int64_t)k : -1;
}

/* The line of sizes, behind comments and blank lines. */
static orr_status read_sizes(reader *r, int64_t *at)
{
    const char *line, *word, *end;
    size_t n;
    orr_status s;
    r->s->lines.limit = HEADER_MAX;
    do {
        *at = r->s->lines.line;
        s = orr_lines_next(&r->s->lines, &line, &n, r->s->err);
        if (s != ORR_OK)
            return s;
        if (!line)
            return fail_at(r, r->s->lines.line, "the file ends before the line of sizes");
    } while (!orr_line_counts(orr_skip_blanks(line)));
    r->s->lines.limit = INT64_MAX;
    *at = r->s->lines.line - 1;

    orr_mtx_layout *L = &r->layout;
    end = line + n;
    s = read_size(r, *at, &line, end, "rows", &L->rows);
    if (s == ORR_OK)
        s = read_size(r, *at, &line, end, "columns", &L->cols);
    if (s == ORR_OK && L->coordinate)
        s = read_size(r, *at, &line, end, "entries", &L->entries);
    if (s != ORR_OK)
        return s;
    if (next_word(&line, end, &word))
        return fail_at(r, *at, "unexpected text after the sizes");
    if (L->symmetry != ORR_MTX_GENERAL && L->rows != L->cols)
        return fail_at(r, *at,
                       "the header says symmetric, skew or hermitian, but the matrix "
                       "is not square");
    if (!L->coordinate && (L->entries = array_entries(L)) < 0)
        return fail_at(r, *at, "rows times columns does not fit 64 bits");
    return ORR_OK;
}

/* ---- memory ---- */

static int64_t entry_bytes(const orr_mtx_layout *L)
{
    int values = L->field == ORR_MTX_PATTERN ? 0 : L->field == ORR_MTX_COMPLEX ? 2 : 1;
    return 16 + 8 * values;
}

/* Refuses sizes that the file cannot hold, or that the caller does not want. */
static orr_status check_sizes(reader *r, int64_t at)
{
    const orr_mtx_layout *L = &r->layout;
    __extension__ typedef __int128 i128;
    /* "1 1" and a newline; the last one may be missing. */
    int numbers = (L->coordinate ? 2 : 0) + (int)(entry_bytes(L) - 16) / 8;
    i128 text = -1;
    if (r->compressed && r->s->in->size >= 0)
        text = (i128)r->s->in->size * DEFLATE_RATIO - r->s->lines.taken;
    else if (r->s->in->size >= 0)
        text = (i128)r->s->in->size - r->s->lines.taken;
    if (r->s->in->size >= 0 && L->entries > (text + 1) / (2 * numbers))
        return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, at, -1,
                           "%lld entries are announced, but the file is too short for more "
                           "than %lld",
                           (long long)L->entries,
                           text < 0 ? 0LL : (long long)((text + 1) / (2 * numbers)));
    i128 bytes = (i128)L->entries * entry_bytes(L);
    i128 most = r->s->max_bytes > 0 ? r->s->max_bytes : INT64_MAX / 2;
    if (bytes > most)
        return orr_io_fail(r->s->err, ORR_E_NOMEM, r->s->in->name, at, -1,
                           "%lld entries need more than the %lld bytes allowed",
                           (long long)L->entries, (long long)most);
    if (r->compressed || r->s->in->size < 0)
        r->s->lines.limit =
            r->s->lines.taken + (1 << 24) +
            (L->entries < INT64_MAX / (2 * ENTRY_TEXT) ? L->entries * ENTRY_TEXT : INT64_MAX / 2);
    return ORR_OK;
}

static int resize(void *array, int64_t n, size_t size)
{
    void **a = array, *p = realloc(*a, n ? (size_t)n * size : 1);
    if (p)
        *a = p;
    return p != NULL;
}

/* Room for n entries: all at once if the file's size vouches for them, else with the data. */
static orr_status reserve(reader *r, int64_t n)
{
    const orr_mtx_layout *L = &r->layout;
    orr_mtx *m = r->s->m;
    int64_t want = n < L->entries ? n : L->entries;
    if (m->row && r->capacity >= want)
        return ORR_OK;
    if (r->s->in->size >= 0 && !r->compressed)
        want = L->entries;
    else if (want < 2 * r->capacity || want < GROWTH)
        want = 2 * r->capacity > GROWTH ? 2 * r->capacity : GROWTH;
    want = want < L->entries ? want : L->entries;
    if (!resize(&m->row, want, 8) || !resize(&m->col, want, 8) ||
        (L->field != ORR_MTX_PATTERN && !resize(&m->val, want, (size_t)entry_bytes(L) - 16)))
        return orr_io_fail(r->s->err, ORR_E_NOMEM, r->s->in->name, -1, -1,
                           "out of memory for %lld entries", (long long)want);
    r->capacity = want;
    return ORR_OK;
}

/* ---- the reader ---- */

static orr_status read_entries(reader *r)
{
    const orr_mtx_layout *L = &r->layout;
    int64_t done = 0;
    for (;;) {
        orr_mtx_block b;
        const char *last;
        orr_status s = orr_mtx_next(r->s, done, '%', &b, &last);
        if (s != ORR_OK)
            return s;
        if (!last)
            break;
        s = reserve(r, done + b.found);
        if (s == ORR_OK)
            s = orr_mtx_entries(L, &b, r->s->m, r->s->err);
        if (s != ORR_OK)
            return s;
        orr_lines_take(&r->s->lines, last, b.lines);
        done += b.found;
    }
    if (done < L->entries)
        return orr_io_fail(r->s->err, ORR_E_FILE, r->s->in->name, r->s->lines.line - 1, -1,
                           "the file ends after %lld of %lld entries", (long long)done,
                           (long long)L->entries);
    return ORR_OK;
}

static orr_status read_matrix(orr_mtx_source *source)
{
    reader r = {.s = source,
                .compressed = orr_text_compressed(source->lines.text),
                .layout = {.c = source->c, .name = source->in->name}};
    const orr_mtx_layout *L = &r.layout;
    orr_mtx *m = source->m;
    int64_t at;
    orr_status s = read_banner(&r);
    if (s == ORR_OK)
        s = read_sizes(&r, &at);
    if (s == ORR_OK)
        s = check_sizes(&r, at);
    if (s == ORR_OK)
        s = reserve(&r, 0);
    if (s == ORR_OK)
        s = read_entries(&r);
    if (s == ORR_OK) {
        m->rows = L->rows;
        m->cols = L->cols;
        m->entries = L->entries;
        m->symmetry = L->symmetry;
        m->field = L->field;
    }
    return s;
}

orr_status orr_mtx_read(const char *path, int64_t max_bytes,
                        void (*progress)(int64_t, int64_t, void *), void *arg, orr_mtx *m,
                        orr_io_error *err)
{
    return orr_mtx_from_file(read_matrix, path, max_bytes, progress, arg, m, err);
}

orr_status orr_mtx_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                         int threads, size_t block, orr_mtx *m, orr_io_error *err)
{
    return orr_mtx_from_memory(read_matrix, data, n, name, max_bytes, threads, block, m, err);
}

orr_status orr_mtx_shape(orr_input *in, orr_shape *shape, orr_io_error *err)
{
    orr_mtx_source source = {.in = in, .err = err};
    reader r = {.s = &source};
    const orr_mtx_layout *L = &r.layout;
    orr_text *text = NULL;
    int64_t at;
    orr_status s = orr_text_open(&text, in, err);
    if (s == ORR_OK)
        s = orr_lines_open(&source.lines, text, in->name, HEADER_BLOCK, err);
    if (s == ORR_OK)
        s = read_banner(&r);
    if (s == ORR_OK)
        s = read_sizes(&r, &at);
    if (s == ORR_OK)
        *shape = (orr_shape){.type = L->field == ORR_MTX_COMPLEX ? ORR_Z : ORR_D,
                             .ndim = 2,
                             .shape = {L->rows, L->cols},
                             .entries = L->coordinate ? L->entries : -1};
    orr_lines_close(&source.lines);
    orr_text_close(text);
    return s;
}

void orr_mtx_free(orr_mtx *m)
{
    if (!m)
        return;
    free(m->row);
    free(m->col);
    free(m->val);
    *m = (orr_mtx){0};
}
