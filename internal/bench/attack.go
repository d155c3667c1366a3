package bench

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/bot"
	mclient "github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// AttackConfig is the command that floods a server of its own. The server, the honest
// players and the attacker are three processes, so that each one's cost is its own.
type AttackConfig struct {
	asJSON
	Seconds int      `default:"7" help:"Seconds of each attack. The quiet time before it takes half as long."`
	Only    []string `help:"Names of attacks. Default: all."`
}

// AttackTarget is where a server is attacked.
type AttackTarget struct {
	URL     string // of players
	Service string // of the service API
	Key     string // of a studio
}

// ServerSample are a server's own measurements.
type ServerSample struct {
	CPUSeconds float64 `json:"cpu_s"`
	RSSMB      float64 `json:"rss_mb"`
	Ticks      int     `json:"ticks"` // of the matches named
	TickP99Ms  float64 `json:"tick_p99_ms"`
}

// AttackerReport has the acts and the cost of an attack.
type AttackerReport struct {
	Core    float64 `json:"core"`    // processor time a second
	Tries   int     `json:"tries"`   // requests, sockets or messages
	Refused int     `json:"refused"` // tries that the server refused
	Clients int     `json:"clients"` // accounts or addresses that took part
	From    int     `json:"from"`    // addresses: so many attackers
	SentMB  float64 `json:"sent_mb"` // not counting headers of HTTP
	First   string  `json:"first_refusal,omitempty"`
}

// AttackResult is one attack beside the quiet run.
type AttackResult struct {
	Name                 string         `json:"name"`
	What                 string         `json:"what"`
	Attacker             AttackerReport `json:"attacker"`
	ServerCore           float64        `json:"server_core"`
	RSSMB                float64        `json:"rss_mb"`
	RSSGrowthMB          float64        `json:"rss_growth_mb"`     // over the run before the attack
	DiskBPerS            float64        `json:"disk_b_per_s"`      // after [burstSeconds], beyond the quiet run's: what goes on
	DiskEachBPerS        float64        `json:"disk_each_b_per_s"` // the share of one address of the attack
	DiskFirstMB          float64        `json:"disk_first_mb"`     // until then: what may be taken at once
	VictimTickP99Ms      float64        `json:"victim_tick_p99_ms"`
	VictimTickP99Ratio   float64        `json:"victim_tick_p99_ratio"`
	VictimLoginP99Ms     float64        `json:"victim_login_p99_ms"`
	VictimLoginP99Ratio  float64        `json:"victim_login_p99_ratio"`
	VictimFrameLateP99Ms float64        `json:"victim_frame_late_p99_ms"`
	MachineLateP99Ms     float64        `json:"machine_late_p99_ms"`    // of a timer of an idle process: a floor of all delays here
	VictimOrderP99Ms     float64        `json:"victim_order_p99_ms"`    // from an order to its answer
	VictimOrderLongerMs  float64        `json:"victim_order_longer_ms"` // than in the quiet run, each without the machine's own delay
	Orders               int            `json:"orders"`                 // that were answered
	Logins               int            `json:"logins"`
	LoginsFailed         int            `json:"logins_failed"`
	FirstFailure         string         `json:"first_failure,omitempty"`
	Missed               []string       `json:"missed,omitempty"` // targets, by their keys
}

// burstSeconds is the time in which an attacker may use up its limits for a minute.
const burstSeconds = 3

// attackTargets are the most that a flood may do to honest players, and may write after
// [burstSeconds], by the keys of an [AttackResult].
var attackTargets = map[string]float64{
	"victim_frame_late_p99_ms": 10, "victim_order_longer_ms": 50, "victim_login_p99_ms": 150, "disk_each_b_per_s": 64 << 10,
}

