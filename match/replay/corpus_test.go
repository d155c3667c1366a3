package replay_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

var update = flag.Bool("update", false, "make the journals of testdata/corpus anew; read the diff before you keep it")

const corpusDir = "testdata/corpus"

// corpusBytesMax bounds the corpus, so that it stays a part of the repository.
const corpusBytesMax = 1 << 20

// covered are the contents of the corpus's matches, in words.
type covered map[string]bool

// TestCorpus plays every match of the corpus again, and compares every answer, every
// state hash, the result and the timeline with the recorded ones. Together they have
// each mode, ability, effect, order, input and record that there is.
//
// If it fails because a change of the rules was meant, raise sim.Behaviour and make the
// corpus anew with -update: journals of the behaviour before are refused from then on.
// If it fails because the format of the records has changed, keep the journals of the
// format before under other names for as long as this build is to read them.
func TestCorpus(t *testing.T) {
	if *update {
		writeCorpus(t, corpusDir)
	}
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.journal"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	has, total := covered{}, 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".journal")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		total += len(b)
		said := playCorpus(t, file, has)
		golden := filepath.Join(corpusDir, name+".txt")
		if *update {
			if err := os.WriteFile(golden, said, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(said, want) {
			t.Errorf("%s: what happens has changed: %s\nrun go test ./match/replay -run TestCorpus -update and read the diff", file, firstDifference(want, said))
		}
	}
	if total > corpusBytesMax {
		t.Errorf("the corpus has %d bytes, want at most %d", total, corpusBytesMax)
	}
	var want []string
	for _, m := range sim.Modes() {
		want = append(want, "mode "+m)
	}
	for _, k := range rules.AbilityKinds {
		want = append(want, "ability "+k)
	}
	for k := rules.EffectDamage; k <= rules.EffectSlow; k++ {
		want = append(want, "effect "+k.String())
	}
	want = append(want, "effect script", "mode script-hill")
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		want = append(want, "order "+k.String())
	}
	for k := sim.InputOrder; k <= sim.InputSpeed; k++ {
		want = append(want, "input "+k.String())
	}
	for f := journal.FormatOldest; f <= journal.Format; f++ {
		want = append(want, fmt.Sprint("format ", f))
	}
	for k := timeline.Contact; k <= timeline.Ended; k++ {
		want = append(want, "event "+k.String())
	}
	want = append(want, "record stop", "record stop at the end", "record ended", "record delivered", "record failed")
	for _, what := range want {
		if !has[what] {
			t.Errorf("no match of the corpus has: %s", what)
		}
	}
}

