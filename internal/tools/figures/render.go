package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pages lists the pages with figures.
var pages = []string{"docs/performance.md", "docs/vision.md", "docs/client.md", "docs/bots.md", "docs/matchmaking.md", "docs/cluster.md", "README.md"}

// sections makes the text of each place for figures.
var sections = map[string]func(record) string{
	"machine": machineText, "battle in a sentence": battleSentence,
	"replication": replication, "targets": targets, "bytes of w1": bytesOf("w1"), "bytes of the battle": bytesOf("battle"),
	"more units": moreUnits, "load": load200, "many units": simMany, "paths": pathScenes, "first visit": firstVisit,
	"tick": tick, "simulation": simulation, "spectators": spectators, "recovery": recovery,
	"attacks": attacks, "lobby": lobby, "vision": vision, "pages": sizes, "bots": botTable, "use of units": botUse, "matchmaking": queues,
}

var place = regexp.MustCompile(`(?s)(<!-- figures: ([a-z0-9 ]+) -->\n?)(.*?)(<!-- end of figures -->)`)

// fill writes every place for figures anew.
func fill(text string, kept record) (string, error) {
	var wrong error
	out := place.ReplaceAllStringFunc(text, func(s string) string {
		m := place.FindStringSubmatch(s)
		section := sections[m[2]]
		if section == nil {
			wrong = fmt.Errorf("no figures are called %q", m[2])
			return s
		}
		return m[1] + section(kept) + m[4]
	})
	if wrong == nil && strings.Count(text, "<!-- figures:") != len(place.FindAllString(text, -1)) {
		wrong = fmt.Errorf("a place for figures is not closed")
	}
	return out, wrong
}

// values is a run's result, flat: nested members are joined with a slash, yes is 1.
type values map[string]float64

func (k record) run(name string) (run, values) {
	for _, r := range k.Runs {
		if r.Name == name {
			var v any
			if err := json.Unmarshal(r.Result, &v); err != nil {
				panic(fmt.Sprintf("%s: run %s: %v", recordFile, name, err))
			}
			out := values{}
			flatten(out, "", v)
			return r, out
		}
	}
	panic(fmt.Sprintf("%s has no run %s: run make figures", recordFile, name))
}

// of returns a value that has to be there; "a by b" is the ratio of two.
func (v values) of(run, key string) float64 {
	if a, b, ratio := strings.Cut(key, " by "); ratio {
		return v.of(run, a) / v.of(run, b)
	}
	x, ok := v[key]
	if !ok {
		panic(fmt.Sprintf("%s: run %s has no %s", recordFile, run, key))
	}
	return x
}

func flatten(out values, key string, v any) {
	switch v := v.(type) {
	case float64:
		out[key] = v
	case bool:
		out[key] = 0
		if v {
			out[key] = 1
		}
	case map[string]any:
		for k, x := range v {
			flatten(out, strings.TrimPrefix(key+"/"+k, "/"), x)
		}
	case []any:
		for i, x := range v {
			flatten(out, key+"/"+strconv.Itoa(i), x)
		}
	}
}

// num writes a figure with three digits or more, and whole thousands apart.
func num(v float64) string {
	a := math.Abs(v)
	switch {
	case v == math.Trunc(v) || a >= 100:
		s := strconv.FormatFloat(math.Round(a), 'f', 0, 64)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		if v < 0 {
			s = "-" + s
		}
		return s
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func table(rows ...[]string) string {
	var b strings.Builder
	for i, r := range rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(r)) + "\n")
		}
	}
	return b.String()
}

