package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/pack"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/match/sim"
)

// rulesWatchCmd plays a match by the rules of a file, and plays it anew when the file is saved.
type rulesWatchCmd struct {
	packsFolder
	Path     string `arg:"" help:"A ruleset file, NAME.json. It may be in a pack's folder."`
	Scenario string `type:"path" placeholder:"FILE" help:"The scenario to play. Default: two bots on a shipped map."`
	Maps     string `type:"existingdir" placeholder:"DIR" help:"A folder with more maps."`
	Speed    int    `default:"100" placeholder:"PERCENT" help:"The speed of the match, 25 to 10000 percent (${default})."`
}

const (
	watchEvery   = 300 * time.Millisecond // the time between two looks at the files
	watchStandMs = 5000                   // of the match, between two lines about it
	watchFaults  = 20                     // lines about scripts, for each version of the rules
)

// errSaved ends a match whose files have changed.
var errSaved = errors.New("the files were saved")

// watch is a match whose rules change. Each version of the rules plays it from its beginning: so it stands where these
// rules lead, and not in a state that no match has.
type watch struct {
	*rulesWatchCmd
	in     *Invocation
	folder string // of the pack that the file is in; "": it is in no pack
	stamp  string
	rules  *rules.Ruleset
	play   func(each func(*sim.World, *sim.Outcome) error) error
	names  []string  // of the seats
	to     grid.Tick // how far the match has come
	course *timeline.Builder
	faults map[string]bool // printed ones
}

// Run plays until the first interrupt.
func (c *rulesWatchCmd) Run(in *Invocation) error {
	if c.Speed < 25 || c.Speed > 10_000 {
		return fmt.Errorf("--speed %d: want 25 to 10000", c.Speed)
	}
	g := &watch{rulesWatchCmd: c, in: in, to: 1, folder: packAround(c.Path)}
	g.stamp = g.look()
	if err := g.load(); err != nil {
		return err
	}
	for {
		err := g.match()
		for err == nil { // the match is over, and stays there until the next save
			if err = g.pause(); err == nil && g.saved() {
				err = errSaved
			}
		}
		if !errors.Is(err, errSaved) {
			return err
		}
	}
}

// match plays by the present rules: at once up to the tick that the match has reached, and then at its speed.
func (g *watch) match() error {
	g.course, g.faults = nil, map[string]bool{}
	var last *sim.World
	due := int64(g.to) * 1000 // thousandths of a tick
	err := g.play(func(w *sim.World, out *sim.Outcome) error {
		if last = w; g.course == nil {
			g.course = timeline.New(w)
		}
		if err := g.course.Note(w, nil, out); err != nil {
			return err
		}
		for _, f := range out.Faults {
			if text := f.Error(); !g.faults[text] && len(g.faults) < watchFaults {
				g.faults[text] = true
				fmt.Fprintf(g.in.Stdout, "tick %d: %s\n", w.Tick(), text)
			}
		}
		if w.Tick() < g.to {
			return g.in.Ctx.Err()
		}
		if now := w.Tick(); now == g.to || now%max(1, grid.Tick(watchStandMs*w.TickRate()/1000)) == 0 {
			g.stand(w)
		}
		for g.to = w.Tick(); int64(g.to)*1000 >= due; due += watchEvery.Milliseconds() * int64(w.TickRate()*g.Speed) / 100 {
			if err := g.pause(); err != nil {
				return err
			}
			if g.saved() {
				return errSaved
			}
		}
		return nil
	})
	if err == nil && last != nil {
		g.stand(last)
		reason := "the last tick"
		if r := last.Result(); r != nil {
			reason = r.Reason
		}
		fmt.Fprintf(g.in.Stdout, "the match is over: %s; it is played again when a file is saved\n", reason)
	}
	return err
}

func (g *watch) pause() error {
	select {
	case <-g.in.Ctx.Done():
		return context.Canceled // an interrupt is the way to end
	case <-time.After(watchEvery):
		return nil
	}
}

// look returns the time and size of each file that the match is made of. A file that is missing, as between the two steps
// of an editor that saves, is left out.
func (g *watch) look() string {
	files, _ := filepath.Glob(filepath.Join(strings.TrimSuffix(g.Path, ".json"), "*.star"))
	if g.folder != "" {
		files = nil
		_ = filepath.WalkDir(g.folder, func(path string, _ fs.DirEntry, _ error) error {
			if files = append(files, path); len(files) > pack.FilesMax {
				return fs.SkipAll
			}
			return nil
		})
	}
	var out strings.Builder
	for _, p := range append([]string{g.Path, g.Scenario}, files...) {
		if info, err := os.Stat(p); err == nil {
			fmt.Fprintln(&out, p, info.ModTime().UnixNano(), info.Size())
		}
	}
	return out.String()
}

