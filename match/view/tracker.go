package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Rules of a [Tracker].
type Rules struct {
	W, H     int           // of the map, tiles
	TickRate int           // ticks per second, for fields that are sent at a rate; 0: they are sent at each tick, see [TickRateOf]
	Keep     grid.Ticks    // how far back a base may lie; older ones get a snapshot
	Every    grid.Ticks    // ticks from beat to beat, see [BeatOf]; 0: each is one
	Values   []rules.Value // of the ruleset: when its declared values are sent
}

// beatsPerS is how often per second a team gets its sight, unless it gets it at each tick.
const beatsPerS = 10

// BeatOf returns the ticks from beat to beat of a match with so many ticks per second. A beat is a tick divisible by
// this number. Clients are right at beats, and the server makes frames for beats. The tick of each full second is a
// beat.
func BeatOf(rules *rules.Ruleset, tickRate int) grid.Ticks {
	every := tickRate / beatsPerS
	if rules.Settings.FlushTick || every < 2 || tickRate%every != 0 {
		return 1
	}
	return grid.Ticks(every)
}

// TickRateOf returns the tick rate for [Rules]: 0 where the ruleset says that all
// is sent at each tick.
func TickRateOf(rules *rules.Ruleset, tickRate int) int {
	if rules.Settings.FlushTick {
		return 0
	}
	return tickRate
}

// KeepSeconds is for how long bases are kept. A client that is further behind
// gets a snapshot.
const KeepSeconds = 10

// Tracker keeps the state that the clients of one team have received, and when: for each entity the place and course
// that they reckon with, and for each value the tick of its last change.
type Tracker struct {
	rules Rules
	plan  *plan
	tick  grid.Tick // of the last Update; 0: before the first
	views uint32    // that it was given
	first grid.Tick // bases before it get a snapshot

	beat   grid.Tick // the last one; 0: before the first
	before grid.Tick // the beat before; no course was taken between the two
	// wrong is the last tick between two beats at which clients derive another mask
	// than the team has.
	wrong grid.Tick

	recs     pages[record]                 // by handle
	quiet    []grid.Tick                   // by handle: see Quiet
	acting   map[grid.Handle]*activity     // of the records with acted
	declared map[grid.Handle][]declaredRec // of the records with valued
	live     handleSet                     // in sight
	changed  []grid.Handle                 // the live entities that changed for clients with tick base or a later one; sorted
	base     grid.Tick
	removed  []removedRec // left sight, in the order of the tick, as far back as rules.Keep and some

	ghosts        []ghostRec // sorted by handle
	spareGhost    []ghostRec
	removedGhosts []removedRec

	rows     maskRows
	hasHash  bool
	hash     uint32
	sights   []Sight
	contacts []Contact
	events   []Event   // since the beat before the last
	fire     []FireRow // sent at this tick: of all since the last flush
	nextFire []FireRow // sent at the next flush
	players  []playerRec
	owners   []ownerRec
}

// record is the clients' state of one entity. The fields that every tick reads come first.
type record struct {
	entered  grid.Tick
	exact    bool
	active   bool        // it runs abilities or has effects
	waits    bool        // it changed since the last beat
	standing uint8       // ticks that it has stood without a turn or a shot, up to restTicks
	looked   uint32      // which view it was last in
	face     grid.Facing // where it looked in the last tick
	valued   bool        // it has or had declared values since it came into sight
	lags     bool        // a change of one waits for its tick

	// Clients reckon from at, as of since, with vel.
	at     grid.Pos
	vel    Velocity
	since  grid.Tick
	course Course

	values [ValueKinds]uint32

	owner    grid.Slot
	owned    grid.Tick // since when it is the owner's; 0: since it came into sight
	typ      uint16
	took     Velocity  // the velocity that course was made of
	step     Place     // how at is sent to clients that have the course before
	moved    grid.Tick // the tick of the course
	acted    grid.Tick // the tick of the last change of its activity; 0: without any since it came into sight
	valuedAt grid.Tick // the same of its declared values
	// changed has the tick of each value's last change; rows of enter carry values other than 0.
	changed [ValueKinds]grid.Tick
}

