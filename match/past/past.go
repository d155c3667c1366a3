package past

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Match are a journal's facts about its match without a replay.
type Match struct {
	journal.Summary
	State
	Spec         spec.Match
	Tail         *journal.State // not nil: what was before it was not read
	setupRecords uint64
}

// Read reads a journal: from its saved state on, if it has one with its place, else from the start.
func Read(journals journal.Store, warn *slog.Logger, id string, log journal.Log) (*Match, error) {
	state, err := journals.State(id)
	if err == nil && state != nil && state.Record > 0 && len(state.Extra) > 0 {
		var p *Match
		if p, err = readTail(id, log, state); err == nil {
			return p, nil
		}
		if journal.OfOtherBuild(err) {
			return p, err
		}
	}
	if err != nil {
		warn.Warn("a saved state is of no use, the whole journal is read", "match", id, "error", err)
	}
	return ReadWhole(id, log)
}

// ReadWhole reads all of a journal.
func ReadWhole(id string, log journal.Log) (*Match, error) {
	p := &Match{}
	err := p.walk(id, func(each func(uint64, []byte) error) error { return log.Read(0, each) }, func(r *journal.Record) error {
		if r.Tick != nil {
			p.State.Add(r.Tick.Tick, r.Tick.Inputs)
		} else if r.Line != nil {
			p.State.Say(r.Line)
		}
		return nil
	})
	return p, err
}

// walk reads the records, and calls each with those behind the setup.
func (p *Match) walk(id string, read journal.Reader, each func(*journal.Record) error) error {
	sum, err := journal.Walk(read, func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if r.Header != nil {
			return p.begin(id, r.Header)
		}
		return each(&r)
	})
	p.Summary = sum
	if err != nil || !sum.Begun {
		return err
	}
	for i, st := range p.State.Seats {
		if st.Taken != "" {
			p.Spec.Take(grid.Slot(i), &sim.Input{Kind: sim.InputTaken, Slot: grid.Slot(i), Seq: st.Turn, Text: st.Taken})
		}
	}
	p.Spec.Map, p.Spec.Rules = sum.Setup.Map, sum.Setup.Rules
	if p.Spec.Start != nil {
		p.Spec.Start.State = sum.Setup.Start
	}
	if sum.Ended != nil || sum.Failed != "" {
		return nil // it is not played again
	}
	if err = sum.Header.SameBuild(); err == nil {
		err = p.Spec.Check()
	}
	return err
}

func (p *Match) begin(id string, h *journal.Header) error {
	var set spec.Setting
	if err := json.Unmarshal(h.Extra, &set); err != nil {
		return fmt.Errorf("the setup's seats: %w", err)
	}
	if h.Match != id || len(set.Seats) != len(h.Players) {
		return fmt.Errorf("the setup is of match %s with %d players and %d seats, the file is of match %s", h.Match, len(h.Players), len(set.Seats), id)
	}
	for i, seat := range set.Seats {
		if seat.Player() != h.Players[i] {
			return fmt.Errorf("the setup's seat %d is of team %d at start %d, its player %+v", i, seat.Team, seat.Start, h.Players[i])
		}
	}
	p.Spec = spec.Match{
		ID: id, Seed: h.Seed, TickRate: h.TickRate, Options: h.Options, Seats: set.Seats, EveryTick: set.EveryTick, Payer: quota.Payer{Account: set.Starter},
		Pack: set.Pack, StandIn: set.StandIn, Votes: set.Votes, VoteQuorum: set.VoteQuorum, VoteRest: time.Duration(set.VoteRestMs) * time.Millisecond,
		SpeedPercent: set.SpeedPercent, Spectators: set.Spectators, SpectatorDelay: time.Duration(set.SpectatorDelayMs) * time.Millisecond,
	}
	if of := h.Start; of != nil {
		p.Spec.Start = &spec.Start{Match: of.Match, Scenario: of.Scenario, Script: set.Script}
	}
	p.setupRecords = h.SetupRecords()
	p.State = NewState(len(set.Seats))
	return nil
}

// errSetupRead ends the reading of a journal after its setup.
var errSetupRead = errors.New("match: the setup is read")

// readTail is Read with a saved state: it reads the setup, and then from
// the state's record on.
func readTail(id string, log journal.Log, state *journal.State) (*Match, error) {
	p := &Match{Tail: state}
	found := false
	err := p.walk(id, func(each func(uint64, []byte) error) error {
		err := log.Read(0, func(n uint64, rec []byte) error {
			if n > 0 && n == p.setupRecords {
				return errSetupRead
			}
			return each(n, rec)
		})
		if err != nil && !errors.Is(err, errSetupRead) {
			return err
		}
		if p.State, err = parseState(state.Extra, len(p.Spec.Seats)); err != nil {
			return err
		}
		return p.After(state.Record, log)(each)
	}, func(r *journal.Record) error {
		var hash uint64
		switch {
		case r.Stop != nil && r.Stop.Tick == state.Tick:
			found, hash = true, r.Stop.Hash
		case r.Tick != nil && r.Tick.Tick == state.Tick && r.Tick.Hashed:
			found, hash = true, r.Tick.Hash
		case r.Tick != nil && r.Tick.Tick > state.Tick:
			if !found {
				return errors.New("the journal has no hash of the saved state's tick")
			}
			p.State.Add(r.Tick.Tick, r.Tick.Inputs)
			return nil
		case r.Line != nil:
			p.State.Say(r.Line)
			return nil
		default:
			return nil
		}
		if hash != state.Hash {
			return fmt.Errorf("the saved state's hash is %016x, the journal has %016x", state.Hash, hash)
		}
		return nil
	})
	if err == nil && !found {
		err = errors.New("the journal ends before the saved state")
	}
	return p, err
}

// After reads the records behind the setup, from one on.
func (p *Match) After(record uint64, log journal.Log) journal.Reader {
	return func(each func(uint64, []byte) error) error { return log.Read(max(p.setupRecords, record), each) }
}
