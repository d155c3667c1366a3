package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/sim"
)

// replayCmd reads the journals that matches leave behind.
type replayCmd struct {
	Verify replayVerifyCmd `cmd:"" help:"Play a journal again and compare every answer and state hash."`
	Info   replayInfoCmd   `cmd:"" help:"Sum up a journal."`
	Export replayExportCmd `cmd:"" help:"Write a journal as lines of JSON: the match, every input with its answer, every state hash; with --play also the events."`
	Render replayRenderCmd `cmd:"" help:"Draw the minimap: one tick, an animation, or a folder of frames."`
}

// journalPath is what the commands take.
type journalPath struct {
	File string `arg:"" help:"A .journal file."`
	JSON bool   `name:"json" help:"Write one JSON object."`
}

// read yields the file's records, and remembers whether its tail was cut off.
func (c *journalPath) read(torn *bool) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		var err error
		*torn, err = journal.ReadFile(c.File, each)
		return err
	}
}

// replayReport is what --json writes.
type replayReport struct {
	File     string      `json:"file"`
	Match    string      `json:"match"`
	Build    string      `json:"build"`      // of the server that played it
	Sim      uint64      `json:"sim,string"` // how that build simulates, see docs/operate/replay-a-match.md
	Map      string      `json:"map"`
	MapHash  string      `json:"mapHash"`
	Rules    string      `json:"rules"`
	Seed     uint64      `json:"seed,string"`
	TickRate int         `json:"tickRate"`
	Players  int         `json:"players"`
	First    uint32      `json:"first"`          // the tick that the match begins with
	From     string      `json:"from,omitempty"` // the match that it plays on, or the scenario
	Ticks    uint32      `json:"ticks"`          // the last one
	Inputs   int         `json:"inputs"`
	Orders   int         `json:"orders"`
	Refused  int         `json:"refused"`
	Hashes   int         `json:"hashes"`
	Torn     bool        `json:"torn"` // the last record was cut off, and left out
	Outcome  string      `json:"outcome"`
	Result   *sim.Result `json:"result,omitempty"`
	Diverged string      `json:"diverged,omitempty"` // verify only
	Shots    [][]int     `json:"shots,omitempty"`    // verify only: of each slot, how many each weapon fired
	Notes    *notesRows  `json:"notes,omitempty"`    // info only: what is in the file of notes beside the journal
	*playedReport
}

// notesRows counts what was noted of a match beside its journal.
type notesRows struct {
	File    string `json:"file"`
	Seconds int    `json:"seconds"` // of which the time that ticks took is known
	Missed  int    `json:"missed"`  // ticks that began later than a tick takes
	Cameras int    `json:"cameras"` // changes of what players looked at
	Links   int    `json:"links"`   // seconds of players' connections
	Refused int    `json:"refused"` // orders that were refused, with what they said
	Lost    int    `json:"lost"`    // seconds that are missing, since the disk was slow
	Full    bool   `json:"full"`    // there was more than one match may note
}

// notes counts the notes beside the journal, nil if there are none.
func (c *journalPath) notes() (*notesRows, error) {
	file := strings.TrimSuffix(c.File, filepath.Ext(c.File)) + notes.Suffix
	n, err := notes.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := &notesRows{File: file, Seconds: len(n.Times), Cameras: len(n.Cameras), Links: len(n.Links), Refused: len(n.Refused), Lost: n.Lost, Full: n.Full}
	for i := range n.Times {
		out.Missed += n.Times[i].Missed
	}
	return out, nil
}

func (c *journalPath) report(s journal.Summary, torn bool) replayReport {
	r := replayReport{
		File: c.File, Match: s.Header.Match, Build: s.Header.Build, Sim: s.Header.Sim, Map: s.Header.Map, MapHash: s.Header.MapHash, Rules: s.Header.Rules,
		Seed: s.Header.Seed, TickRate: s.Header.TickRate, Players: len(s.Header.Players), Ticks: uint32(s.Ticks),
		Inputs: s.Inputs, Orders: s.Orders, Refused: s.Refused, Hashes: s.Hashes, Torn: torn, Result: s.Ended,
	}
	if of := s.Header.Start; of != nil {
		r.First, r.From = uint32(of.Tick), cmp.Or(of.Scenario, of.Match)
	}
	switch {
	case s.Ended != nil:
		r.Outcome = s.Ended.Reason
	case s.Failed != "":
		r.Outcome = "failed: " + s.Failed
	default:
		r.Outcome = "unfinished"
	}
	return r
}

