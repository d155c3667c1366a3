package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// adminKeyCmd manages the keys by which other servers use the service API.
type adminKeyCmd struct {
	Add    adminKeyAddCmd    `cmd:"" help:"Make a service key."`
	List   adminKeyListCmd   `cmd:"" help:"List the service keys."`
	Rotate adminKeyRotateCmd `cmd:"" help:"Give a service key a new secret."`
	Revoke adminKeyRevokeCmd `cmd:"" help:"End a service key at once."`
}

type adminKeyAddCmd struct {
	database
	Name    string        `arg:"" help:"Its purpose."`
	Issuer  string        `required:"" help:"The issuer of the players that it names: the issuer of the game's log-in, or else any word."`
	Scope   []string      `required:"" help:"Its rights: matches:read, matches:write, players:read, webhooks:write."`
	Expires time.Duration `help:"Its lifetime, such as 720h. Without it the key does not expire."`
}

func (c *adminKeyAddCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		n := studio.NewServiceKey{Name: c.Name, Issuer: c.Issuer, Expires: c.Expires}
		for _, s := range c.Scope {
			n.Scopes = append(n.Scopes, model.Scope(s))
		}
		key, secret, err := d.Keys().Add(in.Ctx, n)
		if err != nil {
			return err
		}
		return answer(in, c.JSON, fmt.Sprintf("key %s made for %s\nsecret: %s\n(shown this once)", key.ID, key.Issuer, secret),
			map[string]any{"id": key.ID, "name": key.Name, "issuer": key.Issuer, "scopes": key.Scopes, "secret": secret})
	})
}

type adminKeyListCmd struct {
	database
}

func (c *adminKeyListCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		list, err := d.Keys().List(in.Ctx)
		if err != nil {
			return err
		}
		type row struct {
			ID     string        `json:"id"`
			Name   string        `json:"name"`
			Issuer string        `json:"issuer"`
			Scopes []model.Scope `json:"scopes"`
			State  string        `json:"state"` // holds, expired or revoked
			Used   time.Time     `json:"used,omitzero"`
		}
		rows := make([]row, 0, len(list))
		for _, k := range list {
			r := row{k.ID, k.Name, k.Issuer, k.Scopes, "holds", k.Used}
			switch {
			case !k.Revoked.IsZero():
				r.State = "revoked"
			case !k.Holds(time.Now()):
				r.State = "expired"
			}
			rows = append(rows, r)
		}
		if c.JSON {
			return json.NewEncoder(in.Stdout).Encode(map[string]any{"keys": rows})
		}
		w := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
		for _, r := range rows {
			used := "never used"
			if !r.Used.IsZero() {
				used = "used " + r.Used.Local().Format("2006-01-02 15:04")
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%v\t%s\t%s\n", r.ID, r.Name, r.Issuer, r.Scopes, r.State, used)
		}
		return w.Flush()
	})
}

type adminKeyRotateCmd struct {
	database
	Key     string        `arg:"" help:"The key's id."`
	Overlap time.Duration `default:"24h" help:"Time for which the old secret still works."`
}

func (c *adminKeyRotateCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		key, secret, err := d.Keys().Rotate(in.Ctx, c.Key, c.Overlap)
		if err != nil {
			return err
		}
		return answer(in, c.JSON, fmt.Sprintf("new secret of key %s: %s\n(shown this once; the old one works for %s)", key.ID, secret, c.Overlap),
			map[string]any{"id": key.ID, "secret": secret})
	})
}

type adminKeyRevokeCmd struct {
	database
	Key string `arg:"" help:"The key's id."`
}

func (c *adminKeyRevokeCmd) Run(in *invocation) error {
	return c.adminSession(in, func(d *admin.Session) error {
		if err := d.Keys().Revoke(in.Ctx, c.Key); err != nil {
			return err
		}
		return answer(in, c.JSON, fmt.Sprintf("key %s revoked", c.Key), map[string]any{"id": c.Key, "revoked": true})
	})
}
