#!/usr/bin/env bash
# scripts/gpu-verify and scripts/gpu-report without a GPU: a bundle whose programs only say how long
# they took. What is looked at: which steps run and run again, what is left of a run that is killed,
# the extrapolation to LAPACK's time at the full order, and the fractions of floors, computed here by
# hand.
# usage: gpu_scripts.sh SOURCE_DIRECTORY
# SPDX-License-Identifier: BSD-3-Clause
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
check() { # TEXT COMMAND...
    local text=$1
    shift
    "$@" >/dev/null 2>&1 || { echo "FAILED: $text"; failures=$((failures + 1)); }
}

mkdir -p "$work"/bundle/{bin,bench,lib,tests} "$work"/fake "$work"/tmp
cp "$source/scripts/gpu-verify" "$work/bundle/"
echo "git test $$" >"$work/bundle/manifest.txt"
: >"$work/bundle/tests/list.tsv"
printf '#!/bin/sh\necho "GPU 0: none"\n' >"$work/fake/nvidia-smi"
# 0.5 s on a GPU at the full order, 4 s on CPUs; LAPACK 2 s at what order it is given.
cat >"$work/bundle/bin/orrery" <<'EOF'
#!/usr/bin/env bash
echo "$*" >>"$CALLS"
algo=$1 n=0 band=0 type=d ref= json= seconds=0.5 cuda=1
all="orrery $*"
shift
while [ $# -gt 0 ]; do
    case $1 in
    --n) n=$2 ;; --band) band=$2 ;; --type) type=$2 ;; --json) json=$2 ;;
    --ref) ref='{"name":"lapack dgbbrd","threads":1,"seconds":{"median":2,"min":2,"max":2,"runs":1},"ratio":4}' ;;
    --cudas) seconds=4 cuda=0 ;;
    esac
    shift
done
[ -z "$json" ] || printf '{"algo":"%s","type":"%s","n":%s,"m":null,"band":%s,"batch":null,"workers":{"cpu":2,"cuda":%s},"seconds":{"median":%s,"min":1,"max":1,"runs":1},"status":"ok","sweeps":null,"ref":[%s],"plan":{"stages":[{"band":32,"tw":31,"times":1,"sweeps":3}]},"provenance":{"machine":"fake","command":"%s","time":"2026-01-02T"}}\n' \
    "$algo" "$type" "$n" "$band" "$cuda" "$seconds" "$ref" "$all" | if [ "$json" = - ]; then cat; else cat >>"$json"; fi