func (c *journalPath) print(in *Invocation, r replayReport) error {
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	seconds := time.Duration(r.Ticks-r.First) * time.Second / time.Duration(max(r.TickRate, 1))
	_, err := fmt.Fprintf(in.Stdout, "match     %s\nbuild     %s\nmap       %s (%.12s…)\nrules     %s\nplayers   %d\nlength    %d ticks, %s\norders    %d, %d refused\nhashes    %d\noutcome   %s\n",
		r.Match, r.Build, r.Map, r.MapHash, r.Rules, r.Players, r.Ticks-r.First, seconds.Round(time.Second), r.Orders, r.Refused, r.Hashes, r.Outcome)
	if err == nil && r.From != "" {
		_, err = fmt.Fprintf(in.Stdout, "begins    at tick %d, from %s\n", r.First, r.From)
	}
	if n := r.Notes; err == nil && n != nil {
		_, err = fmt.Fprintf(in.Stdout, "notes     %d seconds of tick times, %d late ticks, %d cameras, %d link rows, %d refused orders\n", n.Seconds, n.Missed, n.Cameras, n.Links, n.Refused)
	}
	if err == nil && r.Torn {
		_, err = fmt.Fprintln(in.Stdout, "a crash cut the last record off; it is left out, and the server answered no player for it")
	}
	return err
}

type replayVerifyCmd struct{ journalPath }

// Run plays the journal again and fails where it goes another way.
func (c *replayVerifyCmd) Run(in *Invocation) error {
	var torn bool
	whole, err := journal.Walk(c.read(&torn), nil) // how far there is to go
	if err != nil && whole.Header.Match == "" {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	progress := newProgressBar(in)
	defer progress.clear()
	first := whole.Header.First()
	var shots shotCount
	_, sum, err := journal.Replay(c.read(&torn), func(w *sim.World, _ sim.Outcome) error {
		shots.add(w.Events())
		progress.show(int(w.Tick()-first), int(whole.Ticks-first), fmt.Sprintf("tick %d", w.Tick()))
		return in.Ctx.Err()
	})
	progress.clear()
	r := c.report(sum, torn)
	r.Shots = shots
	if err != nil {
		r.Diverged = err.Error()
	}
	if perr := c.print(in, r); perr != nil {
		return perr
	}
	if err != nil {
		var other *journal.OtherBuildError
		if errors.As(sum.Header.SameBuild(), &other) {
			return fmt.Errorf("%s: %w: %w", c.File, other, err)
		}
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if !c.JSON {
		fmt.Fprintf(in.Stdout, "verified  every answer and hash is the same\n")
	}
	return nil
}

// shotCount has the number of shots by slot and weapon, as far as either fired.
type shotCount [][]int

func (c *shotCount) add(events []sim.Event) {
	for i := range events {
		e := &events[i]
		if e.Kind != sim.EventShot {
			continue
		}
		for len(*c) <= int(e.Slot) {
			*c = append(*c, []int{})
		}
		of := &(*c)[e.Slot]
		for len(*of) <= int(e.What) {
			*of = append(*of, 0)
		}
		(*of)[e.What]++
	}
}

type replayInfoCmd struct {
	journalPath
	Play bool `help:"Also play the match, and report its events and each player's statistics."`
}

// Run sums a journal up.
func (c *replayInfoCmd) Run(in *Invocation) error {
	p := &played{}
	var err error
	if c.Play {
		if p, err = c.play(in); err != nil {
			return err
		}
	} else if p.sum, err = journal.Walk(c.read(&p.torn), nil); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	r := c.report(p.sum, p.torn)
	if r.Notes, err = c.notes(); err != nil {
		return err
	}
	if c.Play {
		r.playedReport = &p.report
	}
	if err := c.print(in, r); err != nil || c.JSON || !c.Play {
		return err
	}
	return p.report.print(in.Stdout, p.sum.Header.TickRate)
}