type removedRec struct {
	handle    grid.Handle
	entered   grid.Tick
	left      grid.Tick
	destroyed bool

	bursts   [BurstsMax]uint32 // shots in sight, as values that do not fire
	burstsAt grid.Tick         // clients with less than that tick's frame count them wrong
	next     grid.Tick         // clients with the frame of this tick count more of them wrong if they have it at that tick; 0: never
}

type ghostRec struct {
	Ghost
	at grid.Tick
}

type playerRec struct {
	Player
	at grid.Tick
}

// NewTracker returns a tracker of clients that have received no state yet.
func NewTracker(r Rules) *Tracker {
	return &Tracker{rules: r, plan: tablePlan, quiet: []grid.Tick{}, rows: newMaskRows(r.W, r.H), acting: map[grid.Handle]*activity{}, declared: map[grid.Handle][]declaredRec{}}
}

// Tick returns the tick of the last Update.
func (t *Tracker) Tick() grid.Tick { return t.tick }

// Len returns the number of entities in sight.
func (t *Tracker) Len() int { return t.live.n }

// Update takes in the view of the next tick. It keeps no reference to v.
func (t *Tracker) Update(v *View) {
	if t.tick == 0 {
		t.first = v.Tick
	}
	if t.tick == t.beat { // who takes frames has had them
		t.events = t.events[:0]
	}
	follows := v.Tick == t.tick+1
	t.tick = v.Tick
	t.views++
	t.base = v.Tick - 1
	isBeat := t.isBeat()
	if isBeat {
		t.before, t.beat = t.beat, v.Tick
		t.base = t.before
	}
	t.forget()
	t.updateUnits(v, isBeat, follows)
	t.updateGhosts(v)
	t.rows.update(v.Mask.Blocks, v.Tick, isBeat)
	t.hasHash, t.hash = v.Mask.HasHash, v.Mask.Hash
	t.sights = append(t.sights[:0], v.Sights...)
	t.contacts = append(t.contacts[:0], v.Contacts...)
	if !isBeat && slices.ContainsFunc(t.sights, func(s Sight) bool { return s.Since == v.Tick }) {
		t.wrong = t.tick
	}
	t.updateEvents(v)
	t.updatePlayers(v)
	t.updateOwners(v)
}

// isBeat reports whether the tick is a beat. The first one is, whatever its number.
func (t *Tracker) isBeat() bool {
	return t.beat == 0 || t.rules.Every < 2 || t.tick%grid.Tick(t.rules.Every) == 0
}

// forget drops records too old for any base that is still served.
func (t *Tracker) forget() {
	t.removed = dropOld(t.removed, t.tick, t.rules.Keep)
	t.removedGhosts = dropOld(t.removedGhosts, t.tick, t.rules.Keep)
	if t.tick > t.first+grid.Tick(t.rules.Keep) {
		t.first = t.tick - grid.Tick(t.rules.Keep)
	}
}

// dropOld drops rows that are older than is kept once they are half of all: a
// few at a time, the rest would be moved up each time.
func dropOld(g []removedRec, now grid.Tick, keep grid.Ticks) []removedRec {
	old := func(i int) bool { return g[i].left+grid.Tick(keep) < now }
	n := len(g) / 2
	if n == 0 || !old(n) {
		return g
	}
	for n < len(g) && old(n) {
		n++
	}
	return g[:copy(g, g[n:])]
}

// Quiet returns, by handle, until when the tracker needs no row of an entity unless the entity turns: until then the
// clients' reckoning is right and no change waits to be sent. It serves the next view, see [View]. Without it the
// tracker sends the same bytes.
func (t *Tracker) Quiet() []grid.Tick { return t.quiet }

