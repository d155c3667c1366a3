package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/pgtest"
)

// program is one run of the program in a process of its own.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=fogkeep")
	return cmd
}

// TestProcessesMigrateAtOnce: processes that find an empty database at the same
// moment bring it up between them, each migration once, and none fails.
func TestProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	for store, where := range map[string]string{
		"sqlite": "--data-dir=" + t.TempDir(), "postgres": "--database-url=" + pgtest.New(t, ""),
	} {
		const many = 4
		var out, errs [many]bytes.Buffer
		var cmds [many]*exec.Cmd
		for i := range many {
			cmds[i] = program("migrate", "up", "--json", where)
			cmds[i].Stdout, cmds[i].Stderr = &out[i], &errs[i]
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		applied, latest := 0, 0
		for i := range many {
			if err := cmds[i].Wait(); err != nil {
				t.Errorf("%s: %v: %s", store, err, &errs[i])
				continue
			}
			var said struct {
				Store            string
				Applied, Version int
			}
			if err := json.Unmarshal(out[i].Bytes(), &said); err != nil || said.Store != store || said.Version == 0 {
				t.Errorf("%s: %q, %v", store, &out[i], err)
			}
			applied, latest = applied+said.Applied, said.Version
		}
		if applied != latest-20 { // the first is 21
			t.Errorf("%s: %d migrations were applied, to version %d", store, applied, latest)
		}
	}
}

// TestTwoServersStartAtOnce: two servers that find an empty PostgreSQL at the
// same moment both open, and one makes the first admin.
func TestTwoServersStartAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.NewWire(t, pgtest.New(t, "")).URL
	servers := []*process{newProcess(t, "--database-url", url), newProcess(t, "--database-url", url)}
	for _, p := range servers {
		p.start()
	}
	passwords := 0
	for _, p := range servers {
		p.open()
	}
	for _, p := range servers {
		p.Stop(20 * time.Second)
		passwords += strings.Count(p.Output(1<<20), "admin password")
	}
	if passwords != 1 {
		t.Errorf("%d first admins:\n%s\n%s", passwords, servers[0].Output(4000), servers[1].Output(4000))
	}
}
