//go:build !race

package match_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replayserver"
	"github.com/fogkeep/fogkeep/match/shared"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// replaySocket is the socket of replays, with the journal of a match behind it.
type replaySocket struct {
	t      *testing.T
	url    string
	rights []shared.Right // a ticket is an index
}

// Redeem implements replayserver.Admitter.
func (d *replaySocket) Redeem(_ context.Context, ticket string, _ netip.Addr) (shared.Right, error) {
	i := 0
	if _, err := fmt.Sscan(ticket, &i); err != nil || i >= len(d.rights) {
		return shared.Right{}, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	return d.rights[i], nil
}

// Resume implements replayserver.Admitter.
func (d *replaySocket) Resume(_ context.Context, r shared.Right, _ netip.Addr) (shared.Right, error) {
	return r, nil
}

// openReplays shows a match up to the records of a tick, and each player's camera.
func openReplays(t *testing.T, m *match.ExitMatch, to grid.Tick) *replaySocket {
	t.Helper()
	dir := journaltest.OpenDir(t)
	log, err := dir.Create("exits")
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range m.Records {
		if m.Ticks[i] > to {
			break
		}
		if err := log.Append(uint64(i), rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Wait(t.Context(), log.Next()-1); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	d := &replaySocket{t: t}
	library := playback.New(playback.Config{Journals: dir, Notes: lookers(len(m.Setup.Players))})
	t.Cleanup(library.Close)
	s := replayserver.New(replayserver.Config{Library: library, Admitter: d})
	t.Cleanup(s.Close)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	d.url = "ws" + strings.TrimPrefix(h.URL, "http")
	return d
}

// lookers are n players, each with a camera from the first tick on.
type lookers int

// Read implements playback.Notes.
func (n lookers) Read(string) (*notes.Notes, error) {
	out := &notes.Notes{}
	for slot := range int(n) {
		out.Cameras = append(out.Cameras, notes.Camera{Tick: 1, Slot: grid.Slot(slot), At: grid.Tile{X: int16(5 + slot), Y: 6}, Radius: 7})
	}
	return out, nil
}

// shownAt has the messages of a viewing, each frame with its tick.
type shownAt struct {
	welcome  *pb.Welcome
	frames   []match.ShownFrame
	statuses []*pb.ReplayStatus
	timeline []*pb.ReplayTimeline
	all      []*pb.ServerFrame
	points   int
	asked    uint32
}

// watch looks at every tick that a viewing shows from one on, one step at a time.
func (d *replaySocket) watch(r shared.Right, from grid.Tick, derives bool) *shownAt {
	d.t.Helper()
	r.Match, r.Account = "exits", "w"
	d.rights = append(d.rights, r)
	c, err := socket.Dial(d.t.Context(), d.url, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	defer c.Close()
	send := func(f *pb.ClientFrame) {
		d.t.Helper()
		if err := c.Send(f); err != nil {
			d.t.Fatal(err)
		}
	}
	out, tick, status := &shownAt{}, grid.Tick(0), &pb.ReplayStatus{}
	read := func() *pb.ServerFrame {
		d.t.Helper()
		b, err := c.Read()
		if err != nil {
			d.t.Fatal(err)
		}
		f, err := match.ParseFrame(b)
		if err != nil {
			d.t.Fatal(err)
		}
		out.all = append(out.all, f)
		switch {
		case f.Welcome != nil:
			out.welcome = f.Welcome
		case f.Replay != nil:
			status = f.Replay
			out.statuses = append(out.statuses, status)
		case f.Timeline != nil:
			out.timeline = append(out.timeline, f.Timeline)
			for _, s := range f.Timeline.Series {
				out.points = int(f.Timeline.Point) + len(s.Army)
			}
		case f.Waiting != nil || f.Closing != nil:
			d.t.Fatalf("the viewing shows %v", f)
		default:
			if tick += grid.Tick(max(1, f.Span)); f.Tick != 0 {
				tick = grid.Tick(f.Tick)
			}
			out.frames = append(out.frames, match.ShownFrame{Tick: tick, Bytes: bytes.Clone(b)})
			send(&pb.ClientFrame{Applied: uint32(tick)})
		}
		return f
	}
	control := func(to *pb.ReplayControl) {
		d.t.Helper()
		out.asked++
		to.Number = out.asked
		send(&pb.ClientFrame{Replay: to})
		for status.Done < out.asked || tick != grid.Tick(status.Tick) {
			read()
		}
	}
	send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: fmt.Sprint(len(d.rights) - 1), DerivesFog: derives, Packed: derives}})
	for out.welcome == nil || tick == 0 {
		read()
	}
	// Eyes that it may not choose, and a tick that it may not see.
	eyes := wireEyes(r.Eyes)
	if r.Live {
		eyes = (eyes + 1) % 3
	}
	control(&pb.ReplayControl{Paused: proto.Bool(true), Eyes: &eyes, Seek: proto.Uint32(1 << 30)})
	for first := true; first || tick > max(2, from); first = false {
		control(&pb.ReplayControl{Seek: proto.Uint32(uint32(from))})
	}
	out.frames = out.frames[len(out.frames)-1:]
	for tick < grid.Tick(status.Last) {
		control(&pb.ReplayControl{Step: proto.Int32(1)})
	}
	for out.points < int(status.Last/20)+1 {
		read()
	}
	return out
}

// comparable is a frame without the parts that depend on earlier messages: the ticks
// since the last one, chat, which the match socket sends between two beats, and the
// states of players, since the match socket sends a newcomer's name at once. The field
// table holds them.
func comparable(t *testing.T, b []byte) (string, *pb.ServerFrame) {
	t.Helper()
	f, err := match.ParseFrame(b)
	if err != nil {
		t.Fatal(err)
	}
	f.Span, f.Said, f.Players, f.Budget, f.Speed, f.Votes = 0, nil, nil, nil, nil, nil
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), f
}