// miss notes which targets the attack missed. Frames are late by the attack only as far
// as they are later than the machine's own timers.
func (r *AttackResult) miss() {
	for key, is := range map[string]float64{
		"victim_frame_late_p99_ms": r.VictimFrameLateP99Ms - r.MachineLateP99Ms, "victim_order_longer_ms": r.VictimOrderLongerMs, "victim_login_p99_ms": r.VictimLoginP99Ms,
		"disk_each_b_per_s": r.DiskEachBPerS,
	} {
		if is > attackTargets[key] {
			r.Missed = append(r.Missed, key)
		}
	}
	slices.Sort(r.Missed)
}

// AttackReport is a whole run.
type AttackReport struct {
	Seconds int                `json:"seconds"`
	Targets map[string]float64 `json:"targets"`
	Quiet   AttackResult       `json:"quiet"`
	Attacks []AttackResult     `json:"attacks"`
}

// Run measures what floods cost a server and the people on it: two matches of two players each, and one player who
// logs in each second. Each attack has a fresh server, and a quiet time on it just before, to which it is compared.
func (c *AttackConfig) Run(in *cli.Invocation) error {
	if c.Seconds < 2 || c.Seconds > 600 {
		return fmt.Errorf("--seconds %d: want 2 to 600", c.Seconds)
	}
	r := AttackReport{Seconds: c.Seconds, Targets: attackTargets}
	for _, a := range Attacks {
		if len(c.Only) > 0 && !slices.Contains(c.Only, a.Name) {
			continue
		}
		in.Progress("%s: %s", a.Name, a.What)
		quiet, result, err := c.one(in, a)
		if err != nil {
			return fmt.Errorf("attack %s: %w", a.Name, err)
		}
		r.Quiet = quiet
		r.Attacks = append(r.Attacks, result)
	}
	if len(r.Attacks) == 0 {
		return fmt.Errorf("unknown attack: %s", strings.Join(c.Only, ", "))
	}
	return c.print(in.Stdout, &r)
}

func (c *AttackConfig) one(in *cli.Invocation, a AttackKind) (quiet, attacked AttackResult, err error) {
	ctx, cancel := context.WithCancel(in.Ctx)
	defer cancel()
	server, err := startAttacked(ctx, in.Stderr)
	if err != nil {
		return quiet, attacked, err
	}
	defer server.Close()
	v := &victims{url: server.at.URL}
	defer v.playing.Wait()
	defer cancel()
	if err := v.enter(ctx); err != nil {
		return quiet, attacked, fmt.Errorf("honest players: %w", err)
	}
	if quiet, err = phase(ctx, server, v, c.Seconds/2, func() (AttackerReport, error) { return AttackerReport{}, sleep(ctx, c.Seconds/2) }); err != nil {
		return quiet, attacked, fmt.Errorf("quiet run: %w", err)
	}
	attacked, err = phase(ctx, server, v, c.Seconds, func() (AttackerReport, error) { return server.attack(ctx, in.Stderr, a.Name, c.Seconds) })
	if err != nil {
		return quiet, attacked, err
	}
	quiet.Name = "quiet"
	attacked.Name, attacked.What = a.Name, a.What
	attacked.RSSGrowthMB = attacked.RSSMB - quiet.RSSMB
	attacked.DiskBPerS = max(0, attacked.DiskBPerS-quiet.DiskBPerS)
	attacked.VictimTickP99Ratio = ratio(attacked.VictimTickP99Ms, quiet.VictimTickP99Ms)
	attacked.VictimLoginP99Ratio = ratio(attacked.VictimLoginP99Ms, quiet.VictimLoginP99Ms)
	attacked.VictimOrderLongerMs = attacked.VictimOrderP99Ms - attacked.MachineLateP99Ms - (quiet.VictimOrderP99Ms - quiet.MachineLateP99Ms)
	attacked.DiskEachBPerS = attacked.DiskBPerS / float64(max(1, attacked.Attacker.From))
	attacked.miss()
	return quiet, attacked, nil
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func sleep(ctx context.Context, seconds int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(seconds) * time.Second):
		return nil
	}
}

