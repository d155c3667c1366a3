package sim

import (
	"encoding/binary"
	"github.com/fogkeep/fogkeep/match/rules"
)

// The state is described once, for writing and reading (save.go). Hashing it
// once a second is most of what that description is used for, and what there is
// much of is therefore also written by the functions of this file, at a fifth of
// the time: the same bytes, as a test sees to.

// saver fills a slice from its front. There has to be room.
type saver []byte

func (p saver) u8(n uint8) saver {
	p[0] = n
	return p[1:]
}

func (p saver) u32(n uint32) saver {
	binary.LittleEndian.PutUint32(p, n)
	return p[4:]
}

func (p saver) flag(on bool) saver {
	p[0] = 0
	if on {
		p[0] = 1
	}
	return p[1:]
}

func (p saver) pair(x, y int32) saver { return p.u32(uint32(x)).u32(uint32(y)) }

// entityBytes is more than append writes.
const entityBytes = 256

// append writes what [Entity.state] does, if the entity is one of those that it
// is short of: one without orders, way, aim or ability in work. Of any other it
// writes nothing and reports false.
func (e *Entity) append(a *archive) bool {
	m := &e.mv
	if m.going || len(m.path)+len(e.tasks)+len(e.damageOverTime)+len(e.made.queue) > 0 || e.class == rules.ClassProjectile ||
		e.arms != [rules.UnitWeaponsMax]arm{} || e.acts != [rules.UnitAbilitiesMax]actState{} {
		return false
	}
	from := len(a.b)
	a.room(entityBytes)
	p := saver(a.b[from : from+entityBytes])
	p = p.u32(uint32(e.id)).u32(uint32(e.typ))
	p = p.u8(uint8(e.class)).u8(uint8(e.slot)).u8(uint8(e.team)).u8(uint8(e.face))
	p = p.u32(uint32(e.seen)).pair(e.x, e.y).pair(e.vx, e.vy)
	p = p.pair(int32(e.foot.X), int32(e.foot.Y))
	p = p.u32(uint32(e.hp)).u32(uint32(e.hpMoves)).u32(uint32(e.energy)).u32(uint32(e.stock))
	p = p.u32(uint32(e.born)).u32(uint32(e.source)).flag(e.unbuilt).flag(e.cloaked)
	p = p.u32(uint32(e.raised)).u32(uint32(e.revealed)).u32(uint32(e.revealedTo))
	p = p.u32(uint32(e.chaseTarget)).flag(e.alert).u32(uint32(e.chaseAfter))
	p = p.pair(e.guard.X, e.guard.Y).pair(e.shove.X, e.shove.Y)
	p = p.u32(uint32(e.carried)).u8(e.carriedKind).u32(uint32(e.speedPct)).u32(uint32(e.damagePct)).u32(uint32(e.weaponSwap))
	p = p.u32(uint32(e.lastHit)).u32(uint32(e.lastShot))
	p = p.u8(0).flag(m.want).flag(m.bumped).u8(uint8(m.side)).u8(m.waits).u32(0) // and no path
	p = p.u32(0)                                                                 // no tasks
	for range len(e.arms) + len(e.acts) {
		p = p.u8(0)
	}
	p = p.u32(0).u32(0) // no damage over time, nothing to make
	p = p.u32(uint32(e.made.done)).flag(e.made.hasRally).pair(e.made.rally.X, e.made.rally.Y).u32(uint32(e.made.rallyAt))
	names := p
	p = p[2:]
	set := uint16(0)
	for i, h := range e.handles {
		if h != 0 {
			set |= 1 << i
			p = p.u32(uint32(h))
		}
	}
	binary.LittleEndian.PutUint16(names, set)
	a.b = a.b[:from+entityBytes-len(p)]
	return true
}

// nameBytes is what a name takes.
const nameBytes = 13

// appendNames writes a list of names.
func appendNames(a *archive, names []name) {
	n := uint32(len(names))
	a.u32(&n)
	from := len(a.b)
	a.room(nameBytes * len(names))
	p := saver(a.b[from : from+nameBytes*len(names)])
	for i := range names {
		n := &names[i]
		p = p.u32(uint32(n.id)).u32(uint32(n.entered)).u32(uint32(n.first)).flag(n.ghost)
	}
	a.b = a.b[:from+nameBytes*len(names)]
}
