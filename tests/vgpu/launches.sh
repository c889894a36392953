#!/usr/bin/env bash
# Plans are shaped for a device: how many launches, and of how many thread blocks. Of small problems
# what the plan says is what runs; of large ones, on a device of 132 processors, the plan says it.
#   launches.sh ORRERY BAND_TOOL DIRECTORY-OF-THE-STAND-INS
# SPDX-License-Identifier: BSD-3-Clause
set -u
orrery=$1 band_tool=$2 stand_ins=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LD_LIBRARY_PATH=$stand_ins VGPU_MEMORY=512 VGPU_EXACT=1 VGPU_DEVICES=1 LD_PRELOAD=libcudart.so STARPU_HOME=$dir
bad=0

fail() { echo "FAIL: $*"; bad=1; }
tasks_of() { awk -v c="$1" '$1 == c { print $2 }' explained; }
plan_of() { sed -n "s/^plan .*\"$1\":\"*\([^,\"}]*\).*/\1/p" explained; }
explain() { "$orrery" "$@" --explain >explained 2>err || fail "orrery $* --explain: $(tail -n 1 err)"; }

# counts CODELET KERNEL TASKS BLOCKS COMMAND...: its tasks, each a launch (or $each of them, or all tasks $all), and the
# thread blocks of all of them together; BLOCKS -: of a library. TASKS -: as many as are planned. How often the command
# computes is its own affair. The command of the call before does not run again.
ran=
counts() {
    local codelet=$1 kernel=$2 tasks=$3 blocks=$4 planned launches launched runs
    shift 4
    if [ "$*" != "$ran" ]; then
        rm -f record
        ran=
        explain "$@" # before models know how fast two devices were, which are not equal on a busy machine
        VGPU_RECORD=$dir/record timeout 300 "$orrery" "$@" --repeat 1 -q >out 2>&1 ||
            { fail "orrery $*"; tail -n 5 out; return; }
        ran=$*
    fi
    read -r launches launched < <(awk -F '\t' -v c="$codelet" -v k="$kernel" '$1 == "launch" && $3 == c && index($6, k) { n += $7; b += $9 } END { print n + 0, b + 0 }' record)
    planned=$(tasks_of "$codelet")
    [ "$tasks" = - ] && tasks=${planned:-1}
    launches=$((launches / ${each:-1}))
    [ -z "${all:-}" ] || launches=$((launches % all ? -1 : launches / all * tasks))
    runs=$((launches / tasks))
    [ "$blocks" = - ] && blocks=0
    [ "${planned:-0}" = "$tasks" ] && [ $runs -ge 1 ] && [ "$launches" = $((runs * tasks)) ] && [ "$launched" = $((runs * blocks)) ] ||
        fail "orrery $*: in $runs runs $launches launches of $launched blocks; planned '$planned', not $tasks of $blocks"
    echo "$*: $codelet planned $planned; $launches launches, $launched blocks in $runs runs"
}

# Sweeps are three halves of a hop apart: 2 n / 3 b + 2 blocks have something to do.
counts hb2st_chase _chase_kernel 1 14 hb2st --n 97 --band 5 --place gpu --cpus 1 --check
counts gb2bd_chase _chase_kernel 1 14 gb2bd --n 97 --band 5 --place gpu --cpus 1 --check
counts gb2bd_chase _chase_kernel 2 23 gb2bd --n 97 --band 9 --tw 4 --place gpu --cpus 1 --check
# Eight blocks for each of four processors: 8 matrices of order 8 each, or one.
counts heevj_chunk heevj_jacobi 2 64 heevj --n 8 --batch 512 --method jacobi --cpus 0
# Jacobi to order 7, eight matrices to a block. From 8 on (s: 9) by lanes, where half a warp reduces a matrix, four to a
# block, or from 33 on a thread block, and a thread goes through QL, in two rounds.
counts heevj_chunk heevj_jacobi 1 9 heevj --n 7 --batch 70 -t z --cpus 0
counts heevj_chunk _reduce_kernel 2 70 heevj --n 33 --batch 70 -t z --cpus 0
lanes=(heevj --n 9 --batch 70 -t z --cpus 0)
counts heevj_chunk _rows_kernel 1 18 "${lanes[@]}"
counts heevj_chunk _columns_kernel 1 18 "${lanes[@]}"
each=2 counts heevj_chunk _ql_kernel 1 140 "${lanes[@]}"
counts gesvj_chunk gesvj_chunk_kernel 2 64 gesvj --n 11 --count 64 --at-once --place gpu --cpus 1 --check
# A start is one launch for both QR factorizations, on four processors, and seven others; a finish has one as well.
pair=(gesvj --m 75 --n 66 --count 1 --block 16 --place gpu --cpus 1 --check)
counts gesvj_start gesvj_qr_kernel 1 4 "${pair[@]}"
each=8 counts gesvj_start _kernel 1 111 "${pair[@]}"
each=13 counts gesvj_finish _kernel 1 71 "${pair[@]}"
# Six groups of 16 sweeps, and 20 hops, at once: two products for each of 25 waves, and two that make the diamonds.
each=52 counts hb2st_apply gemm 1 0 heev --n 97 --band 5 --tile 20 --place gpu --cpus 1 --jobz V --check
counts hb2st_apply _pack_kernel 1 120 heev --n 97 --band 5 --tile 20 --place gpu --cpus 1 --jobz V --check
# Where 120 columns are a thread block's, on one processor or two, four groups of 64 sweeps are one launch.
for processors in 1 2; do
    ran=
    VGPU_SMS=$processors counts hb2st_apply hb2st_fused_kernel 1 2 heev --n 240 --band 64 --tile 128 --place gpu --cpus 1 --jobz V --check
