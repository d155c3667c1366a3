package view

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// The bits of a burst, as server.proto states them.
const (
	toldLarge = 1
	toldFires = 2
)

// TestBurstCountsTheShotsSeen: a soldier that has fired before fires in sight,
// stops, and fires again. Its own team and an observing team are told that it fires while it does, and how many of
// its shots each has seen: no more and no fewer.
func TestBurstCountsTheShotsSeen(t *testing.T) {
	w := duelWorld(t)
	edit := simtest.Edit(w)
	e := add(t, w, 0, "soldier", 48, 48)
	edit.Order(e, orders.Hold, e.Pos(), false)
	foe := add(t, w, 1, "detector", 70, 48)
	away, near := foe.Pos(), grid.Tile{X: 51, Y: 48}.Center()
	type watcher struct {
		b    *Builder
		v    View
		seen uint16 // shots of the soldier
		was  bool   // it saw the soldier in the last tick
	}
	watchers := []*watcher{{b: NewBuilder(0)}, {b: NewBuilder(1)}}
	shots := func() uint16 { n, _ := e.Shots(0); return n }
	step := func() (told [2]uint32, fired uint16) {
		before := shots()
		edit.SetHealth(foe, 80)
		w.Step(nil)
		fired = shots() - before
		for i, x := range watchers {
			x.b.Build(w, &x.v)
			at := slices.IndexFunc(x.v.Units, func(u Unit) bool { return u.Type == e.Type() && u.Pos == e.Pos() })
			switch {
			case at < 0:
				x.seen = 0
			case x.was:
				x.seen += fired
			}
			if x.was = at >= 0; x.was {
				told[i] = x.v.Units[at].Values[ValueBurst]
			}
		}
		return told, fired
	}
	step()
	edit.AddShots(e, 9) // its own team sees them
	watchers[0].seen += 9
	for range 60 { // until they count as over
		step()
	}
	for round := range 2 {
		edit.Move(foe, near)
		for n, since := 0, 0; n < 3; {
			told, fired := step()
			n, since = n+int(fired), since+1
			if fired > 0 {
				since = 0
			}
			fires := told[0]&toldFires != 0 && told[1]&toldFires != 0
			if n > 0 && since > 0 && !fires {
				t.Fatalf("round %d, tick %d: it fires, and its burst is %d to its team and %d to the other", round, w.Tick(), told[0], told[1])
			}
			if w.Tick() > 400 {
				t.Fatalf("it has fired %d shots", n)
			}
		}
		edit.Move(foe, grid.Tile{X: 56, Y: 48}.Center()) // out of its reach, and it stays in sight
		var told [2]uint32
		for range 40 {
			told, _ = step()
		}
		for i, x := range watchers {
			if want := uint32(x.seen) << 2; x.seen < 3 || told[i] != want {
				t.Errorf("round %d: team %d is told burst %d, want %d: it has seen %d shots", round, i, told[i], want, x.seen)
			}
		}
		edit.Move(foe, away)
		step()
	}
}

// TestLargeBursts: a weapon has the large form where it fires more than 63 shots
// in the longest time that a client may have been told nothing.
func TestLargeBursts(t *testing.T) {
	for _, x := range []struct {
		period grid.Ticks
		rate   int
		large  bool
	}{{1, 20, true}, {3, 20, true}, {4, 20, false}, {16, 20, false}, {1, 10, true}, {2, 10, false}, {4, 30, true}, {5, 30, true}, {6, 30, false}, {10, 60, true}, {11, 60, false}} {
		if got := LargeBurst(x.rate, x.period); got != x.large {
			t.Errorf("a shot each %d ticks at %d a second: large %v", x.period, x.rate, got)
		}
	}
	if LargeBurst(20, 50, 60) || !LargeBurst(20, 60, 20) {
		t.Error("a weapon that is swapped for one with many more shots has the large form, another not")
	}
}

