# Sourced by the tests of the command: $1 is orrery, $2 is cli_tool.
# SPDX-License-Identifier: BSD-3-Clause
orrery=$1 tool=$2 failures=0
[[ -x $orrery && -x $tool ]] || { echo "usage: ${0##*/} ORRERY CLI_TOOL"; exit 2; }
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 STARPU_SILENT=1
unset STARPU_SCHED
dir=$(mktemp -d "${TMPDIR:-/tmp}/orrery-cli.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"; [[ $failures == 0 ]] || exit 1' EXIT # a script without `finish` fails, too
ulimit -c 0

python3() { command "${ORR_TEST_PYTHON:-python3}" "$@"; }
# Does Python have these modules? If not, it is said what is left out.
modules() { python3 -c "import $1" 2>/dev/null || { echo "left out: what needs a Python with $1"; return 1; }; }
# `expect` under tests/cli/faults.c
faulty() { # FAULT CODE COMMAND...
    cp "$FAULTS" "$dir/faults.so" # LD_PRELOAD knows no spaces
    local -x ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$dir/faults.so "$1"
    expect "${@:2}"
}
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
# expect CODE COMMAND...: its exit code; stdout and stderr are left in out and err
expect() {
    local want=$1 got; shift
    "$@" >out 2>err </dev/null; got=$?
    [[ $got == "$want" ]] || { fail "exit code $got, not $want: ${*/$orrery/orrery}"; sed 's/^/    /' err; }
    ! grep -qE ': ([^:,]{4,})(,[^:]*)?: \1:' err || fail "${*/$orrery/orrery} says twice of what it speaks"
}
said() { grep -qe "$1" err || { fail "stderr lacks '$1'"; sed 's/^/    /' err; }; }
has() { grep -qe "$2" "$1" || { fail "$1 lacks '$2'"; head -5 "$1"; }; }
empty() { [[ ! -s $1 ]] || { fail "$1 is not empty"; head -3 "$1"; }; }
# as another user, if we are root, who may write everything
anyone() { if [[ $(id -u) == 0 ]]; then setpriv --reuid 65534 --clear-groups "$@"; else "$@"; fi; }
alive() { [[ -d /proc/$1 ]] && ! grep -q '^State:.*zombie' /proc/$1/status 2>/dev/null; }
gone() { # none of the processes PID... within a minute: the machine may be busy
    local process
    for process; do
        for _ in {1..600}; do alive $process || continue 2; sleep 0.1; done
        fail "process $process outlived its parent"; kill -9 $process
    done
}
# of the process $pid
children() { cat /proc/$pid/task/$pid/children 2>/dev/null; }
finish() { [[ $failures == 0 ]] && echo passed || { echo "$failures failures"; exit 1; }; }
