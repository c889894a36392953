#!/usr/bin/env bash
# orrery calibrate lapack, and how liborrery_lapack obeys the table that it writes. No time is looked at: what a
# table says is made up.
#   table.sh ORRERY CLI_TOOL SHIM CALLED
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/../cli/common.sh"
shim=$(realpath "$3") called=$(realpath "$4")
unset ORRERY_PERFMODELS ORRERY_LAPACK_MIN STARPU_HOSTNAME STARPU_PERF_MODEL_DIR STARPU_HOME
export XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data HOME=$dir STARPU_NCPU=1 ORRERY_LAPACK_START=0
call() { expect 0 env LD_LIBRARY_PATH="${shim%/*}" LD_PRELOAD="${shim##*/}" ORRERY_LAPACK_LOG=1 "$called" "$@"; }
plain() { expect 0 env LD_LIBRARY_PATH="${shim%/*}" LD_PRELOAD="${shim##*/}" "$called" "$@"; } # without a log
not_said() { ! grep -q "$1" err || fail "stderr has '$1'"; }

least=1000 # the built-in order
[[ $(uname -m) != x86_64 ]] || ! grep -qw avx2 /proc/cpuinfo || least=64
call N 40; said 'orders .*: built in'; said "dsyevd_ N L n=40: passed on: n is less than $least"
plain N 40; [[ ! -s err ]] || fail "it speaks: $(cat err)"
ORRERY_LAPACK_LOG=0 plain N 40; [[ ! -s err ]] || fail "0 is no: $(cat err)"

# each routine of each type has a row, and every call was taken over
expect 0 "$orrery" calibrate lapack --n 16,20 --budget 0.001 --repeat 2 --machine here
table=$XDG_DATA_HOME/orrery/perfmodels/here.lapack
has out 'dsyevd  *vectors'; has out 'liborrery_lapack uses them'
[[ $(grep -cE '^[sdcz][a-z]+ [NV] = >?(16|20)$' "$table") == 106 ]] || fail "rows: $(grep -c ' [NV] = ' "$table"), not 106"
call N 40; said "orders .*: $table"
expect 3 "$orrery" calibrate lapack --n 16 --machine here; said 'here.lapack is there already; --force'
expect 0 "$orrery" calibrate lapack --n 16,16 --type d --budget 0.001 --machine here --force -q; [[ ! -s out ]] || fail "-q prints"
expect 0 "$orrery" calibrate lapack --n 16 --type d --budget 0.001 --machine other --out "$dir/elsewhere"
has out "ORRERY_PERFMODELS=$dir/elsewhere"
for wrong in 'lapack heevj' 'heevj lapack'; do expect 2 "$orrery" calibrate $wrong; said 'by itself'; done
for wrong in '--n 8' '--n 40000' '--cudas 0' '--cpus 1' '--cv 0.1' '--budget 0' '--type h'; do expect 2 "$orrery" calibrate lapack $wrong; done
expect 2 "$orrery" calibrate lapak; said "did you mean 'lapack'"
expect 3 "$orrery" calibrate lapack --out /proc/none; said '/proc/none'
expect 0 "$orrery" models list; not_said lapack

