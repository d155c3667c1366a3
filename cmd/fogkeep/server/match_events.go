package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replay/export"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
)

// How matches are read for their events: how many are open at a time, how long one stays
// open without a question, and how long a question waits for the reading.
const (
	eventsOpenMax = 16
	eventsOpenFor = time.Minute
	eventsWait    = 3 * time.Second
	archiveWait   = 10 * time.Second // the same for the timeline of the archive
)

// matchEvents reads what happened in matches from their journals, as replays do, so that
// a match that runs is read as late as its spectators see it.
type matchEvents struct {
	library *playback.Library

	mu   sync.Mutex
	open map[model.MatchID]*openEvents
}

// openEvents is a match that is open for its events.
type openEvents struct {
	rec   *playback.Recording
	users int
	close *time.Timer // once nobody has asked for a while
}

// Events returns the events of a match that were known delay ago, after the first ones.
func (a *matchEvents) Events(ctx context.Context, id model.MatchID, delay time.Duration, after, limit int) (out model.MatchEvents, err error) {
	o, err := a.take(ctx, id)
	if err != nil {
		return out, err
	}
	defer a.give(id, o)
	rec := o.rec
	if err := rec.Refresh(); err != nil {
		return out, model.ReplayExpired
	}
	rate := rec.Header.TickRate
	until := rec.Until(grid.Tick((int64(delay)*int64(rate)+int64(time.Second)-1)/int64(time.Second)), time.Now())
	rec.Index()
	wait, cancel := context.WithTimeout(ctx, eventsWait)
	defer cancel()
	if err := rec.Await(wait, until); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return out, eventsError(err)
	}
	until = min(until, rec.Indexed())
	out = model.MatchEvents{Until: uint32(until), TickRate: rate, Complete: rec.Over() && until >= rec.Last(), Next: after, Events: []model.MatchEvent{}}
	rec.Timeline(func(t *timeline.Timeline) {
		log := t.Log(until)
		from := min(after, len(log))
		for i := range log[from:min(len(log), from+limit)] {
			out.Events = append(out.Events, eventFor(rec, &log[from+i]))
		}
		out.Next = from + len(out.Events)
		out.Complete = out.Complete && out.Next == len(log)
	})
	return out, nil
}

// archiveHead is the first line of a match in the archive. It has no seed, since a match that is played on from one of
// the ticks has the same, and no names.
type archiveHead struct {
	Kind     string        `json:"kind"` // "match"
	Match    string        `json:"match"`
	Version  uint64        `json:"version"` // of the simulation
	Map      string        `json:"map"`
	MapHash  string        `json:"mapHash"`
	Rules    string        `json:"rules"`
	RuleHash string        `json:"rulesHash"`
	Mode     string        `json:"mode"`
	TickRate int           `json:"tickRate"`
	Ticks    grid.Tick     `json:"ticks"`
	Reason   string        `json:"reason"`
	Seats    []export.Seat `json:"seats"`
}

// archiveEnd is the last line: without it the client has a part of the match.
type archiveEnd struct {
	Kind string `json:"kind"` // "end"
}

// Archive returns the function that writes a finished match as lines of JSON: its inputs, or its timeline.
func (a *matchEvents) Archive(ctx context.Context, id model.MatchID, course bool) (func(io.Writer) error, error) {
	o, err := a.take(ctx, id)
	if err != nil {
		return nil, err
	}
	rec := o.rec
	err = eventsError(rec.Refresh())
	if err == nil && !rec.Over() {
		err = model.MatchRuns
	}
	if err == nil && course {
		rec.Index()
		wait, cancel := context.WithTimeout(ctx, archiveWait)
		defer cancel()
		if err = rec.Await(wait, rec.Last()); errors.Is(err, context.DeadlineExceeded) {
			err = model.Busy // it goes on being played for another minute
		} else {
			err = eventsError(err)
		}
	}
	if err != nil {
		a.give(id, o)
		return nil, err
	}
	return func(out io.Writer) error {
		defer a.give(id, o)
		h, sum := &rec.Header, rec.Summary()
		head := archiveHead{
			"match", h.Match, h.Sim, h.Map, h.MapHash, h.Rules, h.RuleHash, rec.Setup.Options.Mode, h.TickRate, rec.Last(), sum.Failed, export.Seats(h),
		}
		if sum.Ended != nil {
			head.Reason = sum.Ended.Reason
		}
		var line export.Timeline
		if course {
			rec.Timeline(func(t *timeline.Timeline) { line = export.TimelineOf(t, rec.Setup.Rules) })
		}
		buffer := bufio.NewWriterSize(out, 64<<10)
		lines, err := export.NewWriter(buffer, head, rec.Setup.Rules, line)
		if err == nil && course {
			err = lines.Known(rec.Last() + 1)
		}
		if err == nil && !course {
			err = rec.Records(lines.Tick)
		}
		if err == nil {
			err = json.NewEncoder(buffer).Encode(archiveEnd{"end"})
		}
		return errors.Join(err, buffer.Flush())
	}, nil
}

