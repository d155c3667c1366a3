package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// The durability that these tests do not need.
var fast = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off"}

var (
	once     sync.Once
	startErr error
	base     string  // conninfo without dbname
	shared   *Server // nil: none was started
	seq      atomic.Int64
)

// TB is the part of testing.TB that [New] needs.
type TB interface {
	Helper()
	Fatal(...any)
	Cleanup(func())
}

// Main is for TestMain: it runs the tests, stops the server and exits.
func Main(m interface{ Run() int }) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop ends the server, if there is one, and removes its folder.
func Stop() {
	if shared != nil {
		shared.Close()
	}
}

// New gives a test its own database and returns its conninfo. template is the
// name of a database to copy; "" is the empty one.
func New(t TB, template string) string {
	t.Helper()
	dsn, drop, err := Create(template)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drop)
	return dsn
}

// Create is New for callers outside of tests.
func Create(template string) (dsn string, drop func(), err error) {
	once.Do(func() { startErr = start() })
	if startErr != nil {
		return "", nil, startErr
	}
	name := fmt.Sprintf("t%d_%d", os.Getpid(), seq.Add(1))
	if err := admin(base, "CREATE DATABASE "+name+" TEMPLATE "+cmp.Or(template, "template1")); err != nil {
		return "", nil, err
	}
	return base + " dbname=" + name, func() { admin(base, "DROP DATABASE "+name+" WITH (FORCE)") }, nil
}

// Bin returns the path of one of PostgreSQL's programs, such as pg_dump.
func Bin(program string) (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian: not on PATH
	if d := os.Getenv("PG_BIN"); d != "" {
		dirs = []string{d}
	}
	if len(dirs) == 0 {
		return "", errors.New("no PostgreSQL found: apt-get install -y postgresql, or set PG_BIN to its bin folder")
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return filepath.Join(dirs[len(dirs)-1], program), nil
}

func start() error {
	if base = os.Getenv("TEST_POSTGRES"); base != "" {
		return nil
	}
	var err error
	if shared, err = NewServer(fast...); err == nil {
		base = shared.base
	}
	return err
}

// Server is a PostgreSQL server of its own, for callers that end it.
type Server struct {
	dir, base string
	settings  []string
	attr      *syscall.SysProcAttr

	pg   *exec.Cmd
	log  bytes.Buffer
	done chan struct{} // closed once it has ended
}

// NewServer starts a server with some settings (name=value). Without settings committed data survive a kill.
func NewServer(settings ...string) (*Server, error) {
	s, err := NewServerIn("/dev/shm", settings...) // memory; short, as a socket's path holds 107 bytes
	if errors.Is(err, errFolder) {
		s, err = NewServerIn("/tmp", settings...)
	}
	return s, err
}

var errFolder = errors.New("no folder for PostgreSQL")

// NewServerIn is NewServer with the server's data below a folder, for callers that measure the disk. Its path is
// short, and everybody may pass through it.
func NewServerIn(folder string, settings ...string) (*Server, error) {
	initdb, err := Bin("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(folder, "pg")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFolder, err)
	}
	s := &Server{dir: dir, base: "host=" + dir + " user=postgres", settings: settings, attr: ownGroup()}
	if os.Geteuid() == 0 {
		if err := dropTo("postgres", dir, s.attr); err != nil {
			return nil, err
		}
	}
	if out, err := s.command(initdb, "-D", dir+"/d", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, s.Start()
}

func (s *Server) command(program string, args ...string) *exec.Cmd {
	c := exec.Command(program, args...)
	c.Dir, c.SysProcAttr = s.dir, s.attr
	c.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "PG") }), "LC_ALL=C")
	return c
}

// URL returns the conninfo of the server's own database.
func (s *Server) URL() string { return "postgres://postgres@/postgres?host=" + s.dir }

// startMax is how long a server may take until it answers.
const startMax = 20 * time.Second

// Start starts the server again after Kill, and returns when it answers.
func (s *Server) Start() error {
	end := time.Now().Add(startMax)
	for {
		if err := s.run(); err != nil {
			return err
		}
		var err error
		for ; time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if err = admin(s.base, "SELECT 1"); err == nil {
				return nil
			}
			if s.ended() {
				break
			}
		}
		if !s.ended() {
			return fmt.Errorf("postgres does not answer: %w", err)
		}
		if time.Now().After(end) { // until then processes of the one before may hold its memory
			return fmt.Errorf("postgres exited:\n%s", s.log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *Server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// run starts the server's process.
func (s *Server) run() error {
	postgres, err := Bin("postgres")
	if err != nil {
		return err
	}
	args := []string{"-D", s.dir + "/d", "-k", s.dir, "-h", "", "-c", "shared_buffers=32MB", "-c", "max_connections=100"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	pg := s.command(postgres, args...)
	s.log.Reset()
	pg.Stdout, pg.Stderr = &s.log, &s.log
	started, done := make(chan error, 1), make(chan struct{})
	go func() { // Pdeathsig follows the thread that forked: hold it until the server is gone
		runtime.LockOSThread()
		defer close(done)
		err := pg.Start()
		started <- err
		if err == nil {
			pg.Wait()
		}
	}()
	s.pg, s.done = pg, done
	return <-started
}

// Kill ends the server and its connections at once, as kill -9 of all its processes
// does.
func (s *Server) Kill() error {
	pid := s.pg.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return err
	}
	err = s.pg.Process.Kill()
	for _, field := range strings.Fields(string(children)) {
		if child, err := strconv.Atoi(field); err == nil {
			kill(child)
		}
	}
	<-s.done
	return err
}

// Close ends the server, and removes its folder.
func (s *Server) Close() {
	s.pg.Process.Signal(syscall.SIGINT) // a fast shutdown
	<-s.done
	os.RemoveAll(s.dir)
}

func admin(base, sql string) error {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, base+" dbname=postgres")
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}
