package spec

import (
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Count is how many bytes of payload, and how many rows in them.
type Count struct{ Bytes, Rows uint64 }

// Sums is what went over connections in a span of time: by part of the
// messages, by class of entity, and in all. A part sums up to its own bytes,
// the classes to all bytes that were sent.
type Sums [Cells]Count

// The cells of Sums.
const (
	cellSent     = 0 // rows: messages
	cellReceived = 1 // rows: messages
	cellParts    = 2
	cellClasses  = cellParts + int(wire.Parts)
	Cells        = cellClasses + int(wire.Classes)
)

// Sent returns the server's sums; its rows are messages.
func (s *Sums) Sent() Count { return s[cellSent] }

// Received returns what clients sent; its rows are messages.
func (s *Sums) Received() Count { return s[cellReceived] }

// Part returns the share of a part of the messages.
func (s *Sums) Part(p wire.Part) Count { return s[cellParts+int(p)] }

// Class returns the share of a class of entities. Only the server's messages are about entities.
func (s *Sums) Class(c pb.TypeClass) Count { return s[cellClasses+int(c)] }

// Group returns the share of a group of parts.
func (s *Sums) Group(name string) (n Count) {
	for p := range wire.Parts {
		if wire.PartTable[p].Group == name {
			n.Bytes += s.Part(p).Bytes
			n.Rows += s.Part(p).Rows
		}
	}
	return n
}

// Add adds what went over in another span or over other connections.
func (s *Sums) Add(o *Sums) {
	for i := range s {
		s[i].Bytes += o[i].Bytes
		s[i].Rows += o[i].Rows
	}
}

// Minus takes away an earlier count.
func (s *Sums) Minus(o *Sums) {
	for i := range s {
		s[i].Bytes -= o[i].Bytes
		s[i].Rows -= o[i].Rows
	}
}

// AddSent adds a message to clients.
func (s *Sums) AddSent(bytes int) { s.cell(cellSent, wire.Count{Bytes: uint32(bytes), Rows: 1}) }

// AddReceived adds messages from clients.
func (s *Sums) AddReceived(n wire.Count) { s.cell(cellReceived, n) }

// AddSizes adds the parts of messages.
func (s *Sums) AddSizes(of *wire.Sizes) {
	of.Each(func(p wire.Part, c pb.TypeClass, n wire.Count) {
		s.cell(cellParts+int(p), n)
		if !wire.PartTable[p].Client {
			s.cell(cellClasses+int(c), n)
		}
	})
}

func (s *Sums) cell(i int, n wire.Count) {
	s[i].Bytes += uint64(n.Bytes)
	s[i].Rows += uint64(n.Rows)
}

// Traffic is a match's sent and received bytes since it began, as of the last
// full second, for the list of matches and the benches.
type Traffic struct {
	Frames, Snapshots uint64
	Resyncs           uint64 // snapshots that clients asked for
	Sums
}

// Minus returns what went over since an earlier count.
func (t Traffic) Minus(was Traffic) Traffic {
	t.Frames, t.Snapshots, t.Resyncs = t.Frames-was.Frames, t.Snapshots-was.Snapshots, t.Resyncs-was.Resyncs
	t.Sums.Minus(&was.Sums)
	return t
}

// LiveTraffic is the traffic of a match by client, as of its last full second.
type LiveTraffic struct {
	ID      string          `json:"id"`
	Tick    grid.Tick       `json:"tick"`
	All     Spans           `json:"all" doc:"of all clients"`
	Clients []ClientTraffic `json:"clients" doc:"the players by slot, then all spectators together"`
}

// ClientTraffic is one client's share, over all its connections.
type ClientTraffic struct {
	Slot       int  `json:"slot" doc:"-1: the spectators"`
	Spectators bool `json:"spectators"`
	Spans
}

// Spans has the sums of the last full second, of the last 60 seconds, and since the match began.
type Spans struct {
	Second SpanSums `json:"second" doc:"the last full second"`
	Minute SpanSums `json:"minute" doc:"the last 60 full seconds"`
	Match  SpanSums `json:"match" doc:"since the match began"`
}

// SpanSums is [Sums] with names, without the parts and classes that have no bytes.
type SpanSums struct {
	Sent     Messages `json:"sent" doc:"to clients"`
	Received Messages `json:"received" doc:"from clients"`
	Parts    []Part   `json:"parts" doc:"parts of the messages, both ways"`
	Classes  []Class  `json:"classes" doc:"classes of sent entities"`
}

// Messages is a number of messages, with their bytes.
type Messages struct {
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes" doc:"of payload"`
}

// Part is the share of one part of the messages; docs/reference/protocol.md has them all.
type Part struct {
	Name   string `json:"name"`
	Group  string `json:"group"`
	Client bool   `json:"client" doc:"clients send it"`
	Bytes  uint64 `json:"bytes"`
	Rows   uint64 `json:"rows"`
}

// Class is the share of one class of entities; "none" is the rest.
type Class struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
	Rows  uint64 `json:"rows"`
}

// PartOf names the share of a part.
func PartOf(p wire.Part, n Count) Part {
	row := &wire.PartTable[p]
	return Part{Name: row.Name, Group: row.Group, Client: row.Client, Bytes: n.Bytes, Rows: n.Rows}
}

// Listed returns the sums with names, in the order of the tables of parts and classes.
func (s *Sums) Listed() SpanSums {
	out := SpanSums{
		Sent:     Messages{Messages: s.Sent().Rows, Bytes: s.Sent().Bytes},
		Received: Messages{Messages: s.Received().Rows, Bytes: s.Received().Bytes},
		Parts:    []Part{}, Classes: []Class{},
	}
	for p := range wire.Parts {
		if n := s.Part(p); n.Bytes > 0 {
			out.Parts = append(out.Parts, PartOf(p, n))
		}
	}
	for c := range wire.Classes {
		if n := s.Class(c); n.Bytes > 0 {
			out.Classes = append(out.Classes, Class{Name: wire.ClassName(c), Bytes: n.Bytes, Rows: n.Rows})
		}
	}
	return out
}
