//go:build !race

package main

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
)

// scene is a cluster with its matches, on which faults are played.
type scene struct {
	*clustertest.Cluster
	room     map[string]int64 // of a stream, before it was filled
	Matches  []*clustertest.Match
	Database *pgtest.Server
	Random   *rand.Rand
	// OutageFor is how long the database is away.
	OutageFor time.Duration
	Log       func(format string, args ...any)
}

// fault is one thing that goes wrong. Do breaks something, waits as long as it takes to
// show, and mends it; then scene.Play looks at what became of the matches.
type fault struct {
	Name string
	// Apart: it needs journal servers that run apart from the nodes.
	Apart bool
	Do    func(ctx context.Context, s *scene) error
}

// goneOn is how long matches may take, after everything is mended, until each player has
// new frames: an election of a log leader takes up to nine seconds, and a process its
// start.
const goneOn = 45 * time.Second

// faults returns all faults, in an order in which each leaves the cluster whole.
func faults() []fault {
	return []fault{
		{Name: "a host that a new process replaces", Do: replaceHost},
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

// Play plays one fault. Then every player of every match must come back and play on, and
// the server must have sent each player the truth.
func (s *scene) Play(ctx context.Context, f fault) error {
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
	s.Log("%-48s %5.1f s, went on %4.1f s after it was mended", f.Name, mended.Sub(began).Seconds(), time.Since(mended).Seconds())
	return errors.Join(s.Cluster.Complaint(), s.Verify(ctx, false))
}

// playing waits until each player of each match has had so many ticks more.
func (s *scene) playing(ctx context.Context, more int) error {
	var g errgroup.Group
	for _, m := range s.Matches {
		g.Go(func() error { return m.Playing(ctx, more) })
	}
	return g.Wait()
}

// Verify compares all messages of all matches with the matches' journals.
func (s *scene) Verify(ctx context.Context, final bool) error {
	var errs []error
	for _, m := range s.Matches {
		if final {
			if err := journalOver(ctx, s.Journal(ctx, m.ID)); err != nil {
				errs = append(errs, err)
			}
		}
		r := clustertest.Verify(s.Journal(ctx, m.ID), m.Players, final)
		if err := r.Err(); err != nil {
			errs = append(errs, fmt.Errorf("match %s: %w", m.ID, err))
		}
		if final {
			s.Log("match %s: %d ticks, %d frames compared, %d orders answered, %d accepted", m.ID, r.Ticks, r.Frames, r.Orders, r.Accepted)
		}
	}
	return errors.Join(errs...)
}

// victim is the match whose host is hit, and that host.
func (s *scene) victim() (*clustertest.Match, *clustertest.Node, int, error) {
	m := s.Matches[s.Random.IntN(len(s.Matches))]
	host, err := s.Host(m)
	return m, host, slices.Index(s.Nodes, host), err
}

// elsewhere waits until a player of each match that the node ran is sent frames by
// another one.
func (s *scene) elsewhere(ctx context.Context, of *clustertest.Node, matches []*clustertest.Match) error {
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
func (s *scene) of(n *clustertest.Node) (out []*clustertest.Match) {
	for _, m := range s.Matches {
		if host, err := s.Host(m); err == nil && host == n {
			out = append(out, m)
		}
	}
	return out
}

// replaceHost has a new process take the place of a host: its matches move to other nodes
// first, and the process ends by itself.
func replaceHost(ctx context.Context, s *scene) error {
	_, host, i, err := s.victim()
	if err != nil {
		return err
	}
	hit, began := s.of(host), time.Now()
	next := host.Successor()
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
	s.Log("players of the replaced node were at most %v without a frame", worst.Round(time.Millisecond))
	for end := time.Now().Add(goneOn); host.Runs(); time.Sleep(10 * time.Millisecond) { // no event tells of a process's end
		if time.Now().After(end) {
			host.Kill()
			return errors.New("the node that was replaced does not end")
		}
	}
	return nil
}

func killHost(ctx context.Context, s *scene) error {
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

func killHostAndFollower(ctx context.Context, s *scene) error {
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

func killLeader(ctx context.Context, s *scene) error {
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

func killDatabase(ctx context.Context, s *scene) error {
	if err := s.Database.Kill(); err != nil {
		return err
	}
	for end := time.Now().Add(s.OutageFor); time.Now().Before(end); {
		play, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := s.playing(play, 5)
		cancel()
		if err != nil {
			return err
		}
	}
	return s.Database.Start()
}

func zombie(ctx context.Context, s *scene) error {
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
func (s *scene) silent(host *clustertest.Node, hit []*clustertest.Match, since time.Time) (err error) {
	for _, m := range hit {
		for _, p := range m.Players {
			if n := p.ToldBy(host.Socket(), since); n > 0 {
				err = errors.Join(err, fmt.Errorf("%s was sent %d frames by %s, which had been replaced", p.Name, n, host.Name))
			}
		}
	}
	return err
}

func partition(ctx context.Context, s *scene) error {
	_, host, i, err := s.victim()
	if err != nil {
		return err
	}
	hit := s.of(host)
	line := []clustertest.Line{clustertest.Cut, clustertest.Silent}[s.Random.IntN(2)]
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

func slowLog(ctx context.Context, s *scene) error {
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

func killAll(ctx context.Context, s *scene) error {
	all := s.Processes()
	s.Random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range all {
		p.Kill()
	}
	return s.Cluster.Start(ctx)
}

func emptyDisk(ctx context.Context, s *scene) error {
	_, host, _, err := s.victim()
	if err != nil {
		return err
	}
	hit := s.of(host)
	host.Kill()
	if err := errors.Join(os.RemoveAll(host.Data), os.Mkdir(host.Data, 0o700)); err != nil {
		return err
	}
	if s.Random.IntN(2) == 0 { // it is back before a node missed it, or after
		err = s.elsewhere(ctx, host, hit)
	}
	return errors.Join(err, host.Start())
}

func emptyLog(ctx context.Context, s *scene) error {
	l := s.Logs[s.Random.IntN(len(s.Logs))]
	l.Kill()
	if err := errors.Join(os.RemoveAll(l.Data), os.Mkdir(l.Data, 0o700), l.Start()); err != nil {
		return err
	}
	return s.Current(ctx)
}

func fullDisk(ctx context.Context, s *scene) error {
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
func (s *scene) streams(ctx context.Context, match string) (out []journalStream, err error) {
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
func (s *scene) Leader(ctx context.Context, match string) (string, error) {
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
func (s *scene) Fill(ctx context.Context, full bool) error {
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
func (s *scene) Current(ctx context.Context) error {
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
