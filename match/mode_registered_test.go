package match

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// countingMode counts its ticks in its blob, and makes a soldier every second. In a match
// with a score limit it panics.
type countingMode struct{}

func (countingMode) Check(sim.Options) error { return nil }

func (countingMode) Begin(w sim.ModeWorld) error { return w.SetBlob(make([]byte, 4)) }

func (countingMode) Tick(w sim.ModeWorld) {
	if w.Options().ScoreLimit != 0 {
		panic("planted in a mode")
	}
	n := binary.LittleEndian.Uint32(w.Blob()) + 1
	if err := w.SetBlob(binary.LittleEndian.AppendUint32(nil, n)); err != nil {
		panic(err)
	}
	w.AddScore(1, 5)
	if n%20 == 0 {
		w.Spawn(grid.Slot(n/20%2), "soldier", grid.Tile{X: int16(w.Rand(1) % 48), Y: int16(w.Rand(2) % 48)})
	}
}

// openMode is countingMode with scores that all players are shown.
type openMode struct{ countingMode }

func (openMode) OpenScores() {}

// valuedMode shows all players a wave, and each team how long it has held out. In a match
// with a time limit they change seldom, and while all players are there: replays do not
// show absences.
type valuedMode struct{}

func (valuedMode) Check(sim.Options) error { return nil }

func (valuedMode) Values() []sim.ModeValue {
	return []sim.ModeValue{{Name: "wave", Open: true}, {Name: "held"}}
}

func (valuedMode) Areas(*grid.Map) []sim.ModeArea {
	return []sim.ModeArea{{Name: "hill", At: grid.Tile{X: 3, Y: 4}, Radius: 2 * grid.WUPerTile}, {Name: "off the map", At: grid.Tile{X: -1}, Radius: 1}}
}

func (valuedMode) Begin(w sim.ModeWorld) error {
	w.SetValue("wave", grid.NoTeam, 1)
	return nil
}

func (valuedMode) Tick(w sim.ModeWorld) {
	wave, held := grid.Tick(5), w.Tick()%3 == 0
	if w.Options().TimeLimitMs > 0 {
		wave, held = 100, w.Tick()%110 == 10
	}
	w.SetValue("wave", grid.NoTeam, 1+int32(w.Tick()/wave))
	for s := range w.Players() {
		if p, _ := w.Player(grid.Slot(s)); p.Alive && held {
			w.SetValue("held", p.Team, w.Value("held", p.Team)+1+int32(p.Team))
		}
	}
}

func init() {
	sim.RegisterMode("valued", 1, valuedMode{})
	sim.RegisterMode("counting", 2, countingMode{})
	sim.RegisterMode("counting-openly", 1, openMode{})
}

func countingSpec(t *testing.T, scoreLimit int32) Spec {
	t.Helper()
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		ID: matchID, Map: flatMap(48), Rules: rs, Seed: 7, EveryTick: true, Options: sim.Options{Mode: "counting", ScoreLimit: scoreLimit},
		Seats: []SeatSpec{{Name: "player 0", Team: 0}, {Name: "player 1", Team: 1, Start: 1}},
	}
}

// A match of a registered mode comes back after a kill. A program that lacks the mode, or has another version, says so
// by name and leaves the journal as it is.
func TestAMatchOfARegisteredModeComesBack(t *testing.T) {
	t.Parallel()
	a := startServiceHarness(t, countingSpec(t, 0), Config{})
	skirmish(a, 65)
	file := a.killed()
	if b := a.revived(folder(t, map[string][]byte{matchID: file}), Config{}); b.live == nil {
		t.Error("the match is not played on")
	}
	if w, _, err := journal.Replay(reading(folder(t, map[string][]byte{matchID: file}).Path(matchID)), nil); err != nil || w.Tick() < 60 {
		t.Errorf("the replay: %v", err)
	}
	for what, c := range map[string]struct{ from, to, said string }{
		"another version": {`"modeVersion":2`, `"modeVersion":1`, "version 1 of mode"},
		"no version":      {`,"modeVersion":2`, ``, "version 0 of mode"},
		"no such mode":    {`"Mode":"counting"`, `"Mode":"unheard-of"`, "unheard-of"},
	} {
		other := rewritten(t, file, func(n int, rec []byte) []byte {
			if n == 0 {
				if !bytes.Contains(rec, []byte(c.from)) {
					t.Fatalf("%s: the setup is %s", what, rec)
				}
				return bytes.Replace(rec, []byte(c.from), []byte(c.to), 1)
			}
			return rec
		})
		dir := folder(t, map[string][]byte{matchID: other})
		b := a.revived(dir, Config{})
		why, waits := b.service.Waits(matchID)
		b.end()
		if b.live != nil || len(b.clerk.results) != 0 || !waits || !strings.Contains(why.Error(), c.said) {
			t.Errorf("%s: live %v, waits %v: %v", what, b.live != nil, waits, why)
		}
		if left, err := os.ReadFile(dir.Path(matchID)); err != nil || !bytes.Equal(left, other) {
			t.Errorf("%s: the journal was touched: %v", what, err)
		}
		var refused *sim.ModeError
		if _, _, err := journal.Replay(reading(dir.Path(matchID)), nil); !errors.As(err, &refused) {
			t.Errorf("%s: the replay: %v", what, err)
		}
	}
}

