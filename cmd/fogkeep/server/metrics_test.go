package server

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// described lists the metrics that a server adds to the usual ones of Go and of processes.
func described(t *testing.T, r *prometheus.Registry) (names []string, rows map[string]string) {
	t.Helper()
	descs := make(chan *prometheus.Desc, 1000)
	r.Describe(descs)
	close(descs)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, f := range families {
		kinds[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	parts := regexp.MustCompile(`^Desc\{fqName: "(fogkeep_\w+)", help: "(.*)", unit: .*variableLabels: \{(.*)\}\}$`)
	rows = map[string]string{}
	for d := range descs {
		p := parts.FindStringSubmatch(d.String())
		if p == nil {
			continue
		}
		kind := kinds[p[1]] // none: no event has given it labels yet
		switch {
		case kind != "":
		case strings.HasSuffix(p[1], "_total"):
			kind = "counter"
		case strings.HasSuffix(p[1], "seconds"):
			kind = "histogram"
		default:
			kind = "gauge"
		}
		labels := ""
		if p[3] != "" {
			labels = "`" + strings.ReplaceAll(p[3], ",", "`, `") + "`"
		}
		rows[p[1]] = fmt.Sprintf("| `%s` | %s | %s | %s |\n", p[1], kind, labels, strings.ReplaceAll(p[2], `\"`, `"`))
		names = append(names, p[1])
	}
	slices.Sort(names)
	return names, rows
}

// TestPageHasTheMetrics: docs/operate/monitoring.md has each metric of a server, and no other one.
func TestPageHasTheMetrics(t *testing.T) {
	t.Parallel()
	s, _ := running(t, nil)
	names, rows := described(t, s.registry)
	if len(names) < 50 {
		t.Fatalf("only %d metrics: the test is broken", len(names))
	}
	table := strings.Builder{}
	table.WriteString("| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n")
	for _, name := range names {
		table.WriteString(rows[name])
	}
	file := filepath.FromSlash("../../../docs/operate/monitoring.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`fogkeep_[a-z_]+`).FindAllString(string(page), -1) {
		if !clustered.MatchString(name) && rows[name] == "" && rows[strings.TrimSuffix(name, "_bucket")] == "" {
			t.Errorf("docs/operate/monitoring.md names %s, which no server has", name)
		}
	}
	now := string(page)
	for kind, made := range map[string]string{"metrics": table.String(), "alerts": alertTable(t)} {
		_, rest, ok := strings.Cut(now, "<!-- "+kind+": made by go test ./cmd/fogkeep/server -run TestPageHasTheMetrics -update -->\n")
		_, after, ok2 := strings.Cut(rest, "<!-- end of "+kind+" -->")
		if !ok || !ok2 {
			t.Fatalf("docs/operate/monitoring.md has no place for the %s", kind)
		}
		now = strings.TrimSuffix(now, rest) + made + "<!-- end of " + kind + " -->" + after
	}
	if now == string(page) {
		return
	}
	if !*update {
		t.Fatal("docs/operate/monitoring.md is stale: run make gen")
	}
	if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRequestsAreCounted: by route, never by path, and with the code that the client got.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	s, _ := running(t, nil)
	at := s.Addresses()
	for _, url := range []string{at.Players + "/api/maps", at.Players + "/maps/" + strings.Repeat("0", 64), at.Players + "/maps/" + strings.Repeat("1", 64), at.Admins + "/admin/api/me", at.Players + "/ws"} {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	req, _ := http.NewRequest("BREW", at.Players+"/api/maps", nil)
	if r, err := http.DefaultClient.Do(req); err == nil {
		r.Body.Close()
	}
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := []string{}
			for _, l := range m.GetLabel() { // sorted by name
				labels = append(labels, l.GetValue())
			}
			switch key := f.GetName() + " " + strings.Join(labels, " "); f.GetName() {
			case "fogkeep_http_requests_total":
				got[key] = m.GetCounter().GetValue()
			case "fogkeep_database_seconds", "fogkeep_http_seconds":
				got[key] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	for key, want := range map[string]float64{
		"fogkeep_http_requests_total 200 players GET /api/maps":    1,
		"fogkeep_http_requests_total 404 players GET /maps/{hash}": 2,
		"fogkeep_http_requests_total 401 admins GET /admin/api/me": 1,
		"fogkeep_http_requests_total 400 players GET /ws":          1,
		"fogkeep_http_requests_total 405 players other other":      1,
	} {
		if got[key] != want {
			t.Errorf("%s: %v, want %v", key, got[key], want)
		}
	}
	if got["fogkeep_database_seconds write"] == 0 || got["fogkeep_http_seconds players"] < 5 {
		t.Errorf("no times: %v", got)
	}
	if t.Failed() {
		t.Log(got)
	}
}

// lost is a database that does not answer; during a request its caller may leave.
type lost struct {
	db.Store
	during func()
}

func (lost) Connections() (reads, writes int) { return 1, 1 }

func (l lost) Read(context.Context, func(*db.Tx) error) error {
	l.during()
	return model.ErrUnavailable
}

// A request whose caller leaves during it is no failure of the database: it would raise an alert.
func TestACallerWhoLeavesIsNoFailure(t *testing.T) {
	for leaves, want := range map[bool]float64{true: 0, false: 1} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		s := metered(lost{during: func() {
			if leaves {
				leave()
			}
		}}, prometheus.NewRegistry(), newTracer(nil, "")).(*meteredStore)
		if err := s.Read(ctx, nil); err == nil {
			t.Error("no error")
		}
		if got := testutil.ToFloat64(s.failures.WithLabelValues("read")); got != want {
			t.Errorf("the caller leaves: %v: %v failures", leaves, got)
		}
	}
}
