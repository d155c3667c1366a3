package db

import (
	"fmt"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// AddServiceMatch notes for which issuer a match was made, and by which request.
// A second match of the issuer's same request is [model.ErrTaken].
func (t *Tx) AddServiceMatch(m model.MatchID, issuer, request, hash string, now time.Time) error {
	return t.run(`INSERT INTO service_matches (match_id, issuer, request_key, request_hash, created_at) VALUES ($1, $2, $3, $4, $5)`,
		string(m), issuer, null(request), hash, ms(now))
}

// ServiceRequest finds the match that an issuer's request has made, and the
// request's hash.
func (t *Tx) ServiceRequest(issuer, request string) (m model.MatchID, hash string, err error) {
	err = t.one(`SELECT match_id, request_hash FROM service_matches WHERE issuer = $1 AND request_key = $2`, []any{issuer, request}, &m, &hash)
	return m, hash, err
}

func (t *Tx) ForgetServiceRequest(m model.MatchID) error {
	return t.run(`UPDATE service_matches SET request_key = NULL WHERE match_id = $1`, string(m))
}

// ServiceMatchIssuer returns the issuer that a match was made for; [model.ErrNotFound]
// for a match that players made.
func (t *Tx) ServiceMatchIssuer(m model.MatchID) (issuer string, err error) {
	err = t.one(`SELECT issuer FROM service_matches WHERE match_id = $1`, []any{string(m)}, &issuer)
	return issuer, err
}

// ServiceMatches is Matches for the matches of an issuer.
func (t *Tx) ServiceMatches(issuer string, states []model.MatchState, before int64, limit int) ([]model.Match, error) {
	args := []any{before, limit, issuer}
	where := `(CAST($1 AS BIGINT) = 0 OR num < $1) AND id IN (SELECT match_id FROM service_matches WHERE issuer = $3)`
	if len(states) > 0 {
		names := make([]string, len(states))
		for i, s := range states {
			args = append(args, string(s))
			names[i] = fmt.Sprintf("$%d", len(args))
		}
		where += ` AND state IN (` + strings.Join(names, ", ") + `)`
	}
	return t.matches(where+` ORDER BY num DESC LIMIT $2`, args...)
}

// Subjects maps accounts to their subjects at an issuer, as far as they have one.
func (t *Tx) Subjects(issuer string, accounts []model.AccountID) (map[model.AccountID]string, error) {
	if len(accounts) == 0 {
		return map[model.AccountID]string{}, nil
	}
	return byKey[model.AccountID, string](t, fmt.Sprintf(`SELECT account_id, MIN(subject) FROM external_identities WHERE account_id IN (%s) AND issuer = $%d GROUP BY account_id`,
		marks(len(accounts)), len(accounts)+1), append(anys(accounts), issuer)...)
}