// caption says how runs came to be.
func caption(runs ...run) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, r := range runs {
		fmt.Fprintf(&b, "- `%s`, commit `%s`, %s, load %.1f before it", r.Command, r.Commit, r.Date, r.Load)
		if r.Machine != nil {
			fmt.Fprintf(&b, ", on an earlier machine (%s, %d cores)", r.Machine.CPU, r.Machine.Cores)
		}
		if r.Short {
			b.WriteString("; **short**: not the bench's own settings")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func machineText(k record) string {
	m := k.Machine
	return fmt.Sprintf("Machine: %s, %d cores, %s MiB of memory, %s, %s.\n", m.CPU, m.Cores, num(float64(m.MemoryMiB)), m.Kernel, m.Go)
}

func battleSentence(k record) string {
	_, v := k.run("battle")
	return fmt.Sprintf("In a battle of %s units, with %s in sight, a client was sent %s bytes a second on the wire, headers included, over %s seconds", num(v["clients"]*v["units"]), num(math.Round(v["visible_mean"])), num(math.Round(v["wire_bytes_per_s_per_client"])), num(v["seconds"]))
}

var replicationRows = []struct {
	what, key string
	scale     float64
}{
	{"units, all teams", "all", 1}, {"seconds measured", "seconds", 1}, {"full workload (1: yes)", "full_workload", 1},
	{"payload, B/s a client", "bytes_per_s_per_client", 1}, {"on the wire, B/s a client", "wire_bytes_per_s_per_client", 1},
	{"p99 second on the wire, B", "wire_bytes_p99_per_s", 1}, {"join, B", "join_bytes", 1},
	{"entities in sight, mean", "visible_mean", 1}, {"units engaged, %", "engaged_share", 100},
	{"entities compared", "compared", 1}, {"of them wrong", "mismatches", 1}, {"comparisons not made, since a client was late", "uncompared", 1}, {"masks derived wrong (resyncs)", "resyncs", 1},
	{"server, core", "server_cpu_s_per_s", 1}, {"tick p50, ms", "tick_p50_us", 0.001}, {"tick p99, ms", "tick_p99_us", 0.001},
	{"ticks of more than 50 ms", "ticks_over_budget", 1}, {"memory, MB", "rss_mb", 1}, {"allocations a tick, whole process", "allocs_per_tick", 1},
	{"the floor, core", "floor_core", 1}, {"its tick p50, ms", "floor_tick_p50_ms", 1}, {"its tick p99, ms", "floor_tick_p99_ms", 1}, {"server by floor, core", "core_ratio", 1}, {"bare writes, core", "bare_core", 1}, {"server by bare writes, core", "bare_ratio", 1},
}

// replicationTable has one column a run.
func replicationTable(k record, names ...string) string {
	rows := [][]string{{""}}
	for _, r := range replicationRows {
		rows = append(rows, []string{r.what})
	}
	var runs []run
	for _, name := range names {
		r, v := k.run(name)
		runs = append(runs, r)
		v["all"] = v["clients"] * v["units"]
		rows[0] = append(rows[0], name)
		for i, row := range replicationRows {
			text := ""
			if x, ok := v[row.key]; ok {
				text = num(x * row.scale)
			}
			rows[i+1] = append(rows[i+1], text)
		}
	}
	rows = slices.DeleteFunc(rows, func(row []string) bool { // what none of these runs measured
		return !slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "" })
	})
	return caption(runs...) + "\n" + table(rows...)
}

func replication(k record) string {
	return replicationTable(k, "w1", "w1-beats", "w2", "w1-small", "battle")
}

func moreUnits(k record) string { return replicationTable(k, "w1-many", "w1-huge") }

