package match

import "github.com/fogkeep/fogkeep/match/sim"

// inputs has the inputs of one tick and of the next.
type inputs struct {
	accepted []sim.Input // of the tick that is played
	next     []sim.Input // since the tick: players who came and went, changed settings
	short    []sim.Input // scratch: the accepted ones, as the record has it
}

// add keeps an input for the next tick.
func (in *inputs) add(x ...sim.Input) { in.next = append(in.next, x...) }

// begin begins the next tick.
func (in *inputs) begin() {
	in.accepted = append(in.accepted[:0], in.next...)
	in.next = in.next[:0]
}

// step plays the tick. seats is the number of the match's seats.
func (in *inputs) step(w *sim.World, seats int) sim.Outcome {
	out := w.Step(in.accepted)
	in.short = sim.Compact(in.short[:0], in.accepted, out.Answers, seats)
	return out
}
