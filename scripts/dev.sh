#!/usr/bin/env bash
# Serves with reload: vite serves the pages and passes /api, /maps and /ws on
# to the server, which is built and started anew when a Go file changes.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/need.sh go node

server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; server=; }; }
pages=
trap 'stop; [ -z "$pages" ] || kill "$pages" 2>/dev/null || true' EXIT

(cd web && exec node_modules/.bin/vite --clearScreen false) & pages=$!
stamp() { find . -name node_modules -prune -o \( -name '*.go' -o -name '*.sql' -o -name '*.json' -path './match/*' \) -newer bin/.dev -print -quit 2>/dev/null; }

mkdir -p bin
while true; do
  touch bin/.dev
  if go build -o bin/fogkeep ./cmd/fogkeep; then
    stop
    ./bin/fogkeep serve & server=$!
  fi
  until [ -n "$(stamp)" ]; do
    kill -0 "$pages" 2>/dev/null || exit 1
    sleep 1
  done
done