EOF
cat >"$work/bundle/bench/gpu_facts" <<'EOF'
#!/bin/sh
echo gpu_facts >>"$CALLS"
echo '{"fact":"handover","value":1e-6,"unit":"s","machine":"fake"}'
echo '{"fact":"barrier","value":0,"unit":"s","machine":"fake"}'
echo '{"fact":"gemm_d","value":1e15,"unit":"flop/s","machine":"fake"}'
EOF
cat >"$work/bundle/bench/gpu_hb2st" <<'EOF'
#!/bin/sh
echo '{"algo":"hb2st","method":"chase","type":"d","n":32768,"band":32,"batch":1,"workers":{"cpu":0,"cuda":1},"seconds":{"median":0.196608},"status":"ok","ref":[{"name":"slow","seconds":{"median":3},"ratio":1},{"name":"peer","seconds":{"median":0.393216},"ratio":2}],"provenance":{"machine":"fake"}}'
EOF
cat >"$work/bundle/bench/gpu_hb2st_apply" <<'EOF'
#!/bin/sh
echo '{"algo":"hb2st_apply","method":"fused","type":"d","n":16384,"band":64,"batch":1,"workers":{"cpu":0,"cuda":1},"seconds":{"median":0.25},"status":"ok","ref":[{"name":"products","seconds":{"median":0.5},"ratio":2}],"provenance":{"machine":"fake"}}'
EOF
cat >"$work/bundle/bench/gpu_heevj" <<'EOF'
#!/bin/sh
case $* in "--type z --n 32,"*) status=failed ;; *) status=ok ;; esac
echo '{"algo":"heevj","method":"jacobi","type":"'$2'","n":'$(echo "$4" | cut -d, -f1)',"batch":10,"status":"'$status'","seconds":2,"ref":[{"name":"cusolver a","seconds":{"median":6}},{"name":"cusolver b","seconds":{"median":5}}]}'
EOF
cat >"$work/bundle/bench/gpu_powm" <<'EOF'
#!/bin/sh
echo '{"algo":"powm_spmv","matrix":"m","type":"d","n":5,"status":"ok","seconds":1,"bytes":1e9,"copy_gbs":4,"ref":[]}'
exec sleep 20
EOF
cat >"$work/bundle/bench/gpu_gesvj" <<'EOF'
#!/bin/sh
echo '{"algo":"gesvj","method":"block","type":"s","n":512,"batch":16,"seconds":{"median":0.5},"status":"ok","ref":[{"name":"gesvd","seconds":{"median":4},"ratio":8}],"provenance":{"machine":"fake"}}'
EOF
cat >"$work/bundle/bench/gpu_svd_peers" <<'EOF'
#!/bin/sh
echo '{"peer":"Xgesvd","algo":"gesvj","type":"s","n":512,"batch":16,"seconds":{"median":3},"status":"ok"}'
echo '{"peer":"refused","algo":"gesvj","type":"s","n":512,"batch":16,"seconds":null,"status":"refused"}'
EOF
chmod +x "$work"/bundle/bin/* "$work"/bundle/bench/* "$work"/fake/*
export PATH=$work/fake:$PATH CALLS=$work/calls TMPDIR=$work/tmp OUT=$work/out
: >"$CALLS"

(cd "$work/bundle" && ./gpu-verify facts hb2st gb2bd predict) >"$work/log" 2>&1
check "gpu-verify: $(tail -n 3 "$work/log")" grep -q "^0 steps failed" "$work/log"
first=$(wc -l <"$CALLS")
(cd "$work/bundle" && ./gpu-verify facts hb2st gb2bd predict) >>"$work/log" 2>&1
check "what passed is run again" test "$(wc -l <"$CALLS")" = "$first"
check "facts are kept once" test "$(grep -c '"fact":"handover"' "$OUT/bench.jsonl")" = 1
check "hb2st as a command" grep -q -- "hb2st --n 32768 --band 32 --type d --repeat 3 --json" "$CALLS"
# Killed in the middle of a step: what it had printed is there, and later calls go on.
(cd "$work/bundle" && OUT=$work/killed exec ./gpu-verify powm) >"$work/log2" 2>&1 &
victim=$!
for _ in $(seq 300); do
    grep -q '"matrix":"m"' "$work/killed/bench.jsonl" 2>/dev/null && break
    sleep 0.2
done
kill -KILL $victim
wait $victim 2>/dev/null
check "rows of a step that was killed" grep -q '"matrix":"m"' "$work/killed/bench.jsonl"
check "rows of parts before it" grep -q '"fact":"handover"' "$work/killed/bench.jsonl"
(cd "$work/bundle" && OUT=$work/later LIMIT=8 timeout -s KILL 30 ./gpu-verify powm gesvj) >"$work/log3" 2>&1
check "a limit ends a step" grep -q '"name":"laplace","status":"failed".*timeout' "$work/later/results.jsonl"
check "and skips what is left" grep -q '"name":"s.512","status":"untried".*no time left' "$work/later/results.jsonl"
check "a row of a step out of time" grep -q '"matrix":"m"' "$work/later/bench.jsonl"
(cd "$work/bundle" && OUT=$work/later ./gpu-verify gesvj) >"$work/log3" 2>&1
(cd "$work/bundle" && OUT=$work/later ./gpu-verify heevj) >"$work/log3" 2>&1
check "a row that failed its check" grep -q '"name":"small.z","status":"failed".*1 rows failed' "$work/later/results.jsonl"
"$source/scripts/gpu-report" "$OUT" "$work/later" >"$work/both" 2>&1
check "its time" grep -q '^| heevj jacobi | z | n=32 batch=10 | 2 (failed) | cusolver b | 2.5 |' "$work/both"
check "a target reached" grep -qF 'Target heevj z n=33..128, 1.5 times the best of cusolver: 2.5 (n=33 batch=10): reached' "$work/both"
check "a target not measured" grep -qF 'Target heevj z n=4..32, 2 times the best of cusolver: not measured' "$work/both"
check "a target in seconds" grep -qF 'Target hb2st d n=32768 b=32, at most 0.25 s: 0.197 ' "$work/both"
check "several directories" test "$(grep -c '^| hb2st chase' "$work/both")" = 1 -a "$(grep -c '^| powm_spmv' "$work/both")" = 1
# the best of 4 s in the row itself and 3 s of a peer by itself, against 0.5 s
check "a peer that ran by itself" grep -qF '| gesvj block | s | n=512 batch=16 | 0.5 | Xgesvd | 6 |' "$work/both"
echo '{"algo":"hb2st","cut' >>"$OUT/bench.jsonl"
"$source/scripts/gpu-report" "$OUT" >"$work/report" 2>"$work/errors"
check "gpu-report" test $? = 0
# 3 * 32768 half-steps of 1 us are 0.0983 s, half of 0.196608
check "fraction of the floor" grep -qF '| hb2st chase | d | n=32768 b=32 batch=1 | 0.197 | peer | 2 | 0.0983 | 0.5 | fake | - |' "$work/report"
# (32768 / 2048)^2 * 2 s / 0.5 s, and with 1024 above b = 128
check "extrapolation, b = 32" grep -qF '| gb2bd | d | 32 | LAPACK | 2 | 2048 | 512 | 0.5 | 1.02e+03 |' "$work/report"
check "extrapolation, b = 512" grep -qF '| gb2bd | s | 512 | LAPACK | 2 | 1024 | 2.05e+03 | 0.5 | 4.1e+03 |' "$work/report"
# (32768 / 8192)^2 * 4 s / 0.5 s
check "extrapolation of CPUs" grep -qF '| gb2bd | d | 512 | the CPU graph | 4 | 8192 | 64 | 0.5 | 128 |' "$work/report"
check "a row of CPUs" grep -q '^| gb2bd | d | n=32768 b=32 | 4 | - | - | .* | cpu | 2026-01-02 |$' "$work/report"
check "a floor by the data sheet is marked" grep -q '^| gb2bd | s | n=32768 b=512 | 0.5 .*~' "$work/report"
check "a line cut off is told" grep -q 'bench.jsonl:[0-9]*: not JSON' "$work/errors"
check "parts" grep -q '^| gb2bd | [0-9]* | 0 | 0 | - |$' "$work/report"
"$source/scripts/gpu-report" "$work/nowhere" >/dev/null 2>&1
check "no results: exit code" test $? = 3
[ $failures = 0 ] || { sed -n '1,40p' "$work/log" "$work/log3" "$work/report" "$work/both"; tail -n 5 "$OUT/bench.jsonl"; exit 1; }
