#!/usr/bin/env bash
# The command on virtual devices: places, a slow device, and devices that fail.
#   runs.sh places|faults ORRERY BAND_TOOL DIRECTORY-OF-THE-STAND-INS
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
same() { # FILE FILE
    cmp -s "$1" "$2" || { printf 'FAIL: %s and %s differ\n' "$1" "$2"; bad=1; }
}

case $what in
places)
    run 0 VGPU_RECORD=record -- hb2st --n 53 --band 4 --columns 12 --sweeps 3 --place split --split 24 --check --repeat 1
    launched 1
    run 0 VGPU_RECORD=record -- gb2bd --n 53 --band 4 --rows 12 --sweeps 3 --place split --split 24 --check --repeat 1
    launched 1
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
    # Devices by their numbers, which StarPU does not check.
    for wrong in 9 0,9 0-9; do
        run 2 STARPU_WORKERS_CUDAID=$wrong -- heevj --n 5 --repeat 1
        grep -q "STARPU_WORKERS_CUDAID='$wrong' .* names a device that is not here" out || { echo "FAIL: CUDAID $wrong"; cat out; bad=1; }
    done
    run 0 STARPU_WORKERS_CUDAID=1 -- heevj --n 5 --batch 2 --cudas 1 --repeat 1
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
