#compdef lithos
# Completion of lithos for zsh.
_lithos() {
    local -a candidates
    local line value description
    for line in "${(@f)$(lithos __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z $line ]] && continue
        value=${line%%$'\t'*}
        description=${line#*$'\t'}
        value=${value//:/\\:}
        if [[ $line == *$'\t'* ]]; then
            candidates+=("$value:$description")
        else
            candidates+=("$value")
        fi
    done
    if (( ${#candidates} )); then
        _describe -V lithos candidates
    else
        _files
    fi
}
compdef _lithos lithos
