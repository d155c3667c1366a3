package rules

import "github.com/fogkeep/fogkeep/match/grid"

// TransportSlotsMax bounds the passengers of a transport.
const TransportSlotsMax = 32

// Transport is the room that a unit or structure has for units of its own player.
type Transport struct {
	Slots   int32     // 0: it carries no unit
	Types   []uint16  // that it takes in
	Range   grid.Dist // so far from its edge a passenger gets in
	EveryMs int32     // between two that get out
	Spill   bool      // its passengers get out where it is destroyed; else they die with it
}

func (r *rulesReader) transport(n *node, types []string) (x Transport) {
	v := r.get(n, "transport")
	if v == nil {
		return x
	}
	x = Transport{
		Slots: int32(r.whole(v, "slots", 4, 1, TransportSlotsMax)), Types: r.refs(v, "types", TypesMax, "type", types),
		Range: r.tiles(v, "range", 1, 8), EveryMs: max(1, r.ms(v, "every", 1000, 60_000)), Spill: r.boolean(v, "spill", false),
	}
	r.need(v, "types")
	r.done(v, "a transport")
	return x
}

// carried checks the types that a transport takes in.
func (r *rulesReader) carried(n *node, rs *Ruleset, t *Type, types []string) {
	v := r.get(n, "transport")
	if v == nil {
		return
	}
	r.each(v, "types", types, func(v *node, p int) {
		switch x := &rs.Types[p]; {
		case !x.Mobile || x.Transport.Slots > 0:
			r.fail(v, "%q carries %q, which is no unit that moves, or carries units itself", t.Name, x.Name)
		case x.Slots > t.Transport.Slots:
			r.fail(v, "%q has %d slots, %q takes %d", t.Name, t.Transport.Slots, x.Name, x.Slots)
		}
	})
}
