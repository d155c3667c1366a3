package sim_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// hill is king of the hill: the team that holds the middle of the map for ten seconds
// in all wins. A team holds it while units of no other team are there. It remembers the
// ticks of each team in its blob.
type hill struct{}

func (hill) Check(o sim.Options) error {
	if o.ScoreLimit != 0 {
		return errors.New("king of the hill has no score limit")
	}
	return nil
}

func (hill) Begin(w sim.ModeWorld) error {
	width, height := w.Size()
	if _, ok := w.Spawn(0, "soldier", grid.Tile{X: int16(width / 2), Y: int16(height / 2)}); !ok {
		return errors.New("there is no room on the hill")
	}
	return w.SetBlob(make([]byte, 2*grid.TeamsMax))
}

func (hill) Tick(w sim.ModeWorld) {
	width, height := w.Size()
	middle, holds := grid.Tile{X: int16(width / 2), Y: int16(height / 2)}, grid.TeamSet(0)
	for e := range w.Entities() {
		if e.Class == rules.ClassUnit && e.Tile.Dist2(middle) <= 3*3 {
			holds = holds.With(e.Team)
		}
	}
	held := w.Blob()
	for s := range w.Players() {
		p, _ := w.Player(grid.Slot(s))
		if holds != grid.TeamSet(0).With(p.Team) {
			continue
		}
		n := binary.LittleEndian.Uint16(held[2*p.Team:]) + 1
		binary.LittleEndian.PutUint16(held[2*p.Team:], n)
		if int(n) == 10*w.TickRate() {
			w.End(p.Team, "hill-held")
		}
	}
	if err := w.SetBlob(held); err != nil {
		panic(err) // it has the same size as before
	}
}

func init() { sim.RegisterMode("hold-the-hill", 1, hill{}) }

// A program adds a mode of its own before it makes its first match. The mode's memory is
// saved with the match.
func ExampleRegisterMode() {
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		fmt.Println(err)
		return
	}
	field := grid.NewMap("field", 48, 48)
	field.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	setup := sim.Setup{
		Map: field, Rules: ruleset, Seed: 7, Options: sim.Options{Mode: "hold-the-hill"},
		Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}},
	}
	w, err := sim.New(setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 100 {
		w.Step(nil)
	}
	again, err := sim.Restore(setup, w.Save(nil))
	fmt.Println(w.Tick(), again.Hash() == w.Hash(), err)
	for w.Result() == nil {
		w.Step(nil)
		again.Step(nil)
	}
	fmt.Println(again.Tick(), again.Hash() == w.Hash(), w.Result().Reason, "by team", w.Result().Winner)
	// Output:
	// 100 true <nil>
	// 200 true hill-held by team 0
}
