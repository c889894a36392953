#!/bin/sh
# symbols.sh NM LIBRARY HEADERS: the library exports exactly the functions that its headers
# mark ORR_API.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
"$1" -D --defined-only "$2" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$tmp/exported"
grep -hv '^#' "$3"/*.h | tr '\n' ' ' | grep -oE 'ORR_API [^;(]*\(' | grep -oE '[A-Za-z_0-9]+\($' | tr -d '(' | sort -u >"$tmp/promised"
echo "$(wc -l <"$tmp/exported") exported, $(wc -l <"$tmp/promised") promised in headers"
comm -23 "$tmp/exported" "$tmp/promised" | sed 's/^/exported but not promised: /' >"$tmp/bad"
comm -13 "$tmp/exported" "$tmp/promised" | sed 's/^/promised but not exported: /' >>"$tmp/bad"
cat "$tmp/bad"
[ ! -s "$tmp/bad" ]
