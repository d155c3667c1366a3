package bench

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// FogConfig is what [Fog] compares.
type FogConfig struct {
	asJSON
	Map     Map    `default:"eight-crowns" placeholder:"MAP" help:"The map: id of a shipped map, or a file."`
	Seconds int    `default:"240" help:"Seconds of match time."`
	Seeds   int    `default:"5" help:"Seeds, each with one match."`
	Forks   int    `default:"4" help:"Versions of each match that differ in hidden things, each from a random tick on."`
	Seed    uint64 `default:"1" help:"The first seed."`

	reach grid.Dist // 0: of the ruleset. Tests set it too small
}

// Run compares and prints.
func (c *FogConfig) Run(in *cli.Invocation) error {
	r, err := Fog(*c)
	if err != nil {
		return err
	}
	return errors.Join(c.print(in.Stdout, &r), r.good())
}

// FogReport compares the bytes that a player receives in two versions of a match. They differ in things far from all that the
// player has; the comparison ends when such a difference comes near.
type FogReport struct {
	Map      string `json:"map"`
	Pairs    int    `json:"pairs"` // of versions that were compared
	Messages int    `json:"messages"`
	Bytes    int    `json:"bytes"`
	Secrets  int    `json:"messages_beside_other_secrets"` // those sent while the worlds differed
	Enemies  int    `json:"messages_near_enemies"`         // and while things of the enemy were near
	Differed int    `json:"messages_that_differed"`        // the aim is 0
	First    string `json:"first_difference,omitempty"`
}

func (r *FogReport) good() error {
	switch {
	case r.Differed > 0:
		return fmt.Errorf("the player received other bytes because of hidden things: %s", r.First)
	case r.Secrets == 0:
		return errors.New("no message was compared while the worlds differed: ask for more seeds or seconds")
	}
	return nil
}

// Fog plays each seed once, and again with an opponent that, from a random tick on, leaves out each order to units far from
// the player. It asks no code of the product what the player sees: near is nearer than any type of the ruleset can look.
func Fog(c FogConfig) (FogReport, error) {
	r := FogReport{}
	if c.Map.Map == nil || len(c.Map.Starts) < 2 || c.Seconds < 1 || c.Seeds < 1 || c.Forks < 1 {
		return r, errors.New("fog: a map with two starts is needed; seconds, seeds and forks must be at least 1")
	}
	r.Map = c.Map.Name
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		return r, err
	}
	for seed := c.Seed; seed < c.Seed+uint64(c.Seeds); seed++ {
		end := grid.Tick(c.Seconds * grid.TickRateDefault)
		whole, err := c.play(ruleset, seed, end+1, nil)
		if err != nil {
			return r, err
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		for range c.Forks {
			at := 1 + grid.Tick(rng.IntN(int(min(end, grid.Tick(len(whole.near))))))
			fork, err := c.play(ruleset, seed, at, whole)
			if err != nil {
				return r, err
			}
			r.compare(whole, fork, seed, at)
		}
	}
	return r, nil
}

// fogVersion is a version of a match.
type fogVersion struct {
	frames []fogFrame // of the player
	near   []uint64   // by tick: a hash of the enemy's things near the player's; 0: they are all far
	hashes []uint64   // by tick: of the world
}

type fogFrame struct {
	tick  grid.Tick
	bytes []byte
}

var errNear = errors.New("a difference came near")

