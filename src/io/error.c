/* Messages about files. File names and what stands in files may hold anything, also
 * sequences that reprogram a terminal, so whatever comes from outside is printed as
 * printable UTF-8 with the rest as \xNN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/io/internal.h"

void orr_io_clear(orr_io_error *e)
{
    if (e)
        *e = (orr_io_error){.line = -1, .offset = -1, .message = ""};
}

int orr_io_begin(const void *from, void *to, size_t size, orr_io_error *e)
{
    orr_io_clear(e);
    if (to)
        memset(to, 0, size);
    return from && to;
}

/* Bytes of the printable character at s, 0 if it must be escaped. */
static size_t printable(const unsigned char *s, size_t n)
{
    if (s[0] >= 0x20 && s[0] < 0x7f)
        return 1;
    size_t len = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 0;
    if (s[0] >= 0xf0 && s[0] < 0xf5)
        len = 4;
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (s[0] == 0xc2 && s[1] < 0xa0) /* C1 controls */
        return 0;
    if (s[0] == 0xc2 && s[1] == 0xa0) /* a blank that separates nothing */
        return 0;
    if (s[0] == 0xe2 && (s[1] == 0x80 || s[1] == 0x81)) /* direction marks, separators */
        return 0;
    return len;
}

char *orr_io_quote(char *out, size_t cap, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t k = 0, cut = 0; /* cut: where "..." would still fit */
    for (size_t i = 0; i < n;) {
        size_t len = printable(s + i, n - i), need = len ? len : 4;
        if (k + 4 <= cap)
            cut = k;
        if (k + need >= cap) {
            snprintf(out + cut, cap - cut, "...");
            return out;
        }
        if (len)
            memcpy(out + k, s + i, len);
        else
            snprintf(out + k, cap - k, "\\x%02x", s[i]);
        k += need;
        i += len ? len : 1;
    }
    out[k] = '\0';
    return out;
}

const char *orr_io_not_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return " (it is not plain ASCII: a minus sign or a blank that only looks like one?)";
    return "";
}

char *orr_io_strerror(char *out, size_t cap, int error)
{
    if (error == ORR_INPUT_CHANGED)
        snprintf(out, cap, "it was changed meanwhile");
    else if (strerror_r(error, out, cap))
        snprintf(out, cap, "error %d", error);
    return out;
}

orr_status orr_io_fail(orr_io_error *e, orr_status s, const char *name, int64_t line,
                       int64_t offset, const char *format, ...)
{
    if (!e)
        return s;
    /* Of a long name the end tells most. */
    char shown[104];
    size_t n = strlen(name), skip = n > 90 ? n - 90 : 0;
    size_t lead = skip ? 3 : 0;
    memcpy(shown, "...", lead);
    orr_io_quote(shown + lead, sizeof shown - lead, name + skip, n - skip);

    e->line = line;
    e->offset = offset;
    int k;
    if (line >= 0)
        k = snprintf(e->message, sizeof e->message, "%s:%" PRId64 ": ", shown, line);
    else if (offset >= 0)
        k = snprintf(e->message, sizeof e->message, "%s: byte %" PRId64 ": ", shown, offset);
    else
        k = snprintf(e->message, sizeof e->message, "%s: ", shown);
    va_list ap;
    va_start(ap, format);
    vsnprintf(e->message + k, sizeof e->message - (size_t)k, format, ap);
    va_end(ap);
    return s;
}
