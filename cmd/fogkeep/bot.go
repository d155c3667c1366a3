package main

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/bot"
)

// botCmd plays as a bot on a server.
type botCmd struct {
	URL      string `name:"url" default:"http://127.0.0.1:8080" help:"The server's player address."`
	Lobby    string `required:"" help:"The lobby to join, by id or name."`
	Password string `env:"FOGKEEP_BOT_LOBBY_PASSWORD" secret:"" help:"The lobby's password, if it has one."`
	Team     int    `default:"-1" help:"The team to choose; -1 takes the lobby's choice."`
	Name     string `default:"bot" help:"The guest's name."`
	Level    string `default:"medium" help:"How well it plays: a level, or a level and a style, such as hard:rush."`
	JSON     bool   `name:"json" help:"Write the result as one JSON object."`
}

// botResult is what bot --json writes.
type botResult struct {
	MatchID    string `json:"matchId"`
	Won        bool   `json:"won"`
	Reason     string `json:"reason"`
	Tick       uint32 `json:"tick"`
	Orders     int    `json:"orders"`
	Reconnects int    `json:"reconnects"`
}

// Run joins the lobby, says ready, and plays the match to its end.
func (c *botCmd) Run(in *invocation) error {
	skill, err := bot.Parse(c.Level)
	if err != nil {
		return err
	}
	lobbies, err := client.New(c.URL)
	if err != nil {
		return err
	}
	account, err := lobbies.Guest(in.Ctx, c.Name)
	if err != nil {
		return err
	}
	lobby, err := lobbies.FindLobby(in.Ctx, c.Lobby)
	if err != nil {
		return err
	}
	if err := lobbies.JoinTeam(in.Ctx, lobby, c.Password, c.Team); err != nil {
		return err
	}
	in.Progress("in lobby %s, waiting for the match to start", lobby)
	if err := lobbies.AwaitMatch(in.Ctx, lobby, account.ID); err != nil {
		return err
	}
	ticket, err := lobbies.Ticket(in.Ctx, lobby)
	if err != nil {
		return err
	}
	r, err := bot.Play(in.Ctx, bot.Config{
		Socket: lobbies.Socket(), Ticket: ticket, Map: lobbies.Map, New: skill.New,
		Log: slog.New(slog.NewTextHandler(in.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	out := botResult{r.MatchID, r.Won, r.Ended.Reason, uint32(r.Tick), r.Orders, r.Reconnects}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(out)
	}
	outcome := "lost"
	if r.Won {
		outcome = "won"
	}
	_, err = fmt.Fprintf(in.Stdout, "%s match %s after %d ticks (%s), %d orders\n", outcome, r.MatchID, r.Tick, out.Reason, r.Orders)
	return err
}
