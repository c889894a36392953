/* Dense matrices as text: one row per line, numbers separated by blanks or one comma.
 *
 *     source -> gunzip? -> characters -> fields -> numbers -> array (rows, columns)
 *
 * A row may be as long as it likes: nothing is kept of it but its numbers, and a field is at
 * most as long as two numbers. Complex numbers are spelt as Python and NumPy do, (1+2j) or 1+2j;
 * the first one makes the whole array complex. NaN and infinity are kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/internal.h"

enum { STEP = 1 << 16, FIELD = 4200, FIRST = 1 << 12, END = -1 };

typedef struct {
    orr_text *text;
    const char *name;
    int64_t max_bytes;
    locale_t c;
    char buffer[STEP];
    size_t at, end;
    int64_t line, column; /* of the field being read, from 1 */
    int64_t count, capacity;
    int named;   /* the comment before was Octave's name of a variable */
    int objects; /* so many variables of Octave's have begun */
    int parts;   /* 1, or 2: complex */
    int counts;  /* numbers are counted, not kept */
    double *v;
    orr_npy *a;
    orr_status status; /* the first failure; nothing is read any more */
    orr_io_error *err;
    size_t length; /* of the field, in which there may be a NUL */
    char field[FIELD + 1];
} reader;

/* ---- characters ---- */

static int peek(reader *r)
{
    if (r->at == r->end) {
        r->at = r->end = 0;
        if (r->status == ORR_OK)
            r->status = orr_text_read(r->text, r->buffer, STEP, &r->end, r->err);
        if (r->status != ORR_OK || r->end == 0)
            return r->end = 0, END;
    }
    return (unsigned char)r->buffer[r->at];
}

static int is_blank(int c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
static int is_newline(int c) { return c == '\n' || c == '\r'; }
static int is_comment(int c) { return c == '#' || c == '%'; }
static int ends_line(int c) { return is_newline(c) || c == END || is_comment(c); }

static int skip_blanks(reader *r)
{
    while (is_blank(peek(r)))
        r->at++;
    return peek(r);
}

/* Octave's save writes "# name: A" and "# type: matrix" before each variable; rows of two are not those of
 * one matrix, though they may be as long. */
static void judge_comment(reader *r, const char *begin)
{
    const int type = !strcmp(begin, "# type:");
    r->objects += type && r->named;
    r->named = !strcmp(begin, "# name:");
    if (r->objects > 1 && r->status == ORR_OK)
        r->status = orr_io_fail(r->err, ORR_E_FILE, r->name, r->line, -1,
                                "a second variable of Octave's begins; save the matrix alone");
}

static void skip_line(reader *r)
{
    char begin[sizeof "# name:"] = "";
    size_t n = 0;
    int c;
    while ((c = peek(r)) != END && !is_newline(c)) {
        if (n < sizeof begin - 1)
            begin[n++] = (char)c;
        r->at++;
    }
    judge_comment(r, begin);
    r->at += c != END;
    r->at += c == '\r' && peek(r) == '\n';
    r->line++;
}

/* ---- numbers ---- */

static void fail(reader *r, orr_status s, const char *what)
{
    char shown[48];
    if (r->status == ORR_OK)
        r->status = orr_io_fail(r->err, s, r->name, r->line, -1, "column %lld: '%s' %s",
                                (long long)r->column,
                                orr_io_quote(shown, sizeof shown, r->field, r->length), what);
}

/* nan, inf or infinity in any case, after a sign. */
static int parse_word(const char **at, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    const char *p = *at;
    const int negative = *p == '-';
    p += *p == '-' || *p == '+';
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = 0;
        while (words[k].word[n] && (p[n] | 0x20) == words[k].word[n])
            n++;
        if (words[k].word[n])
            continue;
        *value = negative ? -words[k].value : words[k].value;
        *at = p + n;
        return 1;
    }
    return 0;
}

static orr_number_status parse_real(const reader *r, const char **p, double *value)
{
    const orr_number_status s = orr_number_parse(p, value, r->c);
    return s == ORR_NUMBER_NONFINITE && parse_word(p, value) ? ORR_NUMBER_OK : s;
}

static int is_unit(const char *p) { return (*p == 'j' || *p == 'i' || *p == 'J') && !p[1]; }

/* 1.5, 2j, 1.5+2j; *parts: 1 or 2. The text has no blanks and no parentheses. */
static orr_number_status parse_number(const reader *r, const char *p, double z[2], int *parts)
{
    z[1] = 0;
    *parts = 1;
    orr_number_status s = parse_real(r, &p, &z[0]);
    if (s != ORR_NUMBER_OK || !*p)
        return s;
    *parts = 2;
    if (is_unit(p)) {
        z[1] = z[0];
        z[0] = 0;
        return ORR_NUMBER_OK;
    }
    if (*p != '+' && *p != '-')
        return ORR_NUMBER_BAD;
    p += p[0] == '+' && p[1] == '-'; /* older NumPy writes 1+-2j */
    s = parse_real(r, &p, &z[1]);
    return s != ORR_NUMBER_OK || is_unit(p) ? s : ORR_NUMBER_BAD;
}

