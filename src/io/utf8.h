/* Which bytes are a character of UTF-8.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_UTF8_H
#define ORR_UTF8_H

#include <stddef.h>

/* Bytes of the character at s, 0 if it is not one (overlong, surrogate, truncated). s ends with a zero, which is one
 * byte itself. */
static inline size_t orr_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t n = s[0] < 0x80                   ? 1
                     : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                     : (s[0] & 0xF0) == 0xE0       ? 3
                     : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                                   : 0;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))
        return 0;
    return n;
}

#endif
