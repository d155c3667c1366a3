//go:build !race

package match

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// zigzag is a difference in the form of rows of declared values, and back.
func zigzag(off int32) uint32 { return uint32(off)<<1 ^ uint32(off>>31) }

func unzigzag(n uint32) int32 {
	if n%2 == 1 {
		return -int32(n/2) - 1
	}
	return int32(n / 2)
}

// declared returns a declared value of a thing, nil if it has no such value.
func (x *thing) valueNumbered(number uint32) *declaredThen {
	i := slices.IndexFunc(x.declared, func(d declaredThen) bool { return d.number == number })
	if i < 0 {
		return nil
	}
	return &x.declared[i]
}

// shares reports whether the receiver may know a declared value of a thing that it sees,
// beside the values of its own units.
func (c *fieldClient) shares(y *thing, d *declaredThen) bool {
	always := c.h.setup.Rules.Types[y.typ].Relevance == rules.RelevantAlways
	own := y.team != grid.NoTeam && (c.r.team == grid.NoTeam || y.team == c.r.team)
	return d.def.Class == rules.ValueAll || d.def.Class == rules.ValueSeeing && (own || !always)
}

// isDeclared reports whether a value of the thing was so far from its start: as it came into
// sight, or in the last ticks.
func (c *fieldClient) isDeclared(x *held, id grid.EntityID, number uint32, off, slack int32) bool {
	d := c.then.things[id].valueNumbered(number)
	if d == nil || !c.shares(c.then.things[id], d) {
		return false
	}
	if d.def.When == rules.ValueInitial {
		m := c.h.at(max(1, c.eyes.seen[id].since))
		return m.things[id].valueNumbered(number).off == off
	}
	one := *x
	one.may = []grid.EntityID{id}
	return c.lately(&one, func(_ *moments, _ stay, y *thing) bool {
		d := off - y.valueNumbered(number).off
		return max(d, -d) <= slack
	})
}

// checkDeclared holds each told value to its declaration, and all values that a receiver
// with a good link holds to their things.
func checkDeclared(c *fieldClient) {
	if !c.frame() {
		return
	}
	for _, x := range c.enters {
		x.declared = map[uint32]int32{}
	}
	c.rows("values", c.f.Values, 3, func(handle uint32, row []uint32) {
		x, number, off := c.things[handle], row[0], unzigzag(row[1])
		if x == nil {
			c.wrong("values", "handle %d is not held", handle)
			return
		}
		if int(number) >= len(c.h.setup.Rules.Values) {
			c.wrong("values", "%s is told value %d", c.name(x), number)
			return
		}
		def, slack := &c.h.setup.Rules.Values[number], int32(0)
		if !c.r.steady {
			slack = def.Step - 1
		}
		switch x.declared[number] = off; {
		case def.When == rules.ValueInitial && !slices.Contains(c.enters, x):
			c.wrong("values", "%s is told %s again", c.name(x), def.Name)
		case len(x.may) > 0 && !slices.ContainsFunc(x.may, func(id grid.EntityID) bool { return c.isDeclared(x, id, number, off, slack) }):
			c.wrong("values", "%s is told %s with %d", c.name(x), def.Name, off)
		}
	})
	if !c.r.steady {
		return
	}
	for _, x := range c.sorted() {
		if len(x.may) != 1 {
			continue
		}
		y := c.then.things[x.may[0]]
		for i := range y.declared {
			d := &y.declared[i]
			if off := x.declared[d.number]; c.shares(y, d) && !c.isDeclared(x, y.id, d.number, off, d.def.Step-1) {
				c.wrong("values", "%s is held with %s of %d, and is %+v", c.name(x), d.def.Name, off, d)
			}
		}
	}
}

// checkOwnDeclared holds the values of the player's own units to the owner's knowledge.
func checkOwnDeclared(c *fieldClient, own *pb.Own) {
	c.rows("own.owner_values", own.OwnerValues, 3, func(handle uint32, row []uint32) {
		c.own("own.owner_values", handle, func(y *thing) bool {
			d, off := y.valueNumbered(row[0]), unzigzag(row[1])
			if d == nil || d.def.Class != rules.ValueOwner {
				return false
			}
			if d.def.When != rules.ValueInitial {
				return d.off == off
			}
			at := c.now // since when it is the player's, and in its sight
			for m := c.h.at(at - 1); at > max(1, c.eyes.seen[y.id].since) && m.things[y.id] != nil && m.things[y.id].slot == y.slot; m = c.h.at(at - 1) {
				at--
			}
			return c.h.at(at).things[y.id].valueNumbered(row[0]).off == off
		})
	})
}

