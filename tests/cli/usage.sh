#!/usr/bin/env bash
# Help, man page, completion and refusal of wrong command lines.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"

expect 0 "$orrery" --help; cp out help; empty err
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p' help)
[[ $(wc -w <<<"$commands") -ge 3 ]] || fail "commands: $commands"
expect 0 "$orrery" --version; has out '^orrery [0-9]'
expect 0 "$orrery" --man; cp out orrery.1
expect 0 "$orrery" --completion bash; cp out completion
expect 2 "$orrery"; empty out
expect 2 "$orrery" --versoin; said "did you mean '--version'"
expect 2 "$orrery" --completion fish
expect 2 "$orrery" hevj; said "did you mean 'heevj'"

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
    sed -n "/^\.SS orrery $command\$/,/^\.S[SH] /p" orrery.1 | grep '^\\fB' |
        grep -oE -- '\\-\\-[a-z]+(\\-[a-z]+)*' | sed 's/\\//g' | sort -u >options.man
    diff options options.man || fail "man page of $command"
    complete_line orrery "$command" -- | sort -u >options.completed
    diff options options.completed || fail "completion of $command"
    expect 0 "$orrery" help "$command"; diff out help.$command >/dev/null || fail "help $command"
    expect 2 "$orrery" "$command" --no-such-option; empty out; said 'unknown option'
    expect 2 "$orrery" "$command" -Z; said 'unknown option'
done

# completion
[[ $(complete_line orrery he) == $'heev\nheevj\nhelp' ]] || fail "commands: $(complete_line orrery he)"
[[ $(complete_line orrery heevj --uplo L) == L ]] || fail "choices"
[[ $(complete_line orrery heevj --uplo = U) == U ]] || fail "choices after ="
[[ $(complete_line orrery syevj --val) == --values ]] || fail "alias"
[[ $(complete_line orrery heevj --method auto,bl) == auto,block ]] || fail "lists"
mkdir sub; touch 'a b.npy' b.txt b.mtx
[[ $(complete_line orrery heevj '') == $'a b.npy\nb.mtx\nsub' ]] ||
    fail "files: $(complete_line orrery heevj '')"
[[ $(complete_line orrery heevj --json b.t) == b.txt ]] || fail "files of options"

# the man page
if command -v groff >/dev/null; then
    expect 0 groff -man -ww -Tutf8 orrery.1; empty err
fi
if command -v man >/dev/null; then
    LC_ALL=C.UTF-8 man --warnings -l orrery.1 >page 2>warnings || fail "man -l"
    [[ -s page ]] && { empty warnings; has page 'EXIT STATUS'; }
fi

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
wrong 'list of sizes' --n nan
wrong 'list of sizes' --n 0x10
wrong 'list of sizes' --n 1.5
wrong 'list of sizes' --n 8 --batch 1e30
wrong 'between' --n 100k
wrong 'between' --n -1
wrong 'an integer' --n 8 --repeat many
wrong 'between' --n 8 --repeat 0
wrong 'a number' --n 8 --tol nan
wrong 'tol: -0.5 is not between 0 and 1' --n 8 --tol -0.5
wrong 'an integer' --n 8 --repeat 1e-400
wrong 'not one of' --n 8 --type q
wrong "did you mean 'random'" --n 8 --kind randm
wrong 'list of words' --n 8 --type d,
wrong 'belong to a benchmark' a.npy --n 3
wrong 'belong to FILEs' --n 3 --values w.npy
wrong 'take one value' a.npy --type s,d
wrong 'contradicts' a.npy --vectors v.npy --jobz N
wrong 'written twice' a.npy b.npy --values w.npy
wrong 'written twice' a.npy --values x.npy --vectors x.npy
wrong 'written twice' a.npy --values x.npy --info x.npy
wrong 'is an input' a.npy --values a.npy
wrong 'is an input' a.npy b.npy --info b.npy
ln -s a.npy link.npy
wrong 'is an input' link.npy --values ./a.npy
for records in --json --csv; do wrong 'a.npy is an input' a.npy $records a.npy; done
ln -s a.npy in.svg; wrong 'in.svg is an input' a.npy --trace in.svg
wrong 'two kinds of records' --n 3 --json r --csv r
wrong 'only one output' a.npy --values - --json -
wrong 'only one output' a.npy --values - --vectors -
wrong 'ends neither' a.npy --trace t.xyz
wrong 'no scheduling policy' --n 4 --sched no-such-policy
expect 77 "$orrery" heevj --n 4 --ref cusolver
expect 5 "$orrery" heevj --n 100 --batch 1k --max-memory 1Mi; said '1 MiB'
expect 5 "$orrery" heevj --n 1024 --batch 1e9; said TiB
expect 2 "$orrery" info file; expect 2 "$orrery" doctor file
finish