func (t *Tracker) updateUnits(v *View, isBeat, follows bool) {
	due := t.valuesDue(v.Tick)
	news := t.changed[:0]
	t.letGo(v, follows)
	act, declared := activityReader{v.Actions, v.Effects}, v.Declared
	for i := range v.Units {
		u := &v.Units[i]
		if int(u.Handle) >= t.recs.len() {
			t.recs.grow(u.Handle)
			t.quiet = append(t.quiet, make([]grid.Tick, t.recs.len()-len(t.quiet))...)
		}
		r := t.recs.at(u.Handle)
		if t.lives(u.Handle) {
			given := r.give(u, v.Tick)
			moved := t.move(r, u, isBeat)
			acted := (r.active || act.has(u.Handle)) && t.setActivity(u.Handle, r, &act)
			if r.valued || len(declared) > 0 {
				acted = t.setDeclared(u.Handle, r, &declared, false) || acted
			}
			changed := r.values != u.Values && (r.setValues(t.plan, u, v.Tick, due) || r.setAtOnce(t.plan, u, v.Tick)) // seldom
			if !isBeat && (given || changed) {
				t.wrong = t.tick // it may have begun to see, or see otherwise
			}
			if changed || moved || given || acted || r.waits {
				news = append(news, u.Handle)
				r.waits = !isBeat
			}
		} else {
			t.live.add(u.Handle)
			t.enter(r, u)
			t.setActivity(u.Handle, r, &act)
			t.setDeclared(u.Handle, r, &declared, true)
			if r.waits = !isBeat; r.waits && r.exact {
				t.wrong = t.tick
			}
			news = append(news, u.Handle)
		}
		r.looked = t.views
		if v.Quiet != nil {
			t.quiet[u.Handle] = t.quietUntil(r, u)
		}
	}
	t.changed = news
}

// letGo drops the entities that left sight since the last view. A view that is not of the next tick has all entities in
// sight.
func (t *Tracker) letGo(v *View, follows bool) {
	if !follows {
		units := v.Units
		for h := range t.live.all() {
			for len(units) > 0 && units[0].Handle < h {
				units = units[1:]
			}
			if len(units) == 0 || units[0].Handle != h || units[0].Entered != t.recs.at(h).entered {
				t.leave(h, v)
			}
		}
		return
	}
	for i := range v.Removed {
		if h := v.Removed[i].Handle; t.lives(h) {
			t.leave(h, v)
		}
	}
}

func (t *Tracker) leave(h grid.Handle, v *View) {
	r := t.recs.at(h)
	t.live.remove(h)
	if r.exact && t.tick != t.beat {
		t.wrong = t.tick
	}
	t.forgetActivity(h, r)
	t.forgetDeclared(h, r)
	g := removedRec{handle: h, entered: r.entered, left: v.Tick}
	if i, ok := slices.BinarySearchFunc(v.Removed, h, func(l Removed, h grid.Handle) int { return int(l.Handle) - int(h) }); ok {
		l := &v.Removed[i]
		g.destroyed, g.bursts = l.Destroyed, l.Bursts
		for _, k := range burstValues {
			g.burstsAt = max(g.burstsAt, r.changed[k])
		}
		g.next = l.Next
		if l.Told {
			g.burstsAt = v.Tick
		}
	}
	t.removed = append(t.removed, g)
}

func (t *Tracker) enter(r *record, u *Unit) {
	*r = record{entered: u.Entered, exact: u.Exact, owner: u.Owner, typ: u.Type}
	t.place(r, u)
	r.values = u.Values
	for i := range r.changed {
		r.changed[i] = t.tick
	}
}

// place sets the place and the course of u, in the form for clients that do not have it.
func (t *Tracker) place(r *record, u *Unit) {
	r.at, r.since, r.moved = u.Pos, t.tick, t.tick
	if u.FullSpeed != 0 { // a cell is on one tile: a moving entity needs no closer position
		r.at = middleOf(u.Pos)
	}
	r.step = placeCell + Place(cellOf(r.at, t.rules.W))
	r.turn(u, false)
}

