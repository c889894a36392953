#!/usr/bin/env bash
# bench/figures: every figure's command in small, tables, resuming, and none of another build's.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
figures=${BASH_SOURCE%/*}/../../bench/figures build=$(dirname "$orrery")
run() { expect "$1" python3 "$figures" "$build" --quick --data f.jsonl "${@:2}"; }
unset OPENBLAS_CORETYPE
records=heevj,hb2st,gb2bd,heev,heev-vectors,heev-part,gesvd,gesvd-vectors,gesvj,gesvj-one

run 0 --only $records
cp out first
for name in ${records//,/ }; do has out "^## $name$"; done
has out '| lapack dgbbrd | ratio |'; has out '^`orrery heev --n 130 .*--ref lapack`'
[[ $(grep -c ' to .*) |$' out) -gt 9 ]] || fail "few ratios with their range"
[[ $(wc -l <f.jsonl) == 13 ]] || fail "$(wc -l <f.jsonl) records, not 13"

run 0 --only $records; cmp -s out first || fail "other tables after a second call"
grep -q 'orrery heev' err && fail "measured twice"
printf '{"figure":"heev","half' >>f.jsonl # killed while writing
run 0 --only heev --print; has out '^## heev$'

# what falls short of its aim is told, and nothing else
sed -E 's/"(ratio|ratio_min)": [0-9.e+-]+/"\1": 0.5/g; s/"ratio_max": [0-9.e+-]+/"ratio_max": 0.6/g' f.jsonl >slow.jsonl
run 0 --only $records --print --data slow.jsonl; has out '^## What falls short$'; has out '^| heev-vectors | .* | 0.50 (0.50 to'
sed 's/"ratio": [0-9.e+-]*/"ratio": 99/g' f.jsonl >fast.jsonl
run 0 --only $records --print --data fast.jsonl; ! grep -q 'falls short' out || fail "99 times as fast falls short"

sed -i '/"figure": "gesvd"/d' f.jsonl
run 0 --only gesvd,hb2st; said 'gesvd: '; grep -q 'hb2st: ' err && fail "finished, and measured again"
run 1 --only powm,pagerank --minutes 0; said 'left out'
sed -i 's/"build": "[0-9a-f]*"/"build": "0123"/' f.jsonl
run 0 --only heev; said 'heev: '
printf 'what it is\n<!-- measured -->\nold\n' >page.md
run 0 --only heev --page page.md; has page.md '^## heev$'; has page.md '^what it is$'; ! grep -q '^old$' page.md || fail "an old table is left"
echo 'no line' >plain.md; run 2 --only heev --page plain.md; said 'no line <!-- measured -->'
run 2 --only heev --page nowhere.md; said 'nowhere.md: No such file'
run 2 --only nothing; said "no figures 'nothing'"
expect 0 python3 "$figures" "$build" --list --long --ref /x.so
has out 'heev --n 1000,2000 --type d --repeat 7 --ref lapack,/x.so'; has out "bench_bands'\? growth"
if "$orrery" info | grep -q '^machine.*AVX' && "$orrery" info | grep -q '^BLAS.*DYNAMIC_ARCH'; then
    OPENBLAS_CORETYPE=Prescott run 1 --only heev --data narrow.jsonl; said 'made for SSE2: unset OPENBLAS_CORETYPE'
fi
expect 2 python3 "$figures" "$dir/nowhere"; said 'no orrery in it'
finish
