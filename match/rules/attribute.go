package rules

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Attribute is a number of a unit or structure that effects can change. The numbers are
// the numbers of the wire.
type Attribute uint8

// The attributes. Armour, damage and cooldown are factors, 100 without a change.
const (
	AttributeHealth   Attribute = iota // the most that it can have
	AttributeShield                    // the same, points
	AttributeEnergy                    // the same, points
	AttributeArmour                    // percent of damage that it takes
	AttributeDamage                    // percent of its weapons' damage
	AttributeCooldown                  // percent of its weapons' cooldown
	AttributeRange                     // of its weapons, world units
	AttributeSpeed                     // WU a second in the file, 1/64 WU a tick in a match
	AttributeSight                     // half tiles
	AttributeRegen                     // health a second; 0 without a change
	AttributeReflect                   // percent of a hit that its shooter takes; 0 without a change
	AttributeEnd
)

// AttributeNames has the name of each attribute in rulesets.
var AttributeNames = [AttributeEnd]string{"health", "shield", "energy", "armour", "damage", "cooldown", "range", "speed", "sight", "regen", "reflect"}

// AttributeChange is one change of an effect to one attribute.
type AttributeChange struct {
	Attribute  Attribute
	Add        int32 // in the units of the attribute
	Percent    int32 // more or less: -30 leaves 70 percent
	CapPercent int32 // the most that is left of the value, in percent; 0: no cap
	Cap        int32 // the most that the value can be, plus 1; 0: no cap
}

// Bounds of changes and of changed values.
const (
	ChangesMax      = 16 // of one effect
	pointsMax       = 1_000_000
	percentMax      = 1000 // that the changes of all effects multiply a value with
	speedPercentMax = 400
	attributeMax    = 1_000_000_000
)

// PercentMax returns the most by which all effects together multiply an attribute, in percent.
func (a Attribute) PercentMax() int32 {
	if a == AttributeSpeed {
		return speedPercentMax
	}
	return percentMax
}

// Sum adds up the changes of several effects to one attribute. Its zero value is no change.
type Sum struct{ add, percent, capPercent, cap int64 }

// Take adds a change that counts so many times. Of several caps the lowest counts.
func (s *Sum) Take(c *AttributeChange, times int32) {
	lower := func(cap *int64, by int32) {
		if by != 0 && (*cap == 0 || int64(by) < *cap) {
			*cap = int64(by)
		}
	}
	s.add += int64(c.Add) * int64(times)
	s.percent += int64(c.Percent) * int64(times)
	lower(&s.capPercent, c.CapPercent)
	lower(&s.cap, c.Cap)
}

// Of returns the value of the attribute with that base: first the changes add, then they
// multiply, then they cap. It is not below 0.
func (s *Sum) Of(a Attribute, base int32) int32 {
	v := max(0, int64(base)+s.add) * min(max(0, 100+s.percent), int64(a.PercentMax())) / 100
	if s.capPercent != 0 {
		v = v * s.capPercent / 100
	}
	if s.cap != 0 {
		v = min(v, s.cap-1)
	}
	return int32(min(v, attributeMax))
}

// changes reads the changes of an effect of kind modify.
func (r *rulesReader) changes(n *node) (out []AttributeChange) {
	r.need(n, "changes")
	for _, v := range r.list(n, "changes", ChangesMax) {
		r.need(v, "attribute")
		i, _ := r.ref(v, "attribute", "attribute", AttributeNames[:])
		c := AttributeChange{Attribute: Attribute(i)}
		unit := func(key string, lo int64) int32 {
			m, most, step := r.milli(v, key, 0, lo*pointsMax*1000, pointsMax*1000), int64(pointsMax), int64(1000)
			switch c.Attribute {
			case AttributeRange, AttributeSpeed:
				most, step = 64, 1
			case AttributeSight:
				most, step = 32, 500
			}
			switch at := r.get(v, key); {
			case m > most*1000 || m < -most*1000:
				r.fail(at, "%s is outside %d to %d, of %s", at.Got(), lo*most, most, c.Attribute)
			case m%step != 0:
				r.fail(at, "%s: want a multiple of %s, of %s", at.Got(), milliText(step), c.Attribute)
			}
			if step == 1 {
				return int32(m * grid.WUPerTile / 1000)
			}
			return int32(m / step)
		}
		c.Add = unit("add", -1)
		c.Percent = int32(r.whole(v, "percent", 100, 0, percentMax)) - 100
		c.CapPercent = int32(r.whole(v, "cap_percent", 0, 1, 100))
		if r.get(v, "cap") != nil {
			c.Cap = 1 + unit("cap", 0)
		}
		if r.done(v, "a change"); c == (AttributeChange{Attribute: c.Attribute}) && !v.Bad {
			r.fail(v, `a change needs one of "add", "percent", "cap_percent" and "cap"`)
		}
		out = append(out, c)
	}
	return out
}

// modifies reads the fields that only effects of kind modify have.
func (r *rulesReader) modifies(n *node, e *Effect) {
	e.Changes = r.changes(n)
	if v := r.get(n, "changes"); v != nil && len(v.Kids) == 0 {
		r.fail(n, "effect %q: it changes nothing", e.Name)
	}
	if i, ok := r.ref(n, "told", "receivers", []string{"seeing", "team"}); ok {
		e.TeamOnly = i == 1
	}
	for _, c := range e.Changes {
		if e.TeamOnly && c.Attribute <= AttributeShield {
			r.fail(r.get(n, "told"), "effect %q changes %s, which all who see a unit are shown: they have to see the effect", e.Name, AttributeNames[c.Attribute])
		}
	}
}

// Refocuses reports whether the effect changes the sight of its unit.
func (e *Effect) Refocuses() bool {
	for i := range e.Changes {
		if e.Changes[i].Attribute == AttributeSight {
			return true
		}
	}
	return false
}

func (a Attribute) String() string {
	if a < AttributeEnd {
		return AttributeNames[a]
	}
	return fmt.Sprintf("attribute(%d)", uint8(a))
}
