#!/usr/bin/env bash
# path.sh CMAKE SOURCE_DIR CC: a source tree, and a build beside it, whose path has blanks and
# quotes: it configures, and what depends on the path compiles.
set -euo pipefail
cmake=$1 source=$2 cc=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
place="$tmp/a user's & matrices" # not ": modules of CMake fail at it
mkdir "$place"
ln -s "$source" "$place/source"
"$cmake" -G Ninja -S "$place/source" -B "$place/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug \
    -DORR_TESTS=ON -DORR_BENCH=OFF -DORR_EXAMPLES=ON >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
# the header with the git id, an object of each layer and of a test, the module with the policies
for target in orr_git CMakeFiles/orr_src.dir/src/models/use.c.o CMakeFiles/orr_codelets.dir/codelets/core/submit.c.o \
              tests/algorithms/CMakeFiles/test_context.dir/context.c.o examples/CMakeFiles/first.dir/first.c.o orrery_sched; do
    "$cmake" --build "$place/build" --target "$target" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
done
# an object of the command by its own line of build.ninja: as a target it would want the whole library first
cd "$place/build"
ninja -t commands CMakeFiles/orrery_cli.dir/src/cli/core/record.c.o | tail -n 1 >"$tmp/command"
grep -q 'record\.c' "$tmp/command" || { echo "no command for record.c"; exit 1; }
sh "$tmp/command" || exit 1
grep -q ORR_GIT "$place/build/generated/orr_git.h" || { echo "no git id"; exit 1; }
grep -qF "$place/build" "$place/build/tests.tsv" || { echo "no table of tests"; exit 1; }
echo "ok"
