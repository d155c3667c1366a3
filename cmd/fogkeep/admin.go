package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/store"
)

// adminCmd is for the first steps and for emergencies: it works on the
// database itself, whether the server runs or not. Every change leaves an
// audit row that names the system's user. Commands about live matches ask the
// running server, as one of its admins (running).
type adminCmd struct {
	Add           adminAddCmd      `cmd:"" help:"Make an admin with a generated password."`
	List          adminListCmd     `cmd:"" help:"List the admins."`
	Password      adminPasswordCmd `cmd:"" help:"Generate a new password for an admin."`
	Rights        adminRightsCmd   `cmd:"" help:"Change an admin's rights."`
	Disable       adminDisableCmd  `cmd:"" help:"Disable or enable an admin."`
	ResetPassword adminResetCmd    `cmd:"" help:"Make a single-use link by which a player sets a new password."`
	Logout        adminLogoutCmd   `cmd:"" help:"End all sessions of a player."`
	Ban           adminBanCmd      `cmd:"" help:"Ban a player or a range of addresses."`
	Unban         adminUnbanCmd    `cmd:"" help:"Lift a ban."`
	Drain         adminDrainCmd    `cmd:"" help:"Stop new matches; live ones finish."`
	Audit         adminAuditCmd    `cmd:"" help:"The record of the admins' actions."`
	Key           adminKeyCmd      `cmd:"" help:"Manage the keys with which other servers use the service API."`
	Budget        adminBudgetCmd   `cmd:"" help:"Limit the bytes per second that the server sends to connections of a live match."`
	Trace         adminTraceCmd    `cmd:"" help:"Log the messages to a player of a live match: tick, size, parts."`
}

// adminSession opens the database and acts on it as the system's user.
func (d *database) adminSession(in *invocation, fn func(*admin.Session) error) error {
	kept, err := store.Open(in.Ctx, d.DatabaseURL, d.DataDir, nil)
	if err != nil {
		return err
	}
	defer kept.Close()
	return fn(lobby.New(lobby.Config{Store: kept}).Admin.OperatorSession(operator()))
}

// operator is who runs this process: by its user id in the system, not by an environment variable.
func operator() admin.Operator {
	o := admin.Operator{Name: "unknown", Claimed: os.Getenv("SUDO_USER")}
	if id := os.Getuid(); id >= 0 {
		o.UID = strconv.Itoa(id)
		if u, err := user.LookupId(o.UID); err == nil {
			o.Name = u.Username
		}
	} else if u, err := user.Current(); err == nil { // Windows has no such number
		o.Name, o.UID = u.Username, u.Uid
	}
	return o
}

// answer writes a result for people, or as one JSON object.
func answer(in *invocation, asJSON bool, text string, object any) error {
	if asJSON {
		return json.NewEncoder(in.Stdout).Encode(object)
	}
	_, err := fmt.Fprintln(in.Stdout, text)
	return err
}

type adminAddCmd struct {
	database
	Name string `arg:"" help:"Name to log in by."`
	Role string `default:"viewer" enum:"viewer,moderator,admin" help:"Its role: ${enum}."`
	Fog  bool   `help:"May look through the fog of live matches."`
}

func (c *adminAddCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		password, err := d.Admins().Add(in.Ctx, c.Name, model.Role(c.Role), c.Fog)
		if err != nil {
			return fmt.Errorf("admin %q: %w", c.Name, err)
		}
		return answer(in, c.JSON, fmt.Sprintf("admin %s made, role %s\npassword: %s\n(shown this once)", c.Name, c.Role, password),
			map[string]any{"name": c.Name, "role": c.Role, "fog": c.Fog, "password": password})
	})
}

type adminListCmd struct {
	database
}

func (c *adminListCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		list, err := d.Admins().List(in.Ctx)
		if err != nil {
			return err
		}
		type row struct {
			Name     string `json:"name"`
			Role     string `json:"role"`
			Fog      bool   `json:"fog"`
			Disabled bool   `json:"disabled"`
		}
		rows := make([]row, 0, len(list))
		for _, x := range list {
			rows = append(rows, row{x.Name, string(x.Role), x.Fog, !x.Disabled.IsZero()})
		}
		if c.JSON {
			return json.NewEncoder(in.Stdout).Encode(map[string]any{"admins": rows})
		}
		w := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
		for _, r := range rows {
			fmt.Fprintf(w, "%s\t%s\tfog %t\tdisabled %t\n", r.Name, r.Role, r.Fog, r.Disabled)
		}
		return w.Flush()
	})
}

type adminPasswordCmd struct {
	database
	Name string `arg:"" help:"The admin."`
}

func (c *adminPasswordCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		password, err := d.Admins().NewPassword(in.Ctx, c.Name)
		if err != nil {
			return fmt.Errorf("admin %q: %w", c.Name, err)
		}
		return answer(in, c.JSON, fmt.Sprintf("password of %s: %s\n(shown this once; its sessions have ended)", c.Name, password),
			map[string]any{"name": c.Name, "password": password})
	})
}

type adminDisableCmd struct {
	database
	Name string `arg:"" help:"The admin."`
	Undo bool   `help:"Enable it."`
}

func (c *adminDisableCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		disabled := !c.Undo
		admin, err := d.Admins().Change(in.Ctx, c.Name, admin.AdminChange{Disabled: &disabled})
		if err != nil {
			return fmt.Errorf("admin %q: %w", c.Name, err)
		}
		return answer(in, c.JSON, fmt.Sprintf("%s: disabled %t", admin.Name, disabled), map[string]any{"name": admin.Name, "disabled": disabled})
	})
}

