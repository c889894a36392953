#!/bin/sh
# pages.sh ORRERY DIR: the man page and completions, as the command prints them. What it
# cannot print (yet) is left out.
mkdir -p "$2" && cd "$2" || exit 0
keep() { [ -s "$1.new" ] && mv "$1.new" "$1" || rm -f "$1.new"; }
"$1" --man >orrery.1.new 2>/dev/null </dev/null || : >orrery.1.new
keep orrery.1
for shell in bash zsh fish; do
    "$1" --completion "$shell" >"$shell.new" 2>/dev/null </dev/null || : >"$shell.new"
    keep "$shell"
done
exit 0
