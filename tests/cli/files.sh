#!/usr/bin/env bash
# Matrices from files: right results in the right places; bad files told by name and index.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"

# all types, both triangles, with rubbish in the one that is not read
for type in s d c z; do
    for uplo in L U; do
        kind=lower; [[ $uplo == U ]] && kind=upper
        "$tool" make a.npy $type 5 19 $kind
        rm -f w.npy v.npy
        expect 0 "$orrery" heevj a.npy --values w.npy --vectors v.npy --uplo $uplo --check --cpus 2
        expect 0 "$tool" check a.npy w.npy v.npy $uplo
    done
done
for method in jacobi lapack; do
    expect 0 "$orrery" heevj a.npy -w w.npy -o v.npy -u U -m $method -q
    empty out
    expect 0 "$tool" check a.npy w.npy v.npy U
done

# orders, shapes, values alone, an empty batch
for n in 1 2 33 70; do
    "$tool" make a.npy z 2 $n random
    expect 0 "$orrery" heevj a.npy -w w.npy -o v.npy
    expect 0 "$tool" check a.npy w.npy v.npy
    cp w.npy with.npy
    expect 0 "$orrery" heevj a.npy -w w.npy
    expect 0 "$tool" check a.npy w.npy v.npy
done
for shape in "4 4" "3 4 4" "2 3 4 4" "0 4 4" "3 0 0"; do
    "$tool" shape a.npy d $shape
    expect 0 "$orrery" heevj a.npy -w w.npy -o v.npy --check
    expect 0 "$tool" check a.npy w.npy v.npy
done

# several files are one batch; names by pattern; figures per matrix
"$tool" make m1.npy d 3 4 random; "$tool" make m2.npy d 2 17 random; "$tool" make m3.npy d 1 40 random
expect 0 "$orrery" heevj m1.npy m2.npy m3.npy --values 'w-{}.npy' --vectors 'v-{i}.npy' --info i.csv --check
for k in 1 2 3; do expect 0 "$tool" check m$k.npy w-m$k.npy v-$((k - 1)).npy; done
[[ $(wc -l <i.csv) == 7 ]] || fail "i.csv has $(wc -l <i.csv) lines"
has i.csv '^m2.npy,1,17,ok,'

# types: of one kind, or converted
"$tool" make s.npy s 2 4 random
expect 3 "$orrery" heevj m1.npy s.npy; said 'converts'
expect 0 "$orrery" heevj m1.npy s.npy --type z --values 'w-{}.npy'
"$tool" make z.npy z 2 4 random
expect 3 "$orrery" heevj z.npy --type d; said 'complex'

# stdin, stdout, Matrix Market
"$orrery" heevj - --values - <m1.npy >w.npy 2>err || fail "pipe"
expect 0 "$orrery" heevj m1.npy --values w2.npy --vectors v2.npy
cmp w.npy w2.npy || fail "values through a pipe differ"
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n3 2 -1\n' >l.mtx
expect 0 "$orrery" heevj l.mtx --values w.npy --vectors v.npy --check
[[ $("$tool" shape l.npy d 3 3; head -c 128 w.npy | tr -d '\0' | grep -c '(3,)') == 1 ]] || fail "l.mtx: shape"

# one matrix with a NaN: exit 3, its index told, the results of the others there
"$tool" make n.npy d 4 9 nan
for extra in "" "--check" "--repeat 2"; do
    rm -f w.npy v.npy
    expect 3 "$orrery" heevj n.npy --values w.npy --vectors v.npy --info i.csv $extra
    said 'n.npy: matrix 1 contains NaN'
    expect 0 "$tool" check n.npy w.npy v.npy
done
has i.csv '^n.npy,1,9,not finite,'; has i.csv '^n.npy,2,9,ok,'
expect 3 "$orrery" heevj m1.npy n.npy --info i.csv; said 'n.npy: matrix 1 contains'

