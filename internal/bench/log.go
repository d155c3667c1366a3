package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// LogConfig is what [Log] measures.
type LogConfig struct {
	Dir     string // where journals and log servers keep their data
	Matches []int  // one run for each
	Streams []int  // of the log servers, one run for each
	Bytes   int    // of a record
	Rate    int    // records a second and match
	Seconds int    // of each run
	Kill    int    // matches that write while log servers are killed, 0: none is
	// DatabaseURL is a PostgreSQL of this machine, "": it is not measured.
	DatabaseURL string
	// Server starts log server name of the cluster folder dir, in a process of its own.
	Server func(dir, store string) *exec.Cmd
	// Progress is told what is being done.
	Progress func(format string, args ...any)
}

// LogReport is what it costs to have records on disk before their answers leave.
type LogReport struct {
	Bytes   int      `json:"record_bytes"`
	Rate    int      `json:"rate"` // records a second and match
	Seconds int      `json:"seconds"`
	Runs    []LogRun `json:"runs"`
	Kills   *LogKill `json:"kills,omitempty"`
}

// LogRun is one engine under one load.
type LogRun struct {
	Engine    string    `json:"engine"`  // "file", "log servers" or "postgresql"
	Streams   int       `json:"streams"` // of the log servers
	Matches   int       `json:"matches"`
	PerSecond float64   `json:"records_per_s"`
	P50Ms     float64   `json:"append_p50_ms"` // from the record to its being safe
	P99Ms     float64   `json:"append_p99_ms"`
	MaxMs     float64   `json:"append_max_ms"`
	ClientCPU float64   `json:"client_cores"` // of the process with the matches
	ServerCPU []float64 `json:"server_cores"` // of each log server, or of PostgreSQL
}

// LogKill is what matches notice when a log server is killed.
type LogKill struct {
	Matches  int     `json:"matches"`
	Streams  int     `json:"streams"`
	Led      int     `json:"led_matches"`     // whose stream the killed server led
	Follower float64 `json:"follower_max_ms"` // the longest append of the others
	Leader   float64 `json:"leader_max_ms"`   // the longest append of those that it led
	Lost     int     `json:"lost_records"`    // acknowledged, and not in the journal afterwards
}

const logServers = 3

// Log measures appends to journals: to files of this machine, to three log servers in
// processes of their own, and, where PostgreSQL is named, to a table.
func Log(ctx context.Context, c LogConfig) (r LogReport, err error) {
	r = LogReport{Bytes: c.Bytes, Rate: c.Rate, Seconds: c.Seconds}
	if !processMeasured {
		return r, errors.New("bench log: it reads /proc, which this system does not have")
	}
	for _, n := range c.Matches {
		c.Progress("file journals, %d matches", n)
		dir, err := journal.OpenDir(filepath.Join(c.Dir, "files", strconv.Itoa(n)))
		if err != nil {
			return r, err
		}
		run, err := c.measureStore(ctx, LogRun{Engine: "file", Matches: n}, dir, nil)
		if err != nil {
			return r, fmt.Errorf("bench log: files: %w", err)
		}
		r.Runs = append(r.Runs, run)
	}
	for _, streams := range c.Streams {
		if err := c.logServers(ctx, streams, &r); err != nil {
			return r, fmt.Errorf("bench log: %w", err)
		}
	}
	if c.DatabaseURL == "" {
		c.Progress("no --database-url: PostgreSQL is not measured")
		return r, nil
	}
	for _, n := range c.Matches {
		c.Progress("PostgreSQL, %d matches", n)
		run, err := c.postgres(ctx, c.DatabaseURL, n)
		if err != nil {
			return r, fmt.Errorf("bench log: PostgreSQL: %w", err)
		}
		r.Runs = append(r.Runs, run)
	}
	return r, nil
}

