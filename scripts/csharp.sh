#!/usr/bin/env bash
# Compiles the C# client library, its examples, those of the README's tables and its tests with
# Mono, and runs the tests: they print TAP. Arguments are parts of the names of tests; without any, all run.
# The live tests need the server's binary: bin/fogkeep, or $FOGKEEP_BIN.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v mcs >/dev/null && command -v mono >/dev/null ||
  { echo "fogkeep: mcs and mono are missing (Debian: mono-mcs mono-runtime libmono-system-core4.0-cil libmono-system-net-http4.0-cil)" >&2; exit 1; }

out=bin/csharp
mkdir -p "$out"
compile() { mcs -nologo -langversion:7.2 -warnaserror -debug -r:System.Core.dll -r:System.Net.Http.dll "$@"; }

mapfile -t sources < <(find proto/csharp/src -name '*.cs' | sort)
compile -target:library -doc:"$out/Fogkeep.Client.xml" -nowarn:1591 -out:"$out/Fogkeep.Client.dll" "${sources[@]}"
mapfile -t examples < <(find proto/csharp/examples proto/csharp/tests/standins -name '*.cs' | sort)
compile -target:library -nowarn:0649 -out:"$out/Fogkeep.Client.Examples.dll" -r:"$out/Fogkeep.Client.dll" "${examples[@]}"
{
  echo 'using System; using System.Collections.Generic; using System.Threading.Tasks; using Fogkeep; using Fogkeep.Wire;
public static class Calls {
    public static async Task All(LobbyClient lobby, Lobby made, Standing standing, Match match, Replay replay, Entity entity, uint[] units, int x, int y, string id, string jwt, double now) {'
  sed -n -E 's/^\| `\w+` \| [^|]+ \| `(.*)` \|$/        { \1 }/p' proto/csharp/README.md
  echo '    }
}'
} > "$out/Calls.cs"
compile -target:library -nowarn:0219 -out:"$out/Calls.dll" -r:"$out/Fogkeep.Client.dll" "$out/Calls.cs"
compile -out:"$out/Fogkeep.Client.Tests.exe" -r:"$out/Fogkeep.Client.dll" -r:"$out/Fogkeep.Client.Examples.dll" proto/csharp/tests/*.cs
exec mono --debug "$out/Fogkeep.Client.Tests.exe" . "$@"