# not converged: exit 4, results written
rm -f w.npy v.npy
expect 4 "$orrery" heevj m2.npy --method jacobi --max-sweeps 1 --values w.npy --vectors v.npy
said 'm2.npy: matrix 0 has not converged'
[[ -s w.npy && -s v.npy ]] || fail "results of the unconverged are missing"

# bad files: exit 3, the file named, no output file
bad() {
    local reason=$1 file=$2
    rm -f w.npy
    expect 3 "$orrery" heevj "$file" --values w.npy
    empty out; said "$reason"; [[ -e w.npy ]] && fail "$file: w.npy was written"
}
bad missing.npy missing.npy
"$tool" shape r.npy d 2 3 4; bad 'r.npy.*not square' r.npy
"$tool" shape v1.npy d 7; bad 'v1.npy.*dimension' v1.npy
"$tool" shape h.npy h 2 2; bad 'h.npy.*half precision' h.npy
"$tool" shape big.npy s 1025 1025; bad 'big.npy.*1024' big.npy
head -c 200 m1.npy >cut.npy; bad cut.npy cut.npy
: >empty.npy; bad empty.npy empty.npy
printf 'PK\003\004rubbish' >zip.npy; bad zip.npy zip.npy
printf '%%%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 1\n' >r.mtx; bad 'r.mtx.*not square' r.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n' >x.mtx; bad 'x.mtx' x.mtx
printf '%%%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n' >k.mtx; bad 'k.mtx.*skew' k.mtx
bad 'standard input' -
expect 3 "$orrery" heevj m1.npy --values no/such/dir/w.npy; said 'cannot be written'
expect 3 "$orrery" heevj m1.npy --values "$dir"; said directory
expect 3 "$orrery" heevj m1.npy --json no/such/dir/r.jsonl
printf x >$'esc\033[2J.npy'; expect 3 "$orrery" heevj $'esc\033[2J.npy'
grep -q $'\033' err && fail "an escape sequence from a file name reached the terminal"

# the longest name that a file can have, and one too long for any: told before the work
long=$(printf '%0250d' 0)
expect 0 "$orrery" heevj m1.npy --values "$long.npy" --json "$long.json" --trace "$long.svg"
[[ -s $long.npy && -s $long.json && -s $long.svg ]] || fail "a name of 254 bytes"
"$orrery" graph make cholesky -q -o "$long" && [[ -s $long ]] || fail "graph, a name of 250 bytes"
rm -f "$long"*
for option in --values=.npy --vectors=.npy --json=.json --trace=.svg; do
    expect 3 "$orrery" heevj m1.npy "${option%=*}" "${long}00${option#*=}"; said 'cannot be written: File name too long'; empty out
done
# what cannot be written is told, with its name and the reason, and nothing of it is left
"$tool" shape many.npy d 64 8 8 && mkdir small
(ulimit -f 1; expect 3 "$orrery" heevj many.npy --vectors small/v.npy -q; said 'small/v.npy: cannot write: File too large'
 expect 3 "$orrery" hb2st --n 200 --band 8 --repeat 1 --trace small/t.html -q; said 'small/t.html: cannot write: File too large'
 exit $failures) || fail "a limited size of files"
[[ -z $(ls -A small) ]] || fail "left behind: $(ls -A small)"
# of a line that does not fit a file nothing is left
for kind in json csv; do
    printf '%900s\n' before >small/r.$kind; cp small/r.$kind as.it.was
    (ulimit -f 1; expect 3 "$orrery" heevj m1.npy --$kind small/r.$kind -q; said "small/r.$kind: cannot write: File too large"
     exit $failures) || fail "a limited size of files: --$kind"
    cmp -s small/r.$kind as.it.was || fail "part of a line: $(tail -c 200 small/r.$kind)"
