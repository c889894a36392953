#!/usr/bin/env bash
# info and doctor: output, JSON, and that what is wrong is seen.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"

expect 0 "$orrery" info; has out '^workers'; has out '^models'
expect 0 "$orrery" info --json; cp out i.json
expect 0 "$tool" json i.json version machine cores memory caches workers max_cpus sched starpu blas models
expect 0 "$orrery" doctor; cp out text; has text '^OK *starpu'; has text '^OK *heevj'
checks=$(grep -cE '^(OK|WARN|FAIL) ' text)
((checks >= 12)) || fail "only $checks checks"
# every WARN and FAIL names a remedy on the next line
awk '/^(WARN|FAIL)/ { getline next_line; if (next_line !~ /->/ && $0 !~ /not known/) { print; bad = 1 } }
     END { exit bad }' text || fail "a warning without a remedy"
expect 0 "$orrery" doctor --json; cp out d.json; expect 0 "$tool" json d.json checks name verdict message remedy ok fail
[[ $(grep -o '"name"' d.json | wc -l) == "$checks" ]] || fail "text and JSON differ"

verdict() { grep -qE "^$1 +$2 " out || { fail "$2 is not $1"; grep -E "^[A-Z]+ +$2 " out; }; }
STARPU_SCHED=no-such expect 1 "$orrery" doctor; verdict FAIL sched
STARPU_NCPU=two expect 1 "$orrery" doctor; verdict FAIL starpu; has out "STARPU_NCPU='two'"
STARPU_SCHED=eager expect 0 "$orrery" doctor; verdict WARN sched
OMP_WAIT_POLICY=active expect 0 "$orrery" doctor; verdict WARN omp-wait
OPENBLAS_NUM_THREADS=4 expect 0 "$orrery" doctor; verdict WARN blas-threads
# OpenBLAS obeys OPENBLAS_CORETYPE if it holds the kernels of several processors
if "$orrery" info | grep -q '^machine.*AVX' && "$orrery" info | grep -q '^BLAS.*DYNAMIC_ARCH'; then
    OPENBLAS_CORETYPE=Prescott expect 0 "$orrery" doctor; verdict WARN simd
    has out 'kernels for Prescott, made for SSE2'; has out 'unset OPENBLAS_CORETYPE'
    OPENBLAS_CORETYPE=Prescott expect 0 "$orrery" heev --n 20 --ref lapack; said '^orrery: --ref lapack: OpenBLAS uses its kernels for Prescott, made for SSE2'
    unset OPENBLAS_CORETYPE
    expect 0 "$orrery" heev --n 20 --ref lapack; ! grep -q 'uses its kernels' err || fail "a comparison with the right kernels is blamed"
    cp "$OLD_OPENBLAS" old_openblas.so # LD_PRELOAD knows no spaces
    # one that does not know the processor: the command names its kernels, and says so to those who link the library
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$dir/old_openblas.so expect 0 "$orrery" doctor
    verdict WARN simd
    has out 'does not know this CPU and takes its kernels for Prescott'; has out 'OPENBLAS_CORETYPE=[HS]'
fi
STARPU_CALIBRATE=1 expect 0 "$orrery" doctor; verdict WARN environment; has out STARPU_CALIBRATE=1
STARPU_WORKERS_NOBIND=1 expect 0 "$orrery" doctor; verdict WARN binding
STARPU_PERF_MODEL_DIR=$dir/fresh expect 0 "$orrery" doctor; verdict WARN models
if command -v taskset >/dev/null && (($(nproc) > 1)); then
    expect 0 taskset -c 0 "$orrery" doctor; verdict WARN affinity
fi
finish
