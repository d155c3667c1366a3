package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// The reasons why a team sees an entity.
const (
	ReasonOwn      = "own"      // it is the team's
	ReasonAlways   = "always"   // the ruleset tells all teams of its type
	ReasonSight    = "sight"    // an eye on the ground has a free line to it
	ReasonAbove    = "above"    // only eyes that see over all terrain have it in their circle
	ReasonDetected = "detected" // it is cloaked, and a detector has it in its circle
	ReasonRevealed = "revealed" // only since it fired at the team
	ReasonCaptured = "captured" // the team has just lost it to another, and sees that
)

// The reasons why a team does not see an entity or a tile.
const (
	ReasonGhost   = "ghost"      // it does not see it, and remembers it
	ReasonOwner   = "owner_only" // the ruleset tells its own team alone of its type
	ReasonRange   = "range"      // it is in no eye's circle
	ReasonLevel   = "level"      // it is higher than every eye in whose circle it is
	ReasonBlocked = "blocked"    // something stands in the way
	ReasonCloaked = "cloaked"    // it is cloaked, and no detector has it in its circle
	ReasonNoEyes  = "no_eyes"    // the team has no eyes
	ReasonGone    = "gone"       // it is destroyed
)

// eyesMax bounds the eyes of one answer.
const eyesMax = 16

// Eye is one source of a team's sight.
type Eye struct {
	Source uint32  `json:"source" doc:"its number in the masks"`
	What   string  `json:"what" enum:"entity,dying,timed" doc:"dying: the last sight of something that died; timed: a scan, a reveal, or the last sight of something that flew"`
	ID     uint32  `json:"id,omitempty" doc:"the entity"`
	Type   string  `json:"type,omitempty"`
	Slot   int     `json:"slot" doc:"-1: of no entity"`
	Team   int     `json:"team" doc:"the owner: may differ from the requested team if teams share their sight"`
	X      int     `json:"x" doc:"tile"`
	Y      int     `json:"y" doc:"tile"`
	Radius float64 `json:"radius" doc:"tiles"`
	Detect float64 `json:"detect,omitempty" doc:"radius in tiles in which it detects cloaked units"`
	Flyer  bool    `json:"flyer" doc:"it sees over all terrain"`
	Level  int     `json:"level" doc:"the highest level that it sees, if it does not see over all terrain"`
	Until  uint32  `json:"until,omitempty" doc:"the tick in which it ends"`
	at     grid.Tile
}

// TeamSight is why a team sees an entity, or does not.
type TeamSight struct {
	Team     int      `json:"team"`
	Seen     bool     `json:"seen"`
	Reason   string   `json:"reason" enum:"own,always,sight,above,detected,revealed,captured,ghost,owner_only,range,level,blocked,cloaked,no_eyes,gone"`
	Now      string   `json:"now,omitempty" doc:"of a ghost: why it is not seen now"`
	Words    string   `json:"words" doc:"the same in a sentence"`
	Handle   uint32   `json:"handle,omitempty" doc:"the team's own name for it, or for the ghost"`
	Since    *uint32  `json:"since,omitempty" doc:"in sight since this tick; of a ghost: remembered since"`
	Until    *uint32  `json:"until,omitempty" doc:"the reveal, or the eye, ends in this tick"`
	By       *Eye     `json:"by,omitempty" doc:"the eye that sees it, or that comes nearest to it"`
	Eyes     []Eye    `json:"eyes" doc:"all eyes of the team that see it, 16 at most, the nearest first"`
	Line     []Point  `json:"line,omitempty" doc:"the tiles from that eye to the entity"`
	Blocked  *Blocker `json:"blocked,omitempty" doc:"the obstacle"`
	Distance *float64 `json:"distance,omitempty" doc:"from that eye to the entity's nearest tile, tiles"`
	Need     *float64 `json:"need,omitempty" doc:"at which distance that eye would have it in its circle, tiles"`
}

// Blocker is a tile that stands in the way.
type Blocker struct {
	Point
	Level  int `json:"level"`
	Stands int `json:"stands" doc:"how high it reaches: its level, and one more if it is opaque"`
}

// sighting is how one eye stands to one tile.
type sighting struct {
	id    visibility.SourceID
	src   visibility.Source
	at    grid.Tile // the tile asked about
	sight visibility.Sight
	need  visibility.Radius
	dist2 int32
}

// short is by how much the tile is out of the circle, in hundredths of a tile.
func (s *sighting) short() int { return int(100*distance(s.src.Tile, s.at)) - 50*int(s.need) }

// compare orders sightings: seeing eyes, then eyes that fail by the last rule, the nearest first. Of several eyes
// the one on the ground comes first.
func compare(a, b *sighting) int {
	rank := func(s *sighting) int {
		switch s.sight.Reason {
		case visibility.Sees:
			if s.src.Flyer {
				return 1
			}
			return 0
		case visibility.Blocked:
			return 2
		case visibility.TooHigh:
			return 3
		}
		return 4
	}
	if n := cmp.Compare(rank(a), rank(b)); n != 0 {
		return n
	}
	if a.sight.Reason == visibility.OutOfRange {
		if n := cmp.Compare(a.short(), b.short()); n != 0 {
			return n
		}
	}
	return cmp.Or(cmp.Compare(a.dist2, b.dist2), cmp.Compare(a.id, b.id))
}

