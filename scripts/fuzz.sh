#!/usr/bin/env bash
# Runs each fuzz target of the module for FUZZTIME, one after another.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-20s}
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' . | grep -v node_modules | sort | while read -r f; do
  pkg=./$(dirname "${f#./}")
  grep -ohE '^func Fuzz[A-Za-z0-9_]+' "$f" | sed 's/^func //' | while read -r target; do
    echo "== $pkg $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
  done
done
