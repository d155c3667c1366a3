package migrations_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// named is the columns that name an account and that no foreign key empties, with the part of the product that empties them
// when the account is deleted, or the time after which the row goes.
var named = map[string]string{
	"audit.subject":                "kept: the audit of admins' actions",
	"bans.account_id":              "kept: a ban that names it",
	"events.account_id":            "Lobbies.DeleteChat",
	"external_identities.subject":  "Accounts.DropExternals",
	"lobbies.host":                 "seat.RemoveEverywhere: the next player is the host, or the lobby closes",
	"match_seats.account_id":       "Accounts.AnonymizeDeleted",
	"match_watchers.account_id":    "Accounts.AnonymizeDeleted",
	"matches.host_id":              "Accounts.AnonymizeDeleted",
	"replay_redactions.account_id": "gone when the journal lacks the account",
	"replay_tickets.account_id":    "gone an hour after the ticket's 30 seconds",
	"resets.account_id":            "Accounts.DropResets",
	"seats.account_id":             "seat.RemoveEverywhere",
	"sessions.subject":             "Sessions.EndAll",
	"tickets.account_id":           "gone an hour after the ticket's 30 seconds",
	"webhook_events.stream":        "gone when the event is delivered, or too old",
}

// unexported is the tables whose rows name an account and are not in its export.
var unexported = map[string]string{
	"audit":             "the actions of admins",
	"lobbies":           "the export has the account's seat",
	"replay_redactions": "of deleted accounts",
	"replay_tickets":    "for 30 seconds; the export has the watched matches",
	"resets":            "a hash",
	"tickets":           "for 30 seconds; the export has the matches",
	"webhook_events":    "until they are delivered to another server",
}

// TestDeletionKnowsTheTables: a deletion of an account reaches each column of the schema that names one: a foreign key
// empties it with the account's row, or this file says what does. An export reads the same tables.
func TestDeletionKnowsTheTables(t *testing.T) {
	target := targets[0] // the schemas are the same: TestSchemas
	_, pool, store := target.fresh(t)
	store()
	rows, err := pool.Query(`SELECT t.name, c.name, COALESCE(f."on_delete", '') FROM sqlite_master t JOIN pragma_table_info(t.name) c
		LEFT JOIN pragma_foreign_key_list(t.name) f ON f."from" = c.name AND f."table" = 'accounts' WHERE t.type = 'table' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	name := regexp.MustCompile(`account|subject|host|reporter|player|^from_id$|^to_id$|other_id|^by$|holder|stream`)
	seen, emptied := map[string]bool{}, map[string]bool{}
	for rows.Next() {
		var table, column, action string
		if err := rows.Scan(&table, &column, &action); err != nil {
			t.Fatal(err)
		}
		at := table + "." + column
		seen[at] = true
		switch {
		case action == "CASCADE" || action == "SET NULL":
			emptied[at] = true
			if named[at] != "" {
				t.Errorf("%s is emptied by its foreign key: take it out of the list", at)
			}
		case (action != "" || name.MatchString(column)) && named[at] == "":
			t.Errorf("%s may name an account: let its foreign key or lobby/account empty it, and name it here", at)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"relations.account_id", "relations.other_id", "presences.account_id", "direct_messages.from_id", "direct_messages.to_id",
		"cases.account_id", "reports.reporter_id", "ratings.account_id", "rated_seats.account_id", "mission_results.account_id"} {
		if !emptied[at] {
			t.Errorf("no foreign key empties %s", at)
		}
	}
	export, err := os.ReadFile("../lobby/db/export.go")
	if err != nil {
		t.Fatal(err)
	}
	for at := range seen {
		table, column, _ := strings.Cut(at, ".")
		read := regexp.MustCompile(`[ "]` + table + `[ "]`).Match(export)
		if !read && unexported[table] == "" && (emptied[at] || name.MatchString(column)) {
			t.Errorf("%s names an account, and its rows are not in the export of an account", at)
		}
		if read && unexported[table] != "" {
			t.Errorf("%s is in the export of an account: take it out of the list", table)
		}
	}
	for at := range named {
		if !seen[at] {
			t.Errorf("there is no %s", at)
		}
	}
}
