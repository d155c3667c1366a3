package bench

import (
	"context"
	_ "embed"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	inlet "github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Workload is a match to measure replication on.
type Workload struct {
	Name    string    // w1, w2, w1-small or battle
	Units   int       // a team; 0: as the workload says
	Players int       // battle only
	Map     *grid.Map `json:"-"`
	MapPath string    // battle only: where the server reads the map
	Seconds int       // measured
	WarmUp  int       // seconds before
	Seed    uint64
	Profile string    // the server writes a CPU profile of the measured seconds there; "": none
	Side    int       // of a walking workload's map, in tiles, at least the workload's own; 0: that
	Floor   FloorKind // the server is a floor: see FloorReport
	Beats   bool      // of a walking workload: teams are told at beats, as in a match, and not at each tick
}

// shape is the size of a walking workload.
type shape struct{ side, teams, units int }

var shapes = map[string]shape{"w1": {256, 8, 200}, "w2": {256, 8, 200}, "w1-small": {64, 2, 50}}

// The bounds of a whole run, besides the units of its shape. A shorter run measures
// something else: the armies of w1, for one, begin in corners of their own and
// take the first half minute to spread over the map.
const (
	WholeSeconds       = 60
	WholeWarmUp        = 5
	wholeBattleUnits   = 200
	wholeBattlePlayers = 8
)

// Check fills in the values that the workload's name implies, and returns the errors of the rest.
func (w *Workload) Check() error {
	if !processMeasured {
		return fmt.Errorf("%s: the processor time and memory of a process are measured on Linux only", w.Name)
	}
	if s, ok := shapes[w.Name]; ok {
		w.Players = s.teams
		if w.Units == 0 {
			w.Units = s.units
		}
		if w.Units < walkTypes {
			return fmt.Errorf("%d units a team: at least %d, one for each type", w.Units, walkTypes)
		}
		if w.Units > walkUnitsMax {
			return fmt.Errorf("%d units a team: at most %d", w.Units, walkUnitsMax)
		}
		if w.Side == 0 {
			w.Side = s.side
		}
		if w.Side < s.side || w.Side > grid.MapSideMax {
			return fmt.Errorf("%d tiles a side: %d to %d", w.Side, s.side, grid.MapSideMax)
		}
		w.Map = w.walkMap()
	} else if w.Floor != NoFloor || w.Side != 0 || w.Beats {
		return fmt.Errorf("%s: only walking workloads have a floor, a side and a choice of beats", w.Name)
	} else if w.Name != "battle" {
		return fmt.Errorf("workload %q: there are w1, w2, w1-small and battle", w.Name)
	} else if w.Map == nil {
		return errors.New("battle: no map")
	} else if w.Players < 1 {
		return fmt.Errorf("battle: %d players, at least 1", w.Players)
	}
	if w.Units == 0 {
		w.Units = wholeBattleUnits
	}
	if w.Floor != NoFloor && w.Floor != FloorWriters && w.Floor != FloorBare {
		return fmt.Errorf("floor %q: there are %s and %s", w.Floor, FloorWriters, FloorBare)
	}
	if w.Seconds < 1 {
		return fmt.Errorf("%d seconds: measure at least 1", w.Seconds)
	}
	if w.WarmUp == 0 {
		w.WarmUp = WholeWarmUp
	}
	return nil
}

// walkUnitsMax is the number of units that the rules of the walkers can name: 10,000 of each type.
const walkUnitsMax = walkTypes * 10_000

// Short names the settings in which the run is less than the workload of its name; it is empty for the whole
// workload, or more.
func (w *Workload) Short() []string {
	var short []string
	less := func(what string, have, whole int) {
		if have < whole {
			short = append(short, fmt.Sprintf("%d of %d %s", have, whole, what))
		}
	}
	if s, ok := shapes[w.Name]; ok {
		less("units a team", w.Units, s.units)
		if w.Side != s.side { // a larger map has less in sight
			short = append(short, fmt.Sprintf("%d tiles a side, not %d", w.Side, s.side))
		}
	} else {
		less("units a team", w.Units, wholeBattleUnits)
		less("players", w.Players, wholeBattlePlayers)
	}
	less("seconds", w.Seconds, WholeSeconds)
	less("seconds of warm-up", w.WarmUp, WholeWarmUp)
	if w.Beats {
		short = append(short, "teams are not told at each tick")
	}
	return short
}

// walkers returns the armies of a walking workload that was checked, at tick 0.
func (w *Workload) walkers() *Walkers {
	return NewWalkers(w.Side, w.Players, w.Units, w.Name == "w2")
}

// walkMap is flat, with a start a team.
func (w *Workload) walkMap() *grid.Map {
	m := grid.NewMap(w.Name, w.Side, w.Side)
	m.Occlusion = grid.OcclusionNone
	walkers := NewWalkers(w.Side, w.Players, 0, false)
	for t := range w.Players {
		x, y := walkers.start(t)
		m.Starts = append(m.Starts, grid.Tile{X: int16(x), Y: int16(y)})
	}
	return m
}

//go:embed walkers.json
var walkerRules string

// rules are four types that differ only in their names.
func (w *Workload) rules() (*rules.Ruleset, error) {
	text := walkerRules
	for t := range walkTypes {
		text = strings.ReplaceAll(text, fmt.Sprintf(`"COUNT%d"`, t), fmt.Sprint(w.ofType(t)))
	}
	rs, err := rules.Parse("walkers.json", []byte(text))
	if err == nil {
		rs.Settings.FlushTick = !w.Beats
	}
	return rs, err
}

// ofType returns how many units of a type an army has: unit k is of type k%4.
func (w *Workload) ofType(t int) int { return (w.Units + walkTypes - 1 - t) / walkTypes }

// unitOf returns which unit of its army the n-th that the simulation made is:
// it makes them type by type.
func (w *Workload) unitOf(n int) int {
	for t := range walkTypes {
		if n < w.ofType(t) {
			return n*walkTypes + t
		}
		n -= w.ofType(t)
	}
	return 0
}

// ServerLine is one thing that the measured server tells the runner, in gob.
type ServerLine struct {
	Address string // it listens
	Begin   uint32 // the tick before the workload's first
	Truth   *Truth
	Stats   *Stats
	Error   string
}

// Truth is the world at a tick, for the runner to work out who sees what.
type Truth struct {
	Tick  uint32
	Facts []Fact
	Timed [][]Timed // by team: sources of sight that end by themselves

	Lacking grid.SlotSet // of the clients, those that were not sent all of this tick
}

// Fact is one entity of the world.
type Fact struct {
	Type           uint16
	Slot           grid.Slot
	Pos            grid.Pos
	Foot           grid.Tile
	Missing        int32
	Built, Cloaked bool
	Handles        []grid.Handle // by team; 0: the team has no name for it
}

// Timed is a source of sight that ends by itself.
type Timed struct {
	Tile       grid.Tile
	Radius     int
	Flyer      bool
	LevelBonus int
}

// Stats are the server's own measurements.
type Stats struct {
	Ticks         int          `json:"ticks"`
	TickP50Us     int64        `json:"tick_p50_us"`
	TickP99Us     int64        `json:"tick_p99_us"`
	LateP99Us     int64        `json:"late_p99_us"`
	TicksOver     int          `json:"ticks_over_budget"` // that took longer than a tick has
	WallS         float64      `json:"wall_s"`            // that the measured seconds took
	CPU           float64      `json:"server_cpu_s_per_s"`
	RSSMB         float64      `json:"rss_mb"`
	AllocsPerTick float64      `json:"allocs_per_tick"`
	SystemShare   float64      `json:"system_share"`      // of the server's processor time that is the kernel's
	Switches      float64      `json:"switches_per_tick"` // context switches of the server's threads
	FramesCut     int          `json:"frames_cut"`        // of the measured ticks: skipped, or not whole, as a client did not keep up
	Deaths        int          `json:"deaths,omitempty"`
	EngagedShare  float64      `json:"engaged_share,omitempty"`
	Traffic       spec.Traffic `json:"-"` // of the measured window
}

// ServeWorkload runs the measured server: a real match service behind a real
// websocket listener on loopback. It writes ServerLines to out and returns when
// the measured window is over, or ctx ends.
func ServeWorkload(ctx context.Context, w Workload, out io.Writer) error {
	lines := make(chan ServerLine, 64) // the match never waits for the pipe's reader
	written := make(chan error, 1)
	go func() {
		enc := gob.NewEncoder(out)
		var failed error
		for l := range lines {
			if err := enc.Encode(l); err != nil && failed == nil {
				failed = err
			}
		}
		written <- failed
	}()
	err := serveWorkload(ctx, w, lines)
	if err != nil {
		lines <- ServerLine{Error: err.Error()}
	}
	close(lines)
	if werr := <-written; err == nil {
		err = werr
	}
	return err
}

// hangUpWait is how long a server that is done waits to be stopped, and its runner for messages still on their way
// to the clients.
const hangUpWait = 30 * time.Second

const benchMatch = "0190f000-0000-7000-8000-0000000000be"

// porter lets in who shows a slot's number.
type porter struct{}

func (porter) Resume(context.Context, match.Seat, netip.Addr) error { return nil }

func (porter) Release(context.Context, match.Seat, *link.Refusal) {}

func (porter) Redeem(_ context.Context, ticket string, _ netip.Addr) (match.Seat, error) {
	var slot uint8
	if _, err := fmt.Sscanf(ticket, "%d", &slot); err != nil {
		return match.Seat{}, &link.Refusal{Code: "bad_ticket", Text: "a ticket is a slot's number"}
	}
	return match.Seat{Match: benchMatch, Slot: grid.Slot(slot)}, nil
}

func (porter) Ended(context.Context, match.Result) error { return nil }

func serveWorkload(ctx context.Context, w Workload, lines chan<- ServerLine) error {
	dir, err := os.MkdirTemp("", "fogkeep-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	journals, err := journal.OpenDir(dir)
	if err != nil {
		return err
	}
	service := match.New(match.Config{Journals: journals, Admitter: porter{}, Reporter: porter{}, Build: "bench", FullSpeed: true})
	defer service.Close()

	gauge := newGauge(w, lines)
	gauge.service = service
	if w.Profile != "" {
		if gauge.profile, err = os.Create(w.Profile); err != nil {
			return err
		}
		defer gauge.profile.Close()
	}
	played, err := gauge.spec()
	if err != nil {
		return err
	}
	if err := service.Start(played); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /ws", service)
	public := played.Map.Marshal()
	mux.HandleFunc("GET /map", func(rw http.ResponseWriter, _ *http.Request) { rw.Write(public) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	defer server.Close()
	go server.Serve(inlet.Listener(l, nil, nil, false, false)) // as the product listens
	lines <- ServerLine{Address: l.Addr().String()}

	for !connected(service) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	gauge.ready.Store(true)
	select {
	case <-gauge.done:
		// The runner hangs up first, so that no client sees the server stop.
		select {
		case <-ctx.Done():
		case <-time.After(hangUpWait):
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func connected(s *match.Service) bool {
	for _, m := range s.Matches() {
		for _, seat := range m.Seats {
			if !seat.Connected {
				return false
			}
		}
	}
	return true
}

// gauge moves the units of a workload and measures the match that shows them.
// All but ready and done belongs to the match's goroutine.
type gauge struct {
	work    Workload
	lines   chan<- ServerLine
	walkers *Walkers // nil: a battle. Its units stay where they were; those of line walk
	line    []walker // the units, army by army, in the order in which the simulation made them and walks through them
	numbers []int    // by how many units of its army were made before: which it is
	walking bool     // in this tick
	ready   atomic.Bool
	done    chan struct{}

	begin        grid.Tick // the workload's tick 0; 0: waiting
	took, late   []time.Duration
	cpu          time.Duration
	used         usage
	began        time.Time
	wall         time.Duration // that the measured ticks took
	mallocs      uint64
	deaths       int
	cut          int // frames of the measured ticks that a client was not sent, or not whole
	engaged, all int
	over         bool
	traffic      spec.Traffic
	service      *match.Service
	profile      *os.File
}

func newGauge(w Workload, lines chan<- ServerLine) *gauge {
	return &gauge{work: w, lines: lines, done: make(chan struct{})}
}

func (g *gauge) spec() (spec.Match, error) {
	played := spec.Match{ID: benchMatch, Map: g.work.Map, Seed: g.work.Seed, OnTick: g.tick}
	if g.work.Name == "battle" {
		setup, err := BattleSetup(g.work.Map, g.work.Players, g.work.Units, g.work.Seed)
		if err != nil {
			return played, err
		}
		played.Map, played.Rules = setup.Map, setup.Rules
	} else {
		rules, err := g.work.rules()
		if err != nil {
			return played, err
		}
		played.Rules, played.EveryTick, played.Drive = rules, !g.work.Beats, g.driver()
		g.stand(g.work.walkers())
		if err := g.work.checkStart(); err != nil {
			return played, err
		}
	}
	for i := range g.work.Players {
		played.Seats = append(played.Seats, spec.Seat{Name: fmt.Sprint("client ", i), Team: grid.Team(i), Start: i})
	}
	return played, nil
}

// references are the hashes of the first tick that the workload's page gives.
var references = map[string]string{
	"w1":       "200:7bb7d88d 200:3260d65c 200:eaf1efc2 200:f3b7d432 200:93115d4e 200:3e072649 200:45a0fefe 200:3cd6b3d9",
	"w2":       "200:eb607da1 200:32505754 200:44944a42 200:854b86a2 200:40a878d6 200:e0692905 200:1ee92eaa 200:77042979",
	"w1-small": "50:8a9c9446 50:16a33847",
}

// checkStart holds the walkers to the reference, if the armies equal the reference's.
func (w *Workload) checkStart() error {
	if s := shapes[w.Name]; s.units != w.Units || s.side != w.Side {
		return nil
	}
	walkers := w.walkers()
	walkers.Step()
	if got := strings.Join(walkers.Hashes(), " "); got != references[w.Name] {
		return fmt.Errorf("%s: the walkers' first tick is %s, the reference is %s", w.Name, got, references[w.Name])
	}
	return nil
}

// reportEvery is how often, in ticks, what clients hold is compared.
const reportEvery = 100

// stand takes over the walkers.
func (g *gauge) stand(w *Walkers) {
	g.walkers = w
	for n := range g.work.Units {
		g.numbers = append(g.numbers, g.work.unitOf(n))
	}
	for team := range w.teams {
		for _, number := range g.numbers {
			g.line = append(g.line, w.units[team*w.army+number])
		}
	}
}

// driver is the match's driver: it stands the armies up, and lets them walk once
// all clients are there, from a multiple of reportEvery on.
func (g *gauge) driver() *sim.Driver { return &sim.Driver{Begin: g.walk, Unit: g.drive} }

// walk begins a tick of the walkers.
func (g *gauge) walk(tick grid.Tick) {
	if g.walking = g.begin != 0; g.walking {
		g.walkers.ticks++
	} else if g.ready.Load() && tick%reportEvery == 0 {
		g.start(tick)
	}
}

// drive moves a unit, and returns where it is.
func (g *gauge) drive(id grid.EntityID, _ sim.Driven) sim.Driven {
	army, made := int(id.Slot())*len(g.numbers), int(id.Counter()-1)
	u := &g.line[army+made]
	if g.walking {
		g.walkers.move(u, army+g.numbers[made])
	}
	p := u.driven()
	if g.begin == 0 {
		p.VX, p.VY = 0, 0
	}
	return p
}

func (g *gauge) start(tick grid.Tick) {
	g.begin = tick
	g.lines <- ServerLine{Begin: uint32(tick)}
}

// tick is told after each tick of the match.
func (g *gauge) tick(x spec.Ticked) {
	w, now := x.World, x.World.Tick()
	if g.walkers == nil && g.begin == 0 && g.ready.Load() && now%reportEvery == 0 {
		g.start(now)
	}
	if g.begin == 0 || g.over {
		return
	}
	n := now - g.begin
	rate := grid.Tick(w.TickRate())
	warm := grid.Tick(g.work.WarmUp) * rate
	end := warm + grid.Tick(g.work.Seconds)*rate
	if n > warm && n <= end {
		g.took, g.late = append(g.took, x.Took), append(g.late, x.Late)
		g.cut += bits.OnesCount64(uint64(x.Lacking))
		if g.walkers == nil {
			g.fight(w)
		}
	}
	if n == warm {
		g.open()
	}
	if n == end {
		g.shut()
	}
	// In a battle, and with beats, clients are told at every second tick: no comparing in
	// between.
	if n == 1 && g.walkers != nil && !g.work.Beats || n > 0 && n%reportEvery == 0 {
		t := truthOf(w)
		t.Lacking = x.Lacking
		g.lines <- ServerLine{Truth: t}
	}
	if n == end || w.Result() != nil {
		g.over = true
		g.lines <- ServerLine{Stats: g.stats()}
		close(g.done)
	}
}

func (g *gauge) fight(w *sim.World) {
	for _, e := range w.Events() {
		if e.Kind == sim.EventDied && w.Rules().Types[e.Type].Class == rules.ClassUnit {
			g.deaths++
		}
	}
	engaged, alive := engagedUnits(w)
	g.engaged, g.all = g.engaged+engaged, g.all+alive
}

func (g *gauge) open() {
	g.took = make([]time.Duration, 0, g.work.Seconds*64)
	g.late = make([]time.Duration, 0, g.work.Seconds*64)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	g.mallocs = mem.Mallocs
	g.traffic = g.sent()
	if g.profile != nil {
		if err := pprof.StartCPUProfile(g.profile); err != nil {
			g.lines <- ServerLine{Error: "profile: " + err.Error()}
		}
	}
	g.used, g.began = g.usage(), time.Now()
}

// usage is the process's use so far; a failure ends the run.
func (g *gauge) usage() usage {
	u, err := usageNow()
	if err != nil {
		g.lines <- ServerLine{Error: err.Error()}
	}
	return u
}

func (g *gauge) shut() {
	g.used = g.usage().minus(g.used)
	g.cpu = g.used.total()
	if g.profile != nil {
		pprof.StopCPUProfile()
	}
	g.traffic = g.sent().Minus(g.traffic)
	g.wall = time.Since(g.began)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	g.mallocs = mem.Mallocs - g.mallocs
}

// sent is the match's traffic as of the last full second.
func (g *gauge) sent() spec.Traffic {
	for _, m := range g.service.Matches() {
		return m.Traffic
	}
	return spec.Traffic{}
}

func (g *gauge) stats() *Stats {
	s := &Stats{Ticks: len(g.took), Deaths: g.deaths, FramesCut: g.cut, Traffic: g.traffic, WallS: g.wall.Seconds(), RSSMB: clustertest.MemoryMB(os.Getpid())}
	if len(g.took) == 0 {
		return s
	}
	for _, took := range g.took {
		if took > time.Second/grid.TickRateDefault {
			s.TicksOver++
		}
	}
	slices.Sort(g.took)
	slices.Sort(g.late)
	at := func(ds []time.Duration, percent int) int64 { return ds[(len(ds)-1)*percent/100].Microseconds() }
	s.TickP50Us, s.TickP99Us, s.LateP99Us = at(g.took, 50), at(g.took, 99), at(g.late, 99)
	if g.wall > 0 {
		s.CPU = g.cpu.Seconds() / g.wall.Seconds()
	}
	if g.used.total() > 0 {
		s.SystemShare = g.used.System.Seconds() / g.used.total().Seconds()
	}
	s.Switches = float64(g.used.Switches) / float64(len(g.took))
	s.AllocsPerTick = float64(g.mallocs) / float64(len(g.took))
	if g.all > 0 {
		s.EngagedShare = float64(g.engaged) / float64(g.all)
	}
	return s
}

// truthOf writes the world down. The runner works out visibility: here it would be measured.
func truthOf(w *sim.World) *Truth {
	out := &Truth{Tick: uint32(w.Tick()), Timed: make([][]Timed, w.Teams())}
	handles := make([]grid.Handle, len(w.Entities())*w.Teams()) // one piece: it is measured too
	out.Facts = make([]Fact, 0, len(w.Entities()))
	for i, e := range w.Entities() {
		hp, _ := e.Health()
		f := Fact{
			Type: e.Type(), Slot: e.Slot(), Pos: e.Pos(), Foot: e.Foot(), Built: e.Built(), Cloaked: e.Cloaked(),
			Missing: max(0, w.Rules().Types[e.Type()].Health-hp), Handles: handles[i*w.Teams() : (i+1)*w.Teams()],
		}
		for t := range f.Handles {
			f.Handles[t], _ = w.Knowledge(grid.Team(t)).HandleOf(e)
		}
		out.Facts = append(out.Facts, f)
	}
	for t := range out.Timed {
		for _, s := range w.Eyes().Sources(grid.Team(t)) {
			if s.Until > w.Tick() {
				out.Timed[t] = append(out.Timed[t], Timed{s.Tile, int(s.Radius), s.Flyer, int(s.LevelBonus)})
			}
		}
	}
	return out
}
