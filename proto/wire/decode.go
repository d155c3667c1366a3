package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// rowsMax bounds the rows of one field. No match has so many entities.
const rowsMax = 1 << 16

// ServerBytesMax bounds one message of a server. A snapshot of the largest map with its mask takes a small part.
const ServerBytesMax = 4 << 20

// ErrServer is wrapped by every error of [Decoder.Decode].
var ErrServer = errors.New("bad server message")

// ServerFrame is one message of a server, for clients in Go. A message with
// Welcome, Waiting, Closing, Replay or Timeline is not a frame. One with Waiting may
// have Said and Speed besides.
type ServerFrame struct {
	Welcome *pb.Welcome
	Waiting *pb.Waiting
	Closing *pb.Closing

	Replay   *pb.ReplayStatus
	Timeline *pb.ReplayTimeline

	Diff    view.Diff       // its Tick is set only in a snapshot
	Own     *view.OwnerDiff // nil: without the player's own part
	Answers []*pb.Answer    // one for each number
	Said    []*pb.Said
	Pinged  []*pb.Pinged
	Budget  *pb.Budget // nil: as before
	Speed   *pb.Speed  // nil: as before; also with Waiting
}

// IsFrame reports whether the message is the frame of a tick.
func (f *ServerFrame) IsFrame() bool {
	return f.Welcome == nil && f.Waiting == nil && f.Closing == nil && f.Replay == nil && f.Timeline == nil
}

// Decoder reads the messages of one connection in their order. It takes from the
// welcome how kinds are numbered.
type Decoder struct{ kinds Kinds }

