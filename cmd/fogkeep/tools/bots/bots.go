package bots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/bot"
	table "github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/match/sim"
)

// games says which matches are played, for all tables.
type games struct {
	JSON     bool     `name:"json" help:"Write one JSON object."`
	Seeds    int      `default:"${seeds}" help:"Seeds of each pair on each map."`
	First    int      `default:"0" help:"The first seed."`
	Maps     []string `help:"Ids of maps, separated by commas. Default: ${maps}."`
	MapsDir  string   `type:"existingdir" placeholder:"DIR" help:"A folder with maps. Default: the shipped maps."`
	Rules    string   `type:"path" placeholder:"FILE" help:"A ruleset file. Default: ${rules}."`
	Mode     string   `help:"The mode of the matches. Default: skirmish."`
	TickRate int      `name:"rate" default:"10" help:"Ticks per second: fewer are faster, and each match time is the same."`
	Limit    int      `name:"limit-seconds" default:"3600" help:"Match time after which a match is drawn."`
	Journals string   `name:"journal" placeholder:"DIR" help:"Folder that gets a journal of each match, for fogkeep replay."`

	ruleset  *rules.Ruleset
	maps     []mapfile.Entry
	journals *journal.Dir // nil: journals are not kept
}

// open checks the numbers, and reads the ruleset and the maps. Without a file the ruleset is the shipped one.
func (c *games) open(shipped string) error {
	switch {
	case c.Seeds < 1 || c.Seeds > seedsMax || c.First < 0 || c.First > seedsMax:
		return fmt.Errorf("--seeds %d, --first %d: want 1 to %d seeds, the first from 0 to %d", c.Seeds, c.First, seedsMax, seedsMax)
	case c.Limit < 1 || c.Limit > limitMax:
		return fmt.Errorf("--limit-seconds %d: want 1 to %d", c.Limit, limitMax)
	case c.TickRate < grid.TickRateMin || c.TickRate > grid.TickRateMax:
		return fmt.Errorf("--rate %d: want %d to %d", c.TickRate, grid.TickRateMin, grid.TickRateMax)
	}
	library, err := mapfile.Shipped()
	if c.MapsDir != "" && err == nil {
		library, _, err = mapfile.OpenLibrary(c.MapsDir)
	}
	if err != nil {
		return err
	}
	if c.Rules != "" {
		c.ruleset, err = rulesfile.Open(c.Rules)
	} else {
		c.ruleset, err = rules.Shipped(shipped)
	}
	if err != nil {
		return err
	}
	if c.maps = library.List(); len(c.Maps) > 0 {
		c.maps = nil
	}
	for _, id := range c.Maps {
		entry, ok := library.ByID(id)
		if !ok {
			return fmt.Errorf("no map %q", id)
		}
		c.maps = append(c.maps, entry)
	}
	for _, e := range c.maps {
		if n := len(e.Map.Starts); n < 2 {
			return fmt.Errorf("map %q: %d starts, two are needed", e.ID, n)
		}
	}
	if c.Journals != "" {
		c.journals, err = journal.OpenDir(c.Journals)
	}
	return err
}

// newGame seats no player yet: start is of the player in slot 0.
func (c *games) newGame(m mapfile.Entry, seed int) (g *game, start, other int) {
	n := len(m.Map.Starts)
	start = seed / 2 % n
	return &game{journals: c.journals, match: table.Match{
		Map: m.Map, Rules: c.ruleset, Seed: uint64(seed), TickRate: c.TickRate, FrameTicks: max(1, c.TickRate/4),
		Options: sim.Options{Mode: c.Mode}, LimitSeconds: c.Limit,
	}}, start, (start + 1 + seed/(2*n)%(n-1)) % n
}

// Command says which bots play each other.
type Command struct {
	//lint:ignore SA5008 kong reads each of them
	games   `set:"seeds=6" set:"maps=all" set:"rules=skirmish"`
	Pairs   []string `help:"Pairs of bots, or idle, such as hard-medium or hard:rush-hard:turtle. Default: each level and the one below."`
	Styles  string   `placeholder:"LEVEL" help:"Play each style of a level against each other style, in place of --pairs."`
	Without []string `help:"Types that the first of each pair, of level hard or higher, never makes: shows the worth of one type."`
}

