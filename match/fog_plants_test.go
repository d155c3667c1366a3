//go:build !race

package match

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// planting is a message on its way to a receiver, with the server's knowledge then: a
// planted leak writes some of this knowledge into one field.
type planting struct {
	h   *history
	r   *receiver
	c   *fieldClient // the receiver before the message
	all []*receiver
	f   *pb.ServerFrame
	at  grid.Tick
}

// fieldLeak writes a secret into the message, and reports whether the message had a place
// for it.
type fieldLeak func(p *planting) bool

// now is the tick of the frame.
func (p *planting) now() grid.Tick {
	if p.f.Tick != 0 {
		return grid.Tick(p.f.Tick)
	}
	return p.c.tick + grid.Tick(max(1, p.f.Span))
}

// world is the match as it is, seen or unseen.
func (p *planting) world() *moments {
	if m := p.h.at(p.at); m != nil {
		return m
	}
	return p.h.last()
}

// secret is a number that no receiver knows: the possessions of all its foes, and for a
// spectator of all players.
func (p *planting) secret() uint32 {
	n := uint32(7)
	for _, x := range p.world().players {
		if x.Team != p.r.team {
			n += uint32(x.Stock[0]) + uint32(x.Stock[1])
		}
	}
	return n
}

// hidden returns the things that the receiver does not see, by id; all eyes miss neutral
// things.
func (p *planting) hidden() (out []*thing) {
	m := p.h.at(p.now())
	if m == nil {
		return nil
	}
	seen := m.eyes[p.h.eyesOf(p.r.team)].seen
	for _, id := range slices.Sorted(maps.Keys(m.things)) {
		if _, ok := seen[id]; !ok && m.things[id].class != rules.ClassProjectile {
			out = append(out, m.things[id])
		}
	}
	return out
}

// eyes returns the receiver's sights, and another team.
func (p *planting) eyes() (own, other *sightThen) {
	m := p.h.at(p.now())
	if m == nil {
		return nil, nil
	}
	own = m.eyes[p.h.eyesOf(p.r.team)]
	if p.r.team == 1 {
		return own, m.eyes[0]
	}
	return own, m.eyes[1]
}

// each calls do for every message of f that has the field at the path, with the
// field's descriptor.
func each(path string, f *pb.ServerFrame, do func(protoreflect.Message, protoreflect.FieldDescriptor)) {
	var walk func(m protoreflect.Message, path string)
	walk = func(m protoreflect.Message, path string) {
		name, rest, more := cutPath(path)
		fd := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		switch {
		case fd == nil:
			panic("no field " + name + " in " + string(m.Descriptor().FullName()))
		case !more:
			do(m, fd)
		case fd.IsList():
			for i := range m.Get(fd).List().Len() {
				walk(m.Get(fd).List().Get(i).Message(), rest)
			}
		case m.Has(fd):
			walk(m.Get(fd).Message(), rest)
		}
	}
	walk(f.ProtoReflect(), path)
}

func cutPath(path string) (name, rest string, more bool) {
	for i := range path {
		if path[i] == '.' {
			return path[:i], path[i+1:], true
		}
	}
	return path, "", false
}

// valueOf returns a field's value in a form that compares.
func valueOf(m protoreflect.Message, fd protoreflect.FieldDescriptor) []byte {
	one := m.New()
	if m.Has(fd) {
		one.Set(fd, m.Get(fd))
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(one.Interface())
	if err != nil {
		panic(err)
	}
	return b
}

// leaksNumber writes the secret into the first place that a field of a message
// of its own has: a number, a text, a choice or a yes or no.
func leaksNumber(path string) fieldLeak {
	return func(p *planting) (done bool) {
		each(path, p.f, func(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
			if done {
				return
			}
			done = true
			was := m.Get(fd)
			if fd.IsList() {
				list := m.Mutable(fd).List()
				if fd.Message() != nil {
					if done = list.Len() > 0; done {
						list.Append(list.Get(0))
					}
					return
				}
				if v := p.scalar(fd, list.NewElement()); list.Len() > 0 {
					list.Set(0, p.scalar(fd, list.Get(0)))
				} else {
					list.Append(v)
				}
				return
			}
			m.Set(fd, p.scalar(fd, was))
		})
		return done
	}
}

// leaksAnew writes a number into a field of a message that is made for it.
func leaksAnew(path string) fieldLeak {
	return func(p *planting) bool {
		m := p.f.ProtoReflect()
		if strings.HasPrefix(path, "welcome.") && p.f.Welcome == nil {
			return false
		}
		names := strings.Split(path, ".")
		for i, name := range names {
			fd := m.Descriptor().Fields().ByName(protoreflect.Name(name))
			last := i == len(names)-1
			switch {
			case fd.IsList() && fd.Message() != nil:
				e := m.Mutable(fd).List().AppendMutable()
				m = e.Message()
			case fd.IsList():
				list := m.Mutable(fd).List()
				list.Append(p.scalar(fd, list.NewElement()))
			case fd.Message() != nil:
				m = m.Mutable(fd).Message()
			case last:
				m.Set(fd, p.scalar(fd, m.Get(fd)))
			}
		}
		return true
	}
}

// scalar returns a value that is not was, made of the secret.
func (p *planting) scalar(fd protoreflect.FieldDescriptor, was protoreflect.Value) protoreflect.Value {
	n := p.secret()
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(!was.Bool())
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprint(was.String(), n))
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get((values.ByNumber(was.Enum()).Index() + 1 + int(n)%(values.Len()-1)) % values.Len()).Number())
	case protoreflect.Sint32Kind, protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(was.Int()) + int32(n))
	}
	return protoreflect.ValueOfUint32(uint32(was.Uint()) + n)
}