/* The next field without its blanks and parentheses; 0 after a failure. */
static int take_field(reader *r)
{
    const int inside = peek(r) == '(';
    size_t n = 0;
    r->at += (size_t)inside;
    for (int c = peek(r); c != END && !is_newline(c) && c != ','; c = peek(r)) {
        if (inside ? c == ')' : is_blank(c) || is_comment(c))
            break;
        if (!is_blank(c) && n < FIELD)
            r->field[n++] = (char)c;
        else if (n == FIELD)
            break;
        r->at++;
    }
    r->field[n] = '\0';
    r->length = n;
    if (n == FIELD)
        fail(r, ORR_E_FILE, "is too long for a number");
    else if (inside && peek(r) != ')')
        fail(r, ORR_E_FILE, "lacks its closing parenthesis");
    else
        r->at += (size_t)inside;
    return r->status == ORR_OK;
}

static int at_separator(reader *r)
{
    const int c = peek(r);
    return is_blank(c) || c == ',' || ends_line(c);
}

/* ---- the array ---- */

/* Room for one number more. */
static int reserve(reader *r)
{
    const int64_t size = 8 * r->parts;
    if (r->v && r->count < r->capacity)
        return 1;
    if (r->max_bytes > 0 && (r->count + 1) * size > r->max_bytes) {
        r->status =
            orr_io_fail(r->err, ORR_E_NOMEM, r->name, r->line, -1,
                        "the array has more than the %lld bytes allowed", (long long)r->max_bytes);
        return 0;
    }
    int64_t want = r->capacity ? r->capacity + r->capacity / 2 : FIRST;
    if (r->max_bytes > 0 && want * size > r->max_bytes)
        want = r->max_bytes / size;
    double *v = realloc(r->v, (size_t)(want * size));
    if (!v) {
        r->status = orr_io_fail(r->err, ORR_E_NOMEM, r->name, r->line, -1,
                                "out of memory for %lld numbers", (long long)want);
        return 0;
    }
    r->v = v;
    r->capacity = want;
    return 1;
}

/* The numbers so far become complex. */
static int widen(reader *r)
{
    double *v = malloc((size_t)(r->capacity + 1) * 16);
    if (!v) {
        r->status = orr_io_fail(r->err, ORR_E_NOMEM, r->name, r->line, -1, "out of memory");
        return 0;
    }
    for (int64_t k = 0; k < r->count; k++) {
        v[2 * k] = r->v[k];
        v[2 * k + 1] = 0;
    }
    free(r->v);
    r->v = v;
    r->parts = 2;
    if (r->max_bytes > 0 && r->capacity * 16 > r->max_bytes)
        r->capacity = r->max_bytes / 16 > r->count ? r->max_bytes / 16 : r->count;
    return 1;
}

/* Tells that the field is no number, with what may help. */
static void no_number(reader *r)
{
    static const char names[] = " (a line of names begins with #, a column of names is not read)";
    char what[128];
    const int first = !r->count && r->column == 1, name = !strpbrk(r->field, "0123456789");
    const char *hint = strchr(r->field, ';')
                           ? " (blanks or a comma separate numbers, decimals have a point)"
                       : first && name ? names
                                       : orr_io_not_ascii(r->field);
    if (!*hint && first)
        hint = names;
    snprintf(what, sizeof what, "is not a number%s", hint);
    fail(r, ORR_E_FILE, what);
}

static void read_number(reader *r)
{
    double z[2];
    int parts;
    r->column++;
    if (!take_field(r))
        return;
    const orr_number_status s = parse_number(r, r->field, z, &parts);
    if (s == ORR_NUMBER_HUGE)
        fail(r, ORR_E_FILE, "is larger than the largest double");
    else if (s != ORR_NUMBER_OK || strlen(r->field) < r->length || !at_separator(r))
        no_number(r);
    if (r->status == ORR_OK && r->counts) {
        r->parts = parts > r->parts ? parts : r->parts;
        r->count++;
        return;
    }
    if (r->status != ORR_OK || (parts > r->parts && !widen(r)) || !reserve(r))
        return;
    r->v[r->count * r->parts] = z[0];
    if (r->parts == 2)
        r->v[r->count * 2 + 1] = z[1];
    r->count++;
}

/* The numbers of a line up to its end or a comment: how many. Commas and blanks as separators of one
 * line would make two numbers of 4,5, as half of Europe writes it. */
static int64_t read_row(reader *r)
{
    int comma = 0;   /* one stands before here */
    int commas = -1; /* whether they separate numbers; -1: not known yet */
    r->column = 0;
    for (int c = skip_blanks(r); r->status == ORR_OK; c = skip_blanks(r)) {
        if ((c == ',' && (comma || r->column == 0)) || (ends_line(c) && comma)) {
            r->status = orr_io_fail(r->err, ORR_E_FILE, r->name, r->line, -1,
                                    "column %lld: a number is missing", (long long)r->column + 1);
            break;
        }
        if (ends_line(c))
            break;
        if (c == ',') {
            comma = 1;
            r->at++;
            continue;
        }
        if (commas < 0 && r->column > 0)
            commas = comma;
        if (r->column > 0 && comma != commas) {
            r->status =
                orr_io_fail(r->err, ORR_E_FILE, r->name, r->line, -1,
                            "column %lld: commas and blanks both separate numbers; decimals "
                            "have a point",
                            (long long)r->column + 1);
            break;
        }
        comma = 0;
        read_number(r);
    }
    return r->column;
}