// Run plays and prints.
func (c *Command) Run(in *cli.Invocation) error {
	in.Progress("%d matches of each pair on each map", c.Seeds)
	r, err := c.play(in.Ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.text(in.Stdout)
}

const (
	seedsMax = 100_000
	limitMax = 10 * 3600
)

// levelPairs are the matches of the table: each level and the one below, which is to lose.
func levelPairs() (out []string) {
	below := "idle"
	for _, l := range bot.Levels() {
		out, below = append(out, l.String()+"-"+below), l.String()
	}
	slices.Reverse(out)
	return out
}

// stylePairs are all pairs of styles of a level.
func stylePairs(level string) (out []string) {
	styles := bot.Styles()
	for i, one := range styles {
		for _, two := range styles[i+1:] {
			out = append(out, fmt.Sprintf("%s:%v-%s:%v", level, one, level, two))
		}
	}
	return out
}

// report is the table of bots against bots.
type report struct {
	Seeds int        `json:"seeds"`
	Rows  []tableRow `json:"rows"`
	Bots  []shareOf  `json:"bots"` // how often each won
	Use   []typeUse  `json:"use"`  // of level expert, over all its matches
}

// tableRow is one pair on one map, as the first of the pair sees it.
type tableRow struct {
	Pair         string  `json:"pair"`
	Map          string  `json:"map"`
	Won          int     `json:"won"`
	Lost         int     `json:"lost"`
	Drawn        int     `json:"drawn"`
	MedianS      int     `json:"median_s"` // length, in seconds of match time
	LostSeeds    []int   `json:"lost_seeds,omitempty"`
	OrdersASec   float64 `json:"orders_per_s"`
	secondsOfAll []int
}

// typeUse is what bots of level expert had of one type, a match.
type typeUse struct {
	Type    string  `json:"type"`
	Matches int     `json:"matches"` // in which one was made
	Made    float64 `json:"made"`
	Lost    float64 `json:"lost"`
	Killed  float64 `json:"killed"`
	Damage  float64 `json:"damage"`
	Acts    float64 `json:"abilities"`
}

// text writes the report as two tables.
func (r *report) text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "pair\tmap\twon\tlost\tdrawn\tmedian\torders/s\tlost seeds\n")
	for _, row := range r.Rows {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d:%02d\t%.1f\t%v\n", row.Pair, row.Map, row.Won, row.Lost, row.Drawn, row.MedianS/60, row.MedianS%60, row.OrdersASec, row.LostSeeds)
	}
	fmt.Fprintf(tw, "\nbot\tmatches\twon\tdrawn\tshare\t95 %%\n")
	for _, s := range r.Bots {
		fmt.Fprintf(tw, "%s\n", s.text())
	}
	fmt.Fprintf(tw, "\nexpert, a match\tmade in\tmade\tlost\tkilled\tdamage\tabilities\n")
	writeUse(tw, r.Use)
	return tw.Flush()
}

func writeUse(w io.Writer, use []typeUse) {
	for _, u := range use {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t%.1f\n", u.Type, u.Matches, u.Made, u.Lost, u.Killed, u.Damage, u.Acts)
	}
}

// seatOf returns the seat of a side of a pair, idle without a player.
func seatOf(name string, without []string) (s table.Seat, err error) {
	if name == "idle" {
		return s, nil
	}
	skill, err := bot.Parse(name)
	s.New = func(c *client.State) (bot.Player, error) { return skill.Without(c, without) }
	s.Income = skill.Income()
	return s, err
}

// game is one match of a table.
type game struct {
	row    int
	seed   int
	first  int // slot of the first of the pair
	name   string
	match  table.Match
	result table.Result
	played bool

	journals *journal.Dir // nil: journals are not kept
}

// play plays the match, and writes its journal if one is kept.
func (g *game) play() (err error) {
	if g.journals == nil {
		g.result, err = g.match.Play()
		return err
	}
	log, err := g.journals.Create(g.name)
	if err != nil {
		return err
	}
	g.match.Recorded = func(record []byte) error { return log.Append(log.Next(), record) }
	g.result, err = g.match.Play()
	return errors.Join(err, log.Close())
}

// playAll plays the matches on as many threads as there are processors, and stops at the first error. A panic, perhaps
// in a kind of the program's own, is one.
func playAll(ctx context.Context, games []*game) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, g := range games {
		all.Go(panics.AsError(slog.Default(), g.name, func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := g.play(); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			g.played = true
			return nil
		}))
	}
	return all.Wait()
}

