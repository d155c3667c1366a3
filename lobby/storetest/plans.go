package storetest

import (
	"strings"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// DeletionPlans deletes an account and looks at the database's plan for every
// statement: no plan may read a whole table, the small ones aside. open opens a store
// that calls hook for each statement; plan explains one, and scan is the mark of a
// whole read in an explanation.
func DeletionPlans(t *testing.T, open func(hook func(sql string) error) db.Store, plan func(sql string) string, scan string) {
	var mu sync.Mutex
	seen := map[string]bool{}
	watch := false
	h := NewHarness(open(func(sql string) error {
		mu.Lock()
		defer mu.Unlock()
		if watch {
			seen[sql] = true
		}
		return nil
	}))
	host, a := h.NewGuest(t, "host"), h.NewGuest(t, "Dorothy")
	l := h.NewLobby(t, host, room.NewLobby{})
	_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, a.ID, "hello"))
	mu.Lock()
	watch = true
	mu.Unlock()
	must(t, h.Account.DeleteAccount(ctx, Home, a.ID, ""))
	mu.Lock()
	watch = false
	mu.Unlock()
	looked := 0
	for sql := range seen {
		if !strings.Contains(sql, "events") && !strings.Contains(sql, "seats") && !strings.Contains(sql, "accounts") &&
			!strings.Contains(sql, "places") && !strings.Contains(sql, "sessions") && !strings.Contains(sql, "resets") && !strings.Contains(sql, "external_identities") {
			continue // server state and bans are read whole, and are small
		}
		if strings.HasPrefix(sql, "INSERT") {
			continue
		}
		looked++
		if text := plan(sql); strings.Contains(text, scan) {
			t.Errorf("%s\n%s", sql, text)
		}
	}
	if looked < 8 {
		t.Errorf("only %d statements were looked at", looked)
	}
}