func targets(k record) string {
	rows := [][]string{{"figure", "target", "before", "measured", "reached"}}
	for _, t := range []struct {
		what, run, key string
		most           bool // the target is the most; otherwise the least
		target, scale  float64
		before         string
	}{
		{"w1: payload, B/s a client", "w1", "bytes_per_s_per_client", true, 1500, 1, ""},
		{"w1: on the wire, B/s a client", "w1", "wire_bytes_per_s_per_client", true, 2400, 1, ""},
		{"w1: server, core", "w1", "server_cpu_s_per_s", true, 0.006, 1, "0.037"},
		{"w1: server by the floor, core", "w1", "core_ratio", true, 0.9, 1, "1.36 (another floor)"},
		{"the same, told ten times a second (`--beats`)", "w1-beats", "core_ratio", true, 0.9, 1, ""},
		{"w2: payload, B/s a client", "w2", "bytes_per_s_per_client", true, 5000, 1, ""},
		{"battle: on the wire, B/s a client (a 28.8 modem has 3,600)", "battle", "wire_bytes_per_s_per_client", true, 2700, 1, "3,597"},
		{"battle: p99 second on the wire, B", "battle", "wire_bytes_p99_per_s", true, 7200, 1, ""},
		{"battle: entities in sight, mean", "battle", "visible_mean", false, 200, 1, ""},
		{"battle: units engaged, %", "battle", "engaged_share", false, 50, 100, ""},
		{"8 teams of 8,000 units: tick p99, ms", "w1-many", "tick_p99_us", true, 25, 0.001, "88.6"},
		{"8 teams of 8,000 units: server, core", "w1-many", "server_cpu_s_per_s", true, 0.30, 1, "0.63"},
		{"8 teams of 16,000 units on 512x512: tick p99, ms", "w1-huge", "tick_p99_us", true, 50, 0.001, "cannot be run"},
		{"8 armies of 1,000 in battle: tick p99, ms", "sim-many", "tick_p99_us", true, 10, 0.001, "13.4, with 17 % engaged"},
		{"8 armies of 1,000 in battle: units engaged, %", "sim-many", "engaged_share", false, 50, 100, ""},
		{"a unit moves on 1024x1024, against 256x256", "vision", "Vision/r8-flat-1024x1024/ns/move by Vision/r8-flat/ns/move", true, 2, 1, "2.1 to 2.4"},
		{"500 far goals in a maze, 1024x1024: under way, most, ms", "paths", "MazePaths/clicks,_two_players/under-way-max-ms", true, 250, 1, "seconds"},
		{"500 far goals of one player, the same maze: tick p99, ms", "paths", "MazePaths/own_goals/tick-p99-ms", true, 25, 1, ""},
		{"200 matches: ticks begin late, p99, ms", "load", "tick_late_p99_ms", true, 10, 1, ""},
		{"200 matches: order sent to answered, p99, ms", "load", "order_rtt_p99_ms", true, 160, 1, ""},
		{"200 matches: entities held wrong", "load", "mismatches", true, 0, 1, ""},
		{"32 late spectators: tick p99, against before", "load", "watched_tick_p99_ratio", true, 1.1, 1, ""},
		{"10,000 people who wait: memory, MB", "load", "idle_rss_mb", true, 400, 1, ""},
		{"2,000 connections cut at once: back, p99, s", "load", "reconnect_p99_s", true, 10, 1, ""},
		{"2,000 connections cut at once: log-in p99, s", "load", "storm_login_p99_s", true, 2, 1, ""},
		{"2,000 connections cut at once: tick p99, against before", "load", "storm_tick_p99_ratio", true, 1.2, 1, ""},
		{"a first visit, until a match is played: kB sent", "first-visit", "playable_bytes", true, 300, 0.001, "420"},
		{"a first visit, until a match is played: seconds", "first-visit", "playable_ms", true, 2, 0.001, ""},
		{"encoding one team's frame with snapshot cache, view and difference, us", "tick", "Tick/w1/200/us/team-tick", true, 300, 1, ""},
	} {
		r, v := k.run(t.run)
		x := v.of(t.run, t.key) * t.scale
		bound, reached := "at least ", x >= t.target
		if t.most {
			bound, reached = "at most ", x <= t.target
		}
		verdict := map[bool]string{true: "yes", false: "no"}[reached]
		if r.Short {
			verdict = "a short run does not tell"
		}
		rows = append(rows, []string{t.what, bound + num(t.target), t.before, num(x), verdict})
	}
	return table(rows...)
}

// fact is one figure of a run, times scale.
type fact struct {
	what, key string
	scale     float64
}

// facts is a table of one column: what a run measured.
func facts(k record, name string, rows ...fact) string {
	r, v := k.run(name)
	lines := [][]string{{"", ""}}
	for _, row := range rows {
		lines = append(lines, []string{row.what, num(v.of(name, row.key) * row.scale)})
	}
	return caption(r) + "\n" + table(lines...)
}

func load200(k record) string {
	return facts(k, "load",
		fact{"matches", "matches", 1}, fact{"clients", "clients", 1}, fact{"units a player", "units", 1}, fact{"seconds measured", "seconds", 1},
		fact{"server, core", "server_core", 1}, fact{"memory, MB", "rss_mb", 1},
		fact{"tick p99, ms", "tick_p99_ms", 1}, fact{"ticks begin late, p99, ms", "tick_late_p99_ms", 1},
		fact{"orders answered", "orders", 1}, fact{"order sent to answered, p50, ms", "order_rtt_p50_ms", 1}, fact{"the same, p99, ms", "order_rtt_p99_ms", 1},
		fact{"connections lost one by one", "rejoins", 1}, fact{"until the next frame, p99, ms", "rejoin_p99_ms", 1},
		fact{"log-in, p99, ms", "login_p99_ms", 1},
		fact{"late spectators of one match", "spectators", 1}, fact{"tick p99 of all matches, against before", "watched_tick_p99_ratio", 1},
		fact{"people who wait, an event stream each", "idle_sockets", 1}, fact{"memory that they add, MB", "idle_rss_mb", 1},
		fact{"connections cut at once", "storm", 1}, fact{"back, p99, s", "reconnect_p99_s", 1}, fact{"log-in meanwhile, p99, s", "storm_login_p99_s", 1},
		fact{"tick p99 meanwhile, against before", "storm_tick_p99_ratio", 1},
		fact{"the same storm on a server that does nothing: back, p99, s", "floor_reconnect_p99_s", 1}, fact{"log-in, p99, s", "floor_storm_login_p99_s", 1},
		fact{"tick p99, against before", "floor_storm_tick_p99_ratio", 1},
		fact{"entities compared", "compared", 1}, fact{"of them wrong", "mismatches", 1}, fact{"masks derived wrong (resyncs)", "resyncs", 1})
}