static void read_rows(reader *r)
{
    orr_npy *a = r->a;
    a->ndim = 2;
    orr_text_expect(r->text, ORR_TEXT_IDLE);
    for (r->line = 1; peek(r) != END; skip_line(r)) {
        const int64_t n = read_row(r);
        if (r->status != ORR_OK)
            return;
        if (n == 0)
            continue;
        orr_text_expect(r->text, ORR_TEXT_IDLE);
        if (a->shape[0]++ == 0)
            a->shape[1] = n;
        if (n != a->shape[1]) {
            r->status = orr_io_fail(r->err, ORR_E_FILE, r->name, r->line, -1,
                                    "%lld number%s, where the lines before have %lld", (long long)n,
                                    n == 1 ? "" : "s", (long long)a->shape[1]);
            return;
        }
    }
    if (r->status == ORR_OK && r->count == 0)
        r->status = orr_io_fail(r->err, ORR_E_FILE, r->name, -1, -1, "holds no numbers");
}

/* UTF-8's mark is skipped; other encodings are not read. */
static void skip_mark(reader *r)
{
    peek(r);
    const size_t n = r->end - r->at;
    const char *p = r->buffer + r->at;
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        r->at += 3;
    else if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        r->status = orr_io_fail(r->err, ORR_E_FILE, r->name, 1, -1,
                                "the text is in UTF-16; save it in UTF-8");
    else if (n >= 6 && memcmp(p, "\x93NUMPY", 6) == 0)
        r->status = orr_io_fail(r->err, ORR_E_FILE, r->name, -1, -1,
                                "is no text: its name should end in .npy");
}

static orr_status read_text(orr_input *in, int64_t max_bytes, int counts, orr_npy *a,
                            orr_io_error *err)
{
    reader *r = calloc(1, sizeof *r);
    *a = (orr_npy){.type = ORR_D};
    if (!r)
        return orr_io_fail(err, ORR_E_NOMEM, in->name, -1, -1, "out of memory");
    r->parts = 1;
    r->counts = counts;
    r->name = in->name;
    r->max_bytes = max_bytes;
    r->a = a;
    r->err = err;
    r->status = orr_text_open(&r->text, in, err);
    if (r->status == ORR_OK) {
        r->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (!r->c)
            r->status = orr_io_fail(err, ORR_E_NOMEM, in->name, -1, -1, "out of memory");
        orr_text_no_mtx(r->text);
        if (r->status == ORR_OK)
            skip_mark(r);
        if (r->status == ORR_OK)
            read_rows(r);
        if (r->c)
            freelocale(r->c);
        orr_text_close(r->text);
    }
    const orr_status s = r->status;
    if (s == ORR_OK) {
        a->type = r->parts == 2 ? ORR_Z : ORR_D;
        a->data = r->v;
    } else {
        free(r->v);
        *a = (orr_npy){0};
    }
    free(r);
    return s;
}

/* ---- entry points ---- */

orr_status orr_table_read(const char *path, int64_t max_bytes, orr_npy *a, orr_io_error *err)
{
    orr_input in;
    if (!orr_io_begin(path, a, sizeof *a, err))
        return ORR_E_ARG;
    orr_status s = orr_input_open(&in, path, err);
    if (s == ORR_OK)
        s = read_text(&in, max_bytes, 0, a, err);
    orr_input_close(&in);
    return s;
}

orr_status orr_table_read_stream(void *file, const char *name, int64_t max_bytes, orr_npy *a,
                                 orr_io_error *err)
{
    orr_input in;
    orr_io_clear(err);
    if (!a)
        return ORR_E_ARG;
    *a = (orr_npy){0};
    if (!file)
        return ORR_E_ARG;
    orr_input_stream(&in, file, name ? name : "(stream)");
    return read_text(&in, max_bytes, 0, a, err);
}

orr_status orr_table_parse(const void *data, size_t n, const char *name, int64_t max_bytes,
                           orr_npy *a, orr_io_error *err)
{
    orr_input in;
    orr_io_clear(err);
    orr_input_memory(&in, data, n, name);
    return read_text(&in, max_bytes, 0, a, err);
}

orr_status orr_table_shape(orr_input *in, orr_shape *s, orr_io_error *err)
{
    orr_npy a;
    const orr_status status = read_text(in, 0, 1, &a, err);
    if (status == ORR_OK)
        *s = (orr_shape){
            .type = a.type, .ndim = 2, .shape = {a.shape[0], a.shape[1]}, .entries = -1};
    return status;
}
