package view

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// BurstsMax is how many weapons of an entity are counted: all that a type has.
const BurstsMax = rules.UnitWeaponsMax

// Burst is a client's count of one weapon of an entity in sight: how often it has fired since the entity came into
// sight. While it fires, a client counts on by the weapon's rate, and the server corrects only wrong counts. This is
// dead reckoning, as [Reckon] is for places. Client and server compute with the same integers. The zero Burst belongs
// to a weapon that the client has not seen firing.
type Burst struct {
	Shots  uint32     // as of Since
	Since  grid.Tick  // the tick at which the server sent the value, or would have sent it again
	Fires  bool       // one shot more each Period
	Period grid.Ticks // from shot to shot
}

// At returns how many shots there have been by a tick from Since on.
func (b Burst) At(t grid.Tick) uint32 {
	if !b.Fires || b.Period == 0 || t < b.Since {
		return b.Shots
	}
	return b.Shots + uint32(t-b.Since)/uint32(b.Period)
}

// next returns the first tick from t on with one more shot than the tick before; 0:
// there is none. t is later than Since.
func (b Burst) next(t grid.Tick) grid.Tick {
	if !b.Fires || b.Period == 0 {
		return 0
	}
	p := grid.Tick(b.Period)
	return b.Since + (t-b.Since+p-1)/p*p
}

// The bits of a burst on the wire (ServerFrame.burst).
const (
	burstLarge = 1 << 0 // the large form
	burstFires = 1 << 1
	burstShots = 2 // shift of the shots
	smallShots = 1<<6 - 1
	largeShots = 1<<14 - 1
	smallAge   = 8  // shift of the age in the small form
	largeAge   = 16 // and in the large form
)

// burstAhead is how many shots more than a client counts the small form can tell
// of a weapon that fires. In the large form it is half of the numbers.
const burstAhead = 8

// LargeBurst reports whether the shots of a weapon need the large form: between two updates it fires more often than
// the small form counts. A client that gets differences may have gone without an update for [KeepSeconds]. The periods
// belong to the weapon and to the weapons that abilities put in its place: a client that counts by the rate of one may
// receive the shots of another.
func LargeBurst(tickRate int, periods ...grid.Ticks) bool {
	shots := KeepSeconds * tickRate / int(max(1, slices.Min(periods)))
	return shots+burstAhead > smallShots || len(periods) > 1 && shots > burstAhead
}

// value returns the encoded form of a burst as of tick b.Since.
func (b Burst) value(large bool) uint32 {
	v, mask := uint32(0), uint32(smallShots)
	if large {
		v, mask = burstLarge, largeShots
	}
	if b.Fires {
		v |= burstFires
	}
	return v | b.Shots&mask<<burstShots
}

// agedBurst returns the value of a burst that is sent so many ticks after it became true. The age of an idle weapon has
// no meaning.
func agedBurst(value uint32, age grid.Ticks) uint32 {
	switch {
	case value&burstFires == 0:
		return value
	case value&burstLarge != 0:
		return value | uint32(age)<<largeAge
	}
	return value | uint32(age)<<smallAge
}

// BurstValue returns a received burst without its age: this value is the same at every tick of sending.
func BurstValue(value uint32) uint32 {
	if value&burstLarge != 0 {
		return value & (1<<largeAge - 1)
	}
	return value & (1<<smallAge - 1)
}

// Take applies the burst that a frame of tick now carries for the weapon, which has a period. The shots on the wire are
// modulo 64, or 16384 in the large form. They are never fewer than the last ones sent, and never many more than a
// client counts that knows the weapon is firing.
func (b *Burst) Take(value uint32, now grid.Tick, period grid.Ticks) {
	size, age, ahead := uint32(smallShots+1), value>>smallAge, uint32(burstAhead)
	if value&burstLarge != 0 {
		size, age, ahead = largeShots+1, value>>largeAge, (largeShots+1)/2
	}
	since := now - grid.Tick(min(age, uint32(now)))
	least := b.Shots
	if most := b.At(since) + ahead; b.Fires && most >= least+size {
		least = most - size + 1
	}
	shots := value >> burstShots & (size - 1)
	b.Shots = least + (shots-least)&(size-1)
	b.Since, b.Fires, b.Period = since, value&burstFires != 0, period
}

// gun counts the shots of one weapon that a team sees, and decides when clients need a correction.
type gun struct {
	ever   uint16 // shots that it ever fired, as of the last tick in sight
	shots  uint32 // fired in sight
	before uint32 // shots when clients were last looked after
	client Burst  // the burst of clients that have received every update
	value  uint32 // told
	weapon uint8  // of the value
	large  bool   // the form of the value
}

// burstValues has the value of each weapon's burst.
var burstValues = [BurstsMax]int{ValueBurst, ValueBurstSecond}

// reanchor is the firing time after which a weapon is sent anew: the age in the large form has 16 bits.
const reanchor = 1 << 14

// see counts the shots up to a tick.
func (g *gun) see(ever uint16) {
	g.shots += uint32(ever - g.ever)
	g.ever = ever
}

// tell updates the clients' burst to tick now. The tracker calls it at each tick at which values are sent, which are
// every ticks apart. weapon is the ruleset's number of the current weapon.
func (g *gun) tell(now grid.Tick, every grid.Ticks, weapon uint8, period grid.Ticks) {
	fired := g.shots != g.before
	g.before = g.shots
	b := &g.client
	next := Burst{Shots: g.shots, Since: now, Fires: fired, Period: period}
	switch {
	case b.Fires && g.weapon != weapon: // clients count by the rate of the other one
	case b.Fires && g.shots < b.At(now): // the next shot did not come
		next.Fires = false
	case b.Fires && g.shots > b.At(now+grid.Tick(every)-1):
	case b.Fires && fired && now-b.Since >= reanchor:
	case !b.Fires && fired:
	default:
		return
	}
	// A value that is the same again is not told: clients would not see it.
	if v := next.value(g.large); v != g.value {
		g.client, g.value, g.weapon = next, v, weapon
	}
}

// last returns the shots as of the entity's last tick in sight, in the form for entities that have left sight, and
// whether clients with all updates so far have another count.
func (g *gun) last(left grid.Tick) (value uint32, differs bool) {
	return Burst{Shots: g.shots}.value(g.large), g.shots != g.client.At(left-1)
}
