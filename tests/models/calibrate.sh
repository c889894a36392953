#!/usr/bin/env bash
# orrery calibrate and models: what is made, resumed, frozen and refused.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/../cli/common.sh"
unset STARPU_HOME STARPU_HOSTNAME STARPU_PERF_MODEL_DIR STARPU_CALIBRATE
export XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data HOME=$dir
quick="--quick --type d --n 24 --budget 0.05 --repeat 3 --cudas 0 -q"

# wrong command lines
expect 2 "$orrery" calibrate heevi; said "did you mean 'heevj'"
expect 2 "$orrery" calibrate --n 8 ; said 'one ALGO'
expect 2 "$orrery" calibrate heevj --machine 'a/b'; said letters
for value in 0 -1 -0.5; do
    expect 2 "$orrery" calibrate heevj --cv $value; said "--cv must be positive, not $value"
    expect 2 "$orrery" calibrate heevj --budget $value; said "--budget must be positive, not $value"
done
expect 3 "$orrery" models show; said 'orrery calibrate'
expect 2 "$orrery" models shwo; said "did you mean 'show'"

# killed in the middle: nothing under the final name, and the same command goes on
for _ in {1..10}; do # again if it was done before this shell noticed
    rm -rf m
    "$orrery" calibrate heevj $quick --budget 0.1 --repeat 12 --machine a --out m >/dev/null 2>&1 &
    pid=$!
    while alive $pid && [[ $(ls m/a.part/cases 2>/dev/null | wc -l) -lt 2 ]]; do sleep 0.02; done
    family=$(children)
    kill -9 $pid; wait $pid 2>/dev/null
    gone $family
    [[ -e m/a ]] || { flock m/a.part true; break; } # a child that was begun in the last moment, too
done
[[ ! -e m/a && -d m/a.part ]] || fail "after a kill: $(ls m)"
before=$(ls m/a.part/cases | sort)
expect 2 "$orrery" calibrate heevj $quick --machine a --out m; said 'other options'
expect 0 "$orrery" calibrate heevj --quick --type d --n 24 --cudas 0 --budget 0.1 --repeat 12 --machine a --out m
said "going on with m/a.part"
[[ -n $before ]] || fail "no case was kept"
[[ -d m/a && ! -e m/a.part ]] || fail "after resuming: $(ls m)"
for f in calibration models.json bus/a.bandwidth bus/a.platform.xml codelets/45/heevj_chunk_d.a; do
    [[ -s m/a/$f ]] || fail "m/a/$f is not there"
done
has out 'hold-out runs'
{ tr -d '\n' <m/a/models.json; echo; } >flat.json # the tool reads an object per line
expect 0 "$tool" json flat.json machine models verification devices

# what is there is replaced with --force only, and what was moved aside before is never removed
mkdir -p m/learnt/codelets/45; echo mine >m/learnt/codelets/45/x.learnt
expect 2 "$orrery" calibrate heevj $quick --machine learnt --out m; said 'm/learnt exists.*--force'
[[ $(<m/learnt/codelets/45/x.learnt) == mine && ! -e m/learnt.part ]] || fail "models that StarPU has learnt: $(ls -R m/learnt)"
mkdir m/a.old; echo mine >m/a.old/notes
expect 3 "$orrery" calibrate heevj $quick --machine a --out m --force; said 'm/a.old is in the way'
[[ $(<m/a.old/notes) == mine && ! -e m/a.part ]] || fail "what was moved aside: $(ls m)"
rm -r m/a.old m/learnt

# another file of the directory survives a second calibration
echo "format 1" >m/a/machine
expect 0 "$orrery" calibrate heevj $quick --machine a --out m --force
[[ -e m/a/machine && -s m/a/calibration && ! -e m/a.old ]] || fail "after --force: $(ls m m/a)"

