#!/bin/sh
# The C program printed in README.md is examples/first.c, line by line after its comment, and prints what
# README.md says it prints.   readme.sh README EXAMPLE_SOURCE EXAMPLE_PROGRAM
#
# SPDX-License-Identifier: BSD-3-Clause
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
awk '/^```c$/ {on = 1; next} /^```$/ {if (on) exit} on' "$1" >"$work/printed"
sed '1,/\*\/$/d' "$2" >"$work/source"
diff "$work/source" "$work/printed" || { echo "README.md does not print $2"; exit 1; }
"$3" >"$work/output" || { echo "$3 failed"; exit 1; }
while IFS= read -r line; do
    grep -qxF "$line" "$1" || { echo "README.md does not show the output line: $line"; exit 1; }
done <"$work/output"
lines=$(grep -c '[;{}]' "$work/printed")
[ "$lines" -le 20 ] || { echo "the example has $lines lines of code, more than 20"; exit 1; }
echo "README's example is $2, compiles and prints what it says"
