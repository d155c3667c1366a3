package sim

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

var update = flag.Bool("update", false, "rewrite the transcripts; read the diff before you keep it")

// TestTranscripts plays every testdata/*.txt: commands, a line ----, and the events. See
// testdata/README.md for the commands.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := playTranscript(t, b)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, b) {
				t.Errorf("%s: what happens has changed: %s\nrun go test ./match/sim -run Transcripts -update and read the diff",
					file, firstLine(b, got))
			}
		})
	}
}

func firstLine(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range g {
		if i >= len(w) || w[i] != g[i] {
			return fmt.Sprintf("line %d: got %q", i+1, g[i])
		}
	}
	return fmt.Sprintf("line %d is missing", len(g)+1)
}

// playTranscript runs the commands and returns the transcript with the events filled in.
func playTranscript(t *testing.T, b []byte) []byte {
	out, _ := playStage(t, b)
	return out
}

// playStage is playTranscript that also returns the world as it is at the end.
func playStage(t *testing.T, b []byte) ([]byte, *World) {
	var out bytes.Buffer
	p := &stage{t: t, names: map[string]grid.EntityID{}, called: map[grid.EntityID]string{}}
	sc := bufio.NewScanner(bytes.NewReader(b))
	inResult := false
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		switch {
		case inResult:
			if line == "" {
				inResult = false
				out.WriteString("\n")
			}
		case line == "----":
			out.WriteString("----\n")
			out.WriteString(p.said.String())
			p.said.Reset()
			inResult = true
		default:
			out.WriteString(line + "\n")
			if text, _, _ := strings.Cut(line, "#"); strings.TrimSpace(text) != "" {
				p.line = n
				p.do(strings.Fields(text))
			}
		}
	}
	return out.Bytes(), p.w
}

// stage is a world that a transcript acts on.
type stage struct {
	t      *testing.T
	line   int
	w      *World
	m      *grid.Map
	rules  rules.Ruleset
	opts   Options
	teams  []grid.Team
	bots   grid.TeamSet // of slots
	mode   GameMode
	queue  []Input
	seq    [grid.SlotsMax]uint32
	names  map[string]grid.EntityID
	called map[grid.EntityID]string
	said   bytes.Buffer
}

// sandbox is a mode without start units and without an end.
type sandbox struct{}

func (sandbox) Name() string           { return "sandbox" }
func (sandbox) InitGame(Options) error { return nil }
func (sandbox) Init(*World) error      { return nil }
func (sandbox) Tick(*World) *Ending    { return nil }

func (p *stage) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("line %d: %s", p.line, fmt.Sprintf(format, args...))
}

func (p *stage) say(format string, args ...any) { fmt.Fprintf(&p.said, format+"\n", args...) }

func (p *stage) do(f []string) {
	switch f[0] {
	case "map":
		p.setMap(f[1:])
	case "tiles":
		p.setTiles(f[1:])
	case "feature":
		x := grid.Feature{Type: f[1], At: p.point(f[2]).Tile()}
		if len(f) > 3 {
			x.Link = uint8(p.num(f[3]))
		}
		p.m.Features = append(p.m.Features, x)
	case "set":
		p.set(f[1:])
	case "unit", "site":
		p.place(f)
	case "hurt":
		p.world()
		e := p.get(f[1])
		p.w.setHealth(e, int32(p.num(f[2])))
	case "shield":
		p.world()
		p.w.setShield(p.get(f[1]), 1000*int32(p.num(f[2])))
	case "stock":
		p.world()
		p.get(f[1]).stock = int32(p.num(f[2]))
	case "energy":
		p.world()
		p.get(f[1]).energy = int32(p.num(f[2])) * 1000
	case "grant", "deny", "ungrant":
		p.world()
		a, ok := p.rules.AbilityByName(f[2])
		if how := (map[string]single{"grant": granted, "deny": denied})[f[0]]; !ok || !p.w.grantSingly(p.get(f[1]), a, how) {
			p.fail("%s has no ability %q", f[1], f[2])
		}
	case "grants":
		for _, name := range f[1:] {
			e := p.get(name)
			for i := range p.rules.Types[e.typ].Abilities {
				a := p.w.Action(e, i)
				p.say("%s: %s grant %d, on %v", name, p.rules.Abilities[a.Ability].Name, a.Grant, a.On)
			}
		}
	case "order":
		p.order(f[1:])
	case "event":
		p.event(f[1:])
	case "step":
		p.step(int(p.num(f[1])))
	case "show":
		p.show(f[1:])
	case "shots":
		p.shots()
	case "player":
		p.player(f[1])
	case "seen":
		p.seen(f[1])
	case "hash":
		p.say("hash %016x", coreHash(p.w))
	default:
		p.fail("no command %q", f[0])
	}
}

