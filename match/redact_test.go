package match

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// redacted writes a journal without an account, and reads it.
func redacted(t *testing.T, from, account string) (path string, raw []byte, changed bool) {
	t.Helper()
	path = t.TempDir() + "/redacted.journal"
	changed, err := journal.RewriteFile(from, path, past.Redactor(account, "deleted"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, raw, changed
}

// TestRedactor: a journal without one of its accounts has no data of the redacted account, all data of the others, and
// plays to the same answers and hashes.
func TestRedactor(t *testing.T) {
	t.Parallel()
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true, Payer: spec.Payer{Account: "account0"},
		Seats: []SeatSpec{{Name: "Adelaide", Team: 0, Account: "account0"}, {Name: "Bertram", Team: 1, Start: 1, Account: "account1"}},
	}
	a := startServiceHarness(t, spec, Config{})
	c, other := a.join(0), a.join(1)
	run := func(ticks int) {
		for range ticks {
			a.tick()
			for _, x := range []*pipeClient{c, other} {
				for len(x.pipe.(*link.PipeEnd).In) > 0 {
					x.read()
				}
			}
		}
	}
	run(20)
	c.send(&pb.ClientFrame{Says: []*pb.Say{{Text: "words of Adelaide", Seq: 1, All: true}}})
	run(30)
	other.send(&pb.ClientFrame{Says: []*pb.Say{{Text: "words of Bertram", Seq: 1, All: true}}})
	c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: c.mine("worker")})
	run(60)
	a.ask(func() error { return a.service.Abort(t.Context(), matchID, "enough") })
	past := a.dir.Path(matchID)
	a.until(func() bool { past = a.dir.Path(matchID); return strings.Contains(past, "past") })

	path, raw, changed := redacted(t, past, "account0")
	if !changed {
		t.Error("nothing was changed")
	}
	for _, word := range []string{"Adelaide", "account0"} {
		if bytes.Contains(raw, []byte(word)) {
			t.Errorf("it still says %q", word)
		}
	}
	for _, word := range []string{"Bertram", "words of Bertram", "account1", "deleted"} {
		if !bytes.Contains(raw, []byte(word)) {
			t.Errorf("it does not say %q any more", word)
		}
	}
	sums := func(path string) (out []uint64) {
		t.Helper()
		_, _, err := journal.Replay(func(each func(uint64, []byte) error) error { _, err := journal.ReadFile(path, each); return err },
			func(w *sim.World, _ sim.Outcome) error { out = append(out, w.Hash()); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before, after := sums(past), sums(path)
	if len(before) < 100 || len(before) != len(after) || before[len(before)-1] != after[len(after)-1] {
		t.Errorf("%d ticks to %x, redacted %d to %x", len(before), before[len(before)-1], len(after), after[len(after)-1])
	}
	if _, _, changed := redacted(t, path, "account0"); changed {
		t.Error("a second time something is changed")
	}
	if _, same, changed := redacted(t, past, "account9"); changed || !bytes.Equal(same, readFile(t, past)) {
		t.Error("somebody who did not play is taken out")
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestRedactorOfTakenSeats: of a seat that changed hands, each holder's words are its
// own.
func TestRedactorOfTakenSeats(t *testing.T) {
	setup := sim.Setup{Map: flatMap(48), Rules: shipped(t), Seed: 7, TickRate: 20, Players: []sim.Player{{Team: 0}, {Team: 1, Start: 1}}}
	extra, err := json.Marshal(spec.Setting{Seats: []SeatSpec{{Name: "Adelaide", Account: "a"}, {Name: "Bertram", Account: "b", Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	records, err := journal.SetupRecords(journal.Header{Match: matchID, Extra: extra}, setup)
	if err != nil {
		t.Fatal(err)
	}
	say := func(tick grid.Tick, slot grid.Slot, text string) sim.Input {
		return sim.Input{Kind: sim.InputChat, Slot: slot, Seq: uint32(tick), All: true, Text: text}
	}
	for i, in := range [][]sim.Input{
		{say(1, 0, "first of a")},
		{{Kind: sim.InputTaken, Slot: 0, Seq: 1, Text: sim.TakenText("c", "Cecilia")}, say(2, 0, "first of c"), say(2, 1, "first of b")},
		{{Kind: sim.InputTaken, Slot: 0, Seq: 2, Text: sim.TakenText("a", "Adelaide")}, say(3, 0, "second of a")},
		{say(4, 200, "of nobody")},
	} {
		records = append(records, journal.AppendTick(nil, &journal.Tick{Tick: grid.Tick(i + 1), Inputs: in}))
	}
	for _, c := range []struct {
		account   string
		gone, has []string
	}{
		{"a", []string{"Adelaide", "of a"}, []string{"Bertram", "Cecilia", "first of c", "first of b", "of nobody"}},
		{"b", []string{"Bertram", "of b"}, []string{"Adelaide", "first of a", "second of a", "Cecilia", "first of c"}},
		{"c", []string{"Cecilia", "of c"}, []string{"Adelaide", "first of a", "second of a", "Bertram", "first of b"}},
	} {
		change := past.Redactor(c.account, "gone")
		var out bytes.Buffer
		for n, rec := range records {
			rec, err := change(uint64(n), rec)
			if err != nil {
				t.Fatal(err)
			}
			if n != 1 && n != 2 {
				out.Write(rec)
			}
		}
		for _, word := range c.gone {
			if strings.Contains(out.String(), word) {
				t.Errorf("without %s it says %q", c.account, word)
			}
		}
		for _, word := range c.has {
			if !strings.Contains(out.String(), word) {
				t.Errorf("without %s it does not say %q", c.account, word)
			}
		}
	}
	if _, err := past.Redactor("a", "gone")(0, []byte("Xno setup")); err == nil {
		t.Error("something else is a journal")
	}
}
