#!/usr/bin/env bash
# What scripts/gpu-verify makes of programs that go wrong, without a GPU: stand-ins do nothing else. Of each fault it
# must say which step has it, go on with the next, bring home what there is, and end with the right code.
# usage: gpu_faults.sh SOURCE_DIRECTORY
# SPDX-License-Identifier: BSD-3-Clause
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

mkdir -p "$work"/bundle/{bin,bench,lib,tests/device} "$work"/fake "$work"/tmp
cp "$source/scripts/gpu-verify" "$work/bundle/"
# All programs are one: it says what it was called, and FAULTS has lines "WORDS OF THE CALL|WHAT TO RUN INSTEAD".
cat >"$work/one" <<'EOF'
#!/usr/bin/env bash
call="$(basename "$0") $*"
echo "$call" >>"$CALLS"
while IFS='|' read -r words instead; do
    if [ -n "$words" ] && [[ $call == *"$words"* ]]; then eval "$instead"; exit; fi
done <<<"${FAULTS:-}"
for ((i = 1; i < $#; i++)); do # ncu writes a page, --trace a file
    next=$((i + 1))
    case ${!i} in
    --log-file) echo "Duration 1 us" >"${!next}" ;;
    --trace) echo task >"${!next}" ;;
    --out) mkdir -p "${!next}/gpu" && echo '"kind":"cuda"' >"${!next}/gpu/models.json" ;;
    esac
done
case $call in
"orrery heevj --n 5 "*) exit 2 ;; # a device that is not there
ncu*|compute-sanitizer*|cuda_test*) echo passed ;;
*) echo '{"algo":"x","status":"ok","workers":{"cpu":1,"cuda":1},"seconds":{"median":1},"ref":[{"name":"peer","seconds":{"median":2}}]}' ;;
esac
EOF
chmod +x "$work/one"
for name in bin/orrery bench/{gpu_{facts,heevj,gesvj,svd_peers,hb2st,hb2st_apply,panel,ondevice,powm},torch_peers} tests/device/cuda_test_{a,b}; do
    ln -s "$work/one" "$work/bundle/$name"
done
for name in ncu compute-sanitizer; do ln -s "$work/one" "$work/fake/$name"; done
printf 'cuda_test_%s\ttests/device/cuda_test_%s\t\n' a a b b >"$work/bundle/tests/list.tsv"
printf '#!/bin/sh\necho "GPU 0: none"\n' >"$work/fake/nvidia-smi"
chmod +x "$work/fake/nvidia-smi"
export CALLS=$work/calls TMPDIR=$work/tmp
plain=$PATH
export PATH=$work/fake:$PATH

verify() { # NAME EXIT-CODE PART...: a bundle of its own, so that all steps run
    local name=$1 wanted=$2 got
    shift 2
    echo "git $name $$" >"$work/bundle/manifest.txt"
    (cd "$work/bundle" && OUT=$work/$name timeout 400 ./gpu-verify "$@") >"$work/$name.log" 2>&1
    got=$?
    [ $got = "$wanted" ] || { fail "$name: exit code $got, not $wanted"; cat "$work/$name.log"; }
}
said() { # NAME STEP STATUS NOTE: of the step's last record
    local line
    line=$(grep "\"name\":\"$2\"" "$work/$1/results.jsonl" | tail -n 1)
    [[ $line == *"\"status\":\"$3\""*"\"note\":\"$4"* ]] || fail "$1: $2 is not '$3', '$4': ${line:-no record}"
}
only() { # NAME STEP...: these did not pass, and all others did
    local name=$1 not
    shift
    not=$(grep -v '"status":"ok"' "$work/$name/results.jsonl" | sed 's/.*"name":"\([^"]*\)".*/\1/' | sort | paste -sd ' ')
    [ "$not" = "$(printf '%s\n' "$@" | sort | paste -sd ' ')" ] || fail "$name: '$not' did not pass, not '$*'"
}
home() { # NAME: what must be there in any case
    for file in results.jsonl bench.jsonl log.txt.gz models.tar.gz; do
        [ -s "$work/$1/$file" ] || fail "$1: no $file"
    done
}

# All is well; and the parts that run are those of --help.
parts=$(sed -n 's/^\[ \$# -gt 0 \] || set -- //p' "$source/scripts/gpu-verify")
documented=$("$work/bundle/gpu-verify" --help | sed -nE 's/^  ([a-z0-9 ]+)  +[0-9]+ .*/\1/p' | tr -s ' \n' ' ')
[ "$(tr ' ' '\n' <<<"$parts" | sort | xargs)" = "$(tr ' ' '\n' <<<"$documented" | sort | xargs)" ] ||
    fail "the parts are $parts, and documented are $documented"
verify good 0 trivial kernels headline calibrate open again facts profile torch predict sanitizer
home good
tar -tzf "$work/good/models.tar.gz" | grep -q graphs/heev.vectors.16384.csv || fail "no trace came home"

