#!/usr/bin/env bash
# scripts/gpu-verify with the programs that it runs on a GPU, on a virtual device and at small sizes: every line of its
# parts runs, prints rows that are JSON, and where kernels do nothing and no call of CUDA fails, each line that says
# to check its results fails. (What it makes of other faults: tests/cli/gpu_faults.sh; part trivial: verify.sh.)
#   rehearse.sh short|long SOURCE_DIRECTORY ORRERY DIRECTORY-OF-BENCH-GPU DIRECTORY-OF-THE-STAND-INS PYTHON
# SPDX-License-Identifier: BSD-3-Clause
set -u
how=$1 source=$2 orrery=$3 bench=$4 stand_ins=$5 python=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/bundle/{bin,bench,lib,tests} "$work"/fake "$work"/tmp
cp "$source/scripts/gpu-verify" "$work/bundle/"
: >"$work/bundle/tests/list.tsv"
printf '#!/bin/sh\necho "GPU 0: virtual"\n' >"$work/fake/nvidia-smi"
# A program of the bundle, with small numbers in place of large ones.
cat >"$work/small" <<EOF
#!/usr/bin/env bash
declare -A programs=([orrery]="$orrery" $(for p in "$bench"/gpu_*; do [ ! -x "$p" ] || [ -d "$p" ] || echo "[${p##*/}]=\"$p\""; done | tr '\n' ' '))
EOF
cat >>"$work/small" <<'EOF'
program=$(basename "$0")
smaller() { # LIST MOST: numbers above MOST become some 25 or 35, larger ones for larger ones
    awk -v list="$1" -v most="$2" -v by="$3" 'BEGIN {
        n = split(list, x, ","); for (i = 1; i <= n; i++) printf("%s%d", i > 1 ? "," : "", x[i] > most ? by + int(2 * log(x[i])) : x[i])
    }'
}
args=()
while [ $# -gt 0 ]; do
    case $1 in
    --n | --m) args+=("$1" "$(smaller "$2" 33 16)") ;;
    --b | --band) args+=("$1" "$(smaller "$2" 8 0)") ;;
    --batch | --count) args+=("$1" 3) ;;
    --bundle) args+=("$1" "$([[ $2 == *,* ]] && echo 2,3 || echo 2)") ;;
    --runs | --repeat) args+=("$1" 1) ;;
    --laplace) args+=("$1" 6) ;;
    --random) args+=("$1" 200,5) ;;
    --generate) case $2 in laplace3d:*) args+=("$1" laplace3d:8) ;; *) args+=("$1" rmat:7:4) ;; esac ;;
    --cpus) args+=("$1" "$(($2 > 2 ? 2 : $2))") ;;
    calibrate) args+=("$1" hb2st --n 80 --repeat 2 --budget 0.1); shift; continue ;;
    --*) if [[ ${2:---} == --* ]]; then args+=("$1"); shift; continue; fi
        args+=("$1" "$2") ;;
    *) args+=("$1"); shift; continue ;;
    esac
    shift 2
done
case "$program ${args[*]}" in *" --batch "*) ;; gpu_heevj* | gpu_gesvj* | gpu_svd_peers*) args+=(--batch 3) ;; esac
LD_PRELOAD=libcudart.so exec "${programs[$program]}" "${args[@]}"
EOF
# Those that have no virtual form.
printf '#!/bin/sh\necho "{\\"fact\\":\\"copy\\",\\"value\\":1e12,\\"unit\\":\\"B/s\\"}"\n' >"$work/bundle/bench/gpu_facts"
printf '#!/bin/sh\necho "{\\"peer\\":\\"torch\\",\\"algo\\":\\"heev\\",\\"type\\":\\"d\\",\\"n\\":34,\\"batch\\":1,\\"jobz\\":\\"V\\",\\"seconds\\":1,\\"status\\":\\"ok\\"}"\n' \
    >"$work/bundle/bench/torch_peers"
chmod +x "$work/small" "$work"/fake/* "$work"/bundle/bench/*
ln -s "$work/small" "$work/bundle/bin/orrery"
for p in heevj gesvj svd_peers hb2st hb2st_apply panel ondevice powm; do ln -s "$work/small" "$work/bundle/bench/gpu_$p"; done
export PATH=$work/fake:$PATH TMPDIR=$work/tmp LD_LIBRARY_PATH=$stand_ins STRETCH=20
export VGPU_DEVICES=1 VGPU_MEMORY=1024
bad=0
fail() { echo "FAIL: $*"; bad=1; }

verify() { # NAME PART...: a bundle of its own, so that all steps run
    local name=$1
    shift
    echo "git $name $$" >"$work/bundle/manifest.txt"
    (cd "$work/bundle" && OUT=$work/$name ./gpu-verify "$@") >"$work/$name.log" 2>&1
}
with() { # NAME STATUS: the steps that have it
    sed -n "s/.*\"name\":\"\([^\"]*\)\",\"status\":\"$2\".*/\1/p" "$work/$1/results.jsonl" | sort
}
case $how in
short) parts=(headline) ;;
long) parts=(headline calibrate open again facts hb2st heevj powm gb2bd gesvj dense torch predict) ;;
*) exit 2 ;;
esac
verify good "${parts[@]}" || fail "$(grep -v ' ok ' "$work/good.log")"
"$python" - "$work/good/bench.jsonl" <<'EOF' || fail "a row is not JSON"
import json, sys
for line in open(sys.argv[1]):
    json.loads(line, parse_constant=lambda word: sys.exit(f"{word}: {line}"))
EOF
"$python" "$source/scripts/gpu-report" "$work/good" >"$work/report" 2>"$work/errors" || fail "gpu-report: $(cat "$work/errors")"
[ ! -s "$work/errors" ] || fail "gpu-report: $(cat "$work/errors")"
# By algo and method of the rows: all of headline, once each at least.
for row in '"algo":"panel","method":"apart"' '"algo":"panel","method":"cluster"' '"algo":"hb2st_apply","method":"products"' \
    '"algo":"hb2st_apply","method":"fused"' '"algo":"heev","method":"device"' '"algo":"gesvd","method":"device"'; do
    grep -q "$row" "$work/good/bench.jsonl" || fail "no row has $row"
done
grep -q '"status":"refused"' <(grep '"algo":"\(panel\|hb2st_apply\)"' "$work/good/bench.jsonl") && fail "a form was refused"

lost() { # CODELETS PART STEP...: their kernels do nothing (-: those of bench/gpu), and these steps fail, no other
    local lost=$1 part=$2 not
    shift 2
    VGPU_LOSE=$lost verify "$lost" "$part" && fail "$lost is lost, and gpu-verify sees nothing"
    not=$(with "$lost" failed | paste -sd ' ')
    [ "$not" = "$(printf '%s\n' "$@" | sort | paste -sd ' ')" ] || fail "$lost is lost: '$not' failed, not '$*'"
}
lost -,hb2st_chase,gb2bd_chase headline heev.check gesvd.check panel ondevice apply apply.16384
if [ "$how" = long ]; then
    lost hb2st_apply headline heev.check gesvd.check ondevice
    lost - again hb2st heevj heevj.small heevj.512 gesvj powm
    lost gb2bd_chase again gb2bd.check
    lost hb2st_chase open cudaid.0 # small sparse matrices are a CPU's, and so may be matrices of gesvj
fi
exit $bad