# frozen: not overwritten, not changed by runs, also not by those that meet new shapes
expect 2 "$orrery" calibrate heevj $quick --machine a --out m; said frozen
export ORRERY_PERFMODELS=$dir/m
cp -r m/a saved
expect 0 "$orrery" heevj --n 8,20 --batch 50 --sched dmda --cudas 0 -q
expect 0 diff -r m/a saved
# what a run changed in its copy is put back, also if it is as long as before
name=$(hostname); copy=$(ls cache/orrery/frozen/a-*/codelets/45/heevj_chunk_d."${name%%.*}") # of calibration another lies beside it
for change in 's/e+0/e+1/' '$d'; do
    sed "$change" m/a/codelets/45/heevj_chunk_d.a >"$copy"; cmp -s m/a/codelets/45/heevj_chunk_d.a "$copy" && fail "not changed"
    expect 0 "$orrery" info
    cmp m/a/codelets/45/heevj_chunk_d.a "$copy" || fail "what a run changed stays"
done
# a disk that fails while they are checked, and while StarPU gets its copy: no file is cut, or half of a list believed
if [[ -f $FAULTS ]]; then
    file=$(cd m/a/bus; ls a.[bl]*|head -n 1)
    rm -rf cache
    faulty FAULT_READ=m/a/bus/$file:10:2 3 "$orrery" heevj --n 8 --batch 5 --model-dir m/a -q
    said "m/a/bus/$file: cannot be read: Input/output error"; [[ -z $(find cache -name '*a.b*' -o -name '*.part') ]] || fail "in the cache: $(find cache)"
    faulty FAULT_READ=m/a/calibration:300:1 3 "$orrery" heevj --n 8 --batch 5 --model-dir m/a -q
    said 'm/a/calibration.*: '
    faulty FAULT_SETENV=STARPU_HOSTNAME 5 "$orrery" calibrate heevj $quick --machine other --out m; said 'out of memory'; rm -rf m/other*
fi
# a list that was cut between two lines
cp -r m/a cut && head -n -3 m/a/calibration >cut/calibration
expect 3 "$orrery" models check cut; said 'lists [0-9]* of the [0-9]* files.*it was cut'
expect 3 "$orrery" heevj --n 8 --batch 5 --model-dir cut -q; said 'cut/calibration lists [0-9]* of the [0-9]* files'
expect 0 "$orrery" info; has out "of 'a', frozen in"
cp -r m/a m/z; expect 0 "$orrery" info; has out "of 'a', frozen in .*m/a$"; rm -r m/z # the first of two
expect 0 "$orrery" doctor; has out '^OK *models'
expect 0 "$orrery" models list; has out 'this machine'
expect 2 "$orrery" models list --machine a; said 'models list: --machine means nothing here'
expect 2 "$orrery" models diff m/a saved --output x.svg; said '--output means nothing here'
expect 0 "$orrery" models show; has out '^heevj_chunk_d'
expect 0 "$orrery" models show heevj_chunk_d --machine a; has out shape
expect 2 "$orrery" models show heevj_chunk; said "did you mean"
expect 0 "$orrery" models plot heevj_chunk_d -o p.svg; has p.svg '<circle'
expect 2 "$orrery" models plot heevj_chunk_d -o p.png; said "'p.png' does not end in .svg"
expect 0 "$orrery" models check; has out 'as it was calibrated'
expect 0 "$orrery" models diff m/a saved; has out '100.0% agree'

# a case of every algorithm: heev's reaches both stages, the solver and the back-transformation
expect 0 "$orrery" calibrate heev $quick --n 40 --machine h --out m
for f in he2hb_load he2hb_panel he2hb_update he2hb_apply heev_values heev_vectors hb2st_chase heev_direct; do
    [[ -s m/h/codelets/45/${f}_d.h ]] || fail "heev: m/h/codelets/45/${f}_d.h is not there"
done
rm -r m/h
# hegv: three tiles in a row
expect 0 "$orrery" calibrate hegv $quick --n 150 --machine h --out m
for f in hegv_potrf hegv_gst hegv_triangle hegv_multiply hegv_hermitian hegv_update; do
    [[ -s m/h/codelets/45/${f}_d.h ]] || fail "hegv: m/h/codelets/45/${f}_d.h is not there"
done
rm -r m/h

# gesvd: of its variants one has vectors, one is tall
expect 0 "$orrery" calibrate gesvd $quick --n 40 --machine g --out m
for f in ge2gb_load ge2gb_panel ge2gb_product ge2gb_update ge2gb_apply gesvd_values gesvd_vectors gesvd_place gb2bd_chase gesvd_direct; do
    [[ -s m/g/codelets/45/${f}_d.g ]] || fail "gesvd: m/g/codelets/45/${f}_d.g is not there"