// logServers runs the loads against three log servers of their own, and kills one of
// them at the end.
func (c *LogConfig) logServers(ctx context.Context, streams int, r *LogReport) (err error) {
	dir := filepath.Join(c.Dir, "cluster"+strconv.Itoa(streams))
	p := natsnode.Plan{Nodes: []string{"node"}}
	for i := range logServers {
		clients, err := freePort()
		if err != nil {
			return err
		}
		routes, err := freePort()
		if err != nil {
			return err
		}
		p.Servers = append(p.Servers, natsnode.Server{Name: fmt.Sprintf("log%d", i+1), Clients: clients, Routes: routes})
	}
	if err := natsnode.Init(dir, p); err != nil {
		return err
	}
	var servers []*exec.Cmd
	var said []*bytes.Buffer
	defer func() {
		for i, cmd := range servers {
			_ = cmd.Process.Kill() // one is killed already
			_ = cmd.Wait()
			if err != nil && said[i].Len() > 0 {
				err = fmt.Errorf("%w\nlog server %d: %s", err, i+1, said[i])
			}
		}
	}()
	for _, s := range p.Servers {
		cmd := c.Server(filepath.Join(dir, s.Name), filepath.Join(dir, s.Name, "store"))
		out := &bytes.Buffer{}
		cmd.Stderr = out
		if err := cmd.Start(); err != nil {
			return err
		}
		servers, said = append(servers, cmd), append(said, out)
	}
	f, err := natsnode.Read(filepath.Join(dir, "node"))
	if err != nil {
		return err
	}
	start, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	quiet := slog.New(slog.DiscardHandler)
	node, err := natsnode.Start(start, natsnode.Config{Folder: f, Logger: quiet})
	if err != nil {
		return err
	}
	defer node.Close()
	store, err := jetstream.New(start, jetstream.Config{Conn: node.Conn(), Owner: "node", Replicas: node.Replicas(), Shards: streams, StoreBytes: natsnode.StoreBytesDefault, Logger: quiet})
	if err != nil {
		return err
	}
	defer store.Close()
	pids := make([]int, len(servers))
	for i, cmd := range servers {
		pids[i] = cmd.Process.Pid
	}
	for _, n := range c.Matches {
		c.Progress("three log servers, %d streams, %d matches", streams, n)
		run, err := c.measureStore(ctx, LogRun{Engine: "log servers", Streams: streams, Matches: n}, store, func() ([]time.Duration, error) {
			used := make([]time.Duration, len(pids))
			for i, pid := range pids {
				var err error
				if used[i], err = cpuTimeOf(pid); err != nil {
					return nil, err
				}
			}
			return used, nil
		})
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, run)
	}
	if c.Kill == 0 || r.Kills != nil || streams < 2 {
		return nil
	}
	c.Progress("a log server is killed, %d matches", c.Kill)
	js, err := natsjs.New(node.Conn())
	if err != nil {
		return err
	}
	leads := map[string]string{} // by stream
	counts := map[string]int{}
	for i := range streams {
		name := "fogkeep_j" + strconv.Itoa(i)
		s, err := js.Stream(ctx, name)
		if err != nil {
			return err
		}
		if info := s.CachedInfo(); info.Cluster != nil {
			leads[name] = info.Cluster.Leader
			counts[info.Cluster.Leader]++
		}
	}
	victim := ""
	for i := range servers {
		name := p.Servers[i].Name
		if counts[name] > 0 && counts[name] < streams && (victim == "" || counts[name] < counts[victim]) {
			victim = name
		}
	}
	if victim == "" {
		return errors.New("one log server leads all streams: run it again")
	}
	r.Kills, err = c.kill(ctx, store, streams, func(stream string) bool { return leads[stream] == victim }, func() error {
		i := slices.IndexFunc(p.Servers, func(s natsnode.Server) bool { return s.Name == victim })
		return servers[i].Process.Kill()
	})
	return err
}

// freePort returns an address of loopback that nobody listens at.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// cpuTimeOf is user and system time of another process of this machine.
func cpuTimeOf(pid int) (time.Duration, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, fmt.Errorf("bench: processor time: %w", err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // from the state on
	if len(fields) < 13 {
		return 0, fmt.Errorf("bench: processor time: /proc/%d/stat is short", pid)
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100), errors.Join(err1, err2) // 100 a second: USER_HZ of every Linux
}

// measureStore makes the run's matches in a store, lets them write, and puts them away.
func (c *LogConfig) measureStore(ctx context.Context, run LogRun, s journal.Store, used func() ([]time.Duration, error)) (LogRun, error) {
	logs, err := c.open(s, fmt.Sprintf("bench-%d-%d", run.Streams, run.Matches), run.Matches)
	if err != nil {
		return run, err
	}
	err = c.measure(ctx, &run, used, func(i int, record []byte) error {
		n := logs[i].Next()
		if err := logs[i].Append(n, record); err != nil {
			return err
		}
		return logs[i].Wait(ctx, n)
	})
	return run, errors.Join(err, c.drop(logs))
}

// open makes journals, several at once.
func (c *LogConfig) open(s journal.Store, name string, n int) ([]journal.Log, error) {
	logs, errs := make([]journal.Log, n), make([]error, n)
	var all sync.WaitGroup
	room := make(chan struct{}, 16)
	for i := range logs {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			logs[i], errs[i] = s.Create(fmt.Sprintf("%s-%d", name, i))
		})
	}
	all.Wait()
	return logs, errors.Join(errs...)
}