type adminRightsCmd struct {
	database
	Name string `arg:"" help:"The admin."`
	Role string `required:"" enum:"viewer,moderator,admin" help:"Its role: ${enum}."`
	Fog  bool   `help:"Lets it look through the fog of live matches. Leave it out to take the right away."`
}

func (c *adminRightsCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		role := model.Role(c.Role)
		admin, err := d.Admins().Change(in.Ctx, c.Name, admin.AdminChange{Role: &role, Fog: &c.Fog})
		if err != nil {
			return fmt.Errorf("admin %q: %w", c.Name, err)
		}
		return answer(in, c.JSON, fmt.Sprintf("%s: %s, fog %t", admin.Name, admin.Role, admin.Fog),
			map[string]any{"name": admin.Name, "role": string(admin.Role), "fog": admin.Fog})
	})
}

type adminResetCmd struct {
	database
	Player    string `arg:"" help:"Name, email or id of the player."`
	PublicURL string `env:"FOGKEEP_PUBLIC_URL" default:"http://127.0.0.1:8080" help:"Address at which players reach the server."`
}

func (c *adminResetCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		token, account, err := d.ResetPassword(in.Ctx, c.Player)
		if err != nil {
			return err
		}
		link, until := admin.ResetLink(c.PublicURL, token), time.Now().Add(admin.ResetLife)
		return answer(in, c.JSON, fmt.Sprintf("give this to %s; it works once, until %s:\n%s", account.Name, until.Format("2006-01-02 15:04"), link),
			map[string]any{"account": account.ID, "name": account.Name, "link": link, "expires": until.UTC().Format(time.RFC3339)})
	})
}

type adminLogoutCmd struct {
	database
	Player string `arg:"" help:"Name, email or id of the player."`
}

func (c *adminLogoutCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		n, err := d.EndSessions(in.Ctx, c.Player)
		if err != nil {
			return err
		}
		return answer(in, c.JSON, fmt.Sprintf("%d sessions ended", n), map[string]any{"sessions": n})
	})
}

type adminBanCmd struct {
	database
	Player string        `arg:"" optional:"" help:"Name, email or id of the player; or give --range."`
	Range  string        `help:"An address or a range, such as 192.0.2.0/24."`
	Reason string        `required:"" help:"The reason that the banned player sees."`
	For    time.Duration `help:"The length of the ban, such as 72h. Without it the ban is permanent."`
}

func (c *adminBanCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		ban, err := d.Ban(in.Ctx, admin.NewBan{Account: c.Player, Range: c.Range, Reason: c.Reason, For: c.For})
		if err != nil {
			return err
		}
		return answer(in, c.JSON, fmt.Sprintf("ban %d holds", ban.ID), map[string]any{"ban": ban.ID})
	})
}

type adminUnbanCmd struct {
	database
	Ban int64 `arg:"" help:"The ban's number."`
}

func (c *adminUnbanCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		if _, err := d.LiftBan(in.Ctx, c.Ban); err != nil {
			return fmt.Errorf("ban %d: %w", c.Ban, err)
		}
		return answer(in, c.JSON, fmt.Sprintf("ban %d lifted", c.Ban), map[string]any{"ban": c.Ban, "lifted": true})
	})
}

type adminDrainCmd struct {
	database
	State string `arg:"" enum:"on,off" help:"on or off."`
}

func (c *adminDrainCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		if err := d.Drain(in.Ctx, c.State == "on"); err != nil {
			return err
		}
		return answer(in, c.JSON, "drain is "+c.State, map[string]any{"draining": c.State == "on"})
	})
}

type adminAuditCmd struct {
	List   adminAuditListCmd   `cmd:"" default:"withargs" help:"List the actions, newest first."`
	Verify adminAuditVerifyCmd `cmd:"" help:"Verify the chain of hashes, and report changed or missing rows."`
}

type adminAuditVerifyCmd struct {
	database
	Head string `help:"LINK:HASH of an earlier run. The chain must still contain it."`
}

func (c *adminAuditVerifyCmd) Run(in *invocation) error {
	var since model.AuditHead
	if err := since.UnmarshalText([]byte(c.Head)); err != nil {
		return fmt.Errorf("--head: %w", err)
	}
	return c.adminSession(in, func(d *admin.Session) error {
		r, err := d.VerifyAudit(in.Ctx, since)
		if err != nil {
			return err
		}
		if r.Broken != "" {
			return fmt.Errorf("the audit is not whole: %s", r.Broken)
		}
		return answer(in, c.JSON, fmt.Sprintf("%d rows fit; keep this elsewhere, and give it to --head the next time:\n%d:%s", r.Rows, r.Head.Link, r.Head.Hash), r)
	})
}

type adminAuditListCmd struct {
	database
	Limit int `default:"50" help:"Number of rows."`
}

func (c *adminAuditListCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		rows, err := d.Audit(in.Ctx, 0, c.Limit)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(in.Stdout).Encode(map[string]any{"rows": append([]model.AuditRow{}, rows...)})
		}
		w := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
		for _, r := range rows {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.At.Local().Format("2006-01-02 15:04:05"), r.Admin, r.Action, r.Subject, r.Detail)
		}
		return w.Flush()
	})
}
