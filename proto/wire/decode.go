package wire

import (
	"cmp"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

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

// atMost returns an error if there are more than most of something.
func atMost[N int | uint32](subject string, n, most N) error {
	if n > most {
		return fmt.Errorf("%s: %d, at most %d", subject, n, most)
	}
	return nil
}

// ServerFrame is one message of a server, for clients in Go. A message with
// Welcome, Waiting, Closing, Replay or Timeline is not a frame. One with Waiting may
// have Said, Speed and Votes besides.
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
	Votes   *pb.Votes  // nil: as before; also with Waiting
	Ended   *pb.Ended  // nil: the match goes on, or ended before
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
	f := &ServerFrame{Welcome: m.Welcome, Waiting: m.Waiting, Closing: m.Closing, Said: m.Said, Pinged: m.Pinged, Budget: m.Budget, Speed: m.Speed, Votes: m.Votes, Ended: m.Ended, Replay: m.Replay, Timeline: m.Timeline}
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
	if m.MaskHash != nil {
		d.HasHash, d.Hash = true, *m.MaskHash
	}
	if err := atMost("rows", max(len(m.Leave), len(m.Destroyed), len(m.Sights), len(m.Players)), rowsMax); err != nil {
		return err
	}
	d.Leave, d.Destroyed = handles(m.Leave), handles(m.Destroyed)
	for i := range values {
		if err := values[i].readField(&d.Values[i], m); err != nil {
			return err
		}
	}
	return cmp.Or(
		lastBurstRows.read(&d.LastBursts, m.LastBursts),
		rows(m.Enter, 3, "enter", k.Count(), func(h grid.Handle, rest uint32, r []uint32) {
			owner, typ := k.Split(rest)
			d.Enter = append(d.Enter, view.EnterRow{Handle: h, Type: typ, Owner: owner, Cell: r[0], Course: view.Course(r[1])})
		}),
		decodeOwners(d, m.Owner),
		motionRows.read(&d.Motion, m.Motion),
		exactRows.read(&d.Exact, m.Exact),
		actionRows.read(&d.Actions, m.Actions),
		effectRows.read(&d.Effects, m.Effects),
		declaredRows.read(&d.Declared, m.Values),
		fireRows.read(&d.Fire, m.Fire),
		decodeGhosts(d, m.Ghosts),
		decodeMask(d, m.Mask),
		decodeEvents(d, m.Events),
		decodeSights(d, m.Sights),
		decodeContacts(d, m.Contacts),
		decodePlayers(d, m.Players),
		boundEnded(m.Ended),
	)
}

func decodeSights(d *view.Diff, list []*pb.Sight) error {
	for _, s := range list {
		if s.X >= grid.MapSideMax || s.Y >= grid.MapSideMax {
			return fmt.Errorf("sight at %d,%d is beyond any map", s.X, s.Y)
		}
		d.Sights = append(d.Sights, view.Sight{
			Tile: grid.Tile{X: int16(s.X), Y: int16(s.Y)}, Radius: int(s.Radius), Flyer: s.Flyer,
			LevelBonus: int(s.LevelBonus), Until: grid.Tick(s.Ticks), // relative to the frame's tick; the reader adds it
		})
	}
	return nil
}

func decodeContacts(d *view.Diff, c *pb.Contacts) error {
	if c == nil {
		return nil
	}
	if err := atMost("contacts: rows", len(c.X), rowsMax); err != nil {
		return err
	}
	const cells = grid.MapSideMax / view.ContactCell
	for i, x := range c.X {
		y, class := at(c.Y, i), at(c.Class, i)
		if x >= cells || y >= cells || class > 255 {
			return fmt.Errorf("contact of class %d in cell %d,%d: beyond any map or ruleset", class, x, y)
		}
		d.Contacts = append(d.Contacts, view.Contact{
			Class: uint8(class), Cell: grid.Tile{X: int16(x), Y: int16(y)}, At: grid.Tick(at(c.Ago, i)), // relative to the frame's tick; the reader subtracts it
		})
	}
	return nil
}

