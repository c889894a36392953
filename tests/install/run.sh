#!/usr/bin/env bash
# run.sh CMAKE BUILD_DIR CC LIBDIR VERSION GENERATOR PYTHON PYTHON_DIR: installs into a private prefix, then builds and
# runs consumer.c through pkg-config and find_package, shared and static. PYTHON_DIR: where the Python package is, or "".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 build=$2 cc=$3 libdir=$4 version=$5 generator=$6 python=$7 python_dir=$8
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix

"$cmake" --install "$build" --prefix "$prefix" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
for file in bin/orrery include/orrery/orrery.h include/orrery/types.h include/orrery/io.h \
            share/man/man1/orrery.1 share/man/man1/orrery-heev.1 share/bash-completion/completions/orrery \
            share/zsh/site-functions/_orrery share/fish/vendor_completions.d/orrery.fish \
            "$libdir/liborrery_lapack.so" "$libdir/liborrery_lapack.so.0" "$libdir/liborrery.a" "$libdir/liborrery.so" "$libdir/liborrery.so.0" "$libdir/pkgconfig/orrery.pc"; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

expect() { # WAY PROGRAM
    local said
    said=$("$2") || { echo "$1: the program failed: $said"; exit 1; }
    [ "$said" = "$version" ] || { echo "$1: printed '$said', expected '$version'"; exit 1; }
    echo "$1: ok"
}

# The installation must not depend on where it was installed: move it once.
mv "$prefix" "$tmp/moved" && prefix=$tmp/moved
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
read -ra shared <<<"$(pkg-config --cflags --libs orrery)"
read -ra static <<<"$(pkg-config --static --cflags --libs orrery)"
"$cc" -std=c11 -Wall -Werror "$here/consumer.c" -o "$tmp/shared" "${shared[@]}" -Wl,-rpath,"$prefix/$libdir"
expect "pkg-config, shared" "$tmp/shared"
"$cc" -std=c11 -Wall -Werror "$here/consumer.c" -o "$tmp/static" "${static[@]/#-lorrery/-l:liborrery.a}"
expect "pkg-config, static" "$tmp/static"

echo 'extern void dsyev_(char *, char *, int *, double *, int *, double *, double *, int *, int *);
int main(void) { double a[] = {2, 1, 1, 2}, w[2], work[99]; int n = 2, l = 99, i;
dsyev_("N", "L", &n, a, &n, w, work, &l, &i); return i != 0 || w[1] < 2.9 || w[1] > 3.1; }' >"$tmp/shim.c"
"$cc" -std=c11 "$tmp/shim.c" -o "$tmp/shim" -llapack
# The preloaded library finds the moved liborrery beside it.
LD_PRELOAD=$prefix/$libdir/liborrery_lapack.so ORRERY_LAPACK_MIN=1 ORRERY_LAPACK_LOG=1 "$tmp/shim" 2>"$tmp/log" \
    && grep -q "taken over" "$tmp/log" || { cat "$tmp/log"; echo "liborrery_lapack took nothing over"; exit 1; }
echo "preloaded: ok"

"$cmake" -G "$generator" -S "$here/consumer" -B "$tmp/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >"$tmp/log" 2>&1 \
    && "$cmake" --build "$tmp/consumer" >>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
expect "find_package, shared" "$tmp/consumer/shared"
expect "find_package, static" "$tmp/consumer/static"

if command -v c++ >/dev/null; then
    c++ -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ -I"$prefix/include" "$here/consumer.c" && echo "C++: ok"
fi
"$prefix/bin/orrery" --version >/dev/null && echo "command: ok"
"$prefix/bin/orrery" models list | grep -q "^ci-2core " || { echo "the models of ci-2core are not found"; exit 1; }

if [ -n "$python_dir" ] && "$python" -c "import numpy" 2>/dev/null; then
    cd "$tmp"
    said=$(PYTHONPATH=$prefix/$python_dir "$python" -B -c '
import orrery, os
from orrery import _library
print(os.path.realpath(_library.path), *orrery.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).round(9))')
    [ "$said" = "$(realpath "$prefix/$libdir/liborrery.so.0") 1.0 3.0" ] || { echo "Python: $said"; exit 1; }
    echo "Python: ok"
else
    echo "Python: not tried (no NumPy, or ORR_PYTHON_DIR is empty)"
fi
