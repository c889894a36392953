#!/usr/bin/env bash
# abi.sh SOURCE_DIR LIBRARY: scripts/abi accepts the library that is its own reference and a new function, and refuses
# a function that is gone, a longer struct that programs know and another type of a member.
set -euo pipefail
abi=$1/scripts/abi library=$2
command -v abidiff >/dev/null || { echo "no abidiff (scripts/deps abi): not tested"; exit 77; }
[ "$(readelf -S "$library" | grep -c '\.debug_info')" != 0 ] || { echo "no debug information in this build: not tested"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
now=$tmp/now.abi
planted() { # WHAT SED_SCRIPT accepted|refused: the reference is the library, changed so
    local found=accepted
    sed "$2" "$now" >"$tmp/then.abi"
    if cmp -s "$now" "$tmp/then.abi"; then echo "$1: nothing was changed"; exit 1; fi
    "$abi" --reference "$tmp/then.abi" "$library" >"$tmp/log" 2>&1 || found=refused
    [ $found = refused ] || grep -q '^compatible' "$tmp/log" || { cat "$tmp/log"; exit 1; }
    [ $found = accepted ] || grep -q 'not compatible' "$tmp/log" || { cat "$tmp/log"; exit 1; }
    echo "$1: $found"
    [ $found = "$3" ] || { cat "$tmp/log"; exit 1; }
}
"$abi" --reference "$now" --accept "$library"
"$abi" --reference "$now" "$library"
planted "a new function" "/<elf-symbol name='orr_version'/d; /<function-decl name='orr_version'/,/<\/function-decl>/d" accepted
planted "a longer struct whose insides are nobody's" "/class-decl name='orr_sparse'/s/size-in-bits='[0-9]*'/size-in-bits='64'/" accepted
planted "a function that is gone" "s/'orr_version'/'orr_old'/g" refused
planted "a longer struct" "/class-decl name='orr_heev_opts'/s/size-in-bits='[0-9]*'/size-in-bits='64'/" refused
id=$(sed -n "s/.*type-decl name='double'.* id='\([^']*\)'.*/\1/p" "$now")
planted "a member of another type" "/class-decl name='orr_heevj_opts'/,/<\/class-decl>/s/name='max_sweeps' type-id='[^']*'/name='max_sweeps' type-id='$id'/" refused