// num reads a number. It has 64 bits on every machine: the greatest number of a
// client does not fit into an int of 32.
func (p *stage) num(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.fail("%q is no number", s)
	}
	return n
}

// point reads "x,y" in tiles, with decimals: 5.5,3 is the middle of tile 5 in
// x, and its edge in y.
func (p *stage) point(s string) grid.Pos {
	xs, ys, ok := strings.Cut(s, ",")
	if !ok {
		p.fail("%q is no point", s)
	}
	part := func(s string) int32 {
		tiles, err := strconv.ParseFloat(s, 64)
		if err != nil {
			p.fail("%q is no number of tiles", s)
		}
		return int32(math.Round(tiles*1000)) * grid.WUPerTile / 1000
	}
	return grid.Pos{X: part(xs), Y: part(ys)}
}

func (p *stage) setMap(f []string) {
	xs, ys, _ := strings.Cut(f[0], "x")
	p.m = grid.NewMap("stage", int(p.num(xs)), int(p.num(ys)))
	p.m.Starts = []grid.Tile{{X: 1, Y: 1}, {X: int16(p.m.W - 2), Y: int16(p.m.H - 2)}, {X: 1, Y: int16(p.m.H - 2)}, {X: int16(p.m.W - 2), Y: 1}}
	rs := mustRules(p.t)
	p.rules = *rs
	p.rules.Settings.StartStock = rules.Cost{1000, 1000}
	p.teams = []grid.Team{0, 1}
	p.mode = sandbox{}
}

// setTiles changes a rectangle: tiles 3,0-3,20 cliff, or level 1.
func (p *stage) setTiles(f []string) {
	a, b, _ := strings.Cut(f[0], "-")
	from, to := p.point(a).Tile(), p.point(b).Tile()
	for y := from.Y; y <= to.Y; y++ {
		for x := from.X; x <= to.X; x++ {
			i := p.m.Index(grid.Tile{X: x, Y: y})
			if f[1] == "level" {
				p.m.Levels[i] = grid.Level(p.num(f[2]))
				continue
			}
			ter, ok := grid.ParseTerrain(f[1])
			if !ok {
				p.fail("no terrain %q", f[1])
			}
			p.m.Terrain[i], p.m.Pass[i] = ter, grid.PassOf(ter)
			if len(f) > 2 && f[2] == "naval" {
				p.m.Pass[i] |= 1 << grid.Naval
			}
		}
	}
}