// phase measures while do runs, for the seconds that are given.
func phase(ctx context.Context, server *attacked, v *victims, lasts int, do func() (AttackerReport, error)) (r AttackResult, err error) {
	if _, err := server.sample(v.matches); err != nil { // from here on
		return r, err
	}
	v.begin()
	began := time.Now()
	stop, floor := v.logIns(ctx), machineDelay(ctx)
	before, err := writtenBytes(server.cmd.Process.Pid)
	if err != nil {
		return r, err
	}
	half, burst := make(chan int64, 1), min(burstSeconds, lasts/2)
	go func() {
		_ = sleep(ctx, burst)
		n, err := writtenBytes(server.cmd.Process.Pid)
		if err != nil {
			n = before
		}
		half <- n
	}()
	r.Attacker, err = do()
	middle := <-half
	stop()
	r.MachineLateP99Ms = floor()
	seconds := time.Since(began).Seconds()
	if err != nil {
		return r, err
	}
	s, err := server.sample(v.matches)
	if err != nil {
		return r, err
	}
	if want := int(float64(2*20)*seconds) * 8 / 10; s.Ticks < want {
		return r, fmt.Errorf("the honest matches played %d ticks, at least %d were to be measured", s.Ticks, want)
	}
	written, err := writtenBytes(server.cmd.Process.Pid)
	if err != nil {
		return r, err
	}
	r.ServerCore, r.RSSMB = s.CPUSeconds/seconds, s.RSSMB
	r.DiskBPerS = float64(written-middle) / (seconds - float64(burst))
	r.DiskFirstMB = float64(middle-before) / (1 << 20)
	r.VictimTickP99Ms = s.TickP99Ms
	v.mu.Lock()
	defer v.mu.Unlock()
	r.VictimLoginP99Ms, r.VictimFrameLateP99Ms = millis(v.logins, 99), millis(v.late, 99)
	r.VictimOrderP99Ms, r.Orders = millis(v.orders, 99), len(v.orders)
	r.Logins, r.LoginsFailed, r.FirstFailure = len(v.logins), v.failed, v.first
	return r, nil
}

// machineDelay measures how much later a timer wakes than it should, until the function
// that it returns is called: that gives the 99th percentile in milliseconds.
func machineDelay(ctx context.Context) (stop func() float64) {
	ctx, cancel := context.WithCancel(ctx)
	var late []time.Duration
	var done sync.WaitGroup
	done.Go(func() {
		const every = 5 * time.Millisecond
		for due := time.Now().Add(every); ; due = due.Add(every) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(due)):
				late = append(late, time.Since(due))
			}
		}
	})
	return func() float64 { cancel(); done.Wait(); return millis(late, 99) }
}

// victims are honest players, each from an address of its own.
type victims struct {
	url     string
	matches []string
	playing sync.WaitGroup

	mu     sync.Mutex
	origin map[int]time.Time // when tick 0 would have come at the earliest, by player
	late   []time.Duration   // of frames
	orders []time.Duration   // from each to its answer
	logins []time.Duration
	failed int
	first  string
}

// victimPassword is good enough for a server that is thrown away.
const victimPassword = "correct horse battery"

// clientFrom is a client of the server from an address: the server believes
// X-Forwarded-For from here.
func clientFrom(url string, h *http.Client, from string) *client.Client {
	return &client.Client{URL: url, HTTP: h, Header: http.Header{"X-Forwarded-For": {from}}}
}

