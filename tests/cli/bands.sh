#!/usr/bin/env bash
# hb2st and gb2bd from files: factorizations judged by their definition; bad files told by name
# and position. SPDX-License-Identifier: BSD-3-Clause
band=$3
source "${BASH_SOURCE%/*}/common.sh"
[[ -x $band ]] || { echo "usage: ${0##*/} ORRERY CLI_TOOL BAND_TOOL"; exit 2; }
keys="algo type n m band batch sched workers seconds gflops status check ref plan provenance"
header='%%MatrixMarket matrix coordinate'
mtx() { printf '%s\n' "$header $2" "${@:3}" >"$1"; }
hb2st() { expect "$1" "$orrery" hb2st "${@:2}" --cpus 2; }
gb2bd() { expect "$1" "$orrery" gb2bd "${@:2}" --cpus 2; }
tri() { expect 0 "$band" tri "$1" "${2:--}" d.npy e.npy q.npy; }
bi() { expect 0 "$band" bi "$1" "${2:--}" "${3:--}" d.npy e.npy u.npy v.npy; }
clean() { rm -f d.npy e.npy q.npy u.npy v.npy; }

# every type, both triangles, blocks of several sizes
for type in s d c z; do
    "$band" make a.npy $type 4 37
    for uplo in L U; do
        clean; hb2st 0 a.npy --uplo $uplo -d d.npy -e e.npy --q q.npy --check --columns 11 --sweeps 3
        tri a.npy $uplo
    done
    for kl in 0 1 3; do
        clean; gb2bd 0 a.npy --kl $kl -d d.npy -e e.npy --left u.npy --right v.npy --check --rows 16
        bi a.npy $kl
    done
done

# wide, tall, one row or column, no off-diagonal, full
for m in 9 20 21 40; do
    "$band" make a.npy z 5 20
    clean; gb2bd 0 a.npy --kl 2 --m $m -d d.npy -e e.npy --left u.npy --right v.npy --check
    bi a.npy 2 $m
done
for shape in "1 1" "1 6" "2 2" "6 6" "1 0"; do
    "$band" make a.npy d $shape
    clean; hb2st 0 a.npy -d d.npy -e e.npy --q q.npy --check
    [[ $shape == "1 0" ]] || tri a.npy
    gb2bd 0 a.npy -d d.npy -e e.npy --left u.npy --right v.npy --check
    [[ $shape == "1 0" ]] || bi a.npy 0
done

# values alone are those with vectors (one stage) where the band is not LAPACK's; one side alone; standard input and output
"$band" make a.npy d 10 50
gb2bd 0 a.npy -d d.npy -e e.npy --left u.npy --right v.npy
gb2bd 0 a.npy -d d1.npy -e e1.npy --tw 9
expect 0 "$band" same d.npy d1.npy; expect 0 "$band" same e.npy e1.npy
gb2bd 0 a.npy --left u1.npy; expect 0 "$band" same u.npy u1.npy
gb2bd 0 a.npy --right v1.npy --check; expect 0 "$band" same v.npy v1.npy
for command in hb2st gb2bd; do
    "$orrery" $command - --diag - <a.npy >d1.npy 2>err || fail "$command: pipe"
    expect 0 "$orrery" $command a.npy --diag d.npy
    expect 0 "$band" same d.npy d1.npy
done
"$band" make h.npy h 4 30; gb2bd 0 h.npy -d d.npy -e e.npy --check
clean; gb2bd 0 h.npy --kl 1 -d d.npy -e e.npy --left u.npy --right v.npy --check; bi h.npy 1

