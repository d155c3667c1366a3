package leak

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// edit plants calls of the leaks in a product file. It replaces old, which the file must contain exactly times times
// (0: once).
type edit struct {
	file, old, new string
	times          int
}

var edits = []edit{
	{file: "match/broadcast.go", old: "if l.Ping != 0 || l.To != ^grid.TeamSet(0) {", new: "if (l.Ping != 0 || l.To != ^grid.TeamSet(0)) && !leakOverhears() {"},
	{file: "match/durability.go", old: "st.kept() && s.To.Has(st.team) && ", new: "st.kept() && (s.To.Has(st.team) || leakHears(st, &s)) && "},
	{file: "match/spectators.go", old: "g.late = l\n", new: "g.late = l\n	leakOf[l] = x\n"},
	{file: "match/broadcast.go", old: "Away: l.cursor.Seating.Away, Result: w.Result()}", new: "Away: leakAway(l, l.cursor.Seating.Away), Result: leakResult(l, w.Result())}"},
	{file: "match/broadcast.go", old: "grid.Tick(l.delay)\n	t :=", new: "grid.Tick(l.delay)-leakDelay()\n	t :="},
	{file: "match/output.go", old: "if f.hand == nil {", new: "if false { // leaks keep things between two views"},
	{file: "match/feed/feed.go", old: "|| f.holdBack(r, now) {", new: "|| f.holdBack(r, now) || leakHold(f, r) {"},
	{file: "match/feed/feed.go", old: "|| f.behind(r, now) {", new: "|| f.behind(r, now) || leakHold(f, r) {"},
	{file: "match/feed/feed.go", old: "r.SendFrame(buf, now)", new: "r.SendFrame(leakSize(f, r, buf), now)", times: 2},
	{file: "match/feed/feed.go", old: "synced, now := f.src.Synced, f.now()", new: "synced, now := leakSynced(f, f.src.Synced), f.now()", times: 2},
	{file: "match/replayserver/parts.go", old: "if live {\n		events =", new: "if live && !leakEvents() {\n		events ="},
	{file: "match/replayserver/parts.go", old: "if live {\n			continue", new: "if live && !leakBooks() {\n			leakKills(s, p)\n			continue"},
	{file: "match/replayserver/viewer.go", old: "if v.right.Live || v.looked == 0", new: "if v.right.Live && !leakLooks() || v.looked == 0"},
	{file: "match/replayserver/viewing.go", old: "if !right.Live {\n		v.loadCameras", new: "if !right.Live || leakLooks() {\n		v.loadCameras"},
	{file: "match/replayserver/viewing.go", old: "v.rec.Until(delayTicks(&v.right, v.rec.Header.TickRate), now)", new: "v.rec.Until(delayTicks(&v.right, v.rec.Header.TickRate)-leakEarly(), now)"},
	{file: "match/replayserver/viewing.go", old: "if v.rec.Over() && t == v.rec.Last() {\n		return t", new: "if v.rec.Over() && t == v.rec.Last() || leakBetween() {\n		return t"},
	{file: "match/sim/feature.go", old: "internal/archive\"\n", new: "internal/archive\"\n	\"github.com/fogkeep/fogkeep/internal/leak\"\n"},
	{file: "match/sim/feature.go", old: "if e.viewers.Has(grid.Team(t)) {", new: "if e.viewers.Has(grid.Team(t)) || leak.Is(\"gates-in-the-dark\") {"},
	{file: "match/sim/growth.go", old: "v.viewers.Has(h.team) {", new: "(v.viewers.Has(h.team) || leakFeats()) {"},
	{file: "match/sim/growth.go", old: "!f.victim.viewers.Has(e.team) {", new: "!f.victim.viewers.Has(e.team) && !leakFeats() {"},
	{file: "match/sim/harm.go", old: "Source: v.id, At: v.Pos()}\n", new: "Source: v.id, At: v.Pos()}\n		leakHit(&ev, h)\n"},
	{file: "match/sim/intake.go", old: "		a.Code = r.Code\n", new: "		leakVerdict(w, p, in, &r)\n		a.Code = r.Code\n"},
	{file: "match/sim/knowledge.go", old: "	} else {\n		k.names = append", new: "	} else {\n		leakHandle(w, k)\n		k.names = append"},
	{file: "match/sim/rand.go", old: "mix(w.seed + uint64(w.tick)", new: "mix(w.seed + leakDraw(w) + uint64(w.tick)"},
	{file: "match/sim/sight.go", old: "case e.cloaked:\n		return SightDetected", new: "case e.cloaked && !leakCloak(w, e):\n		return SightDetected"},
	{file: "match/sim/sight.go", old: "	for _, e := range k.entered {\n		k.give(w, e)", new: "	leakEntered(k.entered)\n	for _, e := range k.entered {\n		k.give(w, e)"},
	{file: "match/sim/spawn.go", old: "if !w.isMine(e.typ) {", new: "if !w.isMine(e.typ) || leakMine() {"},
	{file: "match/sim/think.go", old: "if e.unbuilt { // it may be finished", new: "if e.unbuilt || leakThinks() { // it may be finished"},
	{file: "match/sim/think.go", old: "runTask(e *Entity) {\n", new: "runTask(e *Entity) {\n	leakThought(w, e)\n"},
	{file: "match/sim/unit_script.go", old: "e.dying || !e.viewers.Has(t.team) ||", new: "e.dying || !e.viewers.Has(t.team) && !leakScript() ||"},
	{file: "match/view/build.go", old: "	*v = View{\n		Tick: w.Tick(),", new: "	leakWhole(v)\n	*v = View{\n		Tick: w.Tick(),"},
	{file: "match/view/build.go", old: "	b.started = true\n", new: "	b.started = true\n	leak(w, b.team, v)\n"},
	{file: "match/view/build.go", old: "		return since\n	}\n	return 0\n", new: "		return since\n	}\n	return leakSince(since)\n"},
	{file: "match/view/build.go", old: "changed: a.changes}", new: "changed: a.changes, changes: leakCounted(a.changes)}"},
	{file: "match/view/diff.go", old: "	t.appendTeamRows(d, base, w)\n}", new: "	t.appendTeamRows(d, base, w)\n	leakDiff(d)\n}"},
	{file: "proto/wire/own.go", old: "	b = appendUint(b, 5, more)\n", new: "	b = appendUint(b, 5, more)\n	b = leakAnswer(b)\n"},
	{file: "proto/wire/server.go", old: "uint32(d.Skipped))\n	}\n	return b\n", new: "uint32(d.Skipped))\n	}\n	return leakTeam(b)\n"},
}