// sightings returns how each eye of a team stands to the tile of several that it sees
// best, the best eye first. With detect it is about finding what is cloaked, and only
// detectors count.
func (l *Look) sightings(team grid.Team, tiles []grid.Tile, detect bool) []sighting {
	var out []sighting
	eng := l.w.Eyes()
	for id, src := range eng.Sources(team) {
		if detect && src.Detect == 0 {
			continue
		}
		var best sighting
		for i, at := range tiles {
			s := sighting{id: id, src: src, at: at, sight: eng.Why(id, at, detect), need: src.Radius, dist2: src.Tile.Dist2(at)}
			if detect {
				s.need = src.Detect
			}
			if i == 0 || compare(&s, &best) < 0 {
				best = s
			}
		}
		out = append(out, best)
	}
	slices.SortFunc(out, func(a, b sighting) int { return compare(&a, &b) })
	return out
}

// eyeOf describes the eye of a sighting.
func (l *Look) eyeOf(s *sighting) Eye {
	team, _ := l.w.Eyes().Get(s.id)
	out := Eye{
		Source: uint32(s.id), Slot: -1, Team: int(team), X: int(s.src.Tile.X), Y: int(s.src.Tile.Y), Radius: halves(s.src.Radius), Detect: halves(s.src.Detect),
		Flyer: s.src.Flyer, Level: int(s.sight.Eye), Until: uint32(s.src.Until), at: s.src.Tile,
	}
	switch e := l.seer(s.id); {
	case e != nil:
		out.What, out.ID, out.Type, out.Slot = "entity", uint32(e.ID()), l.w.Rules().Types[e.Type()].Name, slotNumber(e.Slot())
	case s.src.Flyer:
		out.What = "timed"
	default:
		out.What = "dying"
	}
	return out
}

// tilesOf returns the tiles by which an entity is seen.
func (l *Look) tilesOf(e *sim.Entity) []grid.Tile {
	if l.w.SightRule(e) != sim.SightFoot {
		return []grid.Tile{e.Tile()}
	}
	return l.footprint(e.Type(), e.Foot())
}

func (l *Look) footprint(typ uint16, foot grid.Tile) (out []grid.Tile) {
	w, h := l.w.FootSize(typ)
	for dy := range h {
		for dx := range w {
			if at := (grid.Tile{X: foot.X + int16(dx), Y: foot.Y + int16(dy)}); l.w.Map().In(at) {
				out = append(out, at)
			}
		}
	}
	return out
}

// Why returns why each team sees an entity, or does not.
func (l *Look) Why(e *sim.Entity) []TeamSight {
	out := make([]TeamSight, 0, l.w.Teams())
	for t := range grid.Team(l.w.Teams()) {
		out = append(out, l.why(e, t))
	}
	return out
}

func (l *Look) why(e *sim.Entity, team grid.Team) TeamSight {
	out := TeamSight{Team: int(team), Seen: e.SeenBy().Has(team), Eyes: []Eye{}}
	k := l.w.Knowledge(team)
	if h, since, ok := k.SeenSince(e); ok {
		out.Handle, out.Since = uint32(h), tickOf(since)
	}
	rule := l.w.SightRule(e)
	detect := rule == sim.SightDetected
	if rule == sim.SightTile || rule == sim.SightFoot || detect {
		tiles := l.tilesOf(e)
		s := l.sightings(team, tiles, false)
		lit := len(s) > 0 && s[0].sight.Reason == visibility.Sees
		if detect && lit { // its tile is in sight: what matters is who finds it there
			s = l.sightings(team, tiles, true)
		}
		l.fill(&out, s)
		out.Reason = l.reasonOf(e, team, s, detect && lit)
	} else if rule == sim.SightOwner {
		out.Reason = ReasonOwner
	}
	found := len(out.Eyes) > 0
	switch {
	case e.Team() == team:
		out.Reason = ReasonOwn
	case rule == sim.SightAlways:
		out.Reason = ReasonAlways
	case out.Seen && !found:
		out.Reason = ReasonCaptured
	case !out.Seen:
		if g, ok := k.Remembered(e); ok {
			out.Now, out.Reason = out.Reason, ReasonGhost
			out.Handle, out.Since = uint32(g.Handle), tickOf(g.Since)
		}
	}
	if out.Reason == ReasonRevealed {
		_, until := e.Revealed()
		out.Until = tickOf(until)
	} else if found && out.By.Until != 0 {
		out.Until = tickOf(grid.Tick(out.By.Until))
	}
	out.Words = words(&out, l.w.Rules().Types[e.Type()].Name)
	return out
}

