#!/usr/bin/env bash
# LAPACK's own testing programs for symmetric, band, generalised and singular value drivers, as they are
# and with every call taken over that can be: as many tests run, no more of them fail. Debian's
# liblapack-test has them, linked with the shared LAPACK; another place of them in LAPACK_TESTING.
#   testing.sh SHIM [whole|larger [TYPES]]
# Without a word once, with the first of the block sizes that the input names for LAPACK's own sake; "larger" likewise, of
# orders up to 132, the most that the programs have room for: those of the inputs end at 20 to 40.
# SPDX-License-Identifier: BSD-3-Clause
shim=$(realpath "$1") whole=${2:-} types=${3:-s d c z} failures=0
programs=${LAPACK_TESTING:-$(dirname "$(ls -d /usr/lib/*/lapack/xeigtstd 2>/dev/null | head -n 1)")}
[[ -x $programs/xeigtstd ]] || { echo "no testing programs of LAPACK: apt-get install liblapack-test"; exit 77; }
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 STARPU_SILENT=1
dir=$(mktemp -d "${TMPDIR:-/tmp}/orrery-testing.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
once='/Number of (parameter values|values of NB)/s/^[0-9]+/1/'
[[ $whole != whole ]] || once=''

# What sed makes of an input. Two of the figures for bands are not divided by n, hence their threshold is that of sep.
larger() { # INPUT
    case $1 in
        sep | se2) echo '2s/^[0-9]+/5/; 3s/^[0-9 ]+/31 65 97 128 132 /' ;;
        svd) echo '2s/^[0-9]+/9/; 3s/^[0-9 ]+/33 64 65 70 100 131 132 132 20 /; 4s/^[0-9 ]+/33 65 64 100 70 132 131 20 132 /' ;;
        ?sg) echo '2s/^[0-9]+/4/; 3s/^[0-9 ]+/33 64 65 100 /' ;; # complex: no room for more
        ?sb) echo '2s/^[0-9]+/3/; 3s/^[0-9 ]+/65 100 130 /; 5s/^[0-9 ]+/1 8 16 17 20 /; 6s/^[0-9.]+/50/' ;;
        ?bb) echo '2s/^[0-9]+/6/; 3s/^[0-9 ]+/40 65 64 100 70 130 /; 4s/^[0-9 ]+/40 64 65 70 100 130 /; 6s/^[0-9 ]+/1 8 16 17 20 /' ;;
    esac
}
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# What a run says: how many tests, how many of them failed, and what else it complains of.
summary() {
    awk '/tests? *run\)/ { line = $0; sub(/.*\(/, "", line); run += line }
         /out of .* tests? failed/ { line = $0; sub(/ out of.*/, "", line); sub(/.*[^0-9]/, "", line); bad += line
                                     line = $0; sub(/.*out of */, "", line); run += line }
         /returned INFO|\*\*\*.*(error|failed|not detected)|Error/ { bad++ }
         /passed the tests of the error exits/ { exits++ }
         /End of tests/ { ended++ }
         END { print run + 0, bad + 0, exits + 0, ended + 0 }' "$1"
}
for t in $types; do
    taken=0 all=0
    for input in sep se2 svd ${t}sg ${t}sb ${t}bb; do
        [[ -e $programs/$input.in ]] || continue
        sed -E -e "$once" -e "$([[ $whole == larger ]] && larger "$input")" "$programs/$input.in" >in
        timeout 1000 "$programs/xeigtst$t" <in >plain 2>plain.err
        ORRERY_LAPACK_MIN=1 ORRERY_LAPACK_LOG=1 LD_LIBRARY_PATH=${shim%/*} LD_PRELOAD=${shim##*/} timeout 1000 "$programs/xeigtst$t" \
            <in >ours 2>ours.err || fail "$t $input ends with exit code $?"
        read -r run bad exits ended <<<"$(summary plain)"
        read -r our_run our_bad our_exits our_ended <<<"$(summary ours)"
        [[ $ended == 1 && $run -gt 0 ]] || fail "$t $input: LAPACK alone runs $run tests to no end"
        [[ "$run $exits $ended" == "$our_run $our_exits $our_ended" ]] \
            || fail "$t $input: $our_run tests, $our_exits of error exits, not $run and $exits"
        ((our_bad <= bad)) || { fail "$t $input: $our_bad of $our_run tests fail, by LAPACK alone $bad"; diff plain ours | grep '^>' | head -n 20; }
        taken=$((taken + $(grep -c 'taken over' ours.err))) all=$((all + our_run))
    done
    echo "$t: $all tests, $taken calls taken over"
    ((taken > 1000)) || fail "$t: only $taken calls were taken over"
done
[[ $failures == 0 ]] && echo ok
exit $((failures > 0))
