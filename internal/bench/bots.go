package bench

import (
	"context"
	"errors"
	"fmt"
	"github.com/fogkeep/fogkeep/internal/cli"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/fogkeep/fogkeep/match/bot"
	table "github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
)

// BotsConfig says which bots play each other.
type BotsConfig struct {
	asJSON
	Seeds    int      `default:"6" help:"Matches of each pair on each map; 100 for the table of the docs."`
	First    int      `default:"0" help:"The first seed."`
	Maps     []string `help:"Ids of shipped maps, separated by commas; all without it."`
	Pairs    []string `help:"Pairs of levels, or idle, such as hard-medium; without it hard-medium, medium-easy and easy-idle."`
	Without  []string `help:"Types that the first of each pair, of level hard, never makes: shows the worth of one type."`
	TickRate int      `name:"rate" default:"10" help:"Ticks per second: fewer are faster, and each match time is the same."`
	Journals string   `name:"journal" placeholder:"DIR" help:"Folder that gets a journal of each match, for fogkeep replay."`
}

// Run plays and prints.
func (c *BotsConfig) Run(in *cli.Invocation) error {
	in.Progress("%d matches of each pair on each map", c.Seeds)
	r, err := Bots(in.Ctx, *c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, r)
}

// BotPairs are the matches of the table: the first of a pair is to win.
func BotPairs() []string { return []string{"hard-medium", "medium-easy", "easy-idle"} }

// BotsReport is the table of bots against bots.
type BotsReport struct {
	Seeds int       `json:"seeds"`
	Rows  []BotsRow `json:"rows"`
	Use   []BotsUse `json:"use"` // of hard, over all its matches
}

// BotsRow is one pair on one map, as the first of the pair sees it.
type BotsRow struct {
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

// BotsUse is what bots of level hard had of one type, a match.
type BotsUse struct {
	Type    string  `json:"type"`
	Matches int     `json:"matches"` // in which one was made
	Made    float64 `json:"made"`
	Lost    float64 `json:"lost"`
	Killed  float64 `json:"killed"`
	Damage  float64 `json:"damage"`
	Acts    float64 `json:"abilities"`
}

// Text writes the report as two tables.
func (r *BotsReport) Text(w io.Writer) error {
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
	err    error

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

// Bots plays the table, on as many threads as there are processors.
func Bots(ctx context.Context, c BotsConfig) (*BotsReport, error) {
	library, err := mapfile.Shipped()
	if err != nil {
		return nil, err
	}
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		return nil, err
	}
	if len(c.Maps) == 0 {
		for _, e := range library.List() {
			c.Maps = append(c.Maps, e.ID)
		}
	}
	if len(c.Pairs) == 0 {
		c.Pairs = BotPairs()
	}
	var journals *journal.Dir
	if c.Journals != "" {
		if journals, err = journal.OpenDir(c.Journals); err != nil {
			return nil, err
		}
	}
	r := &BotsReport{Seeds: c.Seeds}
	var games []*botGame
	for _, pair := range c.Pairs {
		for _, id := range c.Maps {
			entry, ok := library.ByID(id)
			if !ok {
				return nil, fmt.Errorf("bench: no shipped map %q", id)
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
			r.Rows = append(r.Rows, BotsRow{Pair: pair, Map: id})
		}
	}
	playAll(ctx, games)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, r.sum(games, ruleset, c.TickRate)
}

// newBotGame seats a pair. Seeds take turns in who has the lower slot, and in the
// starts, so that neither the side nor the neighbourhood decides.
func newBotGame(pair string, m *grid.Map, ruleset *rules.Ruleset, seed int, c BotsConfig) (*botGame, error) {
	one, two, _ := strings.Cut(pair, "-")
	names, rate := [2]string{one, two}, c.TickRate
	g := &botGame{seed: seed, first: seed % 2, match: table.Match{Map: m, Rules: ruleset, Seed: uint64(seed), TickRate: rate, FrameTicks: max(1, rate/4)}}
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
			return nil, fmt.Errorf("bench: pair %q: %w", pair, err)
		}
		g.match.Seats = append(g.match.Seats, table.Seat{New: player, Team: grid.Team(i), Start: [2]int{start, other}[i]})
	}
	return g, nil
}

func playAll(ctx context.Context, games []*botGame) {
	var next sync.Mutex
	i := 0
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for ctx.Err() == nil {
				next.Lock()
				if i == len(games) {
					next.Unlock()
					return
				}
				g := games[i]
				i++
				next.Unlock()
				g.err = g.play()
			}
		})
	}
	all.Wait()
}

// sum makes the tables of what was played.
func (r *BotsReport) sum(games []*botGame, ruleset *rules.Ruleset, rate int) error {
	use := make([]BotsUse, len(ruleset.Types))
	hard := 0
	for _, g := range games {
		if g.err != nil {
			return fmt.Errorf("bench: %s, seed %d: %w", r.Rows[g.row].Pair, g.seed, g.err)
		}
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
		r.Use = append(r.Use, BotsUse{ruleset.Types[t].Name, u.Matches, u.Made / n, u.Lost / n, u.Killed / n, u.Damage / n, u.Acts / n})
	}
	return nil
}
