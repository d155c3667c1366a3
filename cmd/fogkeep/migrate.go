package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/migrations"
)

// database has the flags of all commands that work on the database.
type database struct {
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" secret:"" help:"postgres://… of the database. Default: the embedded SQLite in the data folder."`
	DataDir     string `env:"FOGKEEP_DATA_DIR" default:"./data" help:"Folder of the embedded database."`
	JSON        bool   `name:"json" help:"Write one JSON object."`
}

// migrateCmd changes the schema. `fogkeep serve` does `up` by itself.
type migrateCmd struct {
	Up     migrateUpCmd     `cmd:"" help:"Apply the missing migrations. Several processes may do so at once."`
	Down   migrateDownCmd   `cmd:"" help:"Take back the newest migration, with its data."`
	Status migrateStatusCmd `cmd:"" help:"List the migrations, and mark the applied ones."`
}

type migrateUpCmd struct {
	database
	To int64 `help:"Stop at this version."`
}

func (c *migrateUpCmd) Run(in *invocation) error {
	return store.Migrate(in.Ctx, c.DatabaseURL, c.DataDir, func(kind string, m *migrations.Migrator) error {
		applied, err := m.Up(in.Ctx, c.To)
		if err != nil {
			return err
		}
		version, err := m.Version(in.Ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(in.Stdout).Encode(map[string]any{"store": kind, "applied": len(applied), "version": version})
		}
		for _, s := range applied {
			fmt.Fprintf(in.Stdout, "applied %s\n", s.Name)
		}
		fmt.Fprintf(in.Stdout, "%s is at version %d\n", kind, version)
		return nil
	})
}

type migrateDownCmd struct {
	database
	Yes bool `help:"Confirm: the data in the migration's tables is lost."`
}

func (c *migrateDownCmd) Run(in *invocation) error {
	if !c.Yes {
		return fmt.Errorf("migrate down deletes the data in the newest migration's tables: make a backup, then give --yes")
	}
	return store.Migrate(in.Ctx, c.DatabaseURL, c.DataDir, func(kind string, m *migrations.Migrator) error {
		undone, err := m.Down(in.Ctx)
		if err != nil {
			return err
		}
		version, err := m.Version(in.Ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(in.Stdout).Encode(map[string]any{"store": kind, "undone": undone.Name, "version": version})
		}
		fmt.Fprintf(in.Stdout, "took back %s; %s is at version %d\n", undone.Name, kind, version)
		return nil
	})
}

type migrateStatusCmd struct {
	database
}

func (c *migrateStatusCmd) Run(in *invocation) error {
	return store.Migrate(in.Ctx, c.DatabaseURL, c.DataDir, func(kind string, m *migrations.Migrator) error {
		list, err := m.Status(in.Ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			type row struct {
				Version int64  `json:"version"`
				Name    string `json:"name"`
				Applied string `json:"applied,omitempty"`
			}
			rows := make([]row, 0, len(list))
			for _, s := range list {
				r := row{Version: s.Version, Name: s.Name}
				if s.Applied {
					r.Applied = s.AppliedAt.UTC().Format("2006-01-02T15:04:05Z")
				}
				rows = append(rows, r)
			}
			return json.NewEncoder(in.Stdout).Encode(map[string]any{"store": kind, "migrations": rows})
		}
		for _, s := range list {
			when := ""
			if s.Applied {
				when = s.AppliedAt.Local().Format("2006-01-02 15:04:05")
			}
			fmt.Fprintf(in.Stdout, "%-20s %s\n", cmp.Or(when, "missing"), s.Name)
		}
		return nil
	})
}
