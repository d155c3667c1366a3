package client

import (
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/visibility"
)

// Errors of a [State].
var (
	// ErrWelcome is in errors about a welcome that the client cannot play by. A
	// new connection does not help.
	ErrWelcome = errors.New("client: bad welcome")
	// ErrStream is in errors about a frame that does not follow from the frames
	// before, or that cannot be decoded. The client has to ask for a snapshot: see [State.Ack].
	ErrStream = errors.New("client: broken stream")
)

// Config says how a client reads its match.
type Config struct {
	// Map returns the public map with the hash that the welcome names.
	Map func(hash string) (*grid.Map, error)
	// DerivesFog: the server sends no mask rows, and the client computes its mask
	// with a [Fog].
	DerivesFog bool
}

// OneMap is a Config.Map with one map, for any hash: [State.Apply] compares it with the welcome.
func OneMap(m *grid.Map) func(string) (*grid.Map, error) {
	return func(string) (*grid.Map, error) { return m, nil }
}

// State is all that one client knows of its match. It lives as long as the seat:
// a client that reconnects goes on with the same State.
//
// The fields are nil until the first welcome. They are to be read; only Apply
// changes them.
type State struct {
	Map     *grid.Map
	Welcome *pb.Welcome // of the newest connection
	Replica *Replica
	Fog     *Fog // nil without Config.DerivesFog
	Own     *OwnerState

	BytesPerS uint32           // the most that the server sends a second, as it said last; 0: no limit
	Watching  *pb.ReplayStatus // of a replay: where it stands, as the server said last
	Ended     *pb.Ended        // how the match ended; nil: it runs
	Speed     *pb.Speed        // how fast the match runs, as the server said last; nil: at normal speed
	Votes     *pb.Votes        // as the server said last; nil: no question yet

	// MaskDiffers: the server's hash of the mask is not the client's, as of the
	// last frame. A healthy stream never comes to that; [State.Ack] asks for all
	// rows.
	MaskDiffers bool

	cfg    Config
	dec    wire.Decoder
	broken bool // only a snapshot is taken
	seq    uint32
}

// New returns the state of a client that has received no message yet.
func New(cfg Config) *State { return &State{cfg: cfg} }

// Hello returns the first message of a connection. A client that was welcomed
// before comes back with its resume token and names the tick that it holds;
// another shows the ticket.
func (s *State) Hello(ticket string) *pb.ClientFrame {
	out := &pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticket, DerivesFog: s.cfg.DerivesFog, Packed: true}}
	if s.Welcome != nil {
		out.Hello.Ticket, out.Hello.Resume = "", s.Welcome.Resume
		if !s.broken {
			out.Applied = uint32(s.Tick())
		}
	}
	return out
}

// Receive reads a message and applies it: [State.Decode] and [State.Apply].
func (s *State) Receive(b []byte) (*wire.ServerFrame, error) {
	f, err := s.Decode(b)
	if err != nil {
		return nil, err
	}
	return f, s.Apply(f)
}

// Decode reads a message without applying it. Messages are decoded in the order in which they arrive. Malformed bytes
// are an ErrStream: their content is lost, and later messages build on it.
func (s *State) Decode(b []byte) (*wire.ServerFrame, error) {
	f, err := s.dec.Decode(b)
	if err != nil {
		s.broken = true
		return nil, fmt.Errorf("%w: %w", ErrStream, err)
	}
	return f, nil
}

// Apply takes in a message. The caller reads from the frame the parts that the state does not keep (answers, chat,
// events). A message with only a pause of the match, an event of a replay, or the reason of a disconnect changes no
// state.
//
// Errors are from Config.Map, or ErrWelcome or ErrStream. After ErrStream all
// frames but a snapshot are refused with it.
func (s *State) Apply(f *wire.ServerFrame) error {
	if f.Speed != nil {
		s.Speed = f.Speed
	}
	if f.Votes != nil {
		s.Votes = f.Votes
	}
	switch {
	case f.Welcome != nil:
		s.BytesPerS, s.Speed, s.Votes, s.Watching = f.Welcome.BytesPerS, nil, nil, nil
		return s.welcome(f.Welcome)
	case f.Replay != nil:
		s.Watching = f.Replay
		return nil
	case !f.IsFrame():
		return nil
	case s.Replica == nil:
		return fmt.Errorf("%w: a frame before the welcome", ErrStream)
	case s.broken && !f.Diff.Snapshot:
		return fmt.Errorf("%w: no snapshot", ErrStream)
	}
	if f.Diff.Snapshot && s.Welcome.Replay != nil {
		// It may be of an earlier tick, or of other eyes, which have explored less.
		if err := s.begin(); err != nil {
			return err
		}
	}
	if s.Fog != nil {
		s.Fog.Before(s.Replica, &f.Diff)
	}
	if err := s.Replica.Apply(&f.Diff); err != nil {
		s.broken = true
		return fmt.Errorf("%w: %w", ErrStream, err)
	}
	s.broken = false
	if f.Ended != nil {
		s.Ended = f.Ended
	}
	if f.Budget != nil {
		s.BytesPerS = f.Budget.BytesPerS
	}
	s.Own.Apply(&f.Diff, f.Own, s.Replica.Tick)
	if s.Fog != nil {
		s.MaskDiffers = !s.Fog.After(s.Replica, &f.Diff)
	} else {
		s.MaskDiffers = f.Diff.HasHash && f.Diff.Hash != s.Replica.MaskHash()
	}
	return nil
}

// Broken reports whether the stream broke and no snapshot has come since.
func (s *State) Broken() bool { return s.broken }

