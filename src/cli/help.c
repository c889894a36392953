/* The three texts that follow from an option table: --help, the man page, and the bash
 * completion.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <string.h>

enum { HELP_COLUMN = 28 };

/* The rows that every command has without its table saying so. */
static const cli_option help_rows[] = {
    { .name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "print this help" },
    { .kind = OPT_END },
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
    const char letter[] = { '-', o->letter, ',', '\0' };
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
    cli_each_option(help_rows, 0, help_row, f);
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
        fputs(".PP\n.I ", f);
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

static void man_code(FILE *f, const char *lines)
{
    fputs(".PP\n.nf\n.RS\n", f);
    roff_line(f, lines);
    fputs(".RE\n.fi\n", f);
}

static void man_command(const cli_command *c, FILE *f)
{
    char alias[64];
    fprintf(f, ".SS orrery ");
    roff_line(f, c->name);
    fputs(".B orrery ", f);
    roff(f, c->name, strlen(c->name));
    fputs("\n.I ", f);
    roff_line(f, c->synopsis);
    fputs(".PP\n", f);
    for (const char *text = c->about; text && *text;) {
        const char *blank = strstr(text, "\n\n"); /* paragraphs */
        const size_t n = blank ? (size_t)(blank - text) : strlen(text);
        roff(f, text, n);
        fputs(blank ? "\n.PP\n" : "\n", f);
        text += n + (blank ? 2 : 0);
    }
    for (int k = 0; cli_bar_word(c->aliases, k, alias, sizeof alias); k++) {
        fputs(k ? ", " : ".PP\nAlias: ", f);
        roff(f, alias, strlen(alias));
    }
    fputs(c->aliases ? ".\n" : "", f);
    cli_each_option(c->options, 0, man_row, f);
    cli_each_option(help_rows, 0, man_row, f);
    if (c->examples)
        man_code(f, c->examples);
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
    "--sched is not given, STARPU_PERF_MODEL_DIR the performance models where --model-dir is not\n"
    "given. NO_COLOR switches colours off. 'orrery doctor' lists the variables that matter.",
};

void cli_man(const cli_command *const *commands, FILE *f)
{
    fprintf(f, ".TH ORRERY 1 \"\" \"orrery %s\" \"User Commands\"\n", orr_version());
    fputs(".SH NAME\norrery \\- eigenvalues and singular values on CPUs and GPUs\n.SH SYNOPSIS\n"
          ".B orrery\n.I command\n[\\fIoptions\\fR] [\\fIfile\\fR ...]\n.SH DESCRIPTION\n", f);
    roff_line(f,
              "Spectral decompositions as StarPU task graphs: of matrices in files, or of random "
              "matrices as a benchmark. Results and tables go to standard output, messages and "
              "progress to standard error.");
    fputs(".SH OPTIONS\n", f);
    cli_each_option(cli_main_options, 0, man_row, f);
    fputs(".SH COMMANDS\n", f);
    for (int k = 0; commands[k]; k++)
        man_command(commands[k], f);
    for (size_t k = 0; k < sizeof man_end / sizeof *man_end; k++) {
        if (man_end[k][0] == '.')
            fprintf(f, "%s\n", man_end[k]); /* a heading, already roff */
        else
            roff_line(f, man_end[k]);
    }
    fputs(".SH SEE ALSO\n.BR starpu_machine_display (1),\n.BR lstopo (1)\n", f);
}

/* ---- Bash completion --------------------------------------------------------------- */

static void spaced(FILE *f, const char *list)
{
    for (; *list; list++)
        fputc(*list == '|' ? ' ' : *list, f);
}

static void name_row(const cli_option *o, size_t base, void *stream)
{
    (void)base;
    if (o->kind != OPT_GROUP)
        fprintf(stream, " --%s", o->name);
}

struct value_rows {
    FILE       *f;
    const char *command;
};

/* A case per option that takes a value; commands may give one name different values. */
static void value_row(const cli_option *o, size_t base, void *arg)
{
    const struct value_rows *rows = arg;
    (void)base;
    if (o->kind == OPT_GROUP || o->kind == OPT_FLAG)
        return;
    fprintf(rows->f, "    %s--%s", rows->command, o->name);
    if (o->letter)
        fprintf(rows->f, "|%s-%c", rows->command, o->letter);
    fputs(") ", rows->f);
    if (o->choices) {
        fputs(o->kind == OPT_WORDS ? "_orrery_list '" : "_orrery_words '", rows->f);
        spaced(rows->f, o->choices);
        fputs("'; ", rows->f);
    } else if (o->kind == OPT_FILE) {
        fputs("_orrery_files ''; ", rows->f);
    }
    fputs("return;;\n", rows->f);
}

static const char completion_head[] =
    "# bash completion for orrery; load it with: source <(orrery --completion bash)\n"
    "_orrery_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
    "# The last word of a comma list; what stands before it is kept.\n"
    "_orrery_list() {\n"
    "  local done=''\n"
    "  [[ $cur == *,* ]] && done=${cur%,*},\n"
    "  COMPREPLY=($(compgen -P \"$done\" -W \"$1\" -- \"${cur##*,}\"))\n"
    "}\n"
    "# Files with one of the suffixes (all if there are none), and directories.\n"
    "_orrery_files() {\n"
    "  local name suffix IFS=$'\\n'\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  COMPREPLY=()\n"
    "  for name in $(compgen -f -- \"$cur\"); do\n"
    "    if [[ -z $1 || -d $name ]]; then COMPREPLY+=(\"$name\"); continue; fi\n"
    "    local IFS=' '\n"
    "    for suffix in $1; do [[ $name == *.$suffix ]] && COMPREPLY+=(\"$name\"); done\n"
    "    IFS=$'\\n'\n"
    "  done\n"
    "}\n"
    "_orrery() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
    "command=${COMP_WORDS[1]}\n"
    "  COMPREPLY=()\n"
    "  # bash splits words at '=': --opt = value\n"
    "  if [[ $cur == = ]]; then cur=''\n"
    "  elif [[ $prev == = && COMP_CWORD -ge 2 ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n";

static void completion_command(const cli_command *c, FILE *f)
{
    fprintf(f, "    %s) names='", c->name);
    cli_each_option(c->options, 0, name_row, f);
    fputs(" --help' suffixes='", f);
    spaced(f, c->files ? c->files : "");
    fputs("';;\n", f);
}

void cli_bash_completion(const cli_command *const *commands, FILE *f)
{
    fputs(completion_head, f);
    fputs("  case $command in\n", f);
    for (int k = 0; commands[k]; k++)
        if (commands[k]->aliases)
            fprintf(f, "    %s) command=%s;;\n", commands[k]->aliases, commands[k]->name);
    fputs("  esac\n  if ((COMP_CWORD == 1)); then\n    _orrery_words '", f);
    for (int k = 0; commands[k]; k++)
        fprintf(f, "%s ", commands[k]->name);
    fputs("help", f);
    cli_each_option(cli_main_options, 0, name_row, f);
    fputs("'\n    return\n  fi\n  case $command$prev in\n", f);
    fputs("    help*) _orrery_words '", f);
    for (int k = 0; commands[k]; k++)
        fprintf(f, " %s", commands[k]->name);
    fputs("'; return;;\n    --completion--completion|--completion=) _orrery_words bash; return;;\n",
          f);
    for (int k = 0; commands[k]; k++)
        cli_each_option(commands[k]->options, 0, value_row,
                        &(struct value_rows){ f, commands[k]->name });
    fputs("  esac\n  local names='' suffixes=''\n  case $command in\n", f);
    for (int k = 0; commands[k]; k++)
        completion_command(commands[k], f);
    fputs("  esac\n  if [[ $cur == -* ]]; then _orrery_words \"$names\"\n"
          "  elif [[ $suffixes ]]; then _orrery_files \"$suffixes\"; fi\n}\n"
          "complete -F _orrery orrery\n", f);
}
