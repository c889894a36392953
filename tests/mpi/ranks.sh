#!/usr/bin/env bash
# mpirun orrery powm, pagerank, heevj and gesvj: the files of one rank and of several are equal byte for byte; one
# rank speaks; errors, signals and the death of a rank end all of them.
#   ranks.sh ORRERY CLI_TOOL MPIRUN
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/../cli/common.sh"
mpirun=("$3" --oversubscribe -np) source=$(cd "${BASH_SOURCE%/*}/../.." && pwd)
header='%%MatrixMarket matrix coordinate'
once() { [[ $(grep -ce "$1" err) == 1 ]] || { fail "stderr has '$1' $(grep -ce "$1" err) times"; head -5 err; }; }
lines() { [[ $(wc -l <"$1") == "$2" ]] || fail "$1 has $(wc -l <"$1") lines, not $2"; }

# files, the table and the record come from rank 0 alone
graph=(pagerank --generate rmat:8:6 --tol 1e-6 --blocks 6 --format csr --top 5)
expect 0 "$orrery" "${graph[@]}" --vectors 1.npy; grep -v ' steps, \|\.npy' out >one
for np in 2 4; do
    expect 0 "${mpirun[@]}" $np "$orrery" "${graph[@]}" --vectors $np.npy --json $np.jsonl
    grep -v ' steps, \|\.npy' out | cmp -s - one || fail "$np ranks print something else"
    cmp -s 1.npy $np.npy || fail "scores of $np ranks differ"
    lines $np.jsonl 1; has $np.jsonl "\"ranks\":$np,"
done
for format in sell tiles; do
    matrix=(powm --generate laplace3d:6 --blocks 5 --format $format --k 2)
    expect 0 "$orrery" "${matrix[@]}" --values w1.npy --vectors v1.npy
    expect 0 "${mpirun[@]}" 3 "$orrery" "${matrix[@]}" --values w3.npy --vectors v3.npy
    cmp -s w1.npy w3.npy && cmp -s v1.npy v3.npy || fail "eigenpairs of 3 ranks differ, $format"
done
printf '%s\n' "$header pattern general" '2 2 2' '1 2' '2 1' >two.mtx
expect 4 "${mpirun[@]}" 2 "$orrery" powm two.mtx --method power --max-products 100; once 'two eigenvalues'

# batches: a matrix has the bits that it has by one rank, wherever it was solved; among them orders and
# numbers of matrices where the method depends on the number
make() { "$tool" make "$1".npy "$2" "$3" "$4" random || fail "cannot make $1"; }
make small d 50 12; make few d 5 100; make many z 37 100; make large s 5 150; make lanes d 20 24
batches() { # DIR COMMAND...
    local dir=$1; shift; mkdir $dir
    expect 0 "$@" heevj {small,many,large,few}.npy --type z --values $dir/{}.npy --vectors $dir/{}-v.npy \
        --info $dir/info.csv --check --json $dir/record; cp out $dir/out
    expect 0 "$@" gesvj {lanes,large}.npy --json $dir/svd-record --values $dir/{}-s.npy --left $dir/{}-u.npy --right $dir/{}-r.npy
}
batches alone "$orrery"
for np in 2 3; do
    batches $np "${mpirun[@]}" $np "$orrery"
    has $np/record "\"ranks\":$np"; lines $np/record 1; rm $np/record
    has $np/svd-record "\"ranks\":$np"; lines $np/svd-record 2; rm $np/svd-record