// Ack returns a message that tells the server which tick the client has applied,
// and asks for a snapshot or for all mask rows if the client needs them. Orders
// may be added to it.
func (s *State) Ack() *pb.ClientFrame {
	if s.broken {
		return &pb.ClientFrame{Resync: true}
	}
	return &pb.ClientFrame{Applied: uint32(s.Tick()), Resync: s.MaskDiffers}
}

// Number gives an order, a line of chat or a ping the next sequence number. The
// server answers each number once.
func (s *State) Number() uint32 {
	s.seq++
	return s.seq
}

// Tick returns the tick of the last frame, 0 before the first.
func (s *State) Tick() grid.Tick {
	if s.Replica == nil {
		return 0
	}
	return s.Replica.Tick
}

// Slot returns the client's slot, [grid.NoSlot] of a spectator.
func (s *State) Slot() grid.Slot { return grid.Slot(s.Welcome.Slot) }

// Team returns the team with whose eyes the client sees, [grid.NoTeam] for a spectator with the eyes of all. In a
// replay it changes.
func (s *State) Team() grid.Team {
	if s.Watching == nil {
		return grid.Team(s.Welcome.Team)
	}
	if n := s.Watching.Eyes; n > 0 && n <= grid.SlotsMax {
		return grid.Team(n - 1)
	}
	return grid.NoTeam
}

// Value returns a declared value of an entity by its name. It reports false if the client does
// not hold the entity, its type lacks the value, or the client may not know it.
func (s *State) Value(h grid.Handle, name string) (int32, bool) {
	e := s.Replica.Entities[h]
	if e == nil {
		return 0, false
	}
	list := e.Declared
	for _, x := range s.Welcome.Types[e.Type].Values {
		if int(x.Value) >= len(s.Welcome.Values) || s.Welcome.Values[x.Value].Name != name {
			continue
		}
		if s.Welcome.Values[x.Value].Class == "owner" {
			if e.Owner != s.Slot() {
				return 0, false
			}
			list = s.Own.Declared[h]
		}
		for _, d := range list {
			if uint32(d.Value) == x.Value {
				return view.ValueOf(x.Start, d.N), true
			}
		}
		return x.Start, true
	}
	return 0, false
}

// Visible reports whether the tile, which must be on the map, is seen now.
func (s *State) Visible(t grid.Tile) bool {
	if s.Fog != nil {
		return s.Fog.Visible(t)
	}
	return s.Replica.Visible(t)
}

// Explored reports whether the tile, which must be on the map, was ever seen.
func (s *State) Explored(t grid.Tile) bool {
	return s.Fog != nil && s.Fog.Explored(t) || s.Replica.Explored(t)
}

// MaskHash returns the hash of the visible tiles.
func (s *State) MaskHash() uint32 {
	if s.Fog != nil {
		return s.Fog.Hash()
	}
	return s.Replica.MaskHash()
}

// welcome begins the match, or goes on with it on a new connection.
func (s *State) welcome(w *pb.Welcome) error {
	if was := s.Welcome; was != nil {
		if w.MatchId != was.MatchId || w.Slot != was.Slot {
			return fmt.Errorf("%w: match %s, slot %d after match %s, slot %d", ErrWelcome, w.MatchId, w.Slot, was.MatchId, was.Slot)
		}
		s.Welcome = w
		return nil
	}
	m, err := s.cfg.Map(w.MapHash)
	if err != nil {
		return fmt.Errorf("map %s: %w", w.MapHash, err)
	}
	if hash := m.Hash().String(); hash != w.MapHash {
		return fmt.Errorf("%w: the match is on map %s, this is %s", ErrWelcome, w.MapHash, hash)
	}
	s.Map, s.Welcome = m, w
	if err := s.begin(); err != nil {
		s.Map, s.Welcome = nil, nil
		return err
	}
	return nil
}

// begin forgets all that frames have told.
func (s *State) begin() error {
	w := s.Welcome
	speeds, eyes := make([]int32, len(w.Types)), make([]Eye, len(w.Types))
	for i, t := range w.Types {
		speeds[i] = int32(t.Speed)
		eyes[i] = Eye{
			Radius: visibility.Radius(t.Sight), Flyer: t.FlyerSight, LevelBonus: grid.Level(t.LevelBonus),
			Blind:  t.Class == pb.TypeClass_TYPE_CLASS_PROJECTILE || t.Class == pb.TypeClass_TYPE_CLASS_RESOURCE,
			Opaque: t.BlocksSight,
		}
	}
	allies, team := grid.SlotSet(0), s.Team()
	for i, p := range w.Players {
		if team == grid.NoTeam || grid.Team(p.Team) == team {
			allies = allies.With(grid.Slot(i))
		}
	}
	if s.cfg.DerivesFog {
		fog, err := NewFog(s.Map, eyes, allies, grid.Ticks(w.DyingSightTicks))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrWelcome, err)
		}
		s.Fog = fog
	}
	s.Ended = nil
	s.Replica, s.Own = NewReplica(s.Map.W, s.Map.H, speeds), NewOwnerState(s.Map.W)
	s.Replica.Periods, s.Replica.Changes = periodsOf(w), changesOf(w)
	s.Replica.Contact = grid.Ticks(w.ContactTicks)
	return nil
}

// changesOf returns the changes of the welcome's effects to attributes. The server may send anything.
func changesOf(w *pb.Welcome) Changes {
	out := make(Changes, len(w.Effects))
	for i, x := range w.Effects {
		for _, c := range x.Changes {
			if c.Attribute < uint32(view.AttributeEnd) {
				out[i] = append(out[i], view.AttributeChange{
					Attribute: view.AttributeID(c.Attribute), Add: c.Add, Percent: c.Percent,
					CapPercent: int32(min(c.CapPercent, 1<<31-1)), Cap: int32(min(c.Cap, 1<<31-1)),
				})
			}
		}
	}
	return out
}
