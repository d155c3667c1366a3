package client

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Periods returns the ticks between two shots of each weapon of an entity.
type Periods func(e *Entity) [view.BurstsMax]grid.Ticks

// periodsOf returns the periods that a welcome tells.
func periodsOf(w *pb.Welcome) Periods {
	period := func(weapon uint32) grid.Ticks {
		if int64(weapon) >= int64(len(w.Weapons)) {
			return 0
		}
		if x := w.Weapons[weapon]; x.Burst > 1 {
			return grid.Ticks(x.BurstTicks)
		}
		return grid.Ticks(w.Weapons[weapon].CooldownTicks)
	}
	fired := func(e *Entity, weapon uint32) uint32 { // in its present way of firing
		if int64(weapon) < int64(len(w.Weapons)) && e.Values[view.ValueFlags]&view.FlagAlternate != 0 && w.Weapons[weapon].Alternate > 0 {
			return w.Weapons[weapon].Alternate - 1
		}
		return weapon
	}
	return func(e *Entity) (out [view.BurstsMax]grid.Ticks) {
		t := w.Types[e.Type]
		for i := range min(len(t.Weapons), len(out)) {
			out[i] = period(fired(e, t.Weapons[i]))
		}
		for _, x := range e.Actions {
			if int(x.Index) >= len(t.Abilities) || int64(t.Abilities[x.Index]) >= int64(len(w.Abilities)) {
				continue
			}
			if a := w.Abilities[t.Abilities[x.Index]]; a.Weapon > 0 {
				out[0] = period(fired(e, a.Weapon-1))
			}
		}
		return out
	}
}

// burstValues has the value of each weapon's burst.
var burstValues = [view.BurstsMax]int{view.ValueBurst, view.ValueBurstSecond}

// takeBursts takes over the rows of bursts, and the bursts of a snapshot.
func (r *Replica) takeBursts(d *view.Diff) error {
	for weapon, value := range burstValues {
		for _, row := range d.Values[value] {
			e := r.Entities[row.Handle]
			var periods [view.BurstsMax]grid.Ticks
			if r.Periods != nil {
				periods = r.Periods(e)
			}
			e.Bursts[weapon].Take(row.Value, r.Tick, periods[weapon])
			e.Values[value] = view.BurstValue(row.Value)
		}
	}
	if d.Snapshot { // shots from before are not news
		for _, e := range r.Entities {
			for i := range e.Bursts {
				e.before[i] = e.Bursts[i].At(r.Tick)
			}
		}
	}
	return nil
}

// settleBursts adds up the shots of entities that have left sight. They were gone in the frame of tick r.Tick: without
// a row that says otherwise, they fired up to the tick before.
func (r *Replica) settleBursts(d *view.Diff) error {
	for _, row := range d.LastBursts {
		e := r.Entities[row.Handle]
		if e == nil {
			return fmt.Errorf("replica: tick %d: last shots of handle %d, which is not held", r.Tick, row.Handle)
		}
		for i := range e.Bursts {
			e.Bursts[i].Take(row.Bursts[i], r.Tick, 0)
		}
	}
	for _, list := range [][]grid.Handle{d.Leave, d.Destroyed} {
		for _, h := range list {
			if e := r.Entities[h]; e != nil {
				r.fired += e.ShotsSeen(r.Tick - 1)
			}
		}
	}
	return nil
}

// ShotsSeen returns how often the weapons of e have fired by a tick since the client holds it. Shots before a snapshot
// do not count.
func (e *Entity) ShotsSeen(at grid.Tick) (n uint64) {
	for i := range e.Bursts {
		n += uint64(e.Bursts[i].At(at) - e.before[i])
	}
	return n
}

// ShotsSeen returns how many shots the client has counted by now, of all entities that it holds or held.
func (r *Replica) ShotsSeen() uint64 {
	n := r.fired
	for _, e := range r.Entities {
		n += e.ShotsSeen(r.Tick)
	}
	return n
}