// leaksForeign tells the content of another receiver's frame of the same tick.
func leaksForeign(path string) fieldLeak {
	return func(p *planting) (done bool) {
		for _, o := range p.all {
			if o.team == p.r.team && o.spectator() == p.r.spectator() && o.slot == p.r.slot {
				continue
			}
			i, found := slices.BinarySearchFunc(o.got, p.at, func(s sent, t grid.Tick) int { return int(s.at) - int(t) })
			for ; found && i < len(o.got) && o.got[i].at == p.at && !done; i++ {
				f, err := parse(o.got[i].bytes)
				if err != nil {
					continue
				}
				fd := f.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(path))
				if f.ProtoReflect().Has(fd) && (f.Welcome != nil) == (p.f.Welcome != nil) && f.Closing == nil {
					p.f.ProtoReflect().Set(fd, f.ProtoReflect().Get(fd))
					done = true
				}
			}
			if done {
				return true
			}
		}
		return false
	}
}

// leaksIn writes into the last number of the first row of a packed field.
func leaksIn(path string, width, column int) fieldLeak {
	return func(p *planting) (done bool) {
		each(path, p.f, func(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
			if list := m.Get(fd).List(); !done && list.Len() >= width {
				done = true
				list.Set(column, protoreflect.ValueOfUint32(uint32(list.Get(column).Uint())+1+p.secret()%50))
			}
		})
		return done
	}
}

// beganUnseen tells when an ability began that ran as its unit came into sight.
func beganUnseen(p *planting) bool {
	for row := p.f.Actions; len(row) >= 3; row = row[3:] {
		if row[1] != 0 && row[2] == 0 {
			row[2] = 1 + p.secret()%50
			return true
		}
	}
	return false
}

// leaksOf tells a secret of a thing in sight, known to its owner alone or to no player:
// rows of [handle, value], the value a number of the thing's own.
func leaksOf(path string, secret func(x *thing) uint32) fieldLeak {
	return func(p *planting) bool {
		if p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil {
			return false
		}
		m := p.h.at(p.now())
		for _, x := range p.c.sorted() {
			if len(x.may) != 1 || m == nil || m.things[x.may[0]] == nil {
				continue
			}
			if _, seen := m.eyes[p.h.eyesOf(p.r.team)].seen[x.may[0]]; !seen {
				continue
			}
			if y := m.things[x.may[0]]; y.slot != p.r.slot && secret(y) != 0 {
				fd := p.f.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(path))
				list := p.f.ProtoReflect().Mutable(fd).List()
				list.Truncate(0)
				list.Append(protoreflect.ValueOfUint32(x.handle))
				list.Append(protoreflect.ValueOfUint32(secret(y)))
				return true
			}
		}
		return false
	}
}

func itsNumber(x *thing) uint32 { return 128 + x.id.Counter() } // the order in which they were made
func itsEnergy(x *thing) uint32 { return uint32(x.energy / 1000) }
func itsQueue(x *thing) uint32  { return uint32(len(x.made.Queue)) * 1000 }
func itsShots(x *thing) uint32 { // that it ever fired
	n := uint32(1)
	for _, w := range x.weapons {
		n += 4 * uint32(w.shots)
	}
	return n
}