// play plays the table.
func (c *Command) play(ctx context.Context) (*report, error) {
	if err := c.open("skirmish"); err != nil {
		return nil, err
	}
	switch {
	case c.Styles != "":
		c.Pairs = stylePairs(c.Styles)
	case len(c.Pairs) == 0:
		c.Pairs = levelPairs()
	}
	r := &report{Seeds: c.Seeds}
	var games []*game
	for _, pair := range c.Pairs {
		for _, m := range c.maps {
			for seed := c.First; seed < c.First+c.Seeds; seed++ {
				g, err := c.seat(pair, m, seed)
				if err != nil {
					return nil, fmt.Errorf("pair %q: %w", pair, err)
				}
				g.row, g.name = len(r.Rows), fmt.Sprintf("%s-%s-%d", pair, m.ID, seed)
				games = append(games, g)
			}
			r.Rows = append(r.Rows, tableRow{Pair: pair, Map: m.ID})
		}
	}
	if err := playAll(ctx, games); err != nil {
		return nil, err
	}
	r.sum(games, c.ruleset, c.TickRate)
	return r, nil
}

// seat seats a pair. Seeds swap the slots and the starts in turn, so that neither the side nor the neighbourhood
// decides.
func (c *Command) seat(pair string, m mapfile.Entry, seed int) (*game, error) {
	one, two, _ := strings.Cut(pair, "-")
	names := [2]string{one, two}
	g, start, other := c.newGame(m, seed)
	if g.seed, g.first = seed, seed%2; g.first == 1 {
		names[0], names[1] = two, one
	}
	for i, name := range names {
		var without []string
		if i == g.first {
			without = c.Without
		}
		s, err := seatOf(name, without)
		if err != nil {
			return nil, err
		}
		s.Team, s.Start = grid.Team(i), [2]int{start, other}[i]
		g.match.Seats = append(g.match.Seats, s)
	}
	return g, nil
}

// sum makes the tables of what was played.
func (r *report) sum(games []*game, ruleset *rules.Ruleset, rate int) {
	use := newUses(ruleset)
	for _, g := range games {
		row := &r.Rows[g.row]
		seconds := int(g.result.Ticks) / rate
		row.secondsOfAll = append(row.secondsOfAll, seconds)
		row.OrdersASec += float64(g.result.Seats[g.first].Orders) / float64(max(1, seconds)) / float64(r.Seeds)
		switch g.result.Winner {
		case grid.Team(g.first):
			row.Won++
		case grid.NoTeam:
			row.Drawn++
		default:
			row.Lost++
			row.LostSeeds = append(row.LostSeeds, g.seed)
		}
		one, two, _ := strings.Cut(row.Pair, "-")
		for i, name := range []string{one, two} {
			slot := (g.first + i) % 2
			n := slices.IndexFunc(r.Bots, func(s shareOf) bool { return s.Of == name })
			if n < 0 {
				n, r.Bots = len(r.Bots), append(r.Bots, shareOf{Of: name})
			}
			r.Bots[n].add(g.result.Winner == grid.Team(slot), g.result.Winner == grid.NoTeam)
			if name == bot.Expert.String() {
				use.add(g.result.Seats[slot].Use)
			}
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		slices.Sort(row.secondsOfAll)
		row.MedianS = row.secondsOfAll[len(row.secondsOfAll)/2]
	}
	for i := range r.Bots {
		r.Bots[i].bound()
	}
	r.Use = use.means(func(typeUse) bool { return true })
}

// uses sums the use of types.
type uses struct {
	ruleset *rules.Ruleset
	of      []typeUse
	matches int
}

func newUses(rs *rules.Ruleset) *uses { return &uses{ruleset: rs, of: make([]typeUse, len(rs.Types))} }

// add adds a player's match.
func (s *uses) add(match []table.Use) {
	s.matches++
	for t, u := range match {
		to := &s.of[t]
		if u.Made > 0 {
			to.Matches++
		}
		to.Made += float64(u.Made)
		to.Lost += float64(u.Lost)
		to.Killed += float64(u.Killed)
		to.Damage += float64(u.Damage)
		to.Acts += float64(u.Acts)
	}
}

// means returns the means of a match, of the units and structures for which ok is true.
func (s *uses) means(ok func(typeUse) bool) (out []typeUse) {
	for t, u := range s.of {
		if class := s.ruleset.Types[t].Class; s.matches > 0 && (class == rules.ClassUnit || class == rules.ClassStructure) && ok(u) {
			n := float64(s.matches)
			out = append(out, typeUse{s.ruleset.Types[t].Name, u.Matches, u.Made / n, u.Lost / n, u.Killed / n, u.Damage / n, u.Acts / n})
		}
	}
	return out
}
