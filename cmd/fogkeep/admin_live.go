package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/spec"
)

// running is a running server, as one of its admins: what a command needs that
// works on live matches, which no database has.
type running struct {
	AdminURL string `name:"admin-url" env:"FOGKEEP_ADMIN_URL" default:"http://127.0.0.1:8081" help:"The server's admin address."`
	As       string `env:"FOGKEEP_ADMIN_NAME" default:"admin" help:"The admin's name."`
	Password string `env:"FOGKEEP_ADMIN_PASSWORD" required:"" secret:"" help:"The admin's password. Give it by the variable: others can read a command line."`
}

// asAdmin logs in, runs fn and logs out.
func (r *running) asAdmin(in *invocation, fn func(*client.Client) error) error {
	c, err := client.New(r.AdminURL)
	if err != nil {
		return err
	}
	if err := c.AdminLogIn(in.Ctx, r.As, r.Password); err != nil {
		return err
	}
	defer c.Call(in.Ctx, http.MethodPost, "/admin/api/logout", nil, nil) // the session ends by itself too
	return fn(c)
}

type adminBudgetCmd struct {
	running
	Match     string `arg:"" help:"The match's id."`
	BytesPerS int    `arg:"" name:"bytes" help:"Bytes of payload per second, 512 or more; 0: the server's setting."`
	Slot      int    `default:"-1" help:"The player's slot in the match. Default: all players and spectators."`
	JSON      bool   `name:"json" help:"Write one JSON object."`
}

func (c *adminBudgetCmd) Run(in *invocation) error {
	return c.asAdmin(in, func(to *client.Client) error {
		body := api.MatchBudget{BytesPerS: c.BytesPerS}
		clients := "all connections"
		if c.Slot >= 0 {
			body.Start, clients = &c.Slot, fmt.Sprint("slot ", c.Slot)
		}
		if err := to.Call(in.Ctx, http.MethodPost, "/admin/api/matches/"+url.PathEscape(c.Match)+"/budget", body, nil); err != nil {
			return err
		}
		return answer(in, c.JSON, fmt.Sprintf("%s: %d bytes per second", clients, c.BytesPerS), body)
	})
}

type adminTraceCmd struct {
	running
	Match string        `arg:"" help:"The match's id."`
	Slot  string        `arg:"" help:"The player's slot, or spectators."`
	For   time.Duration `default:"30s" help:"Length of the log, up to 5m."`
	From  string        `enum:"server,client," default:"" help:"Only messages of this sender: server or client."`
	Part  string        `help:"Only messages with this part, such as motion or orders."`
	// Entity is the player's number of an entity: each team has its own numbers.
	Entity uint32 `help:"Only messages about the entity with this number."`
	JSON   bool   `name:"json" help:"Write one JSON object per message."`
}

func (c *adminTraceCmd) Run(in *invocation) error {
	if c.For < time.Second {
		return fmt.Errorf("--for %v: want at least 1s", c.For)
	}
	return c.asAdmin(in, func(to *client.Client) error {
		q := url.Values{"slot": {c.Slot}, "seconds": {strconv.Itoa(int(c.For / time.Second))}}
		if c.From != "" {
			q.Set("from", c.From)
		}
		if c.Part != "" {
			q.Set("part", c.Part)
		}
		if c.Entity != 0 {
			q.Set("entity", strconv.FormatUint(uint64(c.Entity), 10))
		}
		answer, err := to.Stream(in.Ctx, "/admin/api/live/matches/"+url.PathEscape(c.Match)+"/trace?"+q.Encode())
		if err != nil {
			return err
		}
		defer answer.Close()
		if c.JSON {
			_, err = io.Copy(in.Stdout, answer)
			return err
		}
		lines := bufio.NewScanner(answer)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var l spec.TraceLine
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				return fmt.Errorf("the server's answer: %w", err)
			}
			if _, err := fmt.Fprintln(in.Stdout, traceText(&l)); err != nil {
				return err
			}
		}
		return lines.Err()
	})
}

// traceEntitiesMax bounds the entities that a line for people names.
const traceEntitiesMax = 8

// traceText is a line for people: time, tick, direction, bytes, bytes and rows of each part, orders, answers, entities.
func traceText(l *spec.TraceLine) string {
	var b strings.Builder
	if l.Lost > 0 {
		fmt.Fprintf(&b, "(%d messages are missing)\n", l.Lost)
	}
	fmt.Fprintf(&b, "%s  tick %d  %s %d bytes", l.Time.Format("15:04:05.000"), l.Tick, l.From, l.Bytes)
	if l.Snapshot {
		b.WriteString("  snapshot")
	}
	for _, p := range l.Parts {
		fmt.Fprintf(&b, "  %s %d", p.Name, p.Bytes)
		if p.Rows > 1 {
			fmt.Fprintf(&b, "/%d", p.Rows)
		}
	}
	if l.Account != "" {
		fmt.Fprintf(&b, "  account %s", l.Account)
	}
	for _, c := range l.Calls {
		fmt.Fprintf(&b, "\n    order %d %s", c.Number, c.Kind)
		for i, u := range c.Units {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %v", u)
		}
		if c.Target != nil {
			fmt.Fprintf(&b, " at %v", c.Target)
		}
	}
	for _, a := range l.Answers {
		fmt.Fprintf(&b, "\n    answer %d %s", a.Number, a.Code)
	}
	for _, e := range l.Entities[:min(len(l.Entities), traceEntitiesMax)] {
		fmt.Fprintf(&b, "\n    %v:", e.TraceName)
		for _, p := range e.Parts {
			fmt.Fprintf(&b, " %s %d", p.Name, p.Bytes)
		}
	}
	if more := len(l.Entities) - traceEntitiesMax; more > 0 {
		fmt.Fprintf(&b, "\n    and %d more entities: --json lists them", more)
	}
	return b.String()
}
