package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// weaponsRules have weapons of each kind.
const weaponsRules = `{
 "name": "weapons", "settings": {"order_burst": 100, "radar_sweep": 0.7, "radar_keep": 2}, "signatures": ["house", "hull"],
 "weapons": [
  {"name": "gun", "range": 5, "cooldown": 1.5, "damage": 1, "burst": 3, "burst_interval": 0.2},
  {"name": "rail", "range": 6, "cooldown": 1, "wind_up": 0.3, "damage": 2, "alternate": "salvo"},
  {"name": "salvo", "range": 5, "cooldown": 2, "wind_up": 0.5, "damage": 1, "burst": 2, "burst_interval": 0.4},
  {"name": "mortar", "projectile": {"type": "shell", "speed": 8, "lob": 2, "split": {"count": 2, "into": "bit"}}},
  {"name": "missile", "projectile": {"type": "shell", "speed": 8, "homing": true, "steered": true, "bounces": 1}},
  {"name": "bit", "projectile": {"type": "shell", "speed": 8, "pierces": 2}}
 ],
 "displays": [{"of": "heat", "bar": "marked", "color": "#ff8000", "icon": "flame", "loss": "#80ff00", "gain": "#ff0080"}],
 "values": [{"name": "heat", "max": 40, "class": "seeing", "deal": 100, "hurt": 50, "levels": [{"at": 9, "effect": "hot"}]}],
 "effects": [{"name": "drilled", "kind": "modify", "changes": [{"attribute": "damage", "add": 10}]}, {"name": "hot", "kind": "modify", "changes": [{"attribute": "cooldown", "percent": 90}]}],
 "abilities": [{"name": "vent", "kind": "sprint", "percent": 120, "duration": 1, "spends": {"value": "heat", "amount": 3}}],
 "types": [
  {"name": "home", "class": "structure", "width": 3, "height": 3, "health": 400, "sight": 8, "radar": 40, "signature": "house", "centre": true, "trains": ["drill"]},
  {"name": "drill", "class": "upgrade", "build": 1, "effect": "drilled", "of": ["tank"]},
  {"name": "tank", "radius": 0.4, "speed": 3, "health": 60, "sight": 8, "signature": "hull", "jam": {"radius": 4, "scatter": 2}, "weapons": ["rail", "gun"], "abilities": ["vent"], "values": {"heat": 0}},
  {"name": "shell", "class": "projectile"}
 ],
 "start": [{"type": "home"}, {"type": "tank", "count": 3}]
}`

const kFire = pb.OrderKind_ORDER_KIND_FIRE

// playWeapons is a fight with weapons whose players choose how they fire.
func playWeapons(t testing.TB) *vectorFile {
	v := newVectorMatch(t, "Alternate fire, bursts, units that hold fire, and contacts of radar.", vectorMap(grid.OcclusionNone), func(s *Spec, _ *Config) {
		s.Seats = s.Seats[:2]
		rs, err := rules.Parse("weapons.json", []byte(weaponsRules))
		if err != nil {
			t.Fatal(err)
		}
		s.Rules = rs
	})
	a := v.player(0, asksFog, "A player whose units hold fire for a while, and use their alternate fire.")
	b := v.player(1, asksFog|asksPacked, "The other team's player, who sees which fire they use, and not that they hold it.")
	v.run(2)
	a.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_TRAIN, Units: a.mine("home"), What: a.typ("drill")})
	a.order(&pb.Order{Kind: kFire, Units: a.mine("tank")[:1], What: orders.FireHold})
	a.order(&pb.Order{Kind: kFire, Units: a.mine("tank")[1:], What: orders.FireAlternate})
	b.order(&pb.Order{Kind: kFire, Units: b.mine("tank")[:1], What: orders.FireSecond})
	a.to(kMove, a.mine("tank"), 20, 12)
	b.to(kAttackMove, b.mine("tank"), 20, 12)
	v.run(90)
	a.order(&pb.Order{Kind: kAbility, Units: a.mine("tank"), What: a.ability("vent")})
	a.order(&pb.Order{Kind: kFire, Units: a.mine("tank"), What: orders.FireAtWill})
	v.run(20)
	a.order(&pb.Order{Kind: kFire, Units: a.mine("tank"), What: orders.FireMain})
	v.run(37)
	a.send(&pb.ClientFrame{Resync: true}) // a snapshot has old contacts
	v.run(3)
	return v.done()
}
