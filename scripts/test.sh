#!/usr/bin/env bash
# Everything that `make test` does: installs what is missing from Debian's
# packages, builds the pages and the binary, and runs every suite. What the
# suites start (PostgreSQL, servers, browsers), they stop.
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/need.sh go node

# --- what Debian has and this machine may not -------------------------------
missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev) # the race detector links with it
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v curl >/dev/null || missing+=(curl)       # commands of the docs
command -v openssl >/dev/null || missing+=(openssl)
command -v chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
{ command -v mcs && command -v mono && [ -e /usr/lib/mono/4.5/System.Net.Http.dll ]; } >/dev/null || # the C# client
  missing+=(mono-mcs mono-runtime libmono-system-core4.0-cil libmono-system-net-http4.0-cil)
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "fogkeep: ${missing[*]} missing and no sudo: install them, then run this again" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  case " ${missing[*]} " in *" postgresql "*) # the tests make their own throw-away cluster
    "${as_root[@]}" mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
      echo 'create_main_cluster = false' | "${as_root[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null ;;
  esac
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -q && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "fogkeep: could not install ${missing[*]}; the lines above say why" >&2
    exit 1
  fi
  rm -f "$log"
fi

# --- build ------------------------------------------------------------------
# The compiler takes memory in place of time: its garbage collector would run a fifth of it.
GOFLAGS="$(go env GOFLAGS) '-toolexec=env GOGC=400'"
export GOFLAGS
mkdir -p bin artefacts
{ # while npm fetches and vite packs: what needs no page
  go build -modfile=internal/tools/lint/go.mod -o bin/gotestsum gotest.tools/gotestsum
  go build -o bin/testall ./internal/tools/testall
  go build ./lobby/... ./match/...
} &
make --no-print-directory build demo
wait $!

# --- run --------------------------------------------------------------------
exec ./bin/testall