func (p *stage) set(f []string) {
	switch f[0] {
	case "teams":
		p.teams = nil
		for _, s := range strings.Split(f[1], ",") {
			p.teams = append(p.teams, grid.Team(p.num(s)))
		}
	case "mode":
		m, err := modeOf(&p.rules, f[1])
		if err != nil {
			p.fail("%v", err)
		}
		p.mode, p.opts.Mode = m, f[1]
	case "occlusion":
		p.m.Occlusion, _ = grid.ParseOcclusion(f[1])
	case "time-limit":
		p.opts.TimeLimitMs = int32(p.num(f[1])) * 1000
	case "abandon":
		p.opts.AbandonMs = int32(p.num(f[1])) * 1000
	case "bots":
		for _, s := range strings.Split(f[1], ",") {
			p.bots = p.bots.With(grid.Team(p.num(s))) // a set of slots
		}
	case "score-limit":
		p.opts.ScoreLimit = int32(p.num(f[1]))
	case "rules":
		b, err := os.ReadFile("testdata/" + f[1] + ".json")
		if err != nil {
			p.fail("%v", err)
		}
		rs, err := rules.Parse(f[1]+".json", b)
		if err != nil {
			p.fail("%v", err)
		}
		p.rules = *rs
	case "stock":
		p.rules.Settings.StartStock = rules.Cost{int32(p.num(f[1])), int32(p.num(f[2]))}
	case "hand-over":
		p.rules.Settings.HandOver = f[1] == "yes"
	case "leavers":
		p.opts.Leavers = Leavers(f[1])
	case "friendly-fire":
		p.rules.Settings.FriendlyFire = f[1] == "yes"
	case "reveal":
		p.rules.Settings.RevealOnFireMs = int32(p.num(f[1]))
	case "assist": // seconds, and percent of the score
		p.rules.Settings.AssistMs, p.rules.Settings.AssistScore = int32(p.num(f[1]))*1000, int32(p.num(f[2]))
	case "sound": // of a weapon, as it fires; of a unit type, while it moves
		p.rules.Sounds = append(p.rules.Sounds, f[1])
		s := rules.Sound{Class: uint8(len(p.rules.Sounds) - 1), Radius: grid.Dist(p.num(f[2])) * grid.WUPerTile}
		if i := slices.IndexFunc(p.rules.Weapons, func(w rules.Weapon) bool { return w.Name == f[1] }); i >= 0 {
			p.rules.Weapons = slices.Clone(p.rules.Weapons)
			p.rules.Weapons[i].Sound = s
		} else if i, ok := p.rules.TypeByName(f[1]); ok {
			p.rules.Types = slices.Clone(p.rules.Types)
			p.rules.Types[i].Sound = s
		} else {
			p.fail("no weapon and no type %q", f[1])
		}
	case "signature", "radar", "jam": // of a type: its class; the radius; the radius, and the side of blocks
		i, ok := p.rules.TypeByName(f[1])
		if !ok {
			p.fail("no type %q", f[1])
		}
		p.rules.Types = slices.Clone(p.rules.Types)
		switch t := &p.rules.Types[i]; f[0] {
		case "signature":
			p.rules.Signatures = append(p.rules.Signatures, f[1])
			t.Signature = uint8(len(p.rules.Signatures))
		case "radar":
			t.Radar = grid.Dist(p.num(f[2])) * grid.WUPerTile
		default:
			t.Jam = rules.Jam{Radius: grid.Dist(p.num(f[2])) * grid.WUPerTile, Scatter: int16(p.num(f[3]))}
		}
	case "order-rate":
		p.opts.OrdersPerSecond, p.opts.OrderBurst = int32(p.num(f[1])), int32(p.num(f[2]))
	default:
		p.fail("nothing to set called %q", f[0])
	}
}

// world makes the world at its first use.
func (p *stage) world() {
	if p.w != nil {
		return
	}
	s := Setup{Map: p.m, Rules: &p.rules, Seed: 1, Options: p.opts}
	for i, t := range p.teams {
		s.Players = append(s.Players, Player{Team: t, Start: i, Bot: p.bots.Has(grid.Team(i))})
	}
	if err := s.Check(); err != nil {
		p.fail("%v", err)
	}
	w, err := empty(s)
	if err != nil {
		p.fail("%v", err)
	}
	w.mode = p.mode
	if err := w.placeFeatures(); err != nil {
		p.fail("%v", err)
	}
	p.w = w
}

// place: unit NAME SLOT TYPE X,Y, or site for a structure not yet built. Slot - means no owner.
func (p *stage) place(f []string) {
	p.world()
	typ, ok := p.rules.TypeByName(f[3])
	if !ok {
		p.fail("no type %q", f[3])
	}
	slot := grid.NoSlot
	if f[2] != "-" {
		slot = grid.Slot(p.num(f[2]))
	}
	e := p.w.spawn(slot, typ, p.point(f[4]), f[0] == "site")
	p.names[f[1]], p.called[e.id] = e.id, f[1]
	p.w.settle()
	p.w.see()
}

// id returns the entity of a name: a name that the story gave, or TYPE-ID for an entity
// without one.
func (p *stage) id(name string) grid.EntityID {
	if id, ok := p.names[name]; ok {
		return id
	}
	for _, e := range p.w.all {
		if p.call(e.id) == name {
			return e.id
		}
	}
	return 0
}

