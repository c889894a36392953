#!/bin/sh
# symbols.sh NM LIBRARY HEADERS: the library exports exactly the functions that its headers
# mark ORR_API, each with a version (cmake/orrery.map). In the archive beside it every C function
# begins with orr_.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
"$1" -D --defined-only "$2" | awk '$2 != "A" { print $NF }' | sort -u >"$tmp/versioned"
sed 's/@.*//' "$tmp/versioned" | sort -u >"$tmp/exported"
grep -hv '^#' "$3"/*.h | tr '\n' ' ' | grep -oE 'ORR_API [^;(]*\(' | grep -oE '[A-Za-z_0-9]+\($' | tr -d '(' | sort -u >"$tmp/promised"
echo "$(wc -l <"$tmp/exported") exported, $(wc -l <"$tmp/promised") promised in headers"
comm -23 "$tmp/exported" "$tmp/promised" | sed 's/^/exported but not promised: /' >"$tmp/bad"
comm -13 "$tmp/exported" "$tmp/promised" | sed 's/^/promised but not exported: /' >>"$tmp/bad"
grep -v '@@ORRERY_[0-9]*\.[0-9]*$' "$tmp/versioned" | sed 's/^/exported without a version: /' >>"$tmp/bad"
archive=${2%/*}/liborrery.a
if [ -e "$archive" ]; then
    "$1" -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | grep -v '^orr_\|^_\|^DW[.]ref[.]' | sort -u | sed 's/^/in the archive, without orr_: /' >>"$tmp/bad"
fi
cat "$tmp/bad"
[ -s "$tmp/promised" ] && [ ! -s "$tmp/bad" ]