# A part's programs, each with a fault of its own.
export FAULTS='heev --n 2000|echo "residual 1e9"; exit 1
gesvd --n 1500|trap "" TERM; while :; do sleep 1; done
gpu_panel|echo "{\"algo\":\"panel\",\"status\":\"failed\",\"check\":{\"residual\":null}}"
gpu_hb2st_apply --type d,s|true
gpu_ondevice|echo "gpu_ondevice: no CUDA device"; exit 77
torch_peers|echo "no PyTorch"; exit 77
heev --n 8192 --jobz V --place gpu --repeat 3|kill -SEGV $$
heev --n 8192 --place gpu --repeat 3|echo "{\"algo\":\"heev\",\"status\":\"ok\",\"workers\":{\"cpu\":1,\"cuda\":0},\"seconds\":{\"median\":1}}"
gesvd --n 8192 --place gpu --repeat 3|echo "{\"algo\":\"gesvd\",\"seconds\":{\"median\":3}}"; echo "out of memory"; exit 5
gesvd --n 8192 --jobz V --place gpu --repeat 3|echo "{\"algo\":\"gesvd\",\"status\":\"ok\",\"ref\":[{\"name\":\"cusolver Xgesvd\",\"seconds\":null,\"ratio\":null}]}"; echo "{\"algo\":\"gesvd\",\"status\":\"refused\"}"'
sed -i 's/longest=40 algo/longest=2 algo/' "$work/bundle/gpu-verify" # who hangs is ended then
verify faults 1 headline kernels
home faults
only faults heev.check gesvd.check panel apply ondevice torch heev.vectors heev.values gesvd.values
said faults heev.check failed "exit 1: residual 1e9"
said faults gesvd.check failed timeout
said faults panel failed "1 rows failed their check"
said faults apply failed "it printed no row"
said faults ondevice failed "it finds no device"
said faults torch skipped "no PyTorch"
said faults heev.vectors failed "exit 139"
said faults heev.values failed "it ran without a device"
said faults gesvd.values failed "exit 5: out of memory"
said faults gesvd.vectors ok "2 rows; 1 refused; no time of cusolver Xgesvd"
grep -q '"algo":"gesvd","seconds":{"median":3}' "$work/faults/bench.jsonl" || fail "the row of a step that failed is lost"
said faults cuda_test_b ok passed
pgrep -f "$work" >/dev/null && fail "a program that hung is left: $(pgrep -af "$work")"
FAULTS='cuda_test_a|echo "FAIL q is wrong"; exit 1
cuda_test_b|echo "cuda_test_b: no CUDA device"; exit 77'
verify kernels 1 kernels
only kernels cuda_test_a cuda_test_b
said kernels cuda_test_a failed "exit 1: FAIL q is wrong"
said kernels cuda_test_b failed "it finds no device"
# Tools that find what they look for, and ncu without a kernel
FAULTS='heevj --n 5 |true
calibrate|true
compute-sanitizer --tool racecheck|echo "1 hazard"; exit 99
ncu|true'
verify tools 1 sanitizer profile open calibrate
said tools check failed "exit 1: no models of a device"
said tools cudaid.absent failed "exit 1: exit 0 for a device that is not there"
said tools racecheck.cuda_test_a failed "exit 99: 1 hazard"
said tools memcheck.cuda_test_a ok passed
said tools hb2st failed "exit"
grep -q '"part":"profile".*"status":"ok"' "$work/tools/results.jsonl" && fail "ncu saw no kernel, and a step is ok"
grep -q '"algo"' "$work/good/bench.jsonl" || fail "no rows"
# Peers that were refused one by one
FAULTS='torch_peers|echo "{\"peer\":\"torch eigh\",\"algo\":\"heev\",\"seconds\":1,\"status\":\"ok\"}"; echo "{\"peer\":\"torch svd\",\"algo\":\"gesvd\",\"seconds\":null,\"status\":\"out of memory\"}"'
verify peer 0 torch
said peer peers ok "2 rows; no time of torch svd"

# A disk that is full: what was there before stays, the rest is where it was measured.
FAULTS=''
mkdir "$work/full"
ln -s /dev/full "$work/full/.bench.jsonl"
verify full 3 facts
grep -q "could not be written to $work/full: they are in $work/tmp/" "$work/full.log" || fail "a full disk: $(tail -n 1 "$work/full.log")"
[ -s "$work/full/results.jsonl" ] || fail "a full disk: the other files are not there"
: >"$work/file"
echo "git nowhere $$" >"$work/bundle/manifest.txt"
OUT=$work/file "$work/bundle/gpu-verify" facts >"$work/nowhere.log" 2>&1
[ $? = 2 ] || fail "no directory for results: $(cat "$work/nowhere.log")"
# No time, and no device
(cd "$work/bundle" && OUT=$work/late LIMIT=3 ./gpu-verify headline) >"$work/late.log" 2>&1
[ $? = 1 ] && grep -q '^0 steps failed, [0-9]* had no time' "$work/late.log" || fail "no time: $(tail -n 1 "$work/late.log")"
printf '#!/bin/sh\nexit 9\n' >"$work/fake/nvidia-smi"
verify none 77 trivial headline
said none headline skipped "no device"
PATH=$plain
[ $failures = 0 ]
