#!/bin/sh
# Whether the formatter of .clang-format (version 14, Debian 12's; others break lines elsewhere) would
# change a source file. Prints what it would change; "tests/format.sh --fix" changes it.
cd "$(dirname "$0")/.." || exit 2
for formatter in clang-format-14 clang-format; do
    "$formatter" --version 2>/dev/null | grep -q 'version 14\.' && break
    formatter=
done
[ -n "$formatter" ] || { echo "no clang-format 14"; exit 77; }
files=$(find bench codelets examples include kernels packaging schedulers src tests \
    -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | sort)
[ -n "$files" ] || { echo "no files"; exit 2; }
case ${1:-} in
--fix) echo "$files" | xargs "$formatter" -i ;;
*) echo "$files" | xargs -n 100 -P 2 "$formatter" --dry-run --Werror ;;
esac
