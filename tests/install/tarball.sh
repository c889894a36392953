#!/usr/bin/env bash
# tarball.sh CMAKE SOURCE_DIR CC: the release tarball of the working tree has the same bytes when made twice,
# holds no more than one directory of what git has, and configures without git, which it needs for nothing.
set -euo pipefail
cmake=$1 source=$2 cc=$3
git -C "$source" rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout: no tarball is made"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$source"

# A commit of the tree as it is, on no branch.
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test
cp "$(git rev-parse --git-path index)" "$tmp/index"
tree=$(GIT_INDEX_FILE=$tmp/index git add -A && GIT_INDEX_FILE=$tmp/index git write-tree)
ref=$(git commit-tree "$tree" -p HEAD -m test)

first=$(scripts/release --out "$tmp/1" "$ref")
second=$(umask 077 && TZ=Asia/Tokyo LC_ALL=C scripts/release --out "$tmp/2" "$ref")
cmp "$first" "$second"
tar tzf "$first" | sed 's,/.*,,' | sort -u >"$tmp/top"
[ "$(cat "$tmp/top")" = "$(basename "$first" .tar.gz)" ] || { echo "at the top:"; cat "$tmp/top"; exit 1; }
tar tzf "$first" | sed -n 's,^[^/]*/\(.*[^/]\)$,\1,p' | sort >"$tmp/packed"
git ls-tree -r --name-only "$ref" | grep -vxE '\.ci/.*|\.gitattributes|\.gitignore' | sort >"$tmp/tracked"
diff "$tmp/tracked" "$tmp/packed" || { echo "the tarball is not what git has"; exit 1; }

mkdir "$tmp/bin"
printf '#!/bin/sh\necho "git was asked: $*" >>"%s"\nexit 1\n' "$tmp/asked" >"$tmp/bin/git"
chmod +x "$tmp/bin/git"
export PATH=$tmp/bin:$PATH
tar xzf "$first" -C "$tmp"
"$cmake" -S "$tmp/$(cat "$tmp/top")" -B "$tmp/build" -DCMAKE_C_COMPILER="$cc" >"$tmp/log" 2>&1 \
    && "$cmake" --build "$tmp/build" --target orr_git >>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
[ ! -e "$tmp/asked" ] || { cat "$tmp/asked"; exit 1; }
grep -qF "\"${ref:0:12}\"" "$tmp/build/generated/orr_git.h" || { cat "$tmp/build/generated/orr_git.h"; echo "expected ${ref:0:12}"; exit 1; }
echo "$(wc -l <"$tmp/packed") files, $(wc -c <"$first") bytes"
