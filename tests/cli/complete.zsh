# complete.zsh FILE LINE: the completions that zsh offers for the line, one per line. A zsh of its own
# in a pseudo-terminal, whose compadd tells what it is given.
zmodload zsh/zpty || exit 99
zpty shell zsh -f -i
zpty -w shell "PS1=; PS2=; stty -echo; exec 2>/dev/null; autoload -U compinit && compinit -u -D"
zpty -w shell "source $1; cd files; zstyle ':completion:*' verbose no; setopt no_rc_expand_param"
zpty -w shell 'compadd() {
  local -a told
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    builtin compadd -O told "$@"
    (( $#told )) && printf "%s\n" "$told[@]" >>../hits
  fi
  builtin compadd "$@"
}
end_of_it() { compstate[insert]=; compstate[list]=; echo "<end>" >>../hits }
comppostfuncs=(end_of_it)'
: >hits
zpty -w -n shell "$2"$'\t'
for i in {1..100}; do
    grep -q '<end>' hits && break
    sleep 0.1
done
zpty -d shell
grep -v '<end>' hits