// TestReplaysShowWhatTheMatchSocketShows: a replay of a running match sends, frame by
// frame, the same as the match socket to a late spectator with the same eyes. The frames
// are held to the field table too, as are those of the finished match.
func TestReplaysShowWhatTheMatchSocketShows(t *testing.T) {
	m := exitMatch(t)
	running, over := openReplays(t, m, m.Ended-8), openReplays(t, m, m.Ended+1)
	for _, eyes := range []grid.Team{grid.NoTeam, 1} {
		socket := m.Socket(eyes)
		right := shared.Right{Live: true, Delay: m.DelayTime(), Eyes: eyes}
		live := running.watch(right, socket[0].Tick+1, false) // an odd tick is no beat
		want := map[grid.Tick]match.ShownFrame{}
		for _, f := range socket {
			want[f.Tick] = f
		}
		same := 0
		for _, f := range live.frames {
			got, sent := comparable(t, f.Bytes)
			w, ok := want[f.Tick]
			if !ok {
				if got != "" {
					t.Errorf("eyes %d, tick %d: a frame that the match socket does not send: %v", eyes, f.Tick, sent)
				}
				continue
			}
			if is, frame := comparable(t, w.Bytes); is != got {
				t.Fatalf("eyes %d, tick %d: the replay sends\n%v\nthe match socket\n%v", eyes, f.Tick, sent, frame)
			}
			same++
		}
		if same < 60 {
			t.Errorf("eyes %d: only %d frames were compared", eyes, same)
		}
		for _, derives := range []bool{false, true} {
			for _, what := range m.Judge(eyes, derives, running.watch(right, 0, derives).frames) {
				t.Errorf("eyes %d, running: %s", eyes, what)
			}
			for _, what := range m.Judge(eyes, derives, over.watch(shared.Right{Eyes: eyes}, 0, derives).frames) {
				t.Errorf("eyes %d, over: %s", eyes, what)
			}
		}
	}
}

// replayRow is a field that only replays have: its permitted receivers while the match
// runs and once it is over, "" for no receiver, and its check while the match runs.
type replayRow struct {
	path, runs, over string
	check            func(v *replayView) bool
	rare             bool // it may be missing from all messages
}

