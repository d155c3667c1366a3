package db

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const matchColumns = `num, id, lobby_id, node, spec, state, result, started_at, ended_at, host_id, replays, replay_links`

func (t Matches) matches(rest string, args ...any) ([]model.Match, error) {
	return list(t, `SELECT `+matchColumns+` FROM matches WHERE `+rest, args, func(m *model.Match) []any {
		m.Spec.Options = olderOptions
		return []any{&m.Num, &m.ID, &m.Lobby, &m.Node, asJSON{&m.Spec}, &m.State, result(&m.Result), moment{&m.Started}, moment{&m.Ended}, &m.Host, &m.Replays, &m.ReplayLinks}
	})
}

func (t Matches) match(rest string, args ...any) (model.Match, error) {
	return first(t.matches(rest, args...))
}

func (t Matches) Add(m model.Match) error {
	if _, err := t.exec(`INSERT INTO matches (id, lobby_id, node, spec, state, result, started_at, ended_at, host_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		string(m.ID), string(m.Lobby), m.Node, encode(m.Spec), string(m.State), encode(m.Result), ms(m.Started), ms(m.Ended), string(m.Host)); err != nil {
		return err
	}
	for _, p := range m.Spec.Participants {
		if _, err := t.exec(`INSERT INTO match_seats (match_id, slot, account_id, team) VALUES ($1, $2, $3, $4)`,
			string(m.ID), p.Start, null(string(p.Account)), int(p.Team)); err != nil {
			return err
		}
	}
	return nil
}

func (t Matches) Get(id model.MatchID) (model.Match, error) { return t.match(`id = $1`, string(id)) }

// Many returns matches by their ids, newest first.
func (t Matches) Many(ids []model.MatchID) ([]model.Match, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return t.matches(`id IN (`+marks(len(ids))+`) ORDER BY num DESC`, anys(ids)...)
}

func (t Matches) Lock(id model.MatchID) (model.Match, error) {
	return t.match(`id = $1`+t.d.ForUpdate, string(id))
}

// Save stores node, state, result and times, and each seat's outcome.
func (t Matches) Save(m model.Match) error {
	if err := t.must(`UPDATE matches SET state = $2, result = $3, ended_at = $4, node = $5 WHERE id = $1`,
		string(m.ID), string(m.State), encode(m.Result), ms(m.Ended), m.Node); err != nil || m.Result == nil {
		return err
	}
	for _, s := range m.Result.Seats {
		if _, err := t.exec(`UPDATE match_seats SET outcome = $3 WHERE match_id = $1 AND slot % `+formerSlots+` = $2`, string(m.ID), s.Start, string(s.Outcome)); err != nil {
			return err
		}
	}
	return nil
}

// formerSlots is added to the slot in the row of a player that lost its seat to
// another: once for the first, twice for the second.
const formerSlots = "1000"

// holder returns the account that has the seat of a start point.
func holder(m *model.Match, start int) string {
	i := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Start == start })
	return string(m.Spec.Participants[i].Account)
}

// TakeSeat stores a locked match's Spec, and the account that has the seat of a
// slot in it. A player who had the seat has left the match at now, and its
// outcome is its team's.
func (t Matches) TakeSeat(m model.Match, start int, now time.Time) error {
	if _, err := t.exec(`INSERT INTO match_seats (match_id, slot, account_id, team, left_at)
		SELECT match_id, slot + `+formerSlots+` * (SELECT COUNT(*) FROM match_seats n WHERE n.match_id = $1 AND n.slot % `+formerSlots+` = $2), account_id, team, CAST($3 AS BIGINT)
		FROM match_seats WHERE match_id = $1 AND slot = $2 AND account_id IS NOT NULL`, string(m.ID), start, ms(now)); err != nil {
		return err
	}
	if err := t.must(`UPDATE match_seats SET account_id = $3, left_at = 0 WHERE match_id = $1 AND slot = $2`,
		string(m.ID), start, null(holder(&m, start))); err != nil {
		return err
	}
	return t.SaveSpec(m)
}

// ReturnSeat undoes the last TakeSeat of a start point: it stores a locked match's Spec, and
// the account that has the seat in it again. back: the account has not left the match.
func (t Matches) ReturnSeat(m model.Match, start int, back bool) error {
	account, left := holder(&m, start), int64(0)
	if account != "" {
		if err := t.one(`DELETE FROM match_seats WHERE match_id = $1 AND slot = (SELECT MAX(slot) FROM match_seats n WHERE n.match_id = $1 AND n.slot % `+formerSlots+` = $2 AND n.slot > $2 AND n.account_id = $3)
			RETURNING left_at`, []any{string(m.ID), start, account}, &left); err != nil {
			return err
		}
	}
	if back {
		left = 0
	}
	if err := t.must(`UPDATE match_seats SET account_id = $3, left_at = $4 WHERE match_id = $1 AND slot = $2`, string(m.ID), start, null(account), left); err != nil {
		return err
	}
	return t.SaveSpec(m)
}

// SaveSpec stores a locked match's Spec, in which all players keep their seats.
func (t Matches) SaveSpec(m model.Match) error {
	return t.must(`UPDATE matches SET spec = $2 WHERE id = $1`, string(m.ID), encode(m.Spec))
}

// List lists the newest matches that a filter selects, newest first.
func (t Matches) List(f model.MatchFilter) ([]model.Match, error) {
	args := []any{f.Before, f.Limit}
	where := `(CAST($1 AS BIGINT) = 0 OR num < $1)`
	and := func(condition string, arg any) {
		args = append(args, arg)
		where += fmt.Sprintf(condition, len(args))
	}
	if f.Issuer != "" {
		and(` AND id IN (SELECT match_id FROM service_matches WHERE issuer = $%d)`, f.Issuer)
	}
	if f.Account != "" {
		and(` AND id IN (SELECT match_id FROM match_seats WHERE account_id = $%d)`, string(f.Account))
	}
	if !f.From.IsZero() {
		and(` AND started_at >= $%d`, ms(f.From))
	}
	if !f.To.IsZero() {
		and(` AND started_at < $%d`, ms(f.To))
	}
	if len(f.States) > 0 {
		names := make([]string, len(f.States))
		for i, s := range f.States {
			args = append(args, string(s))
			names[i] = fmt.Sprintf("$%d", len(args))
		}
		where += ` AND state IN (` + strings.Join(names, ", ") + `)`
	}
	return t.matches(where+` ORDER BY num DESC LIMIT $2`, args...)
}

// LiveSeat returns the newest match that is made or runs and in which the
// account plays and has not left.
func (t Matches) LiveSeat(a model.AccountID) (model.Match, error) {
	return t.match(`state IN ('starting', 'live') AND id IN (SELECT match_id FROM match_seats WHERE account_id = $1 AND left_at = 0)
		ORDER BY num DESC LIMIT 1`, string(a))
}

// Leave notes that the account has left a match for good; "": all that
// are made or run.
func (t Matches) Leave(a model.AccountID, m model.MatchID, now time.Time) error {
	return t.run(`UPDATE match_seats SET left_at = $3 WHERE account_id = $1 AND left_at = 0 AND (match_id = $2 OR $2 = '')
		AND match_id IN (SELECT id FROM matches WHERE state IN ('starting', 'live'))`, string(a), string(m), ms(now))
}

// HasLeft reports whether the account has left a match for good.
func (t Matches) HasLeft(a model.AccountID, m model.MatchID) (bool, error) {
	return t.exists(`SELECT 1 FROM match_seats WHERE match_id = $1 AND account_id = $2 AND left_at > 0`, string(m), string(a))
}

func (t Matches) AddTicket(k model.Ticket) error {
	s := k.Seat
	return t.run(`INSERT INTO tickets (hash, match_id, node, account_id, name, slot, team, bot, spectator, delay_ms, expires_at, epoch)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		string(k.Hash), string(k.Match), k.Node, string(s.Account), s.Name, s.Start, int(s.Team), s.Bot, s.Spectator, s.Delay.Milliseconds(), ms(k.Expires), s.Epoch)
}

