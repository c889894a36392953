/* See option_values.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/option_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 100000 };

int cli_type_word(const cli_words *words, int64_t k)
{
    orr_type type;
    return words->n && orr_type_parse(words->v[k], &type) == 0 ? (int)type : -1;
}

static double suffix_factor(const char *suffix)
{
    static const struct {
        const char *suffix;
        double factor;
    } table[] = {
        {"", 1},     {"k", 1e3},     {"K", 1e3},     {"M", 1e6},     {"G", 1e9},
        {"T", 1e12}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(suffix, table[k].suffix))
            return table[k].factor;
    return 0;
}

int cli_number(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    /* Plain integers exactly: a seed may need all 63 bits. */
    const long long whole = strtoll(text, &end, 10);
    if (end != text && !*end && !errno) {
        *number = whole;
        return 1;
    }
    /* strtod alone would take "inf", "nan" and hexadecimal. */
    if (strspn(text, "+-.0123456789eE") == 0)
        return 0;
    errno = 0;
    const double mantissa = strtod(text, &end);
    const double value = mantissa * suffix_factor(end);
    if (end == text || errno || strpbrk(text, "xXpP") || suffix_factor(end) == 0 ||
        !(fabs(value) < 0x1p62) || value != floor(value))
        return 0;
    *number = (int64_t)value;
    return 1;
}

int cli_real(const char *text, double *x)
{
    char *end;
    const char *digits = text + (*text == '-' || *text == '+');
    *x = strtod(text, &end);
    const int word = !strcmp(digits, "inf");
    return word || (strspn(digits, ".0123456789") && !strpbrk(text, "xX") && !*end && isfinite(*x));
}

static int push(cli_sizes *list, int64_t value)
{
    if (list->n >= MAX_LIST)
        return 0;
    if ((list->n & (list->n - 1)) == 0) {
        int64_t *grown = realloc(list->v, sizeof *grown * (size_t)(list->n ? 2 * list->n : 1));
        if (!grown)
            return 0;
        list->v = grown;
    }
    list->v[list->n++] = value;
    return 1;
}

/* first[:last[:step]]; the difference of two parts is an int64_t, too. */
static int push_range(cli_sizes *list, char *item)
{
    const int64_t most = INT64_MAX / 2;
    int64_t part[3];
    int parts = 0;
    for (char *next; item; item = next) {
        next = strchr(item, ':');
        if (next)
            *next++ = '\0';
        if (parts == 3 || !cli_number(item, &part[parts]) || part[parts] > most ||
            part[parts] < -most)
            return 0;
        parts++;
    }
    const int64_t first = part[0], last = parts > 1 ? part[1] : first;
    const int64_t step = parts > 2 ? part[2] : 1;
    if (step == 0 || (last - first) / step < 0)
        return 0;
    for (int64_t k = 0; k <= (last - first) / step; k++)
        if (!push(list, first + k * step))
            return 0;
    return 1;
}

int cli_size_list(const char *text, cli_sizes *list)
{
    char *copy = strdup(text);
    int good = copy != NULL;
    free(list->v); /* the last --n wins, as for every other option */
    *list = (cli_sizes){0};
    for (char *item = copy, *next; good && item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        good = push_range(list, item);
    }
    free(copy);
    return good;
}

void cli_free_words(cli_words *list)
{
    if (list->v)
        free(list->v[0]);
    free(list->v);
    *list = (cli_words){0};
}

/* The words point into one copy of the text, which v[0] owns. */
int cli_word_list(const char *text, cli_words *list)
{
    size_t words = 1;
    for (const char *c = text; *c; c++)
        words += *c == ',';
    cli_free_words(list);
    char *copy = strdup(text);
    char **v = malloc(words * sizeof *v);
    if (!copy || !v) {
        free(copy);
        free(v);
        return 0;
    }
    size_t k = 0;
    for (char *item = copy; item;) {
        v[k++] = item;
        item = strchr(item, ',');
        if (item)
            *item++ = '\0';
    }
    *list = (cli_words){v, (int64_t)k};
    return 1;
}

int cli_next(int64_t *at, const int64_t *counts, int axes)
{
    for (int k = axes - 1; k >= 0; k--) {
        if (++at[k] < counts[k])
            return 1;
        at[k] = 0;
    }
    return 0;
}
