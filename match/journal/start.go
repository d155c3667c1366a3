package journal

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// StartOf describes in a setup the state that its match begins with. The state itself is in the journal too: its source
// match may be deleted.
type StartOf struct {
	Match    string    `json:"match,omitempty"`    // the match that is played on; "": no match
	Scenario string    `json:"scenario,omitempty"` // the name of the scenario; "": no scenario
	Tick     grid.Tick `json:"tick"`               // of the state
	Hash     uint64    `json:"hash,string"`        // of the state
	Bytes    int       `json:"bytes"`              // of the state, unpacked
	Parts    int       `json:"parts"`              // records that it takes, packed
}

// Bounds of a state that a match begins with.
const (
	startPartBytes = 1 << 20 // of a record
	startPartsMax  = 16
	// StartPackedMax bounds such a state, packed: a battle of 2,000 units on a map of
	// 512 x 512 takes a fiftieth.
	StartPackedMax = startPartBytes * startPartsMax
)

// setupRecords is how many records every journal begins with: setup, map and rules.
const setupRecords = 3

// First returns the tick that the match begins with: 0, or its start state's.
func (h *Header) First() grid.Tick {
	if h.Start == nil {
		return 0
	}
	return h.Start.Tick
}

// SetupRecords returns how many records the journal has before its first tick.
func (h *Header) SetupRecords() uint64 {
	if h.Start == nil {
		return setupRecords
	}
	return setupRecords + uint64(h.Start.Parts)
}

// check rejects starts that no setup of ours has.
func (o *StartOf) check() error {
	switch {
	case o == nil:
		return nil
	case o.Parts < 1 || o.Parts > startPartsMax:
		return fmt.Errorf("start: %d parts, want 1 to %d", o.Parts, startPartsMax)
	case o.Bytes < 1 || o.Bytes > sim.StartBytesMax:
		return fmt.Errorf("start: a state of %d bytes, want 1 to %d", o.Bytes, sim.StartBytesMax)
	}
	return nil
}

// startRecords packs a state into records of at most partBytes. from says where it is from, as far as the
// state itself does not.
func startRecords(enc *zstd.Encoder, from *StartOf, state []byte, partBytes int) ([][]byte, *StartOf, error) {
	if state == nil {
		return nil, nil, nil
	}
	of := StartOf{Hash: sim.StateHash(state), Bytes: len(state)}
	if from != nil {
		of.Match, of.Scenario = from.Match, from.Scenario
	}
	var err error
	if of.Tick, err = sim.StateTick(state); err != nil {
		return nil, nil, err
	}
	packed := enc.EncodeAll(state, nil)
	if len(packed) > StartPackedMax {
		return nil, nil, fmt.Errorf("start: a state of %d bytes takes %d, packed: at most %d", len(state), len(packed), StartPackedMax)
	}
	var parts [][]byte
	for len(packed) > 0 {
		n := min(len(packed), partBytes)
		parts = append(parts, append([]byte{kindStart}, packed[:n]...))
		packed = packed[n:]
	}
	of.Parts = len(parts)
	return parts, &of, of.check()
}

// addStart takes in a part of the state that the match begins with.
func (s *Summary) addStart(part []byte) error {
	of := s.Header.Start
	if of == nil || s.parts >= of.Parts {
		return errors.New("a part of a start that the setup does not name")
	}
	s.packed = append(s.packed, part...)
	if s.parts++; s.parts < of.Parts {
		return nil
	}
	state, err := inflate(s.packed, uint64(of.Bytes))
	s.packed = nil
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if len(state) != of.Bytes || sim.StateHash(state) != of.Hash {
		return fmt.Errorf("start: a state of %d bytes with hash %016x, the setup names %d with %016x", len(state), sim.StateHash(state), of.Bytes, of.Hash)
	}
	if tick, err := sim.StateTick(state); err != nil || tick != of.Tick {
		return fmt.Errorf("start: the state's tick is %d, the setup names %d: %w", tick, of.Tick, err)
	}
	s.Setup.Start, s.Begun = state, true
	return nil
}

// InSetup returns an error if a record is out of place in the setup: setup, map, rules and the start's parts come
// first, each once. s is the summary with the record.
func (s *Summary) InSetup(n uint64, r *Record) error {
	begin := n >= setupRecords && n < s.Header.SetupRecords()
	switch {
	case (n == 0) != (r.Header != nil) || (n == 1) != (r.Map != nil) || (n == 2) != (r.Rules != nil) || begin != (r.Start != nil):
		return errors.New("a journal begins with setup, map and rules, then the parts of its start, and has them once")
	case r.Map != nil:
		if got := r.Map.Hash().String(); got != s.Header.MapHash {
			return fmt.Errorf("the map's hash is %s, the setup names %s", got, s.Header.MapHash)
		}
	case r.Rules != nil:
		if got := r.Rules.Hash.String(); got != s.Header.RuleHash {
			return fmt.Errorf("the ruleset's hash is %s, the setup names %s", got, s.Header.RuleHash)
		}
	}
	return nil
}

// PackSetup returns the setup of a match as the bytes of a journal that has no ticks.
func PackSetup(h Header, s sim.Setup) ([]byte, error) {
	recs, err := SetupRecords(h, s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = Export(&b, func(each func(uint64, []byte) error) error {
		for n, rec := range recs {
			if err := each(uint64(n), rec); err != nil {
				return err
			}
		}
		return nil
	})
	return b.Bytes(), err
}

// ParseSetup reads the bytes of PackSetup.
func ParseSetup(b []byte) (Header, sim.Setup, error) {
	torn := false
	sum, err := Walk(func(each func(uint64, []byte) error) (err error) {
		torn, err = ReadBytes(b, "setup", each)
		return err
	}, func(n uint64, r Record, s *Summary) error { return s.InSetup(n, &r) })
	if err == nil && (torn || !sum.Begun || sum.Setup.Rules == nil) {
		err = errors.New("journal: the setup is not whole")
	}
	return sum.Header, sum.Setup, err
}
