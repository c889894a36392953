#!/usr/bin/env bash
# The stand-in's own test: the program without an error passes on 1, 2 and 4 devices in every
# order, and each planted error is found, by the line that names it.
#   self.sh PROGRAM DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=$1 stand_ins=$2
export LD_LIBRARY_PATH=$stand_ins STARPU_SILENT=1 VGPU_MEMORY=512
exact="VGPU_EXACT=1 LD_PRELOAD=$stand_ins/libcudart.so"
bad=0 cases=0
out=$(mktemp) copy=$(mktemp -d)
trap 'rm -rf "$out" "$copy"' EXIT

# [as=WHAT] right NAME ENVIRONMENT...
right() {
    local name=$1
    shift
    cases=$((cases + 1))
    if ! env "$@" timeout 300 "$program" ${as:+"$as"} >"$out" 2>&1; then
        printf 'FAIL %s: the program is right\n' "$name"
        tail -n 5 "$out"
        bad=$((bad + 1))
    fi
}

# found ERROR TEXT STATUS [ENVIRONMENT...]: the text is told and the program does not end with 0;
# STATUS 0: it may end otherwise, as StarPU aborts where a kernel has failed
found() {
    local error=$1 text=$2 status=$3 rc=0
    shift 3
    cases=$((cases + 1))
    (env "$@" timeout 300 "$program" "$error" || exit $?) >"$out" 2>&1 || rc=$?
    if [ $rc = 0 ] || [ $rc = 124 ] || { [ "$status" != 0 ] && [ $rc != "$status" ]; } || ! grep -q "$text" "$out"; then
        printf 'FAIL %s: exit %d, expected "%s"\n' "$error" $rc "$text"
        grep -a 'vgpu: ' "$out" || tail -n 5 "$out"
        bad=$((bad + 1))
    else
        printf '%-14s %s\n' "$error" "$(grep -m 1 "$text" "$out")"
    fi
}

for order in fifo eager random lazy copies-late kernels-late; do
    right "2 devices, $order" VGPU_ORDER=$order
    # shellcheck disable=SC2086
    right "2 devices, $order, exact" VGPU_ORDER=$order $exact
done
# StarPU measures the links again when their number changes, unless the name of the machine does, too
one="VGPU_DEVICES=1 STARPU_HOSTNAME=self1"
# shellcheck disable=SC2086
right "1 device" $one
right "4 devices" VGPU_DEVICES=4 STARPU_HOSTNAME=self4 VGPU_ORDER=random VGPU_SEED=7
right "no peers" VGPU_PEER=0
right "one slow" VGPU_SLOW=1:5
# shellcheck disable=SC2086
as=thread right "the thread of the first call ends" $one
# shellcheck disable=SC2086
right "as much memory as a third of the data" $one $exact STARPU_LIMIT_CUDA_MEM=24

# shellcheck disable=SC2086
{
    found host          "the host touches byte 0 of a block of 4012 bytes of device" 0 $exact
    found stream        "axpy of codelet axpy is not on the stream of its worker" 0 VGPU_ORDER=fifo
    found device        "device 0: axpy of codelet axpy .* of device 1\|device 1: axpy of codelet axpy .* of device 0" 0 $exact
    found host-pointer  "axpy of codelet axpy reads 0x.*which is not device memory" 0 $exact
    found unnamed       "axpy of codelet axpy reads .* which the task does not name" 0 $exact $one
    found swapped       "axpy of codelet axpy writes .* buffer 0, which the task only reads" 0 $exact
    found past          "axpy of codelet axpy writes [0-3] bytes behind a block of 4012 bytes, buffer" 0 $exact
    # the scratch may be the first block of its device, behind another device's addresses
    found scratch-low   "axpy of codelet axpy writes .*\( before a block of 4012 bytes\|not device memory\|not allocated\)" 0 $exact
    found scratch-short "axpy of codelet axpy writes .* behind a block of 4012 bytes" 0 $exact
    found copy-past     "cudaMemcpyAsync: 4032 bytes at byte 0 of a block of 4012 bytes" 98 $exact
    found freed-twice   "what is freed is .* not allocated" 98 $exact
    # what was freed may be another block by now
    found freed         "axpy of codelet axpy writes .*\(not allocated\|before a block\|byte 0 of a block\)" 0 $exact
    found locked-left   "524328 bytes at .* are page-locked for ever" 98 VGPU_ORDER=fifo
    found locked-freed  "bytes at .* are freed, and they are page-locked" 98 VGPU_ORDER=fifo "LD_PRELOAD=$stand_ins/libcudart.so $stand_ins/libvgpu_freed.so"
    found locked-part   "cudaMemcpy: of 1048576 bytes at .* some are page-locked and some are not" 98 VGPU_ORDER=fifo
    found batch-meets   "gemmStridedBatched: C of 2 by 3, 1 apart with ld 5, meet" 98 VGPU_ORDER=fifo
    found early         "read 0" 1 VGPU_ORDER=lazy
    found never-fails   "cudaMalloc was to fail in call 1000000" 99 VGPU_FAIL=cudaMalloc:1000000
    found killed        "axpy of codelet axpy ends with signal 9" 0 VGPU_ORDER=fifo
    found kernel-fails  "axpy of codelet axpy: told to fail" 0 VGPU_FAIL=kernel:5
}
# The stand-ins may lie anywhere, but not beside another cuBLAS.
mkdir "$copy/cuda" && cp -L "$stand_ins"/lib{cudart,cublas,cusparse}.so "$copy/cuda"
right "a folder that is called cuda" "LD_PRELOAD=$copy/cuda/libcudart.so $copy/cuda/libcublas.so $copy/cuda/libcusparse.so"
found another-cublas "cuda/libcublas.so is loaded: put the directory of the stand-ins into LD_LIBRARY_PATH" 97 "LD_PRELOAD=$stand_ins/libcudart.so $copy/cuda/libcublas.so"
printf '%d cases, %d wrong\n' $cases $bad
[ $bad = 0 ]
