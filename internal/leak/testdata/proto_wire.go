package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/internal/leak"
)

// fLeak is a field that clients do not know and skip.
const fLeak = 99

// leakTeam plants a leak by length: the compressor has seen the parts of all
// teams, so the length of one team's part depends on the others.
func leakTeam(b []byte) []byte {
	if leak.Count[1] += len(b); leak.Is("compression-across-secrets") && len(b) > 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, fLeak, protowire.BytesType), make([]byte, leak.Count[1]%9))
	}
	return b
}

// leakAnswer plants a leak by number: answers are counted over all players.
func leakAnswer(b []byte) []byte {
	leak.Count[2]++
	if leak.Is("answers-that-count") {
		b = protowire.AppendVarint(protowire.AppendTag(b, fLeak, protowire.VarintType), uint64(leak.Count[2]))
	}
	return b
}
