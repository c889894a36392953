#!/bin/sh
# wide_calls.sh OBJDUMP LIBRARY: code for AVX (a function that uses ymm or zmm registers) calls a function
# of the baseline only behind a vzeroupper. Without it the processor changes between AVX and SSE at
# each call, which once made bisection three times as slow. -fno-ipa-ra has GCC obey.
#
# The code is read as it stands: what is behind a jump counts as clean.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
"$1" -d --no-show-raw-insn "$2" >"$tmp/code" || exit 2
grep -q 'file format elf64-x86-64' "$tmp/code" || { echo 'no code for x86-64'; exit 77; }
awk '
/^[0-9a-f]+ <.*>:$/ { f = $2; gsub(/[<>:]/, "", f); wide = 0; next }
/%[yz]mm/ { wide = has[f] = 1 }
/vzeroupper|vzeroall|\tret|\tjmp/ { wide = 0; next }
/\tcall / { calls++ }
/\tcall / && wide && $NF !~ /@plt/ { callee = $NF; gsub(/[<>]/, "", callee); from[f " calls " callee] = callee }
END {
    for (f in has) functions++
    for (k in from) if (!(from[k] in has)) print k
    printf "%d functions with wide registers, %d calls\n", functions, calls >"/dev/stderr"
    if (functions < 100 || calls < 1000) print "too few of them: is this the library?"
}' "$tmp/code" | sort >"$tmp/bad"
cat "$tmp/bad"
[ ! -s "$tmp/bad" ]
