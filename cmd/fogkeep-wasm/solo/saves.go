package solo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/spec"
)

// The past matches that are kept; [Server.Start] deletes the oldest beyond either bound.
const (
	pastMax      = 20
	pastBytesMax = 32 << 20
)

// Save is a match in the folder.
type Save struct {
	ID      string `json:"id"`
	Over    bool   `json:"over"`
	Map     string `json:"map"` // its name; empty: the journal cannot be read
	Bots    int    `json:"bots"`
	Level   string `json:"level"` // of the first bot
	Started int64  `json:"started"`
	Seconds int    `json:"seconds"` // of match time
	Won     bool   `json:"won"`
	Bytes   int64  `json:"bytes"`
}

// Saves lists the matches of the folder, newest first. At most one is not over: the match that [Server.Continue] resumes.
func (s *Server) Saves() ([]Save, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	out := []Save{}
	for _, id := range ids {
		out = append(out, s.save(id))
	}
	slices.SortFunc(out, func(a, b Save) int { return cmp.Compare(b.ID, a.ID) }) // UUIDv7 sorts by time
	return out, nil
}

// ids lists the ids of all matches.
func (s *Server) ids() ([]string, error) {
	live, err := s.journals.List()
	if err != nil {
		return nil, err
	}
	past, err := s.past()
	return append(live, past...), err
}

// past lists the ids of the past matches, newest first.
func (s *Server) past() (ids []string, err error) {
	files, err := os.ReadDir(filepath.Join(s.folder, "past"))
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".journal"); ok {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(b, a) })
	return ids, err
}

// save reads a match's line from its journal.
func (s *Server) save(id string) Save {
	out := Save{ID: id}
	if u, err := uuid.Parse(id); err == nil {
		sec, nsec := u.Time().UnixTime()
		out.Started = time.Unix(sec, nsec).UnixMilli()
	}
	if f, err := os.Stat(s.journals.Path(id)); err == nil {
		out.Bytes = f.Size()
	}
	sum, seats, err := s.read(id)
	if err != nil {
		s.log.Warn("a saved match cannot be read", "match", id, "error", err)
		return out
	}
	out.Over = sum.Ended != nil || sum.Failed != ""
	out.Map, out.Seconds = sum.Setup.Map.Name, int(sum.Ticks)/sum.Header.TickRate
	out.Won = sum.Ended != nil && sum.Ended.Winner == seats[0].Team
	for _, seat := range seats[1:] {
		if level, err := botLevel(seat.Account); err == nil {
			out.Bots, out.Level = out.Bots+1, cmp.Or(out.Level, level.String())
		}
	}
	return out
}

// read reads a journal as far as it is written.
func (s *Server) read(id string) (sum journal.Summary, seats []spec.Seat, err error) {
	tail, err := s.journals.Follow(id)
	if err != nil {
		return sum, nil, err
	}
	defer tail.Close()
	if sum, err = journal.Walk(tail.Read, func(uint64, journal.Record, *journal.Summary) error { return nil }); err != nil {
		return sum, nil, err
	}
	var set spec.Setting
	if err = json.Unmarshal(sum.Header.Extra, &set); err == nil && (!sum.Begun || len(set.Seats) == 0) {
		err = errors.New("the match had not begun")
	}
	return sum, set.Seats, err
}

// Continue goes on with the match that is not over, with the bots that it has, and returns the ticket of the person.
func (s *Server) Continue() (ticket string, err error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	ids, err := s.journals.List()
	if err != nil {
		return "", err
	}
	if len(ids) == 0 {
		return "", errors.New("there is no match to resume")
	}
	id := slices.Max(ids)
	sum, seats, err := s.read(id)
	if err != nil {
		return "", err
	}
	if s.matches.Runs(id) { // its person left its seat alone
		return s.ticket(id, 0, ""), nil
	}
	if err := s.matches.TakeOver(s.ctx, id, nil); err != nil {
		return "", err
	}
	if !s.matches.Runs(id) {
		return "", errors.New("the match is over")
	}
	return s.run(id, sum.Setup.Map, seats)
}

// Leave stops the match where it is. [Server.Continue] goes on with it.
func (s *Server) Leave() error {
	s.starting.Lock()
	defer s.starting.Unlock()
	defer s.stopBots()
	if err := s.matches.HandOver(s.ctx, s.running); err != nil && !errors.Is(err, match.ErrNoMatch) {
		return err
	}
	return nil
}

// Remove deletes a match that does not run.
func (s *Server) Remove(id string) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	ids, err := s.ids()
	switch {
	case err != nil:
		return err
	case !slices.Contains(ids, id):
		return fmt.Errorf("there is no match %.64q", id)
	case s.matches.Runs(id):
		return fmt.Errorf("match %s runs", id)
	}
	return s.journals.Remove(id)
}

// endOthers ends the matches that are not over, and deletes the oldest that are. s.starting is held.
func (s *Server) endOthers() error {
	defer s.stopBots()
	ids, err := s.journals.List()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if s.matches.Runs(id) {
			if err := s.matches.Abort(s.ctx, id, "left"); err != nil {
				return err
			}
			continue
		}
		giveUp := func(context.Context, string) (match.Fate, error) { return match.GiveUp, nil }
		if err := s.matches.TakeOver(s.ctx, id, giveUp); err != nil { // of another build, or damaged
			s.log.Warn("a saved match is deleted", "match", id, "error", err)
			if err := s.journals.Remove(id); err != nil {
				return err
			}
		}
	}
	past, err := s.past()
	if err != nil {
		return err
	}
	var bytes int64
	for i, id := range past {
		if f, err := os.Stat(s.journals.Path(id)); err == nil {
			bytes += f.Size()
		}
		if i < pastMax && bytes <= pastBytesMax {
			continue
		}
		if err := s.journals.Remove(id); err != nil {
			return err
		}
	}
	return nil
}