// HasTicket reports whether a ticket exists, without a lock.
func (t Matches) HasTicket(hash model.SecretHash) (bool, error) {
	return t.exists(`SELECT 1 FROM tickets WHERE hash = $1`, string(hash))
}

// LockTicket finds a ticket and locks it.
func (t Matches) LockTicket(hash model.SecretHash) (model.Ticket, error) {
	k := model.Ticket{Hash: hash}
	s := &k.Seat
	var delay int64
	err := t.one(`SELECT match_id, node, account_id, name, slot, team, bot, spectator, delay_ms, expires_at, used_at, epoch FROM tickets WHERE hash = $1`+t.d.ForUpdate,
		[]any{string(hash)}, &k.Match, &k.Node, &s.Account, &s.Name, &s.Start, &s.Team, &s.Bot, &s.Spectator, &delay, moment{&k.Expires}, moment{&k.Used}, &s.Epoch)
	s.Match, s.Delay = k.Match, time.Duration(delay)*time.Millisecond
	return k, err
}

func (t Matches) UseTicket(hash model.SecretHash, now time.Time) error {
	return t.must(`UPDATE tickets SET used_at = $2 WHERE hash = $1 AND used_at = 0`, string(hash), ms(now))
}

func (t Matches) Record(id model.AccountID) (r model.Record, err error) {
	n, err := byKey[model.Outcome, int](t, `SELECT outcome, COUNT(*) FROM match_seats WHERE account_id = $1 GROUP BY outcome`, string(id))
	r.Won, r.Lost, r.Drawn = n[model.Won], n[model.Lost], n[model.Drawn]
	r.Played = r.Won + r.Lost + r.Drawn
	return r, err
}

