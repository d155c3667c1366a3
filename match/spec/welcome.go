package spec

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Welcome returns the first message to every client of a match: the map's
// name, the players, and the rules as far as a client needs them. The rules
// object itself never goes to a client. The caller adds slot, team and token of each client.
func (s *Match) Welcome(w *sim.World) *pb.Welcome {
	rs := w.Rules()
	out := &pb.Welcome{
		Protocol: wire.Protocol, MatchId: s.ID, MapHash: s.Map.Hash().String(), TickRate: uint32(w.TickRate()),
		DyingSightTicks: uint32(w.DyingSight()),
		OrdersPerS:      uint32(w.OrdersPerSecond()), OrderBurst: uint32(w.OrderBurst()), LagMaxTicks: uint32(w.LagMax()),
		RulesHash: rs.Hash.String(), PackHash: s.Pack, Occlusion: uint32(s.Map.Occlusion), Resources: rs.Resources,
		Armours: rs.Armours, Sounds: rs.Sounds, Signatures: rs.Signatures, ContactTicks: uint32(w.ContactTicks()), Mode: w.Mode(), TimeLimitTicks: uint32(w.TimeLimit()), ScoreLimit: uint32(w.ScoreLimit()),
	}
	for _, v := range w.ModeValues() {
		out.ModeValues = append(out.ModeValues, &pb.ModeValue{Name: v.Name, Open: v.Open})
	}
	for _, a := range w.ModeAreas() {
		out.ModeAreas = append(out.ModeAreas, &pb.ModeArea{Name: a.Name, X: uint32(a.At.X), Y: uint32(a.At.Y), Radius: uint32(a.Radius)})
	}
	for _, p := range s.Seats {
		h := p.Handicap.Compact()
		out.Players = append(out.Players, &pb.Player{
			Name: p.Name, Team: uint32(p.Team), Color: uint32(p.Color), Bot: p.Bot, Start: uint32(p.Start) + 1,
			State: pb.PlayerState_PLAYER_STATE_PLAYING, Faction: uint32(p.Faction),
			HandicapStart: uint32(h.Start), HandicapIncome: uint32(h.Income), HandicapDamage: uint32(h.Damage),
		})
	}
	for _, x := range rs.Factions {
		out.Factions = append(out.Factions, &pb.FactionInfo{Name: x.Name, Text: x.Text, Color: x.Color})
	}
	for _, row := range orders.Table {
		out.Codes = append(out.Codes, row.Name)
	}
	speeds := view.Speeds(w)
	for i := range rs.Types {
		out.Types = append(out.Types, typeInfo(w, uint16(i), speeds[i]))
	}
	for i, a := range rs.Abilities {
		aim, lasting, passive := w.AbilityNeeds(uint8(i))
		info := &pb.AbilityInfo{
			Name: a.Name, Kind: a.Kind, Target: uint32(aim), Range: uint32(a.Range), CooldownTicks: uint32(w.AbilityTicks(uint8(i))),
			Energy: uint32(a.Energy) / 1000, Lasting: lasting, Passive: passive, Sight: uint32(a.Sight), Radius: uint32(a.Radius),
			Weapon:        uint32(a.Weapon + 1),
			DurationTicks: uint32(w.AbilityDuration(uint8(i))), Effect: uint32(a.Effect + 1), Targets: uint32(a.Targets), Needs: typeNumbers(a.Needs),
		}
		if s := a.Spends; s.Amount > 0 {
			info.Spends, info.SpendAmount = 1+uint32(s.Value), uint32(s.Amount)
		}
		out.Abilities = append(out.Abilities, info)
	}
	for i, x := range rs.Effects {
		duration, every := w.EffectTicks(uint8(i))
		info := &pb.EffectInfo{Name: x.Name, Kind: x.KindName, DurationTicks: uint32(duration), Strength: uint32(max(0, x.Strength))}
		if x.Kind == rules.EffectDamage {
			info.EveryTicks = uint32(every)
		}
		if x.Kind == rules.EffectModify {
			for _, c := range w.EffectChanges(uint8(i)) {
				info.Changes = append(info.Changes, &pb.AttributeChange{
					Attribute: uint32(c.Attribute), Add: c.Add, Percent: c.Percent, CapPercent: uint32(c.CapPercent), Cap: uint32(c.Cap),
				})
			}
		}
		out.Effects = append(out.Effects, info)
	}
	for _, v := range rs.Values {
		out.Values = append(out.Values, &pb.ValueInfo{Name: v.Name, Min: v.Min, Max: v.Max, Class: v.Class.String(), When: v.When.String()})
	}
	for _, d := range rs.Displays {
		out.Displays = append(out.Displays, &pb.DisplayInfo{Of: d.Of, Bar: d.Bar, Color: d.Color, Icon: d.Icon, Loss: d.Loss, Gain: d.Gain})
	}
	for i, x := range rs.Weapons {
		info := &pb.WeaponInfo{
			Name: x.Name, Range: uint32(x.Range), MinRange: uint32(x.MinRange), CooldownTicks: uint32(w.Cooldown(uint8(i))),
			Damage: uint32(max(0, x.Damage)), Projectile: x.Speed > 0, WindUpTicks: uint32(w.WindUp(uint8(i))),
			ProjectileType: uint32(x.Look), ProjectileSpeed: uint32(w.ShotSpeed(uint8(i))), Homing: x.Homing,
			AtGround: x.AtGround, HitsGround: x.HitsGround, HitsAir: x.HitsAir, Splash: uint32(x.Splash), Alternate: uint32(x.Alternate + 1),
			Lob: uint32(x.Lob), Bounces: uint32(x.Bounces), Pierces: uint32(x.Pierces), Splits: uint32(x.Splits), Steered: x.Steered,
		}
		if x.Burst > 1 {
			info.Burst, info.BurstTicks = uint32(x.Burst), uint32(w.WeaponTicks(uint8(i)))
		}
		for _, percent := range x.Versus {
			info.Versus = append(info.Versus, uint32(max(0, percent)))
		}
		out.Weapons = append(out.Weapons, info)
	}
	return out
}