// TestTakeFindsTheShots: a count told modulo 64 or 16384 means the fewest shots that are not fewer than the count
// before; of a firing weapon, the nearest count below the most that may be told ahead of a client's own.
func TestTakeFindsTheShots(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 30_000 {
		size, ahead, bits := uint32(64), uint32(burstAhead), uint32(0)
		if rng.IntN(2) == 0 {
			size, ahead, bits = 1<<14, 1<<13, toldLarge
		}
		b := Burst{Shots: rng.Uint32N(3 * size), Since: grid.Tick(rng.IntN(50)), Fires: rng.IntN(4) > 0, Period: grid.Ticks(1 + rng.IntN(3))}
		now := b.Since + 1 + grid.Tick(rng.Uint32N(4*size))
		least := b.Shots
		counted := b.At(now)
		if b.Fires && counted+ahead >= least+size {
			least = counted + ahead - size + 1
		}
		told := rng.Uint32N(size)
		if rng.IntN(2) == 0 { // at the limits
			told = (least + size - 2 + rng.Uint32N(4)) % size
		}
		want := least
		for want%size != told {
			want++
		}
		got := b
		got.Take(told<<2|bits, now, 7)
		if got != (Burst{Shots: want, Since: now, Period: 7}) {
			t.Fatalf("%+v is told %d of %d at %d: %+v, want %d shots", b, told, size, now, got, want)
		}
	}
}

// TestSwappedWeaponsHaveTheLargeForm: the first weapon of a type that can swap it for a
// faster one is told in the large form, and no other one needs it for that.
func TestSwappedWeaponsHaveTheLargeForm(t *testing.T) {
	rs := obviousRules(t)
	typ, _ := rs.TypeByName("artillery")
	for i := range rs.Abilities {
		if rs.Abilities[i].Name == "deploy" {
			for k := range rs.Weapons {
				if rs.Weapons[k].Name == "tool" { // far faster than a howitzer
					rs.Abilities[i].Weapon = int16(k)
				}
			}
		}
	}
	w := worldOf(t, rs, 1)
	sc := NewCache(w)
	for i := range sc.kinds {
		for k, x := range rs.Types[i].Weapons {
			shots := KeepSeconds * w.TickRate() / int(w.WeaponTicks(x))
			want := shots+burstAhead > smallShots
			if uint16(i) == typ {
				want = true
			}
			if sc.kinds[i].large[k] != want {
				t.Errorf("weapon %d of %s fires %d shots and has the large form: %v", k, rs.Types[i].Name, shots, !want)
			}
		}
	}
}

// burstScene is one shooter with a weapon and the clients of one team.
type burstScene struct {
	t       *testing.T
	rng     *rand.Rand
	every   grid.Ticks
	periods [2]grid.Ticks // of the weapon, and of the one that it is swapped for
	large   bool
	weapon  uint8
	tick    grid.Tick
	tracker *Tracker
	gun     gun
	ever    uint16
	flushed uint8 // the weapon when values were last told
	in      bool
	stay    *burstStay // the last
	stays   map[grid.Tick]*burstStay
	handle  grid.Handle
	quiet   grid.Ticks // since the last shot
	jumps   bool       // it was faster than its rate
	clients []*burstClient
	shots   int // in sight
}

// burstStay is a time in sight without a break.
type burstStay struct {
	from, last grid.Tick
	shots      []int // in sight, up to each of its ticks
}

func (s *burstStay) now() int { return s.shots[len(s.shots)-1] }

// burstClient counts as server.proto says, by [Burst].
type burstClient struct {
	*burstScene
	name   string
	base   grid.Tick // the tick that it holds; 0: nothing
	delta  *DeltaState
	held   bool
	stay   *burstStay // that it holds
	before int        // shots that a snapshot left out: it tells them modulo
	b      Burst
}

const burstWide = 64

