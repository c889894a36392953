/* Two of the texts that follow from an option table: --help and the man pages. completion.c has
 * the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/options.h"

#include <ctype.h>
#include <string.h>

enum { HELP_COLUMN = 28 };

/* The rows that every command has without its table saying so. */
const cli_option cli_help_options[] = {
    {.name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "print this help"},
    {.kind = OPT_END},
};

static const char *value_name(const cli_option *o)
{
    return o->arg ? o->arg : o->choices ? o->choices : "VALUE";
}

/* ---- --help ----------------------------------------------------------------------- */

static void help_row(const cli_option *o, size_t base, void *stream)
{
    FILE *f = stream;
    (void)base;
    if (o->kind == OPT_GROUP) {
        fprintf(f, "%s:\n", o->help);
        return;
    }
    char left[96];
    const int flag = o->kind == OPT_FLAG;
    const char letter[] = {'-', o->letter, ',', '\0'};
    snprintf(left, sizeof left, "  %-3s --%s%s%s", o->letter ? letter : "", o->name,
             flag ? "" : " ", flag ? "" : value_name(o));
    if (strlen(left) >= HELP_COLUMN)
        fprintf(f, "%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
    else
        fprintf(f, "%-*s%s\n", HELP_COLUMN, left, o->help);
}

void cli_help(const cli_command *command, FILE *f)
{
    char alias[64];
    fprintf(f, "Usage: orrery %s %s", command->name, command->synopsis);
    for (int k = 0; cli_bar_word(command->aliases, k, alias, sizeof alias); k++)
        fprintf(f, "%s%s", k ? ", " : "   (alias: ", alias);
    fprintf(f, "%s\n%s\n", command->aliases ? ")" : "", command->summary);
    cli_each_option(command->options, 0, help_row, f);
    cli_each_option(cli_help_options, 0, help_row, f);
    if (command->examples)
        fprintf(f, "\nExamples:\n");
    for (const char *line = command->examples; line && *line;) {
        const int n = (int)strcspn(line, "\n");
        fprintf(f, "  %.*s\n", n, line);
        line += n + (line[n] == '\n');
    }
}

/* ---- Man page ------------------------------------------------------------------------ */

/* Text in roff: no character may be taken for a request or a ligature. */
static void roff(FILE *f, const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const int first = k == 0 || text[k - 1] == '\n';
        if (first && (text[k] == '.' || text[k] == '\''))
            fputs("\\&", f);
        if (text[k] == '-')
            fputs("\\-", f);
        else if (text[k] == '\\')
            fputs("\\e", f);
        else if (text[k] == '~')
            fputs("\\(ti", f);
        else if (text[k] == '^')
            fputs("\\(ha", f);
        else if (text[k] == '\'')
            fputs("\\(aq", f);
        else if (text[k] == '`')
            fputs("\\(ga", f);
        else if (text[k] == '"' && first)
            fputs("\\(dq", f);
        else
            fputc(text[k], f);
    }
}

static void roff_line(FILE *f, const char *text)
{
    roff(f, text, strlen(text));
    fputc('\n', f);
}

static void man_row(const cli_option *o, size_t base, void *stream)
{
    FILE *f = stream;
    (void)base;
    if (o->kind == OPT_GROUP) {
        fputs(".SS ", f);
        roff_line(f, o->help);
        return;
    }
    fputs(".TP\n\\fB", f);
    if (o->letter)
        fprintf(f, "\\-%c\\fR, \\fB", o->letter);
    fputs("\\-\\-", f);
    roff(f, o->name, strlen(o->name));
    fputs("\\fR", f);
    if (o->kind != OPT_FLAG) {
        fputs(" \\fI", f);
        roff(f, value_name(o), strlen(value_name(o)));
        fputs("\\fR", f);
    }
    fputc('\n', f);
    roff(f, o->help, strlen(o->help));
    char word[64], last[64] = "";
    for (int k = 0; cli_bar_word(o->choices, k, word, sizeof word); k++)
        strcpy(last, word);
    /* Unless the line above has named them all. */
    if (o->choices && o->arg && strcmp(o->arg, o->choices) != 0 && !strstr(o->help, last)) {
        fputs(":\n", f);
        for (int k = 0; cli_bar_word(o->choices, k, word, sizeof word); k++) {
            if (k)
                fputs(", ", f);
            roff(f, word, strlen(word));
        }
    }
    fputc('\n', f);
}

static void paragraphs(FILE *f, const char *text)
{
    while (text && *text) {
        const char *blank = strstr(text, "\n\n");
        const size_t n = blank ? (size_t)(blank - text) : strlen(text);
        roff(f, text, n);
        fputs(blank ? "\n.PP\n" : "\n", f);
        text += n + (blank ? 2 : 0);
    }
}

