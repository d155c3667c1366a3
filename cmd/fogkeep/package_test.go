//go:build release

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/eventually"
)

// TestPackage installs a Debian package into an empty root, plays a match on it, upgrades the package under the match,
// removes it and purges it. FOGKEEP_PACKAGES has the two packages, separated by a colon: make release sets it. There is
// no systemd in the root, so the test stops and starts the program as the unit does. If FOGKEEP_CHROOT names a folder with
// a fresh Debian, as debootstrap makes it, root installs the package there with its scripts, and the program runs inside.
func TestPackage(t *testing.T) {
	first, second, ok := strings.Cut(os.Getenv("FOGKEEP_PACKAGES"), ":")
	if !ok {
		t.Fatal("FOGKEEP_PACKAGES: want two packages, separated by a colon")
	}
	root, debian := t.TempDir(), os.Getenv("FOGKEEP_CHROOT")
	program := filepath.Join(root, "usr/bin/fogkeep")
	if debian != "" {
		root, program = debian, filepath.Join(root, "fogkeep")
		again := filepath.Join(root, root) // a path means the same file inside
		script := fmt.Sprintf("#!/bin/sh\nexec chroot %s /usr/bin/fogkeep \"$@\"\n", root)
		if err := errors.Join(os.MkdirAll(filepath.Dir(again), 0o755), os.Symlink("/", again), os.WriteFile(program, []byte(script), 0o755)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(again) })
	}
	db := filepath.Join(root, "var/lib/dpkg")
	for _, path := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(db, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status", "available"} {
		if f, err := os.OpenFile(filepath.Join(db, name), os.O_CREATE, 0o644); errors.Join(err, f.Close()) != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) {
		t.Helper()
		if debian == "" {
			args = append([]string{"--force-not-root", "--force-script-chrootless", "--force-depends"}, args...)
		}
		args = append([]string{"--root=" + root, "--log=/dev/null"}, args...)
		if out, err := exec.CommandContext(t.Context(), "dpkg", args...).CombinedOutput(); err != nil {
			t.Fatalf("dpkg %q: %v\n%s", args, err, out)
		}
	}
	config := filepath.Join(root, "etc/default/fogkeep")
	version := func() string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), program, "--version").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }

	dpkg("--install", first)
	before := version()
	const own = "FOGKEEP_ADDR=0.0.0.0:80\n" // of the administrator
	if err := os.WriteFile(config, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	var ports clustertest.Ports
	t.Cleanup(ports.Close)
	n, err := clustertest.NewNode(clustertest.Program{Path: program}, &ports, filepath.Join(root, "var/lib"), "fogkeep")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	p := &process{n, t}
	p.start()
	p.open()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "package", URLs: []string{p.URL}, Players: 2, Bots: 1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	playing := func() {
		t.Helper()
		if err := m.Playing(ctx, 10); err != nil {
			t.Fatalf("%v\n%s", err, p.Output(4000))
		}
	}
	playing()
	dpkg("--force-confold", "--install", second)
	if after := version(); after == before {
		t.Errorf("after the upgrade the program says %q, as before", after)
	}
	began := time.Now()
	p.Stop(20 * time.Second)
	p.start()
	p.open()
	for _, c := range m.Players {
		eventually.Holds(t, "the player has a seat after the upgrade", func() bool { return c.Seats() == 2 }, p)
	}
	playing()
	worst := time.Duration(0)
	for _, c := range m.Players {
		worst = max(worst, c.Gap(began, time.Now()))
	}
	t.Logf("%s to %s, at most %v without a frame", strings.TrimSpace(before), strings.TrimSpace(version()), worst.Round(time.Millisecond))
	for _, c := range m.Players {
		c.Quit()
	}
	if err := m.Wait(ctx); err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	wantResult(t, m, 3-int(m.Players[0].Team())-int(m.Players[1].Team()))
	p.Stop(20 * time.Second)
	wantJournal(t, p, m)
	if text, err := os.ReadFile(config); string(text) != own {
		t.Errorf("the upgrade left the configuration %q, %v", text, err)
	}
	dpkg("--remove", "fogkeep")
	if exists(filepath.Join(root, "usr/bin/fogkeep")) || !exists(config) || !exists(n.Data) {
		t.Error("a removed package has its program, or lost its configuration or matches")
	}
	dpkg("--purge", "fogkeep")
	if exists(config) || exists(n.Data) {
		t.Error("a purged package left its configuration or matches")
	}
}
