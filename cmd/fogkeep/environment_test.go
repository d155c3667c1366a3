package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnknownVariables: a variable that looks like a setting and is none stops the start.
func TestUnknownVariables(t *testing.T) {
	for _, c := range []struct {
		name, value string
		command     []string
		want        string // "": it is not this that stops the command
	}{
		{"FOGKEEP_DATADIR", "/x", []string{"serve"}, "fogkeep has no variable FOGKEEP_DATADIR: did you mean FOGKEEP_DATA_DIR?"},
		{"FOGKEEP_DATADIR", "/x", []string{"migrate", "status"}, "did you mean FOGKEEP_DATA_DIR?"},
		{"FOGKEEP_COLOUR", "red", []string{"serve"}, "fogkeep has no variable FOGKEEP_COLOUR: correct or unset it"},
		{"FOGKEEP_COLOUR", "red", []string{"migrate", "status"}, ""},
		{"FOGKEEP_OUR_SECRET", "s", []string{"serve"}, ""}, // the identity file names it
		{"FOGKEEP_TEST_MAPS", "x", []string{"serve"}, ""},
		{"FOGKEEP_ADMIN_PASSWORD", "x", []string{"serve"}, ""}, // of other commands
		{"FOGKEEP_PORT_8080_TCP_ADDR", "10.0.0.1", []string{"serve"}, ""},
		{"FOGKEEP_ADMIN_SERVICE_PORT_HTTP", "8081", []string{"serve"}, ""},
		{"FOGKEEP_PORT", "tcp://10.0.0.1:8080", []string{"serve"}, ""},
	} {
		t.Run(c.name+" "+c.command[0], func(t *testing.T) {
			t.Setenv("FOGKEEP_DATA_DIR", t.TempDir())
			identity := filepath.Join(t.TempDir(), "identity.json")
			if err := os.WriteFile(identity, []byte(`{"providers":[{"id":"ask","name":"Ask","kind":"url","url":"https://127.0.0.1/check","secretEnv":"FOGKEEP_OUR_SECRET"}]}`), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("FOGKEEP_OUR_SECRET", "s")
			t.Setenv(c.name, c.value)
			args := c.command
			if args[0] == "serve" { // which stops for another reason
				args = append(args, "--identity-file", identity, "--disk-reserve-mib=-1")
			}
			code, _, errs := fogkeep(t, args...)
			if c.want != "" && (code == 0 || !strings.Contains(errs, c.want)) || c.want == "" && strings.Contains(errs, "the variable") {
				t.Errorf("exit code %d, %q", code, errs)
			}
		})
	}
}

// TestMissingFolders: a folder of maps and rulesets that is named and is missing, or is
// a file, stops the start.
func TestMissingFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"/nowhere": "the folder does not exist", file: "this is no folder"} {
		code, _, errs := fogkeep(t, "serve", "--data-dir", t.TempDir(), "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0", "--content-dir", dir)
		if code != 1 || !strings.Contains(errs, "--content-dir "+dir+": "+want) {
			t.Errorf("%s: exit code %d, %q", dir, code, errs)
		}
	}
}