// replayView is a viewing of the match while it runs.
type replayView struct {
	*shownAt
	m     *match.ExitMatch
	eyes  grid.Team
	limit grid.Tick // no later tick may be shown
}

const (
	whoLooks = "who watches"
	allWatch = "everybody who may watch the replay"
)

// inWelcome is a row of the welcome.
func inWelcome(path string, is func(v *replayView, r *pb.ReplayInfo) bool) replayRow {
	return replayRow{path: path, runs: whoLooks, over: allWatch, check: func(v *replayView) bool { return is(v, v.welcome.Replay) }}
}

// inStatus is a row of how a viewing stands.
func inStatus(path string, is func(v *replayView, s *pb.ReplayStatus) bool) replayRow {
	return replayRow{path: path, runs: whoLooks, over: allWatch, check: func(v *replayView) bool {
		return !slices.ContainsFunc(v.statuses, func(s *pb.ReplayStatus) bool { return !is(v, s) })
	}}
}

// afterIt is a row that viewers get once the match is over.
func afterIt(path string) replayRow {
	return replayRow{path: path, over: allWatch, check: func(v *replayView) bool { return true }}
}

// inTimeline is a row with facts that frames to the same eyes have too.
func inTimeline(path, runs string, is func(v *replayView, part *pb.ReplayTimeline) bool) replayRow {
	return replayRow{path: path, runs: runs, over: allWatch, check: func(v *replayView) bool {
		return !slices.ContainsFunc(v.timeline, func(p *pb.ReplayTimeline) bool { return !is(v, p) })
	}}
}

// rarely is a row that the tests' match need not send: it is 0 there, or the
// match is too short for it.
func rarely(r replayRow) replayRow {
	r.rare = true
	return r
}

func always(*replayView, *pb.ReplayTimeline) bool { return true }

// isSeries holds the series of a running match to the history.
func isSeries(v *replayView, part *pb.ReplayTimeline) bool {
	for _, s := range part.Series {
		if p := v.m.Setup.Players; int(s.Slot) >= len(p) || v.eyes != grid.NoTeam && p[s.Slot].Team != v.eyes || len(s.Army) != len(s.Workers) {
			return false
		}
		for k := range s.Army {
			at := grid.Tick(part.Point+uint32(k)) * grid.Tick(part.PointTicks)
			if army, workers := v.m.Army(grid.Slot(s.Slot), at); at > v.limit || s.Army[k] != army || s.Workers[k] != workers {
				return false
			}
		}
	}
	return true
}

// isEvents compares the events of a running match with the sights of these eyes.
func isEvents(v *replayView, part *pb.ReplayTimeline) bool {
	for _, e := range part.Events {
		if max(e.Tick, e.Until) > uint32(v.limit) || v.m.JudgeEvent(v.eyes, e) != "" {
			return false
		}
	}
	return true
}

