package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/natsnode"
)

// cluster init makes a folder for each machine and says what to run there; what
// cannot work is refused in one line, and nothing is made.
func TestClusterInit(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "cl")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"cluster", "init", out, "--node=n1=127.0.0.1:7101", "--node=n2", "--log=l2=127.0.0.1:7111", "--log=l3=127.0.0.1:7121"}, &stdout, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	for _, line := range []string{"n1: fogkeep serve --cluster " + out, "n2: fogkeep serve", "l2: fogkeep cluster log"} {
		if !strings.Contains(stdout.String(), line) {
			t.Errorf("%q is not in %s", line, &stdout)
		}
	}
	for name, serves := range map[string]bool{"n1": true, "n2": false, "l2": true, "l3": true} {
		f, err := natsnode.Read(filepath.Join(out, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, own := f.Server(); own != serves || len(f.Servers) != 3 || len(f.Nodes) != 2 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for want, args := range map[string][]string{
		"exist":                    {"cluster", "init", out, "--node=n1=127.0.0.1:7101"},
		"--node n1=x":              {"cluster", "init", out + "2", "--node=n1=x"},
		"needs --datab":            {"serve", "--cluster=" + filepath.Join(out, "n1"), "--data-dir=" + t.TempDir()},
		"--node-url any needs":     {"serve", "--node-url=any", "--data-dir=" + t.TempDir()},
		"--node-url":               {"serve", "--node-url=ftp://x", "--data-dir=" + t.TempDir()},
		"--grace":                  {"serve", "--grace=2h", "--data-dir=" + t.TempDir()},
		"store_mib":                {"cluster", "init", out + "3", "--node=n1=127.0.0.1:7101", "--log-store-mib=5"},
		"without a journal server": {"cluster", "log", filepath.Join(out, "n2"), "--data-dir=" + t.TempDir()},
	} {
		stderr.Reset()
		if code := run(t.Context(), args, &stdout, &stderr); code == 0 || !strings.Contains(stderr.String(), want) || strings.Count(strings.TrimSpace(stderr.String()), "\n") > 0 {
			t.Errorf("%v: code %d, %q; want a line with %q", args, code, stderr.String(), want)
		}
	}
}
