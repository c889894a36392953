#!/usr/bin/env bash
# Every algorithm gives the same bits on any number of virtual devices, in any order of their
# streams and under any policy: those of one device whose calls return when they are done, that is
# of the emulated kernels called one after the other.
#   bits.sh short ANSWERS DIRECTORY-OF-THE-STAND-INS
#   bits.sh want ANSWERS DIRECTORY TYPE                what the long runs are compared with: bits-TYPE
#   bits.sh long ANSWERS DIRECTORY DEVICES ORDER       six runs, one for each policy, of a type and a
#                                                      third of the cases each in turn
# All 90 long runs: 1, 2 and 4 devices in five orders. VGPU_BITS_SEED is added to their seeds.
# SPDX-License-Identifier: BSD-3-Clause
set -u
how=$1 answers=$2 stand_ins=$3 here=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512
exact="VGPU_EXACT=1 LD_PRELOAD=$stand_ins/libcudart.so"
placed="hb2st gb2bd gb2bd_vectors heevj heevj_block heevj_lanes gesvj gesvj_blocks gesvj_pipeline
    gesvj_mirror heev hbev heev_merge hegv gesvd"
unplaced="powm powm_ritz powm_steps pagerank pagerank_steps"
all_devices="1 2 4" orders="fifo random lazy copies-late kernels-late"
policies="dmdas affine lookahead pipeline chaos devices" types=sdcz
bad=0 runs=0 seed=${VGPU_BITS_SEED:-0}

# on DEVICES: StarPU measures the links again when their number changes, unless the machine does, too
on() { export VGPU_DEVICES=$1 STARPU_HOSTNAME=bits$1; }

# reference POLICY TYPE CASE...
reference() {
    on 1
    # shellcheck disable=SC2086
    env $exact VGPU_ORDER=eager timeout 3600 "$answers" "$@" >>want 2>err && return
    printf 'FAIL: exit %d: answers %s\n' $? "$*"
    tail -n 5 want err
    exit 1
}
references() { # TYPE
    # shellcheck disable=SC2086
    reference eager "$1" $placed
    # shellcheck disable=SC2086
    reference devices "$1" $unplaced
}

# same SEED DEVICES ENOUGH ORDER POLICY TYPE CASE...: these lines of the reference, with kernels on so
# many devices
same() {
    local seed=$1 devices=$2 enough=$3 order=$4 rc=0 used
    shift 4
    runs=$((runs + 1))
    on "$devices"
    # shellcheck disable=SC2086
    env $exact VGPU_ORDER=$order VGPU_SEED=$seed ANSWERS_SEED=$seed ORR_CHAOS_SEED=$seed \
        VGPU_RECORD=record timeout 900 "$answers" "$@" >got 2>err || rc=$?
    used=$(awk -F '\t' '$1 == "launch" { print $2 }' record | sort -u | wc -l)
    rm -f record
    if [ $rc = 0 ] && ! grep -vxFf want got >differ && ((used >= enough)); then
        printf 'same: seed %d, %d of %d devices, %s: %s\n' "$seed" "$used" "$devices" "$order" "$*"
        return
    fi
    printf 'FAIL: exit %d, kernels on %d of %d devices, %s, seed %d: answers %s\n' $rc "$used" \
        "$devices" "$order" "$seed" "$*"
    tail -n 5 differ err
    bad=1
}

# place LIST WORD: 0, 1, ...
place() {
    local k=0 w
    for w in $1; do
        [ "$w" != "$2" ] || { echo $k; return; }
        k=$((k + 1))
    done
    echo "bits.sh: $2 is none of $1" >&2
    exit 2
}

case $how in
short)
    references d
    # shellcheck disable=SC2086
    {
        same 1 2 2 random chaos d $placed
        same 2 4 4 copies-late dmdas d $placed
        same 3 2 2 lazy devices d $unplaced
    } ;;
want)
    references "$4"
    mv want "$here/bits-$4"
    exit 0 ;;
long)
    devices=$4 order=$5
    cat "$here"/bits-[sdcz] >want || exit 1
    d=$(place "$all_devices" "$devices") && o=$(place "$orders" "$order") || exit 2
    turn=$(((d * 5 + o) * 6))
    for policy in $policies; do
        mix=$((turn + turn / 6)) cases=$unplaced
        [ "$policy" = devices ] || cases=$(printf '%s\n' $placed | sed -n "$((mix % 3 + 1))~3p")
        turn=$((turn + 1))
        # a third of the cases on more than half of the devices
        # shellcheck disable=SC2086
        same $((seed + turn)) "$devices" $((devices / 2 + 1)) "$order" "$policy" ${types:mix % 4:1} $cases
    done ;;
*) exit 2 ;;
esac
printf '%s: %d runs of a type each are equal to %d lines\n' "$how" $runs "$(wc -l <want)"
exit $bad