func decodePlayers(d *view.Diff, list []*pb.PlayerNote) error {
	for _, p := range list {
		if p.Slot >= grid.SlotsMax {
			return fmt.Errorf("player %d of at most %d", p.Slot, grid.SlotsMax)
		}
		if err := atMost(fmt.Sprintf("player %d: values", p.Slot), len(p.Values), view.ValuesMax); err != nil {
			return err
		}
		x := view.Player{State: view.PlayerState(p.State), Name: p.Name, Scored: p.Score != nil, Score: p.GetScore(), Valued: uint8(len(p.Values))}
		copy(x.Values[:], p.Values)
		d.Players = append(d.Players, view.PlayerNote{Slot: grid.Slot(p.Slot), Player: x})
	}
	return nil
}

func boundEnded(e *pb.Ended) error {
	err := cmp.Or(atMost("ended: scores", len(e.GetScores()), grid.SlotsMax), atMost("ended: series", len(e.GetSeries()), grid.SlotsMax))
	if err != nil {
		return err
	}
	for _, x := range e.GetSeries() {
		err = cmp.Or(err, atMost("ended: points of a series", max(len(x.GetGathered()), len(x.GetArmy())), grid.SeriesMax))
	}
	return err
}

func decodeOwners(d *view.Diff, list []uint32) error {
	for i := 1; i < len(list); i += ownerRows.len {
		if list[i] > grid.SlotsMax {
			return fmt.Errorf("owner %d of at most %d", list[i], grid.SlotsMax)
		}
	}
	return ownerRows.read(&d.Owners, list)
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
	if err := atMost("ghosts: rows", max(len(g.Handle), len(g.Gone)), rowsMax); err != nil {
		return err
	}
	d.GhostGone = handles(g.Gone)
	for i, h := range handles(g.Handle) {
		owner := at(g.Owner, i)
		if owner > grid.SlotsMax {
			return fmt.Errorf("ghost %d: owner %d of at most %d", h, owner, grid.SlotsMax)
		}
		d.Ghosts = append(d.Ghosts, view.Ghost{
			Handle: h, Type: uint16(at(g.Type, i)), Owner: slotOf(owner),
			Pos:    grid.Pos{X: int32(at(g.X, i)), Y: int32(at(g.Y, i))},
			Facing: grid.Facing(at(g.Facing, i)), Missing: int32(at(g.HpMissing, i)), Amount: at(g.Amount, i),
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
	if err := atMost("events: rows", len(e.Kind), rowsMax); err != nil {
		return err
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
	r, t := m.Replay, m.Timeline
	err := cmp.Or(
		atMost("replay: rows", max(len(r.GetCameras()), len(r.GetProduction())), rowsMax),
		atMost("timeline: series", len(t.GetSeries()), grid.SlotsMax),
		atMost("timeline: events", len(t.GetEvents()), timelineRowsMax),
	)
	if err != nil {
		return err
	}
	for _, c := range r.GetCameras() {
		err = cmp.Or(err, atMost("replay: camera of player", c.GetSlot(), grid.SlotsMax-1))
	}
	for _, x := range r.GetProduction() {
		err = cmp.Or(err, atMost("replay: production of player", x.GetSlot(), grid.SlotsMax-1))
	}
	for _, s := range t.GetSeries() {
		points := max(len(s.GetHeld()), len(s.GetGathered()), len(s.GetArmy()))
		err = cmp.Or(err, atMost("timeline: series of player", s.GetSlot(), grid.SlotsMax-1), atMost("timeline: numbers of a series", points, timelineRowsMax))
	}
	for _, e := range t.GetEvents() {
		of := max(uint32(len(e.GetLosses())), e.GetSlot(), e.GetBy(), e.GetTeam(), e.GetOther())
		err = cmp.Or(err, atMost("timeline: players or teams of an event", of, grid.SlotsMax))
	}
	return err
}

// decodeOwn reads the player's own part. It returns nil if the frame has no such part.
func decodeOwn(m *pb.Own) (*view.OwnerDiff, error) {
	if m == nil {
		return nil, nil
	}
	d := &view.OwnerDiff{Resources: m.Resources, Upgrades: m.Upgrades}
	if m.Population != nil || m.PopulationMax != nil {
		d.HasPopulation, d.Population, d.PopulationMax = true, m.GetPopulation(), m.GetPopulationMax()
	}
	for i, h := range m.Cancelled {
		d.Cancelled = append(d.Cancelled, view.Cancelled{Unit: grid.Handle(h), Code: uint8(at(m.CancelledCode, i))})
	}
	if len(m.Started)%2 != 0 {
		return nil, fmt.Errorf("started: %d numbers are no rows of 2", len(m.Started))
	}
	for i := 0; i < len(m.Started); i += 2 {
		d.Started = append(d.Started, view.Started{Request: m.Started[i], Handle: grid.Handle(m.Started[i+1])})
	}
	for i := range ownValues {
		if err := ownValues[i].readField(&d.Values[i], m); err != nil {
			return nil, err
		}
	}
	return d, cmp.Or(
		decodeQueues(d, m.Queues), rallyRows.read(&d.Rallies, m.Rallies), decodeTasks(d, m.Tasks),
		runningRows.read(&d.Running, m.Running), grantRows.read(&d.Grants, m.Grants), passengerRows.read(&d.Passengers, m.Passengers), readyRows.read(&d.Ready, m.Ready),
		ownDeclaredRows.read(&d.Declared, m.OwnerValues),
	)
}

func decodeQueues(d *view.OwnerDiff, all []uint32) error {
	h := grid.Handle(0)
	for len(all) > 0 {
		if len(all) < 2 {
			return fmt.Errorf("queues: a row of %d numbers", len(all))
		}
		h += grid.Handle(all[0])
		q, n := view.Queue{Handle: h}, int(all[1])
		if all = all[2:]; n > 0 {
			if n >= len(all) { // one more number follows: the progress
				return fmt.Errorf("queues: %d types and a progress in %d numbers", n, len(all))
			}
			for _, t := range all[:n] {
				q.Types = append(q.Types, uint16(t))
			}
			q.Progress, all = all[n], all[n+1:]
		}
		d.Queues = append(d.Queues, q)
	}
	return nil
}

func decodeTasks(d *view.OwnerDiff, all []uint32) error {
	h, cell := grid.Handle(0), uint32(0)
	for len(all) > 0 {
		if len(all) < 2 {
			return fmt.Errorf("tasks: a row of %d numbers", len(all))
		}
		h += grid.Handle(all[0])
		row := view.TaskRow{Handle: h, Doing: uint8(kindOf(pb.OrderKind(all[1] / taskPlaces))), HasTo: all[1]%taskPlaces != taskNowhere}
		place := all[1] % taskPlaces
		if all = all[2:]; place == taskTo {
			if len(all) == 0 {
				return fmt.Errorf("tasks: a row without its cell")
			}
			cell, all = all[0], all[1:]
		}
		if row.HasTo {
			row.Cell = cell
		}
		d.Tasks = append(d.Tasks, row)
	}
	return nil
}

// answersMax bounds the answers of one message.
const answersMax = 1 << 14

// decodeAnswers returns one answer for each number of a run.
func decodeAnswers(all []*pb.Answer) ([]*pb.Answer, error) {
	out := all[:0:0]
	for _, a := range all {
		if uint64(len(out))+uint64(a.More) >= answersMax {
			return nil, fmt.Errorf("answers: more than %d", answersMax)
		}
		out = append(out, a)
		for i := range a.More {
			out = append(out, &pb.Answer{Seq: a.Seq + i + 1, Code: a.Code})
		}
		a.More = 0
	}
	return out, nil
}