// drop closes journals, several at once. They are left where they are: the folder of the
// measurement is deleted as a whole.
func (c *LogConfig) drop(logs []journal.Log) error {
	errs := make([]error, len(logs))
	var all sync.WaitGroup
	for i, l := range logs {
		all.Go(func() { errs[i] = l.Close() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// measure lets each match put a record at its rate; put returns once the record is safe.
// A match whose put takes longer than its tick puts the next record at once. The first
// second is not counted.
func (c *LogConfig) measure(ctx context.Context, run *LogRun, used func() ([]time.Duration, error), put func(match int, record []byte) error) error {
	period := time.Second / time.Duration(c.Rate)
	took := make([][]time.Duration, run.Matches)
	errs := make([]error, run.Matches)
	begin := time.Now().Add(200 * time.Millisecond)
	counted, end := begin.Add(time.Second), begin.Add(time.Duration(c.Seconds+1)*time.Second)
	var all sync.WaitGroup
	for i := range run.Matches {
		all.Go(func() {
			record := bytes.Repeat([]byte{byte(i)}, c.Bytes)
			next := begin.Add(rand.N(period)) // their ticks are not at the same moment
			for ; next.Before(end) && ctx.Err() == nil && errs[i] == nil; next = next.Add(period) {
				time.Sleep(time.Until(next))
				began := time.Now()
				errs[i] = put(i, slices.Clone(record))
				if began.After(counted) {
					took[i] = append(took[i], time.Since(began))
				}
			}
		})
	}
	time.Sleep(time.Until(counted))
	var before, after []time.Duration
	self, err := cpuTime()
	if err == nil && used != nil {
		before, err = used()
	}
	time.Sleep(time.Until(end))
	selfAfter, err2 := cpuTime()
	if err == nil && used != nil {
		after, err = used()
	}
	all.Wait()
	if err := errors.Join(append(errs, err, err2, ctx.Err())...); err != nil {
		return err
	}
	var list []time.Duration
	for _, t := range took {
		list = append(list, t...)
	}
	if len(list) == 0 {
		return errors.New("no record was written")
	}
	slices.Sort(list)
	seconds := float64(c.Seconds)
	run.PerSecond = float64(len(list)) / seconds
	run.P50Ms, run.P99Ms, run.MaxMs = logMs(list[len(list)/2]), logMs(list[len(list)*99/100]), logMs(list[len(list)-1])
	run.ClientCPU = (selfAfter - self).Seconds() / seconds
	for i := range after {
		run.ServerCPU = append(run.ServerCPU, (after[i]-before[i]).Seconds()/seconds)
	}
	return nil
}

func logMs(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// killSeconds is how long matches write after a log server was killed: longer than an
// election.
const killSeconds = 15

// kill lets matches write, kills, and reads the longest append of those that the killed
// server led, and of the others. Then it reads all journals and counts what is missing.
func (c *LogConfig) kill(ctx context.Context, s journal.Store, streams int, led func(stream string) bool, kill func() error) (*LogKill, error) {
	logs, err := c.open(s, "bench-kill", c.Kill)
	if err != nil {
		return nil, err
	}
	k := &LogKill{Matches: c.Kill, Streams: streams}
	period := time.Second / time.Duration(c.Rate)
	longest, errs := make([]time.Duration, len(logs)), make([]error, len(logs))
	begin := time.Now()
	end := begin.Add(killSeconds * time.Second)
	var all sync.WaitGroup
	for i, l := range logs {
		all.Go(func() {
			for next := begin.Add(rand.N(period)); next.Before(end) && errs[i] == nil; next = next.Add(period) {
				time.Sleep(time.Until(next))
				began, n := time.Now(), l.Next()
				if errs[i] = l.Append(n, bytes.Repeat([]byte{byte(n)}, c.Bytes)); errs[i] == nil {
					errs[i] = l.Wait(ctx, n)
				}
				longest[i] = max(longest[i], time.Since(began))
				if late := time.Now(); late.After(next.Add(period)) {
					next = late // a match that stood still does not catch up
				}
			}
		})
	}
	time.Sleep(2 * time.Second)
	killed := kill()
	all.Wait()
	if err := errors.Join(append(errs, killed)...); err != nil {
		return nil, err
	}
	for i, l := range logs {
		stream, _, _ := strings.Cut(l.Name(), "/")
		if led(stream) {
			k.Led++
			k.Leader = max(k.Leader, logMs(longest[i]))
		} else {
			k.Follower = max(k.Follower, logMs(longest[i]))
		}
		there := uint64(0)
		if err := l.Read(0, func(uint64, []byte) error { there++; return nil }); err != nil {
			return nil, err
		}
		k.Lost += int(l.Synced() - min(there, l.Synced()))
	}
	return k, c.drop(logs)
}

// pgWindow is how long records are gathered for one INSERT.
const pgWindow = 10 * time.Millisecond

// pgRow is a record on its way into PostgreSQL.
type pgRow struct {
	match  int
	n      int64
	record []byte
	done   chan error
}

// postgres measures a table as a journal: whoever writes a number of a match first has
// it (the primary key is the fence), and one statement each 10 ms writes the records of
// all matches of the node.
func (c *LogConfig) postgres(ctx context.Context, url string, matches int) (LogRun, error) {
	run := LogRun{Engine: "postgresql", Matches: matches}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return run, err
	}
	defer conn.Close(ctx)
	watch, err := pgx.Connect(ctx, url)
	if err != nil {
		return run, err
	}
	defer watch.Close(ctx)
	if _, err := conn.Exec(ctx, "DROP TABLE IF EXISTS fogkeep_bench_journal; CREATE TABLE fogkeep_bench_journal (match integer, n bigint, record bytea NOT NULL, PRIMARY KEY (match, n))"); err != nil {
		return run, err
	}
	rows := make(chan pgRow, matches)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var waiting []pgRow
		for open := true; open; {
			tick := time.After(pgWindow)
			for gathering := true; gathering && open; {
				select {
				case row, ok := <-rows:
					if open = ok; ok {
						waiting = append(waiting, row)
					}
				case <-tick:
					gathering = false
				}
			}
			if len(waiting) == 0 {
				continue
			}
			ids, ns, records := make([]int32, len(waiting)), make([]int64, len(waiting)), make([][]byte, len(waiting))
			for i, row := range waiting {
				ids[i], ns[i], records[i] = int32(row.match), row.n, row.record
			}
			_, err := conn.Exec(ctx, "INSERT INTO fogkeep_bench_journal SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bytea[])", ids, ns, records)
			for _, row := range waiting {
				row.done <- err
			}
			waiting = waiting[:0]
		}
	}()
	next, done := make([]int64, matches), make([]chan error, matches)
	for i := range done {
		done[i] = make(chan error, 1)
	}
	err = c.measure(ctx, &run, func() ([]time.Duration, error) { return pgCPU(ctx, watch) }, func(i int, record []byte) error {
		rows <- pgRow{i, next[i], record, done[i]}
		next[i]++
		return <-done[i]
	})
	close(rows)
	<-ended
	_, e := conn.Exec(ctx, "DROP TABLE fogkeep_bench_journal")
	return run, errors.Join(err, e)
}

// pgCPU adds up the processes of the PostgreSQL server.
func pgCPU(ctx context.Context, conn *pgx.Conn) ([]time.Duration, error) {
	list, err := conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE pid IS NOT NULL")
	if err != nil {
		return nil, err
	}
	pids, err := pgx.CollectRows(list, pgx.RowTo[int])
	if err != nil {
		return nil, err
	}
	var sum time.Duration
	for _, pid := range pids {
		used, err := cpuTimeOf(pid)
		if errors.Is(err, os.ErrNotExist) {
			continue // it has ended meanwhile
		}
		if err != nil {
			return nil, err
		}
		sum += used
	}
	return []time.Duration{sum}, nil
}

// Text writes the report for people.
func (r *LogReport) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d bytes a record, %d records a second and match, %d s\n", r.Bytes, r.Rate, r.Seconds)
	fmt.Fprintf(b, "%-12s %7s %7s %9s %8s %8s %8s %7s  %s\n", "engine", "streams", "matches", "records/s", "p50 ms", "p99 ms", "max ms", "client", "cores of each server")
	for _, run := range r.Runs {
		var cores []string
		for _, used := range run.ServerCPU {
			cores = append(cores, fmt.Sprintf("%.2f", used))
		}
		fmt.Fprintf(b, "%-12s %7d %7d %9.0f %8.1f %8.1f %8.0f %7.2f  %s\n", run.Engine, run.Streams, run.Matches, run.PerSecond, run.P50Ms, run.P99Ms, run.MaxMs, run.ClientCPU, cmp.Or(strings.Join(cores, " "), "-"))
	}
	if k := r.Kills; k != nil {
		fmt.Fprintf(b, "a log server killed under %d matches on %d streams: longest append %.0f ms where it was a follower, %.0f ms for the %d matches whose stream it led; %d acknowledged records lost\n",
			k.Matches, k.Streams, k.Follower, k.Leader, k.Led, k.Lost)
	}
	return b.Flush()
}
