package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/migrations"
)

// Finding is the result of one check of [Config.Diagnose].
type Finding struct {
	Check string // such as "database"
	Text  string // one line, with the remedy if there is one
	State State
}

// State grades a finding.
type State uint8

// The grades, in order.
const (
	Fine  State = iota
	Risky       // works, and may fail or is unsafe
	Wrong       // a server cannot start, or its players do not reach it
)

func (s State) String() string { return [...]string{"ok", "warning", "FAILED"}[s] }

const (
	checkWait = 5 * time.Second        // for one answer from outside
	slowSync  = 100 * time.Millisecond // orders are answered after a write to the disk
	clockSlip = 2 * time.Second        // between two machines
	certSoon  = 14 * 24 * time.Hour
)

// Diagnose checks the surroundings of a server with these settings: ports, disk, clock,
// database, address for players and journal servers. It changes nothing, and may run
// beside the server.
func (c *Config) Diagnose(ctx context.Context) (out []Finding) {
	add := func(check string, state State, format string, args ...any) {
		out = append(out, Finding{check, fmt.Sprintf(format, args...), state})
	}
	failed := func(check string, err error) { add(check, Wrong, "%v", err) }

	if err := c.Check(); err != nil {
		failed("settings", err)
	} else {
		add("settings", Fine, "valid")
	}
	for _, w := range c.Warnings() {
		add("settings", Risky, "%s", w)
	}
	runs := c.checkPorts(ctx, add)
	c.checkData(add)
	if err := c.checkMatches(add); err != nil {
		failed("matches", err)
	}
	c.checkDatabase(ctx, add)
	c.checkReach(ctx, runs, add)
	if c.Cluster != "" {
		if err := checkJournalServers(ctx, c.Cluster, add); err != nil {
			failed("cluster", err)
		}
	}
	return out
}

type addFinding = func(check string, state State, format string, args ...any)

// checkPorts opens each address. It returns whether a server on the same data folder holds
// them.
func (c *Config) checkPorts(ctx context.Context, add addFinding) (runs bool) {
	held, _ := os.ReadFile(filepath.Join(c.DataDir, lockFile)) // no file: no server
	for _, l := range []*listen.Server{
		{Name: "player", Addr: c.Addr, Setting: "--addr or FOGKEEP_ADDR"}, {Name: "admin", Addr: c.AdminAddr, Setting: "--admin-addr or FOGKEEP_ADMIN_ADDR"},
		{Name: "service", Addr: c.ServiceAddr, Setting: "--service-addr or FOGKEEP_SERVICE_ADDR"}, {Name: "metrics", Addr: c.MetricsAddr, Setting: "--metrics-addr or FOGKEEP_METRICS_ADDR"},
	} {
		if l.Addr == "" {
			continue
		}
		err := l.Open(ctx)
		_, port, _ := net.SplitHostPort(l.Addr)
		switch {
		case err == nil:
			l.Close()
			add("ports", Fine, "%s address %s is free", l.Name, l.Addr)
		case errors.Is(err, listen.ErrInUse) && slices.ContainsFunc(strings.Fields(string(held)), func(at string) bool { return strings.HasSuffix(at, ":"+port) }):
			runs = true
			add("ports", Fine, "%s address %s belongs to the server on %s", l.Name, l.Addr, c.DataDir)
		default:
			add("ports", Wrong, "%v", err)
		}
	}
	return runs
}

// checkData writes a small file into the data folder, and removes it.
func (c *Config) checkData(add addFinding) {
	if _, err := os.Stat(c.DataDir); errors.Is(err, fs.ErrNotExist) {
		add("disk", Fine, "data folder %s does not exist: the first start makes it", c.DataDir)
		return
	}
	begin := time.Now()
	err := journal.Probe(c.DataDir)
	took := time.Since(begin).Round(time.Millisecond / 10)
	switch {
	case err != nil:
		add("disk", Wrong, "data folder %s cannot be written: %v: it must be a folder on a disk, and belong to the user of the server", c.DataDir, cause(err))
		return
	case took > slowSync:
		add("disk", Risky, "a write to the disk of %s took %v, and each order waits for one: use a local disk, best an SSD", c.DataDir, took)
	default:
		add("disk", Fine, "a write to the disk of %s took %v", c.DataDir, took)
	}
	free, err := dataDisk(c.DataDir).Free()
	reserve := int64(c.DiskReserveMiB) << 20
	switch {
	case err != nil:
		add("disk", Risky, "%v", err)
	case free < reserve:
		add("disk", Wrong, "%d MiB are free, and the server starts no match below %d MiB (--disk-reserve-mib): delete files, or store fewer days (--keep-days)", free>>20, c.DiskReserveMiB)
	case free < 4*reserve:
		add("disk", Risky, "%d MiB are free; the server starts no match below %d MiB (--disk-reserve-mib)", free>>20, c.DiskReserveMiB)
	default:
		add("disk", Fine, "%d MiB are free", free>>20)
	}
}

// namedMatchesMax is how many matches the doctor names.
const namedMatchesMax = 10

// errHeaderRead ends the reading of a journal after its header.
var errHeaderRead = errors.New("the header is read")

