package lobby_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/store"
)

// oneMap is a library of maps.
type oneMap struct{}

var pond = model.MapInfo{ID: "pond", Name: "Pond", Width: 32, Height: 32, Starts: 2}

func (oneMap) Maps() []model.MapInfo               { return []model.MapInfo{pond} }
func (oneMap) Map(id string) (model.MapInfo, bool) { return pond, id == pond.ID }

// Accounts on the embedded database, without a match service.
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
	s := lobby.New(lobby.Config{Store: db, Maps: oneMap{}})
	account, token, err := s.Account.Guest(ctx, model.Client{}, "Ada")
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := s.Account.Session(ctx, model.Client{}, token)
	fmt.Println(session.Account.Name, session.Account.ID == account.ID, session.Account.Guest, err)
	// Output: Ada true true <nil>
}
