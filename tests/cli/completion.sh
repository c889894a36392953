#!/usr/bin/env bash
# Completion by the shells themselves: options of every command, and values, which orrery is asked
# for while one types. bash is in usage.sh.
# SPDX-License-Identifier: BSD-3-Clause
here=$(realpath "${BASH_SOURCE%/*}")
source "$here/common.sh"

mkdir bin files; ln -s "$(realpath "$orrery")" bin/orrery; PATH=$PWD/bin:$PATH
touch files/a.npy files/b.dat files/t.html
commands=$(orrery --help | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
options() { orrery "$1" --help | grep -oE '^ +(-.,)? +--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

# what they ask for
expect 0 orrery --complete sched; grep -qx lws out || fail 'policies'
expect 0 orrery --complete machines; cp out machines
expect 0 orrery --complete models; cp out models
expect 2 orrery --complete no-such-words

# the words of a line that ends in a tab, by each shell
with_fish() { fish --no-config -c "source fish; cd files; complete -C '$1'" 2>>err.fish | cut -f1 | sort; }
with_zsh() { zsh -f "$here/complete.zsh" zsh "$1" 2>>err.zsh | sort -u; }

check_shell() { # SHELL
    local shell=$1 with=with_$1
    expect 0 orrery --completion $shell; cp out $shell
    for command in $commands; do
        options $command >wanted
        $with "orrery $command --" | grep -oE -- '^--[a-z-]+' | sort -u >got
        diff wanted got >differ || { fail "$shell, options of $command"; cat differ; }
    done
    [[ $($with 'orrery heev --uplo ' | tr '\n' ' ') == 'L U ' ]] || fail "$shell: choices: $($with 'orrery heev --uplo ')"
    $with 'orrery heev --sched dmd' | grep -qx dmdas || fail "$shell: policies"
    $with 'orrery heevj --type s,' | grep -q 's,d\|^d$' || fail "$shell: lists"
    [[ $($with 'orrery models ch') == check ]] || fail "$shell: words"
    $with 'orrery syev --rang' | grep -qe --range || fail "$shell: an alias"
    $with 'orrery hee' | grep -qx heevj || fail "$shell: commands"
    while read -r model; do
        $with "orrery models show $model" | grep -qx "$model" || fail "$shell: models"
        break
    done <models
    $with 'orrery heev ' | grep -q 'a.npy' || fail "$shell: files"
    ! $with 'orrery heev ' | grep -q 'b.dat\|t.html' || fail "$shell: files of other kinds"
    $with 'orrery heev --trace ' | grep -q 't.html' || fail "$shell: files of an option"
    $with 'orrery --completion ' | grep -qx fish || fail "$shell: main options"
}
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        check_shell $shell
        [[ ! -s err.$shell ]] || { fail "$shell says"; head -5 err.$shell; }
    else
        echo "SKIPPED: $shell is not here, its completion is not tried"
    fi
done
finish