// lingers: a later frame tells that a thing left sight.
func lingers(p *planting) bool {
	done := len(p.f.Leave) > 0
	p.f.Leave = nil
	return done
}

// leavesEarly: a thing in sight leaves in the message, as it is about to.
func leavesEarly(p *planting) bool {
	m := p.h.at(p.now() + 1)
	if p.f.Tick != 0 || len(p.f.Leave) > 0 || m == nil || p.f.Welcome != nil {
		return false
	}
	for _, x := range p.c.sorted() {
		if len(x.may) != 1 || m.things[x.may[0]] == nil {
			continue
		}
		_, seen := m.eyes[p.h.eyesOf(p.r.team)].seen[x.may[0]]
		_, sees := p.h.at(p.now()).eyes[p.h.eyesOf(p.r.team)].seen[x.may[0]]
		if sees && (!seen || p.r.team == grid.NoTeam) {
			p.f.Leave = []uint32{x.handle}
			return true
		}
	}
	return false
}

// diesUnseen plants a lie: the server sends that a thing dies as it leaves sight.
func diesUnseen(p *planting) bool {
	if len(p.f.Leave) == 0 || len(p.f.Destroyed) > 0 {
		return false
	}
	p.f.Destroyed, p.f.Leave = p.f.Leave[:1], nil
	return true
}

// diesEarly plants a lie: the server sends a death before its tick.
func diesEarly(p *planting) bool {
	m := p.h.at(p.now() + 1)
	if p.f.Tick != 0 || len(p.f.Destroyed) > 0 || m == nil || p.f.Welcome != nil {
		return false
	}
	for _, x := range p.c.sorted() {
		if len(x.may) == 1 && m.things[x.may[0]] == nil && p.h.at(p.now()).things[x.may[0]] != nil {
			p.f.Destroyed = []uint32{x.handle}
			return true
		}
	}
	return false
}

// entersUnseen: an unseen thing is told, as it is.
func entersUnseen(p *planting) bool {
	hidden := p.hidden()
	if len(hidden) == 0 || p.f.Welcome != nil {
		return false
	}
	x := hidden[len(hidden)-1]
	p.f.Enter = []uint32{p.kinds()*500 + p.kind(x), p.cellOf(x.pos), uint32(x.face)}
	return true
}

func (p *planting) kinds() uint32 {
	return uint32((len(p.h.setup.Players) + 1) * len(p.h.setup.Rules.Types))
}

func (p *planting) kind(x *thing) uint32 {
	if x.slot == grid.NoSlot {
		return uint32(x.typ)
	}
	return uint32(x.slot+1)*uint32(len(p.h.setup.Rules.Types)) + uint32(x.typ)
}

func (p *planting) cellOf(at grid.Pos) uint32 { return p.c.cellOf(at) }

// entersAs changes one number of the first row of enter.
func entersAs(column int, number func(p *planting, was uint32) uint32) fieldLeak {
	return func(p *planting) bool {
		if len(p.f.Enter) < 3 {
			return false
		}
		is := number(p, p.f.Enter[column])
		done := is != p.f.Enter[column]
		p.f.Enter[column] = is
		return done
	}
}

// goal is a course that follows the secret and not the way it moves.
func goal(p *planting, _ uint32) uint32 {
	n := p.secret()
	return 256 + n%16128
}

// movesTo changes the place or the course of the first row of motion.
func movesTo(column int, number func(p *planting, was uint32) uint32) fieldLeak {
	return func(p *planting) bool {
		if len(p.f.Motion) < 3 {
			return false
		}
		is := number(p, p.f.Motion[column])
		done := is != p.f.Motion[column]
		p.f.Motion[column] = is
		return done
	}
}

// hiddenPlace is the place of a hidden thing.
func hiddenPlace(p *planting, was uint32) uint32 {
	for _, x := range p.hidden() {
		return 277371 + p.cellOf(x.pos)
	}
	return was
}

// nudge is a place that is off by a secret, too little to be seen.
func nudge(_ *planting, was uint32) uint32 {
	if was < 110 {
		return was + 11
	}
	return was + 1
}

// ghostNow writes into a column of ghosts the thing's present value, if it differs, or
// else the secret.
func ghostNow(column string, now func(x *thing) uint32) fieldLeak {
	return func(p *planting) (done bool) {
		g := p.f.Ghosts
		if g == nil {
			return false
		}
		each("ghosts."+column, p.f, func(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
			list := m.Get(fd).List()
			if done || list.Len() == 0 {
				return
			}
			is := uint32(list.Get(0).Uint()) + 1 + p.secret()%100
			world := p.world()
			for _, id := range slices.Sorted(maps.Keys(world.things)) {
				x := world.things[id]
				if uint32(x.pos.X) == g.X[0] && uint32(x.pos.Y) == g.Y[0] && uint32(x.typ) == g.Type[0] && now(x) != uint32(list.Get(0).Uint()) {
					is = now(x)
				}
			}
			list.Set(0, protoreflect.ValueOfUint32(is))
			done = true
		})
		return done
	}
}