// turn takes the course that u has. finely asks for the finer directions.
func (r *record) turn(u *Unit, finely bool) {
	r.course = CourseOf(u.Vel, u.FullSpeed, u.Facing, finely)
	r.vel, r.took = r.course.Velocity(u.FullSpeed), u.Vel
}

// give sets the owner of u, and reports whether the owner changed. From now on clients hold u as exactly as its team
// needs.
func (r *record) give(u *Unit, now grid.Tick) bool {
	if r.owner == u.Owner {
		return false
	}
	r.owner, r.owned, r.exact = u.Owner, now, u.Exact
	return true
}

// move keeps the record as it is as long as clients that reckon with it are
// right about u, and else takes a new course, at a beat. It reports whether it did.
func (t *Tracker) move(r *record, u *Unit, isBeat bool) bool {
	stands := u.Vel == Velocity{}
	if r.standing > 0 { // it stood as long as it was left out
		r.standing = uint8(min(uint32(r.standing)+t.views-r.looked-1, restTicks))
	}
	rests := r.rests(u, stands)
	switch {
	case !isBeat:
		if u.Exact && r.entered < t.tick && Reckon(r.at, r.vel, grid.Ticks(t.tick-r.since), t.rules.W, t.rules.H).Tile() != u.Pos.Tile() {
			t.wrong = t.tick
		}
		return false
	case r.entered > t.before && r.entered < t.tick: // it came between two beats: no client knows its place of then
		t.place(r, u)
		return true
	}
	old := Reckon(r.at, r.vel, grid.Ticks(t.tick-r.since), t.rules.W, t.rules.H)
	limits := &t.plan.motion[motionSimulated]
	if u.Exact {
		limits = &t.plan.motion[motionAutonomous]
	}
	switch {
	case !old.Within(u.Pos, limits.Off):
	case limits.Tile && old.Tile() != u.Pos.Tile():
	case rests && !r.course.Stands():
	case rests && r.facingOff(u.Facing):
	default:
		return false
	}
	finely := r.finely(u, t.tick)
	r.step, r.at = placeOf(old, u.Pos, u.Exact, finely, t.rules.W, t.rules.H)
	r.since, r.moved = t.tick, t.tick
	r.turn(u, finely)
	return true
}

// restTicks is how long an entity stands without a turn or a shot before clients learn that it rests, and its facing.
// Its shots show its aim.
const restTicks = 20

// rests reports whether u has come to rest.
func (r *record) rests(u *Unit, stands bool) bool {
	if !stands || u.Facing != r.face || (u.Values[ValueBurst]|u.Values[ValueBurstSecond])&burstFires != 0 {
		r.standing, r.face = 0, u.Facing
		return false
	}
	r.standing = min(r.standing+1, restTicks)
	return r.standing == restTicks
}

// facingTolerance is how far, of 256, clients may be off about where something
// at rest looks.
const facingTolerance = 12

func (r *record) facingOff(f grid.Facing) bool {
	d := int(int8(f - r.course.Facing()))
	return max(d, -d) > facingTolerance
}

// longCourse is how many ticks a course has to last for the next to be told
// finely.
const longCourse = 40

// quietForever is for how long something is quiet that stands where clients have it.
const quietForever = 1 << 30

// quietUntil returns until when u needs no update, unless it turns; the record is right about u now. 0: the tracker
// needs the next tick's row.
func (t *Tracker) quietUntil(r *record, u *Unit) grid.Tick {
	if u.Busy || r.active || r.lags || r.values != u.Values || t.tick != t.beat { // between two beats it may wait for the next
		return 0
	}
	n := grid.Ticks(quietForever)
	if u.Vel == (Velocity{}) {
		if r.standing == 0 {
			return 0
		}
		if r.standing < restTicks {
			n = restTicks - grid.Ticks(r.standing) - 1
		}
	}
	return t.tick + 1 + grid.Tick(t.rightFor(r, u, n))
}

