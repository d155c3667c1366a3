package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TraceLine is one message between the server and a client, without its secrets: tickets, tokens and chat.
type TraceLine struct {
	Time     time.Time     `json:"time" doc:"when the server handed it to the connection, or received it"`
	Tick     grid.Tick     `json:"tick" doc:"of a frame its tick, else the newest tick"`
	Account  string        `json:"account,omitempty" doc:"the client's account; absent: a bot"`
	From     string        `json:"from" enum:"server,client" doc:"the sender"`
	Bytes    int           `json:"bytes" doc:"of payload"`
	Frame    bool          `json:"frame" doc:"false: a client's message, a welcome, a pause or an end"`
	Snapshot bool          `json:"snapshot"`
	Lost     int           `json:"lost,omitempty" doc:"messages missing just before this one, because the reader was too slow"`
	Parts    []Part        `json:"parts" doc:"the parts of the message"`
	Entities []TraceEntity `json:"entities,omitempty" doc:"the entities that its rows name, by handle"`
	Calls    []TraceCall   `json:"calls,omitempty" doc:"the orders in it"`
	Answers  []TraceAnswer `json:"answers,omitempty" doc:"the answers to orders in it"`
}

// The senders of a message.
const (
	FromServer = "server"
	FromClient = "client"
)

// TraceName names an entity.
type TraceName struct {
	Handle grid.Handle `json:"handle" doc:"the player's number of the entity"`
	Type   string      `json:"type,omitempty" doc:"absent: the client does not know the entity"`
}

func (n TraceName) String() string { return strings.TrimSpace(fmt.Sprintf("%s %d", n.Type, n.Handle)) }

// TraceEntity is an entity in a message.
type TraceEntity struct {
	TraceName
	Parts []TracePart `json:"parts" doc:"its rows"`
}

// TracePart is the share of one entity in one part of a message.
type TracePart struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// TraceCall is an order in a message. Its answer has the same number.
type TraceCall struct {
	Number uint32      `json:"number" doc:"the client's number of the order"`
	Kind   string      `json:"kind"`
	Units  []TraceName `json:"units,omitempty" doc:"the first 32 units"`
	Target *TraceName  `json:"target,omitempty"`
}

// TraceAnswer is the answer to an order.
type TraceAnswer struct {
	Number uint32 `json:"number"`
	Code   string `json:"code" doc:"OK: accepted"`
}

// Bounds of a line: units of an order, and answers.
const (
	traceUnitsMax   = 32
	traceAnswersMax = 1024
)

// PacketReader decodes the messages of one connection for a packet log. It reads only the bytes, and never fails: bytes
// that are no message count as the part other.
type PacketReader struct {
	rules *rules.Ruleset
	meter *wire.Meter
	sizes wire.Sizes
	rows  []packetRow
}

// packetRow is a row that names an entity.
type packetRow struct {
	handle grid.Handle
	part   wire.Part
	bytes  int
}

// NewPacketReader returns a reader. It takes over the meter, which knows the handles that the client has.
func NewPacketReader(rs *rules.Ruleset, meter *wire.Meter) *PacketReader {
	r := &PacketReader{rules: rs, meter: meter}
	meter.Row = func(p wire.Part, h grid.Handle, _ pb.TypeClass, bytes int) {
		r.rows = append(r.rows, packetRow{h, p, bytes})
	}
	return r
}

// Read adds the contents of a message to its line. The line says who sent it.
func (r *PacketReader) Read(msg []byte, line *TraceLine) {
	line.Bytes = len(msg)
	r.sizes.Clear()
	r.rows = r.rows[:0]
	if line.From == FromClient {
		wire.MeasureClient(msg, &r.sizes)
		r.calls(msg, line)
	} else {
		r.meter.Measure(msg, &r.sizes)
		r.answers(msg, line)
	}
	var parts [wire.Parts]Count
	r.sizes.Each(func(p wire.Part, _ pb.TypeClass, n wire.Count) {
		parts[p].Bytes += uint64(n.Bytes)
		parts[p].Rows += uint64(n.Rows)
	})
	line.Parts = []Part{}
	for p, n := range parts {
		if n.Bytes > 0 {
			line.Parts = append(line.Parts, PartOf(wire.Part(p), n))
		}
	}
	line.Entities = r.entities()
}

