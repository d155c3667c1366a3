package match

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The kind "gale" blows each second by itself: it pushes a unit nearby, makes it dizzy and
// counts how often. With a force of 9 it panics.
func init() {
	sim.RegisterAbility(simtest.MoodsName, 1, simtest.Moods)
	sim.RegisterAbility("gale", 2, sim.AbilityKind{
		Passive: true,
		Params:  []rules.Param{{Name: "force", Kind: rules.ParamWhole, Required: true, Default: 1, Min: 1, Max: 9}, {Name: "leaves", Kind: rules.ParamEffect, Required: true}},
		Ready:   func(w sim.UnitWorld) bool { return w.Rand(1)%16 == 0 },
		Start: func(w sim.UnitWorld) {
			if w.Param("force") == 9 {
				panic("planted in an ability")
			}
			for u := range w.All(w.Self().At, 6<<10) {
				if u.Class == rules.ClassUnit && u.ID != w.Self().ID {
					w.Push(u.ID, grid.Vec{X: int32(w.Rand(2)%2048) - 1024, Y: int32(w.Rand(3)%2048) - 1024})
					w.PutEffect(u.ID, w.Param("leaves"))
					break
				}
			}
			count := append(w.Bytes(), 0)
			count[0]++
			if err := w.SetBytes(count[:1]); err != nil {
				panic(err)
			}
		},
	})
	sim.RegisterEffect("dizzy", 1, sim.EffectKind{
		Stacks: 3,
		Modify: func(rules.Params) sim.Modifiers { return sim.Modifiers{Speed: -20, Taken: 10, Regen: 1} },
		Tick:   func(w sim.UnitWorld) { w.Damage(w.Self().ID, int32(w.Count())) },
	})
}

// galeSpec is the shipped ruleset with soldiers who blow.
func galeSpec(t *testing.T, force string) Spec {
	t.Helper()
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	text := string(shipped.Source)
	for old, put := range map[string]string{
		`"effects": [`:          `"effects": [{"name": "spun", "kind": "dizzy", "duration": 2, "every": 0.3},`,
		`"abilities": [` + "\n": `"abilities": [{"name": "blow", "kind": "gale", "force": ` + force + `, "leaves": "spun", "cooldown": 0.5},` + "\n",
		`"weapons": ["rifle"], "abilities": ["rage"]`: `"weapons": ["rifle"], "abilities": ["rage", "blow"]`,
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("the shipped ruleset has %d of %q", strings.Count(text, old), old)
		}
		text = strings.Replace(text, old, put, 1)
	}
	rs, err := rules.Parse("gale.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		ID: matchID, Map: flatMap(48), Rules: rs, Seed: 7, EveryTick: true,
		Seats: []SeatSpec{{Name: "player 0", Team: 0}, {Name: "player 1", Team: 1, Start: 1}},
	}
}

