package db

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// exportMax bounds the rows of each kind in an export.
const exportMax = 5000

// exports has the queries whose rows an account may read about itself, by their names in the export, newest rows first. Hashes stay out,
// and so do other accounts' relations to it, open cases, notes of moderators, and the accounts that reported it.
var exports = []struct{ name, columns, from string }{
	{"account", "name, email, guest, sharing, created_at", "accounts WHERE id = $1"},
	{"identities", "issuer, subject, created_at, used_at", "external_identities WHERE account_id = $1 ORDER BY created_at DESC"},
	{"sessions", "address, user_agent, created_at, expires_at", "sessions WHERE realm = 'player' AND subject = $1 ORDER BY created_at DESC"},
	{"settings", "body", "account_settings WHERE account_id = $1"},
	{"presence", "hidden", "presences WHERE account_id = $1"},
	{"relations", "kind, other_id, at", "relations WHERE account_id = $1 ORDER BY at DESC"},
	{"messages", "from_id, to_id, text, at", "direct_messages WHERE from_id = $1 OR to_id = $1 ORDER BY num DESC"},
	{"seat", "lobby_id, slot, kind, team, color, faction, handicap", "seats WHERE account_id = $1"},
	{"lobby events", "lobby_id, kind, body, at", "events WHERE account_id = $1 ORDER BY at DESC, seq DESC"},
	{"party", "party_id, place, faction, seen_at", "party_members WHERE account_id = $1"},
	{"matches", "id, slot, team, outcome, left_at, started_at, ended_at", "match_seats JOIN matches ON id = match_id WHERE account_id = $1 ORDER BY num DESC"},
	{"hosted matches", "id, replays, started_at", "matches WHERE host_id = $1 ORDER BY num DESC"},
	{"watched matches", "match_id", "match_watchers WHERE account_id = $1 ORDER BY match_id DESC"},
	{"ratings", "queue, season, points, provisional, won, lost, drawn, factions, past, decays_at", "ratings WHERE account_id = $1 ORDER BY queue"},
	{"rated matches", "match_id, queue, team, change, rated_at", "rated_seats WHERE account_id = $1 ORDER BY rated_at DESC"},
	{"missions", "mission, stars, seconds", "mission_results WHERE account_id = $1 ORDER BY mission"},
	{"reports", "kind, text, tick, at", "reports WHERE reporter_id = $1 ORDER BY num DESC"},
	{"decisions", "place, outcome, reason, closed_at, appeal, appealed_at", "cases WHERE account_id = $1 AND closed_at > 0 ORDER BY id DESC"},
	{"bans", "scope, reason, created_at, until_at, lifted_at", "bans WHERE account_id = $1 ORDER BY id DESC"},
}

// Export returns the rows that the database has about an account, at most 5,000 of each kind.
func (t Accounts) Export(a model.AccountID) (map[string][]map[string]any, error) {
	out := map[string][]map[string]any{}
	for _, e := range exports {
		columns := strings.Split(e.columns, ", ")
		rows, err := list(t, fmt.Sprintf(`SELECT %s FROM %s LIMIT %d`, e.columns, e.from, exportMax), []any{string(a)}, func(row *map[string]any) []any {
			*row = map[string]any{}
			into := make([]any, len(columns))
			for i, name := range columns {
				into[i] = exported{*row, name}
			}
			return into
		})
		if err != nil {
			return nil, fmt.Errorf("export of %s: %w", e.name, err)
		}
		if len(rows) > 0 {
			out[e.name] = rows
		}
	}
	return out, nil
}

// exported scans one value of an exported row. A time is a [time.Time], stored JSON stays JSON, and an empty value has no entry.
type exported struct {
	row  map[string]any
	name string
}

// Scan implements [sql.Scanner].
func (e exported) Scan(v any) error {
	n, number := v.(int64)
	s, text := v.(string)
	switch {
	case v == nil || text && s == "":
	case number && (e.name == "at" || strings.HasSuffix(e.name, "_at")):
		if n != 0 {
			e.row[e.name] = fromMs(n)
		}
	case number && slices.Contains([]string{"guest", "hidden", "provisional"}, e.name): // SQLite has no type for them
		e.row[e.name] = n != 0
	case text && slices.Contains([]string{"body", "factions", "handicap", "past"}, e.name) && json.Valid([]byte(s)):
		e.row[e.name] = json.RawMessage(s)
	default:
		e.row[e.name] = v
	}
	return nil
}
