# Completion of lithos for bash.
_lithos() {
    local line value
    local IFS=$'\n'
    COMPREPLY=()
    # Words are handed on as typed up to the cursor; a --flag=value that bash
    # has split at "=" is joined again.
    local words=() i word
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == "=" && ${#words[@]} -gt 0 ]]; then
            words[${#words[@]}-1]+="="
            if ((i < COMP_CWORD)); then
                ((i++))
                words[${#words[@]}-1]+=${COMP_WORDS[i]}
            fi
        else
            words+=("$word")
        fi
    done
    local current=${words[${#words[@]}-1]}
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        # readline replaces only what follows the last "=".
        [[ $current == --*=* && $value == --*=* ]] && value=${value#*=}
        COMPREPLY+=("$(printf '%q' "$value")")
    done < <(lithos __complete "${words[@]}" 2>/dev/null)
    # A single candidate that ends in "=" waits for its value.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}
complete -o default -F _lithos lithos