// Decode reads the next message.
func (dec *Decoder) Decode(b []byte) (*ServerFrame, error) {
	if len(b) > ServerBytesMax {
		return nil, fmt.Errorf("%w: %d bytes: at most %d", ErrServer, len(b), ServerBytesMax)
	}
	var m pb.ServerFrame
	if err := proto.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	f := &ServerFrame{Welcome: m.Welcome, Waiting: m.Waiting, Closing: m.Closing, Said: m.Said, Pinged: m.Pinged, Budget: m.Budget, Speed: m.Speed, Replay: m.Replay, Timeline: m.Timeline}
	if w := m.Welcome; w != nil {
		if len(w.Types) == 0 || len(w.Types) > 1<<16 || len(w.Players) == 0 || len(w.Players) > grid.SlotsMax {
			return nil, fmt.Errorf("%w: welcome with %d types and %d players", ErrServer, len(w.Types), len(w.Players))
		}
		dec.kinds = Kinds{Players: len(w.Players), Types: len(w.Types)}
	}
	if err := boundReplay(&m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	if !f.IsFrame() {
		return f, nil
	}
	if dec.kinds.Types == 0 {
		return nil, fmt.Errorf("%w: a frame before the welcome", ErrServer)
	}
	if err := Unpack(&m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	var err error
	if f.Answers, err = decodeAnswers(m.Answers); err == nil {
		f.Own, err = decodeOwn(m.Own)
	}
	if err == nil {
		err = decodeTeam(&f.Diff, &m, dec.kinds)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	return f, nil
}

func decodeTeam(d *view.Diff, m *pb.ServerFrame, k Kinds) error {
	d.Span = 1
	switch {
	case m.Tick != 0:
		d.Snapshot, d.Tick, d.Span = true, grid.Tick(m.Tick), 0
	case m.Span != 0:
		d.Span = grid.Ticks(m.Span)
	}
	d.Skipped, d.Partial = grid.Ticks(m.Skipped), m.Partial
	if n := max(len(m.Leave), len(m.Destroyed), len(m.Sights), len(m.Players)); n > rowsMax {
		return fmt.Errorf("%d rows: at most %d", n, rowsMax)
	}
	err := rows(m.LastBursts, 1+view.BurstsMax, "last_bursts", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.LastBursts = append(d.LastBursts, view.LastBurstsRow{Handle: h, Bursts: [view.BurstsMax]uint32(r)})
	})
	if err != nil {
		return err
	}
	d.Leave, d.Destroyed = handles(m.Leave), handles(m.Destroyed)
	err = rows(m.Enter, 3, "enter", k.Count(), func(h grid.Handle, rest uint32, r []uint32) {
		owner, typ := k.Split(rest)
		d.Enter = append(d.Enter, view.EnterRow{Handle: h, Type: typ, Owner: owner, Cell: r[0], Course: view.Course(r[1])})
	})
	if err != nil {
		return err
	}
	if err := decodeOwners(d, m.Owner); err != nil {
		return err
	}
	err = rows(m.Motion, 3, "motion", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Motion = append(d.Motion, view.MotionRow{Handle: h, Place: view.Place(r[0]), Course: view.Course(r[1])})
	})
	if err != nil {
		return err
	}
	err = rows(m.Exact, 3, "exact", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Exact = append(d.Exact, view.ExactRow{Handle: h, Ago: grid.Ticks(r[0]), Fine: r[1]})
	})
	if err != nil {
		return err
	}
	for i := range d.Values {
		if d.Values[i], err = decodeValues(m, valueFields[i]); err != nil {
			return err
		}
	}
	err = rows(m.Actions, 3, "actions", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Actions = append(d.Actions, view.ActionRow{Handle: h, Ability: r[0], When: r[1]})
	})
	if err != nil {
		return err
	}
	err = rows(m.Effects, 4, "effects", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Effects = append(d.Effects, view.EffectRow{Handle: h, Effect: r[0], When: r[1], Source: grid.Handle(r[2])})
	})
	if err != nil {
		return err
	}
	err = rows(m.Fire, 2, "fire", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Fire = append(d.Fire, view.FireRow{Handle: h, Target: grid.Handle(r[0])})
	})
	if err != nil {
		return err
	}
	if err := decodeGhosts(d, m.Ghosts); err != nil {
		return err
	}
	if err := decodeMask(d, m.Mask); err != nil {
		return err
	}
	if m.MaskHash != nil {
		d.HasHash, d.Hash = true, *m.MaskHash
	}
	if err := decodeEvents(d, m.Events); err != nil {
		return err
	}
	for _, s := range m.Sights {
		if s.X >= grid.MapSideMax || s.Y >= grid.MapSideMax {
			return fmt.Errorf("sight at %d,%d is beyond any map", s.X, s.Y)
		}
		d.Sights = append(d.Sights, view.Sight{
			Tile: grid.Tile{X: int16(s.X), Y: int16(s.Y)}, Radius: int(s.Radius), Flyer: s.Flyer,
			LevelBonus: int(s.LevelBonus), Until: grid.Tick(s.Ticks), // relative to the frame's tick; the reader adds it
		})
	}
	for _, p := range m.Players {
		if p.Slot >= grid.SlotsMax {
			return fmt.Errorf("player %d of at most %d", p.Slot, grid.SlotsMax)
		}
		x := view.Player{State: view.PlayerState(p.State), Name: p.Name, Scored: p.Score != nil, Score: p.GetScore(), Valued: uint8(len(p.Values))}
		if len(p.Values) > view.ValuesMax {
			return fmt.Errorf("player %d: %d values, at most %d", p.Slot, len(p.Values), view.ValuesMax)
		}
		copy(x.Values[:], p.Values)
		d.Players = append(d.Players, view.PlayerNote{Slot: grid.Slot(p.Slot), Player: x})
	}
	if e := m.Ended; e != nil {
		d.Ended = &view.Ended{Reason: e.Reason}
		for _, t := range e.Winners {
			d.Ended.Winners = append(d.Ended.Winners, grid.Team(t))
		}
		if len(e.Scores) > grid.SlotsMax {
			return fmt.Errorf("ended: %d scores: at most %d", len(e.Scores), grid.SlotsMax)
		}
		for _, x := range e.Scores {
			d.Ended.Scores = append(d.Ended.Scores, view.Score{Kills: x.GetKills(), Losses: x.GetLosses(), Made: x.GetMade(), Points: x.GetPoints()})
		}
		if len(e.Series) > grid.SlotsMax {
			return fmt.Errorf("ended: %d series: at most %d", len(e.Series), grid.SlotsMax)
		}
		d.Ended.SeriesStep = grid.Ticks(e.SeriesTicks)
		for _, x := range e.Series {
			if n := max(len(x.GetGathered()), len(x.GetArmy())); n > grid.SeriesMax {
				return fmt.Errorf("ended: a series of %d points: at most %d", n, grid.SeriesMax)
			}
			d.Ended.Series = append(d.Ended.Series, view.Series{Gathered: x.GetGathered(), Army: x.GetArmy()})
		}
	}
	return nil
}

