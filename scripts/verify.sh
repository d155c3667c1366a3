#!/usr/bin/env bash
# Formatting, lint, that what is generated is what the sources give, and that
# the protocol breaks no client.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
step() { printf '%-32s' "$1"; shift
  if out=$("$@" 2>&1); then echo ok; else failed=1; echo FAILED; printf '%s\n' "$out" | sed 's/^/    /'; fi; }

formatted() { local out; out=$(git ls-files '*.go' | xargs gofmt -l); [ -z "$out" ] || { echo "run make fmt:"; echo "$out"; return 1; }; }
tidy() { go mod tidy -diff; }

# Generated code is made anew in a copy of the tree, so that a check changes
# nothing of what it checks.
fresh() {
  local copy; copy=$(mktemp -d)
  trap 'rm -rf "$copy"' RETURN
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' f; do [ -e "$f" ] && printf '%s\0' "$f"; done |
    tar --null -T - -cf - | tar -C "$copy" -xf -
  ln -s "$PWD/web/node_modules" "$copy/web/node_modules"
  (cd "$copy" && find proto/fogkeepv1 web/src/gen web/sdk/src/gen -type f -delete && web/node_modules/.bin/buf generate && go generate ./...) || return 1
  rm "$copy/web/node_modules"
  local stale=0
  while IFS= read -r -d '' f; do
    cmp -s "$f" "$copy/$f" || { echo "stale: $f (run make gen)"; stale=1; }
  done < <(git ls-files -z --cached --others --exclude-standard)
  while IFS= read -r f; do
    [ -e "$f" ] || { echo "not committed: $f (run make gen)"; stale=1; }
  done < <(cd "$copy" && find proto web/src/gen web/sdk/src/gen match docs -type f)
  return $stale
}

step "go: formatted" formatted
step "go: go.mod tidy" tidy
step "go: vet" go vet ./...
for mod in examples/*/go.mod; do
  example=${mod%go.mod}
  step "$example: go.mod tidy (make gen)" go -C "$example" mod tidy -diff
done
step "go: staticcheck" go tool -modfile=internal/tools/lint/go.mod staticcheck ./...
step "alerts and dashboards: queries" go -C internal/tools/lint run ./promql ../../../examples/monitoring
for target in windows/amd64 darwin/arm64 linux/arm64; do
  step "go: builds for $target" env GOOS="${target%/*}" GOARCH="${target#*/}" CGO_ENABLED=0 go build -o /dev/null ./cmd/fogkeep ./cmd/fogkeep-bench
done
step "proto: lint" web/node_modules/.bin/buf lint
step "proto: breaks no client" ./scripts/breaking.sh
step "web: lint and format" npm --prefix web run --silent lint
step "web: types" npm --prefix web run --silent typecheck
step "generated code is fresh" fresh
step "reference of the SDK builds" make --no-print-directory docs
step "vectors are fresh" go test ./visibility ./match ./match/view ./proto/wire ./lobby/api ./cmd/fogkeep/server ./internal/docs -run '^(TestOpenAPIFiles?|TestVectors|TestVectorsCoverTheSchema|TestMotionVectors|TestTrafficVectors|TestPageHas.*)$'
exit $failed
