package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/plain"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Protocol is the version of the protocol.
const Protocol = 1

// ErrClient is wrapped by every error of [DecodeClient].
var ErrClient = errors.New("bad client message")

// ClientFrame is one message of a client. Its shape and ranges are checked.
type ClientFrame struct {
	Hello   *Hello
	Applied grid.Tick
	Inputs  []sim.Input // orders, chat and pings, in that order, without slot and lag
	Camera  *Camera
	Pace    *Pace
	Resync  bool
	Speed   *Speed
	Replay  *ReplayControl
	Vote    *Vote
	Network *NetworkReport
}

// Hello asks for a seat, with a ticket or with the resume token of an earlier
// welcome.
type Hello struct {
	Protocol       uint32
	Ticket, Resume string
	DerivesFog     bool
	Beside         bool // a second connection of the same replay
	Packed         bool // it reads packed rows
}

// Camera is the part of the map that a player looks at.
type Camera struct {
	At     grid.Tile
	Radius int // tiles
}

// Speed is how fast a player wants the match to run. The match knows which speeds
// there are.
type Speed struct {
	Percent uint32
	Paused  bool
}

// Vote is a player's vote on a question. The match judges its kind and slot.
type Vote struct {
	Kind pb.VoteKind
	Slot grid.Slot // of a kick; another number than a slot's is NoSlot
	Yes  bool
}

// ReplayControl is a spectator's request about a replay: nil leaves a setting as it is.
type ReplayControl struct {
	Number  uint32 // the client's; 0: without a number
	Seek    *grid.Tick
	Step    *int32
	Percent *uint32 // of the normal speed
	Paused  *bool
	Eyes    *grid.Team // [grid.NoTeam]: all teams'
}

// Pace is the limit that a client asks for.
type Pace struct {
	BytesPerS  uint32 // 0: as much as the server allows
	FramesPerS uint32 // 0: every tick that has news
}

// NetworkReport is a client's account of its connection and its page: counts since its last report.
type NetworkReport struct {
	Seconds, Frames, Late, Gaps, LongestMs, TripMs, Corrections, Drawn, Slow int
}

// reportMax bounds each number of a report: more than a minute of any page has.
const reportMax = 1 << 17

func decodeReport(r *pb.NetworkReport) *NetworkReport {
	n := func(x uint32) int { return int(min(x, reportMax)) }
	return &NetworkReport{
		n(r.Seconds), n(r.Frames), n(r.Late), n(r.Gaps), n(r.LongestMs), n(r.TripMs), n(r.Corrections), n(r.Drawn), n(r.Slow),
	}
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrClient, fmt.Errorf(format, args...))
}

// DecodeClient reads one message of a client, within [Limits]. The result shares no memory with b. A malformed order,
// line or ping with a sequence number is not an error: DecodeClient returns it as an input that the match answers
// MALFORMED. After an error there is no input to answer.
func DecodeClient(b []byte) (ClientFrame, error) {
	if len(b) > ClientBytesMax {
		return ClientFrame{}, bad("%d bytes: at most %d", len(b), ClientBytesMax)
	}
	if err := boundClient(b); err != nil {
		return ClientFrame{}, err
	}
	var m pb.ClientFrame
	if err := proto.Unmarshal(b, &m); err != nil {
		return ClientFrame{}, bad("%w", err)
	}
	f := ClientFrame{Applied: grid.Tick(m.Applied), Resync: m.Resync}
	if h := m.Hello; h != nil {
		if len(h.Ticket) > credentialMax || len(h.Resume) > credentialMax {
			return ClientFrame{}, bad("hello: ticket or token of more than %d bytes", credentialMax)
		}
		f.Hello = &Hello{h.Protocol, h.Ticket, h.Resume, h.DerivesFog, h.Beside, h.Packed}
	}
	if c := m.Camera; c != nil {
		x, y, radius := min(c.X, grid.MapSideMax), min(c.Y, grid.MapSideMax), min(c.Radius, grid.MapSideMax)
		f.Camera = &Camera{grid.Tile{X: int16(x), Y: int16(y)}, int(radius)}
	}
	if p := m.Pace; p != nil {
		f.Pace = &Pace{p.BytesPerS, p.FramesPerS}
	}
	if x := m.SetSpeed; x != nil {
		f.Speed = &Speed{x.Percent, x.Paused}
	}
	if v := m.Vote; v != nil {
		f.Vote = &Vote{v.Kind, grid.NoSlot, v.Yes}
		if v.Slot < grid.SlotsMax {
			f.Vote.Slot = grid.Slot(v.Slot)
		}
	}
	if r := m.Network; r != nil {
		f.Network = decodeReport(r)
	}
	if c := m.Replay; c != nil {
		f.Replay = decodeControl(c)
	}
	return f, decodeInputs(&f, &m)
}

// decodeControl reads a control of a replay. Eyes that no match has are no team's.
func decodeControl(c *pb.ReplayControl) *ReplayControl {
	out := &ReplayControl{Number: c.Number, Step: c.Step, Percent: c.Percent, Paused: c.Paused}
	if c.Seek != nil {
		t := grid.Tick(*c.Seek)
		out.Seek = &t
	}
	if c.Eyes != nil {
		team := grid.NoTeam
		if n := *c.Eyes; n > 0 && n <= grid.SlotsMax {
			team = grid.Team(n - 1)
		}
		out.Eyes = &team
	}
	return out
}

