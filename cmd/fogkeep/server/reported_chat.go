package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Said implements replay.Replays: it reads the player's chat in a journal, of a live match or a past one.
func (a *replayAdapter) Said(ctx context.Context, id model.MatchID, start int, allies bool, until uint32) (lines []model.ReportLine, last uint32, err error) {
	tail, err := a.journals.Follow(string(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, model.ReplayExpired
	}
	if err != nil {
		return nil, 0, err
	}
	defer tail.Close()
	slot := grid.NoSlot
	_, err = journal.Walk(tail.Read, func(_ uint64, r journal.Record, _ *journal.Summary) error {
		switch {
		case r.Header != nil:
			var set spec.Setting
			if err := json.Unmarshal(r.Header.Extra, &set); err != nil {
				return err
			}
			slot = grid.Slot(slices.IndexFunc(set.Seats, func(x spec.Seat) bool { return x.Start == start }))
		case r.Tick != nil:
			last = max(last, uint32(r.Tick.Tick))
			for i := range r.Tick.Inputs {
				in := &r.Tick.Inputs[i]
				switch {
				case in.Slot != slot || uint32(r.Tick.Tick) > until:
				case in.Kind == sim.InputTaken:
					lines = nil // the words of the seat's former player
				case in.Kind == sim.InputChat && (in.All || allies):
					lines = append(lines, model.ReportLine{Tick: uint32(r.Tick.Tick), Text: in.Text})
				}
			}
			lines = lines[max(0, len(lines)-model.ReportLinesMax):]
		}
		return ctx.Err()
	})
	if err != nil {
		err = &model.Error{Code: model.ReplayVersion, Err: err}
	}
	return lines, last, err
}
