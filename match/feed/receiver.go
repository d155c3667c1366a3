package feed

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// How far behind a client may be, in seconds.
const (
	BacklogSeconds = 2 // sent but not yet acknowledged: the feed sends next to no bytes meanwhile
	BurstSeconds   = 2 // of its budget that a client can save up
)

// BytesPerSMin is the least budget that a client can ask for: with less, even the rows that are never cut would lag
// without end.
const BytesPerSMin = 512

// narrowDebtSeconds is for how long, at most, a spectator on a narrow link waits
// for its next frame because the last was large.
const narrowDebtSeconds = 8

// unlimited is more than any frame has.
const unlimited = 1 << 30

// Meter counts the bytes sent to clients.
type Meter interface {
	Frame(bytes int, sizes *wire.Sizes, snapshot bool)
	Message(msg []byte) // a message that is no frame
}

// Receiver is one client: its state, and its limits.
type Receiver struct {
	*link.Conn
	Slot    grid.Slot // [grid.NoSlot]: a spectator
	Team    grid.Team // whose eyes it has; [grid.NoTeam]: all
	Backlog *Backlog  // of its seat
	Meter   Meter     // nil: it is not counted
	// BytesPerS is the most that it is sent a second; 0: as the match has it.
	BytesPerS int

	base      grid.Tick // the tick that it holds, or will once it read its outbox; 0: none
	sent      grid.Tick // of the last frame sent
	acked     grid.Tick // last applied that it told
	mute      grid.Tick // the first tick of skipped frames in a row; 0: the last frame was sent
	form      Form
	camera    wire.Camera
	pace      wire.Pace
	toldEnd   bool
	waited    grid.Tick        // when it was last told to wait
	delta     *view.DeltaState // nil: it has all rows of its team
	credit    int              // bytes it may be sent
	filled    grid.Tick        // when credit was last added
	narrow    bool             // its link allows less than its budget does
	allowed   int              // bytes per second, by the last message to the client
	speed     uint32           // version of the speed in the last message to the client
	votes     uint32           // the same of the votes
	ownerRows []byte           // scratch
	resyncs   int
}

// NewReceiver returns the receiver of a connection. The caller sets the exported
// fields.
func NewReceiver(s *link.Conn) *Receiver {
	return &Receiver{Conn: s, form: FormOf(s.Hello)}
}

// Sent returns the tick of the last frame that the client was sent.
func (r *Receiver) Sent() grid.Tick { return r.sent }

// Holds returns the tick that the client holds, or will once it reads its outbox; 0 before the first.
func (r *Receiver) Holds() grid.Tick { return r.base }

// Acked returns the tick of the last frame that the client has told to have
// applied.
func (r *Receiver) Acked() grid.Tick { return r.acked }

// Incomplete reports whether the client lacks something that its team has.
func (r *Receiver) Incomplete() bool { return r.delta != nil }

// Pending returns how many rows the client lacks.
func (r *Receiver) Pending() int {
	if r.delta == nil {
		return 0
	}
	return r.delta.Pending()
}

// Camera returns where the client looks; a radius of 0: it did not say.
func (r *Receiver) Camera() wire.Camera { return r.camera }

// TakeResyncs returns how many snapshots the client has asked for since the
// last call.
func (r *Receiver) TakeResyncs() (n int) {
	n, r.resyncs = r.resyncs, 0
	return n
}

// Counted counts a message that is no frame.
func (r *Receiver) Counted(msg []byte) []byte {
	if r.Meter != nil {
		r.Meter.Message(msg)
	}
	return msg
}

// Take notes the settings and acknowledgements in a client's message.
func (f *Feed) Take(r *Receiver, frame *wire.ClientFrame) {
	if frame.Applied <= r.sent && frame.Applied > r.acked {
		now := r.sent
		if f.src.World != nil {
			now = f.now()
		}
		r.acked = frame.Applied
		r.NoteApplied(r.acked, now, f.PerSecond())
	}
	if frame.Camera != nil {
		r.camera = *frame.Camera
	}
	if frame.Pace != nil {
		r.pace = *frame.Pace
	}
	if frame.Resync {
		r.base = 0
		r.resyncs++
	}
}

// Wait tells the client, once a second, that its frames begin or go on in so
// many ticks.
func (r *Receiver) Wait(now grid.Tick, ticks uint32, perS int) {
	if !r.Room() || r.waited != 0 && now-r.waited < grid.Tick(perS) {
		return
	}
	r.waited = now
	r.SendWaiting(ticks)
}