func decodeOwners(d *view.Diff, list []uint32) error {
	most := uint32(0)
	err := rows(list, 2, "owner", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Owners, most = append(d.Owners, view.OwnerRow{Handle: h, Owner: slotOf(r[0])}), max(most, r[0])
	})
	if err == nil && most > grid.SlotsMax {
		return fmt.Errorf("owner %d of at most %d", most, grid.SlotsMax)
	}
	return err
}

// slotOf is the inverse of ownerNumber.
func slotOf(n uint32) grid.Slot {
	if n == 0 || n > grid.SlotsMax {
		return grid.NoSlot
	}
	return grid.Slot(n - 1)
}

// decodeValues reads the rows of one value of entities.
func decodeValues(m protoreflect.ProtoMessage, number protowire.Number) (out []view.ValueRow, err error) {
	msg := m.ProtoReflect()
	f := msg.Descriptor().Fields().ByNumber(number)
	if !msg.Has(f) {
		return nil, nil
	}
	list := msg.Get(f).List()
	numbers := make([]uint32, list.Len())
	for i := range numbers {
		numbers[i] = uint32(list.Get(i).Uint())
	}
	err = rows(numbers, 2, string(f.Name()), 1, func(h grid.Handle, _ uint32, r []uint32) {
		out = append(out, view.ValueRow{Handle: h, Value: r[0]})
	})
	return out, err
}

// rows splits a packed field into rows of n numbers. The first number of a row is
// the difference of handles times per, plus a rest below per.
func rows(all []uint32, n int, name string, per uint32, each func(h grid.Handle, rest uint32, r []uint32)) error {
	if len(all)/n > rowsMax {
		return fmt.Errorf("%s: %d rows: at most %d", name, len(all)/n, rowsMax)
	}
	if len(all)%n != 0 {
		return fmt.Errorf("%s: %d numbers are no rows of %d", name, len(all), n)
	}
	h := grid.Handle(0)
	for ; len(all) > 0; all = all[n:] {
		h += grid.Handle(all[0] / per)
		each(h, all[0]%per, all[1:n])
	}
	return nil
}

func handles(gaps []uint32) []grid.Handle {
	if len(gaps) == 0 {
		return nil
	}
	out, h := make([]grid.Handle, len(gaps)), grid.Handle(0)
	for i, g := range gaps {
		h += grid.Handle(g)
		out[i] = h
	}
	return out
}

// at returns the number of row i in column c, 0 if the column is shorter.
func at(c []uint32, i int) uint32 {
	if i < len(c) {
		return c[i]
	}
	return 0
}

func decodeGhosts(d *view.Diff, g *pb.Ghosts) error {
	if g == nil {
		return nil
	}
	if n := max(len(g.Handle), len(g.Gone)); n > rowsMax {
		return fmt.Errorf("ghosts: %d rows: at most %d", n, rowsMax)
	}
	d.GhostGone = handles(g.Gone)
	for i, h := range handles(g.Handle) {
		owner := grid.NoSlot
		if o := at(g.Owner, i); o > grid.SlotsMax {
			return fmt.Errorf("ghost %d: owner %d of at most %d", h, o, grid.SlotsMax)
		} else if o > 0 {
			owner = grid.Slot(o - 1)
		}
		d.Ghosts = append(d.Ghosts, view.Ghost{
			Handle: h, Type: uint16(at(g.Type, i)), Owner: owner,
			Pos:    grid.Pos{X: int32(at(g.X, i)), Y: int32(at(g.Y, i))},
			Facing: grid.Facing(at(g.Facing, i)), Missing: int32(at(g.HpMissing, i)),
		})
	}
	return nil
}