// entities returns the message's rows by entity.
func (r *PacketReader) entities() (out []TraceEntity) {
	slices.SortStableFunc(r.rows, func(a, b packetRow) int { return cmp.Compare(a.handle, b.handle) })
	for i, row := range r.rows {
		if i == 0 || row.handle != r.rows[i-1].handle {
			out = append(out, TraceEntity{TraceName: r.name(row.handle)})
		}
		e := &out[len(out)-1]
		e.Parts = append(e.Parts, TracePart{row.part.String(), row.bytes})
	}
	return out
}

func (r *PacketReader) calls(msg []byte, line *TraceLine) {
	var m pb.ClientFrame
	if proto.Unmarshal(msg, &m) != nil {
		return
	}
	for _, o := range m.Orders {
		c := TraceCall{Number: o.Seq, Kind: strings.TrimPrefix(o.Kind.String(), "ORDER_KIND_")}
		if o.Target != 0 {
			target := r.name(grid.Handle(o.Target))
			c.Target = &target
		}
		for _, h := range o.Units[:min(len(o.Units), traceUnitsMax)] {
			c.Units = append(c.Units, r.name(grid.Handle(h)))
		}
		line.Calls = append(line.Calls, c)
	}
}

func (r *PacketReader) answers(msg []byte, line *TraceLine) {
	var m pb.ServerFrame
	if proto.Unmarshal(msg, &m) != nil {
		return
	}
	line.Frame = m.Welcome == nil && m.Waiting == nil && m.Closing == nil && m.Replay == nil && m.Timeline == nil
	line.Snapshot = m.Tick != 0
	for _, a := range m.Answers {
		code := fmt.Sprintf("code %d", a.Code)
		if int(a.Code) < len(orders.Table) {
			code = orders.Table[a.Code].Name
		}
		for n := uint32(0); n <= a.More && len(line.Answers) < traceAnswersMax; n++ {
			line.Answers = append(line.Answers, TraceAnswer{a.Seq + n, code})
		}
	}
}

// name names an entity as the client knows it.
func (r *PacketReader) name(h grid.Handle) TraceName {
	out := TraceName{Handle: h}
	if typ, ok := r.meter.TypeOf(h); ok && int(typ) < len(r.rules.Types) {
		out.Type = r.rules.Types[typ].Name
	}
	return out
}

// PacketFilter chooses lines of a packet log. The zero value chooses all.
type PacketFilter struct {
	From   string      // only messages of the sender
	Part   string      // only messages with the part, and rows of it
	Entity grid.Handle // only messages with a row of the entity, or an order that names it; 0: all
}

// Keep reports whether the log has the line, and leaves the rows and orders in it that the filter chooses.
func (f *PacketFilter) Keep(l *TraceLine) bool {
	if f.From != "" && f.From != l.From {
		return false
	}
	if f.Part != "" {
		if !slices.ContainsFunc(l.Parts, func(p Part) bool { return p.Name == f.Part }) {
			return false
		}
		for i := range l.Entities {
			e := &l.Entities[i]
			e.Parts = slices.DeleteFunc(e.Parts, func(p TracePart) bool { return p.Name != f.Part })
		}
		l.Entities = slices.DeleteFunc(l.Entities, func(e TraceEntity) bool { return len(e.Parts) == 0 })
	}
	if f.Entity == 0 {
		return true
	}
	named := func(n TraceName) bool { return n.Handle == f.Entity }
	l.Entities = slices.DeleteFunc(l.Entities, func(e TraceEntity) bool { return !named(e.TraceName) })
	l.Calls = slices.DeleteFunc(l.Calls, func(c TraceCall) bool {
		return !slices.ContainsFunc(c.Units, named) && (c.Target == nil || !named(*c.Target))
	})
	return len(l.Entities) > 0 || len(l.Calls) > 0
}
