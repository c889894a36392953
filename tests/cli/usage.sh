#!/usr/bin/env bash
# Help, man page, completion and refusal of wrong command lines.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"

expect 0 "$orrery" --help; cp out help; empty err
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p' help)
[[ $(wc -w <<<"$commands") -ge 3 ]] || fail "commands: $commands"
expect 0 "$orrery" --version; has out '^orrery [0-9]'
for part in StarPU CUDA MPI BLAS compiled; do has out "^$part .*[a-z0-9]"; done
expect 0 "$orrery" --man; cp out orrery.1
expect 0 "$orrery" --completion bash; cp out completion
expect 2 "$orrery"; empty out
expect 2 "$orrery" --versoin; said "did you mean '--version'"
expect 2 "$orrery" --completion tcsh; said 'bash|zsh|fish'
expect 2 "$orrery" --man=no-such-command
expect 2 "$orrery" hevj; said "did you mean 'heevj'"

# the names of NumPy and SciPy lead to the command that does it, and to no other
elsewhere() { expect 2 "$orrery" "$1"; said "no command '$1'; .*$2"; ! grep -q 'did you mean' err || fail "$1"; }
expect 2 "$orrery" hevej; said "did you mean 'heevj'"; expect 2 "$orrery" heve; said "did you mean 'heev'" # letters that changed places
for name in cond norm inv qr; do expect 2 "$orrery" $name; said "'$name' is not a command$"; done # nothing is near
for name in eigh eigvalsh; do elsewhere $name ': orrery heev$'; done
elsewhere svdvals 'orrery gesvd'
for name in svds sparsesvd; do elsewhere $name ': orrery powm --singular$'; done
for name in eigsh eigs; do elsewhere $name ': orrery powm$'; done
for name in eig_banded eigvals_banded; do elsewhere $name ': orrery hbev$'; done
for name in eigh_tridiagonal sterf stevd steqr; do elsewhere $name ': orrery hbev, as a band of two rows$'; done
elsewhere eig 'general matrix'
for name in pca prcomp princomp; do elsewhere $name ': orrery gesvd, of columns without their means$'; done

# who begins with the file or an option is told what comes first
printf '2 1\n1 2\n' >'a b.txt'
expect 2 "$orrery" 'a b.txt'; said "'a b.txt' is a file: the command comes first, orrery heev FILE"
expect 2 "$orrery" none.txt; said "'none.txt' is not a command"
expect 2 "$orrery" --values w.txt heev 'a b.txt'; said "unknown option '--values'; options come after the command: orrery COMMAND --values"
rm 'a b.txt'
expect 0 "$orrery" svd --help; has out '^Usage: orrery gesvd'
for option in threads workers cores; do
    expect 2 "$orrery" heev --$option 4; said "no option '--$option'; the number of CPU workers: --cpus N"
    expect 2 "$orrery" heev --$option=4; said "number of CPU workers: --cpus N"
done
for option in --k --top -k; do
    expect 2 "$orrery" heev $option 4; said "no option '$option'; some of the values, 1:K the lowest: --range RANGE"
    expect 2 "$orrery" gesvd $option 4; said "unknown option '$option'$"
done
for command in gesvd gesvj; do expect 2 "$orrery" $command --vectors v.npy; said "no option '--vectors'; where V goes (U: --left FILE): --right FILE"; done
expect 2 "$orrery" sched --threads 4; said "unknown option '--threads'"