// enter registers four players and brings them into two matches.
func (v *victims) enter(ctx context.Context) error {
	v.origin = map[int]time.Time{}
	h := &http.Client{Timeout: 30 * time.Second}
	maps, err := clientFrom(v.url, h, "203.0.113.1").Maps(ctx)
	if err != nil || len(maps) == 0 {
		return fmt.Errorf("no maps: %w", err)
	}
	for m := range 2 {
		var players [2]*client.Client
		for i := range players {
			n := 2*m + i
			players[i] = clientFrom(v.url, h, fmt.Sprintf("203.0.113.%d", 1+n))
			if _, err := players[i].Register(ctx, fmt.Sprintf("Honest %d", n), victimPassword); err != nil {
				return err
			}
		}
		l, err := players[0].StartMatch(ctx, api.NewLobby{Name: fmt.Sprintf("honest %d", m), Map: maps[0].ID, Limit: 2}, players[1])
		if err != nil {
			return err
		}
		v.matches = append(v.matches, l.MatchID)
		for i, p := range players {
			if err := v.play(ctx, p, l.ID, 2*m+i); err != nil {
				return err
			}
		}
	}
	return nil
}

// play lets a bot play a seat, over a usual socket.
func (v *victims) play(ctx context.Context, c *client.Client, lobby string, n int) error {
	ticket, err := c.Ticket(ctx, lobby)
	if err != nil {
		return err
	}
	v.playing.Go(func() {
		_, _ = bot.Play(ctx, bot.Config{ // that it played shows in the ticks and frames that are counted
			Socket: c.Socket(), Ticket: ticket, Header: c.Header, Map: c.Map,
			Applied: func(t grid.Tick) { v.framed(n, t, time.Now()) },
			New:     v.probing,
		})
	})
	return nil
}

// framed notes how much later a frame came than the earliest of its player's
// would have.
func (v *victims) framed(n int, t grid.Tick, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	begun := now.Add(-time.Duration(t) * time.Second / 20)
	if first, ok := v.origin[n]; !ok || begun.Before(first) {
		v.origin[n] = begun
	}
	v.late = append(v.late, begun.Sub(v.origin[n]))
}

// prober is a player that measures how long the answers to its orders take. It also gives orders that are refused,
// so that there is something to measure.
type prober struct {
	bot.Player
	v    *victims
	c    *mclient.State
	sent map[uint32]time.Time
	last grid.Tick // that it ordered in what is refused
}

// probeTicks is how many ticks are between two orders that are refused.
const probeTicks = 4

func (v *victims) probing(c *mclient.State) (bot.Player, error) {
	p, err := bot.Medium.New(c)
	return &prober{p, v, c, map[uint32]time.Time{}, 0}, err
}

func (p *prober) Take(f *wire.ServerFrame) {
	now := time.Now()
	p.v.mu.Lock()
	for _, a := range f.Answers {
		if sent, ok := p.sent[a.Seq]; ok {
			p.v.orders = append(p.v.orders, now.Sub(sent))
			delete(p.sent, a.Seq)
		}
	}
	p.v.mu.Unlock()
	if f.Welcome != nil { // what was waiting gets no answer
		clear(p.sent)
	}
	p.Player.Take(f)
}

func (p *prober) Think() []*pb.Order {
	out := p.Player.Think()
	if now := p.c.Tick(); now >= p.last+probeTicks {
		p.last = now
		out = append(out, &pb.Order{Seq: p.c.Number(), Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{1 << 30}})
	}
	for _, o := range out {
		p.sent[o.Seq] = time.Now()
	}
	return out
}

// begin forgets the measurements.
func (v *victims) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.origin)
	v.late, v.orders, v.logins, v.failed, v.first = nil, nil, nil, 0, ""
}

// logIns logs in once a second until the function it returns is called.
func (v *victims) logIns(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		c := clientFrom(v.url, &http.Client{Timeout: 20 * time.Second}, "203.0.113.1")
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			began := time.Now()
			c.Token = "" // as one who has none yet
			_, err := c.LogIn(ctx, "Honest 0", victimPassword)
			if ctx.Err() != nil {
				return
			}
			v.mu.Lock()
			v.logins = append(v.logins, time.Since(began))
			if err != nil {
				if v.failed++; v.failed == 1 {
					v.first = err.Error()
				}
			}
			v.mu.Unlock()
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
