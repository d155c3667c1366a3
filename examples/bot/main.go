package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/bot"
)

func main() {
	url := flag.String("url", "http://127.0.0.1:8080", "the server")
	lobby := flag.String("lobby", "", "the lobby to join, by id or name; none: a match against the server's easy bot")
	name := flag.String("name", "commander", "the guest's name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := play(ctx, *url, *lobby, *name, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bot:", err)
		os.Exit(1)
	}
	fmt.Printf("won %v after %d ticks (%s), %d orders\n", r.Won, r.Tick, r.Ended.Reason, r.Orders)
}

// play logs in, takes a seat and plays the match to its end. options are the options of a lobby that it makes.
func play(ctx context.Context, url, lobby, name string, options map[string]any) (r bot.Result, err error) {
	c, err := client.New(url)
	if err != nil {
		return r, err
	}
	me, err := c.Guest(ctx, name)
	if err != nil {
		return r, err
	}
	if lobby == "" {
		lobby, err = against(ctx, c, name, options)
	} else if lobby, err = c.FindLobby(ctx, lobby); err == nil {
		if err = c.JoinTeam(ctx, lobby, "", -1); err == nil {
			err = c.AwaitMatch(ctx, lobby, me.ID)
		}
	}
	if err != nil {
		return r, err
	}
	ticket, err := c.Ticket(ctx, lobby)
	if err != nil {
		return r, err
	}
	return bot.Play(ctx, bot.Config{Socket: c.Socket(), Ticket: ticket, Map: c.Map, New: newCommander})
}

// against makes a lobby against the server's easy bot and starts it.
func against(ctx context.Context, c *client.Client, name string, options map[string]any) (string, error) {
	maps, err := c.Maps(ctx)
	if err == nil && len(maps) == 0 {
		err = errors.New("the server has no maps")
	}
	if err != nil {
		return "", err
	}
	l, err := c.CreateLobby(ctx, api.NewLobby{Name: name, Map: maps[0].ID, Limit: 2, Options: options})
	if err == nil {
		l, err = c.AddBot(ctx, l.ID, api.BotRequest{Level: "easy"})
	}
	if err == nil {
		l, err = c.Start(ctx, l.ID)
	}
	return l.ID, err
}