// checkMatches names the running matches that this build cannot continue.
func (c *Config) checkMatches(add addFinding) error {
	folder := filepath.Join(c.DataDir, "journals")
	if _, err := os.Stat(folder); err != nil || c.Cluster != "" {
		return nil // none yet, or the cluster's journal servers have them
	}
	dir, err := journal.OpenDir(folder)
	if err != nil {
		return err
	}
	running, err := dir.List()
	if err != nil {
		return err
	}
	foreign := 0
	for _, id := range running {
		_, err := journal.Walk(func(each func(uint64, []byte) error) error {
			_, err := journal.ReadFile(dir.Path(id), each)
			return err
		}, func(_ uint64, r journal.Record, _ *journal.Summary) error {
			if r.Header == nil {
				return errHeaderRead
			}
			return cmp.Or(r.Header.SameBuild(), errHeaderRead)
		})
		if !journal.OfOtherBuild(err) {
			continue
		}
		if foreign++; foreign <= namedMatchesMax {
			add("matches", Risky, "this build cannot continue match %s: %v. Upgrade once it has ended, or keep the earlier build: the match waits for it (--wait-for-build)", id, err)
		}
	}
	switch {
	case foreign > namedMatchesMax:
		add("matches", Risky, "this build cannot continue %d of %d running matches", foreign, len(running))
	case foreign == 0:
		add("matches", Fine, "this build continues all running matches: %d", len(running))
	}
	return nil
}

// checkDatabase asks the database for its migrations and its clock.
func (c *Config) checkDatabase(ctx context.Context, add addFinding) {
	ctx, cancel := context.WithTimeout(ctx, 3*checkWait)
	defer cancel()
	if c.DatabaseURL == "" {
		if _, err := os.Stat(filepath.Join(c.DataDir, "fogkeep.db")); err != nil {
			add("database", Fine, "SQLite: the first start makes the database")
			return
		}
	} else if conn, err := pgx.Connect(ctx, c.DatabaseURL); err == nil {
		var there time.Time
		err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there)
		slip := time.Since(there).Round(time.Millisecond)
		_ = conn.Close(ctx)
		if err == nil {
			checkClock(add, "the database", slip)
		}
	}
	err := store.Migrate(ctx, c.DatabaseURL, c.DataDir, func(kind string, m *migrations.Migrator) error {
		states, err := m.Status(ctx)
		if err != nil {
			return err
		}
		missing := 0
		for _, s := range states {
			if !s.Applied {
				missing++
			}
		}
		if missing > 0 {
			add("database", Risky, "%s answers; the next start applies %d of %d migrations: make a backup before", kind, missing, len(states))
		} else {
			add("database", Fine, "%s answers, with all %d migrations", kind, len(states))
		}
		return nil
	})
	if err != nil {
		add("database", Wrong, "%v", c.noStore(err))
	}
}

func checkClock(add addFinding, whose string, slip time.Duration) {
	if slip.Abs() > clockSlip {
		add("clock", Risky, "this machine's clock and that of %s differ by %v: let both follow one time server (NTP)", whose, slip)
		return
	}
	add("clock", Fine, "this machine and %s agree within %v", whose, max(slip.Abs(), time.Millisecond))
}

// checkReach asks the server under the address that players use.
func (c *Config) checkReach(ctx context.Context, runs bool, add addFinding) {
	if c.PublicURL == "" {
		if c.Local() {
			add("reach", Risky, "only this machine reaches %s: for players elsewhere set --addr 0.0.0.0:8080 (FOGKEEP_ADDR), or --public-url (FOGKEEP_PUBLIC_URL) to the address of a proxy", c.Addr)
		} else {
			add("reach", Fine, "other machines reach %s if no firewall is between; links carry the address that the player's browser uses", c.Addr)
		}
		return
	}
	if !runs {
		add("reach", Fine, "%s was not asked: the server does not run", c.PublicURL)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	sent := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.PublicURL, "/")+"/readyz", nil)
	if err != nil {
		add("reach", Wrong, "%v", err)
		return
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		if at := (*url.Error)(nil); errors.As(err, &at) {
			err = at.Err // the line has the address already
		}
		add("reach", Wrong, "players do not reach %s: %v: check DNS, the proxy and the firewall", c.PublicURL, err)
		return
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10)) // its begin is enough
	switch {
	case res.StatusCode == http.StatusOK && strings.TrimSpace(string(body)) == "ok":
		add("reach", Fine, "%s answers after %v", c.PublicURL, time.Since(sent).Round(time.Millisecond))
	case res.StatusCode == http.StatusServiceUnavailable:
		add("reach", Wrong, "%s answers, and the server is not ready: %.300s", c.PublicURL, body)
	default:
		add("reach", Wrong, "%s/readyz answers %s: the address leads to another program, or the proxy does not forward this path", c.PublicURL, res.Status)
	}
	if at, err := http.ParseTime(res.Header.Get("Date")); err == nil { // whole seconds
		checkClock(add, c.PublicURL, sent.Sub(at).Truncate(time.Second))
	}
}

// checkJournalServers connects to each journal server of a cluster.
func checkJournalServers(ctx context.Context, dir string, add addFinding) error {
	folder, err := natsnode.Read(dir)
	if err != nil {
		return err
	}
	if left := time.Until(folder.Expires()); left < certSoon {
		add("cluster", Risky, "the certificate in %s ends in %v: renew it (docs/operate/cluster.md)", dir, left.Round(time.Hour))
	}
	answer := 0
	for _, s := range folder.Servers {
		conn, err := (&net.Dialer{Timeout: checkWait}).DialContext(ctx, "tcp", s.Clients)
		if err != nil {
			add("cluster", Risky, "journal server %s at %s does not answer: %v: start it, or open the port", s.Name, s.Clients, cause(err))
			continue
		}
		conn.Close()
		answer++
	}
	if 2*answer <= len(folder.Servers) {
		add("cluster", Wrong, "%d of %d journal servers answer, and matches need a majority", answer, len(folder.Servers))
		return nil
	}
	add("cluster", Fine, "%d of %d journal servers answer", answer, len(folder.Servers))
	return nil
}
