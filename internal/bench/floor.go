package bench

import (
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/fogkeep/fogkeep/match/grid"
)

// FloorReport has the measurements of the floor of a walking workload: a server that
// does the least that the workload asks for. It has no handles, differences,
// connections or journal. Each tick it moves the walkers, works out what each team
// sees and sends each client all units in sight whole.
type FloorReport struct {
	Core      float64 // processor seconds of the server's process a second
	TickP50Us int64   // moving, sight and encoding, without the writes; with writers also the hand-over
	TickP99Us int64
	BytesPerS float64 // payload of one client, mean
	Compared  int     // frames whose units were compared
}

// frameHeader is the size of a floor frame's head, its tick; frameRow a unit's: id 3, place 2 and 2, health 1.
const (
	frameHeader = 4
	frameRow    = 8
)

// floorWrite is how long a write may take until the client counts as gone.
const floorWrite = 10 * time.Second

// FloorKind says how a floor writes to its sockets.
type FloorKind string

// The floors.
const (
	NoFloor      FloorKind = ""
	FloorWriters FloorKind = "writers" // one goroutine a socket: the tick hands frames over. It is the floor of the workload's page
	FloorBare    FloorKind = "bare"    // the tick's own goroutine: no hand-over, no wake-up. It shows what the writes cost
)

// compared reports whether what clients hold is compared at tick n of a walking
// workload.
func compared(n int) bool { return n == 1 || n > 0 && n%reportEvery == 0 }

// floor is the server. Its loop is one goroutine.
type floor struct {
	work    Workload
	walkers *Walkers
	width   [2*walkSight + 1]int // by row of a circle of sight: tiles on each side of the middle
	words   int                  // of a row of seen
	seen    []uint64             // one team's tiles, a bit each, row by row
	frames  [][]byte             // by team
	profile *os.File             // of the measured seconds; nil: none
}

func newFloor(w Workload) *floor {
	f := &floor{work: w, walkers: w.walkers(), words: (w.Side + 63) / 64}
	for i := range f.width {
		y := i - walkSight
		for x := 0; x*x+y*y <= walkSight*walkSight; x++ {
			f.width[i] = x
		}
	}
	f.seen = make([]uint64, f.words*w.Side)
	f.frames = make([][]byte, w.Players)
	return f
}

// look sets the bits of the tiles that a team sees.
func (f *floor) look(team int) {
	clear(f.seen)
	side, army := f.walkers.side, f.walkers.army
	units := f.walkers.units[team*army : (team+1)*army]
	for i := range units {
		ux, uy := int(units[i].x>>16), int(units[i].y>>16)
		for y := max(0, uy-walkSight); y <= min(side-1, uy+walkSight); y++ {
			half := f.width[y-uy+walkSight]
			from, to := max(0, ux-half), min(side-1, ux+half)
			row := f.seen[y*f.words : (y+1)*f.words]
			first, last := ^uint64(0)<<(from&63), ^uint64(0)>>(63-to&63)
			if a, b := from>>6, to>>6; a == b {
				row[a] |= first & last
			} else { // a circle is narrower than a word
				row[a] |= first
				row[b] |= last
			}
		}
	}
}

// encode writes a team's view at the tick.
func (f *floor) encode(team, tick int) {
	shift := f.walkers.shift()
	b := binary.LittleEndian.AppendUint32(f.frames[team][:0], uint32(tick))
	for id := range f.walkers.units {
		u := &f.walkers.units[id]
		tx, ty := int(u.x>>16), int(u.y>>16)
		if f.seen[ty*f.words+tx>>6]>>(tx&63)&1 == 0 {
			continue
		}
		b = append(b, byte(id), byte(id>>8), byte(id>>16), byte(u.x>>shift), byte(u.x>>(shift+8)), byte(u.y>>shift), byte(u.y>>(shift+8)), byte(u.hp))
	}
	f.frames[team] = b
}

// tick moves the walkers once and makes each team's frame.
func (f *floor) tick(tick int) {
	f.walkers.Step()
	for team := range f.frames {
		f.look(team)
		f.encode(team, tick)
	}
}

// ServeFloor is [ServeWorkload] for the floor.
func ServeFloor(ctx context.Context, w Workload, out io.Writer) error {
	lines := gob.NewEncoder(out)
	err := serveFloor(ctx, w, lines)
	if err != nil {
		if told := lines.Encode(ServerLine{Error: err.Error()}); told != nil {
			return told
		}
	}
	return err
}

