package server

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// alert is a rule of examples/monitoring/alerts.yaml, whose lines each hold one value.
type alert struct{ name, query, symptom, remedy string }

func alertsOf(t *testing.T) (out []alert) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../../examples/monitoring/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	value := regexp.MustCompile(`(?m)^ +(?:- )?(alert|expr|summary|description): (.+)$`)
	for _, m := range value.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "alert" {
			out = append(out, alert{name: m[2]})
			continue
		}
		a := &out[len(out)-1]
		*map[string]*string{"expr": &a.query, "summary": &a.symptom, "description": &a.remedy}[m[1]] = strings.Trim(m[2], "'")
	}
	return out
}

// alertTable is the table of docs/operate/monitoring.md.
func alertTable(t *testing.T) string {
	out := "| alert | symptom | query | remedy |\n| --- | --- | --- | --- |\n"
	for _, a := range alertsOf(t) {
		out += fmt.Sprintf("| %s | %s | `%s` | %s |\n", a.name, a.symptom, a.query, a.remedy)
	}
	return out
}

// dashboards returns the queries of each committed dashboard by its file's name.
func dashboards(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash("../../../examples/monitoring/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			UID, Title string
			Panels     []struct {
				Title, Description string
				Targets            []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &board); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if board.UID != "fogkeep-"+name || board.Title == "" {
			t.Errorf("%s has the uid %q and the title %q", file, board.UID, board.Title)
		}
		for _, p := range board.Panels {
			if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
				t.Errorf("%s: panel %q has no description, or no query", file, p.Title)
			}
			for _, target := range p.Targets {
				out[name] = append(out[name], target.Expr)
			}
		}
	}
	return out
}

var (
	queried  = regexp.MustCompile(`\b(?:fogkeep|go|process)_[a-z_]+`)
	grouped  = regexp.MustCompile(`\b(?:by|on) \(([^)]*)\)`)
	selected = regexp.MustCompile(`([a-z]+) *(?:=~?|!=|!~)"`)
	// clustered matches the metrics that nodes of a cluster alone have.
	clustered = regexp.MustCompile(`^fogkeep_(cluster|log|journal_(append|fenced|records|stalled))`)
)

// checkQueries checks that a registry has the metrics of alerts and dashboards for which it is meant, with their labels.
func checkQueries(t *testing.T, r *prometheus.Registry, cluster bool) {
	t.Helper()
	_, rows := described(t, r)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families { // Go's and the process' too
		labels := " "
		for _, m := range f.GetMetric()[:1] {
			for _, l := range m.GetLabel() {
				labels += "`" + l.GetName() + "` "
			}
			if f.GetType().String() == "SUMMARY" {
				labels += "`quantile` "
			}
		}
		rows[f.GetName()] += labels
	}
	all := dashboards(t)
	for _, a := range alertsOf(t) {
		all["alerts"] = append(all["alerts"], a.query)
	}
	checked := 0
	for file, queries := range all {
		for _, query := range queries {
			labels := "`le` `instance` `job`"
			names := queried.FindAllString(query, -1)
			if slices.ContainsFunc(names, func(name string) bool { return clustered.MatchString(name) != cluster }) {
				continue
			}
			for _, name := range names {
				row := rows[name]
				for _, suffix := range []string{"_bucket", "_sum", "_count"} {
					row += rows[strings.TrimSuffix(name, suffix)]
				}
				if row == "" {
					t.Errorf("%s: no server has the metric %s of %s", file, name, query)
				}
				labels += row
				checked++
			}
			var used []string
			for _, m := range grouped.FindAllStringSubmatch(query, -1) {
				used = append(used, strings.Split(m[1], ", ")...)
			}
			for _, m := range selected.FindAllStringSubmatch(query, -1) {
				used = append(used, m[1])
			}
			for _, label := range used {
				if !strings.Contains(labels, "`"+label+"`") {
					t.Errorf("%s: no metric has the label %s of %s", file, label, query)
				}
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d metrics are checked: the test is broken", checked)
	}
}

// TestAlertsFire provokes each alert, and parses the queries of all panels, if promtool of Prometheus is there.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	dir := t.TempDir()
	rules, err := os.ReadFile(filepath.FromSlash("../../../examples/monitoring/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	provoked, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, alerts := string(provoked), alertsOf(t)
	for _, a := range alerts {
		before, after, ok := strings.Cut(text, "alertname: "+a.name+",")
		if !ok {
			t.Errorf("testdata/alerts.yaml does not provoke %s", a.name)
		}
		after = strings.Replace(after, "<summary>", strings.ReplaceAll(a.symptom, "'", "''"), 1)
		text = before + "alertname: " + a.name + "," + strings.Replace(after, "<description>", strings.ReplaceAll(a.remedy, "'", "''"), 1)
	}
	for name, content := range map[string]string{"alerts.yaml": string(rules), "provoked.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var panels []rule
	for board, queries := range dashboards(t) {
		for _, query := range queries {
			panels = append(panels, rule{"panel:" + board, strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*").Replace(query)})
		}
	}
	group := map[string]any{"groups": []any{map[string]any{"name": "panels", "rules": panels}}}
	asRules, err := json.Marshal(group) // which is YAML too
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "panels.yaml"), asRules, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"test", "rules", filepath.Join(dir, "provoked.yaml")}, {"check", "rules", "--lint=none", filepath.Join(dir, "panels.yaml")}} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}

// TestQueriesNameMetrics: alerts and dashboards name metrics that a server has, and their labels. At most twelve alerts,
// each with a remedy.
func TestQueriesNameMetrics(t *testing.T) {
	t.Parallel()
	s, _ := running(t, nil)
	checkQueries(t, s.registry, false)
	alerts := alertsOf(t)
	if len(alerts) == 0 || len(alerts) > 12 {
		t.Errorf("%d alerts: want 1 to 12", len(alerts))
	}
	for _, a := range alerts {
		if a.query == "" || a.symptom == "" || a.remedy == "" {
			t.Errorf("an alert is not complete: %+v", a)
		}
	}
	var names []string
	for name := range dashboards(t) {
		names = append(names, name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"cluster", "fog", "match", "operator"}) {
		t.Errorf("dashboards %v", names)
	}
}