done
rm -r m/g

# damaged
cp -r saved broken; f=broken/codelets/45/heevj_chunk_d.a
head -c $(($(wc -c <$f) / 2)) $f >x && mv x $f
expect 3 "$orrery" models check broken; said "heevj_chunk_d.a:[0-9]*: "
expect 3 "$orrery" heevj --n 8 --batch 5 -q --model-dir broken; said "heevj_chunk_d.a:[0-9]*: "
rm -r broken; cp -r saved broken
sed -i '0,/^[0-9a-f]\{8\}\t/s/e+0/e+1/' $f; cmp -s $f saved/codelets/45/heevj_chunk_d.a && fail "not tampered with"
expect 3 "$orrery" models check broken
rm -r broken; cp -r saved broken; echo "colour = blue" >>broken/calibration
expect 3 "$orrery" models check broken; said "calibration:[0-9]*: unknown key 'colour'"
rm -r broken; cp -r saved broken; rm $f
expect 3 "$orrery" models check broken; said 'No such file'

# of another machine
rm -r broken; cp -r saved broken; sed -i 's/^cpu = .*/cpu = Abacus/' broken/calibration
expect 1 "$orrery" models check broken; said "its processor is 'Abacus'"
expect 3 "$orrery" heevj --n 8 --batch 5 -q --model-dir broken; said 'another machine'
STARPU_HOSTNAME=a expect 0 "$orrery" heevj --n 8 --batch 5 -q --model-dir broken
ORRERY_PERFMODELS=$dir/none expect 0 "$orrery" info; has out 'learnt by StarPU'

# a kind of device without a model
rm -r broken; cp -r saved broken; sed -i '/^cores = /a device = cuda 0 Abacus 2' broken/calibration
expect 1 "$orrery" models check broken; said "no model of 'cuda 0 Abacus 2'.*orrery calibrate --force"
expect 0 "$orrery" hb2st --n 200 --band 8 --sched dmda --cudas 0 -q # codelets without a model

# a directory that cannot be written, a full disk; what was measured stays, and is gone on with
expect 3 "$orrery" calibrate heevj $quick --machine b --out /proc/none; said '/proc/none'
expect 3 "$orrery" models plot heevj_chunk_d -o /dev/full/x.svg
expect 3 "$orrery" heevj --n 8 --batch 5 -q --trace /dev/full/x.json; said '/dev/full/x.json'
cat >small <<'E2'
mkdir t; mount -t tmpfs -o size=60k none t || exit 99
"$1" calibrate heevj --machine b --out t "${@:2}" 2>err; code=$?
[[ $code == 3 ]] || { echo "exit code $code on a full disk"; cat err; exit 1; }
grep -q 't/b.part/.*No space left' err || { echo 'not told:'; cat err; exit 1; }
[[ -n $(ls t/b.part/cases) ]] || { echo "nothing is kept"; exit 1; }
"$1" heevj --n 8 --batch 500 -q --trace t/x.json 2>err; code=$?
[[ $code == 3 ]] || { echo "exit code $code of a trace on a full disk"; cat err; exit 1; }
mount -o remount,size=40m t
"$1" calibrate heevj --machine b --out t "${@:2}" 2>err || { cat err; exit 1; }
[[ -s t/b/calibration && ! -e t/b.part ]] || { echo "not finished: $(ls t)"; exit 1; }
E2
if unshare -rm true 2>out; then
    unshare -rm bash small "$orrery" $quick >out 2>&1; code=$?
else
    code=99
fi
[[ $code != 99 ]] || echo "skipped: no small file system can be mounted: $(tail -n 1 out)"
[[ $code == 0 || $code == 99 ]] || fail "$(cat out)"
# without --out the next run finds it
(unset ORRERY_PERFMODELS
 export XDG_DATA_HOME=$PWD/home/data
 "$orrery" calibrate heevj --quick --type d --n 24 --cudas 0 --budget 0.05 --repeat 2 --machine here >told 2>&1
 grep -q 'use them from now on' told && "$orrery" models list | grep -q '^here .*this machine') ||
    fail 'a calibration that the next run does not find'

finish