static void title(FILE *f, const char *name)
{
    fputs(".TH ", f);
    for (; *name; name++)
        fputc(toupper((unsigned char)*name), f);
    fprintf(f, " 1 \"\" \"orrery %s\" \"User Commands\"\n", orr_version());
}

void cli_man_command(const cli_command *c, FILE *f)
{
    char name[64], alias[64];
    snprintf(name, sizeof name, "orrery-%s", c->name);
    title(f, name);
    fprintf(f, ".SH NAME\norrery\\-%s \\- ", c->name);
    roff_line(f, c->summary);
    fprintf(f, ".SH SYNOPSIS\n.B orrery %s\n.I ", c->name);
    roff_line(f, c->synopsis);
    fputs(".SH DESCRIPTION\n", f);
    paragraphs(f, c->about ? c->about : c->summary);
    for (int k = 0; cli_bar_word(c->aliases, k, alias, sizeof alias); k++) {
        fputs(k ? ", " : ".PP\nAlso called: ", f);
        roff(f, alias, strlen(alias));
    }
    fputs(c->aliases ? ".\n.SH OPTIONS\n" : ".SH OPTIONS\n", f);
    cli_each_option(c->options, 0, man_row, f);
    cli_each_option(cli_help_options, 0, man_row, f);
    if (c->examples) {
        fputs(".SH EXAMPLES\n.nf\n.RS\n", f);
        roff(f, c->examples, strlen(c->examples));
        fputs(c->examples[strlen(c->examples) - 1] == '\n' ? ".RE\n.fi\n" : "\n.RE\n.fi\n", f);
    }
    fputs(".SH SEE ALSO\n.BR orrery (1)\nfor files, numbers, exit status and environment.\n", f);
}

static const char *const man_end[] = {
    ".SH FILES READ AND WRITTEN",
    "Matrices are read from NumPy files (.npy) and from Matrix Market files (.mtx, .mtx.gz).\n"
    "A batch is an array of shape (batch, n, n). Vectors come back as columns.\n"
    "Results appear under their names only when complete. An input is never overwritten.",
    ".SH NUMBERS AND LISTS",
    "Integers may be written 1000, 1e3, 1k (1000) or 1Ki (1024), likewise M, G, T.\n"
    "Sizes are lists of numbers and ranges first:last:step, for example 8,16,32:128:32.\n"
    "Every combination of all lists is one run.",
    ".SH EXIT STATUS",
    "0 done; 1 a check failed; 2 wrong command line; 3 a file is unreadable, malformed, not "
    "finite\n"
    "or not writable; 4 not converged; 5 not enough memory; 6 StarPU, CUDA or a device failed;\n"
    "77 what was asked for cannot run on this machine.",
    ".SH ENVIRONMENT",
    "STARPU_* variables act as the StarPU handbook says: STARPU_SCHED chooses the policy where\n"
    "\\-\\-sched is not given, STARPU_PERF_MODEL_DIR the performance models where "
    "\\-\\-model\\-dir is not\n"
    "given. NO_COLOR switches colours off. \\(aqorrery doctor\\(aq lists the variables that "
    "matter.",
};

void cli_man(const cli_command *const *commands, FILE *f)
{
    title(f, "orrery");
    fputs(".SH NAME\norrery \\- eigenvalues and singular values on CPUs and GPUs\n.SH SYNOPSIS\n"
          ".B orrery\n.I command\n[\\fIoptions\\fR] [\\fIfile\\fR ...]\n.SH DESCRIPTION\n",
          f);
    roff_line(f,
              "Spectral decompositions as StarPU task graphs: of matrices in files, or of random "
              "matrices\nas a benchmark. Results and tables go to standard output, messages and "
              "progress to\nstandard error. Each command has its own page.");
    fputs(".SH COMMANDS\n", f);
    for (int k = 0; commands[k]; k++) {
        fprintf(f, ".TP\n.BR orrery\\-%s (1)\n", commands[k]->name);
        roff_line(f, commands[k]->summary);
    }
    fputs(".SH OPTIONS\n", f);
    cli_each_option(cli_main_options, 0, man_row, f);
    for (size_t k = 0; k < sizeof man_end / sizeof *man_end; k++)
        fprintf(f, "%s\n", man_end[k]); /* roff already */
    fputs(".SH SEE ALSO\n", f);
    for (int k = 0; commands[k]; k++)
        fprintf(f, ".BR orrery\\-%s (1),\n", commands[k]->name);
    fputs(".BR starpu_machine_display (1),\n.BR lstopo (1)\n", f);
}