func decodeInputs(f *ClientFrame, m *pb.ClientFrame) error {
	if n := len(m.Orders) + len(m.Says) + len(m.Pings); n > 0 {
		f.Inputs = make([]sim.Input, 0, n)
	}
	for i, o := range m.Orders {
		in, err := decodeOrder(o)
		if err != nil {
			return bad("order %d: %w", i, err)
		}
		in.AsOf = f.Applied
		f.Inputs = append(f.Inputs, in)
	}
	for i, s := range m.Says {
		if s.Seq == 0 {
			return bad("chat line %d: no sequence number", i)
		}
		text := s.Text
		if len(text) > sim.TextBytesMax || !plain.Line(text) {
			text = "" // the match answers MALFORMED
		}
		f.Inputs = append(f.Inputs, sim.Input{Kind: sim.InputChat, Seq: s.Seq, All: s.All, Text: text})
	}
	for i, p := range m.Pings {
		if p.Seq == 0 {
			return bad("ping %d: no sequence number", i)
		}
		in := sim.Input{Kind: sim.InputPing, Seq: p.Seq}
		if p.At != nil { // without a place the kind stays 0, which is malformed
			in.Ping, in.Point = pings[p.Kind], grid.Pos{X: p.At.X, Y: p.At.Y}
		}
		f.Inputs = append(f.Inputs, in)
	}
	return nil
}

// kinds has the kind of order of each number of the wire.
var kinds = func() (out [orders.Kinds]orders.Kind) {
	for k := range orders.Forms {
		out[orders.Forms[k].Wire] = orders.Kind(k)
	}
	return out
}()

// kindOf returns the kind of a number of the wire. An unknown number is None, whose orders
// the match answers MALFORMED.
func kindOf(k pb.OrderKind) orders.Kind {
	if k < 0 || int(k) >= len(kinds) {
		return orders.None
	}
	return kinds[k]
}

// pings maps the wire's kinds of pings to the simulation's. A kind that is
// not in it is answered MALFORMED.
var pings = map[pb.PingKind]sim.PingKind{
	pb.PingKind_PING_KIND_LOOK:   sim.PingLook,
	pb.PingKind_PING_KIND_DANGER: sim.PingDanger,
	pb.PingKind_PING_KIND_HELP:   sim.PingHelp,
}

// WireKind returns the wire's number of an order kind.
func WireKind(k orders.Kind) pb.OrderKind {
	if int(k) < len(orders.Forms) {
		return pb.OrderKind(orders.Forms[k].Wire)
	}
	return pb.OrderKind_ORDER_KIND_UNSPECIFIED
}

func decodeOrder(o *pb.Order) (sim.Input, error) {
	if o.Seq == 0 {
		return sim.Input{}, errors.New("no sequence number")
	}
	if !inRange(o) {
		return sim.Input{Kind: sim.InputOrder, Seq: o.Seq}, nil // kind 0 is answered MALFORMED
	}
	out := orders.Order{
		Kind: kindOf(o.Kind), Queued: o.Queued, Together: o.Together, Target: grid.Handle(o.Target), Request: o.Request,
	}
	if len(o.Units) > 0 {
		out.Units = make([]grid.Handle, len(o.Units))
		for i, h := range o.Units {
			out.Units[i] = grid.Handle(h)
		}
	}
	if o.To != nil {
		out.HasPoint, out.Point = true, grid.Pos{X: o.To.X, Y: o.To.Y}
	}
	switch orders.Forms[out.Kind].Number {
	case orders.TypeNumber:
		out.Type = uint16(o.What)
	case orders.AbilityNumber:
		out.Ability = uint8(o.What)
	case orders.ItemNumber:
		out.Item = uint8(o.What)
	}
	return sim.Input{Kind: sim.InputOrder, Seq: o.Seq, Order: out}, nil
}

// inRange reports whether the numbers of an order are within those limits that
// are answered MALFORMED.
func inRange(o *pb.Order) bool {
	most := uint32(1<<32 - 1)
	switch orders.Forms[kindOf(o.Kind)].Number {
	case orders.TypeNumber:
		most = orderTypeMax
	case orders.AbilityNumber:
		most = orderAbilityMax
	case orders.ItemNumber:
		most = orderItemMax
	}
	return len(o.Units) <= orders.UnitsMax && o.What <= most
}

// The numbers of ClientFrame's repeated fields.
const (
	fieldOrders = 3
	fieldSays   = 5
	fieldPings  = 6
)

// boundClient counts the fields of a message before memory is allocated for
// them. The contents of a field cost a small multiple of its bytes.
func boundClient(b []byte) error {
	count := [12]int{}
	for at := 0; at < len(b); {
		num, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return bad("offset %d: %w", at, protowire.ParseError(n))
		}
		m := protowire.ConsumeFieldValue(num, typ, b[at+n:])
		if m < 0 {
			return bad("offset %d: field %d: %w", at, num, protowire.ParseError(m))
		}
		if int(num) <= len(count) { // other fields are of a later version, and are skipped
			count[num-1]++
		}
		at += n + m
	}
	for i, n := range count {
		limit := 1
		switch i + 1 {
		case fieldOrders:
			limit = ordersMax
		case fieldSays:
			limit = saysMax
		case fieldPings:
			limit = pingsMax
		}
		if n > limit {
			return bad("field %d: %d times, at most %d", i+1, n, limit)
		}
	}
	return nil
}