done
rm alone/record alone/svd-record
for np in 2 3; do
    diff <(grep -v '^check' alone/out | sed "s:alone/::") <(grep -v '^check' $np/out | sed "s:$np/::") || fail "$np ranks print something else"
    rm $np/out
    for file in alone/*; do
        [[ $file == alone/out ]] || cmp -s $file $np/${file#alone/} || fail "${file#alone/} of $np ranks differs"
    done
done
mkdir bin job
cat >bin/srun <<END
#!/bin/bash
while [[ \$1 == --* ]]; do shift; done
exec ${mpirun[*]} 2 "$orrery" "\${@:2}"
END
chmod +x bin/srun; ln -s ../many.npy job/many.npy
expect 0 env PATH="$PWD/bin:$PATH" SLURM_CPUS_PER_TASK=1 bash "$source/examples/batch.sbatch" job/many.npy
expect 0 "$orrery" heevj many.npy --values w.npy --vectors v.npy
cmp -s job/many-values.npy w.npy && cmp -s job/many-vectors.npy v.npy || fail "results of examples/batch.sbatch differ"
"$tool" make nan.npy d 40 8 nan
expect 3 "${mpirun[@]}" 2 "$orrery" heevj nan.npy -w nan-w.npy; once 'matrix 1 contains NaN'
expect 3 "$orrery" heevj nan.npy -w one-w.npy; cmp -s nan-w.npy one-w.npy || fail "values beside a NaN differ"
expect 3 "${mpirun[@]}" 2 "$orrery" heevj missing.npy; once missing.npy
expect 5 "${mpirun[@]}" 2 "$orrery" heevj small.npy --max-memory 60000; once 'needs'
expect 5 "${mpirun[@]}" 2 "$orrery" gesvj small.npy --max-memory 60000; once 'needs'

# a stream: what comes out is that of one rank byte for byte, whoever computed it; ranks may get nothing
for shape in 'f0 d 9 30' 'f1 z 3 70' 'f2 s 40 12' 'f3 c 2 150' 'f4 d 1 260' 'none d 0 4'; do
    set -- $shape; "$tool" make $1.npy $2 $3 $4 random || fail "cannot make $1"
done
stream=(gesvj --stream --values - --left - --right -)
through() { # CODE FILE COMMAND...: FILE through a stream, its results in `out`
    local want=$1 file=$2 got; shift 2
    for _ in 1 2 3; do # mpirun itself may crash when ranks end before their input does (open-mpi/ompi, issue 7483)
        cat $file | "$@" >out 2>err; got=${PIPESTATUS[1]} # mpirun makes a pipe of its input, too
        [[ $got == 139 ]] && grep -q orte_iof_hnp_read_local_handler err || break
    done
    [[ $got == $want ]] || { fail "exit code $got, not $want: ${*/$orrery/orrery}"; sed 's/^/    /' err; }
}
cat f?.npy none.npy f0.npy >in
through 0 in "$orrery" "${stream[@]}"; mv out one
for np in 2 3; do
    for flight in '' '--in-flight 1'; do
        through 0 in "${mpirun[@]}" $np "$orrery" "${stream[@]}" $flight --json record
        cmp -s one out || fail "a stream over $np ranks $flight differs"
    done
    has record '"frames":64,'; has record "\"ranks\":$np,"; lines record 2; rm record
done
cp f4.npy in; through 0 in "$orrery" "${stream[@]}"; mv out one
through 0 in "${mpirun[@]}" 4 "$orrery" "${stream[@]}"; cmp -s one out || fail "a frame for four ranks differs"
: >in; through 0 in "${mpirun[@]}" 2 "$orrery" gesvj --stream; empty out
"$tool" make nan.npy d 40 8 nan
for tail in nan.npy 'nan.npy f0.npy' cut; do # a NaN, in the midst and at the end; an end within an array
    head -c 5000 f3.npy >cut; cat f0.npy f1.npy $tail >in
    through 3 in "$orrery" "${stream[@]}"; mv out one; grep '^orrery' err >one-err
    through 3 in "${mpirun[@]}" 3 "$orrery" "${stream[@]}"
    cmp -s one out || fail "a stream with $tail over 3 ranks differs"
    grep '^orrery' err | cmp -s - one-err || { fail "it says something else of $tail"; cat err; }
done
mkdir frames; cp f0.npy f1.npy frames; cat f0.npy f1.npy | "$orrery" gesvj --stream >one
expect 0 env PATH="$PWD/bin:$PATH" SLURM_CPUS_PER_TASK=1 bash "$source/examples/stream.sbatch" frames
cmp -s one frames/values || fail "results of examples/stream.sbatch differ"
# a rank that cannot do its part: told once, with its exit code, and nothing that is wrong is written
cat f4.npy f4.npy f4.npy f4.npy >in
through 6 in "${mpirun[@]}" 1 "$orrery" gesvj --stream : -np 1 "$orrery" gesvj --stream --place gpu --cudas 0
once 'standard input, array .*no worker'
through 5 in "${mpirun[@]}" 2 "$orrery" gesvj --stream --max-memory 60000; once '60000 allowed'; empty out
expect 2 "${mpirun[@]}" 2 "$orrery" gesvj --stream f0.npy; once 'not FILEs'
# who sends one array and waits gets its result
"$tool" make a.npy d 1 5 random; mkfifo to from
"${mpirun[@]}" 2 "$orrery" gesvj --stream <to >from 2>err &
exec 3>to 4<from
for k in 1 2 3; do
    cat a.npy >&3
    IFS= read -r -n 6 -t 60 -u 4 start || fail "no result while the stream waits"
    [[ $start == *NUMPY ]] || fail "a result begins with '$start'"
    head -c $((128 + 5 * 8 - 6)) <&4 >/dev/null
done
exec 3>&-; cat <&4 >/dev/null; wait $! || fail "a stream through pipes: exit code $?"; exec 4<&-

