/* Completion for three shells, from the option tables. What changes from machine to machine, the
 * scheduling policies and the performance models, a shell asks for while one types:
 * orrery --complete sched.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/options.h"

#include <string.h>

/* ---- Words that are asked for ------------------------------------------------------------------ */

static void print_word(const char *word, void *f) { fprintf(f, "%s\n", word); }

static void print_policies(FILE *f)
{
    orr_policy_info p;
    for (int k = 0; orr_policy(k, &p); k++)
        if (!p.refused)
            print_word(p.name, f);
}

void cli_complete(int words, FILE *f)
{
    if (words == 0)
        print_policies(f);
    else if (words == 1)
        cli_each_model(print_word, f);
    else
        cli_each_machine(print_word, f);
}

/* ---- Shared ------------------------------------------------------------------------------------ */

/* A list of '|' with another mark between its words. */
static void joined(FILE *f, const char *list, char mark)
{
    for (; list && *list; list++)
        fputc(*list == '|' ? mark : *list, f);
}

static int is_directory(const cli_option *o) { return o->arg && !strcmp(o->arg, "DIR"); }

/* One row of a command, for the writer of one shell. */
struct place {
    FILE *f;
    const cli_command *command;
};

static void each_row(const cli_command *c, FILE *f, void (*row)(const cli_option *, size_t, void *))
{
    struct place place = {f, c};
    cli_each_option(c->options, 0, row, &place);
    cli_each_option(cli_help_options, 0, row, &place);
}

static const char *first_line(const char *text, int *length)
{
    *length = (int)strcspn(text, "\n");
    return text;
}

/* ---- bash -------------------------------------------------------------------------------------- */

static const char bash_head[] =
    "# bash completion for orrery; load it with: source <(orrery --completion bash)\n"
    "_orrery_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
    "_orrery_ask() { \"${COMP_WORDS[0]}\" --complete \"$1\" 2>/dev/null; }\n"
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

static void bash_name(const cli_option *o, size_t base, void *arg)
{
    (void)base;
    if (o->kind != OPT_GROUP)
        fprintf(((struct place *)arg)->f, " --%s", o->name);
}

/* A case per option that takes a value; commands may give one name different values. */
static void bash_value(const cli_option *o, size_t base, void *arg)
{
    const struct place *p = arg;
    const char *list = o->kind == OPT_WORDS ? "_orrery_list" : "_orrery_words";
    (void)base;
    if (o->kind == OPT_GROUP || o->kind == OPT_FLAG)
        return;
    fprintf(p->f, "    %s--%s", p->command->name, o->name);
    if (o->letter)
        fprintf(p->f, "|%s-%c", p->command->name, o->letter);
    fputs(") ", p->f);
    if (o->complete) {
        fprintf(p->f, "%s \"$(_orrery_ask %s)\"; ", list, o->complete);
    } else if (o->kind == OPT_FILE) {
        fprintf(p->f, "_orrery_files '%s", is_directory(o) ? "/" : "");
        joined(p->f, o->choices, ' ');
        fputs("'; ", p->f);
    } else if (o->choices) {
        fprintf(p->f, "%s '", list);
        joined(p->f, o->choices, ' ');
        fputs("'; ", p->f);
        if (o->libraries)
            fputs("COMPREPLY+=($(compgen -f -- \"$cur\")); ", p->f);
    }
    fputs("return;;\n", p->f);
}

static void bash_command(const cli_command *c, FILE *f)
{
    fprintf(f, "    %s) names='", c->name);
    each_row(c, f, bash_name);
    fputs("' suffixes='", f);
    joined(f, c->files, ' ');
    fputs("' words='", f);
    joined(f, c->words, ' ');
    fprintf(f, "' ask='%s';;\n", c->complete ? c->complete : "");
}

static void bash(const cli_command *const *commands, FILE *f)
{
    fputs(bash_head, f);
    fputs("  case $command in\n", f);
    for (int k = 0; commands[k]; k++)
        if (commands[k]->aliases)
            fprintf(f, "    %s) command=%s;;\n", commands[k]->aliases, commands[k]->name);
    fputs("  esac\n  if ((COMP_CWORD == 1)); then\n    _orrery_words '", f);
    for (int k = 0; commands[k]; k++)
        fprintf(f, "%s ", commands[k]->name);
    fputs("help", f);
    struct place place = {f, NULL};
    cli_each_option(cli_main_options, 0, bash_name, &place);
    fputs("'\n    return\n  fi\n  case $command$prev in\n    help*|--man--man|--man=) "
          "_orrery_words '",
          f);
    for (int k = 0; commands[k]; k++)
        fprintf(f, " %s", commands[k]->name);
    fputs("'; return;;\n    --completion--completion|--completion=) _orrery_words '", f);
    joined(f, CLI_SHELLS, ' ');
    fputs("'; return;;\n", f);
    for (int k = 0; commands[k]; k++)
        each_row(commands[k], f, bash_value);
    fputs("  esac\n  local names='' suffixes='' words='' ask=''\n  case $command in\n", f);
    for (int k = 0; commands[k]; k++)
        bash_command(commands[k], f);
    fputs(
        "  esac\n  if [[ $cur == -* ]]; then _orrery_words \"$names\"\n"
        "  elif [[ $ask && $COMP_CWORD -gt 2 ]]; then _orrery_words \"$(_orrery_ask $ask)\"\n"
        "  elif [[ $words && ($COMP_CWORD -eq 2 || -z $suffixes) ]]; then _orrery_words \"$words\"\n"
        "  elif [[ $suffixes ]]; then _orrery_files \"$suffixes\"; fi\n}\n"
        "complete -F _orrery orrery\n",
        f);
}

