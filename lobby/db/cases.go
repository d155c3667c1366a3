package db

import "github.com/fogkeep/fogkeep/lobby/model"

func (t Cases) cases(rest string, args ...any) ([]model.Case, error) {
	return list(t, `SELECT c.id, c.account_id, a.name, CASE WHEN c.in_match THEN c.place ELSE '' END, CASE WHEN c.in_match THEN '' ELSE c.place END, c.state,
		(SELECT COUNT(*) FROM reports r WHERE r.case_id = c.id), c.outcome, c.reason, c.closed_by, c.opened_at, c.closed_at, c.appeal, c.appealed_at
		FROM cases c JOIN accounts a ON a.id = c.account_id WHERE `+rest, args, func(c *model.Case) []any {
		return []any{&c.ID, &c.Account, &c.Name, &c.Match, &c.Lobby, &c.State, &c.Reports, &c.Outcome, &c.Reason, &c.By, moment{&c.Opened}, moment{&c.Closed}, &c.Appeal, moment{&c.Appealed}}
	})
}

func (t Cases) Get(id int64) (model.Case, error) { return first(t.cases(`c.id = $1`, id)) }

// Lock is Get that locks the case.
func (t Cases) Lock(id int64) (model.Case, error) {
	if err := t.one(`SELECT id FROM cases WHERE id = $1`+t.d.ForUpdate, []any{id}, &id); err != nil {
		return model.Case{}, err
	}
	return t.Get(id)
}

// List lists cases in a state ("": all) and of an account ("": all), newest first.
func (t Cases) List(state model.CaseState, a model.AccountID, before int64, limit int) ([]model.Case, error) {
	return t.cases(`($1 = '' OR c.state = $1) AND ($2 = '' OR c.account_id = $2) AND (CAST($3 AS BIGINT) = 0 OR c.id < $3) ORDER BY c.id DESC LIMIT $4`,
		string(state), string(a), before, limit)
}

// HasMatch reports whether there is a case about a player of a match.
func (t Cases) HasMatch(m model.MatchID) (bool, error) {
	return t.exists(`SELECT 1 FROM match_seats s JOIN cases c ON c.account_id = s.account_id WHERE s.match_id = $1 AND c.place = $1 AND c.in_match`, string(m))
}

// Add adds a report to the open case of an account in a match or lobby, and opens a case without one. Account, match,
// lobby and opening of c are given.
func (t Cases) Add(c model.Case, r model.Report) (id int64, err error) {
	if err = t.one(`INSERT INTO cases (account_id, place, in_match, state, opened_at) VALUES ($1, $2, $3, 'open', $4)
		ON CONFLICT (account_id, place) WHERE state = 'open' DO UPDATE SET opened_at = cases.opened_at RETURNING id`,
		[]any{string(c.Account), string(c.Match) + string(c.Lobby), c.Match != "", ms(c.Opened)}, &id); err != nil {
		return 0, err
	}
	return id, t.run(`INSERT INTO reports (case_id, reporter_id, tick, team, kind, text, lines, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		id, string(r.Reporter), int64(r.Tick), r.Team, r.Kind, r.Text, encode(r.Lines), ms(r.At))
}

// Save stores the decision and the appeal of a locked case.
func (t Cases) Save(c model.Case) error {
	return t.must(`UPDATE cases SET state = $2, outcome = $3, reason = $4, closed_by = $5, closed_at = $6, appeal = $7, appealed_at = $8 WHERE id = $1`,
		c.ID, string(c.State), string(c.Outcome), c.Reason, c.By, ms(c.Closed), c.Appeal, ms(c.Appealed))
}

// Reports lists the reports of a case, the first one first.
func (t Cases) Reports(id int64) ([]model.Report, error) {
	return list(t, `SELECT COALESCE(r.reporter_id, ''), COALESCE(a.name, ''), r.tick, r.team, r.kind, r.text, r.lines, r.at
		FROM reports r LEFT JOIN accounts a ON a.id = r.reporter_id WHERE r.case_id = $1 ORDER BY r.num`, []any{id}, func(r *model.Report) []any {
		return []any{&r.Reporter, &r.Name, &r.Tick, &r.Team, &r.Kind, &r.Text, asJSON{&r.Lines}, moment{&r.At}}
	})
}

// By lists the newest reports of an account, newest first.
func (t Cases) By(a model.AccountID, limit int) ([]model.OwnReport, error) {
	return list(t, `SELECT a.name, CASE WHEN c.in_match THEN c.place ELSE '' END, r.kind, r.text, r.at, c.state <> 'open'
		FROM reports r JOIN cases c ON c.id = r.case_id JOIN accounts a ON a.id = c.account_id
		WHERE r.reporter_id = $1 ORDER BY r.num DESC LIMIT $2`, []any{string(a), limit}, func(r *model.OwnReport) []any {
		return []any{&r.Name, &r.Match, &r.Kind, &r.Text, moment{&r.At}, &r.Closed}
	})
}

// Forget deletes the cases of an account, and takes it and its words out of its reports.
func (t Cases) Forget(a model.AccountID) error {
	if err := t.run(`DELETE FROM cases WHERE account_id = $1`, string(a)); err != nil {
		return err
	}
	return t.run(`UPDATE reports SET reporter_id = NULL, text = '' WHERE reporter_id = $1`, string(a))
}

func (t Cases) AddNote(id int64, n model.Note) error {
	return t.run(`INSERT INTO case_notes (case_id, by_admin, text, at) VALUES ($1, $2, $3, $4)`, id, n.By, n.Text, ms(n.At))
}

// Notes lists the notes of a case, the first one first.
func (t Cases) Notes(id int64) ([]model.Note, error) {
	return list(t, `SELECT by_admin, text, at FROM case_notes WHERE case_id = $1 ORDER BY num`, []any{id}, func(n *model.Note) []any {
		return []any{&n.By, &n.Text, moment{&n.At}}
	})
}