done
# nor of a new file, nor the end of a line that was unfinished
much=$(printf -- '--cpus 2 %.0s' {1..99}) # a long line: records hold the command
for kind in json csv; do
    (ulimit -f 1; expect 3 "$orrery" heevj many.npy $much --$kind small/new.$kind -q; said "small/new.$kind: cannot write: File too large"
     ln -s link.$kind small/to.$kind; expect 3 "$orrery" heevj many.npy $much --$kind small/to.$kind -q
     exit $failures) || fail "a new file on a full disk: --$kind"
    [[ ! -e small/new.$kind ]] || fail "an empty file is left: small/new.$kind"
    printf '%900s' unfinished >small/u.$kind; cp small/u.$kind as.it.was
    (ulimit -f 1; expect 3 "$orrery" heevj m1.npy --$kind small/u.$kind -q; exit $failures) || fail "an unfinished line: --$kind"
    cmp -s small/u.$kind as.it.was || fail "an unfinished line was ended"
    expect 0 "$orrery" heevj m1.npy --$kind small/u.$kind -q; [[ $(sed -n '1s/ *//p' small/u.$kind) == unfinished && $(wc -l <small/u.$kind) == 2 ]] || fail "the line after an unfinished one"
done
expect 3 "$orrery" heevj m1.npy --trace no/such/dir/t.html; said 'no/such/dir/t.html: cannot be written'; empty out
printf '1 2\n2 1\n' >text.dat; expect 3 "$orrery" heev text.dat; said "looks like text; its name should end in .txt or .csv"
# so do a line of names, also in UTF-8, and a table with tabs; other programs' formats are told by name
printf 'mass\tT\n1\t2\n' >t.tsv; expect 3 "$orrery" gesvd t.tsv; said 't.tsv: .*looks like text; its name should end in .txt or .csv'
printf '\xc3\xa9t\xc3\xa9,b\n1,2\n' >u.dat; expect 3 "$orrery" gesvd u.dat; said 'u.dat: .*looks like text'
printf 'MATLAB 5.0 MAT-file' >m.mat; expect 3 "$orrery" gesvd m.mat; said 'm.mat: .*a file of MATLAB; save the matrix as text'
printf '\x89HDF\r\n\x1a\n' >h.h5; expect 3 "$orrery" gesvd h.h5; said 'h.h5: .*an HDF5 file'
printf '\x7fELF\2\1\1\0' >e.bin; expect 3 "$orrery" gesvd e.bin; said 'e.bin: .*this is not a .npy file'
# a pipe or device is written, not replaced; a link is followed
mkfifo pipe; cat pipe >piped & expect 0 "$orrery" heevj m1.npy --info pipe; wait $!
[[ -p pipe ]] && has piped '^m1.npy,0,' || fail "--info to a pipe"
: >target.csv; ln -s target.csv link.csv; expect 0 "$orrery" heevj m1.npy --info link.csv
[[ -L link.csv ]] && has target.csv '^m1.npy,0,' || fail "--info to a link"
# a link may lead to a file that is yet to be made; where none can be made, that is told before the work
mkdir far; ln -s far/w.npy to-w.npy; ln -s far/i.csv to-i.csv; ln -s round.npy round.npy; ln -s gone/w.npy lost.npy
expect 0 "$orrery" heevj m1.npy --values to-w.npy --info to-i.csv
[[ -L to-w.npy && -L to-i.csv ]] || fail "the links are gone"
expect 0 "$orrery" heevj m1.npy --values w.npy; cmp -s w.npy far/w.npy || fail "through a link to nowhere"; has far/i.csv '^m1.npy,0,'
for option in values vectors info json csv; do
    expect 3 "$orrery" heevj m1.npy --$option lost.npy; said '^orrery: lost.npy: cannot be written: gone: No such file'; empty out
    expect 3 "$orrery" heevj m1.npy --$option round.npy; said '^orrery: round.npy: cannot be written: Too many levels'; empty out
