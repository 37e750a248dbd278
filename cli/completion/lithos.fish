# Completion of lithos for fish.
function __lithos_complete
    set -l words (commandline -opc) (commandline -ct)
    lithos __complete $words[2..-1] 2>/dev/null
end
complete -c lithos -f -a '(__lithos_complete)'
# Files where nothing else is offered.
complete -c lithos -n 'test (count (__lithos_complete)) -eq 0' -F