func pathScenes(k record) string {
	r, v := k.run("paths")
	rows := [][]string{{"scene", "orders", "under way p99, ms", "most, ms", "never", "tick p50, ms", "p99, ms", "most, ms"}}
	for _, s := range []string{"own goals", "own goals, two players", "clicks", "clicks, two players", "group"} {
		row := []string{s}
		for _, unit := range []string{"orders", "under-way-p99-ms", "under-way-max-ms", "never", "tick-p50-ms", "tick-p99-ms", "tick-max-ms"} {
			row = append(row, num(v.of("paths", "MazePaths/"+strings.ReplaceAll(s, " ", "_")+"/"+unit)))
		}
		rows = append(rows, row)
	}
	x := func(unit string) string { return num(v.of("paths", "MazePaths/routes/"+unit)) }
	return caption(r) + fmt.Sprintf("\nThe longest route is %s times the shortest way, the mean %s times. The search for paths holds\n%s MB in a match of two such players. It takes %s ms to prepare the map as a match begins.\n\n",
		x("cost-ratio-max"), x("cost-ratio-mean"), x("search-MB"), x("prepare-ms")) + table(rows...)
}

func firstVisit(k record) string {
	return facts(k, "first-visit",
		fact{"first screen, kB", "first_screen_bytes", 1e-3}, fact{"it can be used after, ms", "usable_ms", 1},
		fact{"until a match is played, kB", "playable_bytes", 1e-3}, fact{"that is after, ms", "playable_ms", 1})
}

func bytesOf(name string) func(record) string {
	return func(k record) string {
		r, v := k.run(name)
		type part struct {
			name        string
			bytes, rows float64
		}
		var parts []part
		for key, bytes := range v {
			if p, ok := strings.CutPrefix(key, "parts/"); ok {
				parts = append(parts, part{p, bytes, v["rows/"+p]})
			}
		}
		slices.SortFunc(parts, func(a, b part) int {
			return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name))
		})
		rows := [][]string{{"part", "B/s", "rows/s", "B a row"}}
		for _, p := range parts {
			each := ""
			if p.rows > 0 {
				each = num(p.bytes / p.rows)
			}
			rows = append(rows, []string{"`" + p.name + "`", num(p.bytes), num(p.rows), each})
		}
		return caption(r) + "\n" + table(rows...)
	}
}

func tick(k record) string {
	r, v := k.run("tick")
	rows := [][]string{{"part", "us a tick, all eight teams"}}
	for _, p := range []string{"step", "cache", "build", "track", "diff", "encode"} {
		x, ok := v["Tick/w1/200/"+p+"-us"]
		if !ok {
			panic(fmt.Sprintf("%s: the benchmark of a tick has no part %s", recordFile, p))
		}
		rows = append(rows, []string{p, num(x)})
	}
	return caption(r) + "\n" + table(rows...)
}

func simulation(k record) string { return simOf(k, "sim") }

func simMany(k record) string { return simOf(k, "sim-many") }

func simOf(k record, name string) string {
	r, v := k.run(name)
	rows := [][]string{{"phase", "us a tick, mean"}}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if p, ok := strings.CutPrefix(key, "phase_us/"); ok {
			rows = append(rows, []string{"`" + p + "`", num(v[key])})
		}
	}
	return caption(r) + fmt.Sprintf("\n%s units, %s of them engaged in the mean. A tick takes %s ms (p50) and %s ms (p99), with %s allocations.\n\n",
		num(math.Round(v["units_mean"])), num(math.Round(100*v["engaged_share"]))+" %", num(v["tick_p50_us"]/1000), num(v["tick_p99_us"]/1000), num(v["allocs_per_tick"])) + table(rows...)
}