func typeInfo(w *sim.World, typ uint16, speed int32) *pb.TypeInfo {
	rs := w.Rules()
	t := &rs.Types[typ]
	out := &pb.TypeInfo{
		Name: t.Name, Class: wire.ClassOf(t.Class), Health: uint32(t.Health), Sight: uint32(t.Sight), Speed: uint32(speed),
		Size: uint32(t.Radius), SizeY: uint32(t.Radius), MoveKind: uint32(t.Move), BuildTicks: uint32(w.BuildTicks(typ)),
		Population: uint32(max(0, t.Pop)), Worker: t.Carry > 0 || len(t.Builds) > 0, LevelBonus: uint32(t.LevelBonus),
		Detect: uint32(t.Detect), FlyerSight: t.Class == rules.ClassUnit && t.Move == grid.Air,
		Turn:   uint32(w.Turn(typ)),
		Shield: uint32(t.Shield.Max),
		Armour: uint32(t.Armour), Energy: uint32(t.EnergyMax / 1000), PopulationGives: uint32(max(0, t.PopGives)), DropOff: t.DropOff, Centre: t.Centre,
		Feature: uint32(t.Feature.Kind()), BlocksSight: t.Feature.BlocksSight, Breakable: t.Feature.Breakable,
		Signature: uint32(t.Signature), Radar: uint32(t.Radar), Jam: uint32(t.Jam.Radius),
	}
	if t.Class == rules.ClassStructure || t.Class == rules.ClassResource {
		out.Size, out.SizeY = uint32(t.FootW), uint32(t.FootH)
	} else if a := w.AreaOf(typ); a != nil {
		out.Size, out.SizeY = uint32(a.Radius), uint32(a.Radius)
	}
	for i := range rs.Resources {
		out.Cost = append(out.Cost, uint32(max(0, t.Cost[i])))
	}
	for _, x := range t.Weapons {
		out.Weapons = append(out.Weapons, uint32(x))
	}
	for _, v := range t.Values {
		out.Values = append(out.Values, &pb.TypeValue{Value: uint32(v.Value), Start: v.Start})
	}
	for _, a := range t.Abilities {
		out.Abilities = append(out.Abilities, uint32(a))
	}
	if x := &t.Transport; x.Slots > 0 {
		out.Slots, out.Carries = uint32(x.Slots), typeNumbers(x.Types)
	}
	if t.Slots > 1 {
		out.Takes = uint32(t.Slots)
	}
	out.Repairs, out.Wreck, out.Shore = typeNumbers(t.Repairs.Types), rs.IsWreck(typ), t.Shore
	out.Trains, out.Builds, out.Needs = typeNumbers(t.Trains), typeNumbers(t.Builds), typeNumbers(t.Needs)
	return out
}

// Narrow leaves in a welcome the products that the receiver's faction makes. It may run again with another faction.
func Narrow(out *pb.Welcome, rs *rules.Ruleset, faction uint8) {
	if len(rs.Factions) == 0 {
		return
	}
	foreign := func(typ uint16) bool { return !rs.Makes(faction, typ) }
	for i, t := range out.Types {
		t.Trains = typeNumbers(slices.DeleteFunc(slices.Clone(rs.Types[i].Trains), foreign))
		t.Builds = typeNumbers(slices.DeleteFunc(slices.Clone(rs.Types[i].Builds), foreign))
	}
}

func typeNumbers(types []uint16) (out []uint32) {
	for _, x := range types {
		out = append(out, uint32(x))
	}
	return out
}
