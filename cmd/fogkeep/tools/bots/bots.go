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

// Command says which bots play each other.
type Command struct {
	JSON     bool     `name:"json" help:"Write one JSON object."`
	Seeds    int      `default:"6" help:"Matches of each pair on each map; 100 for the table of the docs."`
	First    int      `default:"0" help:"The first seed."`
	Maps     []string `help:"Ids of maps, separated by commas. Default: all."`
	MapsDir  string   `type:"existingdir" placeholder:"DIR" help:"A folder with maps. Default: the shipped maps."`
	Rules    string   `type:"path" placeholder:"FILE" help:"A ruleset file. Default: skirmish."`
	Mode     string   `help:"The mode of the matches. Default: skirmish."`
	Pairs    []string `help:"Pairs of levels, or idle, such as hard-medium. Default: hard-medium, medium-easy and easy-idle."`
	Without  []string `help:"Types that the first of each pair, of level hard, never makes: shows the worth of one type."`
	TickRate int      `name:"rate" default:"10" help:"Ticks per second: fewer are faster, and each match time is the same."`
	Limit    int      `name:"limit-seconds" default:"3600" help:"Match time after which a match is drawn."`
	Journals string   `name:"journal" placeholder:"DIR" help:"Folder that gets a journal of each match, for fogkeep replay."`
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

// check bounds the numbers, before any match is made.
func (c *Command) check() error {
	switch {
	case c.Seeds < 1 || c.Seeds > seedsMax || c.First < 0 || c.First > seedsMax:
		return fmt.Errorf("--seeds %d, --first %d: want 1 to %d seeds, the first from 0 to %d", c.Seeds, c.First, seedsMax, seedsMax)
	case c.Limit < 1 || c.Limit > limitMax:
		return fmt.Errorf("--limit-seconds %d: want 1 to %d", c.Limit, limitMax)
	case c.TickRate < grid.TickRateMin || c.TickRate > grid.TickRateMax:
		return fmt.Errorf("--rate %d: want %d to %d", c.TickRate, grid.TickRateMin, grid.TickRateMax)
	}
	return nil
}

const (
	seedsMax = 100_000
	limitMax = 10 * 3600
)

// defaultPairs are the matches of the table: the first of a pair is to win.
var defaultPairs = []string{"hard-medium", "medium-easy", "easy-idle"}

// report is the table of bots against bots.
type report struct {
	Seeds int        `json:"seeds"`
	Rows  []tableRow `json:"rows"`
	Use   []typeUse  `json:"use"` // of hard, over all its matches
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

// typeUse is what bots of level hard had of one type, a match.
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
	fmt.Fprintf(tw, "\nhard, a match\tmade in\tmade\tlost\tkilled\tdamage\tabilities\n")
	for _, u := range r.Use {
		fmt.Fprintf(tw, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t%.1f\n", u.Type, u.Matches, u.Made, u.Lost, u.Killed, u.Damage, u.Acts)
	}
	return tw.Flush()
}

// playerOf returns the constructor of a side of a pair, nil for idle.
func playerOf(name string, without []string) (func(*client.State) (bot.Player, error), error) {
	if name == "idle" {
		return nil, nil
	}
	level, err := bot.ParseLevel(name)
	return func(c *client.State) (bot.Player, error) { return level.Without(c, without) }, err
}

// botGame is one match of the table.
type botGame struct {
	row    int
	seed   int
	match  table.Match
	first  int // slot of the first of the pair
	result table.Result

	journals *journal.Dir // nil: none is kept
	id       string       // of the journal
}

// play plays the match, and writes its journal if one is kept.
func (g *botGame) play() error {
	if g.journals == nil {
		var err error
		g.result, err = g.match.Play()
		return err
	}
	log, err := g.journals.Create(g.id)
	if err != nil {
		return err
	}
	g.match.Recorded = func(record []byte) error { return log.Append(log.Next(), record) }
	g.result, err = g.match.Play()
	return errors.Join(err, log.Close())
}

// play plays the table, on as many threads as there are processors.
func (c *Command) play(ctx context.Context) (*report, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	library, err := mapfile.Shipped()
	if c.MapsDir != "" && err == nil {
		library, _, err = mapfile.OpenLibrary(c.MapsDir)
	}
	if err != nil {
		return nil, err
	}
	var ruleset *rules.Ruleset
	if c.Rules != "" {
		ruleset, err = rulesfile.Open(c.Rules)
	} else {
		ruleset, err = rules.Shipped("skirmish")
	}
	if err != nil {
		return nil, err
	}
	if len(c.Maps) == 0 {
		for _, e := range library.List() {
			c.Maps = append(c.Maps, e.ID)
		}
	}
	if len(c.Pairs) == 0 {
		c.Pairs = defaultPairs
	}
	var journals *journal.Dir
	if c.Journals != "" {
		if journals, err = journal.OpenDir(c.Journals); err != nil {
			return nil, err
		}
	}
	r := &report{Seeds: c.Seeds}
	var games []*botGame
	for _, pair := range c.Pairs {
		for _, id := range c.Maps {
			entry, ok := library.ByID(id)
			if !ok {
				return nil, fmt.Errorf("no map %q", id)
			}
			if n := len(entry.Map.Starts); n < 2 {
				return nil, fmt.Errorf("map %q: %d starts, two are needed", id, n)
			}
			for seed := c.First; seed < c.First+c.Seeds; seed++ {
				g, err := newBotGame(pair, entry.Map, ruleset, seed, c)
				if err != nil {
					return nil, err
				}
				g.row = len(r.Rows)
				if journals != nil {
					g.journals, g.id = journals, fmt.Sprintf("%s-%s-%d", pair, id, seed)
				}
				games = append(games, g)
			}
			r.Rows = append(r.Rows, tableRow{Pair: pair, Map: id})
		}
	}
	if err := r.playAll(ctx, games); err != nil {
		return nil, err
	}
	r.sum(games, ruleset, c.TickRate)
	return r, nil
}

// newBotGame seats a pair. Seeds swap the slots and the starts in turn, so that neither the side nor the neighbourhood
// decides.
func newBotGame(pair string, m *grid.Map, ruleset *rules.Ruleset, seed int, c *Command) (*botGame, error) {
	one, two, _ := strings.Cut(pair, "-")
	names, rate := [2]string{one, two}, c.TickRate
	g := &botGame{seed: seed, first: seed % 2, match: table.Match{
		Map: m, Rules: ruleset, Seed: uint64(seed), TickRate: rate, FrameTicks: max(1, rate/4),
		Options: sim.Options{Mode: c.Mode}, LimitSeconds: c.Limit,
	}}
	if g.first == 1 {
		names[0], names[1] = two, one
	}
	n := len(m.Starts)
	start := seed / 2 % n
	other := (start + 1 + seed/(2*n)%(n-1)) % n
	for i, name := range names {
		var without []string
		if i == g.first {
			without = c.Without
		}
		player, err := playerOf(name, without)
		if err != nil {
			return nil, fmt.Errorf("pair %q: %w", pair, err)
		}
		g.match.Seats = append(g.match.Seats, table.Seat{New: player, Team: grid.Team(i), Start: [2]int{start, other}[i]})
	}
	return g, nil
}

// playAll plays the matches, and stops at the first error. A panic, perhaps in a kind of
// the program's own, is one.
func (r *report) playAll(ctx context.Context, games []*botGame) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, g := range games {
		where := fmt.Sprintf("%s on %s, seed %d", r.Rows[g.row].Pair, r.Rows[g.row].Map, g.seed)
		all.Go(panics.AsError(slog.Default(), where, func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := g.play(); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			return nil
		}))
	}
	return all.Wait()
}

// sum makes the tables of what was played.
func (r *report) sum(games []*botGame, ruleset *rules.Ruleset, rate int) {
	use := make([]typeUse, len(ruleset.Types))
	hard := 0
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
			if name != bot.Hard.String() {
				continue
			}
			hard++
			for t, u := range g.result.Seats[(g.first+i)%2].Use {
				if u.Made > 0 {
					use[t].Matches++
				}
				use[t].Made += float64(u.Made)
				use[t].Lost += float64(u.Lost)
				use[t].Killed += float64(u.Killed)
				use[t].Damage += float64(u.Damage)
				use[t].Acts += float64(u.Acts)
			}
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		slices.Sort(row.secondsOfAll)
		row.MedianS = row.secondsOfAll[len(row.secondsOfAll)/2]
	}
	for t, u := range use {
		if class := ruleset.Types[t].Class; hard == 0 || class != rules.ClassUnit && class != rules.ClassStructure {
			continue
		}
		n := float64(hard)
		r.Use = append(r.Use, typeUse{ruleset.Types[t].Name, u.Matches, u.Made / n, u.Lost / n, u.Killed / n, u.Damage / n, u.Acts / n})
	}
}
