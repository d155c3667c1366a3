package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// rolling is the hash for the journal. To hash a large state takes longer than a tick, so
// each tick adds a share of the state, and a second adds all shares. Every share goes on
// from the hash before: two worlds whose hashed state once differed have different hashes
// from then on.
type rolling struct {
	hash uint64
	next grid.EntityID // of this second's round: entities below it are done

	// Scratch. Several pens write the state side by side; the hash takes their bytes in
	// order.
	pens  [hashPens]*archive.Archive
	sum   hash.Hash
	share []*Entity   // of the tick
	write func(i int) // writeShare, which is made once
}

// The pens of a tick's share: the head, entities in bands, teams, and the rest.
const (
	penHead  = 0
	penBands = 1
	penTeams = penBands + 4
	penRest  = penTeams + grid.TeamsMax
	hashPens = penRest + 1
)

// Rolling returns the rolling hash of the state, as of the last step. A second's [Outcome]
// includes it. The hash at the end of a second covers every entity that lived through the
// second, and every other part of the state, each as it was at its tick of that second. The
// hash of the match's last tick covers the whole state.
func (w *World) Rolling() uint64 { return w.roll.hash }

// rollOn adds the tick's share of the state to the rolling hash.
func (w *World) rollOn() {
	r := &w.roll
	if r.sum == nil {
		r.sum, r.write = sha256.New(), w.writeShare
		for i := range r.pens {
			r.pens[i] = archive.Writer(nil)
		}
	}
	for _, a := range r.pens {
		a.Reset()
	}
	a := r.pens[penHead]
	archive.Word(a, &w.tick)
	a.U64(&r.hash)
	if w.out.Ended != nil {
		w.state(a)
	} else {
		w.writeShares()
	}
	r.sum.Reset()
	for _, a := range r.pens {
		r.sum.Write(a.Bytes())
	}
	var sum [sha256.Size]byte
	r.hash = binary.LittleEndian.Uint64(r.sum.Sum(sum[:0]))
}

// writeShares writes the state for this tick's hash. A tick of a second has an equal share
// of the entities that are left in the second's round, and some of the teams and players.
// The second's last tick has the rest.
func (w *World) writeShares() {
	r, a := &w.roll, w.roll.pens[penRest]
	rate := int(w.rate)
	at := int(w.tick) % rate
	left := (rate-at)%rate + 1 // ticks of the round, with this one
	from := w.placeOf(r.next)
	r.share = w.all[from : from+(len(w.all)-from+left-1)/left]
	if n := len(r.share); n > 0 {
		r.next = r.share[n-1].id + 1
	}
	w.bands.run.Run(penTeams-penBands+len(w.teams), r.write)
	for s := range w.players {
		if s*rate/len(w.players) == at {
			w.pathsState(a, grid.Slot(s))
		}
	}
	if left == 1 {
		w.roll.next = 0
		w.headState(a)
		w.dueState(a)
		a.Nested(w.eyes.SaveRest, nil)
		w.tailState(a)
	}
}

// writeShare writes the part of the i-th pen after the first: entities, or a team in its
// turn.
func (w *World) writeShare(i int) {
	r := &w.roll
	a := r.pens[penBands+i]
	if n := penTeams - penBands; i < n {
		for _, e := range r.share[len(r.share)*i/n : len(r.share)*(i+1)/n] {
			e.state(a)
			w.scriptState(a, e)
			w.cargoState(a, e)
		}
		return
	}
	t, rate := penBands+i-penTeams, int(w.rate)
	if t*rate/len(w.teams) == int(w.tick)%rate {
		w.teams[t].state(a)
		a.Nested(func(b []byte) []byte { return w.eyes.SaveTeam(b, grid.Team(t)) }, nil)
	}
}