# every option of a command's help is in its part of the man page and in the completion
expect 0 bash -n completion
source ./completion
complete_line() { # the words of a command line, the last one to be completed
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _orrery
    printf '%s\n' "${COMPREPLY[@]}" | sort
}
for command in $commands; do
    expect 0 "$orrery" "$command" --help; cp out help.$command; empty err
    lines=$(wc -l <help.$command) widest=$(wc -L <help.$command)
    ((lines <= 50)) || fail "help of $command: $lines lines, more than a screen of 50"
    ((widest <= 80)) || fail "help of $command: $widest columns"
    has help.$command '^Examples:'
    grep -oE '^ +(-.,)? +--[a-z-]+' help.$command | grep -oE -- '--[a-z-]+' | sort -u >options
    expect 0 "$orrery" --man=$command; cp out orrery-$command.1; has orrery.1 "^\.BR orrery..$command (1)"
    sed -n '/^\.SH OPTIONS/,$p' orrery-$command.1 | grep '^\\fB' |
        grep -oE -- '\\-\\-[a-z]+(\\-[a-z]+)*' | sed 's/\\//g' | sort -u >options.man
    diff options options.man || fail "man page of $command"
    complete_line orrery "$command" -- | sort -u >options.completed
    diff options options.completed || fail "completion of $command"
    expect 0 "$orrery" help "$command"; diff out help.$command >/dev/null || fail "help $command"
    expect 2 "$orrery" "$command" --no-such-option; empty out; said 'unknown option'
    expect 2 "$orrery" "$command" -Z; said 'unknown option'
    grep -oE '^ +-., +--[a-z-]+' help.$command | tr -d ',' >>letters
done

# a letter means the same in every command, and so has a name one letter: what is written, how many
meaning() { sed -E 's/--(out|output|vectors)$/--vectors/; s/--(batch|count)$/--batch/'; }
sed 's/^ *//; s/  */ /' letters | meaning | sort -u >meanings
cut -d' ' -f1 meanings | uniq -d >twice
[[ ! -s twice ]] || fail "letters that mean two things: $(grep -Ff twice meanings | tr '\n' ' ')"
[[ $(wc -l <meanings) -ge 15 ]] || fail "few letters: $(cat meanings)"

# completion
[[ $(complete_line orrery he) == $'heev\nheevj\nhegv\nhelp' ]] || fail "commands: $(complete_line orrery he)"
[[ $(complete_line orrery heevj --uplo L) == L ]] || fail "choices"
[[ $(complete_line orrery heevj --uplo = U) == U ]] || fail "choices after ="
[[ $(complete_line orrery syevj --val) == --values ]] || fail "alias"
[[ $(complete_line orrery heevj --method auto,bl) == auto,block ]] || fail "lists"
mkdir sub; touch 'a b.npy' b.dat b.mtx
[[ $(complete_line orrery heevj '') == $'a b.npy\nb.mtx\nsub' ]] ||
    fail "files: $(complete_line orrery heevj '')"
touch p.yaml
[[ $(complete_line orrery study r) == $'report\nrun' ]] || fail "words: $(complete_line orrery study r)"
[[ $(complete_line orrery study run '') == $'sub\np.yaml' || $(complete_line orrery study run '') == $'p.yaml\nsub' ]] ||
    fail "files after a word: $(complete_line orrery study run '')"
[[ $(complete_line orrery heevj --json b.d) == b.dat ]] || fail "files of options"

# the man pages
command -v mandoc >/dev/null || echo 'SKIPPED: mandoc is not here, nobody else has read the man pages'
for page in orrery*.1; do
    if command -v groff >/dev/null; then
        expect 0 groff -man -ww -Tutf8 $page; empty err
    fi
    if command -v man >/dev/null; then
        LC_ALL=C.UTF-8 man --warnings -l $page >page 2>warnings || fail "man -l $page"
        [[ -s page ]] && empty warnings
    fi
    if command -v mandoc >/dev/null; then # a page without a date is the same from every build
        mandoc -T lint -W warning $page | grep -v 'missing date' >lint
        empty lint
    fi
done
has orrery.1 'EXIT STATUS'

