#!/usr/bin/env bash
# Every CUDA function of every codelet, in every type, is launched on virtual devices, and what it
# contributes to is checked. What there is says the library (codelets.cpp), what ran VGPU_RECORD.
#   coverage.sh LIBRARY ORRERY CODELETS PRODUCTS ANSWERS BAND_TOOL DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
library=$1 orrery=$2 codelets=$3 products=$4 answers=$5 band_tool=$6 stand_ins=$7
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=4096 VGPU_EXACT=1 VGPU_RECORD=$dir/record STARPU_HOME=$dir
bad=0

run() {
    local rc=0
    LD_PRELOAD="$stand_ins/libcudart.so" timeout 600 "$@" >out 2>&1 || rc=$?
    [ $rc = 0 ] && return
    printf 'FAIL: exit %d: %s\n' $rc "$*"
    tail -n 8 out
    bad=1
}
# With one CPU for what has no CUDA function. Where no option says the place, chaos takes any.
on_devices() { run "$orrery" "$@" --cpus 1 -q; }

all=s,d,c,z
on_devices heev -t $all --n 21 --band 4 --tile 16 --place gpu --jobz V --check --repeat 1
VGPU_DEVICES=1 on_devices heev -t $all --n 37 --band 4 --tile 16 --place gpu --jobz V --check --repeat 1 # tasks of a whole step
# where cores do more than a quarter of what the device does, tasks are of a tile
VGPU_DEVICES=1 VGPU_SMS=1 run "$orrery" heev -t $all --n 101 --band 4 --tile 16 --jobz V --sched chaos --cpus 2 --check --repeat 1 -q
VGPU_DEVICES=1 on_devices gesvd -t $all --n 37 --m 45 --band 4 --tile 16 --place gpu --jobz V --check --repeat 1
on_devices heev -t $all --n 384 --band 4 --tile 128 --place gpu --jobz V --check --repeat 1 # with a merge
on_devices hegv -t $all --n 21 --band 4 --tile 16 --place gpu --jobz V --problem 1 --check --repeat 1
on_devices hegv -t $all --n 21 --band 4 --tile 16 --place gpu --jobz V --problem 3 --check --repeat 1
on_devices gesvd -t $all --n 21 --m 27 --band 4 --tile 16 --place gpu --jobz V --check --repeat 1
on_devices gesvd -t $all --n 384 --band 4 --tile 128 --place gpu --jobz V --check --repeat 1 # with a merge
on_devices gesvd -t $all --n 11 --m 27 --band 4 --tile 16 --place gpu --check --repeat 1 # by a triangle
on_devices heevj -t $all --n 9 --batch 40 --chunk 2 --method jacobi --sched chaos --check --repeat 1
on_devices heevj -t $all --n 17 --batch 6 --chunk 2 --method block --sched chaos --check --repeat 1
on_devices heevj -t $all --n 35 --batch 6 --chunk 2 --method lanes --sched chaos --check --repeat 1
on_devices gesvj -t $all --n 11 --count 4 --at-once --place gpu --check --repeat 1
on_devices gesvj -t $all --n 17 --count 1 --place mirror --precondition no --check --repeat 1
for t in h s d c z; do
    "$band_tool" make band.npy $t 6 31 || exit 1
    on_devices gb2bd band.npy --kl 2 --rows 12 --sweeps 3 --place gpu --check --left u.npy --right v.npy
done
for t in s d c z; do # above 64 columns, from where a device starts and finishes a matrix
    "$band_tool" make matrix.npy $t 65 65 || exit 1
    on_devices gesvj matrix.npy --block 16 --place gpu --check
    on_devices powm -t $t --generate laplace3d:4 --blocks 3 --sched chaos --method ritz --tol 1e-3
done
for t in s d; do
    on_devices pagerank -t $t --generate rmat:6:4 --blocks 3 --sched chaos
done
run "$products"
run "$answers" devices sdcz powm_steps pagerank_steps

"$codelets" "$library" | sort -u >there || exit 1
awk -F '\t' '$1 == "launch" && $3 != "-" { print $3 "\t" $4 "\t" $5 }' record | sort -u >ran
comm -23 there ran | sed 's/^/FAIL: never launched: /'
comm -13 there ran | sed 's/^/FAIL: launched, and not in the list: /'
# Handles of cuBLAS, which take long to make, are made when a context is opened, one on each worker by StarPU's own task for
# that; no codelet makes one.
awk -F '\t' -v open=execute_on_all_wrapper '
    $1 == "handle" && $3 == open { made[$2]++ }
    $1 == "handle" && $3 != open { print "FAIL: " $3 " made a handle of cuBLAS on device " $2; bad = 1 }
    END { for (d = 0; d < 2; d++) if (!made[d]) { print "FAIL: no handle of cuBLAS was made on device " d; bad = 1 }; exit bad }
' record || bad=1
printf '%d of %d CUDA functions were launched\n' "$(comm -12 there ran | wc -l)" "$(wc -l <there)"
cmp -s there ran && [ $bad = 0 ]