func (p *stage) get(name string) *Entity {
	e := p.w.find(p.id(name))
	if e == nil {
		p.fail("there is no %q now", name)
	}
	return e
}

func (p *stage) call(id grid.EntityID) string {
	if n, ok := p.called[id]; ok {
		return n
	}
	if e := p.w.find(id); e != nil {
		n := fmt.Sprintf("%s-%d.%d", p.rules.Types[e.typ].Name, e.id.Slot(), e.id.Counter())
		p.called[id], p.names[n] = n, id
		return n
	}
	return id.String()
}

// handle returns the team's name for a thing, also of a ghost; 9999 for a thing without a
// handle.
func (p *stage) handle(team grid.Team, name string) grid.Handle {
	if e := p.w.find(p.id(name)); e != nil && e.handles[team] != 0 {
		return e.handles[team]
	}
	for _, g := range p.w.teams[team].ghosts {
		if g.id == p.id(name) {
			return g.Handle
		}
	}
	return 9999
}

// order SLOT KIND NAME,NAME key=value…
func (p *stage) order(f []string) {
	p.world()
	slot := grid.Slot(p.num(f[0]))
	kind, ok := orders.ParseKind(f[1])
	if !ok {
		p.fail("no order %q", f[1])
	}
	o := orders.Order{Kind: kind}
	team := p.w.players[slot].team
	p.seq[slot]++
	in := Input{Kind: InputOrder, Slot: slot, Seq: p.seq[slot], AsOf: p.w.tick}
	for _, a := range f[2:] {
		key, val, has := strings.Cut(a, "=")
		switch {
		case !has && a == "queued":
			o.Queued = true
		case !has && a == "together":
			o.Together = true
		case !has:
			for _, name := range strings.Split(a, ",") {
				o.Units = append(o.Units, p.handle(team, name))
			}
		case key == "at":
			o.HasPoint, o.Point = true, p.point(val)
		case key == "target":
			o.Target = p.handle(team, val)
		case key == "type":
			if o.Type, ok = p.rules.TypeByName(val); !ok {
				p.fail("no type %q", val)
			}
		case key == "ability":
			if o.Ability, ok = p.rules.AbilityByName(val); !ok {
				p.fail("no ability %q", val)
			}
		case key == "item":
			o.Item = uint8(p.num(val))
		case key == "request":
			o.Request = uint32(p.num(val))
		case key == "seq":
			in.Seq = uint32(p.num(val))
			p.seq[slot] = max(p.seq[slot], in.Seq)
		case key == "asof":
			in.AsOf = grid.Tick(p.num(val))
		case key == "lag":
			in.Lag = uint8(p.num(val))
		default:
			p.fail("no argument %q", a)
		}
	}
	in.Order = o
	p.queue = append(p.queue, in)
}

func (p *stage) event(f []string) {
	p.world()
	slot := grid.Slot(p.num(f[0]))
	kinds := map[string]InputKind{"joined": InputJoined, "gone": InputGone, "left": InputLeft, "away": InputAway, "kept": InputKept, "chat": InputChat, "ping": InputPing, "stand-in": InputStandIn}
	kind, ok := kinds[f[1]]
	if !ok {
		p.fail("no event %q", f[1])
	}
	in := Input{Kind: kind, Slot: slot}
	if kind == InputChat || kind == InputPing {
		in.Seq = p.number(slot, &f)
	}
	switch kind {
	case InputKept:
		in.All = f[2] == "yes"
	case InputChat:
		in.Text, in.All = f[2], len(f) > 3
	case InputPing:
		in.Point, in.Ping = p.point(f[2]), PingLook
		if len(f) > 3 {
			in.Ping = PingKind(p.num(f[3]))
		}
	}
	p.queue = append(p.queue, in)
}

// number takes seq=N off the end, or gives the slot's next number.
func (p *stage) number(slot grid.Slot, f *[]string) uint32 {
	last := len(*f) - 1
	if n, ok := strings.CutPrefix((*f)[last], "seq="); ok {
		*f = (*f)[:last]
		p.seq[slot] = max(p.seq[slot], uint32(p.num(n)))
		return uint32(p.num(n))
	}
	p.seq[slot]++
	return p.seq[slot]
}

