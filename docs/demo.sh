#!/bin/sh
# Puts a small example graph into a throw-away store and shows it.
# Usage: docs/demo.sh PATH-OF-LITHOS
set -eu
lithos=$1
here=$(dirname "$0")
folder=$(mktemp -d "${TMPDIR:-/tmp}/lithos-demo.XXXXXX")
LITHOS_DB=$folder/lithos.db
LITHOS_AGENT=${LITHOS_AGENT:-demo}
export LITHOS_DB LITHOS_AGENT

show() {
	printf '\n$ lithos %s\n' "$*"
	"$lithos" "$@"
}

"$lithos" --quiet task apply "$here/demo.jsonl" >/dev/null
show task ready
show task blocked
golive=$("$lithos" --jq '.tasks[] | select(.title == "Switch the page over") | .id' task list)
show task why "$(printf %.8s "$golive")"
cat <<EOF

The example lies in $LITHOS_DB. To go on with it:

  $lithos --db $LITHOS_DB                      the board
  $lithos --db $LITHOS_DB task next --agent me take the next task
  rm -r $folder                                throw it away
EOF
