package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
)

func main() {
	var c server.Config
	kong.Parse(&c)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c.Hooks.Ready = func(s *server.Server) {
		if err := json.NewEncoder(os.Stdout).Encode(s.Addresses()); err != nil {
			log.Print(err)
		}
	}
	s, err := server.New(ctx, c)
	if err == nil {
		err = s.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
