package db

import (
	"encoding/json"
	"errors"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// AnonymizeDeleted takes deleted accounts out of the rows of at most limit seats of
// their matches, and returns the number of seats. It deletes accounts that no row names
// any more.
func (t Accounts) AnonymizeDeleted(limit int) (n int, err error) {
	type seat struct {
		match   model.MatchID
		lobby   model.LobbyID
		slot    int
		account model.AccountID
	}
	// CROSS JOIN: SQLite keeps to this order, and does not read all seats there are.
	seats, err := list(t, `SELECT m.id, m.lobby_id, s.slot, a.id FROM accounts a CROSS JOIN match_seats s CROSS JOIN matches m
		WHERE a.deleted_at > 0 AND s.account_id = a.id AND m.id = s.match_id ORDER BY m.lobby_id, m.num LIMIT $1`, []any{limit},
		func(s *seat) []any { return []any{&s.match, &s.lobby, &s.slot, &s.account} })
	if err != nil {
		return 0, err
	}
	for _, s := range seats {
		if err := t.anonymizeSeat(s.match, s.lobby, s.slot, s.account); err != nil {
			return 0, err
		}
	}
	if len(seats) < limit {
		if err := t.anonymizeOrigins(limit); err != nil {
			return 0, err
		}
		for _, sql := range []string{
			`UPDATE matches SET host_id = '' WHERE host_id <> '' AND host_id IN (SELECT id FROM accounts WHERE deleted_at > 0)`,
			`DELETE FROM mission_results WHERE account_id IN (SELECT id FROM accounts WHERE deleted_at > 0)`,
			`DELETE FROM match_watchers WHERE account_id IN (SELECT id FROM accounts WHERE deleted_at > 0)`,
		} {
			if _, err := t.exec(sql); err != nil {
				return 0, err
			}
		}
		_, err = t.exec(`DELETE FROM accounts WHERE deleted_at > 0
			AND NOT EXISTS (SELECT 1 FROM match_seats s WHERE s.account_id = accounts.id)
			AND NOT EXISTS (SELECT 1 FROM seats s WHERE s.account_id = accounts.id)`)
	}
	return len(seats), err
}

// anonymizeSeat takes the holder of a seat out of a match and of the result that its
// lobby shows. It locks in the usual order, the lobby first.
func (t Accounts) anonymizeSeat(match model.MatchID, in model.LobbyID, start int, account model.AccountID) error {
	var lobbyResult string
	err := t.one(`SELECT result FROM lobbies WHERE id = $1 AND match_id = $2`+t.d.ForUpdate, []any{string(in), string(match)}, &lobbyResult)
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return err
	}
	if lobbyResult != "" {
		var shown *model.Outcomes
		if err := decodeResult(lobbyResult, &shown); err != nil {
			return err
		}
		anonymizeResult(shown, start, account)
		if err := t.must(`UPDATE lobbies SET result = $2 WHERE id = $1`, string(in), encode(shown)); err != nil {
			return err
		}
	}
	var specText, resultText string
	if err := t.one(`SELECT spec, result FROM matches WHERE id = $1`+t.d.ForUpdate, []any{string(match)}, &specText, &resultText); err != nil {
		return err
	}
	var spec model.Spec
	var result *model.Outcomes
	if err := errors.Join(json.Unmarshal([]byte(specText), &spec), decodeResult(resultText, &result)); err != nil {
		return err
	}
	for i := range spec.Participants {
		if p := &spec.Participants[i]; p.Start == start {
			p.Name, p.Account = model.GoneName, ""
		}
		anonymizeHolders(spec.Participants[i].Earlier, account)
	}
	anonymizeResult(result, start, account)
	if err := t.must(`UPDATE matches SET spec = $2, result = $3 WHERE id = $1`, string(match), encode(spec), encode(result)); err != nil {
		return err
	}
	if err := t.run(`DELETE FROM catalogue WHERE match_id = $1`, string(match)); err != nil {
		return err
	}
	// The journal is rewritten later, see replay.Service.Redact.
	if _, err := t.exec(`INSERT INTO replay_redactions (match_id, account_id)
		SELECT match_id, account_id FROM match_seats WHERE match_id = $1 AND slot = $2 AND account_id IS NOT NULL
		ON CONFLICT DO NOTHING`, string(match), start); err != nil {
		return err
	}
	return t.must(`UPDATE match_seats SET account_id = NULL WHERE match_id = $1 AND slot = $2`, string(match), start)
}

func anonymizeResult(o *model.Outcomes, start int, account model.AccountID) {
	if o == nil {
		return
	}
	for i := range o.Seats {
		if o.Seats[i].Start == start {
			o.Seats[i].Name = model.GoneName
		}
		anonymizeHolders(o.Seats[i].Earlier, account)
	}
}

func anonymizeHolders(list []model.Holder, account model.AccountID) {
	for i := range list {
		if list[i].Account == account {
			list[i].Account, list[i].Name = "", model.GoneName
		}
	}
}

// anonymizeOrigins takes deleted accounts out of the origins of lobbies.
func (t Accounts) anonymizeOrigins(limit int) error {
	type row struct {
		lobby   model.LobbyID
		account model.AccountID
	}
	rows, err := list(t, `SELECT l.id, a.id FROM accounts a CROSS JOIN lobbies l WHERE a.deleted_at > 0 AND l.origin <> '' AND l.origin LIKE '%' || a.id || '%' ORDER BY l.id LIMIT $1`,
		[]any{limit}, func(r *row) []any { return []any{&r.lobby, &r.account} })
	if err != nil {
		return err
	}
	for _, r := range rows {
		var text string
		if err := t.one(`SELECT origin FROM lobbies WHERE id = $1`+t.d.ForUpdate, []any{string(r.lobby)}, &text); err != nil {
			return err
		}
		var from *model.Origin
		if err := (asJSON{&from}).Scan(text); err != nil {
			return err
		}
		if from == nil {
			continue // closed meanwhile
		}
		for i := range from.Seats {
			if s := &from.Seats[i]; s.Account == r.account {
				s.Account, s.Name = "", model.GoneName
			}
		}
		if err := t.must(`UPDATE lobbies SET origin = $2 WHERE id = $1`, string(r.lobby), encode(from)); err != nil {
			return err
		}
	}
	return nil
}
