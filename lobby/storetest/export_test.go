package storetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/report"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// exported: an account reads what the database has about it, and nothing about the accounts that reported or blocked it.
func exported(t *testing.T, h *Harness, _ func() db.Store) {
	ada, _, err := h.Account.Register(ctx, Home, "Ada", "ada@example.org", "orbital mechanics")
	must(t, err)
	bob, eve := h.NewGuest(t, "bob"), h.NewGuest(t, "eve")
	must(t, h.Account.SaveAccountSettings(ctx, ada.ID, json.RawMessage(`{"volume":1}`)))
	h.befriend(t, ada, bob)
	must(t, second(h.Relation.Say(ctx, bob.ID, ada.ID, "hello")))
	l := h.NewLobby(t, ada, room.NewLobby{Map: "ford"})
	_, err = h.Room.Join(ctx, Home, eve, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, ada.ID, "you fool"))
	u, err := h.Hub.Updates(ctx, l.ID, eve.ID, 0)
	must(t, err)
	must(t, h.Report.Report(ctx, Home, eve.ID, report.NewReport{Lobby: string(l.ID), Line: u.Events[len(u.Events)-1].Seq, Kind: "chat", Text: "rude"}))
	must(t, h.Relation.Block(ctx, eve.ID, ada.ID))
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		return tx.Missions.Save(ada.ID, model.MissionResult{Mission: "frost/lake", Stars: 2, Seconds: 100})
	}))
	h.Step(2 * time.Minute) // for the quota

	read := func(a model.Account) (map[string][]map[string]any, string) {
		t.Helper()
		out, err := h.Account.Export(ctx, a.ID)
		must(t, err)
		raw, err := json.Marshal(out)
		must(t, err)
		return out, string(raw)
	}
	out, text := read(ada)
	for kind, rows := range map[string]int{"account": 1, "sessions": 1, "settings": 1, "relations": 1, "messages": 1, "seat": 1, "lobby events": 1, "missions": 1, "decisions": 0, "reports": 0} {
		if len(out[kind]) != rows {
			t.Errorf("the export has %d %s, want %d: %s", len(out[kind]), kind, rows, text)
		}
	}
	for _, part := range []string{`"email":"ada@example.org"`, `"guest":false`, `"body":{"volume":1}`, `"text":"hello"`, `"stars":2`, `"other_id":"` + string(bob.ID) + `"`, `"created_at":"20`} {
		if !strings.Contains(text, part) {
			t.Errorf("the export lacks %s: %s", part, text)
		}
	}
	for _, part := range []string{"argon2", "hash", string(eve.ID), "rude"} {
		if strings.Contains(text, part) {
			t.Errorf("the export has %q: %s", part, text)
		}
	}
	if out, text := read(eve); len(out["reports"]) != 1 || len(out["relations"]) != 1 || strings.Contains(text, "hello") {
		t.Errorf("the export of eve: %s", text)
	}
	var refused error
	for range 60 {
		if _, refused = h.Account.Export(ctx, bob.ID); refused != nil {
			break
		}
	}
	want(t, refused, model.Throttled)
}
