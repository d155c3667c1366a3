package match

import (
	"bytes"
	"fmt"
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

// valued is a mode that shows all players a wave, and each team how long it has held out.
const valued = `
def begin(w): return [set_value("wave", p.team, 1) for p in w.players]
def _shown(w, wave, every, at):
    out = [set_value("wave", p.team, 1 + w.tick // wave) for p in w.players]
    if w.tick % every == at:
        for t in w.teams:
            out.append(set_value("held", t, w.value("held", t) + (1 + t) * len([p for p in w.players if p.alive and p.team == t])))
    return out
def tick(w): return _shown(w, TIMES)
`

// valuedRules adds the mode "valued" to a ruleset's text. Its hill is on the tile 3,4 of the map. times says how often its
// values change.
func valuedRules(t testing.TB, source string, m *grid.Map, times string) *rules.Ruleset {
	t.Helper()
	return withMode(t, source, fmt.Sprintf(`"name": "valued", "writes": ["set_value"], "values": [{"name": "wave", "open": true}, {"name": "held"}],
		"areas": [{"name": "hill", "x": %.1f, "y": %.1f, "radius": 2}, {"name": "home", "at_start": true, "radius": 1}]`,
		300/float64(m.W-1), 400/float64(m.H-1)), strings.Replace(valued, "TIMES", times, 1))
}

// withMode adds a mode by script to a ruleset's text.
func withMode(t testing.TB, source, fields, script string) *rules.Ruleset {
	t.Helper()
	scripts := map[string]string{"mode.star": script}
	rs, err := rules.Parse("rules.json", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rs.Scripts {
		scripts[s.Name] = s.Text
	}
	text := []byte(source)
	if i := bytes.Index(text, []byte(`"scripts": [`)); i >= 0 { // at the end, as WithScripts puts it
		text = append(bytes.TrimRight(text[:i], ", \n"), '}')
	}
	text = bytes.Replace(text, []byte(`"places": [`), []byte(`"modes": [{"script": "mode.star", "every": 0.05, "defeat": "never", `+fields+`}], "places": [`), 1)
	if text, err = rules.WithScripts(text, scripts); err != nil {
		t.Fatal(err)
	}
	if rs, err = rules.Parse("rules.json", text); err != nil {
		t.Fatal(err)
	}
	return rs
}

// scriptSpec is a match of two players in a mode of the shipped ruleset that has a script.
func scriptSpec(t *testing.T, fields, script string) Spec {
	t.Helper()
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: rs, Seed: 7, EveryTick: true,
		Seats: []SeatSpec{{Name: "player 0", Team: 0}, {Name: "player 1", Team: 1, Start: 1}},
	}
	if script != "" {
		spec.Rules, spec.Options.Mode = withMode(t, string(rs.Source), `"name": "by-script", `+fields, script), "by-script"
	}
	return spec
}

// The server tells a mode's score to the player's team in its tick; to the others only if
// the mode shows it to all.
func TestReceiversOfAScore(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{false, true} {
		spec := scriptSpec(t, fmt.Sprintf(`"open_scores": %v, "writes": ["score"]`, open), "def tick(w): return score(1, 5)")
		a := startServiceHarness(t, spec, Config{})
		foe, own := a.join(0), a.join(1)
		for range 3 {
			a.tick()
			f := own.read()
			foe.read()
			if p := own.Replica.Players; !p[0].Scored && open || p[0].Score != 0 || p[1] != (view.Player{State: view.Playing, Scored: true, Score: 5 * int32(own.Replica.Tick)}) {
				t.Errorf("open %v, tick %d: the team knows %+v, of %+v", open, own.Replica.Tick, p, f.Diff.Players)
			}
			if p := foe.Replica.Players; p[1].Scored != open || !p[0].Scored || open && p[1].Score != 5*int32(foe.Replica.Tick) {
				t.Errorf("open %v: the others know %+v", open, p)
			}
		}
	}
}

// The server tells a mode's open value to all in its tick, another value to the team, and
// every value to all with the end.
func TestReceiversOfAValue(t *testing.T) {
	t.Parallel()
	spec := scriptSpec(t, "", "")
	spec.Rules, spec.Options.Mode = valuedRules(t, string(spec.Rules.Source), spec.Map, "wave = 5, every = 3, at = 0"), "valued"
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

// The results of finished matches are delivered even if this build no longer plays them:
// a mode that there is no longer, options and seats that are no longer taken.
func TestResultsAreDeliveredWhateverTheSetup(t *testing.T) {
	t.Parallel()
	spec := scriptSpec(t, "", "")
	spec.Options.Mode = "deathmatch"
	a := startServiceHarness(t, spec, Config{})
	skirmish(a, 25)
	file := a.killed()
	ended := journal.EndedRecord(sim.Result{Tick: 25, Winner: 1, Reason: "last-team"})
	for what, c := range map[string]struct {
		from, to string
		last     []byte
		failed   string
	}{
		"no such mode":          {`"Mode":"deathmatch"`, `"Mode":"unheard-of"`, ended, ""},
		"options out of range":  {`"TimeLimitMs":0`, `"TimeLimitMs":-5`, ended, ""},
		"one that broke off":    {`"Mode":"deathmatch"`, `"Mode":"unheard-of"`, journal.FailedRecord("internal error: of the past"), failedInternal},
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