// History lists the account's matches, latest first, below num before (0: from the
// latest).
func (t Matches) History(id model.AccountID, before int64, limit int) ([]model.Played, error) {
	return list(t, `SELECT m.num, m.id, m.state, m.replays, m.started_at, m.ended_at, s.slot % `+formerSlots+`, s.team, s.outcome, m.spec, m.result
		FROM match_seats s JOIN matches m ON m.id = s.match_id
		WHERE s.account_id = $1 AND (CAST($2 AS BIGINT) = 0 OR m.num < $2) ORDER BY m.num DESC LIMIT $3`,
		[]any{string(id), before, limit}, func(p *model.Played) []any {
			return []any{&p.Num, &p.Match, &p.State, &p.Replays, moment{&p.Started}, moment{&p.Ended}, &p.Start, &p.Team, &p.Outcome,
				text(func(spec string) error {
					s := model.Spec{Options: olderOptions}
					err := json.Unmarshal([]byte(spec), &s)
					p.Lobby, p.MapID, p.Map, p.Options, p.Players = s.Lobby, s.Map.ID, s.Map.Name, s.Options, s.Participants
					return err
				}),
				text(func(result string) error {
					var o *model.Outcomes
					if err := decodeResult(result, &o); err != nil || o == nil {
						return err
					}
					p.Reason, p.Ticks, p.Score = o.Reason, o.Ticks, o.Of(p.Start).Score
					p.Length = time.Duration(o.Ticks) * time.Second / time.Duration(max(1, p.Options.TicksPerSecond))
					return nil
				})}
		})
}

// HasPlayed reports whether the account has or had a player's seat in a match.
func (t Matches) HasPlayed(m model.MatchID, a model.AccountID) (bool, error) {
	return t.exists(`SELECT 1 FROM match_seats WHERE match_id = $1 AND account_id = $2`, string(m), string(a))
}

// PlayerNames returns the names, as they are today, of the accounts that have or had a
// seat in a match; deleted ones are left out.
func (t Matches) PlayerNames(m model.MatchID) (map[model.AccountID]string, error) {
	return byKey[model.AccountID, string](t, `SELECT a.id, a.name FROM match_seats s JOIN accounts a ON a.id = s.account_id
		WHERE s.match_id = $1 AND a.deleted_at = 0`, string(m))
}

// Purge looks at the next limit matches behind a number, deletes matches that
// were over before a time and had no player with a password, and returns the last
// number and how many it looked at.
func (t Matches) Purge(after int64, before time.Time, limit int) (last int64, seen int, err error) {
	last = after
	type match struct {
		num   int64
		id    string
		state model.MatchState
		ended int64
	}
	page, err := list(t, `SELECT num, id, state, ended_at FROM matches WHERE num > $1 ORDER BY num LIMIT $2`, []any{after, limit},
		func(m *match) []any { return []any{&m.num, &m.id, &m.state, &m.ended} })
	if err != nil {
		return after, 0, err
	}
	for _, m := range page {
		last = m.num
		if (m.state != model.MatchDone && m.state != model.MatchFailed) || m.ended == 0 || m.ended >= ms(before) {
			continue
		}
		people := 0
		if err := t.one(`SELECT COUNT(*) FROM match_seats s JOIN accounts a ON a.id = s.account_id
			WHERE s.match_id = $1 AND NOT a.guest`, []any{m.id}, &people); err != nil {
			return after, 0, err
		}
		if people > 0 {
			continue // it is of their history
		}
		for _, sql := range []string{
			`DELETE FROM tickets WHERE match_id = $1`, `DELETE FROM replay_tickets WHERE match_id = $1`,
			`DELETE FROM match_watchers WHERE match_id = $1`, `DELETE FROM replay_redactions WHERE match_id = $1`, `DELETE FROM match_seats WHERE match_id = $1`, `DELETE FROM matches WHERE id = $1`,
		} {
			if _, err := t.exec(sql, m.id); err != nil {
				return after, 0, err
			}
		}
	}
	return last, len(page), nil
}