func serveFloor(ctx context.Context, w Workload, lines *gob.Encoder) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	type joined struct {
		slot int
		conn *websocket.Conn
	}
	joins := make(chan joined)
	up := websocket.Upgrader{WriteBufferSize: 1 << 10}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		slot, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || slot < 0 || slot >= w.Players {
			http.Error(rw, "the path is a slot's number", http.StatusNotFound)
			return
		}
		conn, err := up.Upgrade(rw, r, nil)
		if err != nil {
			return
		}
		select {
		case joins <- joined{slot, conn}:
		case <-ctx.Done():
			conn.Close()
		}
	})}
	defer server.Close()
	go server.Serve(l)
	if err := lines.Encode(ServerLine{Address: l.Addr().String()}); err != nil {
		return err
	}
	conns := make([]*websocket.Conn, w.Players)
	defer func() {
		for _, c := range conns {
			if c != nil {
				c.Close()
			}
		}
	}()
	for n := 0; n < w.Players; {
		select {
		case j := <-joins:
			if conns[j.slot] != nil {
				j.conn.Close()
				continue
			}
			conns[j.slot] = j.conn
			n++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := w.checkStart(); err != nil {
		return err
	}
	f := newFloor(w)
	if w.Profile != "" {
		if f.profile, err = os.Create(w.Profile); err != nil {
			return err
		}
		defer f.profile.Close()
	}
	stats, err := f.serve(ctx, conns)
	if err != nil {
		return err
	}
	if err := lines.Encode(ServerLine{Stats: stats}); err != nil {
		return err
	}
	select { // the runner hangs up first, so that no client sees the server stop
	case <-ctx.Done():
	case <-time.After(hangUpWait):
	}
	return nil
}

// serve runs all ticks and measures those after the warm-up. A tick's time is moving,
// sight and encoding; with writers also the hand-over to them.
func (f *floor) serve(ctx context.Context, conns []*websocket.Conn) (stats *Stats, err error) {
	rate := grid.TickRateDefault
	warm := f.work.WarmUp * rate
	end := warm + f.work.Seconds*rate
	g := newGauge(f.work, nil)
	g.took, g.late = make([]time.Duration, 0, end), make([]time.Duration, 0, end)
	writers := f.writers(conns)
	defer func() { err = errors.Join(err, stopWriters(writers)) }()
	runtime.GC() // what starting left behind
	begin := time.Now()
	var cpu time.Duration
	for n := 1; n <= end; n++ {
		due := begin.Add(time.Duration(n) * time.Second / time.Duration(rate))
		timer := time.NewTimer(time.Until(due))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		start := time.Now()
		f.tick(n)
		for slot, w := range writers {
			if err := f.handOver(w, slot); err != nil {
				return nil, err
			}
		}
		if n > warm {
			g.took, g.late = append(g.took, time.Since(start)), append(g.late, start.Sub(due))
		}
		if writers == nil {
			for slot, c := range conns {
				if err := writeFrame(c, slot, f.frames[slot]); err != nil {
					return nil, err
				}
			}
		}
		if n == warm || n == end {
			now, err := cpuTime()
			if err != nil {
				return nil, err
			}
			cpu = now - cpu
			if n == warm {
				if cpu, g.began = now, time.Now(); f.profile != nil {
					if err := pprof.StartCPUProfile(f.profile); err != nil {
						return nil, fmt.Errorf("floor: profile: %w", err)
					}
				}
			}
		}
	}
	if f.profile != nil {
		pprof.StopCPUProfile()
	}
	g.cpu, g.wall = cpu, time.Since(g.began)
	return g.stats(), nil
}

func writeFrame(c *websocket.Conn, slot int, frame []byte) error {
	err := c.SetWriteDeadline(time.Now().Add(floorWrite))
	if err == nil {
		err = c.WriteMessage(websocket.BinaryMessage, frame)
	}
	if err != nil {
		return fmt.Errorf("floor: client %d: %w", slot, err)
	}
	return nil
}

// floorWriter writes one client's frames, which it is handed over.
type floorWriter struct {
	frames chan []byte
	spare  chan []byte // written: to be filled again
	done   chan error  // has an error or nil once it has ended
}

// floorQueue is how many frames may wait for a writer. A client for which more wait is
// too slow for the workload.
const floorQueue = 16

// writers starts a writer for each socket, if the floor has them.
func (f *floor) writers(conns []*websocket.Conn) (out []*floorWriter) {
	if f.work.Floor != FloorWriters {
		return nil
	}
	for slot, c := range conns {
		w := &floorWriter{make(chan []byte, floorQueue), make(chan []byte, floorQueue+2), make(chan error, 1)}
		go func() {
			var failed error
			for frame := range w.frames {
				if failed == nil {
					failed = writeFrame(c, slot, frame)
				}
				w.spare <- frame
			}
			w.done <- failed
		}()
		out = append(out, w)
	}
	return out
}

// handOver gives a client's frame to its writer, and takes a buffer for the next.
func (f *floor) handOver(w *floorWriter, slot int) error {
	select {
	case w.frames <- f.frames[slot]:
	default:
		return fmt.Errorf("floor: client %d does not read: %d frames wait", slot, floorQueue)
	}
	select {
	case f.frames[slot] = <-w.spare:
	default:
		f.frames[slot] = nil // the next tick makes one
	}
	return nil
}

// stopWriters waits until all is written.
func stopWriters(writers []*floorWriter) error {
	var errs []error
	for _, w := range writers {
		close(w.frames)
		errs = append(errs, <-w.done)
	}
	return errors.Join(errs...)
}

// floorClient is one client of the floor: it counts its messages.
type floorClient struct {
	hashes map[int]string // by tick, of those that are compared
	bytes  int            // payload of the measured ticks
	last   int            // the tick of the last frame
}

// take counts a frame. The hash covers the bytes alone.
func (c *floorClient) take(w *Workload, frame []byte) error {
	if len(frame) < frameHeader || (len(frame)-frameHeader)%frameRow != 0 {
		return fmt.Errorf("a frame of %d bytes", len(frame))
	}
	tick := int(binary.LittleEndian.Uint32(frame))
	if tick != c.last+1 {
		return fmt.Errorf("tick %d after %d", tick, c.last)
	}
	c.last = tick
	if tick > w.WarmUp*grid.TickRateDefault {
		c.bytes += len(frame)
	}
	if !compared(tick) {
		return nil
	}
	h := newUnitsHash(w.Players * w.Units)
	for row := frame[frameHeader:]; len(row) > 0; row = row[frameRow:] {
		id := int(row[0]) | int(row[1])<<8 | int(row[2])<<16
		h.unit(id, w.Units, binary.LittleEndian.Uint16(row[3:]), binary.LittleEndian.Uint16(row[5:]), row[7])
	}
	c.hashes[tick] = h.String()
	return nil
}

// Floor runs a floor of a walking workload: its server in a process of its
// own, the clients here, over the websockets that the measured server has too.
// It fails unless every client was sent exactly its team's view, at each tick
// that is compared.
func Floor(ctx context.Context, w Workload, kind FloorKind, start StartServer, progress func(string)) (*FloorReport, error) {
	w.Floor = kind
	if err := w.Check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, address, stop, err := start.begin(ctx, w)
	if err != nil {
		return nil, err
	}
	defer stop()
	end := (w.WarmUp + w.Seconds) * grid.TickRateDefault
	clients := make([]*floorClient, w.Players)
	errs := make([]error, w.Players)
	var running sync.WaitGroup
	for slot := range clients {
		clients[slot] = &floorClient{hashes: map[int]string{}}
		running.Go(func() {
			if errs[slot] = clients[slot].play(ctx, &w, address, slot, end); errs[slot] != nil {
				cancel() // the server waits for all, and this for the server
			}
		})
	}
	var l ServerLine
	if err = lines.Decode(&l); err != nil {
		err = fmt.Errorf("bench: the floor broke off: %w", err)
	} else if l.Error != "" {
		err = errors.New(l.Error)
	} else if l.Stats == nil {
		err = errors.New("bench: the floor told no measurements")
	}
	if err != nil {
		cancel()
	}
	running.Wait()
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	if progress != nil {
		progress(fmt.Sprintf("%s: the floor (%s) is measured", w.Name, kind))
	}
	return judgeFloor(w, clients, l.Stats)
}

// play connects and takes frames until the last tick.
func (c *floorClient) play(ctx context.Context, w *Workload, address string, slot, end int) error {
	conn, res, err := websocket.DefaultDialer.DialContext(ctx, fmt.Sprintf("ws://%s/%d", address, slot), nil)
	if err != nil {
		return fmt.Errorf("floor: client %d: %w", slot, err)
	}
	res.Body.Close()
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	conn.SetReadLimit(frameHeader + int64(w.Players*w.Units)*frameRow)
	for c.last < end {
		if err := conn.SetReadDeadline(time.Now().Add(hangUpWait)); err != nil {
			return fmt.Errorf("floor: client %d: %w", slot, err)
		}
		_, frame, err := conn.ReadMessage()
		if err == nil {
			err = c.take(w, frame)
		}
		if err != nil {
			return fmt.Errorf("floor: client %d: %w", slot, err)
		}
	}
	return nil
}

// judgeFloor compares the clients' messages with the plain rule of sight,
// and adds up.
func judgeFloor(w Workload, clients []*floorClient, s *Stats) (*FloorReport, error) {
	ticks := w.Seconds * grid.TickRateDefault
	if s.Ticks != ticks {
		return nil, fmt.Errorf("bench: the floor measured %d of %d ticks", s.Ticks, ticks)
	}
	r := &FloorReport{Core: s.CPU, TickP50Us: s.TickP50Us, TickP99Us: s.TickP99Us}
	walkers := w.walkers()
	for n := 1; n <= w.WarmUp*grid.TickRateDefault+ticks; n++ {
		walkers.Step()
		if !compared(n) {
			continue
		}
		for team, want := range walkers.Hashes() {
			if got := clients[team].hashes[n]; got != want {
				return nil, fmt.Errorf("bench: the floor sent client %d units %q at tick %d, the reference is %q", team, got, n, want)
			}
			r.Compared++
		}
	}
	bytes := 0
	for _, c := range clients {
		bytes += c.bytes
	}
	r.BytesPerS = float64(bytes) / float64(w.Seconds*len(clients))
	return r, nil
}
