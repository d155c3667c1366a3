package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// RecoveryConfig is what [Recovery] measures.
type RecoveryConfig struct {
	Battle `set:"seconds=600"`
	asJSON
	Dir          string `kong:"-"` // for the journal
	StateSeconds int    `default:"30" help:"Match time between two saved states; 10 in a cluster."`
	Cluster      bool   `help:"Take many copies of the battle over at once from a log server, as a node does when others have died."`
	AtOnce       int    `default:"20" help:"Copies, with --cluster."`
}

// Run fights, recovers and prints.
func (c *RecoveryConfig) Run(in *cli.Invocation) (err error) {
	if c.Dir, err = os.MkdirTemp("", Name+"-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.Dir)
	in.Progress("fighting for %d seconds of match time", c.Seconds)
	r, err := Recovery(in.Ctx, *c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, &r)
}

// RecoveryReport is what it costs to bring a battle back from its journal.
type RecoveryReport struct {
	Map          string  `json:"map"`
	Players      int     `json:"players"`
	Units        int     `json:"units"`
	Seconds      int     `json:"seconds"`
	Ticks        int     `json:"ticks"`
	Orders       int     `json:"orders"`
	JournalBytes int64   `json:"journal_bytes"`
	StateBytes   int64   `json:"state_bytes"` // of the one saved state, compressed
	SaveBytes    int     `json:"save_bytes"`  // of a state, as it is
	CopyP50Us    int64   `json:"copy_p50_us"` // what saving a state costs its tick
	CopyMaxUs    int64   `json:"copy_max_us"`
	WriteP50Ms   int64   `json:"write_p50_ms"`              // what it then costs beside the match: writing it down, packing, the disk
	StateSeconds int     `json:"state_seconds"`             // between two saved states
	TakeoverCore float64 `json:"takeover_core_s_per_match"` // processor time of a recovery from the saved state, at the worst moment
	FromStateMs  int64   `json:"from_state_ms"`             // recovery as a server does it, at the worst moment: just before the next state
	FromStartMs  int64   `json:"from_start_ms"`             // without the saved state
	PlayedTimes  float64 `json:"played_times"`              // how many times faster than life the whole match is played again

	AtOnce *TakeoverReport `json:"at_once,omitempty"` // of so many such matches, from a log server
}

const recoveryMatch = "0190f000-0000-7000-8000-0000000b4771"

// Recovery fights a battle, keeps its journal as a live match does, and brings
// it back twice: from the state saved last, and from its start.
func Recovery(ctx context.Context, c RecoveryConfig) (RecoveryReport, error) {
	r := RecoveryReport{Map: c.Map.Name, Players: c.Players, Units: c.Units, Seconds: c.Seconds, StateSeconds: c.StateSeconds}
	if c.Players < 1 || c.Units < 1 || c.Seconds < 1 {
		return r, errors.New("bench recovery: players, units and seconds must be at least 1")
	}
	dir, err := journal.OpenDir(c.Dir)
	if err != nil {
		return r, err
	}
	if err := fightToJournal(ctx, c, dir, &r); err != nil {
		return r, err
	}
	before, err := cpuTime()
	if err != nil && processMeasured {
		return r, err
	}
	took, err := recoverOnce(ctx, dir)
	if err != nil {
		return r, err
	}
	after, err := cpuTime()
	if err != nil && processMeasured {
		return r, err
	}
	r.TakeoverCore = (after - before).Seconds()
	if c.Cluster {
		many, err := takeOver(ctx, c, dir, c.AtOnce)
		if err != nil {
			return r, err
		}
		r.AtOnce = &many
	}
	r.FromStateMs = took.Milliseconds()
	if err := os.Remove(filepath.Join(c.Dir, recoveryMatch+".state")); err != nil {
		return r, err
	}
	took, err = recoverOnce(ctx, dir)
	r.FromStartMs, r.PlayedTimes = took.Milliseconds(), float64(c.Seconds)/took.Seconds()
	return r, err
}

// fightToJournal fights the battle to just before the moment at which a state
// would be saved again.
func fightToJournal(ctx context.Context, c RecoveryConfig, dir *journal.Dir, r *RecoveryReport) error {
	setup, err := BattleSetup(c.Map.Map, c.Players, c.Units, c.Seed)
	if err != nil {
		return err
	}
	if setup.Rules, err = writtenArmyRules(c.Units); err != nil {
		return err
	}
	setup.TickRate = grid.TickRateDefault
	w, err := sim.New(setup)
	if err != nil {
		return err
	}
	log, err := dir.Create(recoveryMatch)
	if err != nil {
		return err
	}
	defer log.Close()
	var played spec.Match
	for _, p := range setup.Players {
		played.Seats = append(played.Seats, spec.Seat{Team: p.Team, Start: p.Start})
	}
	head, err := journal.SetupRecords(journal.Header{Match: recoveryMatch, Build: "bench", Extra: played.Extra()}, setup)
	if err != nil {
		return err
	}
	for _, rec := range head {
		if err := log.Append(log.Next(), rec); err != nil {
			return err
		}
	}
	generals := NewGenerals(w, c.Units)
	var copies, writes []int64
	var frozen sim.Frozen
	var saved []byte
	for tick := range c.Seconds * w.TickRate() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		in := generals.Orders()
		out := w.Step(in)
		t := journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		r.Orders += len(out.Answers)
		if !t.Empty() {
			if err := log.Append(log.Next(), journal.AppendTick(nil, &t)); err != nil {
				return err
			}
		}
		last := tick == c.Seconds*w.TickRate()-1
		if int(out.Tick)%(c.StateSeconds*w.TickRate()) == 0 && !last {
			began := time.Now()
			w.Freeze(&frozen)
			copies = append(copies, time.Since(began).Microseconds())
			began = time.Now()
			saved = frozen.Save(saved[:0])
			if err := dir.SaveState(recoveryMatch, journal.State{Tick: out.Tick, Hash: out.Hash, Bytes: saved}); err != nil {
				return err
			}
			writes = append(writes, time.Since(began).Milliseconds())
		}
	}
	if len(copies) == 0 {
		return fmt.Errorf("bench recovery: no state is saved in %d seconds, want more than %d", c.Seconds, c.StateSeconds)
	}
	slices.Sort(copies)
	slices.Sort(writes)
	r.Ticks, r.SaveBytes = int(w.Tick()), len(saved)
	r.CopyP50Us, r.CopyMaxUs, r.WriteP50Ms = copies[len(copies)/2], copies[len(copies)-1], writes[len(writes)/2]
	if err := log.Close(); err != nil {
		return err
	}
	for path, size := range map[string]*int64{dir.Path(recoveryMatch): &r.JournalBytes, filepath.Join(c.Dir, recoveryMatch+".state"): &r.StateBytes} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		*size = info.Size()
	}
	return nil
}

