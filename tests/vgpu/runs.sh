#!/usr/bin/env bash
# The command on virtual devices: places, a slow device, little shared memory, devices that are named, and devices that
# fail.
#   runs.sh places|little|named|faults ORRERY BAND_TOOL DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
what=$1 orrery=$2 band_tool=$3 stand_ins=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
# models of its own: what other tests have measured would decide who gets what
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512 VGPU_EXACT=1 STARPU_HOME=$dir
bad=0 count=0

# run STATUS [NAME=VALUE...] -- COMMAND...: with one CPU for what has no CUDA function
run() {
    local status=$1 rc=0 with=()
    shift
    while [ "$1" != -- ]; do with+=("$1"); shift; done
    shift
    count=$((count + 1))
    env "${with[@]}" LD_PRELOAD="$stand_ins/libcudart.so" timeout 600 \
        "$orrery" "$@" --cpus 1 -q >out 2>&1 || rc=$?
    [ $rc = "$status" ] && return 0
    printf 'FAIL: exit %d, not %d: %s orrery %s\n' $rc "$status" "${with[*]}" "$*"
    tail -n 8 out
    bad=1
}
launched() { # DEVICES: so many had kernels
    local n
    n=$(awk -F '\t' '$1 == "launch" { print $2 }' record | sort -u | wc -l)
    [ "$n" -ge "$1" ] || { printf 'FAIL: kernels on %d devices, not %d\n' "$n" "$1"; bad=1; }
    rm -f record
}
on() { # DEVICES [NAME=VALUE...] -- COMMAND...: kernels on these and no others
    local want n
    want=$(tr ' ' '\n' <<<"$1" | sort)
    shift
    run 0 VGPU_RECORD=record "$@" --json r.jsonl
    has "$(wc -l <<<"$want")"
    n=$(awk -F '\t' '$1 == "launch" { print $2 }' record | sort -u)
    [ -n "$n" ] && [ -z "$(comm -23 <(echo "$n") <(echo "$want"))" ] ||
        { printf 'FAIL: kernels on devices %s, not %s: %s\n' "${n//$'\n'/,}" "${want//$'\n'/,}" "$*"; bad=1; }
    rm -f record
}
has() { # DEVICES: of the record, which is then removed
    grep -q "\"cuda\":$1," r.jsonl || { printf 'FAIL: not %d devices: ' "$1"; grep -o '"workers":{[^}]*}' r.jsonl; bad=1; }
    rm -f r.jsonl
}
refused() { # VARIABLE VALUE WHY
    run 2 "STARPU_$1=$2" -- heevj --n 5 --repeat 1
    grep -q "STARPU_$1='$2' of the environment $3" out || { echo "FAIL: $1=$2"; cat out; bad=1; }
}
same() { # FILE FILE
    cmp -s "$1" "$2" || { printf 'FAIL: %s and %s differ\n' "$1" "$2"; bad=1; }
}

case $what in
little)
    # Older than any code that is compiled.
    run 6 VGPU_SM=75 VGPU_DEVICES=1 -- heevj --n 5 --repeat 1
    grep -q 'CUDA device 0 has compute capability 7.5, for which the library was not compiled' out ||
        { echo "FAIL: nobody says why"; cat out; bad=1; }
    run 0 VGPU_SM=75 -- heevj --n 5 --cudas 0 --repeat 1
    # 99 KiB for a thread block, where an H200 has 227: fewer windows, smaller blocks, or a CPU
    export VGPU_SM=86 VGPU_DEVICES=1
    for type in d z; do
        run 0 VGPU_RECORD=record -- hb2st -t $type --n 150 --band 64 --place gpu --check --repeat 1
        launched 1
        run 0 VGPU_RECORD=record -- gb2bd -t $type --n 150 --band 64 --place gpu --check --repeat 1
        launched 1
    done
    run 0 VGPU_RECORD=record -- gesvj -t z --n 70 --count 2 --place gpu --check --repeat 1
    launched 1
    run 0 -- gesvj -t z --n 60 --count 20 --check --repeat 1
    run 0 -- gesvj -t z --n 60 --count 200 --at-once --check --repeat 1
    run 6 -- gesvj -t z --n 60 --count 2 --place gpu --repeat 1
    run 2 -- gesvj -t z --n 70 --count 2 --block 32 --place gpu --repeat 1
    run 0 VGPU_RECORD=record -- gesvj -t d --n 60 --count 20 --place gpu --check --repeat 1
    launched 1
    ;;
