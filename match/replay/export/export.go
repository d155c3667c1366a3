package export

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// The lines, one JSON object each. Ticks ascend. Positions are in tiles.
type (
	// Seat is a seat in the first line.
	Seat struct {
		Slot  int  `json:"slot"`
		Team  int  `json:"team"`
		Start int  `json:"start"`
		Bot   bool `json:"bot,omitempty"`
	}
	inputLine struct {
		Kind   string      `json:"kind"` // of the input: order, chat, ping, joined, ...
		Tick   grid.Tick   `json:"tick"`
		Slot   *int        `json:"slot,omitempty"` // of nobody: absent
		Seq    uint32      `json:"seq,omitempty"`
		Lag    uint8       `json:"lag,omitempty"` // ticks
		Order  *order      `json:"order,omitempty"`
		Point  *[2]float64 `json:"point,omitempty"`
		Text   string      `json:"text,omitempty"`
		Answer *answer     `json:"answer,omitempty"`
	}
	order struct {
		Do      string        `json:"do"`
		AsOf    grid.Tick     `json:"asOf"` // the frame that the player had
		Units   []grid.Handle `json:"units,omitempty"`
		Target  grid.Handle   `json:"target,omitempty"`
		Point   *[2]float64   `json:"point,omitempty"`
		Type    string        `json:"type,omitempty"`
		Ability string        `json:"ability,omitempty"`
		Queued  bool          `json:"queued,omitempty"`
	}
	answer struct {
		Code string    `json:"code"`           // "OK", or why it was refused
		Acts grid.Tick `json:"acts,omitempty"` // when it acts
		Left []leftOut `json:"left,omitempty"` // units that do not take part
	}
	leftOut struct {
		Unit grid.Handle `json:"unit"`
		Code string      `json:"code"`
	}
	// At the tick at which it was known; a fight when it was over.
	eventLine struct {
		Kind  string `json:"kind"` // "event"
		Event Event  `json:"event"`
	}
	valuesLine struct {
		Kind   string    `json:"kind"` // "values", once a second; of matches above half an hour less often
		Tick   grid.Tick `json:"tick"`
		Values []Values  `json:"values"` // by slot
	}
	hashLine struct {
		Kind string    `json:"kind"` // "hash"
		Tick grid.Tick `json:"tick"`
		Hash string    `json:"hash"`
	}
)

// Seats lists the seats of a match.
func Seats(h *journal.Header) (out []Seat) {
	for i, of := range h.Players {
		out = append(out, Seat{Slot: i, Team: int(of.Team), Start: of.Start, Bot: of.Bot})
	}
	return out
}

// Writer writes a match. The words of chat are in it only with Text.
type Writer struct {
	Text  bool // the words of chat too
	rules *rules.Ruleset
	lines *json.Encoder
	of    Timeline
}

// NewWriter returns a writer that has written a first line. of has the events and values to write; its zero value:
// none.
func NewWriter(w io.Writer, first any, set *rules.Ruleset, of Timeline) (*Writer, error) {
	out := &Writer{rules: set, lines: json.NewEncoder(w), of: of}
	return out, out.lines.Encode(first)
}

// Known writes the events and values that were known before a tick, and were not written yet.
func (w *Writer) Known(tick grid.Tick) error {
	of := &w.of
	for {
		switch {
		case len(of.points) > 0 && of.points[0].tick < tick && (len(of.Events) == 0 || of.points[0].tick < of.Events[0].Known):
			if err := w.lines.Encode(valuesLine{"values", of.points[0].tick, of.points[0].values}); err != nil {
				return err
			}
			of.points = of.points[1:]
		case len(of.Events) > 0 && of.Events[0].Known < tick:
			if err := w.lines.Encode(eventLine{"event", of.Events[0]}); err != nil {
				return err
			}
			of.Events = of.Events[1:]
		default:
			return nil
		}
	}
}

// Tick writes the lines of one tick: its inputs with their answers, and its hash.
func (w *Writer) Tick(t *journal.Tick) error {
	if err := w.Known(t.Tick); err != nil {
		return err
	}
	next := 0
	for i := range t.Inputs {
		x := &t.Inputs[i]
		line := inputLine{Kind: x.Kind.String(), Tick: t.Tick, Seq: x.Seq, Lag: x.Lag}
		if x.Slot != grid.NoSlot {
			slot := int(x.Slot)
			line.Slot = &slot
		}
		switch x.Kind {
		case sim.InputOrder:
			line.Order = orderOf(x, w.rules)
		case sim.InputChat:
			if w.Text {
				line.Text = x.Text
			}
		case sim.InputPing:
			line.Point = InTiles(x.Point)
		}
		// The journal keeps neither inputs nor answers of people without a seat.
		if x.Kind.Answered() && next < len(t.Answers) {
			line.Answer = answerOf(&t.Answers[next])
			next++
		}
		if err := w.lines.Encode(line); err != nil {
			return err
		}
	}
	if !t.Hashed {
		return nil
	}
	return w.lines.Encode(hashLine{"hash", t.Tick, fmt.Sprintf("%016x", t.Hash)})
}

func orderOf(in *sim.Input, set *rules.Ruleset) *order {
	o := &in.Order
	out := &order{Do: o.Kind.String(), AsOf: in.AsOf, Units: o.Units, Target: o.Target, Queued: o.Queued}
	if o.HasPoint {
		out.Point = InTiles(o.Point)
	}
	switch o.Kind.Form().Number {
	case orders.TypeNumber:
		if int(o.Type) < len(set.Types) {
			out.Type = set.Types[o.Type].Name
		}
	case orders.AbilityNumber:
		if int(o.Ability) < len(set.Abilities) {
			out.Ability = set.Abilities[o.Ability].Name
		}
	}
	return out
}

func answerOf(a *sim.Answer) *answer {
	out := &answer{Code: a.Code.String(), Acts: a.Acts}
	for _, l := range a.Left {
		out.Left = append(out.Left, leftOut{l.Unit, l.Code.String()})
	}
	return out
}

// InTiles is a position in tiles.
func InTiles(p grid.Pos) *[2]float64 {
	return &[2]float64{float64(p.X) / grid.WUPerTile, float64(p.Y) / grid.WUPerTile}
}
