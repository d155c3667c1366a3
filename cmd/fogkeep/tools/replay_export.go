package tools

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// replayExportCmd writes a journal for other programs.
type replayExportCmd struct {
	File string `arg:"" help:"A .journal file."`
	Play bool   `help:"Also play the match, and add its events and each player's numbers, second by second."`
	Text bool   `help:"Include the texts of chat. Without it a chat entry has its sender and its number only."`
}

// The lines of an export, one JSON object each. Ticks ascend. Positions are in tiles.
type (
	exportMatch struct {
		Kind string `json:"kind"` // "match": the first line
		replayReport
		Seats []exportSeat `json:"seats"`
	}
	exportSeat struct {
		Slot  int  `json:"slot"`
		Team  int  `json:"team"`
		Start int  `json:"start"`
		Bot   bool `json:"bot,omitempty"`
	}
	exportInput struct {
		Kind   string        `json:"kind"` // of the input: order, chat, ping, joined, ...
		Tick   grid.Tick     `json:"tick"`
		Slot   *int          `json:"slot,omitempty"` // of nobody: absent
		Seq    uint32        `json:"seq,omitempty"`
		Lag    uint8         `json:"lag,omitempty"` // ticks
		Order  *exportOrder  `json:"order,omitempty"`
		Point  *[2]float64   `json:"point,omitempty"`
		Text   string        `json:"text,omitempty"`
		Answer *exportAnswer `json:"answer,omitempty"`
	}
	exportOrder struct {
		Do      string        `json:"do"`
		AsOf    grid.Tick     `json:"asOf"` // the frame that the player had
		Units   []grid.Handle `json:"units,omitempty"`
		Target  grid.Handle   `json:"target,omitempty"`
		Point   *[2]float64   `json:"point,omitempty"`
		Type    string        `json:"type,omitempty"`
		Ability string        `json:"ability,omitempty"`
		Queued  bool          `json:"queued,omitempty"`
	}
	exportAnswer struct {
		Code string      `json:"code"`           // "OK", or why it was refused
		Acts grid.Tick   `json:"acts,omitempty"` // when it acts
		Left []exportOut `json:"left,omitempty"` // units that do not take part
	}
	exportOut struct {
		Unit grid.Handle `json:"unit"`
		Code string      `json:"code"`
	}
	// With --play, at the tick at which it was known; a fight when it was over.
	exportEvent struct {
		Kind  string      `json:"kind"` // "event"
		Event playedEvent `json:"event"`
	}
	exportValues struct {
		Kind   string         `json:"kind"` // "values", once a second; of matches above half an hour less often
		Tick   grid.Tick      `json:"tick"`
		Values []playedValues `json:"values"` // by slot
	}
	exportHash struct {
		Kind string    `json:"kind"` // "hash"
		Tick grid.Tick `json:"tick"`
		Hash string    `json:"hash"`
	}
)

// Run reads the journal twice: once for its sum, which is the first line.
func (c *replayExportCmd) Run(in *Invocation) error {
	path := journalPath{File: c.File}
	p := &played{}
	var err error
	if c.Play {
		if p, err = path.play(in); err != nil {
			return err
		}
	} else if p.sum, err = journal.Walk(path.read(&p.torn), nil); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	sum := &p.sum
	w := bufio.NewWriter(in.Stdout)
	lines := json.NewEncoder(w)
	head := exportMatch{Kind: "match", replayReport: path.report(*sum, p.torn)}
	for i, of := range sum.Header.Players {
		head.Seats = append(head.Seats, exportSeat{Slot: i, Team: int(of.Team), Start: of.Start, Bot: of.Bot})
	}
	if err := lines.Encode(head); err != nil {
		return err
	}
	progress := newProgressBar(in)
	defer progress.clear()
	first := sum.Header.First()
	_, err = journal.Walk(path.read(&p.torn), func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if r.Tick == nil {
			return in.Ctx.Err()
		}
		progress.show(int(r.Tick.Tick-first), int(sum.Ticks-first), fmt.Sprintf("tick %d", r.Tick.Tick))
		if err := p.export(lines, r.Tick.Tick); err != nil {
			return err
		}
		return c.tick(lines, r.Tick, sum.Setup.Rules)
	})
	if err == nil {
		err = p.export(lines, sum.Ticks+1)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return w.Flush()
}

// export writes what was known before a tick, and was not written yet.
func (p *played) export(lines *json.Encoder, tick grid.Tick) error {
	for {
		switch {
		case len(p.points) > 0 && p.points[0].tick < tick && (len(p.report.Events) == 0 || p.points[0].tick < p.report.Events[0].Known):
			if err := lines.Encode(exportValues{"values", p.points[0].tick, p.points[0].values}); err != nil {
				return err
			}
			p.points = p.points[1:]
		case len(p.report.Events) > 0 && p.report.Events[0].Known < tick:
			if err := lines.Encode(exportEvent{"event", p.report.Events[0]}); err != nil {
				return err
			}
			p.report.Events = p.report.Events[1:]
		default:
			return nil
		}
	}
}

// tick writes the lines of one tick: its inputs with their answers, and its hash.
func (c *replayExportCmd) tick(lines *json.Encoder, t *journal.Tick, set *rules.Ruleset) error {
	next := 0
	for i := range t.Inputs {
		x := &t.Inputs[i]
		line := exportInput{Kind: x.Kind.String(), Tick: t.Tick, Seq: x.Seq, Lag: x.Lag}
		if x.Slot != grid.NoSlot {
			slot := int(x.Slot)
			line.Slot = &slot
		}
		switch x.Kind {
		case sim.InputOrder:
			line.Order = exportedOrder(x, set)
		case sim.InputChat:
			if c.Text {
				line.Text = x.Text
			}
		case sim.InputPing:
			line.Point = inTiles(x.Point)
		}
		// The journal keeps neither inputs nor answers of people without a seat.
		if x.Kind.Answered() && next < len(t.Answers) {
			line.Answer = exportedAnswer(&t.Answers[next])
			next++
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	if !t.Hashed {
		return nil
	}
	return lines.Encode(exportHash{"hash", t.Tick, fmt.Sprintf("%016x", t.Hash)})
}

func exportedOrder(in *sim.Input, set *rules.Ruleset) *exportOrder {
	o := &in.Order
	out := &exportOrder{Do: o.Kind.String(), AsOf: in.AsOf, Units: o.Units, Target: o.Target, Queued: o.Queued}
	if o.HasPoint {
		out.Point = inTiles(o.Point)
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

func exportedAnswer(a *sim.Answer) *exportAnswer {
	out := &exportAnswer{Code: a.Code.String(), Acts: a.Acts}
	for _, l := range a.Left {
		out.Left = append(out.Left, exportOut{l.Unit, l.Code.String()})
	}
	return out
}

func inTiles(p grid.Pos) *[2]float64 {
	return &[2]float64{float64(p.X) / grid.WUPerTile, float64(p.Y) / grid.WUPerTile}
}
