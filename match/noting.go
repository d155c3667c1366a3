package match

import (
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// noting measures the phases of ticks, and writes a match's notes beside its journal, see package notes.
type noting struct {
	*core
	seats *seats
	feeds *feed.Match
	log   *notes.Log
	mark  time.Time                               // when the phase in work began
	took  [phases][grid.TickRateMax]time.Duration // of the ticks of this second
	ticks int
	row   []byte // scratch
}

// open begins to note: the match has its world and its journal.
func (n *noting) open() {
	if n.host.cfg.Notes == nil {
		return
	}
	n.log = n.host.cfg.Notes.Open(n.spec.ID, n.world.Tick(), n.rate)
}

// late notes how late the coming tick begins.
func (n *noting) late(d time.Duration) {
	n.took[latePhase][n.ticks] = max(0, d)
}

// begin begins the first phase of a tick.
func (n *noting) begin() {
	n.mark = n.host.cfg.Clock.Now()
}

// end ends a phase, and begins the next.
func (n *noting) end(phase int) {
	now := n.host.cfg.Clock.Now()
	took := now.Sub(n.mark)
	n.took[phase][n.ticks], n.mark = took, now
	n.host.metrics.phases[phase].Observe(took.Seconds())
}

// tick ends a tick: cameras are noted four times per second, the rest once.
func (n *noting) tick(now grid.Tick) {
	if n.log == nil {
		return
	}
	n.refused(now)
	if n.ticks++; int(now)%max(1, n.rate/notes.CamerasPerSecond) == 0 {
		for _, st := range n.seats.all {
			if st.conn == nil {
				continue
			}
			if c := st.conn.Camera(); c.Radius > 0 {
				n.log.Camera(notes.Camera{Tick: now, Slot: st.slot, At: c.At, Radius: c.Radius})
			}
		}
	}
	if int(now)%n.rate != 0 && n.ticks < grid.TickRateMax {
		return
	}
	n.log.Times(n.times(now))
	n.ticks = 0
	for _, st := range n.seats.all {
		if st.conn != nil {
			n.log.Link(n.linkOf(st, now))
		}
	}
	n.log.Flush()
}

// reportSeconds is the least time between two reports of a seat that count.
const reportSeconds = 30

// account takes in a client's account of its connection. A client can raise the totals by one report at a time.
func (n *noting) account(st *seat, now grid.Tick, r wire.NetworkReport) {
	if st.reportTick != 0 && now-st.reportTick < grid.Tick(reportSeconds*n.rate) {
		return
	}
	st.reportTick = max(1, now)
	n.host.metrics.account(&r)
	n.log.Report(notes.Report{Tick: now, Slot: st.slot, Account: notes.Account(r)})
}

// refused notes the refused orders, except stale and rate-limited ones.
func (n *noting) refused(now grid.Tick) {
	for i := range n.inputs.compact {
		x := &n.inputs.compact[i]
		if x.Kind != sim.InputOrderRefused || x.Code == orders.RateLimited || x.Code == orders.Stale {
			continue
		}
		at := slices.IndexFunc(n.inputs.accepted, func(in sim.Input) bool {
			return in.Kind == sim.InputOrder && in.Slot == x.Slot && in.Seq == x.Seq
		})
		if at >= 0 {
			n.row = journal.AppendInput(n.row[:0], &n.inputs.accepted[at])
			n.log.Refused(notes.Refused{Tick: now, Slot: x.Slot, Input: n.row})
		}
	}
}

// times sums up the ticks of a second.
func (n *noting) times(now grid.Tick) notes.Times {
	out := notes.Times{Tick: now, Ticks: n.ticks}
	aTick := time.Second / time.Duration(max(1, n.feeds.PerSecond()))
	for _, d := range n.took[latePhase][:n.ticks] {
		if d > aTick {
			out.Missed++
		}
	}
	for phase, into := range map[int]*notes.Phase{
		stepPhase: &out.Step, writePhase: &out.Write, viewPhase: &out.View, encodePhase: &out.Encode, latePhase: &out.Late,
	} {
		took := n.took[phase][:n.ticks]
		slices.Sort(took)
		*into = notes.Phase{P50: took[len(took)/2], Max: took[len(took)-1]}
	}
	return out
}

// linkOf is how it stands with the connection of a seat.
func (n *noting) linkOf(st *seat, now grid.Tick) notes.Link {
	s, second, perS := st.conn, &st.meter.second, n.feeds.PerSecond()
	return notes.Link{
		Tick: now, Slot: st.slot, Sent: int(second.Sent().Bytes), Received: int(second.Received().Bytes), Messages: int(second.Sent().Rows),
		Pending: s.Pending(), Late: max(0, s.Late(now, perS)) * 1000 / max(1, perS), Frame: s.Sent(), Acked: s.Acked(), InFlight: s.InFlight(),
		Limit: s.Limit(), Budget: n.feeds.Allowed(s.Receiver),
	}
}
