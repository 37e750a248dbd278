# Completion of lithos for fish.
function __lithos_complete
    set -l words (commandline -opc) (commandline -ct)
    lithos __complete $words[2..-1] 2>/dev/null
end
complete -c lithos -a '(__lithos_complete)'
