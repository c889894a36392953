/* libFuzzer: bytes as the words of a command line, one a line, for options of every kind.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct args {
    int flag, choice;
    int64_t count;
    double real;
    const char *text;
    cli_sizes sizes;
    cli_words words;
};

#define CHOICES "auto|two-stage|lapack"
static const cli_option more[] = {
    {"words", 'w', OPT_WORDS, "W", "", CHOICES, offsetof(struct args, words)},
    {"text", 't', OPT_TEXT, "T", "", .at = offsetof(struct args, text)},
    {.kind = OPT_END}};
static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "All"},
    {"flag", 'f', OPT_FLAG, .help = "", .at = offsetof(struct args, flag)},
    {"count", 'c', OPT_INT, "N", "", .at = offsetof(struct args, count), .min = 1, .max = 100},
    {"real", 'r', OPT_REAL, "X", "", .at = offsetof(struct args, real), .max = 2, .above = 1},
    {"choice", 'm', OPT_CHOICE, "M", "", CHOICES, offsetof(struct args, choice)},
    {"sizes", 'n', OPT_SIZES, "N", "", .at = offsetof(struct args, sizes), .min = 1},
    {.kind = OPT_INCLUDE, .include = more},
    {.kind = OPT_END}};
static const cli_command command = {.name = "fuzz", .options = options};

static int said;

void cli_say(const char *format, ...) { said += format != NULL; }
int cli_usage(const char *name, const char *message) { return name && message; }
void cli_help(const cli_command *c, FILE *f) { said += c && f; }
int cli_is_library(const char *word) { return !word; }
int orr_type_parse(const char *word, orr_type *t) { return word && t; }

static void check(const struct args *a)
{
    if (a->count < 1 || a->count > 100 || !(a->real > 0 && a->real <= 2) || a->choice < 0 ||
        a->choice > 2 || !*a->text)
        abort();
    for (int64_t k = 0; k < a->sizes.n; k++)
        if (a->sizes.v[k] < 1)
            abort();
    for (int64_t k = 0; k < a->words.n; k++)
        if (cli_word_index(a->words.v[k], CHOICES) < 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { MOST = 64 };
    struct args a = {.count = 1, .real = 1, .text = "none"};
    char *copy = malloc(n + 1), *argv[MOST + 1] = {"fuzz"};
    cli_files files;
    int argc = 1, code;
    if (!copy)
        return 0;
    memcpy(copy, data, n);
    copy[n] = '\0';
    for (char *word = copy; word && argc < MOST;) {
        argv[argc++] = word;
        word = strchr(word, '\n');
        if (word)
            *word++ = '\0';
    }
    said = 0;
    if (cli_parse(&command, argc, argv, &a, &files, &code)) {
        check(&a);
        if (files.n < 0 || files.n >= argc)
            abort();
        cli_release(&command, &a);
    } else if (!said || (code != CLI_OK && code != CLI_USAGE)) {
        abort();
    }
    free(copy);
    return 0;
}