func (p *stage) step(n int) {
	p.world()
	for range n {
		out := p.w.Step(p.queue)
		p.queue = p.queue[:0]
		for _, a := range out.Answers {
			line := fmt.Sprintf("%d: answer %d.%d %v", out.Tick, a.Slot, a.Seq, a.Code)
			if a.Again {
				line += " again"
			}
			for _, l := range a.Left {
				line += fmt.Sprintf(" without %d %v", l.Unit, l.Code)
			}
			p.say("%s", line)
		}
		for _, s := range out.Said {
			if s.Ping != 0 {
				p.say("%d: pinged by %d to %04x kind %d %v", out.Tick, s.Slot, uint16(s.To), s.Ping, s.Point)
				continue
			}
			if s.Handed != 0 {
				p.say("%d: %04x is told that %d of player %d are handed %s", out.Tick, uint16(s.To), s.Units, s.Slot, []string{"over", "back"}[s.Handed-1])
				continue
			}
			p.say("%d: said by %d to %04x %q", out.Tick, s.Slot, uint16(s.To), s.Text)
		}
		p.events(out.Tick)
		for _, n := range out.Notices {
			p.say("%d: notice %d.%d %v: %v %s", out.Tick, n.Slot, n.Seq, n.Kind, n.Code, p.call(n.Unit))
		}
		if out.Ended != nil {
			p.say("%d: ended, %s, winner %d", out.Tick, out.Ended.Reason, int8(out.Ended.Winner))
			for _, r := range out.Ended.Players {
				p.say("  player %d team %d won %v score %d killed %d lost %d left %v%s", r.Slot, r.Team, r.Won, r.Score, r.Killed, r.Lost, r.Left, assistsOf(&r))
			}
		}
		if err := invariants(p.w, nil); err != nil {
			p.fail("tick %d: %v", out.Tick, err)
		}
	}
}

func assistsOf(r *PlayerResult) string {
	if r.Assists == 0 {
		return ""
	}
	return fmt.Sprintf(" assists %d", r.Assists)
}

func (p *stage) events(tick grid.Tick) {
	for _, ev := range p.w.events {
		name := p.call(ev.Source)
		switch ev.Kind {
		case EventShot:
			to := "the ground"
			if ev.Target != 0 {
				to = p.call(ev.Target)
			}
			p.say("%d: %s fires %s at %s", tick, name, p.rules.Weapons[ev.What].Name, to)
		case EventImpact:
			p.say("%d: %s comes down at %s", tick, p.rules.Weapons[ev.What].Name, inTiles(ev.At))
		case EventHit:
			hp := "dies"
			if e := p.w.find(ev.Source); e != nil {
				hp = fmt.Sprint("has ", e.hp)
				if p.rules.Types[e.typ].Shield.Max > 0 {
					hp += fmt.Sprint(" and shield ", e.shield/1000)
				}
			}
			p.say("%d: %s is hit and %s", tick, name, hp)
		case EventDied:
			p.say("%d: %s is gone", tick, name)
		case EventBuilt:
			p.say("%d: %s is finished", tick, name)
		case EventMade:
			p.say("%d: %s is trained at %s", tick, name, inTiles(ev.At))
		case EventAction:
			verb := "stops"
			if ev.On {
				verb = "starts"
			}
			p.say("%d: %s %s %s", tick, name, verb, p.rules.Abilities[ev.What].Name)
		case EventArea:
			p.say("%d: %s on the ground at %s until %d", tick, p.rules.Abilities[ev.What].Name, inTiles(ev.At), ev.Until)
		}
	}
	for i := range p.w.teams {
		for _, c := range p.w.teams[i].Contacts() {
			if at := c.Middle(p.m.W, p.m.H); c.At == tick {
				p.say("%d: radar of team %d finds %s around %d,%d", tick, i, p.rules.Signatures[c.Class], at.X, at.Y)
			}
		}
		for _, s := range p.w.teams[i].Heard() {
			p.say("%d: team %d hears %s around %d,%d", tick, i, p.rules.Sounds[s.Class], s.Middle(p.m.W, p.m.H).X, s.Middle(p.m.W, p.m.H).Y)
		}
	}
}