func newBurstScene(t *testing.T, rng *rand.Rand) *burstScene {
	rate := []int{10, 20, 30, 60}[rng.IntN(4)]
	s := &burstScene{t: t, rng: rng, every: grid.Ticks(max(1, rate/10)), handle: 3, stays: map[grid.Tick]*burstStay{}}
	for i := range s.periods {
		p := grid.Ticks(1 + rng.IntN(8))
		if rng.IntN(3) == 0 {
			p = grid.Ticks(1 + rng.IntN(60))
		}
		s.periods[i] = p
	}
	s.large = LargeBurst(rate, s.periods[:]...)
	s.tracker = NewTracker(Rules{W: burstWide, H: burstWide, TickRate: rate, Keep: grid.Ticks(KeepSeconds * rate)})
	for _, name := range []string{"steady", "skips", "skips much", "short", "comes anew"} {
		s.clients = append(s.clients, &burstClient{burstScene: s, name: name})
	}
	return s
}

// step plays a tick in which the weapon fires so often, and the shooter is in
// sight or not.
func (s *burstScene) step(shots int, in bool) {
	s.tick++
	s.ever += uint16(shots)
	s.quiet++
	if shots > 0 {
		s.quiet = 0
	}
	v := View{Tick: s.tick, W: burstWide, H: burstWide}
	if s.in && !in {
		r := Removed{Handle: s.handle, Destroyed: s.rng.IntN(2) == 0}
		if s.gun.shots > 0 {
			r.Bursts[0], r.Told = s.gun.last(s.tick)
			r.Next = s.gun.client.next(s.tick)
		}
		v.Removed = append(v.Removed, r)
	}
	if in && !s.in {
		s.gun, s.jumps, s.quiet = gun{ever: s.ever, large: s.large}, false, 1000
		s.handle += grid.Handle(1 + s.rng.IntN(3))
		s.stay = &burstStay{from: s.tick}
		s.stays[s.tick] = s.stay
		shots = 0 // of a tick in which it was not in sight before
	}
	if in {
		s.gun.see(s.ever)
		if s.tick%grid.Tick(s.every) == 0 {
			s.gun.tell(s.tick, s.every, s.weapon, s.periods[s.weapon])
			s.flushed = s.weapon
		}
		u := Unit{Handle: s.handle, Entered: s.stay.from, Owner: 1, Pos: grid.Pos{X: 9000, Y: 9000}}
		u.Values[ValueBurst] = s.gun.value
		v.Units = append(v.Units, u)
		s.shots += shots
		s.stay.last = s.tick
		if n := len(s.stay.shots); n > 0 {
			shots += s.stay.shots[n-1]
		}
		s.stay.shots = append(s.stay.shots, shots)
	}
	s.tracker.Update(&v)
	for i, c := range s.clients {
		switch {
		case i == 1 && s.rng.IntN(3) == 0, i == 2 && s.rng.IntN(40) != 0, i == 4 && s.rng.IntN(25) != 0:
			continue
		}
		c.frame(in, i == 4 || c.base == 0 || !s.tracker.Covers(c.base), i == 3)
	}
	s.in = in
}

// frame sends the client the missing rows, and looks at its counts.
func (c *burstClient) frame(in, anew, short bool) {
	var d Diff
	switch {
	case short && c.base != 0:
		if c.delta == nil {
			c.delta = c.tracker.NewDeltaState(c.base)
		}
		c.tracker.DiffWithin(&d, c.delta, c.base, MaskOptions{}, Interest{}, 10)
	case anew:
		c.tracker.Diff(&d, 0, MaskOptions{})
	default:
		c.tracker.Diff(&d, c.base, MaskOptions{})
	}
	held := c.held
	if d.Snapshot {
		c.held = false
	}
	c.base = c.tick
	gone := slices.Concat(d.Leave, d.Destroyed)
	if held && len(gone) > 0 {
		for _, row := range d.LastBursts {
			c.b.Take(row.Bursts[0], c.tick, 0)
		}
		// The count of a finished stay is right to the shot.
		if got, want := int(c.b.At(c.tick-1))+c.before, c.stay.now(); got != want {
			c.t.Fatalf("%s, tick %d: of what left it has counted %d shots, and there were %d in sight (%+v, rows %v)", c.name, c.tick, got, want, c.b, d.LastBursts)
		}
		c.held = false
	}
	if len(d.Enter) > 0 {
		c.held, c.stay, c.b, c.before = true, c.burstScene.stay, Burst{}, 0
	}
	for _, row := range d.Values[ValueBurst] {
		c.b.Take(row.Value, c.tick, c.periods[c.flushed])
	}
	if d.Snapshot && c.held {
		size := 64
		if d.Values[ValueBurst] != nil && d.Values[ValueBurst][0].Value&toldLarge != 0 {
			size = 1 << 14
		}
		c.before = (c.stay.now() - int(c.b.At(c.tick)) + size/2) / size * size
	}
	if c.held != in {
		c.t.Fatalf("%s, tick %d: it holds the shooter %v", c.name, c.tick, c.held)
	}
	if !in {
		return
	}
	got, want := int(c.b.At(c.tick))+c.before, c.stay.now()
	p := min(c.periods[0], c.periods[1])
	off := max(got-want, want-got)
	switch settled := c.quiet > max(c.periods[0], c.periods[1])+2*c.every; {
	case settled && (off != 0 || c.b.Fires):
		c.t.Fatalf("%s, tick %d: %d ticks after the last shot it counts %d, and there were %d (%+v)", c.name, c.tick, c.quiet, got, want, c.b)
	case !c.jumps && off > int((c.every+p-1)/p):
		c.t.Fatalf("%s, tick %d: it counts %d, and there were %d; a shot each %d ticks, told each %d (%+v)", c.name, c.tick, got, want, p, c.every, c.b)
	}
}

