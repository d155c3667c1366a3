package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// The first byte of a record is its kind.
//
//	'S' the setup, JSON ([Header]); record 0
//	'M' the map's public form, zstd; record 1
//	'R' the ruleset's file, zstd; record 2
//	'B' a part of the state that the match begins with, if the setup names one
//	    ([StartOf]): records 3 and on, in order
//	'T' a tick's inputs, answers and hash ([Tick]); a tick without them has no record
//	'C' a line of chat in a pause, with its input; the record of the next tick has that input again
//	'H' a hand-over ([Stop]): its match stopped here on purpose
//	'E' the result, JSON ([sim.Result]); the match is over
//	'F' why the match broke off, text; it is over without a result
//	'D' empty: the result was delivered; behind an 'E' or 'F', the last record
//
// Map and ruleset are in the journal, not only their hashes: a match can be played again when the server offers neither
// any more.
const (
	kindSetup     = 'S'
	kindMap       = 'M'
	kindRules     = 'R'
	kindStart     = 'B'
	kindTick      = 'T'
	kindLine      = 'C'
	kindStop      = 'H'
	kindEnded     = 'E'
	kindFailed    = 'F'
	kindDelivered = 'D'
)

// stopBytes is how long the body of a 'H' is.
const stopBytes = 4 + 8

// Format is the version of the records. 2: pings have a kind. 3: refused inputs are kept short, and the journal has the
// connected players. 4: orders say whether their units keep together.
const Format = 4

// FormatOldest is the oldest version that this build reads. The corpus of match/replay
// has a match of each.
const FormatOldest = 4

// Header is record 0: the ingredients of the match.
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
	// Sim is how the build simulated ([sim.Behaviour]); 0: a build that did not say.
	Sim uint64 `json:"sim,string,omitempty"`
	// Start is the state that the match begins with; nil: its mode places the units at tick 0.
	Start *StartOf        `json:"start,omitempty"`
	Extra json.RawMessage `json:"extra,omitempty"` // the match service's own: names, seats
}

// Tick has the inputs that arrived for one tick, and the answers.
type Tick struct {
	Tick    grid.Tick
	Inputs  []sim.Input
	Answers []sim.Answer
	Hashed  bool
	Hash    uint64 // of the state after the tick, where Hashed
}

// Empty reports whether the tick needs no record.
func (t *Tick) Empty() bool { return len(t.Inputs) == 0 && len(t.Answers) == 0 && !t.Hashed }

// Stop says after which tick a match was stopped on purpose, to go on in another process or in the next one. No client
// knows of a later tick. If it is the last record, the match goes on after exactly that tick. So the first tick that is
// played after a stop has a record, even if it is empty.
type Stop struct {
	Tick grid.Tick
	Hash uint64 // of the state after the tick
}

// Record is one decoded record; exactly one field is set.
type Record struct {
	Header    *Header
	Map       *grid.Map
	Rules     *rules.Ruleset
	Start     []byte // a part of the packed state that the match begins with
	Tick      *Tick
	Line      *sim.Input // chat of a pause
	Stop      *Stop
	Ended     *sim.Result
	Failed    string
	Delivered bool
}

// SetupRecords returns the records of a match before its first tick. h needs Match, Build, MadeMs and Extra, and if the
// match begins from a state the source of that state in Start; the setup has the rest.
func SetupRecords(h Header, s sim.Setup) ([][]byte, error) {
	h.Format = Format
	h.Map, h.MapHash = s.Map.Name, s.Map.Hash().String()
	h.Rules, h.RuleHash = s.Rules.Name, s.Rules.Hash.String()
	h.Seed, h.TickRate, h.Players, h.Options = s.Seed, s.TickRate, s.Players, s.Options
	h.Sim = sim.Behaviour
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("journal: setup: %w", err)
	}
	defer enc.Close()
	parts, start, err := startRecords(enc, h.Start, s.Start, startPartBytes)
	if err != nil {
		return nil, fmt.Errorf("journal: setup: %w", err)
	}
	h.Start = start
	head, err := HeaderRecord(&h)
	if err != nil {
		return nil, err
	}
	return append([][]byte{
		head,
		enc.EncodeAll(s.Map.Marshal(), []byte{kindMap}),
		enc.EncodeAll(s.Rules.Source, []byte{kindRules}),
	}, parts...), nil
}

