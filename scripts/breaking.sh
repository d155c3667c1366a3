#!/usr/bin/env bash
# Whether clients of an earlier state of the repository would still understand
# proto/: buf breaking against
#   the newest tag that this commit builds on; or
#   the commit at which this branch left origin/main, or else main; or
#   the state before the last change of proto/, committed or not.
# The first of these that there is and that is not this commit itself. Needs no
# network, and in a clone without history it says that there is nothing to
# compare with. A change that breaks clients on purpose raises wire.Protocol
# (proto/wire/client.go, web/sdk/src/net/protocol.ts): then it is listed and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

commit() { git rev-parse --quiet --verify "$1^{commit}" 2>/dev/null; }
version() { sed -n 's/^const Protocol = \([0-9]*\).*/\1/p'; }

head=$(commit HEAD) || { echo "no commit yet: nothing to compare with"; exit 0; }
ref='' what=''
try() { # NAME COMMIT: takes the first that exists and is another than this
  [ -z "$ref" ] && [ -n "$2" ] && [ "$2" != "$head" ] || return 0
  ref=$2 what=$1
}
for from in HEAD HEAD~1; do
  tag=$(git describe --tags --abbrev=0 "$from" 2>/dev/null) && try "tag $tag" "$(commit "$tag")"
done
for base in origin/main main; do
  try "where this branch left $base" "$(git merge-base "$base" HEAD 2>/dev/null || true)"
done
if [ -z "$ref" ]; then
  if [ -n "$(git status --porcelain -- proto/fogkeep)" ]; then
    ref=$head what="HEAD, with changes that are not committed"
  else
    last=$(git log -1 --format=%H -- proto/fogkeep)
    try "before the last change of proto/" "$(commit "${last:-HEAD}~1" || true)"
  fi
fi
if [ -z "$ref" ]; then
  echo "the clone has no history before the last change of proto/: nothing to compare with"
  exit 0
fi
echo "against ${ref:0:12} ($what)"

old=$(mktemp -d)
trap 'rm -rf "$old"' EXIT
git archive "$ref" -- proto/fogkeep proto/wire/client.go | tar -x -C "$old"
cp buf.yaml "$old" # the rules of today
if out=$(web/node_modules/.bin/buf breaking --against "$old" 2>&1); then
  exit 0
fi
printf '%s\n' "$out"
was=$(version <"$old/proto/wire/client.go") now=$(version <proto/wire/client.go)
if [ "$now" -gt "$was" ]; then
  echo "wire.Protocol went from $was to $now: on purpose"
  exit 0
fi
echo "clients of that state would break: keep names and numbers (reserve those that go), or raise wire.Protocol"
exit 1
