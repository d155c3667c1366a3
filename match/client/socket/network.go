package socket

import (
	"slices"
	"time"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// The bounds of an account of the connection: web/sdk/src/match/network.ts has the same.
const (
	accountPeriod   = time.Minute
	lateFrom        = 100 * time.Millisecond
	gapFrom         = 1500 * time.Millisecond
	earliestSeconds = 10
	tripsMax        = 64
	accountMax      = 1 << 17 // the largest number: a computer may sleep for months
)

// network counts for the next [pb.NetworkReport].
type network struct {
	frames, late, gaps uint32
	longest            time.Duration
	start, heard       time.Time
	epoch              time.Time                      // of ticks
	speed              uint32                         // in percent
	earliest           [earliestSeconds]time.Duration // of a frame's time after the time of its tick, by second
	second             int64                          // of the newest of earliest
	given              map[uint32]time.Time           // when an order was sent, by its number
	trips              []time.Duration
}

// alive notes a message.
func (n *network) alive(now time.Time) {
	if n.start.IsZero() {
		n.start, n.heard = now, now
	}
	silent := now.Sub(n.heard)
	n.heard, n.longest = now, max(n.longest, silent)
	if silent > gapFrom {
		n.gaps++
		n.epoch = time.Time{} // the frames after a stop of the server are not late
	}
}

// frame counts a frame, after alive.
func (n *network) frame(s *Client, f *wire.ServerFrame, now time.Time) {
	n.frames++
	speed := uint32(100)
	if s.Speed != nil && s.Speed.Percent > 0 {
		speed = s.Speed.Percent
	}
	if held := s.Speed.GetHeld(); held > 0 {
		speed = speed * held / 100
	}
	span := time.Second * 100 / time.Duration(max(1, s.Welcome.TickRate*speed))
	second := now.Unix()
	if n.epoch.IsZero() || speed != n.speed || s.Speed.GetPaused() || second-n.second >= earliestSeconds {
		n.epoch, n.speed = now.Add(-time.Duration(s.Tick())*span), speed
		clear(n.earliest[:])
	}
	after := now.Sub(n.epoch) - time.Duration(s.Tick())*span
	for ; n.second < second && n.second > second-earliestSeconds; n.second++ {
		n.earliest[(n.second+1)%earliestSeconds] = after
	}
	n.second = second
	at := &n.earliest[second%earliestSeconds]
	*at = min(*at, after)
	if after-slices.Min(n.earliest[:]) > lateFrom {
		n.late++
	}
	for _, a := range f.Answers {
		if at, ok := n.given[a.Seq]; ok && len(n.trips) < tripsMax {
			n.trips = append(n.trips, now.Sub(at))
		}
		delete(n.given, a.Seq)
	}
}

// sent notes the time of orders.
func (n *network) sent(list []*pb.Order, now time.Time) {
	if n.given == nil {
		n.given = map[uint32]time.Time{}
	}
	for _, o := range list {
		if len(n.given) < tripsMax {
			n.given[o.Seq] = now
		}
	}
}

// take returns the account of a minute that is over, once; nil before.
func (n *network) take(now time.Time) *pb.NetworkReport {
	if now.Sub(n.start) < accountPeriod {
		return nil
	}
	bound := func(d, unit time.Duration) uint32 { return uint32(min(accountMax, d.Round(unit)/unit)) }
	out := &pb.NetworkReport{
		Seconds: bound(now.Sub(n.start), time.Second), Frames: n.frames, Late: n.late, Gaps: n.gaps, LongestMs: bound(n.longest, time.Millisecond),
	}
	if len(n.trips) > 0 {
		slices.Sort(n.trips)
		out.TripMs = bound(n.trips[len(n.trips)/2], time.Millisecond)
	}
	n.frames, n.late, n.gaps, n.longest, n.start, n.trips = 0, 0, 0, 0, now, n.trips[:0]
	clear(n.given)
	return out
}
