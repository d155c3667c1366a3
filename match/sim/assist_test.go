package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// assistWorld is a world of two players with assists within two seconds, and a soldier of
// each.
func assistWorld(t *testing.T) (w *World, own, foe *Entity) {
	s := wildSetup(t, 3)
	rs := *s.Rules
	rs.Settings.AssistMs, rs.Settings.AssistScore = 2000, 50
	s.Rules = &rs
	w = newWorld(t, s)
	for _, e := range w.all {
		switch {
		case e.class != rules.ClassUnit:
		case e.slot == 0:
			own = e
		case e.slot == 1:
			foe = e
		}
	}
	return w, own, foe
}

// Without a last blow by an enemy, the enemy who hurt the unit last has the kill, if that
// was not long before.
func TestKillsWithoutALastBlowAreCredited(t *testing.T) {
	for _, after := range []int{20, 39, 41} {
		w, own, foe := assistWorld(t)
		w.Step(nil)
		w.hurt(own, harm{by: foe.id, slot: foe.slot, team: foe.team, amount: 1, weapon: NoWeapon})
		w.deal()
		w.tick += grid.Tick(after)
		w.hurt(own, harm{slot: own.slot, team: own.team, amount: 1_000_000, weapon: NoWeapon})
		w.deal()
		want := int32(1)
		if after > 40 {
			want = 0
		}
		if got := w.players[foe.slot].kills; got != want || w.players[own.slot].kills != 0 {
			t.Errorf("%d ticks after the wound: %d kills", after, got)
		}
	}
}

// Wounds are state: a restored world has them. They go with their entities and with time.
func TestWoundsAreState(t *testing.T) {
	w, own, foe := assistWorld(t)
	w.hurt(own, harm{by: foe.id, slot: foe.slot, team: foe.team, amount: 1, weapon: NoWeapon})
	w.deal()
	s := wildSetup(t, 3)
	s.Rules = w.rules
	again, err := Restore(s, w.Save(nil))
	if err != nil || len(again.wounds) != 1 || again.wounds[0] != w.wounds[0] || again.Hash() != w.Hash() {
		t.Fatalf("%v, %v and not %v", err, again.wounds, w.wounds)
	}
	for range 3 * w.rate {
		w.Step(nil)
	}
	if len(w.wounds) != 0 {
		t.Fatalf("%v is kept", w.wounds)
	}
}