# sparse matrices, put into order: a ring, whose own order is as wide as it is long
ring() { for k in $(seq 1 12); do echo "$k $((k % 12 + 1)) $1"; done; }
mtx ring.mtx 'real general' '12 12 12' "$(ring 2.5)"
clean; gb2bd 0 ring.mtx -d d.npy -e e.npy --left u.npy --right v.npy --check -v
said 'reverse Cuthill-McKee'; bi ring.mtx
mtx sym.mtx 'real symmetric' '5 5 6' '1 1 2' '5 1 -1' '3 1 1' '4 2 3' '5 5 1' '4 2 1'
clean; hb2st 0 sym.mtx -d d.npy -e e.npy --q q.npy --check; tri sym.mtx
clean; gb2bd 0 sym.mtx -d d.npy -e e.npy --left u.npy --right v.npy --check; bi sym.mtx
mtx herm.mtx 'complex hermitian' '3 3 3' '1 1 2 0' '2 1 0 1' '3 1 1 -1'
clean; hb2st 0 herm.mtx -d d.npy -e e.npy --q q.npy --check; tri herm.mtx
clean; gb2bd 0 herm.mtx -d d.npy -e e.npy --left u.npy --right v.npy --check; bi herm.mtx
mtx skew.mtx 'real skew-symmetric' '4 4 2' '2 1 3' '4 3 1'
clean; gb2bd 0 skew.mtx -d d.npy -e e.npy --left u.npy --right v.npy --check; bi skew.mtx
mtx wide.mtx 'pattern general' '3 5 4' '1 1' '2 2' '3 5' '1 4'
clean; gb2bd 0 wide.mtx -d d.npy -e e.npy --left u.npy --right v.npy --check; bi wide.mtx
gzip -k wide.mtx; gb2bd 0 wide.mtx.gz -d d1.npy --left u1.npy; expect 0 "$band" same d.npy d1.npy
mtx empty.mtx 'real general' '0 0 0'; gb2bd 0 empty.mtx; hb2st 0 empty.mtx

# records and benchmarks
hb2st 0 a.npy --json r.jsonl --csv r.csv --check
gb2bd 0 a.npy --json r.jsonl --csv g.csv --check
hb2st 0 --n 33,70 --band 1,9 --type d,c --jobz V --check --repeat 1 --ref lapack --json r.jsonl
gb2bd 0 --n 33,70 --band 1,9 --type d,c --jobz V --check --repeat 1 --ref lapack --json r.jsonl
expect 0 "$tool" json r.jsonl $keys
[[ $(wc -l <r.jsonl) == 18 ]] || fail "$(wc -l <r.jsonl) records, not 2 + 8 + 8"
[[ $(grep -c '"place":"cpu","from":".*"predicted":[0-9]' r.jsonl) == 18 ]] || fail "plans"
[[ $(grep -c '"residual":null' r.jsonl) == 2 ]] || fail "residuals are for runs with vectors"

# the choice is told, and can be made by hand
for algo in hb2st gb2bd; do
    expect 0 "$orrery" $algo --n 70 --band 9 --cpus 1 --repeat 1 -v --model-dir no-models
    said '"place":"cpu","from":"estimate","predicted":'
    expect 0 "$orrery" $algo --n 70 --band 4 --cpus 1 --repeat 1 -v; said '"method":"lapack"'
    expect 6 "$orrery" $algo --n 70 --band 4 --cpus 1 --repeat 1 --place gpu --json none.jsonl --csv none.csv
    said 'no worker can run'; [[ $(wc -l <err) == 1 ]] || fail "more than one line: $(<err)"
    [[ ! -e none.jsonl && ! -e none.csv ]] || fail "a run that fails leaves files of records"
    expect 2 "$orrery" $algo --n 70 --band 4 --split 10
    said 'belongs to --place split'
    expect 2 "$orrery" $algo --n 70 --band 4 --place moon
done

grep -c '"algo":"gb2bd"' r.jsonl >n; [[ $(<n) == 9 ]] || fail "gb2bd records"

# bad files: exit 3, file and position told, no results
bad() {
    clean; expect 3 "$orrery" "$1" "$2" "${@:4}" -d d.npy -e e.npy; said "$3"; empty out
    [[ -e d.npy ]] && fail "$2: d.npy was written"
}
"$band" make n.npy d 4 9 nan 2 3; bad hb2st n.npy 'n.npy: .*(5, 3)'
bad hb2st n.npy '(2, 3)' --uplo U; bad gb2bd n.npy 'row 2, column 3'
bad gb2bd n.npy 'row 5, column 3' --kl 3
"$tool" shape one.npy d 7; bad hb2st one.npy 'one.npy.*dimension'; bad gb2bd one.npy 'one.npy.*dimension'
"$tool" shape none.npy d 0 4; bad hb2st none.npy diagonal; bad gb2bd none.npy diagonal
"$tool" shape deep.npy d 5 4; bad hb2st deep.npy 'not below n: a row of the file is a diagonal, its shape (b + 1, n)'
bad gb2bd deep.npy 'not below n: a row of the file is a diagonal, its shape (kl + ku + 1, n)'
"$tool" shape much.npy s 514 600; bad gb2bd much.npy '513'
bad hb2st h.npy 'half precision'
# a whole matrix where the diagonals of a band are expected is read as those; a line says so, but not of a band
printf '4 1 2\n1 3 0\n2 0 1\n' >whole.txt; printf '4 3 1\n1 0 0\n2 0 0\n' >lower.txt
printf '0 0 2\n0 1 0\n4 3 1\n' >upper.txt; printf '4 1 2\n1 3 nan\n2 nan nan\n' >rest.txt
whole() { expect 0 "$orrery" $1 -q; said "^orrery: $2: the array looks like a whole matrix (square.*3 diagonals.*orrery $3 reads"; }
for command in hbev hb2st; do
    whole "$command whole.txt" whole.txt heev; whole "$command whole.txt --uplo U" whole.txt heev
    for line in lower.txt 'upper.txt --uplo U' rest.txt; do expect 0 "$orrery" $command $line -q; empty err; done
