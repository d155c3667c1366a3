package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConfigurationFile: a flag counts before the process's variable, that before the
// file, and that before the default. Faults name their line.
func TestConfigurationFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret := write("database-url", "postgres://fogkeep:a-lamp@127.0.0.1/fogkeep\n")
	good := write("fogkeep.conf", "# a comment\n\nFOGKEEP_ADDR=127.0.0.1:1\n FOGKEEP_ADMIN_ADDR = '127.0.0.1:2'\nFOGKEEP_METRICS_ADDR=127.0.0.1:3\n"+
		"FOGKEEP_KEEP_DAYS=\"guests=7\"\nFOGKEEP_DATABASE_URL_FILE="+secret+"\n")
	t.Setenv("FOGKEEP_ADMIN_ADDR", "127.0.0.1:22")
	code, out, errs := fogkeep(t, "config", "print", "--effective", "--config", good, "--metrics-addr=127.0.0.1:33")
	if code != 0 || strings.Contains(out+errs, "a-lamp") {
		t.Fatalf("exit code %d, %s%s", code, out, errs)
	}
	for name, want := range map[string]string{
		"FOGKEEP_ADDR":         "127.0.0.1:1 " + good + ":3",
		"FOGKEEP_ADMIN_ADDR":   "127.0.0.1:22 variable FOGKEEP_ADMIN_ADDR",
		"FOGKEEP_METRICS_ADDR": "127.0.0.1:33 command line",
		"FOGKEEP_KEEP_DAYS":    "guests=7 " + good + ":6",
		"FOGKEEP_LOG_LEVEL":    "info default",
		"FOGKEEP_DATABASE_URL": "(secret) file " + secret,
	} {
		row := regexp.MustCompile(`(?m)^` + name + ` +(.*)$`).FindStringSubmatch(out)
		if row == nil || strings.Join(strings.Fields(row[1]), " ") != want {
			t.Errorf("%s: %q, want %q", name, row, want)
		}
	}

	// The printed file is a configuration file with the same meaning, but for the secret.
	_, printed, _ := fogkeep(t, "config", "print", "--config", good)
	again := write("again.conf", strings.ReplaceAll(printed, "FOGKEEP_DATABASE_URL=(secret)", ""))
	if _, out, errs := fogkeep(t, "config", "print", "--effective", "--config", again); !strings.Contains(out, "guests=7") || errs != "" {
		t.Errorf("the printed file: %s%s", out, errs)
	}

	t.Setenv("FOGKEEP_CONFIG", write("bad.conf", "FOGKEEP_ADDR=nowhere\n"))
	if code, _, errs := fogkeep(t, "config", "check"); code != 1 || !strings.Contains(errs, `--addr "nowhere": want host:port`) {
		t.Errorf("the variable that names the file: exit code %d, %s", code, errs)
	}
	for text, want := range map[string]string{
		"FOGKEEP_ADR=x":                  "wrong.conf:1: fogkeep has no variable FOGKEEP_ADR: did you mean FOGKEEP_ADDR?",
		"\nPATH=x":                       "wrong.conf:2: fogkeep has no variable PATH",
		"FOGKEEP_ADDR":                   `wrong.conf:1: "FOGKEEP_ADDR": want NAME=value`,
		"FOGKEEP_ADDR=a\nFOGKEEP_ADDR=b": "wrong.conf:2: FOGKEEP_ADDR is set twice",
		`FOGKEEP_ADDR="a`:                "wrong.conf:1: FOGKEEP_ADDR: a quoted value ends with its quote",
		"FOGKEEP_CONFIG=x":               "cannot name another one",
		"FOGKEEP_DATABASE_URL_FILE=/no":  "FOGKEEP_DATABASE_URL_FILE: open /no",
		"FOGKEEP_ADDR=\x00":              "wrong.conf: this is no text",
		strings.Repeat("#\n", 150_000):   "wrong.conf: more than 262144 bytes",
	} {
		if code, _, errs := fogkeep(t, "config", "check", "--config="+write("wrong.conf", text)); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%.40q: exit code %d, %q, want %q", text, code, errs, want)
		}
	}
	if code, _, errs := fogkeep(t, "config", "check", "--config", filepath.Join(dir, "none")); code != 1 || !strings.Contains(errs, "--config: open ") {
		t.Errorf("a missing file: exit code %d, %s", code, errs)
	}
}
