#!/usr/bin/env bash
# Says which tool is missing or too old, and what to do. Installs nothing.
set -euo pipefail

at_least() { # have want
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1)" = "$2" ]
}

for tool in "$@"; do
  case $tool in
    go)
      command -v go >/dev/null || { echo "fogkeep: Go is missing: install Go 1.26 or later from https://go.dev/dl" >&2; exit 1; }
      have=$(go env GOVERSION | sed 's/^go//; s/[ -].*//')
      at_least "$have" 1.26 || { echo "fogkeep: Go $have is too old: 1.26 or later is needed" >&2; exit 1; } ;;
    node)
      command -v node >/dev/null && command -v npm >/dev/null || { echo "fogkeep: Node.js is missing: install Node 20 or later with npm" >&2; exit 1; }
      have=$(node --version | sed 's/^v//')
      at_least "$have" 20 || { echo "fogkeep: Node $have is too old: 20 or later is needed" >&2; exit 1; } ;;
    *) echo "need.sh: unknown tool $tool" >&2; exit 2 ;;
  esac
done