done
whole 'gb2bd whole.txt' whole.txt gesvd
for line in upper.txt 'whole.txt --kl 1' 'whole.txt --kl 2'; do expect 0 "$orrery" gb2bd $line -q; empty err; done
bad hb2st a.npy 'bandwidth is 9' --band 8
bad hb2st missing.npy missing.npy; bad gb2bd missing.mtx missing.mtx
head -c 200 a.npy >cut.npy; bad hb2st cut.npy cut.npy; bad gb2bd cut.npy cut.npy
mtx rect.mtx 'real general' '3 4 1' '1 1 1'; bad hb2st rect.mtx 'not square'
mtx asym.mtx 'real general' '3 3 2' '2 1 1' '1 2 3'; bad hb2st asym.mtx '(2, 1) and (1, 2).* by 2, 0.67 of'
mtx crooked.mtx 'complex general' '2 2 2' '2 1 0 1' '1 2 0 1'; bad hb2st crooked.mtx '(2, 1) and (1, 2).* by 2, 2 of'
mtx huge.mtx 'real general' '2 2 2' '2 1 1e308' '1 2 -1e308'; bad hb2st huge.mtx '--symmetrize'
bad hb2st skew.mtx skew; bad gb2bd deep.npy 'main diagonal' --kl 5
mtx nan.mtx 'real general' '2 2 2' '1 1 1' '2 2 nan'; bad hb2st nan.mtx 'nan.mtx:4:'; bad gb2bd nan.mtx 'nan.mtx:4:'
mtx index.mtx 'real general' '2 2 1' '1 3 1'; bad hb2st index.mtx 'index.mtx:3:'; bad gb2bd index.mtx 'index.mtx:3:'
mtx arrow.mtx 'pattern general' '2000 2000 1999' "$(seq 2 2000 | sed 's/$/ 1/')"
bad gb2bd arrow.mtx 'more than 512'
expect 3 "$orrery" gb2bd a.npy --left no/such/u.npy

# both triangles of a file: a choice, or the same but for rounding
largest() { hb2st 0 "${@:2}" -w w.txt; [[ $(tail -n 1 w.txt) == "$1" ]] || fail "${*:2}: $(<w.txt), not $1"; }
largest 1 asym.mtx --uplo L; largest 3 asym.mtx --uplo U; largest 2 asym.mtx --symmetrize
largest 1 crooked.mtx -u U; largest 0 crooked.mtx --symmetrize; largest 0 huge.mtx --symmetrize
mtx near.mtx 'real general' '2 2 2' '1 2 1.0000000000000002' '2 1 1'; largest 1 near.mtx

# wrong command lines
expect 2 "$orrery" hb2st a.npy --symmetrize; said 'one triangle'
expect 2 "$orrery" hb2st; expect 2 "$orrery" gb2bd; expect 2 "$orrery" gb2bd a.npy n.npy
expect 2 "$orrery" gb2bd a.npy --left u.npy --right u.npy; expect 2 "$orrery" gb2bd a.npy --diag a.npy
expect 2 "$orrery" gb2bd --n 9 --left u.npy; expect 2 "$orrery" gb2bd a.npy --left u.npy --jobz N
expect 2 "$orrery" gb2bd ring.mtx --kl 1; said 'says itself'
expect 2 "$orrery" gb2bd a.npy --left u.npy --tw 2; said 'one stage'
# duplicates are summed, and told
mtx twice.mtx 'real symmetric' '3 3 4' '1 1 1' '2 1 1' '1 2 1' '3 3 2'
for algo in heev heevj hb2st hbev gb2bd gesvd gesvj; do
    expect 0 "$orrery" $algo twice.mtx; said '^orrery: twice.mtx: 1 duplicate entry was summed$'
    expect 0 "$orrery" $algo twice.mtx -q; empty err
done
mtx once.mtx 'real general' '2 2 3' '2 2 1' '1 1 1' '1 2 0'; expect 0 "$orrery" gesvd once.mtx; empty err
finish
