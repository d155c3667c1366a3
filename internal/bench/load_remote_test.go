package bench

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The state of a client is compared with a replay: the mask, and each entity in sight.
func TestHeldDiffersFromTheReplay(t *testing.T) {
	of := func(mask uint32, handle grid.Handle, kind uint16, owner grid.Slot, x int32) *held {
		return &held{mask: mask, entities: map[grid.Handle]heldEntity{1: {kind: 3}, handle: {kind, owner, grid.Pos{X: x}}}}
	}
	truth := of(7, 2, 5, 1, 1000)
	for want, h := range map[string]*held{
		"":                         of(7, 2, 5, 1, 1000+reckonMax),
		"another mask":             of(8, 2, 5, 1, 1000),
		"lacks handle 2":           {mask: 7, entities: map[grid.Handle]heldEntity{1: {kind: 3}}},
		"as type 6":                of(7, 2, 6, 1, 1000),
		"type 5 of 0, it is":       of(7, 2, 5, 0, 1000),
		"holds handle 2 at":        of(7, 2, 5, 1, 1001+reckonMax),
		"3, which is not in sight": {mask: 7, entities: map[grid.Handle]heldEntity{1: {kind: 3}, 2: {5, 1, grid.Pos{X: 1000}}, 3: {}}},
	} {
		if err := h.differs(truth); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
