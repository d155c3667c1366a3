package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// StartBytesMax bounds the state that a match begins with: twice the size for 16 teams on a
// map of 512 x 512.
const StartBytesMax = 64 << 20

// StateTick returns the tick of a state, as [World.Save] made it.
func StateTick(state []byte) (grid.Tick, error) {
	a, version, tick := archive.Reader(state), uint8(0), grid.Tick(0)
	a.U8(&version)
	archive.Word(a, &tick)
	if err := a.Err(); err != nil {
		return 0, fmt.Errorf("sim: state: %w", err)
	}
	if version != saveVersion {
		return 0, fmt.Errorf("sim: state: version %d, this build reads %d", version, saveVersion)
	}
	return tick, nil
}

// StateHash returns the [World.Hash] of the world with that state.
func StateHash(state []byte) uint64 {
	sum := sha256.Sum256(state)
	return binary.LittleEndian.Uint64(sum[:])
}

// ErrOver says that a match cannot be played on from a state in which it is over.
var ErrOver = errors.New("the match is over in that state")

// NotSeatsError says that players do not have the seats of the match whose state they
// are to play on from.
type NotSeatsError struct{ Why string }

func (e *NotSeatsError) Error() string { return "sim: branch: " + e.Why }

// Branch returns the setup of a match that plays on from a state of another one. s is the
// setup of the match that was played, state is the result of its [World.Save]. players have
// the seats of that match, slot by slot, with the same teams and starts; they may be bots
// where people were, and people where bots were.
//
// The world and the teams' knowledge stay as they were, and so do orders that are under way
// or have not acted yet. The world forgets the clients of the other match: the connected
// players, the time without any, the clients' numbers, and the answers to them. Departed
// and defeated players stay so. If the match is over in that state the error is [ErrOver].
func Branch(s Setup, state []byte, players []Player) (Setup, error) {
	if len(players) != len(s.Players) {
		return Setup{}, &NotSeatsError{fmt.Sprintf("%d players, the match has %d", len(players), len(s.Players))}
	}
	for i, p := range players {
		if was := s.Players[i]; p.Team != was.Team || p.Start != was.Start || p.Faction != was.Faction {
			return Setup{}, &NotSeatsError{fmt.Sprintf("player %d is of team %d and faction %d at start %d, was of team %d and faction %d at start %d",
				i, p.Team, p.Faction, p.Start, was.Team, was.Faction, was.Start)}
		}
	}
	s.Start = nil
	w, err := Restore(s, state)
	if err != nil {
		return Setup{}, err
	}
	if w.result != nil {
		return Setup{}, ErrOver
	}
	s.Players = append([]Player(nil), players...)
	w.reseat(s.Players)
	s.Start = w.Save(nil)
	return s, nil
}

// reseat forgets the clients that the match has had.
func (w *World) reseat(players []Player) {
	w.deserted, w.keeps = 0, 0
	for i := range w.players {
		p := &w.players[i]
		p.bot, p.online, p.present = players[i].Bot, false, !p.leaver
		p.tokens, p.said, p.answers = w.burst*w.rate, SaidBurst*w.rate, ledger{}
		p.standIn, p.ownAnswers = false, ledger{}
	}
	for _, e := range w.all {
		e.shot.request = 0
		for i := range e.tasks {
			e.tasks[i].seq, e.tasks[i].request = 0, 0
		}
		for i := range e.acts {
			e.acts[i].request = 0
		}
	}
	for i := range w.due {
		w.due[i].seq, w.due[i].requests = 0, nil
	}
}

// resume makes the world of a setup that has a start.
func resume(s Setup) (*World, error) {
	w, err := Restore(s, s.Start)
	if err == nil && w.result != nil {
		err = fmt.Errorf("sim: %w", ErrOver)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}
