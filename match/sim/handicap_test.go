package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// TestHandicap: a seat begins with its part of the stock and does its part of the damage, a restored match too.
// Income is in TestIncome.
func TestHandicap(t *testing.T) {
	setup := Setup{Map: flatMap(40), Rules: mustRules(t), Seed: 1, Players: []Player{
		{Handicap: grid.Handicap{Start: 50, Damage: 40}}, {Team: 1, Start: 1, Handicap: grid.Handicap{Damage: 300}},
	}}
	w, err := empty(setup)
	if err != nil {
		t.Fatal(err)
	}
	w.mode = sandbox{}
	full := w.rules.Settings.StartStock
	if got := w.Player(0).Stock; got != (rules.Cost{full[0] / 2, full[1] / 2}) || w.Player(1).Stock != full || full[0] == 0 {
		t.Errorf("stocks %v and %v of %v", got, w.Player(1).Stock, full)
	}
	typ := w.rules.Types[0].Name
	own, foe := w.block(0, typ, 1, 10, 8)[0], w.block(1, typ, 1, 14, 8)[0]
	w.Step(nil)
	back, err := Restore(setup, w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	back.mode = sandbox{}
	for name, w := range map[string]*World{"first": w, "restored": back} {
		for _, c := range []struct {
			by, victim   grid.EntityID
			amount, want int32
		}{{own, foe, 20, 8}, {foe, own, 5, 15}, {own, foe, 1, 1}, {0, foe, 3, 3}} {
			victim := w.find(c.victim)
			h := harm{by: c.by, slot: grid.NoSlot, team: grid.NoTeam, amount: c.amount, weapon: NoWeapon}
			if by := w.find(c.by); by != nil {
				h.slot, h.team = by.slot, by.team
			}
			before := victim.hp + victim.shield/1000
			w.hurt(victim, h)
			w.Step(nil)
			if got := before - victim.hp - victim.shield/1000; got != c.want {
				t.Errorf("%s: %d damage of player %d is %d, want %d", name, c.amount, h.slot, got, c.want)
			}
		}
	}
	for want, h := range map[string]grid.Handicap{
		"player 0: handicap: start of 9 percent is outside 10 to 400":    {Start: 9},
		"player 0: handicap: income of 401 percent is outside 10 to 400": {Income: 401},
		"player 0: handicap: damage of -1 percent is outside 10 to 400":  {Damage: -1},
	} {
		setup.Players[0].Handicap = h
		if err := setup.Check(); err == nil || err.Error() != want {
			t.Errorf("the check says %v, want %s", err, want)
		}
	}
}
