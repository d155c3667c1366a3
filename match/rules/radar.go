package rules

import "github.com/fogkeep/fogkeep/match/grid"

// Bounds of radar.
const (
	signaturesMax = 16
	radarMax      = 128 // tiles
	scatterMax    = 8   // cells
)

// Jam hides the units and structures of its team from the radar of others.
type Jam struct {
	Radius  grid.Dist // 0: the type does not jam
	Scatter int16     // side in cells of the blocks in which contacts are scattered; 0: contacts are removed
}

// radar reads the signature, the radar and the jammer of a unit or structure type.
func (r *rulesReader) radar(n *node, t *Type, signatures []string) {
	if i, ok := r.ref(n, "signature", "class of signatures", signatures); ok {
		t.Signature = uint8(1 + i)
	}
	t.Radar = r.tiles(n, "radar", 0, radarMax)
	v := r.get(n, "jam")
	if v != nil {
		t.Jam.Radius = grid.Dist(r.milli(v, "radius", 1000, 1000, 64_000) * grid.WUPerTile / 1000)
		t.Jam.Scatter = int16(r.whole(v, "scatter", 0, 0, scatterMax))
		if t.Jam.Scatter == 1 {
			r.fail(r.get(v, "scatter"), "%q: contacts are scattered in blocks of 2 cells or more, or removed by 0", t.Name)
		}
		r.need(v, "radius")
		r.done(v, "a jammer")
	}
	if (t.Radar > 0 || v != nil) && len(signatures) == 0 {
		r.fail(n, `%q: radar finds types with a signature, and the ruleset has no "signatures"`, t.Name)
	}
	if t.Signature > 0 && t.Relevance != RelevantSeen {
		r.fail(r.get(n, "signature"), "%q: radar finds only types that are relevant to the teams that see them", t.Name)
	}
}