// replayTable has a row for each field that only replays have. The field table has the
// fields that matches have too.
var replayTable = []replayRow{
	inWelcome("welcome.replay", func(*replayView, *pb.ReplayInfo) bool { return true }),
	inWelcome("welcome.replay.match_id", func(_ *replayView, r *pb.ReplayInfo) bool { return r.MatchId == "exits" }),
	inWelcome("welcome.replay.last", func(v *replayView, r *pb.ReplayInfo) bool { return r.Last <= uint32(v.limit) }),
	{path: "welcome.replay.live", runs: whoLooks, check: func(v *replayView) bool { return v.welcome.Replay.Live }},
	{path: "welcome.replay.eyes_fixed", runs: whoLooks, check: func(v *replayView) bool { return v.welcome.Replay.EyesFixed }},
	afterIt("welcome.replay.may_branch"),
	rarely(inWelcome("welcome.replay.tick", func(v *replayView, r *pb.ReplayInfo) bool { return r.Tick <= uint32(v.limit) })),
	rarely(inWelcome("welcome.replay.first", func(_ *replayView, r *pb.ReplayInfo) bool { return r.First == 0 })),

	inStatus("replay", func(*replayView, *pb.ReplayStatus) bool { return true }),
	inStatus("replay.tick", func(v *replayView, s *pb.ReplayStatus) bool { return s.Tick <= uint32(v.limit) }),
	inStatus("replay.last", func(v *replayView, s *pb.ReplayStatus) bool { return s.Last == uint32(v.limit) }),
	inStatus("replay.percent", func(_ *replayView, s *pb.ReplayStatus) bool { return s.Percent == 100 }),
	inStatus("replay.paused", func(*replayView, *pb.ReplayStatus) bool { return true }),
	inStatus("replay.eyes", func(v *replayView, s *pb.ReplayStatus) bool { return s.Eyes == wireEyes(v.eyes) }),
	inStatus("replay.state", func(_ *replayView, s *pb.ReplayStatus) bool { return s.State <= pb.ReplayState_REPLAY_STATE_SEEKING }),
	inStatus("replay.indexed", func(v *replayView, s *pb.ReplayStatus) bool { return s.Indexed <= uint32(v.limit) }),
	inStatus("replay.done", func(v *replayView, s *pb.ReplayStatus) bool { return s.Done <= v.asked }),
	inStatus("replay.goal", func(v *replayView, s *pb.ReplayStatus) bool { return s.Goal <= uint32(v.limit) }),
	afterIt("replay.cameras"), afterIt("replay.cameras.slot"), afterIt("replay.cameras.x"), afterIt("replay.cameras.y"), afterIt("replay.cameras.radius"),
	afterIt("replay.production"), afterIt("replay.production.slot"), afterIt("replay.production.type"), afterIt("replay.production.count"), afterIt("replay.production.progress"),

	inTimeline("timeline", whoLooks, always),
	rarely(inTimeline("timeline.restart", whoLooks, always)),
	inTimeline("timeline.point_ticks", whoLooks, func(_ *replayView, p *pb.ReplayTimeline) bool { return p.PointTicks == 20 }),
	rarely(inTimeline("timeline.point", whoLooks, always)),
	inTimeline("timeline.series", "who always sees the player's units", isSeries),
	inTimeline("timeline.series.slot", "who always sees the player's units", isSeries),
	afterIt("timeline.series.held"), afterIt("timeline.series.gathered"),
	inTimeline("timeline.series.army", "who always sees the player's units", isSeries),
	afterIt("timeline.series.making"),
	inTimeline("timeline.series.workers", "who always sees the player's units", isSeries),
	afterIt("timeline.series.population"), afterIt("timeline.series.population_max"), afterIt("timeline.series.lost"), afterIt("timeline.series.lost_value"),
	afterIt("timeline.series.killed"), afterIt("timeline.series.killed_value"), afterIt("timeline.series.orders"), afterIt("timeline.series.refused"),
	afterIt("timeline.series.assisted"),
	inTimeline("timeline.events", "who saw it", isEvents),
	inTimeline("timeline.events.kind", "who saw it; that somebody gave up: nobody", isEvents),
	inTimeline("timeline.events.tick", "who saw it", isEvents),
	rarely(inTimeline("timeline.events.until", "who saw it", isEvents)),
	inTimeline("timeline.events.slot", "who saw it", isEvents),
	inTimeline("timeline.events.by", "of what was captured: who saw it before and after", isEvents),
	inTimeline("timeline.events.team", "who saw it; of a contact: that team's eyes", isEvents),
	inTimeline("timeline.events.other", "of a contact: that team's eyes", isEvents),
	inTimeline("timeline.events.x", "who saw it", isEvents),
	inTimeline("timeline.events.y", "who saw it", isEvents),
	inTimeline("timeline.events.type", "who saw it", isEvents),
	inTimeline("timeline.events.value", "who saw it", isEvents),
	rarely(inTimeline("timeline.events.losses", "who saw each of them", isEvents)),
	rarely(inTimeline("timeline.events.losses.slot", "who saw each of them", isEvents)),
	rarely(inTimeline("timeline.events.losses.count", "who saw each of them", isEvents)),
	rarely(inTimeline("timeline.events.losses.value", "who saw each of them", isEvents)),
	afterIt("timeline.events.reason"),
}

