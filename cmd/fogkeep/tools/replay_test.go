package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/replay/export"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// writtenJournal writes the journal of a short match: two players walk towards each
// other, and one says something. It returns its path.
func writtenJournal(t *testing.T) string {
	t.Helper()
	m, err := mapfile.Open(shippedMap)
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	s := sim.Setup{Map: m, Rules: set, Seed: 7, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	recs, err := journal.SetupRecords(journal.Header{Match: "m", Build: "test", Extra: []byte(`{"seats":[{"Name":"Ada","Color":3},{"Name":"Bob","Color":5}]}`)}, s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		var in []sim.Input
		if n == 5 {
			for slot := range 2 {
				o := orders.Order{Kind: orders.Move, HasPoint: true, Point: m.Starts[1-slot].Center()}
				for h := range grid.Handle(20) {
					o.Units = append(o.Units, h+1)
				}
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: grid.Slot(slot), Seq: 1, AsOf: w.Tick(), Order: o})
			}
			in = append(in, sim.Input{Kind: sim.InputChat, Slot: 1, Seq: 2, All: true, Text: "hello there"})
		}
		out := w.Step(in)
		if rec := (journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}); !rec.Empty() {
			recs = append(recs, journal.AppendTick(nil, &rec))
		}
	}
	dir, err := journal.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log, err := dir.Create("m")
	if err != nil {
		t.Fatal(err)
	}
	for n, r := range recs {
		if err := log.Append(uint64(n), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(log.Wait(t.Context(), uint64(len(recs)-1)), log.Close()); err != nil {
		t.Fatal(err)
	}
	return dir.Path("m")
}

func TestReplayRender(t *testing.T) {
	t.Parallel()
	file, dir := writtenJournal(t), t.TempDir()
	render := func(out string, args ...string) string {
		t.Helper()
		path := filepath.Join(dir, out)
		code, _, errs := fogkeep(t, append([]string{"replay", "render", file, "--out", path}, args...)...)
		if code != 0 || errs != "" {
			t.Fatalf("%v: exit code %d, %q", args, code, errs)
		}
		return path
	}
	read := func(path string) []byte {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	all := read(render("all.png", "--tick", "150"))
	first := read(render("one.png", "--tick", "150", "--eyes", "0"))
	other := read(render("two.png", "--tick", "150", "--eyes", "1"))
	early := read(render("early.png", "--tick", "2"))
	if img, err := png.Decode(bytes.NewReader(all)); err != nil || max(img.Bounds().Dx(), img.Bounds().Dy()) > 512 {
		t.Fatal("the picture:", err)
	}
	if bytes.Equal(all, first) || bytes.Equal(first, other) || bytes.Equal(all, early) {
		t.Error("eyes and ticks have to make a difference")
	}
	if again := read(render("again.png", "--tick", "150")); !bytes.Equal(all, again) {
		t.Error("the same tick looks different")
	}

	a, err := gif.DecodeAll(bytes.NewReader(read(render("match.gif", "--every", "10", "--size", "128", "--fps", "20", "--eyes", "0"))))
	if err != nil || len(a.Image) < 5 || a.Config.Width > 128 {
		t.Fatalf("animation: %v", err)
	}
	length, whole := 0, 0
	for i, img := range a.Image {
		length += a.Delay[i]
		if i > 0 && img.Rect.Dx()*img.Rect.Dy() == a.Config.Width*a.Config.Height {
			whole++
		}
	}
	if length != 5*21 || whole > len(a.Image)/2 {
		t.Errorf("the animation lasts %d hundredths of a second, want %d; %d of %d frames are whole pictures", length, 5*21, whole, len(a.Image))
	}

	// Frame on frame, the animation's last picture shows its tick.
	if len(a.Config.ColorModel.(color.Palette)) > 256 {
		t.Fatal("more colours than a GIF has")
	}
	drawn := image.NewRGBA(image.Rect(0, 0, a.Config.Width, a.Config.Height))
	for _, img := range a.Image {
		draw.Draw(drawn, img.Rect, img, img.Rect.Min, draw.Over)
	}
	end, err := png.Decode(bytes.NewReader(read(render("end.png", "--tick", "200", "--size", "128", "--eyes", "0"))))
	if err != nil {
		t.Fatal(err)
	}
	for y := range a.Config.Height {
		for x := range a.Config.Width {
			if color.RGBAModel.Convert(end.At(x, y)) != drawn.At(x, y) {
				t.Fatalf("pixel %d,%d of the last frame is %v, want %v", x, y, drawn.At(x, y), end.At(x, y))
			}
		}
	}

	folder := render("frames", "--from", "100", "--to", "160", "--every", "20", "--size", "64")
	if files, err := os.ReadDir(folder); err != nil || len(files) != 4 || files[3].Name() != "frame-000004.png" {
		t.Errorf("frames: %v, %v", files, err)
	}

	for want, args := range map[string][]string{
		"the match has ticks 0 to":       {"--out", "x.png", "--tick", "99999"},
		"the match has the teams 0 to 1": {"--out", "x.png", "--tick", "3", "--eyes", "2"},
		"want all, or a team's number":   {"--out", "x.png", "--tick", "3", "--eyes", "red"},
		"a PNG holds one tick":           {"--out", "x.png"},
		"does not go with --from":        {"--out", "x.png", "--tick", "3", "--from", "2"},
		"--from 90 --to 80: the match":   {"--out", "x.gif", "--from", "90", "--to", "80"},
		"--fps 0: want 1 to 50":          {"--out", "x.gif", "--fps", "0"},
		"--size 9: want 16 to":           {"--out", "x.gif", "--size", "9"},
	} {
		if code, _, errs := fogkeep(t, append([]string{"replay", "render", file}, args...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, code, errs, want)
		}
	}
}

func TestReplayExport(t *testing.T) {
	t.Parallel()
	file := writtenJournal(t)
	lines := func(args ...string) (out []map[string]any) {
		t.Helper()
		code, text, errs := fogkeep(t, append([]string{"replay", "export", file}, args...)...)
		if code != 0 || errs != "" {
			t.Fatalf("exit code %d, %q", code, errs)
		}
		for line := range strings.Lines(text) {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			out = append(out, v)
		}
		return out
	}
	got := lines("--text")
	if len(got) != 1+3+10 || got[0]["kind"] != "match" || len(got[0]["seats"].([]any)) != 2 {
		t.Fatalf("%d lines, the first is %v", len(got), got[0])
	}
	order, chat := got[1], got[3]
	if o := order["order"].(map[string]any); order["kind"] != "order" || order["slot"] != 0.0 || order["tick"] != 6.0 || o["do"] != "move" || len(o["units"].([]any)) != 20 {
		t.Errorf("the first order: %v", order)
	}
	if a := order["answer"].(map[string]any); a["code"] != "OK" || a["acts"] != 8.0 {
		t.Errorf("its answer: %v", a)
	}
	if chat["kind"] != "chat" || chat["text"] != "hello there" || chat["slot"] != 1.0 {
		t.Errorf("the line of chat: %v", chat)
	}
	if last := got[len(got)-1]; last["kind"] != "hash" || last["tick"] != 200.0 {
		t.Errorf("the last line: %v", last)
	}
	if chat := lines()[3]; chat["text"] != nil {
		t.Errorf("without --text: %v", chat)
	}
}

// TestReplayInfoCountsNotes: the summary of a journal says what was noted beside it.
func TestReplayInfoCountsNotes(t *testing.T) {
	t.Parallel()
	path := writtenJournal(t)
	if code, out, errs := fogkeep(t, "replay", "info", path, "--json"); code != 0 || strings.Contains(out, `"notes"`) {
		t.Errorf("without notes: %s %s", out, errs)
	}
	d, err := notes.OpenDir(filepath.Dir(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := d.Open("m", 0, 20)
	l.Camera(notes.Camera{Tick: 5, Slot: 1, Radius: 8})
	l.Times(notes.Times{Tick: 20, Ticks: 20, Missed: 2})
	l.Times(notes.Times{Tick: 40, Ticks: 20, Missed: 1})
	l.Close()
	const want = "notes     2 seconds of tick times, 3 late ticks, 1 cameras, 0 link rows, 0 refused orders\n"
	if code, out, errs := fogkeep(t, "replay", "info", path); code != 0 || !strings.Contains(out, want) {
		t.Errorf("with notes: %s %s", out, errs)
	}
	if err := os.WriteFile(strings.TrimSuffix(path, ".journal")+notes.Suffix, []byte("anything else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := fogkeep(t, "replay", "info", path); code == 0 || !strings.Contains(errs, "no file of notes") {
		t.Errorf("with something else: %s", errs)
	}
}

// corpus is the folder of the journals that match/replay keeps.
const corpus = "../../../match/replay/testdata/corpus"

// TestReplayPlay: info and export tell what happened in a match if they are to play it.
func TestReplayPlay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(corpus, "capture.journal")
	code, text, errs := fogkeep(t, "replay", "info", "--play", file)
	for _, want := range []string{
		"build     corpus\n", "slot  gathered  army", "0     144       75    6        7/40  1     75     1       15",
		"0:05        contact  team 0 sees team 1's wall  at 26,18\n", "0:17        captured  slot 0  barracks  from slot 1  at 26,24\n",
		"0:34        building-lost  slot 1  wall", "0:33-0:34   fight  slot 0 loses 1 worth 75, slot 1 loses 1 worth 15",
	} {
		if code != 0 || errs != "" || !strings.Contains(text, want) {
			t.Errorf("exit code %d, %q, said\n%s\nwant %q", code, errs, text, want)
		}
	}
	_, text, _ = fogkeep(t, "replay", "info", "--play", "--json", file)
	var report struct {
		Events []export.Event  `json:"events"`
		Final  []export.Values `json:"final"`
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil || len(report.Events) != 6 || len(report.Final) != 2 || report.Final[1].Gathered["ore"] != 448 {
		t.Errorf("%v: %s", err, text)
	}
	if _, text, _ := fogkeep(t, "replay", "info", "--json", file); strings.Contains(text, "events") {
		t.Errorf("without --play: %s", text)
	}

	_, text, _ = fogkeep(t, "replay", "export", "--play", file)
	_, plain, _ := fogkeep(t, "replay", "export", file)
	kinds, last, rest := map[string]int{}, 0, []string{}
	for line := range strings.Lines(text) {
		var l struct {
			Kind   string
			Tick   int
			Event  *struct{ Known int }
			Values []export.Values
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		kinds[l.Kind]++
		if l.Event != nil {
			l.Tick = l.Event.Known
		} else if l.Kind != "values" {
			rest = append(rest, line)
		}
		if l.Tick < last {
			t.Errorf("tick %d follows tick %d: %s", l.Tick, last, line)
		}
		last = l.Tick
	}
	if kinds["event"] != 6 || kinds["values"] != 51 || kinds["hash"] != 50 || strings.Join(rest, "") != plain {
		t.Errorf("%v, and the other lines are not those of an export without --play", kinds)
	}
}

// TestReplayOfOtherBuild: a journal of a build that simulates differently is refused at
// once, with that build's name; verify plays it all the same, and names the tick.
func TestReplayOfOtherBuild(t *testing.T) {
	t.Parallel()
	var recs [][]byte
	if _, err := journal.ReadFile(filepath.Join(corpus, "capture.journal"), func(n uint64, rec []byte) error {
		if n == 0 {
			rec = bytes.Replace(rec, []byte(fmt.Sprintf(`"sim":"%d"`, sim.Behaviour)), []byte(`"sim":"999"`), 1)
		} else if r, err := journal.Decode(rec); err == nil && r.Tick != nil && r.Tick.Tick == 500 {
			r.Tick.Hash++
			rec = journal.AppendTick(nil, r.Tick)
		}
		recs = append(recs, rec)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "other.journal")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(journal.Export(f, func(each func(uint64, []byte) error) error {
		for n, rec := range recs {
			if err := each(uint64(n), rec); err != nil {
				return err
			}
		}
		return nil
	}), f.Close()); err != nil {
		t.Fatal(err)
	}
	other := fmt.Sprintf("build corpus began match capture with version 999 of the simulation; this build has version %d", sim.Behaviour)
	for _, args := range [][]string{{"info", "--play"}, {"export", "--play"}, {"render", "--tick", "3", "--out", filepath.Join(t.TempDir(), "x.png")}} {
		if code, text, errs := fogkeep(t, append([]string{"replay", args[0], file}, args[1:]...)...); code == 0 || text != "" || !strings.Contains(errs, other) {
			t.Errorf("%v: exit code %d, %q, %q", args, code, text, errs)
		}
	}
	if code, _, errs := fogkeep(t, "replay", "verify", file); code == 0 || !strings.Contains(errs, other+": tick 500: state hash is ") {
		t.Errorf("verify: exit code %d, %q", code, errs)
	}
	if code, text, errs := fogkeep(t, "replay", "info", file); code != 0 || errs != "" || !strings.Contains(text, "build     corpus") {
		t.Errorf("info: exit code %d, %q, %q", code, text, errs)
	}
}
