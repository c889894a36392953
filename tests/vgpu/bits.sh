#!/usr/bin/env bash
# Every algorithm gives the same bits on any number of virtual devices, in any order of their
# streams and under any policy: those of one device whose calls return when they are done, that is
# of the emulated kernels called one after the other.
#   bits.sh short|long ANSWERS DIRECTORY-OF-THE-STAND-INS [FIRST [LAST]]
# long: 90 runs, every policy with every order and number of devices, a type and a third of the cases
# each in turn; or those from FIRST, 0, to LAST. Each says when it has passed.
# SPDX-License-Identifier: BSD-3-Clause
set -u
how=$1 answers=$2 stand_ins=$3 first=${4:-0} last=${5:-89}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512
exact="VGPU_EXACT=1 LD_PRELOAD=$stand_ins/libcudart.so"
placed="hb2st hb2st_owned gb2bd gb2bd_vectors heevj heevj_block gesvj gesvj_blocks gesvj_pipeline
    gesvj_mirror heev hegv gesvd"
unplaced="powm powm_ritz pagerank"
bad=0 runs=0 turn=0

# reference POLICY TYPES CASE...
reference() {
    # shellcheck disable=SC2086
    env $exact VGPU_DEVICES=1 VGPU_ORDER=eager timeout 3600 "$answers" "$@" >>want 2>err && return
    printf 'FAIL: exit %d: answers %s\n' $? "$*"
    tail -n 5 want err
    exit 1
}

# same DEVICES ORDER POLICY TYPES CASE...: these lines of the reference, with kernels on all devices,
# of a third of the cases on more than half of them
same() {
    local devices=$1 order=$2 rc=0 used number enough=$1
    shift 2
    runs=$((runs + 1)) number=$((first + runs))
    [ "$how" = short ] || enough=$((devices / 2 + 1))
    # shellcheck disable=SC2086
    env $exact VGPU_DEVICES=$devices VGPU_ORDER=$order VGPU_SEED=$number \
        ANSWERS_SEED=$number ORR_CHAOS_SEED=$number VGPU_RECORD=record timeout 900 "$answers" "$@" >got 2>err || rc=$?
    used=$(awk -F '\t' '$1 == "launch" { print $2 }' record | sort -u | wc -l)
    rm -f record
    if [ $rc = 0 ] && ! grep -vxFf want got >differ && ((used >= enough)); then
        printf 'same: run %d, %d of %d devices, %s: %s\n' $((number - 1)) "$used" "$devices" \
            "$order" "$*"
        return
    fi
    printf 'FAIL: exit %d, kernels on %d of %d devices, %s, run %d: answers %s\n' $rc "$used" \
        "$devices" "$order" $((number - 1)) "$*"
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
                mix=$((turn + turn / 6)) cases=$unplaced
                [ $policy = devices ] || cases=$(printf '%s\n' $placed | sed -n "$((mix % 3 + 1))~3p")
                ((turn < first || turn > last)) ||
                    same $devices $order $policy ${types:mix % 4:1} $cases
                turn=$((turn + 1))
            done
        done
    done
fi
printf '%s: %d lines; %d runs of a type each are equal to them\n' "$how" "$(wc -l <want)" $runs
exit $bad
