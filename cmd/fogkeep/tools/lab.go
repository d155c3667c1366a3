package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/pack"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/match/scenario"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// labCmd plays a scenario file.
type labCmd struct {
	packsFolder
	File    string  `arg:"" help:"A scenario file (docs/build/scenarios.md), or a name of a scenario of --pack."`
	Pack    string  `type:"path" placeholder:"PATH" help:"A pack, for its scenarios. Default: the folder above the file's, if it is a pack."`
	To      *uint32 `placeholder:"TICK" help:"Play up to this tick; 0: only check the file. Default: the file's last tick."`
	Maps    string  `type:"existingdir" placeholder:"DIR" help:"A folder with more maps."`
	Rules   string  `type:"path" placeholder:"FILE" help:"A ruleset file, for scenarios that name it."`
	Journal string  `type:"path" placeholder:"FILE" help:"Write the match as a journal, for the commands of fogkeep replay."`
	JSON    bool    `name:"json" help:"Write one JSON object."`
}

// labReport is what --json writes.
type labReport struct {
	File    string      `json:"file"`
	Name    string      `json:"name"`
	Map     string      `json:"map"`
	Rules   string      `json:"rules"`
	Seats   []string    `json:"seats"`
	Things  int         `json:"things"` // units, structures and resource places
	Tick    uint32      `json:"tick"`
	Orders  []labOrder  `json:"orders"` // those that were given by then
	Outcome string      `json:"outcome"`
	Hash    string      `json:"hash"` // of the state at the tick
	Result  *sim.Result `json:"result,omitempty"`
}

type labOrder struct {
	Order  int    `json:"order"` // place in the file, from 0
	Tick   uint32 `json:"tick"`
	Seat   int    `json:"seat"`
	Do     string `json:"do"`
	Answer string `json:"answer"`
}

// Run checks a scenario and plays it.
func (c *labCmd) Run(in *Invocation) error {
	l, err := c.open()
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	s := l.Scenario
	to := s.Ticks
	if c.To != nil {
		to = grid.Tick(*c.To)
	}
	if to > scenario.TicksMax {
		return fmt.Errorf("--to %d: at most %d", to, scenario.TicksMax)
	}
	r := labReport{
		File: c.File, Name: s.Name, Map: l.Setup.Map.Name, Rules: l.Setup.Rules.Name, Things: s.Things(),
		Orders: []labOrder{}, Outcome: "unfinished",
	}
	for _, seat := range s.Seats {
		r.Seats = append(r.Seats, seat.Name)
	}
	records, err := labSetup(l)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	w, err := l.Play(to, func(_ *sim.World, inputs []sim.Input, out *sim.Outcome) error {
		for _, a := range out.Answers {
			r.Orders = append(r.Orders, labOrder{int(a.Seq) - 1, uint32(out.Tick), int(a.Slot), l.Script[a.Seq-1].Order.Kind.String(), a.Code.String()})
		}
		if c.Journal != "" {
			t := journal.Tick{Tick: out.Tick, Inputs: inputs, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
			if !t.Empty() || out.Tick == to { // the last tick is there to be looked at
				records = append(records, journal.AppendTick(nil, &t))
			}
			if out.Ended != nil {
				records = append(records, journal.EndedRecord(*out.Ended))
			}
		}
		return in.Ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	r.Tick, r.Hash, r.Result = uint32(w.Tick()), fmt.Sprintf("%016x", w.Hash()), w.Result()
	if r.Result != nil {
		r.Outcome = r.Result.Reason
	}
	if c.Journal != "" {
		if err := writeJournal(c.Journal, records); err != nil {
			return err
		}
	}
	return c.print(in.Stdout, &r)
}

// open opens the scenario with the rulesets of its pack, the shipped ones, and the given one.
func (c *labCmd) open() (*scenario.Lab, error) {
	p, err := c.packOf(cmp.Or(c.Pack, packAround(c.File)))
	if err != nil {
		return nil, err
	}
	var own *rules.Ruleset
	if c.Rules != "" {
		if own, err = rulesfile.Open(c.Rules); err != nil {
			return nil, err
		}
	}
	return openLab(c.File, c.Maps, p, func(id string) *rules.Ruleset {
		if own != nil && own.Name == id {
			return own
		}
		return nil
	})
}

// openLab reads a scenario of a file or of a pack and puts it on its map. A map of the pack goes before a shipped map, and that before
// one of a folder. Rulesets of own go before the rulesets of the pack.
func openLab(file, folder string, p *pack.Pack, own func(id string) *rules.Ruleset) (*scenario.Lab, error) {
	text, err := labText(file, p)
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(text)
	if err != nil {
		return nil, err
	}
	lib, err := p.Library()
	if err != nil {
		return nil, err
	}
	inPack := lib
	lib.Ruleset = func(id string) (*rules.Ruleset, bool) {
		if rs := own(id); rs != nil {
			return rs, true
		}
		return inPack.Ruleset(id)
	}
	if folder != "" {
		maps, _, err := mapfile.OpenLibrary(folder)
		if err != nil {
			return nil, err
		}
		lib.Map = func(id string) (*grid.Map, bool) {
			if m, ok := inPack.Map(id); ok {
				return m, true
			}
			e, ok := maps.ByID(id)
			return e.Map, ok
		}
	}
	return s.Make(lib)
}

// labText returns the text of a scenario.
func labText(file string, p *pack.Pack) ([]byte, error) {
	if i := slices.IndexFunc(p.Scenarios, func(s pack.Scenario) bool { return s.Name == file }); i >= 0 {
		return p.Scenarios[i].Text, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, scenario.BytesMax+1))
}

// labSetup returns the first records of the scenario's journal.
func labSetup(l *scenario.Lab) ([][]byte, error) {
	var played spec.Match
	for i, s := range l.Scenario.Seats {
		played.Seats = append(played.Seats, spec.Seat{Name: s.Name, Team: s.Team, Start: s.Start, Color: uint8(i), Bot: s.Bot})
	}
	return journal.SetupRecords(journal.Header{
		Match: "lab", Build: telemetry.Version(), Extra: played.Extra(), Start: &journal.StartOf{Scenario: l.Scenario.Name},
	}, l.Setup)
}

// writeJournal writes a journal's file, which must not exist.
func writeJournal(path string, records [][]byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("--journal: %w", err)
	}
	err = journal.Export(f, func(each func(uint64, []byte) error) error {
		for n, rec := range records {
			if err := each(uint64(n), rec); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, f.Close())
}

func (c *labCmd) print(w io.Writer, r *labReport) error {
	if c.JSON {
		return json.NewEncoder(w).Encode(r)
	}
	fmt.Fprintf(w, "scenario  %s\nmap       %s\nrules     %s\nseats     %d\nthings    %d\n", r.Name, r.Map, r.Rules, len(r.Seats), r.Things)
	for _, o := range r.Orders {
		fmt.Fprintf(w, "tick %-4d seat %d: %s: %s\n", o.Tick, o.Seat, o.Do, o.Answer)
	}
	_, err := fmt.Fprintf(w, "played    to tick %d, hash %s\noutcome   %s\n", r.Tick, r.Hash, r.Outcome)
	return err
}
