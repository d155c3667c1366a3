package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/match/verify"
)

// Config configures a [Scene].
type Config struct {
	Program clustertest.Program
	// Next is another build: a rolling upgrade changes to it, and the one after that back.
	// Zero: each node is replaced by its own build.
	Next clustertest.Program
	Dir  string // for folders and output
	Logs int    // journal servers that run apart; 0: each of the nodes runs one
	Seed uint64 // of all choices
	// Outage is how long the database is away.
	Outage time.Duration
	Log    func(format string, args ...any)
}

// Scene is a cluster of three nodes with its database and its matches, on which faults are
// played.
type Scene struct {
	*clustertest.Cluster
	Matches []*clustertest.Match
	Checked verify.Report // sum of the matches that ended

	cfg      Config
	database *pgtest.Server
	random   *rand.Rand
	room     map[string]int64 // of a stream, before it was filled
	begun    int              // matches
}

// New starts a cluster with its own database. Its PostgreSQL is this machine's.
func New(ctx context.Context, c Config) (*Scene, error) {
	database, err := pgtest.NewServer()
	if err != nil {
		return nil, fmt.Errorf("faults need a PostgreSQL of their own, to kill it: %w", err)
	}
	s := &Scene{cfg: c, database: database, random: rand.New(rand.NewPCG(c.Seed, 0))}
	if s.Cluster, err = clustertest.New(clustertest.Config{Program: c.Program, Dir: c.Dir, Database: database.URL(), Nodes: 3, Logs: c.Logs}); err == nil {
		err = s.Cluster.Start(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends everything, at once.
func (s *Scene) Close() {
	for _, m := range s.Matches {
		m.Close()
	}
	if s.Cluster != nil {
		s.Cluster.Close()
	}
	s.database.Close()
}

// Begin starts matches of two players, every other one with a bot, in place of those
// that have ended.
func (s *Scene) Begin(ctx context.Context, matches int) error {
	s.Matches = nil
	for range matches {
		urls, i := s.URLs(), s.begun
		s.begun++
		m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{
			Name: fmt.Sprintf("m%d", i), URLs: append(urls[i%len(urls):], urls[:i%len(urls)]...), Players: 2, Bots: i % 2, Seed: s.cfg.Seed + uint64(i),
			Options: map[string]any{"spectatorDelay": 1},
		})
		if err != nil {
			return fmt.Errorf("match %d: %w", i, err)
		}
		s.Matches = append(s.Matches, m)
	}
	return nil
}

// End lets the players give up, and compares all that they were sent with the journals of
// their matches.
func (s *Scene) End(ctx context.Context) error {
	for _, m := range s.Matches {
		for _, p := range m.Players {
			p.Quit()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, m := range s.Matches {
		if err := m.Wait(ctx); err != nil {
			return err
		}
	}
	return s.Verify(ctx, true)
}

// Fault is one thing that goes wrong. Do breaks something, waits as long as it takes to
// show, and mends it; then [Scene.Play] looks at what became of the matches.
type Fault struct {
	Name string
	// Apart: it needs journal servers that run apart from the nodes.
	Apart bool
	// Rare: chance plays it; the list of one after another leaves it out, since it repeats the replacement of a host.
	Rare bool
	Do   func(ctx context.Context, s *Scene) error
}

// goneOn is how long matches may take, after everything is mended, until each player has
// new frames: an election of a log leader takes up to nine seconds, and a process its
// start.
const goneOn = 45 * time.Second

// All returns all faults, in an order in which each leaves the cluster whole.
func All() []Fault {
	return []Fault{
		{Name: "a host that a new process replaces", Do: replaceHost},
		{Name: "a rolling upgrade", Rare: true, Do: rollingUpgrade},
		{Name: "kill of the host", Do: killHost},
		{Name: "kill of the host and a log follower", Apart: true, Do: killHostAndFollower},
		{Name: "kill of the log leader", Apart: true, Do: killLeader},
		{Name: "kill of the database", Do: killDatabase},
		{Name: "a host that stops and goes on", Do: zombie},
		{Name: "a host that is cut off from the log", Apart: true, Do: partition},
		{Name: "a slow and lossy way to the log", Apart: true, Do: slowLog},
		{Name: "kill of all processes", Do: killAll},
		{Name: "a host that comes back with an empty disk", Do: emptyDisk},
		{Name: "a journal server that comes back with an empty disk", Apart: true, Do: emptyLog},
		{Name: "a full disk", Do: fullDisk},
	}
}

// Any returns a fault by chance that can be played here.
func (s *Scene) Any() Fault {
	list := slices.DeleteFunc(All(), func(f Fault) bool { return f.Apart && len(s.Logs) == 0 })
	return list[s.random.IntN(len(list))]
}

// Play plays one fault. Then every player of every match must come back and play on, and
// the server must have sent each player the truth.
func (s *Scene) Play(ctx context.Context, f Fault) error {
	began := time.Now()
	if err := f.Do(ctx, s); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	mended := time.Now()
	if err := s.Cluster.Open(ctx); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	play, cancel := context.WithTimeout(ctx, goneOn)
	defer cancel()
	if err := s.playing(play, 5); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	s.cfg.Log("%-48s %5.1f s, went on %4.1f s after it was mended", f.Name, mended.Sub(began).Seconds(), time.Since(mended).Seconds())
	return errors.Join(s.Cluster.Complaint(), s.Verify(ctx, false))
}

// playing waits until each player of each match has had so many ticks more.
func (s *Scene) playing(ctx context.Context, more int) error {
	var g errgroup.Group
	for _, m := range s.Matches {
		g.Go(func() error { return m.Playing(ctx, more) })
	}
	return g.Wait()
}

// Verify compares all messages of all matches with the matches' journals.
func (s *Scene) Verify(ctx context.Context, final bool) error {
	var errs []error
	for _, m := range s.Matches {
		if final {
			if err := clustertest.Over(ctx, s.Journal(ctx, m.ID)); err != nil {
				errs = append(errs, err)
			}
		}
		r := clustertest.Verify(s.Journal(ctx, m.ID), m.Players, final)
		if final {
			s.Checked.Frames += r.Frames
			s.Checked.Entities += r.Entities
			s.Checked.Orders += r.Orders
			s.Checked.Lost += r.Lost
			s.Checked.Doubled += r.Doubled
			s.Checked.Wrong = append(s.Checked.Wrong, r.Wrong...)
		}
		if err := r.Err(); err != nil {
			errs = append(errs, fmt.Errorf("match %s: %w", m.ID, err))
		}
		if final {
			s.cfg.Log("match %s: %d ticks, %d frames compared, %d orders answered, %d accepted", m.ID, r.Ticks, r.Frames, r.Orders, r.Accepted)
		}
	}
	return errors.Join(errs...)
}

// victim is the match whose host is hit, and that host.
func (s *Scene) victim() (*clustertest.Match, *clustertest.Node, int, error) {
	m := s.Matches[s.random.IntN(len(s.Matches))]
	host, err := s.Host(m)
	return m, host, slices.Index(s.Nodes, host), err
}

// elsewhere waits until a player of each match that the node ran is sent frames by
// another one.
func (s *Scene) elsewhere(ctx context.Context, of *clustertest.Node, matches []*clustertest.Match) error {
	ctx, cancel := context.WithTimeout(ctx, goneOn)
	defer cancel()
	for _, m := range matches {
		for moved := false; !moved; time.Sleep(10 * time.Millisecond) { // players read frames on their own
			for _, p := range m.Players {
				moved = moved || p.At() != of.Socket() || p.Ended() != nil
			}
			if ctx.Err() != nil {
				return fmt.Errorf("match %s is not taken over: %w", m.ID, m.Players[0].Story())
			}
		}
	}
	return nil
}

// of returns the matches that a node runs.
func (s *Scene) of(n *clustertest.Node) (out []*clustertest.Match) {
	for _, m := range s.Matches {
		if host, err := s.Host(m); err == nil && host == n {
			out = append(out, m)
		}
	}
	return out
}

// replaceHost has a new process take the place of a host: its matches move to other nodes
// first, and the process ends by itself.
func replaceHost(ctx context.Context, s *Scene) error {
	_, _, i, err := s.victim()
	if err != nil {
		return err
	}
	return s.replace(ctx, i, s.cfg.Program)
}

// rollingUpgrade replaces each node, one after another, by the other build.
func rollingUpgrade(ctx context.Context, s *Scene) error {
	next := s.cfg.Next
	if next.Path == "" {
		next = s.cfg.Program
	}
	for i, n := range s.Nodes {
		if err := s.replace(ctx, i, next); err != nil {
			return fmt.Errorf("%s: %w", n.Name, err)
		}
		if err := s.Open(ctx); err != nil {
			return err
		}
	}
	s.cfg.Program, s.cfg.Next = next, s.cfg.Program
	return nil
}

// replace replaces a node by a process of a program.
func (s *Scene) replace(ctx context.Context, i int, by clustertest.Program) error {
	host := s.Nodes[i]
	hit, began := s.of(host), time.Now()
	next := host.Successor(by)
	if err := next.Start(); err != nil {
		return err
	}
	s.Nodes[i] = next
	if err := s.elsewhere(ctx, host, hit); err != nil {
		host.Kill()
		return err
	}
	var worst time.Duration
	for _, m := range hit {
		if err := m.Playing(ctx, 5); err != nil {
			return err
		}
		for _, p := range m.Players {
			worst = max(worst, p.Gap(began, time.Now()))
		}
	}
	s.cfg.Log("players of the replaced node were at most %v without a frame", worst.Round(time.Millisecond))
	for end := time.Now().Add(goneOn); host.Runs(); time.Sleep(10 * time.Millisecond) { // no event tells of a process's end
		if time.Now().After(end) {
			host.Kill()
			return errors.New("the node that was replaced does not end")
		}
	}
	return nil
}

func killHost(ctx context.Context, s *Scene) error {
	_, host, _, err := s.victim()
	if err != nil {
		return err
	}
	hit := s.of(host)
	host.Kill()
	if err := s.elsewhere(ctx, host, hit); err != nil {
		return err
	}
	return host.Start()
}

func killHostAndFollower(ctx context.Context, s *Scene) error {
	m, host, _, err := s.victim()
	if err != nil {
		return err
	}
	leader, err := s.Leader(ctx, m.ID)
	if err != nil {
		return err
	}
	hit := s.of(host)
	for _, l := range s.Logs {
		if l.Name != leader {
			l.Kill()
			host.Kill()
			if err := s.elsewhere(ctx, host, hit); err != nil {
				return err
			}
			return errors.Join(l.Start(), host.Start())
		}
	}
	return errors.New("no journal server follows")
}

func killLeader(ctx context.Context, s *Scene) error {
	m, _, _, err := s.victim()
	if err != nil {
		return err
	}
	leader, err := s.Leader(ctx, m.ID)
	if err != nil {
		return err
	}
	for _, l := range s.Logs {
		if l.Name == leader {
			l.Kill()
			play, cancel := context.WithTimeout(ctx, goneOn)
			defer cancel()
			if err := m.Playing(play, 5); err != nil { // without the dead server
				return err
			}
			return l.Start()
		}
	}
	return fmt.Errorf("%q leads the match's journal, and is no journal server", leader)
}

func killDatabase(ctx context.Context, s *Scene) error {
	if err := s.database.Kill(); err != nil {
		return err
	}
	for end := time.Now().Add(s.cfg.Outage); time.Now().Before(end); {
		play, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := s.playing(play, 5)
		cancel()
		if err != nil {
			return err
		}
	}
	return s.database.Start()
}

func zombie(ctx context.Context, s *Scene) error {
	_, host, _, err := s.victim()
	if err != nil {
		return err
	}
	hit := s.of(host)
	if err := host.Freeze(); err != nil {
		return err
	}
	err = s.elsewhere(ctx, host, hit)
	thawed := time.Now()
	if err := errors.Join(err, host.Thaw()); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // time in which the node could send more
	return s.silent(host, hit, thawed)
}

// silent wants a node to have told nothing of matches that another had taken over since.
func (s *Scene) silent(host *clustertest.Node, hit []*clustertest.Match, since time.Time) (err error) {
	for _, m := range hit {
		for _, p := range m.Players {
			if n := p.ToldBy(host.Socket(), since); n > 0 {
				err = errors.Join(err, fmt.Errorf("%s was sent %d frames by %s, which had been replaced", p.Name, n, host.Name))
			}
		}
	}
	return err
}

func partition(ctx context.Context, s *Scene) error {
	_, host, i, err := s.victim()
	if err != nil {
		return err
	}
	hit := s.of(host)
	line := []clustertest.Line{clustertest.Cut, clustertest.Silent}[s.random.IntN(2)]
	for _, p := range s.Proxies[i] {
		p.Set(line)
	}
	err = s.elsewhere(ctx, host, hit)
	healed := time.Now()
	for _, p := range s.Proxies[i] {
		p.Set(clustertest.Open)
	}
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // time in which the node could send more
	return s.silent(host, hit, healed)
}

func slowLog(ctx context.Context, s *Scene) error {
	_, _, i, err := s.victim()
	if err != nil {
		return err
	}
	for _, p := range s.Proxies[i] {
		p.Delay(150 * time.Millisecond)
	}
	for range 3 { // its connections break while they are slow
		time.Sleep(700 * time.Millisecond) // connections work for a moment between two breaks
		for _, p := range s.Proxies[i] {
			p.Set(clustertest.Cut)
			p.Set(clustertest.Open)
		}
	}
	time.Sleep(700 * time.Millisecond) // connections work for a moment after the last break
	for _, p := range s.Proxies[i] {
		p.Delay(0)
	}
	return nil
}

func killAll(ctx context.Context, s *Scene) error {
	all := s.Processes()
	s.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range all {
		p.Kill()
	}
	return s.Cluster.Start(ctx)
}

func emptyDisk(ctx context.Context, s *Scene) error {
	_, host, _, err := s.victim()
	if err != nil {
		return err
	}
	hit := s.of(host)
	host.Kill()
	if err := errors.Join(os.RemoveAll(host.Data), os.Mkdir(host.Data, 0o700)); err != nil {
		return err
	}
	if s.random.IntN(2) == 0 { // it is back before a node missed it, or after
		err = s.elsewhere(ctx, host, hit)
	}
	return errors.Join(err, host.Start())
}

func emptyLog(ctx context.Context, s *Scene) error {
	l := s.Logs[s.random.IntN(len(s.Logs))]
	l.Kill()
	if err := errors.Join(os.RemoveAll(l.Data), os.Mkdir(l.Data, 0o700), l.Start()); err != nil {
		return err
	}
	return s.Current(ctx)
}

func fullDisk(ctx context.Context, s *Scene) error {
	if err := s.Fill(ctx, true); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // matches go on while the log takes no record
	return s.Fill(ctx, false)
}

// journalStreams begins the names of the streams that hold journals: as many as there are
// journal servers.
const journalStreams = "fogkeep_j"

// askMax is how long the journal servers are waited for in one attempt.
const askMax = 3 * time.Second

// journalStream is a stream of journals as its leader describes it.
type journalStream struct {
	jetstream.Stream
	info *jetstream.StreamInfo
}

// streams returns the streams of journals; match, if not empty, leaves only the stream with its journal.
func (s *Scene) streams(ctx context.Context, match string) (out []journalStream, err error) {
	tap, err := s.Watch(ctx)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(tap.Conn())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askMax)
	defer cancel()
	servers := len(s.Logs)
	if servers == 0 {
		servers = len(s.Nodes)
	}
	for i := range servers {
		stream, err := js.Stream(ctx, journalStreams+strconv.Itoa(i))
		if err != nil {
			return nil, fmt.Errorf("stream %d: %w", i, err)
		}
		subject := ">"
		if match != "" {
			subject = "fogkeep.*." + match
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err != nil {
			return nil, err
		}
		if match == "" || len(info.State.Subjects) > 0 {
			out = append(out, journalStream{stream, info})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no stream has the journal of match %q: %w", match, fs.ErrNotExist)
	}
	return out, nil
}

// Leader returns the name of the journal server that leads a match's journal.
func (s *Scene) Leader(ctx context.Context, match string) (string, error) {
	var err error
	for ctx.Err() == nil {
		var list []journalStream
		if list, err = s.streams(ctx, match); err == nil && list[0].info.Cluster != nil && list[0].info.Cluster.Leader != "" {
			return list[0].info.Cluster.Leader, nil
		}
		time.Sleep(100 * time.Millisecond) // journal servers elect in their own time
	}
	return "", errors.Join(err, ctx.Err())
}

// updateTries bounds how often a stream's settings are sent, and updateWait how long one
// answer is waited for. A journal server that just lost or won an election drops such a
// request without an answer.
const (
	updateTries = 10
	updateWait  = 3 * time.Second
)

// updateStream gives a stream other settings.
func updateStream(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig) (err error) {
	for range updateTries {
		try, cancel := context.WithTimeout(ctx, updateWait)
		_, err = js.UpdateStream(try, cfg)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// Fill makes the journals' streams full, or gives them their room back.
func (s *Scene) Fill(ctx context.Context, full bool) error {
	list, err := s.streams(ctx, "")
	if err != nil {
		return err
	}
	tap, err := s.Watch(ctx)
	if err != nil {
		return err
	}
	js, err := jetstream.New(tap.Conn())
	if err != nil {
		return err
	}
	for _, stream := range list {
		cfg := stream.info.Config
		if s.room == nil {
			s.room = map[string]int64{}
		}
		if _, known := s.room[cfg.Name]; !known {
			s.room[cfg.Name] = cfg.MaxBytes
		}
		if cfg.MaxBytes = s.room[cfg.Name]; full {
			cfg.MaxBytes = max(1, int64(stream.info.State.Bytes))
		}
		if err := updateStream(ctx, js, cfg); err != nil {
			return fmt.Errorf("stream %s with room for %d bytes: %w", cfg.Name, cfg.MaxBytes, err)
		}
	}
	return nil
}

// Current waits until every journal server has all of every journal.
func (s *Scene) Current(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, goneOn)
	defer cancel()
	var last error
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) { // journal servers catch up in their own time
		list, err := s.streams(ctx, "")
		if err != nil {
			last = err
			continue
		}
		last = nil
		for _, s := range list {
			if s.info.Cluster == nil {
				continue
			}
			for _, peer := range s.info.Cluster.Replicas {
				if !peer.Current || peer.Offline {
					last = fmt.Errorf("stream %s: %s lags by %d", s.info.Config.Name, peer.Name, peer.Lag)
				}
			}
		}
		if last == nil {
			return nil
		}
	}
	return fmt.Errorf("the journal servers do not come together: %w", last)
}