// recoverOnce brings the match back as a server that starts does, and lets it
// go again.
func recoverOnce(ctx context.Context, dir *journal.Dir) (time.Duration, error) {
	s := match.New(match.Config{Journals: dir, Admitter: porter{}, Reporter: porter{}, Build: "bench"})
	defer s.Close()
	began := time.Now()
	if err := s.Recover(ctx, nil); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if len(s.Matches()) != 1 {
		return 0, errors.New("bench recovery: the battle did not come back")
	}
	return took, nil
}

// writtenArmyRules are [ArmyRules] as a rules file, which a journal keeps.
func writtenArmyRules(units int) (*rules.Ruleset, error) {
	army, err := ArmyRules(units)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(army.Source))
	d.UseNumber()
	var file map[string]any
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	settings := file["settings"].(map[string]any)
	settings["orders_per_second"], settings["order_burst"], settings["pop_max"] = 1000, 1000, 100_000
	settings["start_stock"] = map[string]any{"ore": 1_000_000, "gas": 1_000_000}
	for i, t := range file["types"].([]any) {
		t, of := t.(map[string]any), &army.Types[i]
		delete(t, "pop")
		if of.Class == rules.ClassUnit {
			t["build"] = json.Number("0.2")
		}
		if of.Class == rules.ClassStructure {
			t["health"] = json.Number(strconv.Itoa(int(of.Health)))
		}
	}
	var start []any
	for _, e := range army.Start {
		start = append(start, map[string]any{"type": army.Types[e.Type].Name, "count": e.Count})
	}
	file["start"] = start
	b, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return rules.Parse("army.json", b)
}
