#!/usr/bin/env bash
# pip.sh CMAKE SOURCE_DIR BUILD_DIR LIBDIR PYTHON [whole]: pip install ./packaging/python beside an installed liborrery
# gives a package that takes that library; with "whole" it builds one, which takes minutes. Skipped where pip
# cannot fetch its build requirement, scikit-build-core.
set -euo pipefail
cmake=$1 source=$2 build=$3 libdir=$4 python=$5 whole=${6:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
skip() { echo "$1"; exit 77; }
"$python" -c "import numpy" 2>/dev/null || skip "no NumPy"
"$python" -m pip --version >/dev/null 2>&1 || skip "no pip"
pip=("$python" -m pip --disable-pip-version-check --retries 0 --timeout 15 install -q)
"${pip[@]}" --target "$tmp/tools" "scikit-build-core>=0.10" >"$tmp/log" 2>&1 \
    || skip "pip has no scikit-build-core: $(tail -n 1 "$tmp/log")"

if [ -z "$whole" ]; then
    "$cmake" --install "$build" --prefix "$tmp/prefix" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
    export PKG_CONFIG_PATH=$tmp/prefix/$libdir/pkgconfig
    options=(--config-settings=cmake.define.ORRERY_INSTALLED=ON)
    expected=$tmp/prefix/$libdir/liborrery.so.0
else
    options=()
    expected=$tmp/site
fi
cp -R "$source/packaging" "$source/"{CMakeLists.txt,cmake,scripts,include,src,codelets,kernels,schedulers} "$tmp/" # pip writes beside it
PYTHONPATH=$tmp/tools "${pip[@]}" --target "$tmp/site" --no-deps --no-build-isolation "${options[@]}" "$tmp/packaging/python" >"$tmp/log" 2>&1 \
    || { cat "$tmp/log"; exit 1; }
cd "$tmp/site"
said=$(env -u PYTHONPATH "$python" -B -c '
import os, orrery
from orrery import _library
assert os.path.dirname(orrery.__file__).startswith(os.getcwd()), orrery.__file__
print(os.path.realpath(_library.path), *orrery.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).round(9))')
case $said in
"$(realpath "$expected")"*" 1.0 3.0") echo "$said" ;;
*) echo "expected $expected, and 1.0 3.0: $said"; exit 1 ;;
esac
