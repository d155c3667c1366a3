package replayserver

import (
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Bounds of unacknowledged frames.
const (
	flightFrames = 64
	flightBytes  = 512 << 10
	saidMax      = 64 // lines that wait for the next frame
)

// viewer is one socket of a viewing. The viewing's goroutine owns it.
type viewer struct {
	*link.Conn
	index int
	token tokenHash // of its welcome
	eyes  grid.Team // [grid.NoTeam]: all
	form  feed.Form
	feed  *feed.Feed

	base    grid.Tick // that it holds, or will once it reads its outbox; 0: nothing
	owes    bool      // it lacks the tick that was looked at
	lines   []sim.Said
	flight  []flown // frames that it has not told to have applied
	bytes   int     // of them
	credit  credit
	proven  bool // it has applied a frame
	toldEnd bool
	parted  bool // its client took leave, and will not come back

	number    uint32 // of its newest control
	pending   uint32 // of its newest seek, while that is not done
	statusDue bool
	statusAt  time.Time
	cameras   [grid.SlotsMax]notes.Camera // as told
	muteSince time.Time                   // when it last took something, or lacked nothing

	told      told
	partsLeft bool
	partAt    time.Time
}

// flown is a frame in flight.
type flown struct {
	tick  grid.Tick
	bytes int
}

// credit are the bytes and frames that a client may be sent at the moment.
type credit struct {
	bytes int
	at    time.Time
}

// anew makes the client begin with a snapshot.
func (c *viewer) anew(m *feed.Match) {
	c.feed = m.ForSpectators()
	c.feed.Attend(c.eyes)
	c.base, c.owes, c.lines, c.toldEnd = 0, false, nil, false
}

// hear keeps a line for the next frame.
func (c *viewer) hear(s sim.Said) {
	if len(c.lines) < saidMax {
		c.lines = append(c.lines, s)
	}
}

// acked takes in which tick the client has applied, and reports whether that is its
// first. Ticks come again after a seek: the oldest frame of the tick is meant.
func (c *viewer) acked(t grid.Tick) (first bool) {
	n := slices.IndexFunc(c.flight, func(f flown) bool { return f.tick == t })
	if n < 0 {
		return false
	}
	for _, f := range c.flight[:n+1] {
		c.bytes -= f.bytes
	}
	c.flight = slices.Delete(c.flight, 0, n+1)
	first = !c.proven
	c.proven = true
	return first
}

// may reports whether the client can take a frame.
func (c *viewer) may(now time.Time, perS int) bool {
	if perS > 0 {
		c.credit.bytes = min(perS, c.credit.bytes+int(now.Sub(c.credit.at).Seconds()*float64(perS)))
		if c.credit.at = now; c.credit.bytes < 0 {
			return false
		}
	}
	return c.Room() && (len(c.flight) == 0 || len(c.flight) < flightFrames && c.bytes < flightBytes)
}

// serveClient sends a client the missing parts, as far as it has room: first the viewing's status, then the frame,
// then the timeline.
func (v *viewing) serveClient(c *viewer, now time.Time) {
	if c.statusDue || now.Sub(c.statusAt) >= statusGap {
		c.statusDue = true
		if !c.Room() {
			return
		}
		c.Send(message(&pb.ServerFrame{Replay: v.status(c, now)}))
		if c.statusDue, c.statusAt = false, now; v.last < v.first && c.Room() {
			c.Send(message(&pb.ServerFrame{Waiting: &pb.Waiting{Ticks: v.waitTicks()}}))
		}
	}
	if c.owes {
		if !c.may(now, v.service.cfg.BytesPerS) {
			return
		}
		v.sendFrame(c)
	}
	c.muteSince = now
	if now.Sub(c.partAt) >= partGap && c.Room() && c.bytes < flightBytes/2 {
		c.partAt = now
		var part *pb.ReplayTimeline
		c.partsLeft = false
		v.rec.Timeline(func(t *timeline.Timeline) {
			part, c.partsLeft = c.told.next(t, len(v.rec.Setup.Rules.Resources), v.right.Live, c.eyes, min(v.last, t.Last))
		})
		if part != nil {
			b := message(&pb.ServerFrame{Timeline: part})
			c.credit.bytes -= len(b)
			c.Send(b)
		}
	}
}

// sendFrame sends the tick that was looked at.
func (v *viewing) sendFrame(c *viewer) {
	now := v.looked
	buf, snapshot := c.feed.AppendFrame(c.Buffer(), c.eyes, c.base, c.form)
	for i := range c.lines {
		buf = wire.AppendSaid(buf, &c.lines[i])
	}
	c.lines = c.lines[:0]
	if r := v.source.World.Result(); r != nil && !c.toldEnd {
		buf = feed.AppendResult(buf, r)
		c.toldEnd = true
	}
	c.base, c.owes = now, false
	c.flight = append(c.flight, flown{now, len(buf)})
	c.bytes += len(buf)
	c.credit.bytes -= len(buf)
	v.service.metrics.frames.Inc()
	v.service.metrics.bytes.Add(float64(len(buf)))
	if snapshot {
		v.service.metrics.snapshots.Inc()
	}
	c.Send(buf)
}

// status returns how the viewing stands, for one client.
func (v *viewing) status(c *viewer, now time.Time) *pb.ReplayStatus {
	out := &pb.ReplayStatus{
		Tick: uint32(v.cursor.Tick()), Last: uint32(v.last), Percent: v.percent, Paused: v.paused, Eyes: eyesNumber(c.eyes),
		State: v.state, Indexed: uint32(min(v.last, v.rec.Indexed())), Done: c.done(),
	}
	if v.seeking {
		out.Goal = uint32(v.goal)
	}
	if v.right.Live || v.looked == 0 || v.looked != v.cursor.Tick() {
		return out // what follows is of ticks that are shown, and told once the match is over
	}
	for i := range v.rec.Seats {
		slot := grid.Slot(i)
		if at, ok := v.cameraOf(slot, v.looked); ok && at != c.cameras[i] {
			c.cameras[i] = at
			out.Cameras = append(out.Cameras, &pb.ReplayCamera{Slot: uint32(i), X: uint32(max(0, at.At.X)), Y: uint32(max(0, at.At.Y)), Radius: uint32(max(0, at.Radius))})
		}
	}
	for _, p := range timeline.Products(v.source.World) {
		out.Production = append(out.Production, &pb.ReplayProduction{
			Slot: uint32(p.Slot), Type: uint32(p.Type), Count: uint32(p.Count + p.Queued), Progress: uint32(min(255, int64(p.Done)*255/int64(max(1, p.Total)))),
		})
	}
	return out
}

// done returns the number of the newest control that is done, with all before it.
func (c *viewer) done() uint32 {
	if c.pending > 0 {
		return c.pending - 1
	}
	return c.number
}

// eyesNumber is how eyes are told: 0 for all, otherwise the team + 1.
func eyesNumber(eyes grid.Team) uint32 {
	if eyes == grid.NoTeam {
		return 0
	}
	return uint32(eyes) + 1
}
