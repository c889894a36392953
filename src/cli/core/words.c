/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int cli_bar_word(const char *list, int k, char *buffer, size_t size)
{
    for (; list && k > 0; k--) {
        list = strchr(list, '|');
        if (list)
            list++;
    }
    if (!list || !*list)
        return 0;
    size_t n = strcspn(list, "|");
    if (n >= size)
        n = size - 1;
    memcpy(buffer, list, n);
    buffer[n] = '\0';
    return 1;
}

int cli_word_index(const char *word, const char *list)
{
    char candidate[64];
    for (int k = 0; cli_bar_word(list, k, candidate, sizeof candidate); k++)
        if (!strcmp(word, candidate))
            return k;
    return -1;
}

static int least(int a, int b) { return a < b ? a : b; }

static int same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Edits from one word of at most 63 letters to another, small and capital ones alike: a letter more, a
 * letter less, another one, or two neighbours that changed places. */
static int distance(const char *a, const char *b)
{
    int rows[3][64]; /* of the last three prefixes of a, in turn */
    const int na = least((int)strlen(a), 63), nb = least((int)strlen(b), 63);
    for (int i = 0; i <= na; i++) {
        int *row = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] =
                least(before[j - 1] + !same(a[i - 1], b[j - 1]), least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], earlier[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

const char *cli_nearest(const char *word, const char *list, char *buffer, size_t size)
{
    char candidate[64];
    int best = 4;
    const int third = ((int)strlen(word) + 1) / 3; /* of the letters may be others */
    for (int k = 0; cli_bar_word(list, k, candidate, sizeof candidate); k++) {
        int d = distance(word, candidate);
        if (strlen(word) >= 3 && !strncmp(word, candidate, strlen(word)))
            d = 0; /* an abbreviation */
        if (d < best && d <= third) {
            best = d;
            snprintf(buffer, size, "%s", candidate);
        }
    }
    return best < 4 ? buffer : NULL;
}

const char *cli_guess(const char *word, const char *list, cli_guess_text text)
{
    char near[64];
    const size_t dashes = strspn(word, "-");
    text[0] = '\0';
    if (word[dashes] && cli_nearest(word + dashes, list, near, sizeof near))
        snprintf(text, sizeof(cli_guess_text), "; did you mean '%s%s'?", dashes ? "--" : "", near);
    return text;
}