# what it says is obeyed
head=$(grep -E '^(format|cpu|cores|devices) = ' "$table")
rows() { printf '%s\n' "$head" "$@" >"$table"; }
rows 'dsyevd N = 30' 'dsyevd V = >2500'
call N 29 N 30 V 60
said 'N L n=29: passed on: n is less than 30'; said 'N L n=30: taken over'; said 'V L n=60: passed on: n is less than 2501'
# Orrery is started by a call of some length, or by shorter ones that are as long together: here by the third
export ORRERY_LAPACK_START=110e-6
call N 30 N 30 N 30 N 30
[[ $(grep -c 'passed on: starting' err) == 2 && $(grep -c ': taken over' err) == 2 ]] || fail "of four calls: $(cat err)"
call N 45; said 'N L n=45: taken over'
# not by what LAPACK calls within a call that is passed on so, which is in its estimate; once started that is taken over
rows 'dsyevd N = 30' 'dsterf N = 20' 'dsyevd V = >2500'
call N 30 N 30; [[ $(grep -c 'dsterf_ N n=30: passed on: starting' err) == 2 ]] && not_said ': taken over' || fail "within: $(cat err)"
call N 30 N 30 N 30 N 25; said 'dsyevd_ N L n=25: passed on'; said 'dsterf_ N n=25: taken over'
rows 'dsyevd N = 30' 'dsyevd V = >2500'
unset ORRERY_LAPACK_START
call N 30; said 'N L n=30: passed on: starting Orrery would take longer'
expect 0 env ORRERY_LAPACK_MIN=30 LD_LIBRARY_PATH="${shim%/*}" LD_PRELOAD="${shim##*/}" ORRERY_LAPACK_LOG=1 "$called" N 30; said 'N L n=30: taken over'
ORRERY_LAPACK_START=soon call N 30; said "ORRERY_LAPACK_START: 'soon' is no number of seconds"; said 'starting Orrery would'
export ORRERY_LAPACK_START=0
rows 'dsyevd N = >30' 'dsyevd V = 25' 'zheevd N = 10'
call N 40 V 24 V 25
said "N L n=40: passed on: n is less than $least"; said 'V L n=24: passed on: n is less than 25'; said 'V L n=25: taken over'
expect 0 env ORRERY_LAPACK_MIN=50 LD_LIBRARY_PATH="${shim%/*}" LD_PRELOAD="${shim##*/}" ORRERY_LAPACK_LOG=1 "$called" N 50 V 40
said 'n=50: taken over'; said 'n=40: passed on: n is less than 50'; not_said 'orders'
rows 'dsyevd N = 30' 'dsyevd N = 50' # of two lines the last one
call N 40; said 'N L n=40: passed on: n is less than 50'
rows 'dsyevd N = 30' 'dsyevd V = x' # nothing of a table with a wrong line
call N 40; said 'here.lapack:6: no order; it is not used'; said "N L n=40: passed on: n is less than $least"
# without a line of its own a routine has the built-in order
rows; call N 40; said "orders .*: $table"; said "n is less than $least"

# places in their order, names in theirs; other machines are passed over without a word
mkdir -p "$dir/first"
rows 'dsyevd N = 30'
printf '%s\n' "$head" 'dsyevd N = 20' >"$dir/first/b.lapack"
export ORRERY_PERFMODELS=$dir/first
call N 20; said "orders .*: $dir/first/b.lapack"; said 'n=20: taken over'
for change in 's/^cpu = .*/cpu = Abacus 2/' 's/^cores = .*/cores = 12345/' 's/^devices = .*/devices = 9/'; do
    sed "$change" "$dir/first/b.lapack" >"$dir/first/a.lapack"
    call N 20; said "orders .*: $dir/first/b.lapack"; not_said 'a.lapack'
done
sed 's/^cpu = .*/cpu = Abacus 2/' "$dir/first/a.lapack" >"$dir/first/b.lapack"
call N 30; said "orders .*: $table"; said 'n=30: taken over'

# malformed: a line with file and line, whether or not there is a log, and the next one or the built-in orders
rm -f "$dir/first/"*; rm "$table"
bad() { # LINE REASON TEXT...
    local line=$1 reason=$2; shift 2
    printf '%b\n' "$@" >"$dir/first/a.lapack"
    plain N 40 N 40; said "a.lapack:$line: .*$reason"
    [[ $(wc -l <err) == 1 ]] || fail "$(wc -l <err) lines of one malformed file"
}
bad 5 'no routine' "$head" 'dsyevx2 N = 30'
bad 5 'neither N' "$head" 'dsyevd X = 30'
bad 5 'neither N' "$head" 'dsyevd NV = 30'
for order in 0 -3 x '' 1e3 '>' '> 5' 99999999999999999999 30x; do bad 5 'no order' "$head" "dsyevd N = $order"; done
bad 6 'neither KEY' "$head" 'dsyevd N = 30' 'dsyevd V 30'
bad 1 'does not know' "${head/format = 1/format = 2}"
bad 4 'missing' "$(grep -v '^cores' <<<"$head")" 'dsyevd N = 30'
bad 3 'missing' "$(grep -v '^cores' <<<"$head")"
bad 1 'neither KEY' 'PK\x01\x02'
bad 5 'cut off or too long' "$head" "note = $(printf 'x%.0s' {1..3000})"
printf '%s\n%s' "$head" 'dsyevd N = 30' >"$dir/first/a.lapack"
plain N 40; said 'a.lapack:5: .*cut off'
: >"$dir/first/a.lapack"; plain N 40; said 'a.lapack:0: .*missing'
printf '%s\n' "$head" 'dsyevd N = 33' >"$dir/first/z.lapack"
call N 33; said 'a.lapack:0:'; said "orders .*: $dir/first/z.lapack"; said 'n=33: taken over'
rm "$dir/first/"*; mkdir "$dir/first/a.lapack"; plain N 40
finish