// rightFor returns for how many ticks, at most so many, clients are right about where u
// is if it stays on its line.
func (t *Tracker) rightFor(r *record, u *Unit, most grid.Ticks) grid.Ticks {
	limits := &t.plan.motion[motionSimulated]
	if u.Exact {
		limits = &t.plan.motion[motionAutonomous]
	}
	ago := grid.Ticks(t.tick - r.since)
	if u.Line == (Velocity{}) && r.vel == (Velocity{}) {
		if !r.at.Within(u.Pos, limits.Off) || limits.Tile && r.at.Tile() != u.Pos.Tile() {
			return 0
		}
		return most
	}
	// Both places move on straight lines. So they are within a circle of each other
	// all the time if they are at both ends.
	near := func(n grid.Ticks) bool {
		return ahead(r.at, r.vel, ago+n).Within(ahead(u.Pos, u.Line, n), limits.Off-offSlack)
	}
	n := min(most, 256)
	for n > 0 && !near(n) {
		n /= 4
	}
	if n == 0 || !near(0) {
		return 0
	}
	if !limits.Tile {
		return n
	}
	for k := range min(n, tilesAhead) {
		at, is := ahead(r.at, r.vel, ago+k+1).Tile(), ahead(u.Pos, u.Line, k+1)
		if at != is.Add(grid.Vec{X: -sideSlack, Y: -sideSlack}).Tile() || at != is.Add(grid.Vec{X: sideSlack, Y: sideSlack}).Tile() {
			return k
		}
	}
	return min(n, tilesAhead)
}

// How far an entity may be off the place where its line brings it, and clients off the
// place where their course does: twice lineSlack, as it may have been off in one
// direction and be off in the other, and 3 for rounding. It is so much each way, and so
// much in all.
const (
	sideSlack = 2*lineSlack + 3
	offSlack  = sideSlack * 3 / 2
)

// tilesAhead is for how many ticks tiles are compared ahead.
const tilesAhead = 24

// ahead is [Reckon] without the map's edges.
func ahead(p grid.Pos, v Velocity, n grid.Ticks) grid.Pos {
	return grid.Pos{X: p.X + int32(int64(v.X)*int64(n)>>VelocityShift), Y: p.Y + int32(int64(v.Y)*int64(n)>>VelocityShift)}
}

// finely reports whether u's next course is worth the bytes of a fine course and an exact place: an entity with sight
// has to be on the right tile at every tick, so on a long way a fine course needs fewer corrections. In a crowd ways
// are short, and a coarse course is enough.
func (r *record) finely(u *Unit, now grid.Tick) bool {
	if !u.Exact || u.Vel == (Velocity{}) {
		return false
	}
	if u.Vel != r.took { // a new way: as long as the last one, at a guess
		return !r.course.Stands() && now-r.since >= longCourse
	}
	return true // the same way, and the course was too coarse for it
}

// valuesDue has a bit for each value whose changes are sent at a tick.
func (t *Tracker) valuesDue(now grid.Tick) (due uint32) {
	for i := range t.plan.public {
		if p := &t.plan.public[i]; p.Change && p.due(now, t.rules.TickRate) {
			due |= 1 << i
		}
	}
	return due
}

// setValues takes over u's values that are due, and reports whether a value changed.
func (r *record) setValues(p *plan, u *Unit, now grid.Tick, due uint32) (changed bool) {
	if due == 0 {
		return false
	}
	changed = r.count(u, now, due)
	for i, n := range u.Values {
		if r.values[i] != n && due&(1<<i) != 0 && p.public[i].off(r.values[i], n) {
			r.values[i], r.changed[i], changed = n, now, true
		}
	}
	return changed
}

// setAtOnce takes over the bits that are sent in the tick in which they change, as for a construction: it decides how
// far the entity sees, and clients derive the mask of each tick. It reports whether a bit changed.
func (r *record) setAtOnce(p *plan, u *Unit, now grid.Tick) (changed bool) {
	for _, i := range p.atOnce {
		if (r.values[i]^u.Values[i])&p.public[i].AtOnce != 0 {
			r.values[i], r.changed[i], changed = u.Values[i], now, true
		}
	}
	return changed
}