done
# No core would be done with a panel in time: `auto` gives it none, of one panel and 24 steps. Of each five in
# a tile column three are joined, and two: 3 products in each task, and two with each tile below the first rows of V, 5 to 0.
wide=(heev --n 300 --band 12 --tile 60 --cpus 2 --jobz V --sched chaos --check)
counts hb2st_apply _take_kernel 1 600 "${wide[@]}"
each=8 counts he2hb_apply gemm 10 0 "${wide[@]}"
# Columns in two groups, 64 and 35, of which the last one first: two products of each, and two for all V, S and V S.
"$band_tool" make band.npy d 7 99 || exit 1
each=6 counts gb2bd_qr_apply gemm 1 0 gb2bd band.npy --kl 3 --place gpu --cpus 1 --check --left u.npy
counts gb2bd_qr_apply _pack_kernel 1 2 gb2bd band.npy --kl 3 --place gpu --cpus 1 --check --left u.npy
# An owner updates its tiles of a step by one task, a call of cuBLAS for each; that of the next panel its first columns by
# another before, whose tile on the diagonal is two calls. Of two, with two of four tile columns each, 38 tasks, and of one 28.
all=106 VGPU_DEVICES=2 counts he2hb_update '' 38 0 heev --n 61 --band 4 --tile 16 --place gpu --cpus 1 --check
all=106 VGPU_DEVICES=1 counts he2hb_update '' 28 0 heev --n 61 --band 4 --tile 16 --place gpu --cpus 1 --check --type d

# A block of rows has a thread for each, but no more thread blocks than four to a processor; the sum
# over them is the only other launch of a step.
rm -f record
run=(powm --generate laplace3d:40 --method ritz --tol 0.1 --cpus 2 --sched chaos)
VGPU_RECORD=$dir/record timeout 300 "$orrery" "${run[@]}" -q >out 2>&1 || { fail "orrery ${run[*]}"; tail -n 5 out; }
explain "${run[@]}"
read -r launches joins blocks < <(awk -F '\t' '$1 == "launch" && $3 == "powm_spmv" { if ($6 ~ /join/) j += $7; else { n += $7; b += $9 } } END { print n + 0, j + 0, b + 0 }' record)
[ "$(plan_of blocks)" = 4 ] && [ "$launches" -gt 0 ] && [ "$joins" = "$launches" ] && [ "$blocks" = $((launches * 4 * 4)) ] ||
    fail "${run[*]}: $(plan_of blocks) blocks, not 4; $launches launches of $blocks thread blocks, 16 each; $joins sums"
echo "${run[*]}: $(plan_of blocks) blocks of rows; $launches launches, $blocks thread blocks"

# Headlines, by the plan alone.
mkdir large # without the models of what ran above
export VGPU_SMS=132 VGPU_MEMORY=60000 STARPU_HOME=$dir/large
# within KEY LEAST MOST COMMAND...
within() {
    local what=$1 least=$2 most=$3 value
    shift 3
    explain "$@"
    value=$(tasks_of "$what")
    value=${value:-$(plan_of "$what")}
    [ "${value:-0}" -ge "$least" ] && [ "${value:-0}" -le "$most" ] || fail "orrery $*: $what '$value', not $least to $most"
    echo "$*: $what $value"
}
within hb2st_chase 1 1 hb2st --n 32768 --band 32 --place gpu --cpus 1
within gb2bd_chase 1 1 gb2bd --n 32768 --band 32 --place gpu --cpus 1
# Without a place, and without a model, a device's class says what it takes: large bands are one launch of its, small ones
# and those of a device with four processors are the CPUs'. A model, once there is one, counts instead.
for case in "gpu hb2st --n 32768 --band 32" "gpu gb2bd --n 32768 --band 32" "cpu hb2st --n 300 --band 8" "cpu gb2bd --n 300 --band 8"; do
    # shellcheck disable=SC2086 # words
    set -- $case
    where=$1 sweep=$2_chase
    shift
    explain "$@" --cpus 4
    [ "$(plan_of place)" = "$where" ] && grep -q '"from":"cpu: estimate; device: estimate"' explained ||
        fail "orrery $*: $(grep '^plan' explained), not $where"
    [ $where = cpu ] || [ "$(tasks_of "$sweep")" = 1 ] || fail "orrery $*: $(tasks_of "$sweep") tasks"
    echo "$*: $where, $(tasks_of "$sweep") tasks"