// saved says whether there are new rules to play by. Faulty ones are printed, and the old ones stay.
func (g *watch) saved() bool {
	now := g.look()
	if now == g.stamp {
		return false
	}
	g.stamp = now
	err := g.load()
	if err != nil {
		fmt.Fprintf(g.in.Stdout, "%v\nthe match goes on with the old rules\n", err)
	}
	return err == nil
}

// load reads the rules and the scenario.
func (g *watch) load() error {
	p, err := g.packOf(g.folder)
	if err != nil {
		return err
	}
	var rs *rules.Ruleset
	if i := slices.IndexFunc(p.Rulesets, func(r pack.Ruleset) bool { return r.ID == p.RulesetID(filepath.Base(g.Path)) }); i >= 0 {
		rs = p.Rulesets[i].Rules
	} else if rs, err = rulesfile.Open(g.Path); err != nil {
		return err
	}
	play, names, err := g.prepare(rs, p)
	if err != nil {
		return err
	}
	if g.rules != nil {
		for _, c := range rules.Diff(g.rules, rs) {
			fmt.Fprintln(g.in.Stdout, c)
		}
	}
	g.rules, g.play, g.names = rs, play, names
	fmt.Fprintf(g.in.Stdout, "%s: %s, %d types, hash %s\n", g.Path, rs.Name, len(rs.Types), rs.Hash)
	return nil
}

// prepare returns the match that is played by a ruleset, and the names of its seats.
func (g *watch) prepare(rs *rules.Ruleset, p *pack.Pack) (play func(func(*sim.World, *sim.Outcome) error) error, names []string, err error) {
	if g.Scenario == "" {
		return g.bots(rs)
	}
	l, err := openLab(g.Scenario, g.Maps, p, func(string) *rules.Ruleset { return rs })
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", g.Scenario, err)
	}
	for _, s := range l.Scenario.Seats {
		names = append(names, s.Name)
	}
	return func(each func(*sim.World, *sim.Outcome) error) error {
		_, err := l.Play(l.Scenario.Ticks, func(w *sim.World, _ []sim.Input, out *sim.Outcome) error {
			if w.Tick() >= g.to {
				for _, a := range out.Answers {
					o := &l.Script[a.Seq-1]
					fmt.Fprintf(g.in.Stdout, "tick %d: %s: %s: %s\n", w.Tick(), names[a.Slot], o.Order.Kind, a.Code)
				}
			}
			return each(w, out)
		})
		return err
	}, names, nil
}

// watchMap is the map on which bots play.
const watchMap = "twin-fords"

func (g *watch) bots(rs *rules.Ruleset) (play func(func(*sim.World, *sim.Outcome) error) error, names []string, err error) {
	maps, err := mapfile.Shipped()
	if err != nil {
		return nil, nil, err
	}
	e, _ := maps.ByID(watchMap)
	m := headless.Match{Map: e.Map, Rules: rs, Seed: 1, TickRate: grid.TickRateDefault}
	setup := sim.Setup{Map: m.Map, Rules: rs, TickRate: m.TickRate}
	for i := range 2 {
		s, name := headless.Seat{New: bot.Medium.New, Team: grid.Team(i), Start: i}, fmt.Sprintf("bot %d", i+1)
		if n := len(rs.Factions); n > 0 {
			s.Faction = uint8(i%n + 1)
			name += " (" + rs.Factions[i%n].Name + ")"
		}
		m.Seats, names = append(m.Seats, s), append(names, name)
		setup.Players = append(setup.Players, sim.Player{Team: s.Team, Start: s.Start, Bot: true, Faction: s.Faction})
	}
	if err := setup.Check(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", g.Path, err)
	}
	return func(each func(*sim.World, *sim.Outcome) error) error {
		m.Stepped = each
		_, err := m.Play()
		return err
	}, names, nil
}

// stand prints a line about the match.
func (g *watch) stand(w *sim.World) {
	var out strings.Builder
	now, past := timeline.New(w).Timeline().Now, g.course.Timeline().Now
	for i := range g.names {
		v := now[i]
		fmt.Fprintf(&out, "; %s: army %d, workers %d, population %d of %d, killed %d, lost %d", g.names[i], v.Army, v.Workers, v.Pop, v.PopCap, past[i].Killed, past[i].Lost)
	}
	fmt.Fprintf(g.in.Stdout, "tick %d%s\n", w.Tick(), &out)
}
