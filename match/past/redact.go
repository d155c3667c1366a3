package past

import (
	"encoding/json"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// redactedText replaces a deleted account's chat: a line must have a text, and the answers to lines stay as they were.
const redactedText = "…"

// Redactor returns a function that takes an account out of the records of a journal,
// for [journal.Rewriter]: its id, its names, which become name, and its chat. Records come complete, from record 0
// on. Neither names nor words are in a match's state: the journal plays to the same hashes.
func Redactor(account, name string) func(n uint64, record []byte) ([]byte, error) {
	r := &redactor{account: account, name: name}
	return r.record
}

type redactor struct {
	account, name string
	holds         []bool // by slot: the account has it at the record
}

func (r *redactor) record(n uint64, raw []byte) ([]byte, error) {
	switch {
	case n == 0:
		return r.setup(raw)
	case n < 3: // map and rules
		return raw, nil
	}
	rec, err := journal.Decode(raw)
	if in := rec.Line; in != nil && int(in.Slot) < len(r.holds) && r.holds[in.Slot] {
		in.Text = redactedText
		return journal.LineRecord(in), nil
	}
	if err != nil || rec.Tick == nil {
		return raw, err
	}
	changed := false
	for i := range rec.Tick.Inputs {
		in := &rec.Tick.Inputs[i]
		if int(in.Slot) >= len(r.holds) {
			continue
		}
		switch in.Kind {
		case sim.InputTaken:
			account, _ := in.Taken()
			if r.holds[in.Slot] = account == r.account; r.holds[in.Slot] {
				in.Text, changed = sim.TakenText("", r.name), true
			}
		case sim.InputChat:
			if r.holds[in.Slot] {
				in.Text, changed = redactedText, true
			}
		}
	}
	if !changed {
		return raw, nil
	}
	return journal.AppendTick(nil, rec.Tick), nil
}

// setup takes the account out of the match service's part of record 0.
func (r *redactor) setup(raw []byte) ([]byte, error) {
	rec, err := journal.Decode(raw)
	if err != nil {
		return nil, err
	}
	h := rec.Header
	if h == nil {
		return nil, fmt.Errorf("journal: record 0 is no setup")
	}
	r.holds = make([]bool, grid.SlotsMax)
	if len(h.Extra) == 0 {
		return raw, nil
	}
	var set spec.Setting
	if err := json.Unmarshal(h.Extra, &set); err != nil {
		return nil, fmt.Errorf("journal: the setup's seats: %w", err)
	}
	changed := set.Starter == r.account
	if changed {
		set.Starter = ""
	}
	for i := range set.Seats {
		if x := &set.Seats[i]; x.Account == r.account && i < len(r.holds) {
			x.Account, x.Name, r.holds[i], changed = "", r.name, true, true
		}
	}
	if !changed {
		return raw, nil
	}
	if h.Extra, err = json.Marshal(set); err != nil {
		return nil, fmt.Errorf("journal: the setup's seats: %w", err)
	}
	return journal.HeaderRecord(h)
}
