package bots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match/bot"
	table "github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Balance says which factions play each other. Two matches of a seed differ in the factions of the players alone: each
// faction has each start, slot and seed once.
type Balance struct {
	//lint:ignore SA5008 kong reads each of them
	games  `set:"seeds=20" set:"maps=twin-fords" set:"rules=arsenal"`
	Of     []string      `name:"factions" help:"Factions, separated by commas. Default: all of the ruleset."`
	Level  string        `default:"expert" help:"Level of all bots, with a style if you like: expert:rush."`
	Within time.Duration `default:"3m" help:"Matches that have not begun by then are not played, and the command fails; 0: no bound."`
}

// z is the deviation of a normal variable that 95 of 100 values stay within.
const z = 1.959964

// shareOf is how often a faction or a start won. A draw is half a win.
type shareOf struct {
	Of      string  `json:"of"`
	Against string  `json:"against,omitempty"`
	Matches int     `json:"matches"`
	Won     int     `json:"won"`
	Drawn   int     `json:"drawn"`
	Share   float64 `json:"share"`
	Low     float64 `json:"low"` // bounds of the share with 95 percent confidence (Wilson)
	High    float64 `json:"high"`
}

func (s *shareOf) add(won, drawn bool) {
	s.Matches++
	if won {
		s.Won++
	} else if drawn {
		s.Drawn++
	}
}

// bound computes the share and its bounds.
func (s *shareOf) bound() {
	n := float64(max(1, s.Matches))
	s.Share = (float64(s.Won) + float64(s.Drawn)/2) / n
	middle, half := s.Share+z*z/(2*n), z*math.Sqrt(s.Share*(1-s.Share)/n+z*z/(4*n*n))
	s.Low, s.High = max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}

// text is a line of a table.
func (s *shareOf) text() string {
	of := s.Of
	if s.Against != "" {
		of += " against " + s.Against
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%.1f %%\t%.1f to %.1f", of, s.Matches, s.Won, s.Drawn, 100*s.Share, 100*s.Low, 100*s.High)
}

// balanceReport is the table of factions against factions.
type balanceReport struct {
	Ruleset  string          `json:"ruleset"`
	Asked    int             `json:"asked"` // matches
	Played   int             `json:"played"`
	MedianS  int             `json:"median_s"`
	Pairings []shareOf       `json:"pairings"`
	Factions []shareOf       `json:"factions"`
	Starts   []shareOf       `json:"starts"` // as map and number of the start, from 0
	Play     []factionBehave `json:"play"`
}

// factionBehave is what a faction's bots did in a match, on average.
type factionBehave struct {
	Faction string             `json:"faction"`
	Orders  map[string]float64 `json:"orders"` // by kind; of abilities by name
	Use     []typeUse          `json:"use"`    // of types that it had
}

// Run plays and prints.
func (c *Balance) Run(in *cli.Invocation) error {
	ctx := in.Ctx
	if c.Within > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, c.Within, fmt.Errorf("the time of --within %v is over", c.Within))
		defer end()
	}
	r, err := c.play(ctx, in)
	if r == nil {
		return err
	}
	print := r.text
	if c.JSON {
		print = func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
	}
	if r.Played < r.Asked {
		err = fmt.Errorf("%d of %d matches were played: %w", r.Played, r.Asked, err)
	}
	return errors.Join(print(in.Stdout), err)
}

// play plays the table. Its error says why matches of the report are missing.
func (c *Balance) play(ctx context.Context, in *cli.Invocation) (*balanceReport, error) {
	if len(c.Maps) == 0 && c.MapsDir == "" {
		c.Maps = []string{"twin-fords"}
	}
	if err := c.open("arsenal"); err != nil {
		return nil, err
	}
	skill, err := bot.Parse(c.Level)
	if err != nil {
		return nil, err
	}
	if len(c.Of) == 0 {
		for _, f := range c.ruleset.Factions {
			c.Of = append(c.Of, f.Name)
		}
	}
	for i, name := range c.Of {
		if c.ruleset.FactionByName(name) == 0 || slices.Contains(c.Of[:i], name) {
			return nil, fmt.Errorf("--factions: %q is twice there or no faction of ruleset %q", name, c.ruleset.Name)
		}
	}
	if len(c.Of) < 2 {
		return nil, fmt.Errorf("ruleset %q: %d factions play, two are needed", c.ruleset.Name, len(c.Of))
	}
	r := &balanceReport{Ruleset: c.ruleset.Name}
	var all []*duel
	for i, one := range c.Of {
		for _, two := range c.Of[i+1:] {
			for seed := c.First; seed < c.First+c.Seeds; seed++ {
				for _, m := range c.maps {
					for turn := range 2 {
						d := &duel{factions: [2]string{one, two}, mapID: m.ID, orders: [2]map[string]int{{}, {}}}
						d.game, d.starts[0], d.starts[1] = c.newGame(m, seed)
						d.first, d.row = turn, len(r.Pairings)
						d.name = fmt.Sprintf("%s-%s-%s-%d-%d", one, two, m.ID, seed, turn)
						for slot := range 2 {
							d.match.Seats = append(d.match.Seats, table.Seat{
								New: skill.New, Income: skill.Income(), Team: grid.Team(slot), Start: d.starts[slot], Faction: c.ruleset.FactionByName(d.factions[slot^turn]),
							})
						}
						d.match.Ordered = d.ordered
						all = append(all, d)
					}
				}
			}
			r.Pairings = append(r.Pairings, shareOf{Of: one, Against: two})
		}
	}
	// Seeds first: matches that are missing at the end are missing in all pairings alike.
	slices.SortStableFunc(all, func(a, b *duel) int { return int(a.match.Seed) - int(b.match.Seed) })
	in.Progress("%d matches", len(all))
	games := make([]*game, len(all))
	for i, d := range all {
		games[i] = d.game
	}
	err = playAll(ctx, games)
	c.sum(r, all)
	return r, err
}

