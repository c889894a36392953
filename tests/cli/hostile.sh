#!/usr/bin/env bash
# What surrounds the command is not as usual: signals, streams, places, files that are pipes or other files' names.
# SPDX-License-Identifier: BSD-3-Clause
here=$(realpath "${BASH_SOURCE%/*}")
source "$here/common.sh"
printf '4 1 2\n1 3 0\n2 0 1\n' >a.txt
expect 0 "$orrery" graph make chain -q -o chain.graph

# ---- Signals ----------------------------------------------------------------------------------------------
# who starts the command may ignore the end of processes; exit codes are those of what was waited for
expect 0 env --ignore-signal=CHLD "$orrery" heev a.txt
expect 3 env --ignore-signal=CHLD "$orrery" heev none.txt
# with a study end the run and what it has started
cat >run.json <<'END'
{"study": 1, "name": "run", "run": ["sh", "-c", "sleep 60 & echo $! $$ >$STARTED.part; mv $STARTED.part $STARTED; sleep 61; : {x}"],
 "factors": {"x": [1, 2]}, "blocks": 2, "measure": "wall"}
END
for signal in INT:130 TERM:143 HUP:129 QUIT:131 PIPE:141; do
    rm -rf run.study started
    STARTED=$dir/started env --default-signal=INT,QUIT,PIPE "$orrery" study run run.json >out 2>err & pid=$!
    for _ in {1..600}; do [[ -s started ]] && break; sleep 0.1; done
    kill -${signal%:*} $pid; wait $pid 2>/dev/null; got=$?
    [[ $got == "${signal#*:}" ]] || fail "study run, SIG${signal%:*}: exit code $got"
    said 'the same command goes on from there'
    gone $(<started)
    [[ -z $(ls run.study/runs) ]] || fail "study run, SIG${signal%:*} leaves $(ls run.study/runs)"
done

# ---- Files that are read, or written, more than once --------------------------------------------------------
# a graph that goes to several programs, or is looked at first, is no pipe: that is told, nothing waits for ever
mkfifo pipe.graph; export ORRERY_SIM=$dir/sim.sh
printf '#!/bin/sh\necho "{\\"makespan\\": 1}"\n' >sim.sh; chmod +x sim.sh
for command in 'replay --on real' 'simulate --machine ci-2core' 'graph import'; do
    for name in - pipe.graph; do
        expect 3 "$orrery" $command "$name"; said 'it must be a file, not a pipe'; empty out
    done
    [[ $command == *import ]] || expect 0 "$orrery" $command chain.graph
done
unset ORRERY_SIM
# elsewhere "-" is standard input
for command in 'graph info' 'replay --sched fifo'; do
    "$orrery" $command - <chain.graph >out 2>err || fail "$command -: $(<err)"
    cat chain.graph | "$orrery" $command /dev/stdin >out2 2>err || fail "$command of a pipe: $(<err)"
    cmp <(tail -n +2 out) <(tail -n +2 out2) || fail "$command: a pipe and standard input differ"
    expect 3 "$orrery" $command -; said '^orrery: standard input:1: the file ends too early'
done

# ---- Names of outputs --------------------------------------------------------------------------------------
# what --model and models plot read is not written over, whatever it is called
mkdir far; models=$(realpath "$here/../../perfmodels")
cp "$models"/ci-2core/codelets/45/gesvd_* . ; model=$(ls gesvd_* | head -1); ln "$model" hard; ln -s "$model" soft; cp "$model" before
for name in "$model" "./$model" hard soft "$dir/far/../$model"; do
    for option in -o "-o x.graph --json"; do
        expect 2 "$orrery" graph make chain --model "link=$model@1" $option "$name"; said 'is an input and would be overwritten'
    done
    cmp "$model" before || fail "graph make wrote over a model"
done
cp -r "$models"/ci-2core mine; (cd mine && find . -type f -exec md5sum {} +) >sums; ln -s mine/calibration soft.svg
for name in mine/calibration "$dir/mine/models.json" soft.svg mine/codelets/45/heevj_chunk_d.*; do
    expect 2 "$orrery" models plot heevj_chunk_d -M mine -o "$name"; said 'is a file of the models'
done
(cd mine && md5sum --quiet -c ../sums) || fail "models plot wrote over models"
for _ in 1 2; do expect 0 "$orrery" models plot heevj_chunk_d -M mine -o mine/plot.svg; done

# ---- Records ------------------------------------------------------------------------------------------------
# a pipe waits for its reader; a file that may be written, not read, is appended to
mkfifo pipe.jsonl
for option in json csv; do
    "$orrery" heev a.txt --$option pipe.jsonl -q 2>err & pid=$!
    timeout 60 cat pipe.jsonl >got; wait $pid || fail "--$option to a pipe: $(<err)"
    has got heev
done
chmod 777 "$dir"; : >blind.jsonl; chmod 222 blind.jsonl
if anyone test -x "$orrery" -a -r a.txt; then
    for _ in 1 2; do HOME=$dir STARPU_HOME=$dir expect 0 anyone "$orrery" heev a.txt --json blind.jsonl -q; done
    [[ $(wc -l <blind.jsonl) == 2 ]] || fail "a file that may not be read: $(wc -l <blind.jsonl) lines"