func spectators(k record) string {
	r, v := k.run("spectators")
	rows := [][]string{{"spectators", "ms a tick"}}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if p, ok := strings.CutSuffix(strings.TrimPrefix(key, "Spectators/"), "/ns/op"); ok {
			rows = append(rows, []string{strings.ReplaceAll(p, "_", " "), num(v[key] / 1e6)})
		}
	}
	return caption(r) + "\n" + table(rows...)
}

func recovery(k record) string {
	const start, state = "Recovery/from-start/", "Recovery/from-state/"
	return facts(k, "recovery",
		fact{"match time, seconds", start + "match-s", 1}, fact{"orders", start + "orders", 1}, fact{"journal, MB", start + "journal-bytes", 1e-6},
		fact{"saved state, MB", state + "packed-bytes", 1e-6}, fact{"the same, uncompressed, MB", state + "state-bytes", 1e-6},
		fact{"cost of saving in its tick, p50, ms", state + "copy-p50-us", 1e-3}, fact{"the most, ms", state + "copy-max-us", 1e-3},
		fact{"recovery from the saved state, s", state + "s", 1}, fact{"recovery from the start of the journal, s", start + "s", 1},
		fact{"so many times faster than real time", start + "x-real-time", 1})
}

func attacks(k record) string {
	r, v := k.run("attack")
	var named struct {
		Attacks []struct {
			Name   string
			Missed []string
		}
	}
	if err := json.Unmarshal(r.Result, &named); err != nil {
		panic(fmt.Sprintf("%s: run attack: %v", recordFile, err))
	}
	rows := [][]string{{"attack", "tries", "refused", "attacker, core", "server, core", "memory, MB more", "disk, first 3 s, MB", "tick p99, ms", "frames late p99, ms", "timers late p99, ms", "order longer p99, ms", "log-in p99, ms", "disk after, each, KiB/s", "missed"}}
	row := func(name, at string, missed []string) []string {
		x := func(key string) string { return num(v[at+"/"+key]) }
		return []string{
			name, x("attacker/tries"), x("attacker/refused"), x("attacker/core"), x("server_core"), x("rss_growth_mb"), x("disk_first_mb"), x("victim_tick_p99_ms"),
			x("victim_frame_late_p99_ms"), x("machine_late_p99_ms"), x("victim_order_longer_ms"), x("victim_login_p99_ms"), num(v[at+"/disk_each_b_per_s"] / 1024), strings.Join(missed, ", "),
		}
	}
	rows = append(rows, row("quiet", "quiet", nil))
	for i, a := range named.Attacks {
		rows = append(rows, row(a.Name, "attacks/"+strconv.Itoa(i), a.Missed))
	}
	return caption(r) + "\n" + table(rows...)
}

func lobby(k record) string {
	r, v := k.run("lobby")
	rows := [][]string{{"store", "guests", "joins a second", "join p50, ms", "join p99, ms", "start p99, ms", "errors"}}
	for _, store := range []string{"sqlite", "postgres"} {
		x := func(key string) string { return num(v[store+"/"+key]) }
		rows = append(rows, []string{store, x("guests"), x("joins_per_s"), x("join_p50_ms"), x("join_p99_ms"), x("start_p99_ms"), x("errors")})
	}
	return caption(r) + "\n" + table(rows...)
}

func vision(k record) string {
	r, v := k.run("vision")
	rows := [][]string{{"case", "ns", "of refcount"}}
	for _, c := range []struct{ what, key string }{
		{"radius 8, flat", "r8-flat/ns/move"}, {"radius 8, high ground", "r8-highground/ns/move"}, {"radius 8, line of sight, cached", "r8-los/ns/move"},
		{"radius 16, flat", "r16-flat/ns/move"}, {"radius 8, flat, 512x512", "r8-flat-512x512/ns/move"}, {"radius 8, flat, 1024x1024", "r8-flat-1024x1024/ns/move"},
		{"counting in strips (`visibility/refcount_test.go`), flat", "refcount-r8/ns/move"}, {"the obvious scan (`visibility/obvious`), flat", "obvious-r8/ns/move"},
		{"one tile, which of 8 teams see it", "lookup-all-teams/ns/look"},
	} {
		x := v.of("vision", "Vision/"+c.key)
		rows = append(rows, []string{c.what, num(x), num(x / v["Vision/refcount-r8/ns/move"])})
	}
	return caption(r) + "\n" + table(rows...)
}