// SendWaiting tells the client that there is no frame for so many ticks.
func (r *Receiver) SendWaiting(ticks uint32) {
	r.Conn.Send(r.Counted(appendFrame(nil, &pb.ServerFrame{Waiting: &pb.Waiting{Ticks: ticks}})))
}

// SpeedNews returns the news of the match's speed for the client, once; nil: without news.
func (r *Receiver) SpeedNews(f *Feed) *pb.Speed {
	if r.speed == f.Speed.Version {
		return nil
	}
	r.speed = f.Speed.Version
	return f.Speed.Tell(r.Slot)
}

// VotesNews returns the news of the votes for the client, once; nil: without news. Spectators get none.
func (r *Receiver) VotesNews(f *Feed) *pb.Votes {
	if int(r.Slot) >= len(f.Votes.Version) || r.votes == f.Votes.Version[r.Slot] {
		return nil
	}
	r.votes = f.Votes.Version[r.Slot]
	return f.Votes.Tell(r.Slot)
}

// SendStanding is SendWaiting for a match that stands still, with the news of its speed and votes, and a line of chat.
// Each may be nil.
func (r *Receiver) SendStanding(ticks uint32, speed *pb.Speed, votes *pb.Votes, line *sim.Said) {
	f := &pb.ServerFrame{Waiting: &pb.Waiting{Ticks: ticks}, Speed: speed, Votes: votes}
	if line != nil {
		f.Said = []*pb.Said{{Slot: uint32(line.Slot), All: line.To == ^grid.TeamSet(0), Text: line.Text}}
	}
	r.Conn.Send(r.Counted(appendFrame(nil, f)))
}

// skip notes that a client gets no frame of tick now. It reports false for a client that has taken no frame for long.
func (f *Feed) skip(r *Receiver, now grid.Tick) (ok bool) {
	if r.mute == 0 {
		r.mute = now
	}
	f.Counter.Skipped()
	return now-r.mute <= grid.Tick(link.MuteSeconds*f.PerSecond())
}

// Allowed returns a client's limit in bytes per second, regardless of its wish; 0: no limit.
func (m *Match) Allowed(r *Receiver) int {
	if r.BytesPerS > 0 {
		return r.BytesPerS
	}
	return m.BytesPerS
}

// refill adds the credit of the ticks since the last call and returns how many bytes the feed may send now. A quiet
// client may get a burst. A client may owe bytes, as rows that carry its team's sight are never cut. It makes up
// for a second's worth at most, or for the whole debt if its frames are never cut.
func (f *Feed) refill(r *Receiver, now grid.Tick) int {
	rate := f.Allowed(r)
	if asked := int(min(r.pace.BytesPerS, unlimited)); asked > 0 && (rate == 0 || asked < rate) {
		rate = max(asked, BytesPerSMin)
	}
	burst := rate * BurstSeconds
	if r.narrow = r.Limit() > 0 && (rate == 0 || r.Limit() < rate); r.narrow {
		rate, burst = r.Limit(), r.Limit()/2
	}
	if rate == 0 {
		r.credit, r.filled = 0, now // neither credit nor debt counts for a budget that is set later
		return unlimited
	}
	ticks := int(min(now-r.filled, grid.Tick(BurstSeconds*f.PerSecond())))
	r.filled = now
	debt := rate
	switch {
	case !f.whole:
	case r.narrow:
		debt = narrowDebtSeconds * rate // the measured rate may be too low by far
	default:
		debt = unlimited
	}
	r.credit = min(max(r.credit, -debt)+rate*ticks/f.PerSecond(), burst)
	return r.credit
}

// behind reports whether a client is so late with its acknowledgements that the feed sends it next to no bytes.
func (f *Feed) behind(r *Receiver, now grid.Tick) bool {
	return r.Late(now, f.PerSecond()) > BacklogSeconds*f.PerSecond()
}

// holdBack reports whether a client gets no frame now: its outbox is full, it is late with its acknowledgements, its
// narrow link has to save up for a frame worth its header, or it asked for fewer frames. A client that is behind still
// gets a frame per second.
func (f *Feed) holdBack(r *Receiver, now grid.Tick) bool {
	switch {
	case !r.Room():
		return true
	case f.behind(r, now):
		return now-r.sent < grid.Tick(f.PerSecond())
	case f.refill(r, now) < r.Limit()/8 && r.narrow:
		return true
	case r.pace.FramesPerS > 0 && r.base != 0 && uint32(now-r.sent)*r.pace.FramesPerS < uint32(f.PerSecond()):
		return true
	}
	return false
}