# wrong command lines: exit 2, nothing on stdout, a reason
wrong() { local reason=$1; shift; expect 2 "$orrery" heevj "$@"; empty out; said "$reason"; }
"$tool" make a.npy d 2 3 random; cp a.npy b.npy
wrong 'a FILE is needed'
wrong "did you mean '--values'" --vlaues w.npy a.npy
wrong 'needs a value' a.npy --values
wrong 'needs a value' a.npy -w
wrong 'takes no value' a.npy --check=yes
wrong 'is empty' a.npy --values=
wrong 'list of sizes' --n 8:4:1
wrong 'list of sizes' --n 8,,9
wrong 'list of sizes' --n 1:2:3:4
wrong 'list of sizes' --n 1:9:0
wrong 'list of sizes' --n 0:-9223372036854775808:-1
wrong 'list of sizes' --n -9223372036854775807:9223372036854775807
wrong 'list of sizes' --n nan
wrong 'list of sizes' --n 0x10
wrong 'list of sizes' --n 1.5
wrong 'list of sizes' --n 8 --batch 1e30
wrong 'between' --n 100k
wrong 'between' --n -1
wrong 'an integer' --n 8 --repeat many
wrong 'between' --n 8 --repeat 0
for tol in nan inf 0x1p-30 1e400 ' 1e-9' 1e-9x; do wrong 'a number' --n 8 --tol "$tol"; done
wrong 'tol: -0.5 is not between 0 and 1' --n 8 --tol -0.5
wrong 'tol: 0 is not above 0' --n 8 --tol 0
wrong 'tol: 1e-999 is not above 0' --n 8 --tol 1e-999
wrong 'an integer' --n 8 --repeat 1e-400
wrong 'not one of' --n 8 --type q
wrong "did you mean 'random'" --n 8 --kind randm
wrong 'list of words' --n 8 --type d,
wrong "did you mean 'd'" --n 8 --type D; wrong 'not one of s|d|c|z$' --n 8 --type x
wrong "'x' is not one of N|V$" --n 8 --jobz x; wrong "did you mean 'V'" --n 8 --jobz v
wrong 'belong to a benchmark' a.npy --n 3
for command in heev heevj gesvd gesvj; do
    kind=random; [[ $command == gesv? ]] && kind=gaussian # the first, which is also the default
    expect 2 "$orrery" $command a.npy --kind $kind; said 'kind.* belong to a benchmark'
done
wrong 'belong to FILEs' --n 3 --values w.npy
wrong 'take one value' a.npy --type s,d
wrong 'contradicts' a.npy --vectors v.npy --jobz N
for method in lapack jacobi,lanes; do wrong 'only --method jacobi' --n 8 --accuracy relative --method $method; done
wrong 'only --method jacobi' a.npy --accuracy relative --method block --explain
printf '1 1 1 1\n1 1 1 1\n1 1 1 1\n' >band.txt
expect 2 "$orrery" hb2st band.txt --columns 1; said '--columns 1: band 2 needs at least 2'
wrong 'written twice' a.npy b.npy --values w.npy
wrong 'written twice' a.npy --values x.npy --vectors x.npy
wrong 'written twice' a.npy --values x.npy --info x.npy
wrong 'is an input' a.npy --values a.npy
wrong 'is an input' a.npy b.npy --info b.npy
ln -s a.npy link.npy
wrong 'is an input' link.npy --values ./a.npy
cp a.npy z.npz; cp a.npy z.NPZ # archives: refused by their names, before anything is read
for output in --info --json --csv; do wrong 'z.npz is an input' b.npy z.npz:x $output ./z.npz; done
wrong 'z.NPZ is an input' z.NPZ:x --json z.NPZ
for records in --json --csv; do wrong 'a.npy is an input' a.npy $records a.npy; done
ln -s a.npy in.svg; wrong 'in.svg is an input' a.npy --trace in.svg
# nor by another output: of files that do not exist yet, too
ln -s later.npy dangling.npy; mkdir -p sub; ln -s . sub/here
for pair in "--values x.npy --vectors ./x.npy" "--values x.npy --vectors sub/../x.npy" \
    "--values sub/x.npy --vectors sub/here/x.npy" "--values $PWD/x.npy --info x.npy" \
    "--values later.npy --vectors dangling.npy"; do
    wrong 'written twice' a.npy $pair
done
for pair in "--values x.npy --json x.npy" "--vectors x.npy --csv ./x.npy" "--info x.csv --csv x.csv" \
    "--values x.csv --trace x.csv" "--trace x.json --json ./x.json" "--csv x.csv --trace sub/../x.csv" \
    "--values {}x.npy --json ax.npy" "--json later.npy --values dangling.npy"; do
    wrong 'names the same file' a.npy $pair
