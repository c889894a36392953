/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

struct reader {
    json_text *j;
    char *at;
    json_value *free; /* the next of the pool */
    int depth;
};

static json_value *wrong(struct reader *r, const char *why)
{
    if (!r->j->error) {
        r->j->error = why;
        r->j->column = (size_t)(r->at - r->j->text) + 1;
    }
    return NULL;
}

static void blanks(struct reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static int hex4(const char *s)
{
    int value = 0;
    for (int k = 0; k < 4; k++) {
        const char *digits = "0123456789abcdef", *d = s[k] ? strchr(digits, s[k] | 0x20) : NULL;
        if (!d || (s[k] < '0') || (s[k] > '9' && s[k] < 'A'))
            return -1;
        value = 16 * value + (int)(d - digits);
    }
    return value;
}

static char *utf8(char *out, long c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* \uXXXX at r->at, or a pair of surrogates; -1 if it is neither. */
static long escaped(struct reader *r)
{
    long c = hex4(r->at + 1);
    r->at += c < 0 ? 0 : 5;
    if (c < 0xd800 || c > 0xdfff)
        return c;
    const long low = c < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u' ? hex4(r->at + 2) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return -1;
    r->at += 6;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

/* The string whose opening quote is at r->at; NULL: wrong. It is never longer decoded than before. */
static const char *string(struct reader *r, size_t *length)
{
    static const char names[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    char *begin = ++r->at, *out = begin;
    for (; *r->at != '"';) {
        if ((unsigned char)*r->at < 0x20) {
            wrong(r, *r->at ? "a control character in a string" : "a string that does not end");
            return NULL;
        }
        if (*r->at != '\\') {
            *out++ = *r->at++;
            continue;
        }
        const char *known = *++r->at ? strchr(names, *r->at) : NULL;
        const long c = known ? codes[known - names] : *r->at == 'u' ? escaped(r) : -1;
        if (c <= 0) {
            wrong(r, "no such escape in a string");
            return NULL;
        }
        r->at += known != NULL;
        out = utf8(out, c);
    }
    r->at++;
    *out = '\0';
    *length = (size_t)(out - begin);
    return begin;
}

static size_t digits(const char *s) { return strspn(s, "0123456789"); }

/* Length of a number as JSON spells it, or 0. */
static size_t spelt(const char *s)
{
    const char *p = s + (*s == '-');
    const size_t whole = digits(p);
    if (!whole || (whole > 1 && *p == '0'))
        return 0;
    p += whole;
    if (*p == '.') {
        if (!digits(p + 1))
            return 0;
        p += 1 + digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        p += 1 + (p[1] == '+' || p[1] == '-');
        if (!digits(p))
            return 0;
        p += digits(p);
    }
    return (size_t)(p - s);
}

static json_value *value(struct reader *r);

/* Members or elements up to `close`; r->at is behind the opening bracket. */
static json_value *list(struct reader *r, json_value *v, char close)
{
    json_value **end = &v->first;
    if (++r->depth > DEEPEST)
        return wrong(r, "too many brackets within each other");
    blanks(r);
    while (v->first ? *r->at == ',' : *r->at != close) {
        const char *key = NULL;
        size_t length;
        if (v->first)
            r->at++;
        blanks(r);
        if (close == '}') {
            if (*r->at != '"')
                return wrong(r, "a name in quotes is missing");
            if (!(key = string(r, &length)))
                return NULL;
            blanks(r);
            if (*r->at != ':')
                return wrong(r, "':' is missing");
            r->at++;
        }
        if (!(*end = value(r)))
            return NULL;
        (*end)->key = key;
        end = &(*end)->next;
        blanks(r);
    }
    r->depth--;
    if (*r->at != close)
        return wrong(r, *r->at ? "',' or a closing bracket is missing" : "it ends too early");
    r->at++;
    return v;
}

static json_value *value(struct reader *r)
{
    static const struct {
        const char *word;
        json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    blanks(r);
    json_value *v = r->free++;
    *v = (json_value){.text = r->at};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strncmp(r->at, words[k].word, strlen(words[k].word))) {
            v->kind = words[k].kind;
            v->length = strlen(words[k].word);
            r->at += v->length;
            return v;
        }
    if (*r->at == '"') {
        v->kind = JSON_STRING;
        return (v->text = string(r, &v->length)) ? v : NULL;
    }
    if (*r->at == '{' || *r->at == '[') {
        v->kind = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
        if (!list(r, v, *r->at++ == '{' ? '}' : ']'))
            return NULL;
        v->length = (size_t)(r->at - v->text);
        return v;
    }
    v->kind = JSON_NUMBER;
    v->length = spelt(r->at);
    if (!v->length)
        return wrong(r, *r->at ? "not a value of JSON" : "it ends too early");
    v->number = strtod(r->at, NULL);
    r->at += v->length;
    return v;
}

/* Every value but the first follows one of these, so that there is room for all. */
static size_t most_values(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == ',' || *text == ':' || *text == '[' || *text == '{';
    return n;
}

const json_value *json_read(json_text *j, const char *text)
{
    *j = (json_text){.text = strdup(text)};
    j->pool = j->text ? malloc((most_values(text) + 1) * sizeof *j->pool) : NULL;
    if (!j->pool) {
        j->error = "out of memory";
        return NULL;
    }
    struct reader r = {j, j->text, j->pool, 0};
    json_value *v = value(&r);
    if (!v)
        return NULL;
    blanks(&r);
    return *r.at ? wrong(&r, "something follows the value") : v;
}

void json_free(json_text *j)
{
    free(j->text);
    free(j->pool);
    *j = (json_text){0};
}

const json_value *json_member(const json_value *object, const char *key)
{
    const json_value *v = object && object->kind == JSON_OBJECT ? object->first : NULL;
    while (v && strcmp(v->key, key) != 0)
        v = v->next;
    return v;
}

const char *json_text_of(const json_value *object, const char *key)
{
    const json_value *v = json_member(object, key);
    return v && v->kind == JSON_STRING ? v->text : "";
}

double json_number_of(const json_value *object, const char *key)
{
    const json_value *v = json_member(object, key);
    return v && v->kind == JSON_NUMBER ? v->number : NAN;
}
