#!/usr/bin/env bash
# gesvj from files, as a stream and as a benchmark: right results in the right places, in order;
# what is wrong is told by name, and what came before it is delivered.
# SPDX-License-Identifier: BSD-3-Clause
svd=$3
source "${BASH_SOURCE%/*}/common.sh"
with() { "$@" <in >out 2>err; echo $?; } # standard input from the file `in`; prints the exit code

# files: four types, tall and wide, small and large, alone and as a stack
for type in s d c z; do
    for shape in "0 1 1" "0 7 4" "3 5 9" "2 70 66"; do
        "$svd" make a.npy $type $shape
        rm -f s.npy u.npy v.npy
        expect 0 "$orrery" gesvj a.npy --values s.npy --left u.npy --right v.npy --cpus 2 --check
        expect 0 "$svd" judge a.npy s.npy u.npy v.npy
    done
done
"$svd" make a.npy d 2 9 5; "$svd" make b.npy d 0 40 3
expect 0 "$orrery" gesvj a.npy b.npy --values 's-{}.npy' --left 'u-{i}.npy' --right 'v-{}.npy' --json r.json
expect 0 "$svd" judge a.npy s-a.npy u-0.npy v-a.npy
expect 0 "$svd" judge b.npy s-b.npy u-1.npy v-b.npy
expect 0 "$tool" json r.json algo type n m batch seconds status sweeps plan provenance
[[ $(wc -l <r.json) == 2 ]] || fail "r.json has $(wc -l <r.json) lines"
expect 0 "$orrery" gesvj a.npy --values s2.npy --jobz N
cmp s-a.npy s2.npy || fail "values differ without vectors"
expect 0 "$orrery" gesvj a.npy --type z --precondition no --block 16 --values s.npy --left u.npy --right v.npy --check
"$tool" shape empty.npy d 0 4 3
expect 0 "$orrery" gesvj empty.npy --values s.npy --left u.npy --right v.npy
expect 0 "$svd" judge empty.npy s.npy u.npy v.npy

# Matrix Market: any shape and field; what a triangle stands for
for shape in "d 0 9 5" "z 0 4 7"; do
    "$svd" make a.npy $shape; "$svd" mtx a.mtx a.npy; gzip -kf a.mtx
    expect 0 "$orrery" gesvj a.mtx.gz --values s.npy --left u.npy --right v.npy --check
    expect 0 "$svd" judge a.npy s.npy u.npy v.npy
done
printf '%s\n' '%%MatrixMarket matrix coordinate real skew-symmetric' '3 3 3' '2 1 1' '3 1 2' '3 2 2' >k.mtx
expect 0 "$orrery" gesvj k.mtx --values s.npy
[[ $(od -An -tf8 -j128 s.npy | awk '{ for (i = 1; i <= NF; i++) printf "%.6f ", $i }') == "3.000000 3.000000 0.000000 " ]] ||
    fail "a skew-symmetric matrix has singular values $(od -An -tf8 -j128 s.npy)"
expect 5 "$orrery" gesvj a.mtx --max-memory 100; said 'a.mtx'
sed -i '3s/^1 /x /; 3s/^[0-9]* /x /' a.mtx; expect 3 "$orrery" gesvj a.mtx; said 'a.mtx:3'

# one matrix with a NaN: exit 3, its number told, the results of the others there
"$svd" make n.npy c 4 6 5 2
expect 3 "$orrery" gesvj n.npy --values s.npy --left u.npy --right v.npy
said 'n.npy: matrix 2 contains NaN'
expect 0 "$svd" judge n.npy s.npy u.npy v.npy
"$svd" make big.npy d 0 90 80 0
expect 3 "$orrery" gesvj big.npy --values s.npy; said 'big.npy: matrix 0 contains NaN'
"$svd" make a.npy d 0 80 80
expect 4 "$orrery" gesvj a.npy --max-sweeps 1 --values s.npy; said 'a.npy: matrix 0 has not converged'
[[ -s s.npy ]] || fail "values of the unconverged are missing"