// inTiles writes a position in tiles, with two decimals.
func inTiles(p grid.Pos) string {
	part := func(n int32) string {
		return fmt.Sprintf("%d.%02d", n>>grid.TileShift, (n&(grid.WUPerTile-1))*100/grid.WUPerTile)
	}
	return part(p.X) + "," + part(p.Y)
}

func (p *stage) show(names []string) {
	for _, name := range names {
		e := p.w.find(p.id(name))
		if e == nil {
			p.say("%s: gone", name)
			continue
		}
		line := fmt.Sprintf("%s: at %s facing %d health %d", name, inTiles(e.Pos()), e.face, e.hp)
		if e.vx != 0 || e.vy != 0 {
			line += fmt.Sprintf(" moving %d,%d", e.vx, e.vy)
		}
		if e.carried > 0 {
			line += fmt.Sprintf(" carrying %d %s", e.carried, p.rules.Resources[e.carriedKind])
		}
		if e.unbuilt {
			line += " unbuilt"
		}
		if e.cloaked {
			line += " cloaked"
		}
		if e.class == rules.ClassResource || p.rules.Types[e.typ].Feature.Stateful() {
			line += fmt.Sprintf(" stock %d", e.stock)
		}
		if p.rules.Types[e.typ].Shield.Max > 0 {
			line += fmt.Sprintf(" shield %d", e.shield/1000)
		}
		if p.rules.Types[e.typ].EnergyMax > 0 {
			line += fmt.Sprintf(" energy %d", e.energy/1000)
		}
		for i := range e.effects {
			x := e.Effect(i)
			line += fmt.Sprintf(" %s from %d to %d by %s", p.rules.Effects[x.Kind].Name, x.Since, x.Until, p.call(x.By))
		}
		for i := range e.arms {
			if lag := e.arms[i].lag; lag > 0 {
				line += fmt.Sprintf(" lag %d", lag)
			}
		}
		for _, t := range e.tasks {
			line += " " + t.kind.String()
		}
		if n := len(e.maker.queue); n > 0 {
			line += fmt.Sprintf(" producing %d", n)
		}
		line += fmt.Sprintf(" seen by %02x", uint16(e.viewers))
		p.say("%s", line)
	}
}

// shots lists the projectiles in flight, with their clients' own numbers.
func (p *stage) shots() {
	for _, e := range p.w.all {
		if e.class == rules.ClassProjectile && !e.dying {
			p.say("%s of %s: number %d", p.rules.Weapons[e.shot.weapon].Name, p.call(e.shot.by), e.shot.request)
		}
	}
}

func (p *stage) player(s string) {
	pl := &p.w.players[p.num(s)]
	p.say("player %d: alive %v ore %d gas %d pop %d of %d score %d shown %d", pl.slot, pl.alive, pl.stock[0], pl.stock[1], pl.pop, pl.popCap, pl.score, pl.shown)
	for i, v := range p.w.ModeValues() {
		p.say("player %d: %s %d", pl.slot, v.Name, p.w.ModeValue(i, pl.team))
	}
}

// seen lists the other teams' entities that a team sees and remembers.
func (p *stage) seen(s string) {
	team := grid.Team(p.num(s))
	var lines []string
	for _, x := range p.w.teams[team].Seen(nil) {
		if e := p.w.find(x.ID); e.team != team {
			lines = append(lines, fmt.Sprintf("team %d sees %s as %d", team, p.call(x.ID), x.Handle))
		}
	}
	for _, g := range p.w.teams[team].ghosts {
		line := fmt.Sprintf("team %d remembers %s as %d with health %d", team, p.call(g.id), g.Handle, g.Health)
		if p.rules.Types[g.Type].Feature.Stateful() {
			line += fmt.Sprintf(" stock %d", g.Stock)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{fmt.Sprintf("team %d sees nobody else", team)}
	}
	sort.Strings(lines)
	for _, l := range lines {
		p.say("%s", l)
	}
}