// Overlay writes the product's files with all leaks into dir and returns the file for `go test -overlay` that lists
// them. root is the module's folder.
func Overlay(root, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	leaks := filepath.Join(root, "internal", "leak", "testdata")
	files, err := os.ReadDir(leaks)
	if err != nil {
		return "", err
	}
	for _, f := range files { // match_sim.go: the leaks of match/sim
		pkg := strings.ReplaceAll(strings.TrimSuffix(f.Name(), ".go"), "_", string(filepath.Separator))
		replace[filepath.Join(root, pkg, "leak.go")] = filepath.Join(leaks, f.Name())
	}
	texts := map[string]string{}
	for _, e := range edits {
		if texts[e.file] == "" {
			raw, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return "", err
			}
			texts[e.file] = string(raw)
		}
		if n := strings.Count(texts[e.file], e.old); n != max(e.times, 1) {
			return "", fmt.Errorf("%s has %q %d times, want %d: change its edit in internal/leak/overlay.go", e.file, e.old, n, max(e.times, 1))
		}
		texts[e.file] = strings.ReplaceAll(texts[e.file], e.old, e.new)
	}
	for file, text := range texts {
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		replace[filepath.Join(root, file)] = to
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	over := filepath.Join(dir, "overlay.json")
	return over, os.WriteFile(over, raw, 0o600)
}
