#!/usr/bin/env bash
# orrery calibrate methods, and how heev and gesvd obey the table that it writes. No time is looked at: what a table
# says is made up.
#   methods.sh ORRERY CLI_TOOL
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
unset ORRERY_PERFMODELS STARPU_HOSTNAME STARPU_PERF_MODEL_DIR STARPU_HOME
export XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data HOME=$dir
plan() { expect 0 "$orrery" "$@" --repeat 1 --bench --json -; }
told() { has out "\"method\":\"$1\",\"from\":\"$2"; }

plan heev --n 64; told lapack 'built in: lapack below'
plan gesvd --n 64; told lapack 'built in: lapack below'

# a table with a row for each job of both, with one worker and with all; one worker has no rows of several
expect 0 "$orrery" calibrate methods --n 64 --budget 0.001 --repeat 2 --machine here
table=$XDG_DATA_HOME/orrery/perfmodels/here.methods
has out 'runs on this machine use them'
rows() { grep -cE "^(heev [sdcz] [NPV]|gesvd [sdcz] [NV]) $1 = >?[0-9]+$" "$table"; }
workers=$(nproc)
[[ $(rows 1) == 20 ]] || fail "$(rows 1) rows of one worker"
[[ $workers == 1 || $(rows 2) == 20 ]] || fail "$(rows 2) rows of several workers"
expect 3 "$orrery" calibrate methods --n 64 --machine here; said 'here.methods is there already; --force'
expect 0 "$orrery" calibrate methods --n 64 --type d --cpus 1 --budget 0.001 --repeat 2 --machine here --force -q; empty out
[[ $(rows 1) == 5 && $(rows 2) == 0 ]] || fail "of one worker and type: $(rows 1), $(rows 2) rows"
for wrong in '--n 63' '--n 64,128' '--type h' '--type d,h' '--cudas 0' '--cv 0.1' '--budget 0'; do expect 2 "$orrery" calibrate methods $wrong; done
for wrong in 'methods heevj' 'methods lapack'; do expect 2 "$orrery" calibrate $wrong; said 'by itself'; done
expect 2 "$orrery" calibrate method; said "did you mean 'methods'"
expect 3 "$orrery" calibrate methods --out /proc/none; said '/proc/none'

# what it says is obeyed
head=$(grep -E '^(format|cpu|cores|devices) = ' "$table")
says() { printf '%s\n' "$head" "$@" >"$table"; }
says 'heev d N 1 = 50' 'heev d V 1 = 5000' 'heev d P 1 = >5000' 'gesvd d N 1 = 30' 'gesvd d V 1 = >9000' 'heev d N 2 = 7000'
plan heev --cpus 1 --n 49; told lapack 'measured: lapack below 50'
plan heev --cpus 1 --n 50; told two-stage 'measured: lapack below 50'
plan heev --cpus 1 --n 60 --jobz V; told lapack 'measured: lapack below 5000'
plan heev --cpus 1 --n 60 --jobz V --range 1:3; told lapack 'measured: lapack below 5001'
plan gesvd --cpus 1 --n 30; told two-stage 'measured: lapack below 30'
plan gesvd --cpus 1 --n 29; told lapack 'measured: lapack below 30'
plan gesvd --cpus 1 --n 40 --jobz V; told lapack 'measured: lapack below 9001'
plan heev --cpus 1 --n 60 --type z; told lapack 'built in: lapack below'
plan heev --cpus 1 --n 60 --method two-stage; told two-stage asked
[[ $workers == 1 ]] || { plan heev --n 60; told lapack 'measured: lapack below 7000'; }
# up to an order that is below the built-in one: nothing that was not known
says 'heev d V 1 = >70'; plan heev --cpus 1 --n 60 --jobz V; told lapack 'built in: lapack below'
# of another machine
sed -i 's/^cores = .*/cores = 12345/' "$table"; plan heev --cpus 1 --n 60; told lapack 'built in: lapack below'

# malformed: the built-in orders, and the plan says why
bad() { # LINE REASON TEXT...
    local line=$1 reason=$2; shift 2
    printf '%b\n' "$@" >"$table"
    plan heev --n 60; told lapack "built in (here.methods:$line: $reason): lapack below"
}
bad 5 'neither heev nor gesvd' "$head" 'heevj d N 1 = 50'
bad 5 'not TYPE, JOB and WORKERS' "$head" 'heev h N 1 = 50'
bad 5 'not TYPE, JOB and WORKERS' "$head" 'heev d N = 50'
bad 5 'not TYPE, JOB and WORKERS' "$head" 'heev d N 12 = 50'
bad 5 'no job: N, P or V' "$head" 'heev d X 1 = 50'
bad 5 'no job: N or V' "$head" 'gesvd d P 1 = 50'
bad 5 'workers are 1, or 2 (and more)' "$head" 'gesvd d V 3 = 50'
for order in 0 -3 x '>' 1e3; do bad 5 'no order' "$head" "heev d N 1 = $order"; done
bad 1 'a format that this library does not know' "${head/format = 1/format = 2}"
bad 3 'format, cpu, cores or devices is missing' "$(grep -v '^cores' <<<"$head")"
mv "$table" "${table%/*}/a\"b.methods"; plan heev --n 60; has out 'built in (a?b.methods:3: '
# heevj: the chunks that decide between two methods, two of each in turn, are a sixteenth of the batch, not the
# fewest that a kernel takes: those are over before caches know a method
pilots() { # N BATCH SIZE
    rm -f trace.csv
    expect 0 "$orrery" heevj --type z --n "$1" --batch "$2" --repeat 1 --trace trace.csv
    local got
    got=$(awk -F, 'NR > 1 && $12 < 4 { print $12, $4, $2 }' trace.csv | sort -n | awk '{ printf "%s/%s ", $2, $3 }')
    [[ $got =~ ^$3/([0-9])\ $3/([0-9])\ $3/([0-9])\ $3/([0-9])\ $ && ${BASH_REMATCH[1]} != "${BASH_REMATCH[2]}" &&
       ${BASH_REMATCH[1]} == "${BASH_REMATCH[3]}" && ${BASH_REMATCH[2]} == "${BASH_REMATCH[4]}" ]] || fail "$1, $2: first chunks $got"
}
pilots 10 10000 128
pilots 10 2048 32
finish