func decodeMask(d *view.Diff, m *pb.MaskRows) error {
	if m == nil {
		return nil
	}
	visible, explored, y := m.Visible, m.Explored, 0
	take := func(from *[]uint32, n uint32) ([]uint32, error) {
		if int(n) > len(*from) {
			return nil, fmt.Errorf("mask: row %d has %d runs, %d are left", y, n, len(*from))
		}
		if n == 0 {
			return nil, nil
		}
		out := (*from)[:n:n]
		*from = (*from)[n:]
		return out, nil
	}
	for i, gap := range m.Row {
		if gap > grid.MapSideMax || y+int(gap) >= grid.MapSideMax {
			return fmt.Errorf("mask: row %d is beyond any map", y+int(gap))
		}
		if y += int(gap); i > 0 && gap == 0 {
			return fmt.Errorf("mask: row %d comes twice", y)
		}
		row := view.MaskRow{Y: y}
		var err error
		if row.Visible, err = take(&visible, at(m.VisibleRuns, i)); err != nil {
			return err
		}
		if row.Explored, err = take(&explored, at(m.ExploredRuns, i)); err != nil {
			return err
		}
		d.Mask = append(d.Mask, row)
	}
	return nil
}

func decodeEvents(d *view.Diff, e *pb.Events) error {
	if e == nil {
		return nil
	}
	if len(e.Kind) > rowsMax {
		return fmt.Errorf("events: %d rows: at most %d", len(e.Kind), rowsMax)
	}
	for i, kind := range e.Kind {
		d.Events = append(d.Events, view.Event{
			Kind: view.EventKind(kind), At: grid.Pos{X: int32(at(e.X, i)), Y: int32(at(e.Y, i))}, What: at(e.What, i),
			Source: grid.Handle(at(e.Source, i)), Target: grid.Handle(at(e.Target, i)),
		})
	}
	return nil
}

// timelineRowsMax bounds the events of one part of a replay's timeline, and the numbers
// of a column.
const timelineRowsMax = 1 << 15

// boundReplay checks the replay part of a message.
func boundReplay(m *pb.ServerFrame) error {
	if p := m.Replay; p != nil {
		if n := max(len(p.Cameras), len(p.Production)); n > rowsMax {
			return fmt.Errorf("replay: %d rows: at most %d", n, rowsMax)
		}
		for _, c := range p.Cameras {
			if c.GetSlot() >= grid.SlotsMax {
				return fmt.Errorf("replay: camera of player %d of at most %d", c.GetSlot(), grid.SlotsMax)
			}
		}
		for _, x := range p.Production {
			if x.GetSlot() >= grid.SlotsMax {
				return fmt.Errorf("replay: production of player %d of at most %d", x.GetSlot(), grid.SlotsMax)
			}
		}
	}
	t := m.Timeline
	if t == nil {
		return nil
	}
	if len(t.Series) > grid.SlotsMax {
		return fmt.Errorf("timeline: %d series: at most %d", len(t.Series), grid.SlotsMax)
	}
	for _, s := range t.Series {
		if s.GetSlot() >= grid.SlotsMax {
			return fmt.Errorf("timeline: series of player %d of at most %d", s.GetSlot(), grid.SlotsMax)
		}
		if n := max(len(s.Held), len(s.Gathered), len(s.Army)); n > timelineRowsMax {
			return fmt.Errorf("timeline: a series of %d numbers: at most %d", n, timelineRowsMax)
		}
	}
	if len(t.Events) > timelineRowsMax {
		return fmt.Errorf("timeline: %d events: at most %d", len(t.Events), timelineRowsMax)
	}
	for _, e := range t.Events {
		if len(e.GetLosses()) > grid.SlotsMax || max(e.GetSlot(), e.GetBy(), e.GetTeam(), e.GetOther()) > grid.SlotsMax {
			return fmt.Errorf("timeline: event of players or teams beyond %d", grid.SlotsMax)
		}
	}
	return nil
}