/* ---- zsh --------------------------------------------------------------------------------------- */

/* Within single quotes; `marks` mean something to _arguments or _describe there. */
static void zsh_text(FILE *f, const char *text, const char *marks)
{
    int n;
    text = first_line(text, &n);
    for (int k = 0; k < n; k++) {
        if (text[k] == '\'') {
            fputs("'\\''", f);
            continue;
        }
        if (strchr(marks, text[k]))
            fputc('\\', f);
        fputc(text[k], f);
    }
}

static void zsh_value(FILE *f, const cli_option *o)
{
    fputc(':', f);
    zsh_text(f, o->arg ? o->arg : "VALUE", "[]:");
    fputc(':', f);
    if (o->complete) {
        fprintf(f, "%s_orrery_%s", o->kind == OPT_WORDS ? "_sequence " : "", o->complete);
    } else if (o->kind == OPT_FILE) {
        fputs("_files", f);
        if (is_directory(o))
            fputs(" -/", f);
        else if (o->choices) {
            fputs(" -g \"*.(", f);
            joined(f, o->choices, '|');
            fputs(")(-.)\"", f);
        }
    } else if (o->choices && o->kind == OPT_WORDS) {
        fputs("_sequence compadd - ", f);
        joined(f, o->choices, ' ');
    } else if (o->choices) {
        fputc('(', f);
        joined(f, o->choices, ' ');
        fputc(')', f);
    }
}

static void zsh_row(const cli_option *o, size_t base, void *arg)
{
    FILE *f = ((struct place *)arg)->f;
    const char *equals = o->kind == OPT_FLAG ? "" : "=", *plus = o->kind == OPT_FLAG ? "" : "+";
    (void)base;
    if (o->kind == OPT_GROUP)
        return;
    fputs(" \\\n        ", f);
    if (o->letter)
        fprintf(f, "'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, plus, o->name,
                equals);
    else
        fprintf(f, "'--%s%s[", o->name, equals);
    zsh_text(f, o->help, "[]:");
    fputc(']', f);
    if (o->kind != OPT_FLAG)
        zsh_value(f, o);
    fputc('\'', f);
}

static void zsh_command(const cli_command *c, FILE *f)
{
    fprintf(f, "    %s%s%s)\n      _arguments -s -S", c->name, c->aliases ? "|" : "",
            c->aliases ? c->aliases : "");
    each_row(c, f, zsh_row);
    if (c->words) {
        fputs(" \\\n        '1:what:(", f);
        joined(f, c->words, ' ');
        fputs(")'", f);
    }
    if (c->complete)
        fprintf(f, " \\\n        '*:name:_orrery_%s'", c->complete);
    else if (c->files) {
        fputs(" \\\n        '*:file:_files -g \"*.(", f);
        joined(f, c->files, '|');
        fputs(")(-.)\"'", f);
    }
    fputs(" ;;\n", f);
}

static void zsh(const cli_command *const *commands, FILE *f)
{
    fputs("#compdef orrery\n"
          "# zsh completion for orrery; as _orrery in a directory of $fpath\n"
          "_orrery_ask() {\n"
          "  local -a asked=(${(f)\"$(_call_program $1 orrery --complete $1 2>/dev/null)\"})\n"
          "  compadd \"${@:2}\" -a asked\n"
          "}\n",
          f);
    char word[64];
    for (int k = 0; cli_bar_word(CLI_WORDS, k, word, sizeof word); k++)
        fprintf(f, "_orrery_%s() { _orrery_ask %s \"$@\" }\n", word, word);
    fputs("_orrery() {\n  local -a commands=(\n", f);
    for (int k = 0; commands[k]; k++) {
        fprintf(f, "    '%s:", commands[k]->name);
        zsh_text(f, commands[k]->summary, ":");
        fputs("'\n", f);
    }
    fputs("    'help:the options of a command'\n  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    if [[ $words[2] == -* ]]; then\n      compadd --",
          f);
    struct place place = {f, NULL};
    cli_each_option(cli_main_options, 0, bash_name, &place);
    fputs("\n    else\n      _describe command commands\n    fi\n    return\n  fi\n"
          "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n"
          "    help|--man) compadd -- ${commands%%:*} ;;\n    --completion) compadd -- ",
          f);
    joined(f, CLI_SHELLS, ' ');
    fputs(" ;;\n", f);
    for (int k = 0; commands[k]; k++)
        zsh_command(commands[k], f);
    fputs("  esac\n}\nif [[ $funcstack[1] == _orrery ]]; then _orrery \"$@\"; "
          "else compdef _orrery orrery; fi\n",
          f);
}

