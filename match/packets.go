package match

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
)

// A trace is the packet log of one player, or of all spectators: a line per message, in both directions. The goroutines
// of the connection copy the bytes; the reader of the log decodes them.
//
//	link.Conn    ─► packets (bounded) ─► [Service.Trace], on its caller's goroutine ─► spec.PacketReader ─► lines

// Bounds of the messages that wait for their reader. Beyond them messages are lost.
const (
	packetsMax     = 1024
	packetBytesMax = 512 << 10
)

// trace is a running trace.
type trace struct {
	slot    grid.Slot // grid.NoSlot: all spectators
	packets chan packet
	waiting atomic.Int64 // bytes
	lost    atomic.Int64
}

// packet is a message that waits for the reader of a trace.
type packet struct {
	line   spec.TraceLine // without the contents of the message
	msg    []byte
	reader *spec.PacketReader
}

// take keeps a copy of a message.
func (t *trace) take(p packet) {
	lost := t.lost.Swap(0)
	p.line.Lost = int(lost)
	if t.waiting.Add(int64(len(p.msg))) <= packetBytesMax || len(t.packets) == 0 { // a single message may be larger
		p.msg = bytes.Clone(p.msg)
		select {
		case t.packets <- p:
			return
		default:
		}
	}
	t.waiting.Add(-int64(len(p.msg)))
	t.lost.Add(lost + 1)
}

// line decodes a message.
func (t *trace) line(p packet) spec.TraceLine {
	t.waiting.Add(-int64(len(p.msg)))
	p.reader.Read(p.msg, &p.line)
	return p.line
}

// traces has the running traces.
type traces struct {
	*core
	all []*trace
	now atomic.Uint64 // the world's tick, for goroutines that may not ask the world
}

// follow makes the running traces get the messages of a seat's connection from now on. f makes the connection's frames.
func (x *traces) follow(st *seat, f *feed.Feed) {
	var to []func(line spec.TraceLine, msg []byte)
	for _, t := range x.all {
		if t.slot == st.slot {
			reader := spec.NewPacketReader(x.spec.Rules, f.MeterOf(st.team))
			to = append(to, func(line spec.TraceLine, msg []byte) { t.take(packet{line, msg, reader}) })
		}
	}
	if len(to) == 0 {
		st.conn.Log(nil)
		return
	}
	account, screen := st.account, st.screen
	st.conn.Log(func(msg []byte, received bool) {
		line := spec.TraceLine{Time: time.Now().UTC(), Account: account, From: spec.FromServer}
		if received {
			line.From = spec.FromClient
		}
		switch {
		case screen != nil && !received && screen.shown != 0:
			line.Tick = screen.shown
		case screen != nil && screen.delay != 0:
			line.Tick = grid.Tick(screen.now.Load())
		case received:
			line.Tick = grid.Tick(x.now.Load())
		default:
			line.Tick = x.world.Tick()
		}
		for _, each := range to {
			each(line, msg)
		}
	})
}
