package sim

import (
	"maps"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/rules"
)

// TestEveryKindOfAbilityHasCode holds the kinds that a ruleset may name to the
// kinds that have code.
func TestEveryKindOfAbilityHasCode(t *testing.T) {
	if code := slices.Sorted(maps.Keys(abilities)); !slices.Equal(code, rules.AbilityKinds) {
		t.Errorf("there is code for %v, rulesets may name %v", code, rules.AbilityKinds)
	}
}