/* ---- fish -------------------------------------------------------------------------------------- */

static void fish_text(FILE *f, const char *text)
{
    int n;
    fputc('\'', f);
    text = first_line(text, &n);
    for (int k = 0; k < n; k++) {
        if (text[k] == '\'' || text[k] == '\\')
            fputc('\\', f);
        fputc(text[k], f);
    }
    fputc('\'', f);
}

/* Offered after this command. */
static void fish_begin(const cli_command *c, FILE *f)
{
    fprintf(f, "complete -c orrery -n '__fish_seen_subcommand_from %s", c->name);
    if (c->aliases) {
        fputc(' ', f);
        joined(f, c->aliases, ' ');
    }
    fputc('\'', f);
}

static void fish_value(FILE *f, const cli_option *o)
{
    if (o->kind == OPT_FILE && !o->complete) {
        if (is_directory(o))
            fputs(" -x -a '(__fish_complete_directories)'", f);
        else if (o->choices) {
            fputs(" -x -a '(__orrery_files ", f);
            joined(f, o->choices, ' ');
            fputs(")'", f);
        } else
            fputs(" -r -F", f);
        return;
    }
    fputs(" -x", f);
    if (!o->complete && !o->choices)
        return;
    fputs(" -a \"(", f);
    if (o->kind == OPT_WORDS)
        fputs("__fish_complete_list , '", f);
    if (o->complete)
        fprintf(f, "__orrery_ask %s", o->complete);
    else {
        fputs("__orrery_words ", f);
        joined(f, o->choices, ' ');
    }
    fputs(o->kind == OPT_WORDS ? "')\"" : ")\"", f);
}

static void fish_row(const cli_option *o, size_t base, void *arg)
{
    const struct place *p = arg;
    (void)base;
    if (o->kind == OPT_GROUP)
        return;
    fish_begin(p->command, p->f);
    if (o->letter)
        fprintf(p->f, " -s %c", o->letter);
    fprintf(p->f, " -l %s", o->name);
    if (o->kind != OPT_FLAG)
        fish_value(p->f, o);
    fputs(" -d ", p->f);
    fish_text(p->f, o->help);
    fputc('\n', p->f);
}

static void fish_arguments(const cli_command *c, FILE *f)
{
    if (c->words) {
        fish_begin(c, f);
        fputs(" -a '", f);
        joined(f, c->words, ' ');
        fputs("'\n", f);
    }
    if (c->complete) {
        fprintf(f,
                "complete -c orrery -n '__fish_seen_subcommand_from %s; and "
                "__fish_seen_subcommand_from ",
                c->name);
        joined(f, c->words, ' ');
        fprintf(f, "' -a '(__orrery_ask %s)'\n", c->complete);
    } else if (c->files) {
        fish_begin(c, f);
        fputs(" -a '(__orrery_files ", f);
        joined(f, c->files, ' ');
        fputs(")'\n", f);
    }
}

static void fish(const cli_command *const *commands, FILE *f)
{
    fputs("# fish completion for orrery; load it with: orrery --completion fish | source\n"
          "function __orrery_ask; orrery --complete $argv[1] 2>/dev/null; end\n"
          "function __orrery_words; printf '%s\\n' $argv; end\n"
          "# Files with one of the suffixes, and directories.\n"
          "function __orrery_files\n"
          "    set -l token (commandline -ct | string replace -r -- '^-.*=' '')\n"
          "    for suffix in $argv\n"
          "        for file in $token*.$suffix; echo $file; end\n"
          "    end\n"
          "    for directory in $token*/; echo $directory; end\n"
          "end\n"
          "complete -c orrery -f\n",
          f);
    for (int k = 0; commands[k]; k++) {
        fprintf(f, "complete -c orrery -n __fish_use_subcommand -a %s -d ", commands[k]->name);
        fish_text(f, commands[k]->summary);
        fputc('\n', f);
    }
    fputs("complete -c orrery -n __fish_use_subcommand -a help -d 'the options of a command'\n"
          "complete -c orrery -n '__fish_seen_subcommand_from help' -a '",
          f);
    for (int k = 0; commands[k]; k++)
        fprintf(f, "%s%s", k ? " " : "", commands[k]->name);
    fputs("'\n", f);
    for (const cli_option *o = cli_main_options; o->kind != OPT_END; o++) {
        fprintf(f, "complete -c orrery -n __fish_use_subcommand -l %s", o->name);
        if (o->letter)
            fprintf(f, " -s %c", o->letter);
        if (o->kind != OPT_FLAG)
            fish_value(f, o);
        fputs(" -d ", f);
        fish_text(f, o->help);
        fputc('\n', f);
    }
    for (int k = 0; commands[k]; k++) {
        each_row(commands[k], f, fish_row);
        fish_arguments(commands[k], f);
    }
}

void cli_completion(const cli_command *const *commands, int shell, FILE *f)
{
    static void (*const writer[])(const cli_command *const *, FILE *) = {bash, zsh, fish};
    writer[shell](commands, f);
}
