#!/bin/sh
# pages.sh ORRERY DIR: the man pages (man1/) and the completions (bash, zsh, fish), as the command
# prints them. What it cannot print, or a command that cannot run here, is left out.
orrery=$1
mkdir -p "$2/man1" && cd "$2" || exit 0
keep() { # NAME WORDS...: what orrery prints, unless it prints nothing
    name=$1 && shift
    "$orrery" "$@" >"$name.new" 2>/dev/null </dev/null || : >"$name.new"
    [ -s "$name.new" ] && mv "$name.new" "$name" || rm -f "$name.new"
}
keep man1/orrery.1 --man
for command in $("$orrery" --help 2>/dev/null </dev/null |
                     sed -n '/^Commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p'); do
    keep "man1/orrery-$command.1" "--man=$command"
done
for shell in bash zsh fish; do
    keep "$shell" "--completion=$shell"
done
exit 0
