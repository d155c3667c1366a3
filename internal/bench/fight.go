package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

const foughtMatch = "0190f000-0000-7000-8000-0000000b4771"

// fought is a battle whose journal was kept.
type fought struct {
	dir            *journal.Dir
	ticks, orders  int
	journalBytes   int64
	stateBytes     int     // of a saved state, uncompressed
	copies, writes []int64 // of each saved state: us in its tick, ms beside the match; sorted
}

// fightToJournal fights the battle to just before the moment at which a state would be
// saved again, and keeps its journal in the folder as a live match does.
func fightToJournal(ctx context.Context, c Battle, stateSeconds int, folder string) (f fought, err error) {
	dir, err := journal.OpenDir(folder)
	if err != nil {
		return f, err
	}
	f.dir = dir
	setup, err := BattleSetup(c.Map.Map, c.Players, c.Units, c.Seed)
	if err != nil {
		return f, err
	}
	if setup.Rules, err = writtenArmyRules(c.Units); err != nil {
		return f, err
	}
	setup.TickRate = grid.TickRateDefault
	w, err := sim.New(setup)
	if err != nil {
		return f, err
	}
	log, err := dir.Create(foughtMatch)
	if err != nil {
		return f, err
	}
	defer log.Close()
	var played spec.Match
	for _, p := range setup.Players {
		played.Seats = append(played.Seats, spec.Seat{Team: p.Team, Start: p.Start})
	}
	head, err := journal.SetupRecords(journal.Header{Match: foughtMatch, Build: "bench", Extra: played.Extra()}, setup)
	if err != nil {
		return f, err
	}
	for _, rec := range head {
		if err := log.Append(log.Next(), rec); err != nil {
			return f, err
		}
	}
	generals := NewGenerals(w, c.Units)
	var frozen sim.Frozen
	var saved []byte
	for tick := range c.Seconds * w.TickRate() {
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		in := generals.Orders()
		out := w.Step(in)
		t := journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		f.orders += len(out.Answers)
		if !t.Empty() {
			if err := log.Append(log.Next(), journal.AppendTick(nil, &t)); err != nil {
				return f, err
			}
		}
		last := tick == c.Seconds*w.TickRate()-1
		if int(out.Tick)%(stateSeconds*w.TickRate()) == 0 && !last {
			began := time.Now()
			w.Freeze(&frozen)
			f.copies = append(f.copies, time.Since(began).Microseconds())
			began = time.Now()
			saved = frozen.Save(saved[:0])
			if err := dir.SaveState(foughtMatch, journal.State{Tick: out.Tick, Hash: out.Hash, Bytes: saved}); err != nil {
				return f, err
			}
			f.writes = append(f.writes, time.Since(began).Milliseconds())
		}
	}
	if len(f.copies) == 0 {
		return f, fmt.Errorf("no state is saved in %d seconds, want more than %d", c.Seconds, stateSeconds)
	}
	slices.Sort(f.copies)
	slices.Sort(f.writes)
	f.ticks, f.stateBytes = int(w.Tick()), len(saved)
	if err := log.Close(); err != nil {
		return f, err
	}
	info, err := os.Stat(dir.Path(foughtMatch))
	if err != nil {
		return f, err
	}
	f.journalBytes = info.Size()
	return f, nil
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