done
wrong 'names the same file' a.npy b.npy --values w-{i}.npy --json w-1.npy
[[ -e x.npy || -e later.npy ]] && fail "an output was made"
rm dangling.npy; rm -r sub
wrong 'two kinds of records' --n 3 --json r --csv r
wrong 'only one output' a.npy --values - --json -
wrong 'only one output' a.npy --values - --vectors -
wrong 'ends neither' a.npy --trace t.xyz
wrong 'no scheduling policy' --n 4 --sched no-such-policy
expect 77 "$orrery" heevj --n 4 --ref cusolver
expect 5 "$orrery" heevj --n 100 --batch 1k --max-memory 1Mi; said '1 MiB'
expect 5 "$orrery" heevj --n 1024 --batch 1e9; said PiB
expect 2 "$orrery" info file; expect 2 "$orrery" doctor file
# options that would say nothing are refused, not ignored
nothing() { local why=$1; shift; expect 2 "$orrery" "$@"; empty out; said "means nothing $why"; }
printf '0 1\n1 2\n2 0\n3 1\n' >links.txt
for command in heev heevj gesvd gesvj; do
    nothing 'with a FILE' $command a.npy --seed 3
    nothing 'in a benchmark' $command --n 4 --all
done
nothing 'with a FILE' hegv a.npy b.npy --seed 3; nothing 'with a FILE' pagerank links.txt --seed 3
for command in hbev hb2st gb2bd; do nothing 'with a FILE' $command band.txt --seed 3; done
for option in --all --bench --check '--repeat 2' '--seed 3' --at-once; do nothing 'with --stream' gesvj --stream $option; done
for option in --at-once '--in-flight 2'; do nothing 'with a FILE' gesvj a.npy $option; done
nothing 'with --at-once' gesvj --n 4 --at-once --in-flight 2
nothing 'without --compare' powm links.txt --steps 3; nothing 'without --bench' pagerank links.txt --steps 3
for option in --all '--tol 1e-3' '--method power' '--basis 30' '--max-products 9'; do
    nothing 'with --compare' powm links.txt --compare $option
done
for option in '--vectors x.npy' '--top 3' '--tol 1e-3' '--personal p.txt' '--dangling none' '--max-steps 9' '--extrapolate no'; do
    nothing 'with --bench' pagerank links.txt --bench $option
done
for command in powm pagerank; do expect 2 "$orrery" $command links.txt --check; said "no option '--check'; every result is checked"; done
expect 2 "$orrery" heevj --n 4,8 --mixed --explain; said 'not --mixed'

# files that options name are inputs, too
printf '0 0\n1 1\n' >k.txt; printf '1\n2\n1\n1\n' >p.txt; ln -s p.txt same.txt; cp k.txt k; cp p.txt p
for option in --vectors --values; do expect 2 "$orrery" powm links.txt --kron k.txt $option ./k.txt; said 'k.txt is an input'; done
expect 2 "$orrery" pagerank links.txt --kron k.txt --vectors k.txt; said 'k.txt is an input'
expect 2 "$orrery" pagerank links.txt --personal p.txt --vectors same.txt; said 'same.txt is an input'
cmp k k.txt && cmp p p.txt || fail 'an input was written'

# lists are looked at whole before the first run
whole() { local code=$1 why=$2; shift 2; expect $code "$orrery" "$@" --repeat 1; empty out; said "$why"; [[ $(wc -l <err) -le 3 ]] || fail "more than the reason: $(cat err)"; }
for command in heev heevj hegv gesvd gesvj; do whole 5 'max-memory allows 1 MiB' $command --n 8,1000 --max-memory 1Mi; ! grep -q 'out of memory' err || fail "$command: told twice"; done
for command in hbev hb2st gb2bd; do whole 5 'max-memory allows 1 MiB' $command --n 8,30000 --band 4 --max-memory 1Mi; done
whole 5 'max-memory' heevj --n 8 --batch 4,40000 --max-memory 1Mi
whole 5 'max-memory' gesvj --n 8 --count 4,40000 --max-memory 1Mi
whole 2 'too large' gesvj --n 8,9000
whole 2 'no scheduling policy' heev --n 8 --sched lws,lsw
expect 0 "$orrery" heev --n 8,16 --repeat 1 --explain --max-memory 100; has out refused
finish
