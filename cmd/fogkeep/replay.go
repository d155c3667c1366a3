package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// replayCmd reads the journals that matches leave behind.
type replayCmd struct {
	Verify replayVerifyCmd `cmd:"" help:"Play a journal again and compare every answer and state hash."`
	Info   replayInfoCmd   `cmd:"" help:"Sum up a journal."`
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
	Map      string      `json:"map"`
	MapHash  string      `json:"mapHash"`
	Rules    string      `json:"rules"`
	Seed     uint64      `json:"seed,string"`
	TickRate int         `json:"tickRate"`
	Players  int         `json:"players"`
	Ticks    uint32      `json:"ticks"`
	Inputs   int         `json:"inputs"`
	Orders   int         `json:"orders"`
	Refused  int         `json:"refused"`
	Hashes   int         `json:"hashes"`
	Torn     bool        `json:"torn"` // the last record was cut off, and left out
	Outcome  string      `json:"outcome"`
	Result   *sim.Result `json:"result,omitempty"`
	Diverged string      `json:"diverged,omitempty"` // verify only
	Shots    [][]int     `json:"shots,omitempty"`    // verify only: of each slot, how many each weapon fired
}

func (c *journalPath) report(s journal.Summary, torn bool) replayReport {
	r := replayReport{
		File: c.File, Match: s.Header.Match, Map: s.Header.Map, MapHash: s.Header.MapHash, Rules: s.Header.Rules,
		Seed: s.Header.Seed, TickRate: s.Header.TickRate, Players: len(s.Header.Players), Ticks: uint32(s.Ticks),
		Inputs: s.Inputs, Orders: s.Orders, Refused: s.Refused, Hashes: s.Hashes, Torn: torn, Result: s.Ended,
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

func (c *journalPath) print(in *invocation, r replayReport) error {
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	seconds := time.Duration(r.Ticks) * time.Second / time.Duration(max(r.TickRate, 1))
	_, err := fmt.Fprintf(in.Stdout, "match     %s\nmap       %s (%.12s…)\nrules     %s\nplayers   %d\nlength    %d ticks, %s\norders    %d, %d refused\nhashes    %d\noutcome   %s\n",
		r.Match, r.Map, r.MapHash, r.Rules, r.Players, r.Ticks, seconds.Round(time.Second), r.Orders, r.Refused, r.Hashes, r.Outcome)
	if err == nil && r.Torn {
		_, err = fmt.Fprintln(in.Stdout, "the last record was cut off by a crash and is left out: nobody was answered for it")
	}
	return err
}

type replayVerifyCmd struct{ journalPath }

// Run plays the journal again and fails where it goes another way.
func (c *replayVerifyCmd) Run(in *invocation) error {
	var torn bool
	show := telemetry.IsTerminal(in.Stderr)
	shown := time.Now()
	var shots shotCount
	_, sum, err := journal.Replay(c.read(&torn), func(w *sim.World, _ sim.Outcome) error {
		shots.add(w.Events())
		if show && time.Since(shown) > 200*time.Millisecond {
			shown = time.Now()
			fmt.Fprintf(in.Stderr, "\rtick %d", w.Tick())
		}
		return in.Ctx.Err()
	})
	if show {
		fmt.Fprint(in.Stderr, "\r\033[K")
	}
	if sum.Header.Match == "" && err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	r := c.report(sum, torn)
	r.Shots = shots
	if err != nil {
		r.Diverged = err.Error()
	}
	if perr := c.print(in, r); perr != nil {
		return perr
	}
	if err != nil {
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

type replayInfoCmd struct{ journalPath }

// Run sums a journal up without playing it.
func (c *replayInfoCmd) Run(in *invocation) error {
	torn := false
	sum, err := journal.Walk(c.read(&torn), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return c.print(in, c.report(sum, torn))
}