// never are the fields of a frame that a replay sends to no viewer.
var never = []string{"answers", "own", "pinged", "budget", "speed", "votes", "waiting", "closing"}

// told counts the fields of a viewing's messages.
func (v *shownAt) told(t *testing.T) map[string]int {
	t.Helper()
	n := map[string]int{}
	var note func(m protoreflect.Message, prefix string)
	note = func(m protoreflect.Message, prefix string) {
		m.Range(func(fd protoreflect.FieldDescriptor, x protoreflect.Value) bool {
			path := prefix + string(fd.Name())
			n[path]++
			switch {
			case fd.Message() == nil:
			case fd.IsList():
				for i := range x.List().Len() {
					note(x.List().Get(i).Message(), path+".")
				}
			default:
				note(x.Message(), path+".")
			}
			return true
		})
	}
	for _, f := range v.all {
		note(f.ProtoReflect(), "")
	}
	return n
}

// TestEveryFieldOfReplays: each field that only replays have has a row. While the match
// runs only permitted receivers get a field, and it agrees with the history; once the
// match is over all viewers get it.
func TestEveryFieldOfReplays(t *testing.T) {
	rows := map[string]*replayRow{}
	for i := range replayTable {
		row := &replayTable[i]
		if rows[row.path] != nil || row.check == nil || row.runs+row.over == "" {
			t.Errorf("%s: a field has one row, which says who may know it, and a check", row.path)
		}
		rows[row.path] = row
	}
	for _, prefix := range []string{"welcome.replay", "replay", "timeline"} {
		for _, path := range match.SchemaFields(prefix) {
			if rows[path] == nil {
				t.Errorf("%s has no row in replayTable (docs/contributing/fog.md says how to add one)", path)
			}
			delete(rows, path)
		}
	}
	for path := range rows {
		t.Errorf("%s has a row in replayTable and is no field", path)
	}
	m := exitMatch(t)
	to := m.Ended - 8
	running, over := openReplays(t, m, to), openReplays(t, m, m.Ended+1)
	while := map[string]int{}
	for _, eyes := range []grid.Team{grid.NoTeam, 0, 1, 2} {
		shown := running.watch(shared.Right{Live: true, Delay: m.DelayTime(), Eyes: eyes}, 0, false)
		v := &replayView{shown, m, eyes, to - to%20 - m.Delay}
		for path, n := range shown.told(t) {
			while[path] += n
			if top, _, _ := strings.Cut(path, "."); slices.Contains(never, top) {
				t.Errorf("eyes %d: a replay tells %s", eyes, path)
			}
		}
		for i := range replayTable {
			if row := &replayTable[i]; !row.check(v) {
				t.Errorf("eyes %d: %s is not what these eyes may know: %s", eyes, row.path, row.runs)
			}
		}
	}
	after := over.watch(shared.Right{Eyes: 1}, 0, false).told(t)
	for _, row := range replayTable {
		if told := while[row.path] > 0; told != (row.runs != "") && !row.rare {
			t.Errorf("%s: while the match runs it is told %v; who may know it: %q", row.path, told, row.runs)
		}
		if told := after[row.path] > 0; told != (row.over != "") && !row.rare {
			t.Errorf("%s: of a match that is over it is told %v; who may know it: %q", row.path, told, row.over)
		}
	}
}

// wireEyes is the wire form of eyes.
func wireEyes(eyes grid.Team) uint32 {
	if eyes == grid.NoTeam {
		return 0
	}
	return uint32(eyes) + 1
}

// exitMatch is the match that all these tests show. It is played once.
func exitMatch(t *testing.T) *match.ExitMatch {
	t.Helper()
	once.Do(func() { once.match = match.PlayForExits(t) })
	if once.match == nil {
		t.Fatal("the match was not played")
	}
	return once.match
}

var once struct {
	sync.Once
	match *match.ExitMatch
}