// eventFor turns an event of the timeline into the lobby's terms.
func eventFor(rec *playback.Recording, e *timeline.Event) model.MatchEvent {
	slot := func(s grid.Slot) *int {
		if int(s) >= len(rec.Seats) {
			return nil
		}
		return &rec.Seats[s].Start
	}
	team := func(t grid.Team) *int {
		if t == grid.NoTeam {
			return nil
		}
		n := int(t)
		return &n
	}
	out := model.MatchEvent{
		Kind: e.Kind.String(), Tick: uint32(e.Tick), Slot: slot(e.Slot), By: slot(e.By), Team: team(e.Team), Other: team(e.Other), Value: e.Value, Reason: e.Reason,
	}
	if e.Kind == timeline.ModeValue {
		out.Reason, out.Name = "", e.Reason
	}
	if e.Kind == timeline.Fight {
		out.End = uint32(e.End)
	}
	if e.Placed {
		at := e.At.Tile()
		out.At = &model.EventTile{X: int(at.X), Y: int(at.Y)}
		if e.Kind != timeline.Fight {
			out.Type = rec.Setup.Rules.Types[e.Type].Name
		}
	}
	for s := range rec.Seats {
		if e.Assists>>s&1 != 0 {
			out.Assists = append(out.Assists, rec.Seats[s].Start)
		}
	}
	for _, l := range e.Losses {
		if s := slot(l.Slot); s != nil {
			out.Losses = append(out.Losses, model.EventLoss{Slot: *s, Count: l.Count, Value: l.Value})
		}
	}
	return out
}

// take opens a match, or takes it as it is open.
func (a *matchEvents) take(ctx context.Context, id model.MatchID) (*openEvents, error) {
	a.mu.Lock()
	o := a.open[id]
	if o != nil && o.rec.Failure() == nil {
		o.users++
		a.mu.Unlock()
		return o, nil
	}
	free := o != nil || a.room()
	a.mu.Unlock()
	if !free {
		return nil, model.Busy
	}
	rec, err := a.library.Open(ctx, string(id), false)
	if err != nil {
		return nil, eventsError(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if was := a.open[id]; was != nil && was != o { // opened by another question meanwhile
		rec.Close()
		was.users++
		return was, nil
	}
	if o != nil { // it failed: its users close it
		o.close.Stop()
		if o.users == 0 {
			o.rec.Close()
		}
	}
	o = &openEvents{rec: rec, users: 1}
	o.close = time.AfterFunc(eventsOpenFor, func() { a.drop(id, o) })
	a.open[id] = o
	return o, nil
}

// room reports whether another match may be opened, and closes one without a question for
// it. a.mu is held.
func (a *matchEvents) room() bool {
	if len(a.open) < eventsOpenMax {
		return true
	}
	for id, o := range a.open {
		if o.users == 0 {
			o.close.Stop()
			delete(a.open, id)
			o.rec.Close()
			return true
		}
	}
	return false
}

// give ends a question's use of a match.
func (a *matchEvents) give(id model.MatchID, o *openEvents) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o.users--
	if a.open[id] == o {
		o.close.Reset(eventsOpenFor)
	} else if o.users == 0 {
		o.rec.Close()
	}
}

// drop closes a match about which nobody has asked for a while.
func (a *matchEvents) drop(id model.MatchID, o *openEvents) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[id] != o || o.users > 0 {
		return // give sets the timer again
	}
	delete(a.open, id)
	o.rec.Close()
}

func eventsError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return model.ReplayExpired
	case errors.Is(err, playback.ErrFull), errors.Is(err, playback.ErrClosed):
		return model.Busy
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &model.Error{Code: model.ReplayVersion, Err: err}
}