// count records the counters of changes. A client adds one to its own copy of a
// counter for each row of the attribute that it gets of an entity it has. That is
// right if the attribute changed exactly once since the client's base tick. count
// decides for which bases it is wrong; these clients are sent the counter:
//
//   - It changed once since the last call: bases before the change that came
//     before this one.
//   - It changed more than once, or changed and changed back: all bases before
//     now.
//
// It reports whether a counter changed.
func (r *record) count(u *Unit, now grid.Tick, due uint32) (changed bool) {
	for _, a := range Attributes {
		if due&(1<<a.Value) == 0 {
			continue
		}
		counted, news := r.values[a.Changes], u.Values[a.Value] != r.values[a.Value]
		switch {
		case u.Values[a.Changes] == counted && !news:
			continue
		case u.Values[a.Changes] == (counted+1)%ChangesWrap && news:
			r.changed[a.Changes] = max(r.changed[a.Changes], r.changed[a.Value])
		default:
			r.changed[a.Changes] = now
		}
		r.values[a.Changes], changed = u.Values[a.Changes], true
	}
	return changed
}

func (t *Tracker) updateGhosts(v *View) {
	next := t.spareGhost[:0]
	old := 0
	drop := func() {
		g := &t.ghosts[old]
		t.removedGhosts = append(t.removedGhosts, removedRec{handle: g.Handle, entered: g.at, left: v.Tick})
		old++
	}
	for _, g := range v.Ghosts {
		for old < len(t.ghosts) && t.ghosts[old].Handle < g.Handle {
			drop()
		}
		if old < len(t.ghosts) && t.ghosts[old].Handle == g.Handle {
			if t.ghosts[old].Ghost == g {
				next = append(next, t.ghosts[old])
				old++
				continue
			}
			drop()
		}
		next = append(next, ghostRec{g, v.Tick})
	}
	for old < len(t.ghosts) {
		drop()
	}
	t.ghosts, t.spareGhost = next, t.ghosts
}

// updateEvents takes in the events. Openings of fire are sent at a rate; of several targets the last counts.
func (t *Tracker) updateEvents(v *View) {
	t.fire = t.fire[:0]
	t.settleEvents()
	for _, e := range v.Events {
		if e.Kind != EventShot || e.Source == 0 || e.Target == 0 {
			t.events = append(t.events, e)
			continue
		}
		t.nextFire = append(t.nextFire, FireRow{e.Source, e.Target})
	}
	if !t.plan.fire.due(v.Tick, t.rules.TickRate) {
		return
	}
	slices.SortStableFunc(t.nextFire, func(a, b FireRow) int { return cmp.Compare(a.Handle, b.Handle) })
	for i, f := range t.nextFire {
		last := i+1 == len(t.nextFire) || t.nextFire[i+1].Handle != f.Handle
		if last && t.lives(f.Handle) && t.lives(f.Target) {
			t.fire = append(t.fire, f)
		}
	}
	t.nextFire = t.nextFire[:0]
}

// settleEvents removes entities that left sight from the events since the last beat, and drops events that are empty
// without them.
func (t *Tracker) settleEvents() {
	for i := range t.events {
		if e := &t.events[i]; !t.lives(e.Source) {
			e.Source = 0
		}
		if e := &t.events[i]; !t.lives(e.Target) {
			e.Target = 0
		}
	}
	t.events = slices.DeleteFunc(t.events, func(e Event) bool {
		return e.Source == 0 && (e.Kind == EventShot || e.Kind == EventBuilt)
	})
}

func (t *Tracker) updatePlayers(v *View) {
	for i, p := range v.Players {
		if i == len(t.players) {
			t.players = append(t.players, playerRec{p, v.Tick})
		} else if t.players[i].Player != p {
			t.players[i] = playerRec{p, v.Tick}
		}
	}
}