# a record tells what became of the matrices, not of files
printf '1e308 1e308\n1e308 1e308\n' >range.txt; cp n.npy in
state() { has r.json "\"status\":\"$1\""; rm r.json; }
rm -f r.json
expect 3 "$orrery" gesvj range.txt --json r.json; said 'range.txt: matrix 0 has singular values beyond'; state 'out of range'
expect 3 "$orrery" gesvj n.npy --check --json r.json; state 'not finite'
[[ $(with "$orrery" gesvj --stream --json r.json) == 3 ]] || fail "a stream with a NaN: $(<err)"; state 'not finite'
expect 4 "$orrery" gesvj a.npy --max-sweeps 1 --json r.json; state 'not converged'
if [[ -c /dev/full && -w /dev/full ]]; then
    expect 3 "$orrery" gesvj a.npy --values /dev/full --json r.json; said 'No space'; state ok
fi

# a stream: any shapes and types, a stack, an empty one, in order
i=0
for shape in "d 0 70 66" "s 0 3 4" "z 3 8 5" "d 0 4 4" "c 0 2 9"; do
    "$svd" make in$i.npy $shape; i=$((i + 1))
done
"$tool" shape in5.npy d 0 3 2
"$svd" make in6.npy s 0 5 5
cat in?.npy >in
[[ $(with "$orrery" gesvj --stream --values - --left - --right - --json r.json) == 0 ]] || fail "stream: $(<err)"
[[ $("$svd" split out r) == 21 ]] || fail "not 21 results"
for i in 0 1 2 3 4 5 6; do
    expect 0 "$svd" judge in$i.npy r$((3 * i)).npy r$((3 * i + 1)).npy r$((3 * i + 2)).npy
done
cat in?.npy >in # `expect` has written to out
has r.json '"frames":8'; has r.json '"latency_median"'
for f in 1 3; do
    [[ $(with "$orrery" gesvj --stream --in-flight $f -q) == 0 ]] || fail "stream, $f in flight: $(<err)"
    [[ $("$svd" split out s) == 7 ]] && cmp -s s0.npy r0.npy && cmp -s s6.npy r18.npy || fail "values of $f in flight"
done
: >in
[[ $(with "$orrery" gesvj --stream) == 0 && ! -s out ]] || fail "an empty stream"

# whoever sends one array and waits gets its result before sending the next
"$svd" make a.npy d 0 5 5
mkfifo to from
"$orrery" gesvj --stream <to >from 2>err &
exec 3>to 4<from
for k in 1 2; do
    cat a.npy >&3
    IFS= read -r -n 6 -t 30 -u 4 start || fail "no result while the stream waits"
    [[ $start == *NUMPY ]] || fail "a result begins with '$start'"
    head -c $((128 + 5 * 8 - 6)) <&4 >/dev/null # the rest of it
done
exec 3>&-
cat <&4 >/dev/null
wait $! || fail "stream through pipes: exit code $?"
exec 4<&-

# what a record says of a stream's types: one, or several; nothing in it is random
streamed() { # TYPE OPTIONS...
    rm -f r.json; [[ $(with "$orrery" gesvj --stream --json r.json "${@:2}") == 0 ]] || fail "stream: $(<err)"
    has r.json "\"algo\":\"gesvj\",\"type\":$1,.*\"seed\":null"
}
"$svd" make s.npy s 0 5 3; "$svd" make z.npy z 0 3 4
cat s.npy s.npy >in; streamed '"s"'; streamed '"d"' --type d
cat s.npy z.npy >in; streamed null; : >in; streamed null