// botsResult is what of bench bots is on the page.
type botsResult struct {
	Rows []struct {
		Pair    string `json:"pair"`
		Map     string `json:"map"`
		Won     int    `json:"won"`
		Lost    int    `json:"lost"`
		Drawn   int    `json:"drawn"`
		Seconds int    `json:"median_s"`
	} `json:"rows"`
	Use []struct {
		Type   string  `json:"type"`
		Made   float64 `json:"made"`
		Lost   float64 `json:"lost"`
		Killed float64 `json:"killed"`
		Damage float64 `json:"damage"`
		Acts   float64 `json:"abilities"`
	} `json:"use"`
}

func botsOf(k record) (run, botsResult) {
	r, _ := k.run("bots")
	var out botsResult
	if err := json.Unmarshal(r.Result, &out); err != nil {
		panic(fmt.Sprintf("%s: run bots: %v", recordFile, err))
	}
	return r, out
}

func botTable(k record) string {
	r, v := botsOf(k)
	rows := [][]string{{"first, second", "map", "first won", "lost", "drawn", "median length"}}
	for _, x := range v.Rows {
		rows = append(rows, []string{strings.Replace(x.Pair, "-", ", ", 1), x.Map, strconv.Itoa(x.Won), strconv.Itoa(x.Lost), strconv.Itoa(x.Drawn), fmt.Sprintf("%d:%02d", x.Seconds/60, x.Seconds%60)})
	}
	return caption(r) + "\n" + table(rows...)
}

func botUse(k record) string {
	_, v := botsOf(k)
	rows := [][]string{{"type", "made", "lost", "killed", "damage dealt", "abilities used"}}
	for _, x := range v.Use {
		if x.Made > 0 {
			rows = append(rows, []string{x.Type, fmt.Sprintf("%.1f", x.Made), fmt.Sprintf("%.1f", x.Lost), fmt.Sprintf("%.1f", x.Killed), num(math.Round(x.Damage)), fmt.Sprintf("%.1f", x.Acts)})
		}
	}
	return table(rows...)
}

// queues is the table of simulated queues.
func queues(k record) string {
	r, _ := k.run("matchmaking")
	var v struct {
		Rows []struct {
			Name      string  `json:"name"`
			Matches   int     `json:"matches"`
			WaitP50   float64 `json:"wait_p50_s"`
			WaitP95   float64 `json:"wait_p95_s"`
			WaitMax   float64 `json:"wait_max_s"`
			ApartP50  float64 `json:"apart_p50"`
			ApartP95  float64 `json:"apart_p95"`
			Favourite float64 `json:"favourite"`
			Error     float64 `json:"error_p50"`
			Start     float64 `json:"error_start"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(r.Result, &v); err != nil {
		panic(fmt.Sprintf("%s: run matchmaking: %v", recordFile, err))
	}
	rows := [][]string{{"queue", "matches", "wait p50, s", "p95", "longest", "teams apart p50", "p95", "favourite won", "rating error p50", "before the first match"}}
	for _, x := range v.Rows {
		cells := []string{x.Name, strconv.Itoa(x.Matches)}
		for _, n := range []float64{x.WaitP50, x.WaitP95, x.WaitMax, x.ApartP50, x.ApartP95} {
			cells = append(cells, num(math.Round(n)))
		}
		rows = append(rows, append(cells, fmt.Sprintf("%.0f %%", 100*x.Favourite), num(math.Round(x.Error)), num(math.Round(x.Start))))
	}
	return caption(r) + "\n" + table(rows...)
}

func sizes(k record) string {
	r, v := k.run("pages")
	rows := [][]string{{"bytes", "plain", "gzip", "brotli"}}
	var sum [3]float64
	row := func(what string, at string) {
		cells := []string{what}
		for i, form := range []string{"plain", "gzip", "brotli"} {
			cells = append(cells, num(v[at+"/"+form]))
			sum[i] += v[at+"/"+form]
		}
		rows = append(rows, cells)
	}
	row("the first screen: page, scripts, styles", "first screen")
	row("then the scene behind it: three.js", "three.js")
	row("and its other scripts", "scene")
	row("then a match: scripts, styles", "match")
	rows = append(rows, []string{"in all", num(sum[0]), num(sum[1]), num(sum[2])})
	row("the settings, where no match was loaded", "settings")
	row("a replay, where no match was loaded", "replay")
	row("the texts of matches and of replays, in both languages", "texts")
	row("all other texts in another language than English", "another language")
	row("what admins' pages load besides", "admins only")
	return caption(r) + "\n" + table(rows...)
}