# refused, once
printf '%s\n' "$header real general" '2 3 1' '1 3 1' >wide.mtx
printf '%s\n' "$header real general" '2 2 1' '1 2 nan' >nan.mtx
expect 3 "${mpirun[@]}" 4 "$orrery" pagerank nan.mtx; once 'nan.mtx:3:'
expect 3 "${mpirun[@]}" 2 "$orrery" powm wide.mtx; once '--singular'
expect 3 "${mpirun[@]}" 2 "$orrery" powm missing.mtx; once missing.mtx
expect 5 "${mpirun[@]}" 2 "$orrery" powm --generate laplace3d:20 --max-memory 1000; once 'needs'
expect 2 "${mpirun[@]}" 2 "$orrery" powm two.mtx --trace t.html; once '--trace'
expect 2 "${mpirun[@]}" 2 "$orrery" pagerank two.mtx --bench; once '--bench'
expect 2 "${mpirun[@]}" 2 "$orrery" powm two.mtx --nonsense; once nonsense
expect 2 "${mpirun[@]}" 2 "$orrery" heev --n 4; once 'only powm, pagerank, heevj and gesvj'
expect 2 "${mpirun[@]}" 2 "$orrery" heevj --n 4; once 'one rank'
expect 2 "${mpirun[@]}" 2 "$orrery" gesvj --n 4; once 'one rank'
expect 0 "$orrery" info; has out '^MPI  *Open MPI\|^MPI  *[A-Z]'

# a rank that cannot start: the others do not wait for it, and rank 0 says why
small=(pagerank --generate rmat:6:4 --top 1 -q)
expect 2 "${mpirun[@]}" 1 "$orrery" "${small[@]}" : -np 2 env STARPU_NCPU=abc "$orrery" "${small[@]}"
once 'orrery: rank 1: STARPU_NCPU=.*not an integer'
expect 6 "${mpirun[@]}" 2 "$orrery" "${small[@]}" : -np 1 env STARPU_NCPU=0 "$orrery" "${small[@]}"
once 'orrery: rank 2 could not start'
expect 2 env STARPU_NCPU=abc "${mpirun[@]}" 2 "$orrery" "${small[@]}"; once 'orrery: STARPU_NCPU=.*not an integer'

# ranks with different work do not wait for each other
for other in '--repeat 2' '--personal p.txt'; do
    expect 2 "${mpirun[@]}" 2 "$orrery" "${small[@]}" : -np 1 "$orrery" "${small[@]}" $other
done
expect 2 "${mpirun[@]}" 1 "$orrery" powm two.mtx : -np 1 "$orrery" powm two.mtx --singular; once 'other work than that of rank 0'
expect 2 "${mpirun[@]}" 1 "$orrery" powm two.mtx : -np 1 "$orrery" heevj small.npy; once 'rank 1 fails'

# started by what this MPI does not know
expect 6 env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$orrery" "${small[@]}"; once 'started as 2 ranks, but MPI knows 1'

# rank 0 has the time to say what is wrong, however late it comes
expect 2 "${mpirun[@]}" 1 bash -c 'sleep 0.5; exec "$@"' - "$orrery" powm two.mtx --nonsense : -np 2 "$orrery" powm two.mtx --nonsense
once "unknown option '--nonsense'"

# Ctrl-C, and a rank that dies: nothing runs on
long=(pagerank --generate rmat:12:8 --alpha 0.999999 --tol 1e-300 --max-steps 1000000 --extrapolate no -q)
family() { local p; for p in $(cat /proc/$1/task/*/children 2>/dev/null); do echo $p; family $p; done; }
begin() { # INPUT COMMAND... -> job, members: three ranks and their children
    local input=$1; shift
    "${mpirun[@]}" 3 "$orrery" "$@" >out 2>err <$input & job=$!
    for _ in {1..600}; do
        members=$(family $job); [[ $(wc -w <<<"$members") -ge 6 ]] && break; sleep 0.1
    done
    sleep 1 # to be in the middle of it
}
all_gone() { # WHAT PID...
    local what=$1 p k; shift
    for p; do
        for k in {1..100}; do
            [[ -d /proc/$p ]] && ! grep -q '^State:.*zombie' /proc/$p/status 2>/dev/null || continue 2
            sleep 0.1
        done
        fail "process $p runs on after $what"; kill -9 $p
    done
}
begin /dev/null "${long[@]}"; [[ $(wc -w <<<"$members") -ge 6 ]] || fail "only '$members' run"
kill -INT $job; wait $job; [[ $? != 0 ]] || fail "exit code 0 after SIGINT"
all_gone "Ctrl-C" $members
begin /dev/null "${long[@]}"; victim=$(tail -1 <<<"$members")
kill -KILL $victim; wait $job; [[ $? == 6 ]] || fail "exit code not 6 after the death of a rank"
once 'rank [12]: the computation ended by signal 9'; all_gone "the death of a rank" $members
exec 3<>to; cat f?.npy >&3 & # a stream that does not end
begin to "${stream[@]}"; victim=$(tail -1 <<<"$members")
kill -KILL $victim; wait $job; [[ $? != 0 ]] || fail "exit code 0 after the death of a rank of a stream"
all_gone "the death of a rank of a stream" $members; exec 3>&-
finish
