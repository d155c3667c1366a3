package server_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A server on free ports, with a ruleset of the program's own. A guest comes and asks for
// the offers.
func Example() {
	dir, err := os.MkdirTemp("", "server")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	own, err := rules.Shipped("skirmish")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	c := server.Defaults()
	c.Addr, c.AdminAddr, c.MetricsAddr, c.DataDir, c.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", dir, "error"
	c.Hooks.Rulesets = map[string]*rules.Ruleset{"own-rules": own}
	c.Hooks.Ready = func(s *server.Server) {
		go func() {
			defer stop()
			guest, err := client.New(s.Addresses().Players)
			if err != nil {
				fmt.Println(err)
				return
			}
			account, err := guest.Guest(ctx, "Ada")
			if err != nil {
				fmt.Println(err)
				return
			}
			list, err := guest.Rulesets(ctx)
			for _, r := range list {
				fmt.Println(account.Name, "can play", r.ID)
			}
			if err != nil {
				fmt.Println(err)
			}
		}()
	}
	s, err := server.New(ctx, c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Run(ctx))
	// Output:
	// Ada can play arsenal
	// Ada can play skirmish
	// Ada can play own-rules
	// <nil>
}