// The server tells a mode's score to the player's team in its tick; to the others only if
// the mode shows it to all.
func TestReceiversOfAScore(t *testing.T) {
	t.Parallel()
	for mode, open := range map[string]bool{"counting": false, "counting-openly": true} {
		spec := countingSpec(t, 0)
		spec.Options.Mode = mode
		a := startServiceHarness(t, spec, Config{})
		foe, own := a.join(0), a.join(1)
		for range 3 {
			a.tick()
			f := own.read()
			foe.read()
			if p := own.Replica.Players; !p[0].Scored && open || p[0].Score != 0 || p[1] != (view.Player{State: view.Playing, Scored: true, Score: 5 * int32(own.Replica.Tick)}) {
				t.Errorf("%s, tick %d: the team knows %+v, of %+v", mode, own.Replica.Tick, p, f.Diff.Players)
			}
			if p := foe.Replica.Players; p[1].Scored != open || !p[0].Scored || open && p[1].Score != 5*int32(foe.Replica.Tick) {
				t.Errorf("%s: the others know %+v", mode, p)
			}
		}
	}
}

// The server tells a mode's open value to all in its tick, another value to the team, and
// every value to all with the end.
func TestReceiversOfAValue(t *testing.T) {
	t.Parallel()
	spec := countingSpec(t, 0)
	spec.Options.Mode = "valued"
	a := startServiceHarness(t, spec, Config{})
	foe, own := a.join(0), a.join(1)
	for n := range 9 {
		if n == 8 {
			own.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
		}
		a.tick()
		own.read()
		foe.read()
		now := uint32(own.Replica.Tick)
		if p := own.Replica.Players[1]; p.Valued != 2 || p.Values != [view.ValuesMax]uint32{1 + now/5, 2 * (now / 3)} {
			t.Errorf("tick %d: the team knows %+v", own.Replica.Tick, p)
		}
		if p := foe.Replica.Players[1]; p.Valued != 1 || p.Values != [view.ValuesMax]uint32{1 + uint32(foe.Replica.Tick)/5} {
			t.Errorf("tick %d: the others know %+v", foe.Replica.Tick, p)
		}
	}
	for foe.Ended == nil {
		a.tick()
		foe.read()
	}
	if p := foe.Replica.Players[1]; p.Valued != 2 || p.Values[1] == 0 {
		t.Errorf("at the end the others know %+v", p)
	}
}

// A mode's panic fails its match, and no other.
func TestAPanicOfAModeEndsItsMatch(t *testing.T) {
	a := startServiceHarness(t, countingSpec(t, 9), Config{Linger: time.Nanosecond})
	other := countingSpec(t, 0)
	other.ID = matchID[:len(matchID)-1] + "9"
	if err := a.service.Start(other); err != nil {
		t.Fatal(err)
	}
	c := a.connect(&pb.Hello{Ticket: ticketFor(0)}, 0)
	a.asked()
	if code := a.closed(c); code != "failed" || strings.Contains(c.closing.Text, "planted") {
		t.Errorf("the player is told %v", c.closing)
	}
	if r := <-a.clerk.results; r.Match != matchID || r.Failed != failedInternal {
		t.Errorf("reported %+v", r)
	}
	if live := a.service.Matches(); len(live) != 1 || live[0].ID != other.ID || live[0].State != "running" {
		t.Errorf("live: %+v", live)
	}
}