// A match of registered kinds comes back after a kill, hash by hash. A program that lacks a kind, or has another
// version, says so by name and leaves the journal as it is. The result of a finished match is delivered all the same.
func TestAMatchOfRegisteredKindsComesBack(t *testing.T) {
	t.Parallel()
	a := startServiceHarness(t, galeSpec(t, "2"), Config{})
	skirmish(a, 65)
	dizzy := 0
	for _, e := range a.live.world.Entities() {
		dizzy += e.Effects()
	}
	if dizzy == 0 {
		t.Error("nobody is dizzy: that proves little")
	}
	file := a.killed()
	if b := a.revived(folder(t, map[string][]byte{matchID: file}), Config{}); b.live == nil {
		t.Error("the match is not played on")
	}
	replays(t, folder(t, map[string][]byte{matchID: file}), matchID)
	for what, c := range map[string]struct{ from, to, said string }{
		"another version": {`"name":"gale","version":2`, `"name":"gale","version":1`, `version 1 of the kind "gale" of ability`},
		"no such kind":    {`"name":"dizzy"`, `"name":"unheard-of"`, `the kind "unheard-of" of effect`},
	} {
		change := func(n int, rec []byte) []byte {
			if n == 0 {
				if !bytes.Contains(rec, []byte(c.from)) {
					t.Fatalf("%s: the setup is %s", what, rec)
				}
				return bytes.Replace(rec, []byte(c.from), []byte(c.to), 1)
			}
			return rec
		}
		changed := rewritten(t, file, change)
		dir := folder(t, map[string][]byte{matchID: changed})
		b := a.revived(dir, Config{})
		why, waits := b.service.Waits(matchID)
		var refused *sim.KindError
		var other *journal.OtherBuildError
		if err := b.service.TakeOver(t.Context(), matchID, nil); !errors.As(err, &refused) || !errors.As(err, &other) {
			t.Errorf("%s: taken over: %v", what, err)
		}
		b.end()
		if b.live != nil || len(b.clerk.results) != 0 || !waits || !strings.Contains(why.Error(), c.said) {
			t.Errorf("%s: live %v, waits %v: %v", what, b.live != nil, waits, why)
		}
		if left, err := os.ReadFile(dir.Path(matchID)); err != nil || !bytes.Equal(left, changed) {
			t.Errorf("%s: the journal was touched: %v", what, err)
		}
		refused = nil
		if _, _, err := journal.Replay(reading(dir.Path(matchID)), nil); !errors.As(err, &refused) {
			t.Errorf("%s: the replay: %v", what, err)
		}
		over := rewritten(t, file, change, journal.EndedRecord(sim.Result{Tick: 65, Winner: 1, Reason: "last-team"}))
		d := a.revived(folder(t, map[string][]byte{matchID: over}), Config{})
		select {
		case r := <-d.clerk.results:
			if r.Match != matchID || r.Failed != "" || r.Ended == nil || r.Ended.Winner != 1 {
				t.Errorf("%s: reported %+v", what, r)
			}
		case <-time.After(60 * time.Second):
			t.Errorf("%s: the result is not delivered", what)
		}
		d.end()
	}
}

// The results of finished matches are delivered even if this build no longer plays them:
// another version of the mode, options and seats that are no longer taken.
func TestResultsAreDeliveredWhateverTheSetup(t *testing.T) {
	t.Parallel()
	a := startServiceHarness(t, countingSpec(t, 0), Config{})
	skirmish(a, 25)
	file := a.killed()
	ended := journal.EndedRecord(sim.Result{Tick: 25, Winner: 1, Reason: "last-team"})
	for what, c := range map[string]struct {
		from, to string
		last     []byte
		failed   string
	}{
		"another version":       {`"modeVersion":2`, `"modeVersion":1`, ended, ""},
		"no such mode":          {`"Mode":"counting"`, `"Mode":"unheard-of"`, ended, ""},
		"options out of range":  {`"TimeLimitMs":0`, `"TimeLimitMs":-5`, ended, ""},
		"one that broke off":    {`"Mode":"counting"`, `"Mode":"unheard-of"`, journal.FailedRecord("internal error: of the past"), failedInternal},
		"seats without a start": {`"tickRate":20`, `"tickRate":1`, ended, ""},
	} {
		dir := folder(t, map[string][]byte{matchID: rewritten(t, file, func(n int, rec []byte) []byte {
			if n == 0 && !bytes.Contains(rec, []byte(c.from)) {
				t.Fatalf("%s: the setup is %s", what, rec)
			}
			if n == 0 {
				return bytes.Replace(rec, []byte(c.from), []byte(c.to), 1)
			}
			return rec
		}, c.last)})
		b := a.revived(dir, Config{})
		select {
		case r := <-b.clerk.results:
			if r.Match != matchID || r.Failed != c.failed || (r.Ended == nil) != (c.failed != "") {
				t.Errorf("%s: reported %+v", what, r)
			}
		case <-time.After(60 * time.Second):
			t.Errorf("%s: the result is not delivered", what)
		}
		b.end()
		if left, err := dir.List(); err != nil || len(left) != 0 {
			t.Errorf("%s: still live: %v, %v", what, left, err)
		}
	}
}

// The panic of a registered kind fails its match, and no other.
func TestAPanicOfAKindEndsItsMatch(t *testing.T) {
	t.Parallel()
	a := startServiceHarness(t, galeSpec(t, "9"), Config{Linger: time.Nanosecond})
	other := galeSpec(t, "1")
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
