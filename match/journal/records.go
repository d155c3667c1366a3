package journal

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// What a record is, is its first byte.
//
//	'S' the setup, JSON ([Header]); record 0
//	'M' the map's public form, zstd; record 1
//	'R' the ruleset's file, zstd; record 2
//	'T' a tick's inputs, answers and hash ([Tick]); none for a tick without any
//	'E' the result, JSON ([sim.Result]); the match is over
//	'F' why the match broke off, text; it is over and has no result
//	'D' empty: the result was delivered; behind an 'E' or 'F', the last record
//
// Map and ruleset are in the journal, not only their hashes: a match can be
// played again when neither is offered any more.
const (
	kindSetup     = 'S'
	kindMap       = 'M'
	kindRules     = 'R'
	kindTick      = 'T'
	kindEnded     = 'E'
	kindFailed    = 'F'
	kindDelivered = 'D'
)

// Format is the version of the records. 2: pings have a kind. 3: refused inputs
// are kept short, and the journal says who is connected. 4: orders say whether their
// units keep together.
const Format = 4

// Header is record 0: what the match was made of.
type Header struct {
	Format   int          `json:"format"`
	Match    string       `json:"match"`
	Build    string       `json:"build"`  // of the server, for people
	MadeMs   int64        `json:"madeMs"` // wall clock, Unix milliseconds, for people
	Map      string       `json:"map"`
	MapHash  string       `json:"mapHash"`
	Rules    string       `json:"rules"`
	RuleHash string       `json:"rulesHash"`
	Seed     uint64       `json:"seed,string"`
	TickRate int          `json:"tickRate"`
	Players  []sim.Player `json:"players"`
	Options  sim.Options  `json:"options"`
	// ModeVersion is that of a registered mode ([sim.RegisterMode]), 0 of fogkeep's own.
	ModeVersion uint32          `json:"modeVersion,omitempty"`
	Extra       json.RawMessage `json:"extra,omitempty"` // the match service's own: names, seats
}

// Tick is what arrived for one tick, and what was answered.
type Tick struct {
	Tick    grid.Tick
	Inputs  []sim.Input
	Answers []sim.Answer
	Hashed  bool
	Hash    uint64 // of the state after the tick, where Hashed
}

// Empty reports whether the tick needs no record.
func (t *Tick) Empty() bool { return len(t.Inputs) == 0 && len(t.Answers) == 0 && !t.Hashed }

// Record is one decoded record; exactly one field is set.
type Record struct {
	Header    *Header
	Map       *grid.Map
	Rules     *rules.Ruleset
	Tick      *Tick
	Ended     *sim.Result
	Failed    string
	Delivered bool
}

// SetupRecords returns records 0, 1 and 2 of a match. h needs Match, Build,
// MadeMs and Extra; the rest is taken from the setup.
func SetupRecords(h Header, s sim.Setup) ([][]byte, error) {
	h.Format = Format
	h.Map, h.MapHash = s.Map.Name, s.Map.Hash().String()
	h.Rules, h.RuleHash = s.Rules.Name, s.Rules.Hash.String()
	h.Seed, h.TickRate, h.Players, h.Options = s.Seed, s.TickRate, s.Players, s.Options
	version, err := sim.ModeVersion(s.Options.Mode)
	if err != nil {
		return nil, fmt.Errorf("journal: setup: %w", err)
	}
	h.ModeVersion = version
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("journal: setup: %w", err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("journal: setup: %w", err)
	}
	defer enc.Close()
	return [][]byte{
		append([]byte{kindSetup}, head...),
		enc.EncodeAll(s.Map.Marshal(), []byte{kindMap}),
		enc.EncodeAll(s.Rules.Source, []byte{kindRules}),
	}, nil
}

// EndedRecord returns the record of a result.
func EndedRecord(r sim.Result) []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic("journal: a result is plain data: " + err.Error())
	}
	return append([]byte{kindEnded}, b...)
}

// FailedRecord returns the record of a match that broke off.
func FailedRecord(why string) []byte { return append([]byte{kindFailed}, why...) }

// DeliveredRecord returns the record that says the result arrived where
// results go.
func DeliveredRecord() []byte { return []byte{kindDelivered} }

// Decode reads a record. Errors name the kind and what is wrong with it.
func Decode(rec []byte) (Record, error) {
	if len(rec) == 0 {
		return Record{}, errors.New("journal: empty record")
	}
	body := rec[1:]
	var r Record
	var err error
	switch rec[0] {
	case kindSetup:
		r.Header, err = decodeHeader(body)
	case kindMap:
		if body, err = inflate(body, RecordBytesMax); err == nil {
			r.Map, err = grid.UnmarshalMap(body)
		}
	case kindRules:
		if body, err = inflate(body, RecordBytesMax); err == nil {
			r.Rules, err = rules.Parse("rules", body)
		}
	case kindTick:
		r.Tick, err = decodeTick(body)
	case kindEnded:
		r.Ended = &sim.Result{}
		err = json.Unmarshal(body, r.Ended)
	case kindFailed:
		r.Failed = string(body)
	case kindDelivered:
		r.Delivered = true
	default:
		err = errors.New("unknown kind")
	}
	if err != nil {
		return Record{}, fmt.Errorf("journal: %q record: %w", rec[0], err)
	}
	return r, nil
}

// decodeHeader looks at the format first: what else another format's header
// holds is not for this build to judge.
func decodeHeader(body []byte) (*Header, error) {
	var of struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(body, &of); err != nil {
		return nil, err
	}
	if of.Format != Format {
		return nil, fmt.Errorf("format %d, this build reads %d", of.Format, Format)
	}
	h := &Header{}
	return h, json.Unmarshal(body, h)
}

// inflate bounds what a few bytes may grow to.
func inflate(b []byte, most uint64) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(b, nil)
}