// ghostOfHidden remembers a thing that was never seen.
func ghostOfHidden(p *planting) bool {
	if p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil || p.f.Ghosts != nil {
		return false
	}
	for _, x := range p.hidden() {
		if x.class != rules.ClassStructure && x.class != rules.ClassResource {
			continue
		}
		if _, ok := p.h.lastSeen(p.h.eyesOf(p.r.team), standing{x.typ, x.slot, x.pos}, p.now()); !ok {
			p.f.Ghosts = &pb.Ghosts{
				Handle: []uint32{800}, Type: []uint32{uint32(x.typ)}, Owner: []uint32{0}, X: []uint32{uint32(x.pos.X)}, Y: []uint32{uint32(x.pos.Y)},
				Facing: []uint32{0}, HpMissing: []uint32{0},
			}
			if x.slot != grid.NoSlot {
				p.f.Ghosts.Owner[0] = uint32(x.slot) + 1
			}
			return true
		}
	}
	return false
}

// ghostFades: a ghost goes, though no eye looked at its ground.
func ghostFades(p *planting) bool {
	if p.f.Tick != 0 || p.f.Welcome != nil || p.f.Closing != nil || p.f.Ghosts != nil || len(p.c.ghosts) == 0 {
		return false
	}
	p.f.Ghosts = &pb.Ghosts{Gone: []uint32{slices.Min(slices.Collect(maps.Keys(p.c.ghosts)))}}
	return true
}

// maskOfOthers tells a row of others' sight, or of their explored ground.
func maskOfOthers(explored bool) fieldLeak {
	return func(p *planting) bool {
		own, other := p.eyes()
		if p.f.Mask == nil || own == nil {
			return false
		}
		is, theirs := own.visible, other.visible
		if explored {
			is, theirs = own.explored, other.explored
		}
		w := p.h.setup.Map.W
		for y := range p.h.setup.Map.H {
			row := theirs[y*w:][:w]
			if slices.Equal(row, is[y*w:][:w]) || !slices.Contains(row, true) {
				continue
			}
			var runs []uint32
			lit, n := false, uint32(0)
			for _, v := range row {
				if v != lit {
					runs, lit, n = append(runs, n), v, 0
				}
				n++
			}
			if lit {
				runs = append(runs, n)
			}
			m := &pb.MaskRows{Row: []uint32{uint32(y)}, VisibleRuns: []uint32{uint32(len(runs))}, Visible: runs, ExploredRuns: []uint32{0}}
			if explored {
				m.VisibleRuns, m.Visible, m.ExploredRuns, m.Explored = []uint32{0}, nil, []uint32{uint32(len(runs))}, runs
			}
			p.f.Mask = m
			return true
		}
		return false
	}
}

// hashOfOthers tells the hash of others' sight.
func hashOfOthers(p *planting) bool {
	_, other := p.eyes()
	if p.f.MaskHash == nil || other == nil {
		return false
	}
	p.f.MaskHash = proto.Uint32(hashOf(p.h.setup.Map, other.visible))
	return true
}

// sightOfOthers tells of a scan, or of the dying, of others.
func sightOfOthers(p *planting) bool {
	_, other := p.eyes()
	if other == nil || len(other.timed) == 0 || p.f.Welcome != nil || p.f.Closing != nil || p.r.team == grid.NoTeam {
		return false
	}
	x := other.timed[0]
	p.f.Sights = []*pb.Sight{{X: uint32(x.Tile.X), Y: uint32(x.Tile.Y), Radius: uint32(x.Radius), Ticks: uint32(x.Until - p.now())}}
	return true
}

// eventInTheDark tells an event out of the receiver's sight.
func eventInTheDark(p *planting) bool {
	own, _ := p.eyes()
	if own == nil || p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil {
		return false
	}
	for _, e := range p.h.at(p.now()).events {
		if e.Kind == sim.EventImpact && !p.h.lit(own.visible, e.At.Tile()) || e.Kind == sim.EventMade && e.Slot != p.r.slot {
			p.f.Events = &pb.Events{
				Kind: []pb.EventKind{pb.EventKind_EVENT_KIND_BLAST}, X: []uint32{uint32(e.At.X)}, Y: []uint32{uint32(e.At.Y)}, What: []uint32{uint32(e.What)},
			}
			return true
		}
	}
	return false
}

