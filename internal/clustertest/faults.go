package clustertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/match/journal"
)

// Scene is a cluster with its matches, on which faults are played.
type Scene struct {
	*Cluster
	Matches  []*Match
	Database Database
	Random   *rand.Rand
	// OutageFor is how long the database is away.
	OutageFor time.Duration
	Log       func(format string, args ...any)
}

// Database is what a scene needs of its database.
type Database interface {
	Kill() error  // at once, without a word to anybody
	Start() error // again; it returns when it answers
}

// Fault is one thing that goes wrong. Do breaks something, waits as long as it takes to
// show, and mends it; then [Scene.Play] looks at what became of the matches.
type Fault struct {
	Name string
	// Apart: it needs log servers that run apart from the nodes.
	Apart bool
	Do    func(ctx context.Context, s *Scene) error
}

// goneOn is how long matches may take, after everything is mended, until each player has
// new frames: an election of a log leader takes up to nine seconds, and a process its
// start.
const goneOn = 45 * time.Second

// Faults returns all faults, in an order in which each leaves the cluster whole.
func Faults() []Fault {
	return []Fault{
		{Name: "kill of the host", Do: killHost},
		{Name: "kill of the host and a log follower", Apart: true, Do: killHostAndFollower},
		{Name: "kill of the log leader", Apart: true, Do: killLeader},
		{Name: "kill of the database", Do: killDatabase},
		{Name: "a host that stops and goes on", Do: zombie},
		{Name: "a host that is cut off from the log", Apart: true, Do: partition},
		{Name: "a slow and lossy way to the log", Apart: true, Do: slowLog},
		{Name: "kill of all processes", Do: killAll},
		{Name: "a host that comes back with an empty disk", Do: emptyDisk},
		{Name: "a log server that comes back with an empty disk", Apart: true, Do: emptyLog},
		{Name: "a full disk", Do: fullDisk},
	}
}

// Play plays one fault, and then wants every player of every match to have come back and
// played on, and everything that they were told to be true.
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
	s.Log("%-48s %5.1f s, went on %4.1f s after it was mended", f.Name, mended.Sub(began).Seconds(), time.Since(mended).Seconds())
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

// Verify holds everything that was told in all matches to their journals.
func (s *Scene) Verify(ctx context.Context, final bool) error {
	var errs []error
	for _, m := range s.Matches {
		if final {
			if err := s.over(ctx, m); err != nil {
				errs = append(errs, err)
			}
		}
		r := Verify(s.Journal(ctx, m.ID), m.Players, final)
		if err := r.Err(); err != nil {
			errs = append(errs, fmt.Errorf("match %s: %w", m.ID, err))
		}
		if final {
			s.Log("match %s: %d ticks, %d frames compared, %d orders answered, %d accepted", m.ID, r.Ticks, r.Frames, r.Orders, r.Accepted)
		}
	}
	return errors.Join(errs...)
}

// over waits until the journal of a match has its end. Its players are told of it as soon
// as everything is on disk that it follows from.
func (s *Scene) over(ctx context.Context, m *Match) error {
	ctx, cancel := context.WithTimeout(ctx, goneOn)
	defer cancel()
	for {
		sum, err := journal.Walk(s.Journal(ctx, m.ID), nil)
		if err == nil && sum.Ended != nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("match %s: its journal has no end: %w", m.ID, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// victim is the match whose host is hit, and that host.
func (s *Scene) victim() (*Match, *Node, int, error) {
	m := s.Matches[s.Random.IntN(len(s.Matches))]
	i, err := s.hostIndex(m)
	if err != nil {
		return nil, nil, 0, err
	}
	return m, s.Nodes[i], i, nil
}

// elsewhere waits until a player of each match that the node ran is sent frames by
// another one.
func (s *Scene) elsewhere(ctx context.Context, of *Node, matches []*Match) error {
	ctx, cancel := context.WithTimeout(ctx, goneOn)
	defer cancel()
	for _, m := range matches {
		for moved := false; !moved; time.Sleep(10 * time.Millisecond) {
			for _, p := range m.Players {
				moved = moved || p.At() != of.socket() || p.Ended() != nil
			}
			if ctx.Err() != nil {
				return fmt.Errorf("match %s is not taken over: %w", m.ID, m.Players[0].Story())
			}
		}
	}
	return nil
}

// of returns the matches that a node runs.
func (s *Scene) of(n *Node) (out []*Match) {
	for _, m := range s.Matches {
		if host, err := s.Host(m); err == nil && host == n {
			out = append(out, m)
		}
	}
	return out
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
	return errors.New("no log server follows")
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
	return fmt.Errorf("%q leads the match's journal, and is no log server", leader)
}

func killDatabase(ctx context.Context, s *Scene) error {
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
	time.Sleep(3 * time.Second)
	return s.silent(host, hit, thawed)
}

// silent wants a node to have told nothing of matches that another had taken over since.
func (s *Scene) silent(host *Node, hit []*Match, since time.Time) (err error) {
	for _, m := range hit {
		for _, p := range m.Players {
			if n := p.ToldBy(host.socket(), since); n > 0 {
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
	line := []Line{Cut, Silent}[s.Random.IntN(2)]
	for _, p := range s.Proxies[i] {
		p.Set(line)
	}
	err = s.elsewhere(ctx, host, hit)
	healed := time.Now()
	for _, p := range s.Proxies[i] {
		p.Set(Open)
	}
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
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
		time.Sleep(700 * time.Millisecond)
		for _, p := range s.Proxies[i] {
			p.Set(Cut)
			p.Set(Open)
		}
	}
	time.Sleep(700 * time.Millisecond)
	for _, p := range s.Proxies[i] {
		p.Delay(0)
	}
	return nil
}

func killAll(ctx context.Context, s *Scene) error {
	all := s.processes()
	s.Random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
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
	if s.Random.IntN(2) == 0 { // it is back before anybody missed it, or after
		err = s.elsewhere(ctx, host, hit)
	}
	return errors.Join(err, host.Start())
}

func emptyLog(ctx context.Context, s *Scene) error {
	l := s.Logs[s.Random.IntN(len(s.Logs))]
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
	time.Sleep(3 * time.Second)
	return s.Fill(ctx, false)
}