// HeaderRecord returns record 0.
func HeaderRecord(h *Header) ([]byte, error) {
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("journal: setup: %w", err)
	}
	return append([]byte{kindSetup}, b...), nil
}

// StopRecord returns the record of a hand-over.
func StopRecord(s Stop) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32([]byte{kindStop}, uint32(s.Tick)), s.Hash)
}

// OtherBuildError says that a match was played by a build that simulates differently, or with a form of maps or rulesets
// that this one lacks. A program from the same build plays it to the same state.
type OtherBuildError struct {
	Match, Build string
	Sim          uint64
	Lacks        error // the fault in the map or the ruleset as this build reads it; nil: it reads both
}

func (e *OtherBuildError) Unwrap() error { return e.Lacks }

func (e *OtherBuildError) Error() string {
	if e.Lacks != nil {
		return fmt.Sprintf("build %s began match %s with a part that this build lacks: %v", e.Build, e.Match, e.Lacks)
	}
	return fmt.Sprintf("build %s began match %s with version %d of the simulation; this build has version %d", e.Build, e.Match, e.Sim, sim.Behaviour)
}

// FormatError says that a build wrote a journal in a format that this build does not
// read.
type FormatError struct {
	Build  string
	Format int
}

func (e *FormatError) Error() string {
	reads := fmt.Sprintf("format %d", Format)
	if FormatOldest < Format {
		reads = fmt.Sprintf("formats %d to %d", FormatOldest, Format)
	}
	return fmt.Sprintf("build %s wrote the journal in format %d; this build reads %s", e.Build, e.Format, reads)
}

// OfOtherBuild reports whether an error is an [OtherBuildError] or a [FormatError]: the
// journal is whole, and another build of the program can continue it.
func OfOtherBuild(err error) bool {
	return errors.As(err, new(*OtherBuildError)) || errors.As(err, new(*FormatError))
}

// SameBuild returns an [OtherBuildError] if this program plays the match differently from the program that wrote the
// journal.
func (h *Header) SameBuild() error {
	if h.Sim == 0 || h.Sim == sim.Behaviour { // 0: of a build that did not say
		return nil
	}
	return &OtherBuildError{Match: h.Match, Build: h.Build, Sim: h.Sim}
}

// LineRecord returns the record of a line of chat in a pause.
func LineRecord(in *sim.Input) []byte { return AppendInput([]byte{kindLine}, in) }

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

// IsEnd reports whether a record says that the match is over: its result, or why it
// broke off.
func IsEnd(rec []byte) bool { return len(rec) > 0 && (rec[0] == kindEnded || rec[0] == kindFailed) }

// Decode reads a record. Errors name the kind and the fault.
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
	case kindStart:
		if len(body) == 0 || len(body) > startPartBytes {
			err = fmt.Errorf("%d bytes, want 1 to %d", len(body), startPartBytes)
		}
		r.Start = body
	case kindTick:
		r.Tick, err = decodeTick(body)
	case kindLine:
		var in sim.Input
		in, err = DecodeInput(body)
		r.Line = &in
	case kindStop:
		if len(body) != stopBytes {
			err = fmt.Errorf("%d bytes, want %d", len(body), stopBytes)
			break
		}
		r.Stop = &Stop{grid.Tick(binary.LittleEndian.Uint32(body)), binary.LittleEndian.Uint64(body[4:])}
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

// decodeHeader looks at the format first: this build cannot judge the rest of another format's header.
func decodeHeader(body []byte) (*Header, error) {
	var of FormatError
	if err := json.Unmarshal(body, &of); err != nil {
		return nil, err
	}
	if of.Format < FormatOldest || of.Format > Format {
		return nil, &of
	}
	h := &Header{}
	if err := json.Unmarshal(body, h); err != nil {
		return nil, err
	}
	return h, h.Start.check()
}

// inflate bounds the growth of a few bytes.
func inflate(b []byte, most uint64) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(b, nil)
}
