package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// A guest makes a lobby and fills it with bots.
func Example() {
	dir, err := os.MkdirTemp("", "lobby")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := store.Open(ctx, "", dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	served := httptest.NewServer(api.New(lobby.New(lobby.Config{Store: db, Maps: storetest.Maps{}, Matches: storetest.NewMatches()}), api.Config{}))
	defer served.Close()

	c, err := client.New(served.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Guest(ctx, "Ada"); err != nil {
		fmt.Println(err)
		return
	}
	l, err := c.CreateLobby(ctx, api.NewLobby{Name: "After work", Map: "delta", Limit: 3})
	for range 2 {
		if err == nil {
			l, err = c.AddBot(ctx, l.ID, api.BotRequest{Level: "hard"})
		}
	}
	fmt.Println(l.Name, "on", l.Map.Name, err)
	for _, seat := range l.Seats {
		fmt.Println(seat.Place, seat.Kind)
	}
	_, err = c.AddBot(ctx, l.ID, api.BotRequest{})
	fmt.Println("one more:", client.Refused(err, model.LobbyFull))
	// Output:
	// After work on Delta <nil>
	// 0 player
	// 1 bot
	// 2 bot
	// one more: true
}