// playCorpus plays a journal, and returns what happened in it as text.
func playCorpus(t *testing.T, file string, has covered) (said []byte) {
	t.Helper()
	read := func(each func(uint64, []byte) error) error {
		torn, err := journal.ReadFile(file, each)
		if torn {
			err = errors.Join(err, errors.New("its end is cut off"))
		}
		return err
	}
	// The whole journal, with result and hand-overs, which only journal.Replay compares.
	_, sum, err := journal.Replay(read, nil)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	hands := 0
	if _, err := journal.Walk(read, func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if r.Stop != nil {
			hands++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	has.journal(&sum, hands)

	r, err := replay.Open(read, replay.Options{})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := r.Index(t.Context(), func() error {
		in, err := r.Inputs(r.Tick())
		out := r.Outcome()
		has.tick(r.World(), in, &out)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	r.EndTimeline()
	r.Timeline(func(line *timeline.Timeline) { said = has.told(&sum, line) })
	return said
}

// journal notes the contents of a journal as a whole.
func (c covered) journal(s *journal.Summary, hands int) {
	c[fmt.Sprint("format ", s.Header.Format)] = true
	mode := s.Header.Options.Mode
	if mode == "" {
		mode = "skirmish"
	}
	c["mode "+mode] = true
	c["record stop at the end"] = c["record stop at the end"] || s.Stopped != nil
	c["record stop"] = c["record stop"] || s.Stopped == nil && hands > 0
	c["record ended"] = c["record ended"] || s.Ended != nil
	c["record failed"] = c["record failed"] || s.Failed != ""
	c["record delivered"] = c["record delivered"] || s.Delivered
}

// tick notes the contents of a tick.
func (c covered) tick(w *sim.World, in []sim.Input, out *sim.Outcome) {
	set := w.Rules()
	for i := range in {
		c["input "+in[i].Kind.String()] = true
		if in[i].Kind == sim.InputOrder {
			c["order "+in[i].Order.Kind.String()] = true
		}
	}
	for _, e := range w.Events() {
		if e.Kind == sim.EventAction && e.On {
			c["ability "+set.Abilities[e.What].Kind] = true
		}
	}
	for _, e := range w.Entities() {
		for i := range e.Effects() {
			effect := &set.Effects[e.Effect(i).Kind]
			c["effect "+effect.KindName] = true
		}
	}
}

// told is what happened in a match, for people who read a diff.
func (c covered) told(s *journal.Summary, line *timeline.Timeline) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d players, %d ticks of 1/%d s, %d orders, %d refused\n\n", len(line.Teams), s.Ticks, line.Rate, s.Orders, s.Refused)
	for _, e := range line.Events(line.Last) {
		c["event "+e.Kind.String()] = true
		fmt.Fprintf(&b, "%d", e.Tick)
		if e.End != e.Tick {
			fmt.Fprintf(&b, "-%d", e.End)
		}
		fmt.Fprintf(&b, " %v", e.Kind)
		if e.Kind == timeline.Contact {
			fmt.Fprintf(&b, " of team %d with team %d", e.Team, e.Other)
		}
		if e.Slot != grid.NoSlot {
			fmt.Fprintf(&b, " slot %d", e.Slot)
		}
		if e.Kind == timeline.Ended {
			fmt.Fprintf(&b, " team %d %s", e.Team, e.Reason)
		}
		if e.By != grid.NoSlot {
			fmt.Fprintf(&b, " by slot %d", e.By)
		}
		if e.Placed {
			fmt.Fprintf(&b, " at %v", e.At.Tile())
		}
		if e.Placed && e.Kind != timeline.Fight {
			fmt.Fprintf(&b, " %s", s.Setup.Rules.Types[e.Type].Name)
		}
		for _, l := range e.Losses {
			fmt.Fprintf(&b, " slot %d loses %d worth %d", l.Slot, l.Count, l.Value)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintln(&b)
	for slot, v := range line.Now {
		fmt.Fprintf(&b, "slot %d %+v\n", slot, v)
	}
	return b.Bytes()
}

func firstDifference(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range g {
		if i >= len(w) || w[i] != g[i] {
			return fmt.Sprintf("line %d: %q", i+1, g[i])
		}
	}
	return fmt.Sprintf("line %d is missing", len(g)+1)
}

// corpusJournal is the records of a match of the corpus.
func corpusJournal(t *testing.T, name string) (recs [][]byte) {
	t.Helper()
	if _, err := journal.ReadFile(filepath.Join(corpusDir, name+".journal"), func(_ uint64, rec []byte) error {
		recs = append(recs, slices.Clone(rec))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return recs
}

// TestOtherBuildIsRefused: a journal that this build plays differently is refused as it is
// opened, by name: of another behaviour, and of another format.
func TestOtherBuildIsRefused(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"people", fmt.Sprintf(`"sim":"%d"`, sim.Behaviour), fmt.Sprintf(`"sim":"%d"`, sim.Behaviour+1),
			fmt.Sprintf("build corpus began match people with version %d of the simulation; this build has version %d", sim.Behaviour+1, sim.Behaviour)},
		{"people", fmt.Sprintf(`"format":%d`, journal.Format), `"format":99`, fmt.Sprintf("build corpus wrote the journal in format 99; this build reads format %d", journal.Format)},
	} {
		recs := corpusJournal(t, c.name)
		if bytes.Count(recs[0], []byte(c.from)) != 1 {
			t.Fatalf("the setup of %s has no %s: %s", c.name, c.from, recs[0])
		}
		recs[0] = bytes.Replace(recs[0], []byte(c.from), []byte(c.to), 1)
		r, err := replay.Open(reading(recs), replay.Options{})
		if err == nil || r != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, want %q", c.name, c.to, err, c.want)
		}
		var other *journal.OtherBuildError
		if errors.As(err, &other) != !strings.Contains(c.want, "format") {
			t.Errorf("%s with %s: %T", c.name, c.to, err)
		}
	}
}

// TestTimelineIsWhole: however cursors jump about before the match is indexed, and in any order of plays, the
// timeline equals the timeline of one play from beginning to end.
func TestTimelineIsWhole(t *testing.T) {
	recs := corpusJournal(t, "scripted")
	once, err := replay.Open(reading(recs), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want []timeline.Event
	var points [][]timeline.Values
	if err := once.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	once.Timeline(func(line *timeline.Timeline) { want, points = line.Events(line.Last), line.Points })
	if len(want) < 4 || len(points[0]) < 10 || want[len(want)-1].Kind != timeline.Ended {
		t.Fatalf("the match has too little: %v", want)
	}
	var saved *journal.State // in the middle of the match
	if _, _, err := journal.Replay(reading(recs), func(w *sim.World, out sim.Outcome) error {
		if out.Hashed && saved == nil && out.Tick > once.Last()/2 {
			saved = &journal.State{Tick: out.Tick, Hash: out.Hash, Bytes: w.Save(nil)}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	foreign := *saved
	foreign.Hash++
	if err := once.Seed(&foreign); !errors.As(err, new(*journal.StateError)) {
		t.Errorf("another match's state: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		rec, err := replay.Read(reading(recs), replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rec.Timeline(func(*timeline.Timeline) { t.Fatal("nobody has played") })
		var cursors [2]*replay.Replay
		for i := range cursors {
			if cursors[i], err = rec.Cursor(); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 6).Draw(t, "moves") {
			c := cursors[rapid.IntRange(0, 1).Draw(t, "cursor")]
			switch rapid.IntRange(0, 5).Draw(t, "move") {
			case 0:
				rec.Drop()
			case 2:
				err = rec.Seed(saved)
			case 1:
				if c.Tick() < c.Last() {
					err = c.Step()
				}
			default:
				err = c.Seek(context.Background(), grid.Tick(rapid.IntRange(0, int(rec.Last())).Draw(t, "to")))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := cursors[0].Index(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		rec.Timeline(func(line *timeline.Timeline) {
			if got := line.Events(line.Last); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(line.Points, points) || line.Last != rec.Last() {
				t.Fatalf("up to tick %d %v, want %v", line.Last, got, want)
			}
		})
		if rec.Bytes() <= len(points)*len(points[0])*70 {
			t.Fatalf("%d bytes", rec.Bytes())
		}
	})
}