places)
    run 0 VGPU_RECORD=record -- hb2st --n 53 --band 4 --columns 12 --sweeps 3 --place split --split 24 --check --repeat 1
    launched 1
    run 0 VGPU_RECORD=record -- gb2bd --n 53 --band 4 --rows 12 --sweeps 3 --place split --split 24 --check --repeat 1
    launched 1
    # cuSOLVER, which is not here, beside Orrery: CUDA begins in the process that computes
    run 0 -- heevj --n 8 --batch 3 --repeat 1 --ref cusolver
    run 0 -- gesvj --n 8 --count 3 --repeat 1 --ref cusolver
    for place in auto gpu pipeline mirror; do
        run 0 -- gesvj --n 19 --count 3 --place $place --check --repeat 1
    done
    # small matrices, which CPUs and devices share
    run 0 VGPU_RECORD=record -- gesvj --n 11 --count 600 --at-once --check --repeat 1
    launched 2
    run 0 -- gesvj --n 27 --count 9 --at-once --check --repeat 1
    run 0 VGPU_RECORD=record -- heevj --n 35 --batch 70 --check --repeat 1
    launched 1
    # a policy that does not ask which implementation a task may have
    run 0 -- heevj --n 66 --batch 7 --chunk 2 --method lanes --sched random --check --repeat 1
    for place in auto gpu; do
        run 0 -- heev --n 45 --band 4 --tile 16 --place $place --check --repeat 1
        run 0 -- gesvd --n 45 --m 37 --band 4 --tile 16 --place $place --check --repeat 1
    done
    run 0 VGPU_SLOW=1:10 -- heev --n 45 --band 4 --tile 16 --place gpu --check --repeat 1
    run 0 VGPU_PEER=0 -- heev --n 45 --band 4 --tile 16 --place gpu --check --repeat 1
    # Devices for every core: a CPU worker is there all the same, unless nobody wants one.
    one=$(taskset -cp $$ | sed 's/.*[:,-] *//')
    for wanted in "" "--cpus 0"; do
        count=$((count + 1)) rc=0
        # shellcheck disable=SC2086
        LD_PRELOAD="$stand_ins/libcudart.so" timeout 600 taskset -c "$one" "$orrery" \
            heev --n 45 --band 4 --tile 16 --check --repeat 1 -q $wanted >out 2>&1 || rc=$?
        [ $rc = $((${#wanted} ? 6 : 0)) ] || { echo "FAIL: exit $rc on one core: heev $wanted"; cat out; bad=1; }
    done
    # A product of the first stage has 12 buffers, each counted as 4 MiB: no place for it on a device.
    run 6 STARPU_LIMIT_CUDA_MEM=32 -- heev --n 69 --band 4 --tile 16 --place gpu --repeat 1
    run 0 STARPU_LIMIT_CUDA_MEM=32 -- heev --n 69 --band 4 --tile 16 --check --repeat 1
    # Room for four pairs of blocks, not for a matrix; for nothing. Small and large ones.
    for place in gpu pipeline mirror; do
        run 0 STARPU_LIMIT_CUDA_MEM=240 -- gesvj --m 75 --n 66 --count 2 --block 16 --place $place --check --repeat 1
    done
    for n in 66 23; do
        for place in gpu pipeline mirror; do
            run 6 STARPU_LIMIT_CUDA_MEM=150 -- gesvj --m 75 --n $n --count 2 --block 16 --place $place --at-once --repeat 1
            grep -q ': the data do not fit into the memory of the devices (in gesvj)$' out || { echo "FAIL: nobody says why"; cat out; bad=1; }
        done
        for how in "" --at-once; do
            # shellcheck disable=SC2086
            run 0 STARPU_LIMIT_CUDA_MEM=150 -- gesvj --m 75 --n $n --count 20 --block 16 $how --check --repeat 1
        done
    done ;;
named)
    for devices in 2 4; do
        export VGPU_DEVICES=$devices STARPU_HOSTNAME=named$devices # StarPU measures the links of each number once
        last=$((devices - 1))
        # every family, and kernels on the devices that are named and on no other
        for family in "heevj --n 35 --batch 70 --check" "hb2st --n 53 --band 4 --place gpu --check" \
            "gb2bd --n 53 --band 4 --place gpu --check" "heev --n 45 --band 4 --tile 16 --place gpu --check" \
            "gesvj --n 66 --m 75 --count 4 --block 16 --place gpu --at-once --check" \
            "gesvd --n 45 --m 37 --band 4 --tile 16 --place gpu --check" \
            "powm -g laplace3d:30 --method power --tol 1e-2 --sched random" "pagerank -g rmat:14:16 --sched random"; do
            for ids in $last "$last 0"; do
                # shellcheck disable=SC2086
                on "$ids" STARPU_WORKERS_CUDAID="$ids" -- $family --repeat 1
            done
        done
        # in other words, and with a number of devices
        few="heevj --n 5 --batch 2 --method jacobi --repeat 1"
        for ids in $last,0 " $last , 0" 0-1 "0 1"; do
            # shellcheck disable=SC2086
            run 0 STARPU_WORKERS_CUDAID="$ids" -- $few --json r.jsonl; has 2
        done
        for one in "STARPU_NCUDA=1 STARPU_WORKERS_CUDAID=1,0" "STARPU_NCUDA=$devices STARPU_WORKERS_CUDAID=1" \
            "STARPU_NCUDA=1 STARPU_CUDA_THREAD_PER_DEV=0"; do
            # shellcheck disable=SC2086
            run 0 $one -- $few --json r.jsonl; grep -q '"sched":"dmdas"' r.jsonl || { echo "FAIL: policy: $one"; bad=1; }; has 1
        done
        run 0 STARPU_WORKERS_CUDAID=1,0 -- heevj --n 5 --cudas 1 --repeat 1 --json r.jsonl; has 1
        run 0 STARPU_WORKERS_CUDAID=1 -- heevj --n 5 --cudas 2 --repeat 1 --json r.jsonl; has 1
        grep -q '2 CUDA workers asked for, StarPU has 1' out || { echo "FAIL: nobody says that 2 are 1"; bad=1; }
        run 0 STARPU_WORKERS_CUDAID=1 -- heevj --n 5 --cudas 0 --repeat 1 --json r.jsonl; has 0
        for wrong in 9 0,9 0-9 9-9; do refused WORKERS_CUDAID $wrong "names a device that is not here"; done
        for wrong in "0 0" 1,0-1; do refused WORKERS_CUDAID "$wrong" "names a device twice"; done
        for wrong in 1-0 0- 0,x ,0 " " 99999999999; do refused WORKERS_CUDAID "$wrong" "is not a list of devices"; done
        refused NWORKER_PER_CUDA 40 "is too large"
    done
    for threads in PER_DEV=0 PER_DEV=1 PER_WORKER=1; do
        run 0 STARPU_CUDA_THREAD_$threads STARPU_WORKERS_CUDAID=1,2 -- heev --n 45 --band 4 --tile 16 --place gpu --check --repeat 1
        run 0 STARPU_CUDA_THREAD_$threads STARPU_NWORKER_PER_CUDA=2 -- heev --n 45 --band 4 --tile 16 --check --repeat 1
    done
    export STARPU_CUDA_THREAD_PER_WORKER=1
    refused CUDA_THREAD_PER_DEV 1 "does not go with STARPU_CUDA_THREAD_PER_WORKER=1"
    unset STARPU_CUDA_THREAD_PER_WORKER
    # CUDA numbers those that are left from 0.
    run 0 CUDA_VISIBLE_DEVICES=3 STARPU_HOSTNAME=named1 -- heevj --n 5 --repeat 1 --json r.jsonl; has 1
    run 0 CUDA_VISIBLE_DEVICES=3,2 STARPU_HOSTNAME=named2 STARPU_WORKERS_CUDAID=1 -- heevj --n 5 --repeat 1 --json r.jsonl; has 1
    run 0 CUDA_VISIBLE_DEVICES= STARPU_HOSTNAME=named0 -- heevj --n 5 --repeat 1 --json r.jsonl; has 0
    run 6 CUDA_VISIBLE_DEVICES= STARPU_HOSTNAME=named0 -- heevj --n 5 --cudas 1 --repeat 1
    export CUDA_VISIBLE_DEVICES=3
    refused WORKERS_CUDAID 3 "names a device that is not here"
    unset CUDA_VISIBLE_DEVICES
    # what a library says that ends the process while StarPU starts
    run 97 VGPU_DEVICES=99 -- heevj --n 5 --repeat 1
    grep -q 'vgpu: VGPU_DEVICES=99 is not understood' out || { echo "FAIL: exit without a word"; bad=1; }
    for processors in 0 "0 0" 0-1; do
        run 0 STARPU_WORKERS_CPUID="$processors" -- heev --n 45 --band 4 --tile 16 --place gpu --check --repeat 1
    done ;;
faults)
    "$band_tool" make band.npy d 5 37 || exit 1
    printf 'as it was' >d.npy
    cp d.npy before
    for fault in vgpu_launch:1 vgpu_launch:4; do
        run 6 VGPU_FAIL=$fault -- hb2st band.npy -d d.npy --columns 12 --sweeps 3 --place gpu
        same d.npy before
        grep -q 'hb2st_chase' out || { echo "FAIL: nobody says which codelet failed"; cat out; bad=1; }
    done
    # every algorithm, refused at a launch or failing behind it
    "$band_tool" make dense.npy d 41 41
    for fault in vgpu_launch:2 kernel:2; do
        run 6 VGPU_FAIL=$fault -- gb2bd band.npy -d d.npy --rows 12 --sweeps 3 --place gpu
        run 6 VGPU_FAIL=$fault -- heev dense.npy --values d.npy --band 4 --tile 16 --place gpu
        run 6 VGPU_FAIL=$fault -- gesvd dense.npy --values d.npy --band 4 --tile 16 --place gpu
        run 6 VGPU_FAIL=${fault%:*}:1 -- gesvj dense.npy --values d.npy --block 16 --place gpu
        same d.npy before
    done
    run 6 VGPU_FAIL=vgpu_launch:2 -- heevj --n 13 --batch 40 --method jacobi --repeat 1
    # StarPU tries again, elsewhere or after giving memory back.
    run 0 VGPU_FAIL=cudaMalloc:3 -- hb2st --n 37 --band 4 --columns 12 --sweeps 3 --place gpu --check --repeat 1
    ls ./*.tmp* >/dev/null 2>&1 && { echo "FAIL: pieces of files are left"; bad=1; } ;;
*) exit 2 ;;
esac
printf '%s: %d runs\n' "$what" $count
exit $bad