// duel is a match of two factions.
type duel struct {
	*game
	factions [2]string // the first of the pairing is in slot first
	mapID    string
	starts   [2]int            // by slot
	orders   [2]map[string]int // by slot
}

func (d *duel) ordered(slot grid.Slot, c *client.State, orders []*pb.Order) {
	for _, o := range orders {
		name := strings.ToLower(strings.TrimPrefix(o.Kind.String(), "ORDER_KIND_"))
		if o.Kind == pb.OrderKind_ORDER_KIND_ABILITY {
			name = c.Welcome.Abilities[o.What].Name
		}
		d.orders[slot][name]++
	}
}

// sum fills the report from the matches that were played.
func (c *Balance) sum(r *balanceReport, all []*duel) {
	r.Asked = len(all)
	factions, starts := map[string]*shareOf{}, map[string]*shareOf{}
	orders, use := map[string]map[string]int{}, map[string]*uses{}
	for _, name := range c.Of {
		factions[name], orders[name], use[name] = &shareOf{Of: name}, map[string]int{}, newUses(c.ruleset)
	}
	var lengths []int
	for _, d := range all {
		if !d.played {
			continue
		}
		r.Played++
		lengths = append(lengths, int(d.result.Ticks)/c.TickRate)
		won := func(slot int) (bool, bool) { return d.result.Winner == grid.Team(slot), d.result.Winner == grid.NoTeam }
		r.Pairings[d.row].add(won(d.first))
		for slot := range 2 {
			name, start := d.factions[slot^d.first], fmt.Sprintf("%s %d", d.mapID, d.starts[slot])
			if starts[start] == nil {
				starts[start] = &shareOf{Of: start}
			}
			factions[name].add(won(slot))
			starts[start].add(won(slot))
			use[name].add(d.result.Seats[slot].Use)
			for kind, n := range d.orders[slot] {
				orders[name][kind] += n
			}
		}
	}
	if slices.Sort(lengths); len(lengths) > 0 {
		r.MedianS = lengths[len(lengths)/2]
	}
	for _, name := range c.Of {
		r.Factions = append(r.Factions, *factions[name])
		b := factionBehave{Faction: name, Orders: map[string]float64{}, Use: use[name].means(func(u typeUse) bool { return u.Made+u.Lost+u.Damage > 0 })}
		for kind, n := range orders[name] {
			b.Orders[kind] = float64(n) / float64(max(1, use[name].matches))
		}
		r.Play = append(r.Play, b)
	}
	for _, start := range slices.Sorted(maps.Keys(starts)) {
		r.Starts = append(r.Starts, *starts[start])
	}
	for _, list := range [][]shareOf{r.Pairings, r.Factions, r.Starts} {
		for i := range list {
			list[i].bound()
		}
	}
}

// text writes the report as tables.
func (r *balanceReport) text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\tmatches\twon\tdrawn\tshare\t95 %%\n", r.Ruleset)
	for _, list := range [][]shareOf{r.Pairings, r.Factions, r.Starts} {
		for _, s := range list {
			fmt.Fprintf(tw, "%s\n", s.text())
		}
		fmt.Fprintf(tw, "\n")
	}
	fmt.Fprintf(tw, "median length\t%d:%02d\n", r.MedianS/60, r.MedianS%60)
	for _, p := range r.Play {
		fmt.Fprintf(tw, "\n%s, a match\tmade in\tmade\tlost\tkilled\tdamage\tabilities\n", p.Faction)
		writeUse(tw, p.Use)
		fmt.Fprintf(tw, "orders\t")
		for _, kind := range slices.Sorted(maps.Keys(p.Orders)) {
			fmt.Fprintf(tw, "%s %.1f ", kind, p.Orders[kind])
		}
		fmt.Fprintf(tw, "\n")
	}
	return tw.Flush()
}