done
# nor is what may not be written replaced, in a directory where it could be; root may write everything
mkdir shared; chmod 777 shared "$dir"; printf kept >shared/w.npy; chmod 444 shared/w.npy; ln -s shared/w.npy to-kept.npy
if anyone test -x "$orrery" -a -r m1.npy; then
    for option in values vectors info json csv; do
        for name in shared/w.npy to-kept.npy; do
            expect 3 anyone "$orrery" heevj m1.npy --$option $name; said "^orrery: $name: cannot be written: Permission denied"; empty out
        done
    done
    [[ $(<shared/w.npy) == kept ]] || fail "a protected file was replaced"
else
    echo "left out: what needs another user who can read this"
fi
: >file; expect 3 "$orrery" heevj m1.npy --model-dir file; said '^orrery: file: no directory for models: Not a directory'
# a directory of directories of models is refused: StarPU would learn there, and the run would go by nothing
mkdir -p frozen/one/codelets; echo 'format = 1' >frozen/one/calibration
for name in frozen frozen/ "$PWD/frozen"; do expect 3 "$orrery" heevj m1.npy --model-dir "$name"; said 'holds models of machines, .* such as .*frozen/one'; done
STARPU_PERF_MODEL_DIR=frozen expect 3 "$orrery" heevj m1.npy; said 'holds models of machines'
[[ $(ls frozen) == one ]] || fail "something was made in frozen: $(ls frozen)"
# in a new one beside them it learns, which is told once: the name may be misspelt
expect 0 "$orrery" heevj m1.npy --model-dir frozen/noe; said 'frozen/noe is new, .* beside it: frozen/one'; [[ -d frozen/noe/codelets ]] || fail "StarPU does not learn where it is told to"
expect 0 "$orrery" heevj m1.npy --model-dir frozen/noe; empty err
expect 0 "$orrery" heevj m1.npy --model-dir learns; empty err
if [[ -c /dev/full && -w /dev/full ]]; then
    expect 3 "$orrery" heevj m1.npy --json /dev/full; said '/dev/full: cannot write: No space left'
    expect 3 "$orrery" heevj m1.npy --csv /dev/full; said '/dev/full: cannot write: No space left'
    [[ $(grep -c 'No space' err) == 1 ]] || fail "told twice: $(<err)"
    expect 3 "$orrery" heevj m1.npy --info /dev/full; said '/dev/full: cannot write: No space left'; [[ -c /dev/full ]] || fail "/dev/full was replaced"
    full() { "$orrery" "$@" >/dev/full 2>err; [[ $? == 3 ]] || fail "exit code not 3, disk full: $*"; said 'cannot write: No space left'
             [[ $(grep -c 'cannot write' err) == 1 ]] || fail "told twice: $(<err)"; }
    printf '0 1\n1 2\n2 0\n' >ring.txt
    full --man; full info; full heevj m1.npy; full heevj m1.npy --values -; full heevj m1.npy --json - -q
    full pagerank ring.txt; full powm ring.txt; full graph make cholesky; full graph make cholesky -o -
fi
# a pipe or file that is standard output is "-", whatever its name: data and what is printed do not mix
"$orrery" heevj m1.npy --values w.npy -q; "$orrery" heevj m1.npy --values /dev/stdout | cmp -s - w.npy || fail "--values /dev/stdout"
"$orrery" heevj m1.npy --json /dev/stdout | cat >r.json; expect 0 "$tool" json r.json algo
"$orrery" heevj m1.npy --json r2.json >r2.json || fail "--json to what is standard output"; expect 0 "$tool" json r2.json algo
"$orrery" heevj m1.npy --values /dev/stdout --json /dev/stdout 2>err | cat; said 'only one output can go to standard output'
"$orrery" heevj m1.npy --values /dev/stdout 2>err >/dev/null || fail "--values /dev/null, as /dev/stdout"
# without a standard stream: the first file does not take its place
"$orrery" heevj m1.npy --values w.npy -q 2>&- || fail "without standard error"
"$orrery" heevj m1.npy -q --values - >&- 2>err </dev/null && fail "without standard output"; said 'cannot write: Bad file'
ls | grep -q orr-tmp && fail "a temporary file was left: $(ls | grep orr-tmp)"
finish
