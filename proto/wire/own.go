package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The fields of ServerFrame that this file writes.
const (
	fSaid   = 17
	fPinged = 18
)

// Answers appends answers to inputs. It joins consecutive numbers that have the
// same answer.
type Answers struct {
	first *sim.Answer // of the run that has not been appended yet
	more  uint32
}

// Append appends the answer, or keeps it so that the run can continue. The caller
// must not change *a before Flush.
func (r *Answers) Append(b []byte, a *sim.Answer) []byte {
	if f := r.first; f != nil && a.Seq == f.Seq+r.more+1 && a.Code == f.Code && len(a.Left) == 0 && len(f.Left) == 0 {
		r.more++
		return b
	}
	b = r.Flush(b)
	r.first = a
	return b
}

// Flush appends the run that was kept.
func (r *Answers) Flush(b []byte) []byte {
	if r.first != nil {
		b = appendAnswer(b, r.first, r.more)
	}
	*r = Answers{}
	return b
}

// AppendAnswer appends the answer to one input.
func AppendAnswer(b []byte, a *sim.Answer) []byte { return appendAnswer(b, a, 0) }

func appendAnswer(b []byte, a *sim.Answer, more uint32) []byte {
	at := beginField(&b, fAnswers)
	b = appendUint(b, 1, a.Seq)
	b = appendUint(b, 2, uint32(a.Code))
	b = column(b, 3, a.Left, func(l *orders.LeftOut) uint32 { return uint32(l.Unit) })
	b = column(b, 4, a.Left, func(l *orders.LeftOut) uint32 { return uint32(l.Code) })
	b = appendUint(b, 5, more)
	return endField(b, at)
}

// AppendSaid appends a line of chat, or the fate of a player's units.
func AppendSaid(b []byte, s *sim.Said) []byte {
	at := beginField(&b, fSaid)
	b = appendUint(b, 1, uint32(s.Slot))
	if s.To == ^grid.TeamSet(0) {
		b = appendUint(b, 2, 1)
	}
	b = protowire.AppendTag(b, 3, protowire.BytesType)
	b = protowire.AppendString(b, s.Text)
	b = appendUint(b, 4, uint32(s.Handed))
	b = appendUint(b, 5, uint32(s.Units))
	return endField(b, at)
}

// AppendPinged appends a team-mate's ping.
func AppendPinged(b []byte, slot grid.Slot, kind sim.PingKind, p grid.Pos) []byte {
	at := beginField(&b, fPinged)
	b = appendUint(b, 1, uint32(slot))
	b = appendUint(b, 2, uint32(kind))
	b = appendPoint(b, 3, p)
	return endField(b, at)
}

func appendPoint(b []byte, f protowire.Number, p grid.Pos) []byte {
	at := beginField(&b, f)
	b = appendSint(b, 1, p.X)
	b = appendSint(b, 2, p.Y)
	return endField(b, at)
}

func appendSint(b []byte, f protowire.Number, n int32) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, f, protowire.VarintType), protowire.EncodeZigZag(int64(n)))
}

// The fields of Own.
const (
	ownResources     = 1
	ownPopulation    = 2
	ownPopulationMax = 3
	ownQueues        = 4
	ownRallies       = 5
	ownCancelled     = 6
	ownCancelledCode = 7
	ownTasks         = 8
	ownStarted       = 9
	ownReady         = 11
	ownRunning       = 13
	ownGrants        = 14
	ownDeclared      = 16
	ownUpgrades      = 17
	ownPassengers    = 18
)

// ownValues has the rows of each value that only an owner knows.
var ownValues = [view.OwnerValueKinds]rowKind[view.ValueRow](valuesOf(&pb.Own{}, view.OwnerValueNames[:]))

// AppendOwn appends the player's own part of a frame.
func AppendOwn(b []byte, d *view.OwnerDiff) []byte {
	if d.Empty() {
		return b
	}
	at := beginField(&b, fOwn)
	b = column(b, ownResources, d.Resources, func(n *uint32) uint32 { return *n })
	if d.HasPopulation { // both are sent, even if 0
		b = protowire.AppendVarint(protowire.AppendTag(b, ownPopulation, protowire.VarintType), uint64(d.Population))
		b = protowire.AppendVarint(protowire.AppendTag(b, ownPopulationMax, protowire.VarintType), uint64(d.PopulationMax))
	}
	b = appendQueues(b, d.Queues)
	b = rallyRows.append(b, d.Rallies)
	b = column(b, ownCancelled, d.Cancelled, func(c *view.Cancelled) uint32 { return uint32(c.Unit) })
	b = column(b, ownCancelledCode, d.Cancelled, func(c *view.Cancelled) uint32 { return uint32(c.Code) })
	b = appendTasks(b, d.Tasks)
	if len(d.Started) > 0 {
		at := beginField(&b, ownStarted)
		for _, s := range d.Started {
			b = protowire.AppendVarint(protowire.AppendVarint(b, uint64(s.Request)), uint64(s.Handle))
		}
		b = endField(b, at)
	}
	for i := range ownValues {
		b = ownValues[i].append(b, d.Values[i])
	}
	b = readyRows.append(b, d.Ready)
	b = runningRows.append(b, d.Running)
	b = grantRows.append(b, d.Grants)
	b = passengerRows.append(b, d.Passengers)
	b = ownDeclaredRows.append(b, d.Declared)
	b = column(b, ownUpgrades, d.Upgrades, func(n *uint32) uint32 { return *n })
	return endField(b, at)
}

func appendQueues(b []byte, rows []view.Queue) []byte {
	if len(rows) == 0 {
		return b
	}
	at, last := beginField(&b, ownQueues), grid.Handle(0)
	for i := range rows {
		q := &rows[i]
		b = protowire.AppendVarint(protowire.AppendVarint(b, uint64(q.Handle-last)), uint64(len(q.Types)))
		for _, t := range q.Types {
			b = protowire.AppendVarint(b, uint64(t))
		}
		if len(q.Types) > 0 {
			b = protowire.AppendVarint(b, uint64(q.Progress))
		}
		last = q.Handle
	}
	return endField(b, at)
}

// The second number of a row of tasks is kind * taskPlaces + one of these.
const (
	taskNowhere = iota // no place
	taskTo             // the cell follows
	taskAlong          // the cell of the last row that had one
	taskPlaces
)

func appendTasks(b []byte, rows []view.TaskRow) []byte {
	if len(rows) == 0 {
		return b
	}
	at, last := beginField(&b, ownTasks), grid.Handle(0)
	cell, told := uint32(0), false
	for i := range rows {
		t := &rows[i]
		kind := uint64(WireKind(orders.Kind(t.Doing))) * taskPlaces
		b = protowire.AppendVarint(b, uint64(t.Handle-last))
		last = t.Handle
		switch {
		case !t.HasTo:
			b = protowire.AppendVarint(b, kind+taskNowhere)
		case told && t.Cell == cell:
			b = protowire.AppendVarint(b, kind+taskAlong)
		default:
			b = protowire.AppendVarint(protowire.AppendVarint(b, kind+taskTo), uint64(t.Cell))
			cell, told = t.Cell, true
		}
	}
	return endField(b, at)
}
