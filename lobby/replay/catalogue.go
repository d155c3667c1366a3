package replay

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Bounds of a page of the catalogue: its rows, and the matches that the search looks at.
const (
	CataloguePage  = 25
	catalogueReach = 200
)

// fromCatalogue stands in place of a link's number in the right of an account that found the match in the catalogue.
const fromCatalogue = -1

// Search chooses replays of the catalogue. Empty and zero fields choose all.
type Search struct {
	Player   string // the whole name
	Map      string // its id
	Mode     string
	Shortest int // seconds
	Longest  int
	Weakest  int // rating
	Best     int
	Version  int64 // of the simulation
	Before   int64 // the number behind which the page begins
}

// chooses reports whether a match is one that the search chooses.
func (q *Search) chooses(l *model.Listed) bool {
	return (q.Map == "" || l.Map == q.Map) && (q.Mode == "" || l.Mode == q.Mode) && (q.Version == 0 || l.Version == q.Version) &&
		l.Seconds >= q.Shortest && (q.Longest == 0 || l.Seconds <= q.Longest) && l.Rating >= q.Weakest && (q.Best == 0 || l.Rating > 0 && l.Rating <= q.Best)
}

// Found is a replay in the catalogue.
type Found struct {
	Replay
	model.Listed
}

// List puts a locked match into the catalogue, or takes it out, as its options and its host say.
func List(tx *db.Tx, m *model.Match) error {
	if !m.Listable() {
		return tx.Replays.DropListed(m.ID)
	}
	seats, err := tx.Ratings.Seats(m.ID)
	if err != nil {
		return err
	}
	points, n := 0.0, 0.0
	for _, x := range seats {
		if !x.Before.Provisional() { // with it the other ratings would reveal an unlisted rating
			points, n = points+x.Before.Mean, n+1
		}
	}
	o := &m.Spec.Options
	l := model.Listed{
		Num: m.Num, Match: m.ID, Map: m.Spec.Map.ID, Mode: o.Mode, Seconds: int(m.Result.Ticks) / max(1, o.TicksPerSecond), Version: int64(m.Result.Version),
		Open: m.Ended.Add(m.Spec.EventsDelay()),
	}
	if n > 0 {
		l.Rating = int(math.Round(points / n))
	}
	return tx.Replays.AddListed(l)
}

// shows reports whether everyone may see a match of the catalogue.
func (s *Service) shows(l *model.Listed) bool {
	now := s.Now()
	return l.Agreed && !now.Before(l.Open) && (s.ReplayLife == 0 || now.Sub(l.Open) <= s.ReplayLife)
}

// Catalogue searches the replays that all their players share, newest first. A page may have fewer rows than it has
// room for, or no row, and still a next page: the search looks at a bounded number of matches.
func (s *Service) Catalogue(ctx context.Context, c model.Client, a model.AccountID, q Search) (page []Found, next int64, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		page, next = nil, 0
		if err := s.NotBanned(tx, a, c); err != nil {
			return err
		}
		var player model.AccountID
		if q.Player != "" {
			// No name has an @: emails, which only their owners know, find no account.
			found, err := tx.Accounts.ByLogin(strings.ReplaceAll(model.LoginKey(q.Player), "@", " "))
			if errors.Is(err, model.ErrNotFound) {
				return nil // as for an account that shares no replays
			}
			if err != nil {
				return err
			}
			if sharing, err := tx.Accounts.Sharing(found.ID); err != nil || sharing != model.ShareReplays {
				return err
			}
			player = found.ID
		}
		rows, err := tx.Replays.Catalogue(player, q.Map, q.Before, catalogueReach)
		if err != nil {
			return err
		}
		if len(rows) == catalogueReach {
			next = rows[len(rows)-1].Num
		}
		chosen, ids := map[model.MatchID]model.Listed{}, []model.MatchID(nil)
		for i := range rows {
			l := &rows[i]
			if _, twice := chosen[l.Match]; twice || !s.shows(l) || !q.chooses(l) { // a player may have had two seats
				continue
			}
			chosen[l.Match], ids = *l, append(ids, l.Match)
			if len(ids) == CataloguePage && i+1 < len(rows) {
				next = l.Num
				break
			}
		}
		matches, err := tx.Matches.Many(ids)
		if err != nil {
			return err
		}
		for i := range matches {
			m := &matches[i]
			names, err := tx.Matches.PlayerNames(m.ID)
			if err != nil {
				return err
			}
			page = append(page, Found{Replay{Match: *m, Access: m.Access(), Asker: a, Players: playersOf(m, names)}, chosen[m.ID]})
		}
		return nil
	})
	for i := range page {
		if err != nil {
			break
		}
		r := &page[i].Replay
		if e := model.AsError(s.glance(ctx, r.ID)); e != nil {
			r.Unavailable = e.Code
		}
	}
	return page, next, err
}

// glance is [Replays.Glance], on any server.
func (s *Service) glance(ctx context.Context, id model.MatchID) error {
	if s.Replays == nil {
		return model.ReplayExpired
	}
	return s.Replays.Glance(ctx, id)
}

// Archive returns the function that writes a match of the catalogue as lines of JSON: its inputs, or its timeline. It
// has the catalogue's matches alone, also for accounts that have more rights.
func (s *Service) Archive(ctx context.Context, c model.Client, a *model.Account, id model.MatchID, timeline bool) (write func(io.Writer) error, err error) {
	if err := s.Ledger.Spend(quota.ArchiveReads, quota.Payer{Account: string(a.ID), Address: c.Address, Trusted: !a.Guest}, 1); err != nil {
		return nil, err
	}
	if err := s.Read(ctx, func(tx *db.Tx) error {
		if err := s.NotBanned(tx, a.ID, c); err != nil {
			return err
		}
		l, err := tx.Replays.Listed(id)
		if errors.Is(err, model.ErrNotFound) || err == nil && !s.shows(&l) {
			return model.NotFound
		}
		return err
	}); err != nil {
		return nil, err
	}
	if s.Replays == nil {
		return nil, model.ReplayExpired
	}
	return s.Replays.Archive(ctx, id, timeline)
}