// soundOfOthers tells a sound that another team hears.
func soundOfOthers(p *planting) bool {
	own, other := p.eyes()
	if own == nil || other == nil || len(other.sounds) == 0 || p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil || p.r.team == grid.NoTeam {
		return false
	}
	s := other.sounds[0]
	at := s.Middle(p.h.setup.Map)
	p.f.Events = &pb.Events{Kind: []pb.EventKind{pb.EventKind_EVENT_KIND_HEARD}, X: []uint32{uint32(at.X)}, Y: []uint32{uint32(at.Y)}, What: []uint32{uint32(s.Class)}}
	return true
}

// soundsPlace tells the exact place of a sound.
func soundsPlace(p *planting) bool {
	for i, e := range p.f.GetEvents().GetKind() {
		own, _ := p.eyes()
		if e == pb.EventKind_EVENT_KIND_HEARD && len(own.sounds) > 0 {
			p.f.Events.X[i], p.f.Events.Y[i] = uint32(own.sounds[0].At.X), uint32(own.sounds[0].At.Y)
			return true
		}
	}
	return false
}

// contactOfOthers tells a contact of another team's radar.
func contactOfOthers(p *planting) bool {
	_, other := p.eyes()
	if other == nil || len(other.blips) == 0 || p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil || p.r.team == grid.NoTeam {
		return false
	}
	b := other.blips[0]
	p.f.Contacts = &pb.Contacts{Class: []uint32{uint32(b.Class)}, X: []uint32{uint32(b.Block.X)}, Y: []uint32{uint32(b.Block.Y)}}
	return true
}

// contactsPlace tells the tile of a contact, not its cell.
func contactsPlace(p *planting) bool {
	own, _ := p.eyes()
	if p.f.Contacts == nil || len(own.blips) == 0 {
		return false
	}
	p.f.Contacts.X[0] = uint32(p.h.at(p.now()).things[own.blips[0].Source].pos.Tile().X)
	return true
}

// ownsToo gives a spectator, or a player of another slot, a player's own part.
func ownsToo(p *planting) bool { return leaksForeign("own")(p) }

// overhears tells chat or pings of others.
func overhears(ping bool) fieldLeak {
	return func(p *planting) bool {
		m := p.h.at(p.now())
		if m == nil || p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil {
			return false
		}
		for _, s := range m.said {
			if s.To == ^grid.TeamSet(0) || !p.r.spectator() && p.h.setup.Players[s.Slot].Team == p.r.team || ping != (s.Ping != 0) {
				continue
			}
			if ping {
				p.f.Pinged = append(p.f.Pinged, &pb.Pinged{Slot: uint32(s.Slot), Kind: pb.PingKind(s.Ping), At: &pb.Point{X: s.Point.X, Y: s.Point.Y}})
			} else {
				p.f.Said = append(p.f.Said, &pb.Said{Slot: uint32(s.Slot), Text: s.Text})
			}
			return true
		}
		return false
	}
}

// leaksScore tells a foe's score.
func leaksScore(p *planting) bool {
	m := p.h.at(p.now())
	for _, n := range p.f.Players {
		if m != nil && n.Score == nil {
			n.Score = proto.Int32(m.players[n.Slot].Score)
			return true
		}
	}
	return false
}

// leaksValue tells a value of a foe's team.
func leaksValue(p *planting) bool {
	m := p.h.at(p.now())
	for _, n := range p.f.Players {
		if m != nil && len(n.Values) == 1 {
			n.Values = m.players[n.Slot].values
			return true
		}
	}
	return false
}

// endsEarly tells the end before it comes, or to a receiver that will not get it.
func endsEarly(p *planting) bool {
	if p.f.Ended != nil || p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil || p.h.last().result == nil {
		return false
	}
	r := p.h.last().result
	p.f.Ended = &pb.Ended{Reason: r.Reason, Winners: []uint32{uint32(r.Winner)}}
	for range r.Players {
		p.f.Ended.Scores = append(p.f.Ended.Scores, &pb.Score{})
		p.f.Ended.Series = append(p.f.Ended.Series, &pb.Series{Army: []uint32{1}})
	}
	return p.h.at(p.now()) != nil && p.h.at(p.now()).result == nil
}