done
VGPU_SMS=4 explain hb2st --n 32768 --band 32 --cpus 16
[ "$(plan_of place)" = cpu ] || fail "four processors: $(grep '^plan' explained)"
# four pieces or a few more, of at least 8 x 132 thread blocks (of 4 x 132 matrices of order 512)
within heevj_chunk 1 5 heevj --n 32 --batch 10000 -t z --cpus 0
within heevj_chunk 1 9 heevj --n 64 --batch 10000 -t d --cpus 0
within heevj_chunk 1 4 heevj --n 512 --batch 2000 -t d --cpus 0
within gesvj_chunk 1 9 gesvj --n 32 --count 10000 --at-once -t s --place gpu --cpus 1
# eigenvectors in one panel, where memory lets it; 270336 columns of diamonds side by side
for n in 8192 16384 32768; do
    columns=$((n > 16384 ? 8192 : n))
    within hb2st_apply $(((n + columns - 1) / columns)) $(((n + columns - 1) / columns)) heev --n $n --jobz V --place gpu --cpus 1
    within columns $columns $columns heev --n $n --jobz V --place gpu --cpus 1
    within at_once $((132 * 2048 / columns)) $((132 * 2048 / columns)) heev --n $n --jobz V --place gpu --cpus 1
    within sweeps 64 64 heev --n $n --jobz V --place gpu --cpus 1
    [ "$(plan_of form)" = $([ $n = 16384 ] && echo fused || echo products) ] || fail "heev --n $n --jobz V: $(grep '^plan' explained)"
    # as CPUs chase in narrow blocks, tasks have fewer diamonds: on devices all the same
    for cpus in 1 16; do
        explain heev --n $n --jobz V --cpus $cpus
        columns=$(plan_of columns) side=$(($(plan_of columns) * $(plan_of at_once)))
        [ "$(plan_of on)" = accelerators ] && [ "$columns" -ge $((n / 8)) ] && [ "$columns" -le "$n" ] &&
            [ $side -ge $((132 * 2048 / 2)) ] && [ $side -le $((132 * 2048)) ] ||
            fail "heev --n $n --jobz V --cpus $cpus: $(grep '^plan' explained)"
        echo "heev --n $n --jobz V --cpus $cpus: $columns columns, $side side by side"
    done
done
# Of a device with little memory panels are narrow and workspaces small: four tasks fit.
for memory in 24000 40000; do
    VGPU_MEMORY=$memory explain heev --n 32768 --jobz V --cpus 1
    bytes=$((32768 * 8 * (32768 / 2 + $(plan_of columns)) + $(plan_of workspace)))
    [ "$(plan_of on)" = accelerators ] && [ $bytes -le $((memory * 262144)) ] && [ $bytes -ge $((memory * 262144 / 2)) ] ||
        fail "a device of $memory MiB: $(grep '^plan' explained)"
    echo "a device of $memory MiB: $(plan_of columns) columns, $bytes bytes"
done
# Few slow processors: a core does a panel in the time of the others.
VGPU_SMS=4 explain heev --n 16384 --jobz V --cpus 16
[ "$(plan_of on)" = any ] && [ "$(plan_of columns)" = 819 ] && [ "$(plan_of workspace)" -le $((512 << 20)) ] ||
    fail "four processors: $(grep '^plan' explained)"
# two blocks of threads for each processor, a pair of blocks of 32 columns each: 8 pairs a matrix
within bundle 33 33 gesvj --n 512 --count 64 -t s --place gpu --cpus 1
# eight thread blocks of 256 rows for each processor, where there are as many rows
within blocks 1 1 powm --generate laplace3d:60 --cpus 16
# and then the ten steps of a plan are one task
within powm_steps 1 1 powm --generate laplace3d:60 --method ritz --cpus 16
# tasks of a step of the first stage: of one device four, or three at the end, of gesvd of either side; 127 steps of 64 columns
for cpus in 1 16; do
    within he2hb_panel 128 128 heev --n 8192 --band 64 --cpus $cpus
    within he2hb_product 127 127 heev --n 8192 --band 64 --cpus $cpus
    within he2hb_update 200 254 heev --n 8192 --band 64 --cpus $cpus
    within ge2gb_panel 255 256 gesvd --n 8192 --band 64 --cpus $cpus
    within ge2gb_product 250 256 gesvd --n 8192 --band 64 --cpus $cpus
    within ge2gb_update 400 512 gesvd --n 8192 --band 64 --cpus $cpus
done
# of two owners three updates, or two at the end, in 511 steps
VGPU_DEVICES=2 within he2hb_update $((511 * 2)) $((511 * 3)) heev --n 32768 --band 64 --place gpu --cpus 1
exit $bad
