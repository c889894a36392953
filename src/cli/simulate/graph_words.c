/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/simulate/graph_import.h"

static size_t slot_of(const graph_words *w, const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *s = text; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    for (size_t i = h % w->slots;; i = (i + 1) % w->slots)
        if (!w->word[i] || !strcmp(w->word[i], text))
            return i;
}

static int more_slots(graph_words *w)
{
    const graph_words old = *w;
    w->slots = old.slots ? 2 * old.slots : 256;
    w->word = calloc(w->slots, sizeof *w->word);
    w->number = calloc(w->slots, sizeof *w->number);
    if (!w->word || !w->number) {
        free(w->word);
        free(w->number);
        *w = old;
        return 0;
    }
    for (size_t i = 0; i < old.slots; i++)
        if (old.word[i]) {
            const size_t at = slot_of(w, old.word[i]);
            w->word[at] = old.word[i];
            w->number[at] = old.number[i];
        }
    free(old.word);
    free(old.number);
    return 1;
}

size_t graph_word(graph_words *w, const char *text, int add)
{
    if (2 * w->count >= w->slots && !more_slots(w))
        return SIZE_MAX;
    const size_t at = slot_of(w, text);
    if (w->word[at])
        return w->number[at];
    if (!add || !(w->word[at] = strdup(text)))
        return SIZE_MAX;
    return w->number[at] = w->count++;
}

void graph_words_free(graph_words *w)
{
    for (size_t i = 0; i < w->slots; i++)
        free(w->word[i]);
    free(w->word);
    free(w->number);
    *w = (graph_words){.count = 0};
}
