package main

import (
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// mark makes units take more damage. Rulesets say how much.
var mark = sim.EffectKind{
	Params: []rules.Param{{Name: "taken", Kind: rules.ParamWhole, Required: true, Min: 1, Max: 200}}, // percent
	Modify: func(p rules.Params) sim.Modifiers { return sim.Modifiers{Taken: p.Get("taken")} },
}

func init() { sim.RegisterEffect("mark", 1, mark) }
