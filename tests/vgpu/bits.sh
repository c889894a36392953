#!/usr/bin/env bash
# Every algorithm gives the same bits on any number of virtual devices, in any order of their
# streams and under any policy: those of one device whose calls return when they are done, that is
# of the emulated kernels called one after the other.
#   bits.sh short|long ANSWERS DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
how=$1 answers=$2 stand_ins=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512
exact="VGPU_EXACT=1 LD_PRELOAD=$stand_ins/libcudart.so"
placed="hb2st hb2st_owned gb2bd gb2bd_vectors heevj heevj_block gesvj gesvj_blocks gesvj_pipeline
    gesvj_mirror heev hegv gesvd"
unplaced="powm powm_ritz pagerank"
bad=0 runs=0

# reference POLICY TYPES CASE...
reference() {
    # shellcheck disable=SC2086
    env $exact VGPU_DEVICES=1 VGPU_ORDER=eager timeout 900 "$answers" "$@" >>want 2>err && return
    printf 'FAIL: exit %d: answers %s\n' $? "$*"
    tail -n 5 want err
    exit 1
}

# same DEVICES ORDER POLICY TYPES CASE...: these lines of the reference, with kernels on all devices
same() {
    local devices=$1 order=$2 rc=0 used
    shift 2
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    env $exact VGPU_DEVICES=$devices VGPU_ORDER=$order VGPU_SEED=$runs ANSWERS_SEED=$runs \
        ORR_CHAOS_SEED=$runs VGPU_RECORD=record timeout 900 "$answers" "$@" >got 2>err || rc=$?
    used=$(awk -F '\t' '$1 == "launch" { print $2 }' record | sort -u | wc -l)
    rm -f record
    [ $rc = 0 ] && ! grep -vxFf want got >differ && [ "$used" = "$devices" ] && return
    printf 'FAIL: exit %d, kernels on %d of %d devices, %s, run %d: answers %s\n' $rc "$used" \
        "$devices" "$order" $runs "$*"
    tail -n 5 differ err
    bad=1
}

types=d
[ "$how" = long ] && types=sdcz
# shellcheck disable=SC2086
{
    reference eager $types $placed
    reference devices $types $unplaced
}
# shellcheck disable=SC2086
if [ "$how" = short ]; then
    same 2 random chaos d $placed
    same 4 copies-late dmdas d $placed
    same 2 lazy devices d $unplaced
else
    for devices in 1 2 4; do
        for order in fifo random lazy copies-late kernels-late; do
            for policy in dmdas affine lookahead pipeline chaos devices; do
                cases=$placed
                [ $policy = devices ] && cases=$unplaced
                same $devices $order $policy ${types:runs % 4:1} $cases
            done
        done
    done
fi
printf '%s: %d lines; %d runs of a type each are equal to them\n' "$how" "$(wc -l <want)" $runs
exit $bad