# it ends within an array: the results before it, exit 3, which array
head -c $(($(stat -c %s in3.npy) - 9)) in3.npy >cut.npy
cat in0.npy in1.npy cut.npy >in
[[ $(with "$orrery" gesvj --stream --json r.json) == 3 ]] || fail "a truncated stream: $(<err)"
said '^orrery: standard input, array 2: byte [0-9]*: the file ends'
[[ $("$svd" split out t) == 2 ]] && cmp -s t0.npy r0.npy && cmp -s t1.npy r3.npy || fail "results before the cut"
for rubbish in in3.npy a.npy; do
    { cat in1.npy; head -c 60 $rubbish; } >in
    [[ $(with "$orrery" gesvj --stream) == 3 && $("$svd" split out t) == 1 ]] || fail "a cut header"
done
{ cat in1.npy; echo rubbish; } >in
[[ $(with "$orrery" gesvj --stream) == 3 ]] || fail "rubbish behind an array"; said 'array 1'
"$tool" shape h.npy d 2
cat in1.npy h.npy in3.npy >in
[[ $(with "$orrery" gesvj --stream) == 3 ]] || fail "an array of one dimension"; said 'array 1'

# a frame with a NaN: the others are there, and it is told
cat in0.npy n.npy in1.npy >in
[[ $(with "$orrery" gesvj --stream --values - --left - --right -) == 3 ]] || fail "a NaN in a stream: $(<err)"
said 'array 1: matrix 2 contains NaN'
[[ $("$svd" split out r) == 9 ]] || fail "not 9 results"
expect 0 "$svd" judge n.npy r3.npy r4.npy r5.npy
expect 0 "$svd" judge in1.npy r6.npy r7.npy r8.npy

# places that need a device, without one: exit 6, no results, told once
for place in gpu pipeline mirror; do
    expect 6 "$orrery" gesvj in0.npy --place $place --cudas 0 --opencls 0 --values w.npy; said 'no worker'
    [[ -e w.npy ]] && fail "w.npy was written"
    cat in1.npy in1.npy in1.npy >in
    [[ $(with "$orrery" gesvj --stream --place $place --cudas 0 --opencls 0) == 6 ]] || fail "stream on $place: $(<err)"
    said 'no worker'; empty out
    expect 6 "$orrery" gesvj --n 8 --count 2 --place $place --cudas 0 --opencls 0
done

# benchmark
expect 0 "$orrery" gesvj --n 20,70 --count 3 --type s,z --ref lapack --repeat 1 --check --json -
cp out r.json
expect 0 "$tool" json r.json algo ref check stream
[[ $(wc -l <r.json) == 4 ]] || fail "$(wc -l <r.json) records"
has r.json '"bundle":'; has r.json '"on_device":'
has r.json 'lapack sgesvj'; has r.json 'lapack zgesdd'; has r.json 'lapack zgesvd'
expect 0 "$orrery" gesvj --n 8,40 --count 50 --type d --at-once --ref gesdd --repeat 1 --check --json -
cp out r.json
expect 0 "$tool" json r.json algo ref check plan
grep -q '"stream"' r.json && fail "a batch is no stream"

# files and words that are wrong
bad() { expect 3 "$orrery" gesvj "$1" --values w.npy; said "$1"; [[ -e w.npy ]] && fail "$1: w.npy was written"; }
"$tool" shape h2.npy h 2 2; bad h2.npy
"$tool" shape v.npy d 7; bad v.npy
bad missing.npy; bad cut.npy
"$svd" make z.npy z 0 2 2; expect 3 "$orrery" gesvj z.npy --type d; said 'complex'
wrong() { local reason=$1; shift; expect 2 "$orrery" gesvj "$@"; said "$reason"; }
wrong 'FILE is needed'
wrong '65 is not between 1 and 64' --n 8 --bundle 65
wrong 'reads standard input' --stream in0.npy
wrong 'belong to a benchmark' in0.npy --n 4
wrong 'only be -' --stream --values w.npy
wrong 'contradict' in0.npy --jobz N --left u.npy
wrong '16, 32 or 64' in0.npy --block 17
wrong 'not one of' in0.npy --place moon
finish
