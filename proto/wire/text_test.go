package wire

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A line of chat that has what nobody can see is malformed, by the rule that
// lobbies have too.
func TestChatIsPlain(t *testing.T) {
	for text, kept := range map[string]bool{
		"hello": true, "\u0645\u0631\u062d\u0628\u0627": true, "a\x00b": false, "\u202egnp.exe": false, "\u2066x": false, "\u0378": false, "\u200b": false,
	} {
		raw, err := proto.Marshal(&pb.ClientFrame{Says: []*pb.Say{{Seq: 1, Text: text}}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := DecodeClient(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Inputs[0].Text; (got == text) != kept || !kept && got != "" {
			t.Errorf("%q became %q", text, got)
		}
	}
}
