/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/io/utf8.h"

#include "src/cli/core/cli.h"

static int reserve(cli_text *t, size_t more)
{
    if (t->failed || more >= SIZE_MAX / 4 - t->n) {
        t->failed = 1;
        return 0;
    }
    if (t->n + more + 1 <= t->capacity)
        return 1;
    const size_t capacity = 2 * (t->n + more) + 64;
    char *s = realloc(t->s, capacity);
    if (!s) {
        t->failed = 1;
        return 0;
    }
    t->s = s;
    t->capacity = capacity;
    return 1;
}

void cli_put_bytes(cli_text *t, const char *bytes, size_t n)
{
    if (!reserve(t, n))
        return;
    memcpy(t->s + t->n, bytes, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void cli_put(cli_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (n < 0 || !reserve(t, (size_t)n))
        return;
    va_start(list, format);
    vsnprintf(t->s + t->n, (size_t)n + 1, format, list);
    va_end(list);
    t->n += (size_t)n;
}

void cli_put_json(cli_text *t, const char *string)
{
    if (!string) {
        cli_put(t, "null");
        return;
    }
    cli_put(t, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c;) {
        const size_t n = orr_utf8_length((const char *)c);
        if (*c == '"' || *c == '\\')
            cli_put(t, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7F)
            cli_put(t, "\\u%04x", *c);
        else if (n)
            cli_put_bytes(t, (const char *)c, n);
        else
            cli_put(t, "\\ufffd");
        c += n ? n : 1;
    }
    cli_put(t, "\"");
}

void cli_put_number(cli_text *t, double x)
{
    if (isfinite(x))
        cli_put(t, "%.9g", x);
    else
        cli_put(t, "null");
}

static void put_key(cli_text *t, const char *key)
{
    cli_put(t, "%s\"%s\":", t->n && t->s[t->n - 1] == '{' ? "" : ",", key);
}

void cli_member_json(cli_text *t, const char *key, const char *value)
{
    put_key(t, key);
    cli_put_json(t, value);
}

void cli_member_number(cli_text *t, const char *key, double value)
{
    put_key(t, key);
    cli_put_number(t, value);
}

void cli_member_count(cli_text *t, const char *key, int64_t value)
{
    put_key(t, key);
    cli_put(t, value >= 0 ? "%lld" : "null", (long long)value);
}

void cli_put_csv(cli_text *t, const char *field)
{
    if (!field || !field[strcspn(field, "\",\r\n")]) {
        cli_put(t, "%s", field ? field : "");
        return;
    }
    cli_put(t, "\"");
    for (; *field; field++) {
        if (*field == '"')
            cli_put(t, "\"\"");
        else
            cli_put_bytes(t, field, 1);
    }
    cli_put(t, "\"");
}

void cli_put_html(cli_text *t, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': cli_put(t, "&lt;"); break;
        case '>': cli_put(t, "&gt;"); break;
        case '&': cli_put(t, "&amp;"); break;
        case '"': cli_put(t, "&quot;"); break;
        default: cli_put_bytes(t, text, 1);
        }
}

void cli_put_shell(cli_text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+.,:/@%";
    if (*word && !word[strspn(word, plain)]) {
        cli_put(t, "%s", word);
        return;
    }
    cli_put(t, "'");
    for (; *word; word++) {
        if (*word == '\'')
            cli_put(t, "'\\''");
        else
            cli_put_bytes(t, word, 1);
    }
    cli_put(t, "'");
}

/* Takes the last `bytes` from a file again if they are what this process has written. */
static void take_back(int fd, size_t bytes)
{
    const int why = errno;
    struct stat s;
    const off_t at = lseek(fd, 0, SEEK_CUR);
    if (bytes > 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == at &&
        at >= (off_t)bytes && ftruncate(fd, at - (off_t)bytes) == 0)
        (void)lseek(fd, at - (off_t)bytes, SEEK_SET);
    errno = why;
}

int cli_text_write(const cli_text *t, int fd)
{
    if (t->failed) {
        errno = ENOMEM;
        return -1;
    }
    /* Only pipes and full disks split a write. */
    for (size_t done = 0; done < t->n;) {
        const ssize_t n = write(fd, t->s + done, t->n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            take_back(fd, done);
            return -1;
        }
        done += (size_t)n;
    }
    return 0;
}

int cli_text_print(cli_text *t)
{
    const int code = t->failed ? CLI_MEMORY : CLI_OK;
    if (code == CLI_OK)
        fwrite(t->s, 1, t->n, stdout);
    cli_text_free(t);
    return code;
}

void cli_text_free(cli_text *t)
{
    free(t->s);
    *t = (cli_text){0};
}

const char *cli_plain(const char *name, cli_plain_text out)
{
    snprintf(out, sizeof(cli_plain_text), "%s", name);
    for (char *c = out; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    return out;
}
