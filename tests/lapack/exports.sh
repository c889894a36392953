#!/bin/sh
# exports.sh NM LIBRARY ROUTINES_H: the library exports each routine in four forms and nothing else,
# and needs neither liborrery nor StarPU until it is called.
#
# SPDX-License-Identifier: BSD-3-Clause
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
"$1" -D --defined-only "$2" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$tmp/exported"
sed -n 's/^ *R(\([a-z0-9]*\),.*/\1/p' "$3" | while read -r name; do
    printf '%s\n' "${name}_" "${name}_64_" "scipy_${name}_" "scipy_${name}_64_"
done | sort -u >"$tmp/promised"
echo "$(wc -l <"$tmp/exported") exported, $(wc -l <"$tmp/promised") promised"
[ -s "$tmp/promised" ] && diff "$tmp/promised" "$tmp/exported" || exit 1
# by name: a path may have blanks
LD_LIBRARY_PATH=$(dirname "$2") LD_PRELOAD=$(basename "$2") cat /proc/self/maps >"$tmp/maps" || exit 1
grep -q "$(basename "$(readlink -f "$2")")" "$tmp/maps" || { echo "it was not loaded"; exit 1; }
! grep -E 'starpu|liborrery\.so|hwloc|blas' "$tmp/maps"