// play plays a version whose opponent leaves out orders from a tick on, as long as all that is near is as in the other
// version, if there is one.
func (c *FogConfig) play(ruleset *rules.Ruleset, seed uint64, from grid.Tick, other *fogVersion) (*fogVersion, error) {
	v := &fogVersion{}
	s := &scene{reach: cmp.Or(c.reach, reachOf(ruleset)), own: map[grid.EntityID]grid.Pos{}}
	starts := [2]int{0, max(1, len(c.Map.Starts)/4)}
	_, err := headless.Match{
		Map: c.Map.Map, Rules: ruleset, Seed: seed, LimitSeconds: c.Seconds,
		Seats: []headless.Seat{
			{New: bot.Medium.New, Team: 0, Start: starts[0]},
			{New: func(st *client.State) (bot.Player, error) {
				p, err := bot.Hard.New(st)
				return &omitter{p, st, s, from}, err
			}, Team: 1, Start: starts[1]},
		},
		Framed: func(slot grid.Slot, b []byte) {
			if slot == 0 {
				v.frames = append(v.frames, fogFrame{grid.Tick(len(v.hashes)), bytes.Clone(b)})
			}
		},
		Stepped: func(w *sim.World, _ *sim.Outcome) error {
			near := s.take(w)
			if i := len(v.near); other != nil && (i >= len(other.near) || near != other.near[i]) {
				return errNear
			}
			v.near, v.hashes = append(v.near, near), append(v.hashes, w.Hash())
			return nil
		},
	}.Play()
	if errors.Is(err, errNear) {
		err = nil
	}
	return v, err
}

// scene has the places of the player's things, also of the dead ones: their sight lasts longer than they do. The player's
// bot is of a level that scans no distant ground.
type scene struct {
	reach grid.Dist
	own   map[grid.EntityID]grid.Pos
}

// take looks at the world, and returns a hash of the enemy's things near the player's.
func (s *scene) take(w *sim.World) uint64 {
	for _, e := range w.Entities() {
		if e.Slot() == 0 {
			s.own[e.ID()] = e.Pos()
		}
	}
	h, any := fnv.New64a(), false
	for _, e := range w.Entities() {
		if p := e.Pos(); e.Slot() == 1 && s.near(p) {
			any = true
			health, _ := e.Health()
			_ = binary.Write(h, binary.LittleEndian, []int32{int32(e.ID()), int32(e.Type()), p.X, p.Y, health})
		}
	}
	if !any {
		return 0
	}
	return h.Sum64()
}

func (s *scene) near(p grid.Pos) bool {
	for _, own := range s.own {
		if own.Within(p, s.reach) {
			return true
		}
	}
	return false
}

// reachOf is how near a thing can be seen, with room for its size and its way of some ticks.
func reachOf(rs *rules.Ruleset) (reach grid.Dist) {
	for i := range rs.Types {
		t := &rs.Types[i]
		reach = max(reach, t.Radar, grid.Tiles(int32(max(t.Sight, t.Detect))/2+int32(t.LevelBonus)))
	}
	return reach + grid.Tiles(5)
}

// omitter is a bot that leaves out orders to things far from the player.
type omitter struct {
	bot.Player
	state *client.State
	scene *scene
	from  grid.Tick
}

func (o *omitter) Think() []*pb.Order {
	orders, now := o.Player.Think(), o.state.Tick()
	if now < o.from {
		return orders
	}
	kept := orders[:0]
	for _, order := range orders {
		for _, h := range order.Units {
			if e := o.state.Replica.Entities[grid.Handle(h)]; e == nil || o.scene.near(o.state.Replica.Pos(e, now)) {
				kept = append(kept, order)
				break
			}
		}
	}
	return kept
}

// compare compares the messages of two versions until a difference came near.
func (r *FogReport) compare(whole, fork *fogVersion, seed uint64, from grid.Tick) {
	r.Pairs++
	for i, f := range fork.frames {
		w, now := whole.frames[i], int(f.tick)
		r.Messages++
		r.Bytes += len(f.bytes)
		if now > 0 && whole.hashes[now-1] != fork.hashes[now-1] {
			r.Secrets++
			if fork.near[now-1] != 0 {
				r.Enemies++
			}
		}
		if w.tick != f.tick || !bytes.Equal(w.bytes, f.bytes) {
			if r.Differed++; r.First == "" {
				r.First = fmt.Sprintf("seed %d, fork at tick %d: message %d, at tick %d", seed, from, i+1, now)
			}
		}
	}
}
