package main

import (
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// queueMax is how many units a structure has to make at once.
const queueMax = 2

// commander is the player. Its client's state has all that it may know.
type commander struct {
	*client.State
	next    grid.Tick // of the next thought
	refused int       // orders that the server refused
}

func newCommander(s *client.State) (bot.Player, error) { return &commander{State: s}, nil }

// Take implements bot.Player.
func (c *commander) Take(f *wire.ServerFrame) {
	for _, a := range f.Answers {
		if a.Code != uint32(orders.OK) {
			c.refused++
		}
	}
}

// Think implements bot.Player: once a second of match time.
func (c *commander) Think() []*pb.Order {
	if c.Tick() < c.next {
		return nil
	}
	c.next = c.Tick() + grid.Tick(c.Welcome.TickRate)
	var out []*pb.Order
	purse := append([]uint32(nil), c.Own.Resources...)
	to := map[grid.Pos][]uint32{}           // who goes where
	var places []grid.Pos                   // in the order in which they were found
	for _, h := range c.Replica.Handles() { // in order: the same match has the same orders
		e := c.Replica.Entities[h]
		if e.Owner != c.Slot() {
			continue
		}
		info := c.Welcome.Types[e.Type]
		switch {
		case info.Speed > 0 && len(info.Weapons) > 0:
			if _, busy := c.Own.Tasks[h]; busy {
				continue
			}
			at, ok := c.goal(e.At)
			if !ok {
				continue
			}
			if to[at] == nil {
				places = append(places, at)
			}
			to[at] = append(to[at], uint32(h))
		case len(c.Own.Queues[h].Types) < queueMax:
			if what, ok := c.fighter(info, purse); ok {
				out = append(out, &pb.Order{Seq: c.Number(), Kind: pb.OrderKind_ORDER_KIND_TRAIN, Units: []uint32{uint32(h)}, What: what})
			}
		}
	}
	for _, at := range places {
		out = append(out, &pb.Order{
			Seq: c.Number(), Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: to[at], To: &pb.Point{X: at.X, Y: at.Y},
		})
	}
	return out
}

// goal returns the nearest enemy in sight, or else the start of an enemy.
func (c *commander) goal(from grid.Pos) (at grid.Pos, ok bool) {
	least := int64(0)
	for _, h := range c.Replica.Handles() {
		e := c.Replica.Entities[h]
		if !c.enemy(e.Owner) {
			continue
		}
		dx, dy := int64(e.At.X-from.X), int64(e.At.Y-from.Y)
		if d := dx*dx + dy*dy; !ok || d < least {
			at, least, ok = e.At, d, true
		}
	}
	for _, p := range c.Welcome.Players {
		if !ok && grid.Team(p.Team) != c.Team() {
			at, ok = c.Map.Starts[p.Start-1].Center(), true
		}
	}
	return at, ok
}

func (c *commander) enemy(s grid.Slot) bool {
	return int(s) < len(c.Welcome.Players) && grid.Team(c.Welcome.Players[s].Team) != c.Team()
}

// fighter returns the first type with a weapon that a structure makes and the purse
// pays, and takes its price.
func (c *commander) fighter(home *pb.TypeInfo, purse []uint32) (what uint32, ok bool) {
	for _, what := range home.Trains {
		t := c.Welcome.Types[what]
		if len(t.Weapons) == 0 || c.Own.Population+t.Population > c.Own.PopulationMax {
			continue
		}
		pays := true
		for i, n := range t.Cost {
			pays = pays && i < len(purse) && purse[i] >= n
		}
		if pays {
			for i, n := range t.Cost {
				purse[i] -= n
			}
			return what, true
		}
	}
	return 0, false
}
