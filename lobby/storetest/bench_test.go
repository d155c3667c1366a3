package storetest

import (
	"fmt"
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// BenchmarkStore measures both databases under the most frequent requests: a new guest,
// a session looked up, a seat taken, a seat changed.
func BenchmarkStore(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { bench(b, openSQLite(b, sqlitetest.Dir(b), nil)) })
	b.Run("postgres", func(b *testing.B) { bench(b, openPostgres(b, PostgresURL(b), nil)) })
}

func bench(b *testing.B, store db.Store) {
	h := NewHarness(store, func(c *lobby.Config) { c.Ledger = Unlimited() })
	guest := func() (model.Account, model.Secret) {
		a, token, err := h.Account.Guest(ctx, Home, "")
		must(b, err)
		return a, token
	}
	b.Run("guest", func(b *testing.B) {
		for b.Loop() {
			guest()
		}
	})
	host, token := guest()
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			_, err := h.Account.Session(ctx, Home, token)
			must(b, err)
		}
	})
	l := h.NewLobby(b, host, room.NewLobby{})
	other, _ := guest()
	b.Run("join and leave", func(b *testing.B) {
		for b.Loop() {
			_, err := h.Room.Join(ctx, Home, other, l.ID, room.JoinRequest{})
			must(b, err)
			_, err = h.Room.Leave(ctx, l.ID, other.ID)
			must(b, err)
		}
	})
	b.Run("ready", func(b *testing.B) {
		ready := false
		for b.Loop() {
			ready = !ready
			_, err := h.Room.ChangeSeat(ctx, l.ID, host.ID, model.SeatChange{Ready: &ready, SettingsVersion: &l.SettingsVersion})
			must(b, err)
		}
	})
	for i := range 50 {
		a, _ := guest()
		h.NewLobby(b, a, room.NewLobby{Name: fmt.Sprintf("room %d", i)})
	}
	b.Run("list of 50", func(b *testing.B) {
		for b.Loop() {
			_, err := h.Room.Lobbies(ctx, model.LobbyFilter{Query: "room", Limit: 50})
			must(b, err)
		}
	})
}