else
    echo "left out: what needs another user who can read this"
fi
# several programs that begin one file write one head
for _ in {1..5}; do
    rm -f all.csv
    for _ in {1..6}; do "$orrery" heev a.txt --csv all.csv -q & done; wait
    [[ $(wc -l <all.csv) == 7 && $(grep -c ^algo all.csv) == 1 ]] || fail "all.csv: $(cut -c1-20 all.csv)"
done

# ---- Calibrations ---------------------------------------------------------------------------------------------
# one at a time; another one is told so, and spoils nothing
calibrate() { "$orrery" calibrate gesvj --quick --type d --n 16 --budget 0.02 --cpus 1 -q -M t -o m "$@" 2>>said; }
mkdir -p m/t.part
for force in '' --force; do
    expect 6 flock m/t.part "$orrery" calibrate gesvj --quick -q -M t -o m $force; said "another 'orrery calibrate' is at work here"
done
# a child of one that was killed holds the lock for a moment more
mkdir h.part; mkfifo held
flock h.part sh -c 'echo >held; sleep 0.4' & read -r <held
expect 0 "$orrery" calibrate gesvj --quick --type d --n 16 --budget 0.02 --cpus 1 -q -M h -o .
wait; [[ -e h && ! -e h.part ]] || fail "after another one's end: $(ls -d h*)"
for force in '' --force; do
    calibrate $force & other=$!
    calibrate $force; mine=$?; wait $other; other=$?
    [[ $mine == 0 || $other == 0 ]] || fail "calibrate $force twice at once: $mine $other, $(<said)"
    [[ $force || $mine.$other != 0.0 ]] || fail "both made new models"
    [[ $(ls m) == t ]] || fail "calibrate $force twice at once leaves $(ls m)"
    expect 0 "$orrery" models check m/t
done
# bands are narrower than their matrices, and long lists of orders can be gone on with
expect 0 "$orrery" calibrate hb2st --quick --type d --n 64 --budget 0.01 --cpus 1 -q -M narrow -o m
expect 2 "$orrery" calibrate hb2st --quick --n 4 -q -M none -o m; said 'is not measured'; [[ ! -e m/none.part ]] || fail "made for nothing"
for _ in 1 2; do
    faulty FAULT_SETENV=STARPU_HOSTNAME 5 "$orrery" calibrate heevj --quick --n 4:4000:4 -q -M long -o m; said 'out of memory'
done

# ---- What StarPU writes -------------------------------------------------------------------------------------------
# files that a full disk or a kill has left empty or cut end no run
one=("$orrery" hb2st --n 300 --band 8 --repeat 1 --cpus 1 -q --model-dir "$dir/learnt")
expect 0 "${one[@]}"
for file in learnt/bus/*.{affinity,bandwidth,latency,config}; do
    for size in 0 7; do truncate -s $size "$file"; expect 0 "${one[@]}"; [[ $(wc -c <"$file") -gt 7 ]] || fail "$file is not whole"; done
done
# of private directories that cannot be used nothing is left
if anyone test -x "$orrery" -a -r a.txt; then
    mkdir temporary; chmod 777 temporary
    expect 3 anyone env -u STARPU_HOME -u XDG_CACHE_HOME -u HOME TMPDIR="$dir/temporary" bash -c 'umask 777; exec "$0" heev a.txt' "$orrery"
    said "no place for StarPU's files"; [[ -z $(ls temporary) ]] || fail "left: $(ls temporary)"
fi

# ---- Files that change while they are read ----------------------------------------------------------------------
printf '1 2\n2 3\n0 1\n' >few.txt; "$tool" shape few.npy d 4 4; gzip -k few.txt
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n' >few.mtx
cut() { expect 0 "${@:2}"; faulty FAULT_SHRINK="$1" 3 "${@:2}"; said 'changed meanwhile'; }
cut few.txt:8 "$orrery" gesvd few.txt -q
cut few.txt:8 "$orrery" pagerank few.txt -q
cut few.npy:200 "$orrery" heev few.npy -q
cut few.txt.gz:20 "$orrery" gesvd few.txt.gz -q
cut few.mtx:60 "$orrery" powm few.mtx -q
for command in gesvd pagerank; do
    cp few.txt more.txt; faulty FAULT_GROW=more.txt 3 "$orrery" $command more.txt -q; said 'more.txt.*changed meanwhile'
    expect 0 "$orrery" $command more.txt -q
done
# a file of records is no endless line
truncate -s 100G holes.jsonl; expect 3 "$orrery" compare holes.jsonl holes.jsonl; said 'holes.jsonl:1: a byte of zero'
yes | head -c 300M | tr '\n' ' ' >long.jsonl; expect 3 "$orrery" compare long.jsonl long.jsonl; said 'long.jsonl:1: the line is too long'; rm long.jsonl
finish