// playBursts plays a script in bytes: how long the weapon fires, pauses, is
// swapped and is out of sight.
func playBursts(t *testing.T, seed uint64, script []byte) *burstScene {
	s := newBurstScene(t, rand.New(rand.NewPCG(seed, 13)))
	due := grid.Ticks(0) // until it can fire again
	one := func(fires, in bool) {
		shots := 0
		if due > 0 {
			due--
		}
		if fires && due == 0 {
			shots, due = 1, s.periods[s.weapon]
		}
		s.step(shots, in)
	}
	in := true
	for _, b := range script {
		n, p := int(b>>3), int(s.periods[s.weapon])
		switch b & 7 {
		case 0: // a pause
			for range n * 2 {
				one(false, in)
			}
		case 1: // a single shot
			one(true, in)
			for range p + n {
				one(false, in)
			}
		case 2: // a long burst: the counter wraps
			for range (n + 40) * p {
				one(true, in)
			}
		case 3: // a burst
			for range n * p {
				one(true, in)
			}
		case 4: // shots that come late, each by another time
			for range n {
				one(true, in)
				for range s.rng.IntN(p + 3) {
					one(false, in)
				}
			}
		case 5: // out of sight, and back
			in = !in
			for range 1 + n {
				one(s.rng.IntN(2) == 0, in)
			}
		case 6: // another weapon
			s.weapon = 1 - s.weapon
			for range n * 2 {
				one(true, in)
			}
		case 7: // faster than its rate, once a stay
			if !s.jumps {
				s.jumps = true
				s.step(n%8, in)
			}
			for range s.every {
				one(false, in)
			}
		}
	}
	for range 200 {
		one(false, true)
	}
	return s
}

// TestBurstsAreCounted: for all acts of a weapon, and all missed frames, the client counts the shots that were
// fired in sight. It is a shot off at most until values are told again. Once the weapon rests, or the shooter is
// gone, the count is exact.
func TestBurstsAreCounted(t *testing.T) {
	shots := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 31))
		script := make([]byte, 5+rng.IntN(25))
		for i := range script {
			script[i] = byte(rng.Uint32())
		}
		shots += playBursts(t, seed, script).shots
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if shots < 10_000 {
		t.Errorf("only %d shots in sight", shots)
	}
}

func FuzzBursts(f *testing.F) {
	f.Add(uint64(1), []byte{3, 27, 5, 42, 9, 255, 0, 77, 130, 14, 13})
	f.Add(uint64(2), []byte{0xfa, 0xf2, 0x2d, 0x1b, 0x2d})
	f.Fuzz(func(t *testing.T, seed uint64, script []byte) {
		playBursts(t, seed, script[:min(len(script), 40)])
	})
}