func tickOf(t grid.Tick) *uint32 {
	n := uint32(t)
	return &n
}

// reasonOf returns the reason that follows from the best of a team's sightings.
func (l *Look) reasonOf(e *sim.Entity, team grid.Team, s []sighting, detect bool) string {
	switch {
	case len(s) == 0 && detect:
		return ReasonCloaked
	case len(s) == 0:
		return ReasonNoEyes
	}
	best := &s[0]
	switch {
	case best.sight.Reason != visibility.Sees && detect:
		return ReasonCloaked
	case best.sight.Reason != visibility.Sees:
		return best.sight.Reason.String()
	case detect:
		return ReasonDetected
	case !best.src.Flyer:
		return ReasonSight
	}
	// A reveal is a source for the shooter's tile alone, as long as it is revealed.
	to, until := e.Revealed()
	for i := range s {
		x := &s[i]
		if x.sight.Reason == visibility.Sees && !(to.Has(team) && l.seer(x.id) == nil && x.src.Radius == 0 && x.src.Until != 0 && x.src.Until <= until) {
			return ReasonAbove
		}
	}
	return ReasonRevealed
}

// fill adds to an answer the eyes that see, or the eye that comes nearest.
func (l *Look) fill(out *TeamSight, s []sighting) {
	for i := range s {
		if s[i].sight.Reason == visibility.Sees && len(out.Eyes) < eyesMax {
			out.Eyes = append(out.Eyes, l.eyeOf(&s[i]))
		}
	}
	if len(s) == 0 {
		return
	}
	best := &s[0]
	by := l.eyeOf(best)
	far, need := distance(best.src.Tile, best.at), halves(best.need)
	out.By, out.Line, out.Distance, out.Need = &by, points(visibility.Line(best.src.Tile, best.at)), &far, &need
	if best.sight.Reason == visibility.Blocked {
		out.Blocked = l.blockerAt(best.sight.Blocker)
	}
}

func (l *Look) blockerAt(at grid.Tile) *Blocker {
	return &Blocker{pointOf(at), int(l.w.Eyes().Ground(at).Level), int(l.w.Eyes().Stands(at))}
}

// words says the same in a sentence.
func words(s *TeamSight, typ string) string {
	by := ""
	if s.By != nil {
		by = eyeText(s.By)
	}
	not := func(reason string) string {
		switch reason {
		case ReasonOwner:
			return "by the ruleset only its own team is told of a " + typ
		case ReasonRange:
			return fmt.Sprintf("it is out of range: the nearest eye is %s, %.2f tiles away and sees %.1f tiles far", by, *s.Distance, *s.Need)
		case ReasonLevel:
			return fmt.Sprintf("it stands higher than the eyes near it: %s sees up to level %d", by, s.By.Level)
		case ReasonBlocked:
			return fmt.Sprintf("tile %d,%d, which reaches up to level %d, stands between it and %s, which sees over level %d", s.Blocked.X, s.Blocked.Y, s.Blocked.Stands, by, s.By.Level)
		case ReasonCloaked:
			if s.By == nil {
				return "it is cloaked, and the team has no detector"
			}
			return fmt.Sprintf("it is cloaked, and no detector finds it: the nearest is %s, %.2f tiles away and detects %.1f tiles far", by, *s.Distance, *s.Need)
		}
		return "the team has no eyes"
	}
	switch s.Reason {
	case ReasonOwn:
		return "it is the team's own"
	case ReasonAlways:
		return "by the ruleset all teams are told of a " + typ
	case ReasonCaptured:
		return "the team lost it to another in this tick, and sees that"
	case ReasonSight:
		return fmt.Sprintf("it is in sight of %s, %.2f tiles away", by, *s.Distance)
	case ReasonAbove:
		return fmt.Sprintf("it is seen from above by %s, %.2f tiles away", by, *s.Distance)
	case ReasonDetected:
		return fmt.Sprintf("it is cloaked, and detected by %s, %.2f tiles away", by, *s.Distance)
	case ReasonRevealed:
		return fmt.Sprintf("it fired at the team, and is revealed until tick %d", *s.Until)
	case ReasonGhost:
		if s.Now == ReasonGone {
			return fmt.Sprintf("the team remembers it since tick %d; it is no more, which the team has not seen", *s.Since)
		}
		return fmt.Sprintf("the team remembers it since tick %d and does not see it now: %s", *s.Since, not(s.Now))
	case ReasonGone:
		return "it is no more"
	}
	return "it is not seen: " + not(s.Reason)
}

// eyeText names an eye for a sentence.
func eyeText(e *Eye) string {
	switch e.What {
	case "entity":
		return fmt.Sprintf("%s %v at tile %d,%d", e.Type, grid.EntityID(e.ID), e.X, e.Y)
	case "dying":
		return fmt.Sprintf("the last sight of something that died at tile %d,%d", e.X, e.Y)
	}
	return fmt.Sprintf("an eye over tile %d,%d that ends at tick %d", e.X, e.Y, e.Until)
}
