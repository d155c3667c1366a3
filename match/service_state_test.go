package match

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
)

// reads is the journal of a match, to be read without taking the match over. It counts
// the bytes read.
type reads struct {
	journal.Log
	store *sharedStore
	n     int
	first bool // the first record after the setup was read
}

func (l *reads) Read(from uint64, each func(uint64, []byte) error) error {
	all := l.store.records(matchID)
	for n, rec := range all[min(from, uint64(len(all))):] {
		at := from + uint64(n)
		l.n++
		if err := each(at, rec); err != nil {
			return err
		}
		l.first = l.first || at == 3
	}
	return nil
}

// during runs f beside the match, which goes on until f is done.
func (n *node) during(f func(context.Context) error) {
	n.t.Helper()
	done := make(chan error, 1)
	go func() { done <- f(n.t.Context()) }()
	for {
		select {
		case err := <-done:
			if err != nil {
				n.t.Fatal(err)
			}
			return
		case <-time.After(time.Millisecond):
			n.tick()
		}
	}
}

// TestReadsFromASavedState: a process that goes on from a saved state learns the
// same seats, budgets and speed as a process that reads the whole journal, and reads only
// the setup and the records behind the state. Where the state does not fit the journal,
// it reads the whole journal.
func TestReadsFromASavedState(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	spec.Seats[1].Bot = true
	a := store.node(t, spec, Config{StateSeconds: 1})
	other := store.node(t, spec, Config{StateSeconds: 1})
	a.starts()
	p := a.join(0)
	steps := []func(){
		func() {},
		func() {
			a.during(func(ctx context.Context) error {
				return a.service.SetBudget(ctx, matchID, Budget{BytesPerS: 4096, Operator: true})
			})
		},
		func() {
			a.during(func(ctx context.Context) error {
				return a.service.ask(ctx, matchID, func(m *live) {
					m.inputs.add(
						sim.Input{Kind: sim.InputTaken, Slot: 1, Seq: 3, Text: sim.TakenText("carol", "Carol")},
						sim.Input{Kind: sim.InputToken, Slot: 1, Seq: 9},
						sim.Input{Kind: sim.InputSpeed, Slot: 0, Seq: 150})
				})
			})
		},
		func() {
			a.during(func(ctx context.Context) error {
				return a.service.ask(ctx, matchID, func(m *live) {
					m.inputs.add(sim.Input{Kind: sim.InputAway, Slot: 1}, sim.Input{Kind: sim.InputGone, Slot: 1})
				})
			})
		},
		func() { p.pipe.Close() },
	}
	tails := 0
	for i, step := range steps {
		step()
		for range 35 { // between two states there are ticks of every distance from one
			a.play(1)
			if i < len(steps)-1 {
				p.read()
			}
		}
		log := &reads{store: store}
		whole, err := past.ReadWhole(matchID, log)
		if err != nil {
			t.Fatal(err)
		}
		all := log.n
		log.n, log.first = 0, false
		tail, err := past.Read(other.service.cfg.Journals, other.service.log, matchID, log)
		if err != nil {
			t.Fatal(err)
		}
		if tail.Tail == nil {
			continue // no state yet
		}
		tails++
		if !reflect.DeepEqual(tail.State, whole.State) || !reflect.DeepEqual(tail.Spec.Seats, whole.Spec.Seats) {
			t.Errorf("step %d: from the state on %+v of %+v, in whole %+v of %+v", i, tail.State, tail.Spec.Seats, whole.State, whole.Spec.Seats)
		}
		if tail.Ticks != whole.Ticks || tail.Hashed != whole.Hashed || tail.Header.Match != whole.Header.Match {
			t.Errorf("step %d: from the state on tick %d, hash of %d; in whole tick %d, hash of %d", i, tail.Ticks, tail.Hashed, whole.Ticks, whole.Hashed)
		}
		if i > 1 && (log.n >= all || log.first) {
			t.Errorf("step %d: %d of %d records are read", i, log.n, all)
		}
	}
	if tails < 3 {
		t.Fatalf("%d saved states were seen", tails)
	}
	good, err := other.process.State(matchID)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*journal.State){
		"another hash":           func(s *journal.State) { s.Hash++ },
		"another tick":           func(s *journal.State) { s.Tick++ },
		"a record far ahead":     func(s *journal.State) { s.Record += 1000 },
		"a record after its own": func(s *journal.State) { s.Record++ },
		"nothing of the seats":   func(s *journal.State) { s.Extra = nil },
		"too few seats":          func(s *journal.State) { s.Extra = []byte(`{"seats":[{}]}`) },
		"no seats at all":        func(s *journal.State) { s.Extra = []byte(`[1]`) },
		"no record":              func(s *journal.State) { s.Record = 0 },
	} {
		bad := *good
		spoil(&bad)
		if err := other.process.SaveState(matchID, bad); err != nil {
			t.Fatal(err)
		}
		p, err := past.Read(other.service.cfg.Journals, other.service.log, matchID, &reads{store: store})
		if err != nil || p.Tail != nil || len(p.Seats) != 2 || p.Seats[1].Taken == "" {
			t.Errorf("a state with %s: tail %v, %+v, %v", name, p.Tail != nil, p.State, err)
		}
	}
	// Bytes that are no state are found out by the replay, which then reads all.
	bad := *good
	bad.Bytes = bad.Bytes[:len(bad.Bytes)/2]
	if err := other.process.SaveState(matchID, bad); err != nil {
		t.Fatal(err)
	}
	other.takes()
	if st := other.live.seats.all[1]; !st.absent || st.turn != 3 || other.live.spec.Seats[1].Name != "Carol" || other.live.output.budgets.operator != 4096 || other.live.speed.percent != 150 {
		t.Errorf("after the take over: %+v, %+v", st, other.live.spec.Seats[1])
	}
}