func checkPackedValues(c *fieldClient) {
	if len(c.f.PackedValues) == 0 {
		return
	}
	f, again := proto.Clone(c.f).(*pb.ServerFrame), &pb.ServerFrame{}
	f.Packed, f.PackedValues = nil, nil
	b, err := proto.Marshal(f)
	if err == nil {
		err = proto.Unmarshal(wire.AppendPacked(nil, b), again)
	}
	if err != nil || !bytes.Equal(again.PackedValues, c.f.PackedValues) {
		c.wrong("packed_values", "tick %d: %x is not what its rows are packed to, %x (%v)", c.now, c.f.PackedValues, again.PackedValues, err)
	}
}

func leaksPackedValues(p *planting) bool {
	if len(p.f.PackedValues) == 0 {
		return false
	}
	p.f.PackedValues = append(bytes.Clone(p.f.PackedValues), byte(p.secret()))
	return true
}

// leaksValueOf tells a value of a thing in sight that the receiver may not know, or not now.
func leaksValueOf(path string, secret func(p *planting, y *thing, d *declaredThen) (off int32)) fieldLeak {
	return func(p *planting) (done bool) {
		return p.foreign(func(x *held, y *thing) bool {
			for i := range y.declared {
				d := &y.declared[i]
				if off := secret(p, y, d); off != 0 {
					p.f.Values = []uint32{x.handle, d.number, zigzag(off)}
					return true
				}
			}
			return false
		})
	}
}

// ownerAlone is a value that only the owner of the thing may know.
func ownerAlone(_ *planting, _ *thing, d *declaredThen) int32 {
	if d.def.Class != rules.ValueOwner {
		return 0
	}
	return d.off
}

// teamAlone is a value that only the team of a thing that all know may know.
func teamAlone(p *planting, y *thing, d *declaredThen) int32 {
	if d.def.Class == rules.ValueOwner || p.c.shares(y, d) {
		return 0
	}
	return d.off
}

// sentOnce is a value that was sent as the thing came into sight, as it is now.
func sentOnce(p *planting, y *thing, d *declaredThen) int32 {
	now := p.h.at(p.now())
	if d.def.When != rules.ValueInitial || d.def.Class == rules.ValueOwner || now.eyes[p.h.eyesOf(p.r.team)].seen[y.id].since >= now.tick-20 {
		return 0
	}
	return d.off
}

// whileOff is a value whose condition does not hold.
func whileOff(_ *planting, _ *thing, d *declaredThen) int32 {
	if d.def.Class == rules.ValueOwner || d.off != 0 {
		return 0
	}
	return d.raw
}

// valueOfHidden tells a value of a thing out of sight as the value of a thing in sight.
func valueOfHidden(p *planting) bool {
	m := p.h.at(p.now())
	return p.foreign(func(x *held, y *thing) bool {
		for id, z := range m.things {
			if _, seen := m.eyes[p.h.eyesOf(p.r.team)].seen[id]; seen || z.typ != y.typ {
				continue
			}
			for i := range z.declared {
				d, is := &z.declared[i], &y.declared[i]
				if d.def.When == rules.ValueOnChange && p.c.shares(y, is) && max(d.off-is.off, is.off-d.off) > 12 {
					p.f.Values = []uint32{x.handle, d.number, zigzag(d.off)}
					return true
				}
			}
		}
		return false
	})
}

// leaksOwnerValue tells a value of another player's unit in the own part.
func leaksOwnerValue(p *planting) bool {
	return p.foreign(func(x *held, y *thing) bool {
		for i := range y.declared {
			if d := &y.declared[i]; d.def.Class == rules.ValueOwner && d.off != 0 {
				p.f.Own = &pb.Own{OwnerValues: []uint32{x.handle, d.number, zigzag(d.off)}}
				return true
			}
		}
		return false
	})
}
